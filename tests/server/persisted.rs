//! Documents named by a hash.

use std::fmt::Write as _;
use std::io::Write as _;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;
use trestle_server::Access;

use crate::server::support::{Answer, Running, refusal, start};

fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes())
        .iter()
        .fold(String::new(), |mut hex, byte| {
            write!(hex, "{byte:02x}").unwrap();
            hex
        })
}

fn persisted(hash: &str) -> Value {
    json!({ "persistedQuery": { "version": 1, "sha256Hash": hash } })
}

async fn get(server: &Running, pairs: &[(&str, &str)]) -> Answer {
    let mut url = reqwest::Url::parse(&server.url("/graphql")).unwrap();
    url.query_pairs_mut().extend_pairs(pairs);
    Answer::read(server.client.get(url).send().await.unwrap()).await
}

#[tokio::test]
async fn clients_leave_documents_and_name_them_later() {
    let server = start(&[]).await;
    let query = "query($n: String) { hello(name: $n) }";
    let hash = sha256(query);
    let by_hash = json!({ "extensions": persisted(&hash), "variables": { "n": "x" } });
    let answer = server.post(by_hash.clone()).await;
    answer.assert_refused(200, "PERSISTED_QUERY_NOT_FOUND");
    assert_eq!(answer.message(), "PersistedQueryNotFound");
    let mut whole = by_hash.clone();
    whole["query"] = json!(query);
    let expected = json!({ "data": { "hello": "Hello, x" } });
    assert_eq!(server.post(whole).await.body, expected);
    assert_eq!(server.post(by_hash).await.body, expected);
    let extensions = persisted(&hash).to_string();
    let answer = get(
        &server,
        &[("extensions", &extensions), ("variables", r#"{"n":"x"}"#)],
    )
    .await;
    assert_eq!(answer.body, expected);
}

#[tokio::test]
async fn documents_are_left_over_get_too() {
    let server = start(&[]).await;
    let query = "{ hello }";
    let extensions = persisted(&sha256(query)).to_string();
    let by_hash = [("extensions", &*extensions)];
    get(&server, &by_hash)
        .await
        .assert_refused(200, "PERSISTED_QUERY_NOT_FOUND");
    assert_eq!(
        get(&server, &[("extensions", &extensions), ("query", query)])
            .await
            .status,
        200
    );
    let expected = json!({ "data": { "hello": "Hello, world" } });
    assert_eq!(get(&server, &by_hash).await.body, expected);

    let mutation = "mutation { bump }";
    let extensions = persisted(&sha256(mutation));
    server
        .post(json!({ "query": mutation, "extensions": extensions }))
        .await;
    let answer = get(&server, &[("extensions", &extensions.to_string())]).await;
    answer.assert_refused(405, "OPERATION_RESOLUTION_FAILURE");
    assert_eq!(server.probe.bumps(), 1);
}

#[tokio::test]
async fn a_wrong_hash_is_refused_and_leaves_nothing() {
    let server = start(&[]).await;
    let hash = sha256("{ other }");
    let wrong = json!({ "query": "{ hello }", "extensions": persisted(&hash) });
    server
        .post(wrong)
        .await
        .assert_refused(200, "BAD_USER_INPUT");
    let answer = server.post(json!({ "extensions": persisted(&hash) })).await;
    answer.assert_refused(200, "PERSISTED_QUERY_NOT_FOUND");
    for extensions in [
        json!({ "persistedQuery": { "version": 2, "sha256Hash": hash } }),
        json!({ "persistedQuery": {} }),
        json!({ "persistedQuery": 1 }),
    ] {
        let answer = server
            .post(json!({ "query": "{ hello }", "extensions": extensions }))
            .await;
        answer.assert_refused(400, "BAD_USER_INPUT");
    }
}

#[tokio::test]
async fn the_cache_is_bounded() {
    let server = start(&["--persisted-query-bytes", "2000"]).await;
    let ask = |n: usize| {
        let query = format!("{{ hello(name: \"{n}\") }}");
        let extensions = persisted(&sha256(&query));
        (
            json!({ "query": query, "extensions": extensions }),
            json!({ "extensions": extensions }),
        )
    };
    for n in 0..200 {
        assert_eq!(server.post(ask(n).0).await.status, 200);
    }
    let mut known = 0;
    for n in 0..200 {
        known += usize::from(server.post(ask(n).1).await.code().is_none());
    }
    assert!(known < 50, "2000 bytes hold a few documents, not {known}");
}

fn trusted(documents: &Value) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(documents.to_string().as_bytes()).unwrap();
    file
}

#[tokio::test]
async fn trusted_documents_run_by_their_names() {
    // graphql-codegen names documents by SHA-1, or by another hash with that one's name in front.
    let file = trusted(&json!({
        "0a1b2c": "query Greet { hello }",
        "sha256:4d5e6f": "query Again { hello }",
    }));
    let server = start(&["--trusted-documents", file.path().to_str().unwrap()]).await;
    let expected = json!({ "data": { "hello": "Hello, world" } });
    let asked = [
        json!({ "documentId": "0a1b2c" }),
        json!({ "documentId": "sha1:0a1b2c" }),
        json!({ "extensions": persisted("0a1b2c") }),
        json!({ "documentId": "4d5e6f" }),
        json!({ "documentId": "sha256:4d5e6f" }),
        json!({ "extensions": persisted("4d5e6f") }),
    ];
    for body in asked {
        assert_eq!(server.post(body).await.body, expected);
    }
    assert_eq!(
        get(&server, &[("documentId", "0a1b2c")]).await.body,
        expected
    );
    let unknown = server.post(json!({ "documentId": "ffff" })).await;
    unknown.assert_refused(200, "PERSISTED_QUERY_NOT_FOUND");
    server.still_answers().await;
}

#[tokio::test]
async fn only_trusted_documents_run_where_that_is_asked_for() {
    let file = trusted(&json!({ "0a1b2c": "query Greet { hello }" }));
    let path = file.path().to_str().unwrap();
    let server = start(&["--trusted-documents", path, "--only-trusted-documents"]).await;
    server
        .query("{ hello }")
        .await
        .assert_refused(403, "FORBIDDEN");
    let query = "{ __typename }";
    let left = json!({ "query": query, "extensions": persisted(&sha256(query)) });
    server.post(left).await.assert_refused(200, "FORBIDDEN");
    let answer = server
        .post(json!({ "extensions": persisted(&sha256(query)) }))
        .await;
    answer.assert_refused(200, "PERSISTED_QUERY_NOT_FOUND");
    assert_eq!(
        server.post(json!({ "documentId": "0a1b2c" })).await.code(),
        None
    );
    assert_eq!(server.query("query Greet { hello }").await.code(), None);
}

#[tokio::test]
async fn a_file_that_cannot_be_used_is_refused_at_the_start() {
    let files = [
        (json!([]), "not a JSON object"),
        (json!({ "a": 1 }), "not a JSON object"),
        (json!({}), "names no document"),
        (json!({ "a": "{ nothing }" }), "runs on no service"),
    ];
    for (documents, expected) in files {
        let file = trusted(&documents);
        let flags = ["--trusted-documents", file.path().to_str().unwrap()];
        let sentence = refusal(&flags, Access::Open)
            .expect("it is refused")
            .to_string();
        assert!(sentence.contains(expected), "{sentence}");
    }
    let flags = ["--trusted-documents", "/nowhere/documents.json"];
    assert!(refusal(&flags, Access::Open).is_some());
    let sentence = refusal(&["--only-trusted-documents"], Access::Open)
        .unwrap()
        .to_string();
    assert!(sentence.contains("--trusted-documents FILE"), "{sentence}");
}
