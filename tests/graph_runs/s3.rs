//! Files in S3, as an operator names it.

use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::graph_runs::program::{PATIENCE, Program};

/// moto's S3, a server of that protocol over HTTP. It ends when this is dropped.
struct Moto {
    child: Child,
    url: String,
}

impl Drop for Moto {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Moto {
    /// Starts it with a bucket; `None`, saying so, where the machine has none.
    async fn start(test: &str) -> Option<Self> {
        let Some(program) = std::env::var_os("TRESTLE_MOTO_SERVER") else {
            let in_ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
            assert!(
                !in_ci,
                "TRESTLE_MOTO_SERVER names moto_server, which CI has to have"
            );
            eprintln!("skipped: {test} (TRESTLE_MOTO_SERVER does not name moto_server)");
            return None;
        };
        let port = std::net::TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let child = Command::new(program)
            .args(["-H", "127.0.0.1", "-p", &port.to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("moto_server starts");
        let moto = Self {
            child,
            url: format!("http://127.0.0.1:{port}"),
        };
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let ready = async {
            loop {
                let bucket = http.put(format!("{}/artifacts", moto.url)).send().await;
                if bucket.is_ok_and(|answer| answer.status().is_success()) {
                    return;
                }
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, ready)
            .await
            .expect("moto answers");
        Some(moto)
    }
}

#[tokio::test]
async fn files_are_in_s3() {
    let Some(moto) = Moto::start("files_are_in_s3").await else {
        return;
    };
    let environment = [
        ("AWS_ENDPOINT_URL_S3", moto.url.as_str()),
        ("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE"),
        ("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI"),
        ("AWS_REGION", "eu-central-1"),
    ];
    let flags = [
        "--memory",
        "--service",
        "graph-runs",
        "--artifacts",
        "s3://artifacts",
        "--graph-runs-max-upload",
        "20000",
    ];
    let server = Program::serve(&flags, &environment);
    let (id, upload) = server.create(json!({})).await;
    let url = upload["url"].as_str().unwrap();
    assert!(
        url.starts_with(&format!(
            "{}/artifacts/uploads/prod/local/{id}/incoming-main.tf?",
            moto.url
        )),
        "{url}"
    );
    assert!(
        url.contains("X-Amz-Signature=") && url.contains("X-Amz-Expires=900"),
        "{url}"
    );
    let early = server.mutate("startRun", json!({ "runId": id })).await;
    assert!(
        early["userErrors"][0]["message"]
            .as_str()
            .unwrap()
            .contains("PUT it to the run's upload URL")
    );
    let file = include_str!("terraform/service.tf");
    assert_eq!(server.put(&upload, file).await.status(), 200);
    server.mutate("startRun", json!({ "runId": id })).await;
    let run = server.ended(&id).await;
    assert_eq!(run["status"], "COMPLETE", "{run:#}");
    let text = server
        .get(&run["graphDownload"])
        .await
        .text()
        .await
        .unwrap();
    assert_eq!(
        crate::graph_runs::server::hash(&text),
        run["graphHash"].as_str().unwrap()
    );
    let report: Value = server
        .get(&run["reportDownload"])
        .await
        .json()
        .await
        .unwrap();
    assert_eq!(report["summary"]["nodeCount"], run["summary"]["nodeCount"]);

    // S3 takes what it is sent; what is too large is refused when the run starts.
    let (id, upload) = server.create(json!({})).await;
    assert_eq!(server.put(&upload, vec![b' '; 20_001]).await.status(), 200);
    let large = server.mutate("startRun", json!({ "runId": id })).await;
    assert!(
        large["userErrors"][0]["message"]
            .as_str()
            .unwrap()
            .contains("more than 20000 bytes")
    );

    // A checksum is part of the signature.
    use base64::Engine as _;
    use sha2::Digest as _;
    let sum = base64::engine::general_purpose::STANDARD.encode(sha2::Sha256::digest(file));
    let (id, upload) = server
        .create(json!({ "iacBytes": file.len(), "iacSha256": sum }))
        .await;
    let url = upload["url"].as_str().unwrap();
    assert!(url.contains("host%3Bx-amz-checksum-sha256"), "{url}");
    assert_eq!(server.put(&upload, file).await.status(), 200);
    server.mutate("startRun", json!({ "runId": id })).await;
    assert_eq!(server.ended(&id).await["status"], "COMPLETE");
}
