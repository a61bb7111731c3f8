//! The real binary, asked with and without credentials.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;
use trestle_api::viewer::{Access, Owner};
use trestle_server::authentication::NewKey;

use crate::authentication::provider::{Key, Provider};
use crate::authentication::tokens::{auth0, auth0_flags, with};
use crate::process::{Answer, Process, command, ended};

const READ: &str = "{ applications { totalCount } }";
const WRITE: &str = r#"mutation { createApplication(input: {
    companyName: "c", positionTitle: "t", status: APPLIED }) { application { id } } }"#;

const TOLD: &str = "Send valid credentials in the header `Authorization: Bearer ...`, or an API key in \
    `x-api-key`.";

async fn ask(server: &Process, document: &str, headers: &[(&str, &str)]) -> Answer {
    server.post(&json!({ "query": document }), headers).await
}

fn assert_unauthenticated(answer: &Answer) {
    assert_eq!(answer.status, 401, "{}", answer.text);
    assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    let expected = json!({ "errors": [{
        "message": TOLD,
        "extensions": { "code": "UNAUTHENTICATED" },
    }] });
    assert_eq!(answer.body(), expected, "it never says what is wrong");
}

#[tokio::test]
async fn keys_made_by_the_command_open_the_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("keys");
    let mut lines = String::new();
    let mut secrets = Vec::new();
    for arguments in [
        &["api-key", "reader"][..],
        &["api-key", "writer", "--access", "write"],
        &[
            "api-key", "scraper", "--access", "none", "--role", "metrics",
        ],
    ] {
        let made = ended(command(arguments)).await;
        assert!(made.success, "{}", made.log);
        lines.push_str(&made.output);
        let secret = made
            .log
            .split_whitespace()
            .find(|word| word.starts_with("trk_"));
        secrets.push(secret.expect("a key").to_owned());
        for header in ["`Authorization: Bearer KEY`", "`x-api-key: KEY`"] {
            assert!(made.log.contains(header), "{}", made.log);
        }
    }
    std::fs::write(&file, lines).expect("a file");
    let keys = ["--api-keys", file.to_str().expect("a path")];
    let server = Process::start(&[&keys[..], &["--tenancy", "single"]].concat()).await;
    let [reader, writer, scraper] = &secrets[..] else {
        panic!("three keys")
    };

    assert_unauthenticated(&ask(&server, READ, &[]).await);
    let wrong = format!("{writer}x");
    assert_unauthenticated(&ask(&server, READ, &[("x-api-key", &wrong)]).await);
    let metrics = server.get("/metrics").await;
    assert_eq!((metrics.status, metrics.text.trim()), (401, TOLD));
    for (key, status) in [(reader, 403), (writer, 403), (scraper, 200)] {
        let request = server.client.get(server.at("/metrics"));
        let answer = request.header("x-api-key", key).send().await;
        assert_eq!(answer.expect("an answer").status(), status);
    }
    let refused = ask(&server, READ, &[("x-api-key", scraper)]).await;
    assert_eq!(refused.code().as_deref(), Some("FORBIDDEN"));
    assert_eq!(server.get("/livez").await.status, 200);
    assert_eq!(server.get("/readyz").await.status, 200);

    assert_eq!(
        ask(&server, READ, &[("x-api-key", reader)]).await.code(),
        None
    );
    let refused = ask(&server, WRITE, &[("x-api-key", reader)]).await;
    assert_eq!(refused.code().as_deref(), Some("FORBIDDEN"));
    let bearer = format!("Bearer {writer}");
    assert_eq!(
        ask(&server, WRITE, &[("authorization", &bearer)])
            .await
            .code(),
        None
    );

    let ended = server.stop().await;
    let subjects: Vec<_> = ended
        .requests()
        .iter()
        .map(|line| line["subject"].clone())
        .collect();
    assert_eq!(
        subjects,
        [
            json!(null),
            json!(null),
            json!("scraper"),
            json!("reader"),
            json!("reader"),
            json!("writer")
        ]
    );
    for secret in &secrets {
        assert!(!ended.log.contains(secret.as_str()));
    }
}

#[tokio::test]
async fn tokens_of_an_identity_provider_open_the_server() {
    let (key, next, foreign) = (Key::rsa("one"), Key::ec("two"), Key::rsa("one"));
    let provider = Provider::start(&[&key, &next]).await;
    let url = provider.jwks_url();
    let flags = ["--jwt-write-role", "write", "--tenancy", "single"];
    let server = Process::start(&auth0_flags(&url, &flags)).await;
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("after 1970");
    let now = now.as_secs();
    let claims = with(auth0(), json!({ "iat": now - 60, "exp": now + 600 }));
    let bearer = |token: String| format!("Bearer {token}");

    for key in [&key, &next] {
        let token = bearer(key.sign(&claims));
        let answer = ask(&server, WRITE, &[("authorization", &token)]).await;
        assert_eq!(answer.code(), None, "{}", answer.text);
    }
    let reads = with(claims.clone(), json!({ "permissions": ["read"] }));
    let token = bearer(key.sign(&reads));
    let headers = [("authorization", token.as_str())];
    assert_eq!(ask(&server, READ, &headers).await.code(), None);
    let refused = ask(&server, WRITE, &headers).await;
    assert_eq!(refused.code().as_deref(), Some("FORBIDDEN"));
    let token = bearer(key.sign(&with(claims.clone(), json!({ "permissions": [] }))));
    let headers = [("authorization", token.as_str())];
    let refused = ask(&server, READ, &headers).await;
    assert_eq!(refused.code().as_deref(), Some("FORBIDDEN"));

    for wrong in [
        foreign.sign(&claims),
        key.sign(&with(
            claims.clone(),
            json!({ "aud": "https://other.example" }),
        )),
        key.sign(&with(
            claims.clone(),
            json!({ "iss": "https://other.example/" }),
        )),
        key.sign(&with(claims.clone(), json!({ "exp": now - 600 }))),
        key.sign(&with(claims.clone(), json!({ "nbf": now + 600 }))),
        "no.token.atall".to_owned(),
    ] {
        let token = bearer(wrong);
        assert_unauthenticated(&ask(&server, READ, &[("authorization", &token)]).await);
    }
}

#[tokio::test]
async fn the_help_says_where_credentials_go() {
    let serve = ended(command(&["serve", "--help"])).await.output;
    // Lines are as wide as the terminal.
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(&serve).contains("`Authorization: Bearer TOKEN`"));
    let make = ended(command(&["api-key", "--help"])).await.output;
    for help in [serve, make] {
        for header in ["`Authorization: Bearer KEY`", "`x-api-key: KEY`"] {
            assert!(words(&help).contains(header), "{help}");
        }
    }
}

#[tokio::test]
async fn the_server_starts_with_tokens_only_if_it_knows_whose_applications_the_table_has() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("keys");
    let made = ended(command(&["api-key", "ada", "--owner", "ada lovelace#1"])).await;
    assert!(
        made.output.trim_end().ends_with(" owner=ada+lovelace%231"),
        "{made:?}"
    );
    std::fs::write(&file, made.output).expect("a file");
    let keys = ["--api-keys", file.to_str().expect("a path")];
    let tokens = [
        ["--jwt-issuer", "https://id.example/"],
        ["--jwt-audience", "trestle"],
        ["--jwt-jwks-url", "http://127.0.0.1:9/jwks"],
    ]
    .concat();
    let owner = ["--tenancy", "owner"];
    for (flags, says) in [
        (
            tokens.clone(),
            &["--tenancy single", "--tenancy owner", "--tenant-claim"][..],
        ),
        ([&tokens[..], &keys].concat(), &["--tenancy single"]),
        (owner.to_vec(), &["--tenancy owner needs credentials"]),
        (
            [
                &tokens[..],
                &["--tenancy", "single", "--tenant-claim", "org_id"],
            ]
            .concat(),
            &["--tenant-claim names the owners"],
        ),
        (keys.to_vec(), &["--tenancy owner", "--tenancy single"]),
        (
            [&keys[..], &["--tenant-claim", "org_id"]].concat(),
            &["--tenant-claim names the owners"],
        ),
    ] {
        let arguments = [
            &["serve", "--memory", "--listen", "127.0.0.1:0"],
            &flags[..],
        ]
        .concat();
        let refused = ended(command(&arguments)).await;
        assert!(!refused.success, "{flags:?}");
        for says in says {
            assert!(refused.log.contains(says), "{flags:?}: {}", refused.log);
        }
    }
    for flags in [
        [&tokens[..], &["--tenancy", "single"]].concat(),
        [&tokens[..], &owner].concat(),
        [&tokens[..], &owner, &["--tenant-claim", "org_id"]].concat(),
        [&tokens[..], &["--service", "job-board"]].concat(),
        [&keys[..], &owner].concat(),
        [&keys[..], &["--tenancy", "single"]].concat(),
    ] {
        assert!(
            Process::start(&flags).await.stop().await.success,
            "{flags:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_starts_with_several_keys_only_if_it_knows_whose_applications_the_table_has() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("keys");
    let path = file.to_str().expect("a path");
    let accesses = [Access::None, Access::Read, Access::Write];
    // One or two keys, of which any may read or write, and the first may name its owner.
    let ones = accesses.map(|one| vec![one]);
    let twos = accesses.map(|one| accesses.map(|other| vec![one, other]));
    for accesses in ones.into_iter().chain(twos.into_iter().flatten()) {
        for has_owner in [false, true] {
            let owner = Owner::new("ada").filter(|_| has_owner);
            let mut lines = String::new();
            for (number, access) in accesses.iter().enumerate() {
                let key = NewKey {
                    name: &format!("key-{number}"),
                    access: *access,
                    roles: &[],
                    owner: owner.as_ref().filter(|_| number == 0),
                };
                let random = [u8::try_from(number).expect("small"); 32];
                lines += &format!("{}\n", key.generate(random).expect("a key").line);
            }
            std::fs::write(&file, lines).expect("a file");
            let several = accesses
                .iter()
                .filter(|access| **access != Access::None)
                .count()
                > 1;
            // The choice is refused before a port is opened that cannot be had.
            let arguments = [
                "serve",
                "--memory",
                "--listen",
                "192.0.2.1:1",
                "--api-keys",
                path,
            ];
            for tenancy in [None, Some("single"), Some("owner")] {
                let mut serve = command(&arguments);
                serve.args(
                    tenancy
                        .map(|tenancy| ["--tenancy", tenancy])
                        .iter()
                        .flatten(),
                );
                let log = ended(serve).await.log;
                let is_refused = match tenancy {
                    None => several || has_owner,
                    Some("owner") => !has_owner,
                    Some(_) => false,
                };
                assert_eq!(
                    log.contains("--tenancy single"),
                    is_refused,
                    "{accesses:?} {tenancy:?}: {log}"
                );
                assert_eq!(
                    log.contains("Cannot listen"),
                    !is_refused,
                    "{accesses:?} {tenancy:?}: {log}"
                );
            }
        }
    }
}

/// A key and its line, from the binary.
async fn generated(name: &str) -> (String, String) {
    let made = ended(command(&["api-key", name, "--access", "write"])).await;
    let mut lines = made.log.lines();
    let secret = lines.find_map(|line| line.strip_prefix("The key, shown this once: "));
    (secret.expect("a key").to_owned(), made.output)
}

#[tokio::test]
async fn keys_are_withdrawn_while_the_server_runs() {
    let (ann, anns_line) = generated("ann").await;
    let (ben, bens_line) = generated("ben").await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys");
    std::fs::write(&file, format!("{anns_line}{bens_line}")).unwrap();
    let path = file.to_str().unwrap();
    let keys = ["--api-keys", path, "--tenancy", "single"];
    let server = Process::start(&[&keys[..], &["--recheck-credentials", "1h"]].concat()).await;
    let answers = async |key: &str| ask(&server, READ, &[("x-api-key", key)]).await.status;
    assert_eq!((answers(&ann).await, answers(&ben).await), (200, 200));
    let subscribed = server
        .client
        .post(&server.url)
        .header("x-api-key", &ann)
        .header("accept", "text/event-stream")
        .json(&json!({ "query": "subscription { applicationChanged { version } }" }));
    let subscribed = subscribed.send().await.unwrap();
    assert_eq!(subscribed.status(), 200);

    // A file is replaced, as editors and container platforms do it.
    let replaced = folder.path().join("new");
    std::fs::write(&replaced, &bens_line).unwrap();
    std::fs::rename(&replaced, &file).unwrap();
    while answers(&ann).await != 401 {}
    assert_eq!(answers(&ben).await, 200);
    let events = subscribed.text().await.unwrap();
    assert!(events.contains("UNAUTHENTICATED"), "{events}");

    // A file that cannot be used changes nothing, and neither does a signal.
    std::fs::write(&file, "no key").unwrap();
    let id = server.id().to_string();
    let told = std::process::Command::new("kill")
        .args(["-HUP", &id])
        .status();
    assert!(told.unwrap().success());
    assert_eq!(answers(&ben).await, 200);
    std::fs::write(&file, format!("{anns_line}{bens_line}")).unwrap();
    while answers(&ann).await != 200 {}
    let ended = server.stop().await;
    assert!(ended.success, "{}", ended.log);
    assert!(ended.log.contains("a file was read again"), "{}", ended.log);
}
