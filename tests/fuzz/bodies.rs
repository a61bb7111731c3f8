//! Requests as bytes: bodies, media types, query strings.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use crate::fuzz::harness::Fuzzed;
use crate::fuzz::words::{edited, edits, json_value, text};

const CASES: u32 = 400;

fn kinds() -> impl Strategy<Value = Option<&'static str>> {
    select(
        &[
            Some("application/json"),
            Some("application/json"),
            Some("application/json"),
            Some("application/json; charset=utf-8"),
            Some("application/json; charset=utf-16"),
            Some("application/json;;;"),
            Some("application/graphql"),
            Some("multipart/form-data; boundary=x"),
            Some("text/plain"),
            Some(""),
            None,
        ][..],
    )
}

fn accepts() -> impl Strategy<Value = &'static str> {
    select(
        &[
            "*/*",
            "application/json",
            "application/graphql-response+json",
            "text/event-stream",
            "text/html",
            "application/json;q=0, */*",
            "nonsense",
        ][..],
    )
}

/// Bodies that are right, to be made wrong.
fn right() -> impl Strategy<Value = Vec<u8>> {
    let list = json!({
        "query": "query L($first: Int, $f: ApplicationFilter) { applications(first: $first, filter: $f) {
           totalCount edges { cursor node { id ...F } } } } fragment F on Application { status @skip(if: false) }",
        "operationName": "L", "variables": { "first": 3, "f": { "statuses": ["APPLIED"], "text": "v" } },
    });
    let create = json!({
        "query": "mutation($i: CreateApplicationInput!) { createApplication(input: $i) {
           application { id } userErrors { code field message } } }",
        "variables": { "i": { "companyName": "Visa", "positionTitle": "Engineer", "salaryMin": 1,
           "dateApplied": "2026-11-20", "companyUrl": "https://example.com", "coverLetterRequired": true } },
        "extensions": {},
    });
    let hash = json!({ "extensions": { "persistedQuery": { "version": 1, "sha256Hash": "00" } } });
    select(vec![list, create, hash]).prop_map(|body| body.to_string().into_bytes())
}

fn bodies() -> impl Strategy<Value = Vec<u8>> {
    let nested = (
        select(&["[", "{\"a\":", "{\"query\":", "{\"variables\":[", "\"\\u00"][..]),
        1..20_000_usize,
    );
    let document = (
        select(
            &[
                "{a",
                "{a(b:[",
                "{...{",
                "query($a:[",
                "{a(b:{c:",
                "{a @b(c:[",
            ][..],
        ),
        1..9000_usize,
    );
    let twice = (json_value(), json_value());
    prop_oneof![
        4 => (right(), edits()).prop_map(|(body, edits)| edited(body, &edits)),
        2 => json_value().prop_map(|json| json.to_string().into_bytes()),
        1 => prop::collection::vec(any::<u8>(), 0..200),
        1 => nested.prop_map(|(piece, times)| piece.repeat(times).into_bytes()),
        1 => document.prop_map(|(piece, times)| {
            json!({ "query": piece.repeat(times) }).to_string().into_bytes()
        }),
        1 => twice.prop_map(|(a, b)| {
            format!("{{\"query\":{a},\"query\":\"{{__typename}}\",\"variables\":{b},\"variables\":{{}}}}")
                .into_bytes()
        }),
        1 => text().prop_map(|text| json!({ "query": text }).to_string().into_bytes()),
    ]
}

#[test]
fn every_body_is_answered() {
    let server = Fuzzed::start();
    let cases = (bodies(), kinds(), accepts());
    server.run(CASES, &cases, async |(body, kind, accept)| {
        let mut request = server
            .http
            .post(&server.api.url)
            .header("accept", accept)
            .body(body);
        if let Some(kind) = kind {
            request = request.header("content-type", kind);
        }
        server.send(request).await?;
        Ok(())
    });
}

#[test]
fn every_query_string_is_answered() {
    let server = Fuzzed::start();
    let name = prop_oneof![
        4 => select(&["query", "variables", "operationName", "extensions", "documentId"][..])
            .prop_map(str::to_owned),
        1 => text(),
    ];
    let value = prop_oneof![
        text(),
        json_value().prop_map(|json| json.to_string()),
        Just("{ applicationStats { active } }".to_owned()),
    ];
    // A URL has its own limit, which is not ours.
    let value = value.prop_map(|value: String| value.chars().take(400).collect::<String>());
    let cases = (prop::collection::vec((name, value), 0..5), accepts());
    server.run(CASES, &cases, async |(pairs, accept)| {
        let mut url = reqwest::Url::parse(&server.api.url).unwrap();
        for (name, value) in &pairs {
            let name: String = name.chars().take(400).collect();
            url.query_pairs_mut().append_pair(&name, value);
        }
        server
            .send(server.http.get(url).header("accept", accept))
            .await?;
        Ok(())
    });
}

#[test]
fn a_refused_request_leaves_its_connection_in_order() {
    use std::io::{Read as _, Write as _};
    let server = Fuzzed::start();
    let address = server.api.url.strip_prefix("http://").unwrap();
    let address = address.strip_suffix("/graphql").unwrap();
    let large = format!("{{\"query\":\"{}\"}}", " ".repeat(1_500_000));
    for (method, headers, body, status) in [
        ("POST", "accept: nonsense", "{}", "406"),
        ("POST", "content-type: text/plain", "{}", "415"),
        ("POST", "content-type: text/plain", large.as_str(), "415"),
        (
            "POST",
            "content-type: application/json",
            large.as_str(),
            "413",
        ),
        ("PUT", "content-type: application/json", "{}", "405"),
    ] {
        let mut connection = std::net::TcpStream::connect(address).unwrap();
        let head = format!("{method} /graphql HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n");
        let first = format!("{head}content-length: {}\r\n\r\n{body}", body.len());
        connection.write_all(first.as_bytes()).unwrap();
        // Too long a body ends its connection, and says so.
        let closes = status == "413";
        if !closes {
            let second = "GET /livez HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
            connection.write_all(second.as_bytes()).unwrap();
        }
        let mut answers = String::new();
        connection.read_to_string(&mut answers).unwrap();
        let answered: Vec<_> = answers.split("HTTP/1.1 ").skip(1).collect();
        assert!(answered[0].starts_with(status), "{answers}");
        assert_eq!(
            answered[0].contains("connection: close"),
            closes,
            "{answers}"
        );
        assert_eq!(
            answered.len(),
            2 - usize::from(closes),
            "{headers}: {answers}"
        );
        let second = answered.get(1);
        assert!(
            second.is_none_or(|second| second.starts_with("200")),
            "{answers}"
        );
    }
}
