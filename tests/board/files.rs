//! The board's files as the binary serves them, and when it does not. Knows no browser.

use std::fs;
use std::path::Path;

use libtest_mimic::{Failed, Trial};
use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use reqwest::{Client, Method};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::prerequisites::{Need, trial};
use crate::process::{Process, command, ended};

/// What the bundler left.
const DIST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/board/dist");
/// What the board asks of whoever serves it.
const README: &str = include_str!("../../examples/board/README.md");

/// The most that the first page may take, compressed, in bytes.
const FIRST_LOAD: usize = 130_000;

pub fn trials() -> Vec<Trial> {
    let needs = &[Need::Bundle("examples/board")];
    vec![
        trial("the_page_is_under_its_policy", needs, || on(the_page())),
        trial("files_are_cached_for_good_and_compressed", needs, || {
            on(the_files())
        }),
        trial("the_first_page_is_small", needs, || {
            the_size();
            Ok(())
        }),
        trial("nothing_else_is_served", needs, || on(nothing_else())),
        trial("the_board_trusts_its_documents", needs, || on(documents())),
        trial("it_is_there_when_asked_for", needs, || {
            on(without_the_flag())
        }),
        trial("what_it_needs_is_said", &[], || on(refusals())),
    ]
}

fn on(test: impl Future<Output = ()>) -> Result<(), Failed> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(test);
    Ok(())
}

struct Answer {
    status: u16,
    headers: HeaderMap,
    bytes: Vec<u8>,
}

impl Answer {
    fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().unwrap())
    }
}

/// Asks for a path as it is written, and follows nowhere.
async fn ask(server: &Process, method: Method, path: &str, encoding: &str) -> Answer {
    let client = Client::builder()
        .no_proxy()
        .redirect(Policy::none())
        .build()
        .unwrap();
    let request = client
        .request(method, server.at(path))
        .header("accept-encoding", encoding);
    let response = request.send().await.unwrap();
    Answer {
        status: response.status().as_u16(),
        headers: response.headers().clone(),
        bytes: response.bytes().await.unwrap().to_vec(),
    }
}

async fn get(server: &Process, path: &str) -> Answer {
    ask(server, Method::GET, path, "identity").await
}

fn bundled(name: &str) -> Vec<u8> {
    fs::read(Path::new(DIST).join(name)).unwrap()
}

/// The names of the bundle's files with this ending, below `assets`.
fn assets(ending: &str) -> Vec<String> {
    let names = fs::read_dir(Path::new(DIST).join("assets")).unwrap();
    let mut names: Vec<_> = names
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.retain(|name| name.ends_with(ending));
    assert!(!names.is_empty(), "nothing ends in {ending}");
    names
}

async fn the_page() {
    let server = Process::start(&["--board"]).await;
    let policy = README
        .lines()
        .find_map(|line| line.strip_prefix("    default-src"));
    let policy = format!("default-src{}", policy.expect("README.md names a policy"));
    let page = get(&server, "/board/").await;
    assert_eq!(page.status, 200);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(page.header("cache-control"), "no-cache");
    assert_eq!(page.header("content-security-policy"), policy);
    assert_eq!(page.header("x-content-type-options"), "nosniff");
    assert_eq!(page.header("x-frame-options"), "DENY");
    assert_eq!(page.bytes, bundled("index.html"));
    let head = ask(&server, Method::HEAD, "/board/", "identity").await;
    assert_eq!((head.status, head.bytes.len()), (200, 0));
    assert_eq!(head.header("content-security-policy"), policy);
    let post = ask(&server, Method::POST, "/board/", "identity").await;
    assert_eq!(post.status, 405);
    for path in ["/", "/board"] {
        let answer = get(&server, path).await;
        assert_eq!((answer.status, answer.header("location")), (307, "/board/"));
    }
    let icon = get(&server, "/board/icon.svg").await;
    assert_eq!(icon.header("content-type"), "image/svg+xml");
    assert_eq!(icon.header("cache-control"), "no-cache");
    assert_eq!(icon.bytes, bundled("icon.svg"));
}

async fn the_files() {
    let server = Process::start(&["--board"]).await;
    for (ending, content_type) in [
        (".js", "text/javascript; charset=utf-8"),
        (".css", "text/css; charset=utf-8"),
        (".woff2", "font/woff2"),
    ] {
        for name in assets(ending) {
            let path = format!("/board/assets/{name}");
            for method in [Method::GET, Method::HEAD] {
                let answer = ask(&server, method.clone(), &path, "identity").await;
                assert_eq!(answer.status, 200, "{path}");
                assert_eq!(answer.header("content-type"), content_type);
                let caching = "public, max-age=31536000, immutable";
                assert_eq!(answer.header("cache-control"), caching);
                assert_eq!(answer.header("x-content-type-options"), "nosniff");
                if method == Method::GET {
                    assert_eq!(answer.bytes, bundled(&format!("assets/{name}")));
                }
            }
        }
    }
    for name in [assets(".js"), assets(".css")].concat() {
        let compressed = Path::new(DIST).join(format!("assets/{name}.gz"));
        // The smallest files gain nothing from it.
        if !compressed.exists() {
            continue;
        }
        let path = format!("/board/assets/{name}");
        for (accepted, encoding, suffix) in [
            ("gzip, deflate, br", "br", ".br"),
            ("gzip", "gzip", ".gz"),
            ("gzip, br;q=0", "gzip", ".gz"),
        ] {
            let answer = ask(&server, Method::GET, &path, accepted).await;
            assert_eq!(answer.header("content-encoding"), encoding, "{accepted}");
            assert!(answer.header("vary").contains("accept-encoding"));
            assert_eq!(answer.bytes, bundled(&format!("assets/{name}{suffix}")));
        }
    }
}

/// What a browser loads before it shows the board: the files that the page names, compressed.
fn the_size() {
    let page = String::from_utf8(bundled("index.html")).unwrap();
    let names: Vec<_> = page
        .split('"')
        .filter_map(|part| part.strip_prefix("/board/assets/"))
        .collect();
    assert!(names.len() > 1, "{page}");
    let size: usize = names
        .iter()
        .map(|name| {
            let path = Path::new(DIST).join("assets");
            let compressed = fs::metadata(path.join(format!("{name}.gz")));
            let file = compressed.or_else(|_| fs::metadata(path.join(name)));
            usize::try_from(file.unwrap().len()).unwrap()
        })
        .sum();
    assert!(size <= FIRST_LOAD, "{size} bytes of {names:?}");
}

async fn nothing_else() {
    let server = Process::start(&["--board"]).await;
    let script = &assets(".js")[0];
    for path in [
        "/board/index.html",
        "/board/persisted-documents.json",
        "/board/persisted-documents.json.br",
        "/board/assets/",
        "/board/assets/none.js",
        "/board/assets/../persisted-documents.json",
        "/board/assets/%2e%2e/persisted-documents.json",
        "/board/assets/%2e%2e%2fpersisted-documents.json",
        "/board/assets/..%5cpersisted-documents.json",
        "/board/assets/%2e%2e%2f%2e%2e%2fpackage.json",
        "/board/assets//etc/passwd",
        "/board/assets/%2fetc%2fpasswd",
        &format!("/board/assets/./{script}"),
        "/board/../Cargo.toml",
    ] {
        // Clients tidy a path up before they send it.
        let answer = raw(&server, path).await;
        assert!(answer.starts_with("HTTP/1.1 404 "), "{path}: {answer}");
    }
    let found = raw(&server, &format!("/board/assets/{script}")).await;
    assert!(found.starts_with("HTTP/1.1 200 "), "{found}");
}

/// The head of the answer to a GET of these bytes.
async fn raw(server: &Process, path: &str) -> String {
    let address = server.url.split('/').nth(2).unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    let answer = String::from_utf8_lossy(&answer);
    answer.split("\r\n\r\n").next().unwrap().to_owned()
}

async fn documents() {
    let documents: Value = serde_json::from_slice(&bundled("persisted-documents.json")).unwrap();
    let documents = documents.as_object().unwrap();
    let (name, _) = documents
        .iter()
        .find(|(_, text)| text.as_str().unwrap().contains("query Totals"))
        .expect("the board asks for totals");
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("own.json");
    fs::write(&own, r#"{"own": "{ applicationStats { active } }"}"#).unwrap();
    let own = own.to_str().unwrap();
    let flags = [
        "--board",
        "--only-trusted-documents",
        "--trusted-documents",
        own,
    ];
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

fn hash(name: &str) -> Value {
    serde_json::json!({ "extensions": { "persistedQuery": { "version": 1, "sha256Hash": name } } })
}

async fn without_the_flag() {
    let plain = Process::start(&[]).await;
    for path in ["/", "/board", "/board/", "/board/icon.svg"] {
        assert_eq!(get(&plain, path).await.status, 404, "{path}");
    }
    // The other way to ask for it.
    let server = Process::start_with(&["--memory"], &[("TRESTLE_BOARD", "1")]).await;
    assert_eq!(get(&server, "/board/").await.status, 200);
    // The files are public, and what they show is not.
    let file = tempfile::NamedTempFile::new().unwrap();
    let key = ended(command(&["api-key", "someone"])).await;
    fs::write(file.path(), key.output).unwrap();
    let keys = file.path().to_str().unwrap();
    let locked = Process::start(&["--board", "--api-keys", keys]).await;
    assert_eq!(get(&locked, "/board/").await.status, 200);
    assert_eq!(locked.query("{ __typename }").await.status, 401);
}

async fn refusals() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let start = async |arguments: &[&str]| {
        let mut command = command(&["serve", "--listen", "127.0.0.1:0"]);
        command.env("TRESTLE_DATA", &data).args(arguments);
        ended(command).await
    };
    for services in ["graph-runs", "graph-runs,applications"] {
        let refused = start(&["--board", "--service", services]).await;
        assert!(!refused.success);
        let says = refused.log;
        assert!(says.contains("--service applications"), "{says}");
    }
    // A debug build looks for the bundle when it runs.
    if !Need::Bundle("examples/board").is_met() {
        let refused = start(&["--board"]).await;
        assert!(!refused.success);
        assert!(refused.log.contains("`just board`"), "{}", refused.log);
    }
    assert!(!data.exists(), "nothing is made before it is refused");
}
