//! The board's files as the binary serves them, and when it does not. Knows no browser.

use std::fs;

use libtest_mimic::Trial;
use serde_json::Value;

use crate::board::trial;
use crate::bundle::{Bundle, get, on, page_of};
use crate::prerequisites::Need;
use crate::process::{Process, command, ended};

const BOARD: Bundle = Bundle {
    folder: "examples/board",
    path: "/board/",
    flags: &[],
};

/// The most that the first page may take, compressed, in bytes.
const FIRST_LOAD: usize = 112_000;

pub fn trials() -> Vec<Trial> {
    let needs = &[Need::Pages];
    vec![
        trial("the_page_is_under_its_policy", needs, || {
            on(BOARD.the_page())
        }),
        trial("the_address_of_the_server_leads_to_it", needs, || {
            on(address())
        }),
        trial("files_are_cached_for_good_and_compressed", needs, || {
            on(BOARD.the_files())
        }),
        trial("the_first_page_is_small", needs, || {
            BOARD.the_size(FIRST_LOAD);
            Ok(())
        }),
        trial("nothing_else_is_served", needs, || on(BOARD.nothing_else())),
        trial("it_can_be_installed", needs, || on(manifest())),
        trial("the_board_trusts_its_documents", needs, || on(documents())),
        trial(
            "the_provider_is_named_to_the_page",
            needs,
            || on(provider()),
        ),
        trial("it_is_left_out", &[], || on(left_out())),
        trial("it_is_there_as_before", needs, || on(asked_for())),
    ]
}

async fn address() {
    let server = Process::start(&[]).await;
    let answer = page_of(&server, "/").await;
    assert_eq!((answer.status, answer.header("location")), (307, "/board/"));
    // Programs, and people with curl, read what is served.
    let text = get(&server, "/").await;
    assert_eq!(text.status, 200);
    let text = String::from_utf8(text.bytes).unwrap();
    assert!(text.contains("the board: /board/"), "{text}");
}

/// What a browser reads to install the page.
async fn manifest() {
    let server = Process::start(&[]).await;
    let page = String::from_utf8(get(&server, "/board/").await.bytes).unwrap();
    assert!(
        page.contains(r#"rel="manifest" href="/board/manifest.json""#),
        "{page}"
    );
    assert!(page.contains(r#"name="theme-color""#), "{page}");
    let manifest = get(&server, "/board/manifest.json").await;
    assert_eq!(manifest.status, 200);
    let media_type = manifest.header("content-type");
    assert!(media_type.starts_with("application/json"), "{media_type}");
    let manifest: Value = serde_json::from_slice(&manifest.bytes).unwrap();
    assert_eq!(manifest["start_url"], "./#/");
    let icons = manifest["icons"].as_array().unwrap();
    let purposes: Vec<_> = icons.iter().map(|icon| icon["purpose"].as_str()).collect();
    assert!(purposes.contains(&Some("maskable")), "{purposes:?}");
    let mut types = Vec::new();
    for icon in icons {
        let source = icon["src"].as_str().unwrap();
        let answer = get(&server, &format!("/board/{source}")).await;
        assert_eq!(answer.status, 200, "{source}");
        assert_eq!(
            answer.header("content-type"),
            icon["type"].as_str().unwrap()
        );
        types.push(icon["type"].clone());
    }
    assert!(
        types.contains(&Value::from("image/svg+xml")) && types.contains(&Value::from("image/png"))
    );
}

async fn documents() {
    let documents: Value =
        serde_json::from_slice(&BOARD.bundled("persisted-documents.json")).unwrap();
    let documents = documents.as_object().unwrap();
    let (name, _) = documents
        .iter()
        .find(|(_, text)| text.as_str().unwrap().contains("query Totals"))
        .expect("the board asks for totals");
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("own.json");
    fs::write(&own, r#"{"own": "{ applicationStats { active } }"}"#).unwrap();
    let own = own.to_str().unwrap();
    let flags = ["--only-trusted-documents", "--trusted-documents", own];
    let server = Process::start(&flags).await;
    let bare = name.trim_start_matches("sha256:");
    assert_ne!(name, bare, "the bundler names the algorithm");
    // The board's own documents by either name, and the operator's beside them.
    for body in [
        serde_json::json!({ "documentId": name }),
        serde_json::json!({ "documentId": bare }),
        hash(name),
        hash(bare),
        serde_json::json!({ "query": documents[name] }),
        serde_json::json!({ "documentId": "own" }),
    ] {
        let answer = server.post(&body, &[]).await;
        assert!(answer.body()["data"].is_object(), "{body}: {}", answer.text);
    }
    let foreign = server.query("{ __typename }").await;
    assert_eq!(foreign.code().as_deref(), Some("FORBIDDEN"));
}

/// What the page is told of the identity provider, and what it may connect to then.
async fn provider() {
    // Nobody answers there: the server asks for keys again when it needs them.
    let tokens = [
        "--tenancy",
        "single",
        "--jwt-issuer",
        "http://127.0.0.1:9/id",
        "--jwt-audience",
        "api</script>",
        "--jwt-jwks-url",
        "http://127.0.0.1:9/keys",
    ];
    let plain = Process::start(&tokens).await;
    let page = get(&plain, "/board/").await;
    assert_eq!(page.bytes, BOARD.bundled("index.html"));
    let policy = page.header("content-security-policy").to_owned();

    let named = [&tokens[..], &["--oidc-client-id", "page"]].concat();
    let server = Process::start(&named).await;
    let page = get(&server, "/board/").await;
    let policy = policy.replace(
        "connect-src 'self'",
        "connect-src 'self' http://127.0.0.1:9",
    );
    assert_eq!(page.header("content-security-policy"), policy);
    let text = String::from_utf8(page.bytes).unwrap();
    let block = text.split_once(r#"id="sign-in">"#).unwrap().1;
    let block = block.split_once("</script>").unwrap().0;
    let told: Value = serde_json::from_str(block).unwrap();
    let expected = serde_json::json!({
        "issuer": "http://127.0.0.1:9/id",
        "clientId": "page",
        "scope": "openid",
        "audience": "api</script>",
    });
    assert_eq!(told, expected);

    // Amazon Cognito's tokens have no audience, and the client in another claim.
    let of_clients = ["--jwt-audience-claim", "client_id"];
    let server = Process::start(&[&named[..], &of_clients].concat()).await;
    let page = get(&server, "/board/").await;
    assert!(!String::from_utf8(page.bytes).unwrap().contains("audience"));
}

fn hash(name: &str) -> Value {
    serde_json::json!({ "extensions": { "persistedQuery": { "version": 1, "sha256Hash": name } } })
}

async fn left_out() {
    // The board asks `/graphql`, which is the first service's.
    let others = Process::start(&["--service", "graph-runs,applications"]).await;
    // Its documents are deeper than this operator allows.
    let narrow = Process::start(&["--max-depth", "3"]).await;
    for server in [others, narrow, Process::start(&["--no-pages"]).await] {
        for path in ["/board", "/board/", "/board/icon.svg"] {
            assert_eq!(get(&server, path).await.status, 404, "{path}");
        }
        let index = page_of(&server, "/").await;
        assert_eq!(index.status, 200);
        assert!(!String::from_utf8(index.bytes).unwrap().contains("/board/"));
    }
}

/// Earlier releases had to be asked for it, and by whom is not known.
async fn asked_for() {
    let variables = [("TRESTLE_BOARD", "true"), ("TRESTLE_PAGES", "1")];
    let server = Process::start_with(&["--memory", "--board", "--pages"], &variables).await;
    assert_eq!(get(&server, "/board/").await.status, 200);
    // The files are public, and what they show is not.
    let file = tempfile::NamedTempFile::new().unwrap();
    let key = ended(command(&["api-key", "someone"])).await;
    fs::write(file.path(), key.output).unwrap();
    let keys = file.path().to_str().unwrap();
    let locked = Process::start(&["--api-keys", keys]).await;
    assert_eq!(get(&locked, "/board/").await.status, 200);
    assert_eq!(locked.query("{ __typename }").await.status, 401);
}
