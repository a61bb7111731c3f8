//! Files behind signed URLs of the server's own.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::DateTime;
use object_store::local::LocalFileSystem;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use trestle_files::{Files, SigningKey};
use trestle_table::clock::Clock;

use crate::graph_runs::server::{ANN, Api, START, WORKER, settings};

const DEV: &str = r#"{"environment":"DEV","iacFormat":"HCL"}"#;

fn input(more: Value) -> Value {
    let mut input: Value = serde_json::from_str(DEV).unwrap();
    input
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    input
}

async fn download(api: &Api, run: &str) -> reqwest::Response {
    let query = "query($id: String!) { run(runId: $id) { iacDownload { url } } }";
    let found = api.field(ANN, query, json!({ "id": run })).await;
    let url = found["iacDownload"]["url"].as_str().unwrap().to_owned();
    api.http.get(url).send().await.unwrap()
}

#[tokio::test]
async fn a_file_goes_up_and_comes_down_again() {
    let api = Api::start().await;
    let (run, upload) = api.create(ANN, input(json!({}))).await;
    assert_eq!(download(&api, &run).await.status(), 404);
    let text = "resource \"a\" \"b\" {}";
    let put = api.put(&upload, text.into()).await;
    assert_eq!(put.status(), 200);
    let digest: String = Sha256::digest(text)
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect();
    let answer: Value = put.json().await.unwrap();
    assert_eq!(answer, json!({ "bytes": text.len(), "sha256": digest }));
    let got = download(&api, &run).await;
    let name = format!("attachment; filename=\"{run}-main.tf\"");
    assert_eq!(got.headers()["content-disposition"], name);
    assert_eq!(got.headers()["x-content-type-options"], "nosniff");
    assert_eq!(got.text().await.unwrap(), text);
}

#[tokio::test]
async fn a_url_is_good_for_what_it_says_until_it_expires() {
    let api = Api::start().await;
    let (run, upload) = api.create(ANN, input(json!({}))).await;
    let (_, other) = api.create(ANN, input(json!({}))).await;
    let url = upload["url"].as_str().unwrap();
    let part = |url: &str, name: &str| {
        let url = url::Url::parse(url).unwrap();
        let mut pairs = url.query_pairs();
        pairs.find(|(n, _)| n == name).unwrap().1.into_owned()
    };
    let other_key = part(other["url"].as_str().unwrap(), "key");
    let own_key = part(url, "key");
    let encode =
        |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    for forged in [
        url.replace(&encode(&own_key), &encode(&other_key)),
        url.replace("max=65536", "max=65537"),
        url.replace("method=PUT", "method=GET"),
        url.replace("expires=", "expires=9"),
        url.split("&signature").next().unwrap().to_owned(),
        url.split('?').next().unwrap().to_owned(),
    ] {
        assert_ne!(forged, url);
        assert_eq!(
            api.http
                .put(&forged)
                .body("x")
                .send()
                .await
                .unwrap()
                .status(),
            403,
            "{forged}"
        );
    }
    let get = api.http.get(url).send().await.unwrap();
    assert_eq!(
        (
            get.status().as_u16(),
            get.headers()["allow"].to_str().unwrap()
        ),
        (405, "PUT")
    );
    api.pass(15 * 60 - 1);
    assert_eq!(api.put(&upload, b"x".to_vec()).await.status(), 200);
    api.pass(1);
    assert_eq!(api.put(&upload, b"x".to_vec()).await.status(), 403);
    // A new one is to be had.
    let query =
        "query($id: String!) { run(runId: $id) { iacUpload { url headers { name value } } } }";
    let again = api.field(ANN, query, json!({ "id": run })).await["iacUpload"].clone();
    assert_eq!(api.put(&again, b"y".to_vec()).await.status(), 200);
}

#[tokio::test]
async fn what_is_too_large_or_not_what_was_announced_is_refused_and_leaves_nothing() {
    let api = Api::start().await;
    let text = b"resource \"a\" \"b\" {}".to_vec();
    let digest = Sha256::digest(&text);
    let (run, upload) = api
        .create(
            ANN,
            input(json!({ "iacBytes": text.len(), "iacSha256": STANDARD.encode(digest) })),
        )
        .await;
    let headers = upload["headers"].as_array().unwrap();
    let sum = json!({ "name": "x-amz-checksum-sha256", "value": STANDARD.encode(digest) });
    assert_eq!(headers, &[sum]);
    for (bytes, status) in [
        (vec![b'x'; text.len()], 400),
        (text[1..].to_vec(), 400),
        ([text.as_slice(), b"x"].concat(), 413),
        (vec![], 400),
    ] {
        assert_eq!(api.put(&upload, bytes).await.status(), status);
        assert_eq!(download(&api, &run).await.status(), 404);
    }
    assert_eq!(api.put(&upload, text).await.status(), 200);

    let (run, upload) = api.create(ANN, input(json!({}))).await;
    assert_eq!(
        api.put(&upload, vec![b'x'; 64 * 1024 + 1]).await.status(),
        413
    );
    // Without a length announced, too: it is counted as it comes.
    let pieces = (0..9).map(|_| Ok::<_, std::io::Error>(vec![b'x'; 8 * 1024]));
    let body = reqwest::Body::wrap_stream(futures_util::stream::iter(pieces));
    let sent = api
        .http
        .put(upload["url"].as_str().unwrap())
        .body(body)
        .send()
        .await;
    assert!(sent.is_err() || sent.unwrap().status() == 413);
    assert_eq!(download(&api, &run).await.status(), 404);
    assert_eq!(api.put(&upload, vec![b'x'; 64 * 1024]).await.status(), 200);
    let wrong = api
        .http
        .put(upload["url"].as_str().unwrap())
        .header("x-amz-checksum-sha256", STANDARD.encode(digest));
    assert_eq!(wrong.body("else").send().await.unwrap().status(), 400);
    assert_eq!(
        download(&api, &run).await.bytes().await.unwrap().len(),
        64 * 1024
    );
}

#[tokio::test]
async fn the_file_of_a_started_run_cannot_be_replaced() {
    let api = Api::start().await;
    let (run, upload) = api.create(ANN, input(json!({}))).await;
    assert_eq!(api.put(&upload, b"1".to_vec()).await.status(), 200);
    let started = api.change(WORKER, "startRun", json!({}), &run).await;
    assert_eq!(started["run"]["status"], "PROCESSING");
    assert_eq!(api.put(&upload, b"2".to_vec()).await.status(), 409);
    assert_eq!(download(&api, &run).await.text().await.unwrap(), "1");
    let query = "query($id: String!) { run(runId: $id) { iacUpload { url } } }";
    let found = api.field(ANN, query, json!({ "id": run })).await;
    assert_eq!(found["iacUpload"], json!(null));
}

#[tokio::test]
async fn an_announced_checksum_binds_every_later_url_and_the_start() {
    let api = Api::start().await;
    let text = b"resource \"a\" \"b\" {}".to_vec();
    let sum = STANDARD.encode(Sha256::digest(&text));
    let announced = json!({ "iacBytes": text.len(), "iacSha256": sum });
    let (run, _) = api.create(ANN, input(announced)).await;
    let query =
        "query($id: String!) { run(runId: $id) { iacUpload { url headers { name value } } } }";
    let again = api.field(ANN, query, json!({ "id": run })).await["iacUpload"].clone();
    assert_eq!(again["headers"][0]["value"], sum);
    let url = json!({ "url": again["url"], "headers": [] });
    assert_eq!(
        api.put(&url, b"other text that is".to_vec()).await.status(),
        400
    );
    assert_eq!(api.put(&again, text).await.status(), 200);
    let started = api.change(WORKER, "startRun", json!({}), &run).await;
    assert_eq!(started["run"]["status"], "PROCESSING");
}

#[tokio::test]
async fn inputs_are_refused_by_their_fields() {
    let api = Api::start().await;
    let wrong =
        input(json!({ "iacSha256": "nonsense", "region": " ", "iacCommitSha": "x".repeat(65) }));
    let payload = api
        .field(
            ANN,
            crate::graph_runs::server::CREATE,
            json!({ "input": wrong }),
        )
        .await;
    let errors = payload["userErrors"].as_array().unwrap();
    let found: Vec<_> = errors
        .iter()
        .map(|e| (e["field"][0].as_str().unwrap(), e["code"].as_str().unwrap()))
        .collect();
    assert_eq!(
        found,
        [
            ("iacCommitSha", "TOO_LONG"),
            ("region", "REQUIRED"),
            ("iacSha256", "INVALID")
        ]
    );
    for bytes in [-1, 0, 64 * 1024 + 1] {
        let payload = api
            .field(
                ANN,
                crate::graph_runs::server::CREATE,
                json!({ "input": input(json!({ "iacBytes": bytes })) }),
            )
            .await;
        assert_eq!(payload["userErrors"][0]["code"], "OUT_OF_RANGE");
    }
}

#[tokio::test]
async fn files_in_a_folder_and_the_signing_key_outlive_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let start = async || {
        let store = LocalFileSystem::new_with_prefix(folder.path()).unwrap();
        let key = SigningKey::in_file(&folder.path().join("signing.key")).unwrap();
        let clock = Clock::new(|| DateTime::from_timestamp(START, 0).unwrap());
        let files = Files::served("graph-runs", Arc::new(store), key, None, clock.clone());
        Api::start_on(files, settings(), (Arc::new(AtomicI64::new(START)), clock)).await
    };
    let api = start().await;
    let (_, upload) = api.create("../..// write", input(json!({}))).await;
    assert_eq!(api.put(&upload, b"1".to_vec()).await.status(), 200);
    let first = upload["url"].as_str().unwrap().to_owned();
    let (origin, key) = (api.origin.clone(), folder.path().join("signing.key"));
    drop(api);
    #[cfg(unix)]
    assert_eq!(
        std::os::unix::fs::MetadataExt::mode(&key.metadata().unwrap()) & 0o777,
        0o600
    );
    let api = start().await;
    let moved = first.replace(&origin, &api.origin);
    assert_eq!(
        api.http.put(moved).body("2").send().await.unwrap().status(),
        200
    );
    // All below the folder, whatever the user is called.
    let uploads = folder.path().join("uploads/dev");
    let users: Vec<_> = std::fs::read_dir(uploads)
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(users.len(), 1, "{users:?}");
}
