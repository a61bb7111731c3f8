//! The files of a bundled front end as the binary serves them. Knows no page, and no browser.

use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::Failed;
use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::process::Process;

/// A front end of `examples`.
#[derive(Clone, Copy)]
pub struct Bundle {
    /// Its folder: `examples/board`.
    pub folder: &'static str,
    /// Where it is served: `/board/`.
    pub path: &'static str,
    /// What asks for it.
    pub flags: &'static [&'static str],
}

/// Runs a test to its end.
pub fn on(test: impl Future<Output = ()>) -> Result<(), Failed> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(test);
    Ok(())
}

/// An answer with its bytes.
pub struct Answer {
    pub status: u16,
    headers: HeaderMap,
    pub bytes: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().unwrap())
    }
}

/// Asks for a path as it is written, and follows nowhere.
pub async fn ask(server: &Process, method: Method, path: &str, encoding: &str) -> Answer {
    let request = client().request(method, server.at(path));
    answer(request.header("accept-encoding", encoding)).await
}

/// Asks for a page as a browser does, and follows nowhere.
pub async fn page_of(server: &Process, path: &str) -> Answer {
    let request = client().get(server.at(path));
    answer(request.header("accept", "text/html")).await
}

fn client() -> Client {
    let client = Client::builder().no_proxy().redirect(Policy::none());
    client.build().unwrap()
}

async fn answer(request: RequestBuilder) -> Answer {
    let response = request.send().await.unwrap();
    Answer {
        status: response.status().as_u16(),
        headers: response.headers().clone(),
        bytes: response.bytes().await.unwrap().to_vec(),
    }
}

/// Asks for a path without compression.
pub async fn get(server: &Process, path: &str) -> Answer {
    ask(server, Method::GET, path, "identity").await
}

impl Bundle {
    fn dist(self) -> PathBuf {
        let name = Path::new(self.folder).file_name().unwrap();
        Path::new(trestle_pages::FOLDER).join(name)
    }

    /// A file that the bundler left.
    pub fn bundled(self, name: &str) -> Vec<u8> {
        fs::read(self.dist().join(name)).unwrap()
    }

    /// The policy that the front end's README asks for.
    fn policy(self) -> String {
        let readme = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(self.folder)
            .join("README.md");
        let readme = fs::read_to_string(readme).unwrap();
        let policy = readme
            .lines()
            .find_map(|line| line.strip_prefix("    default-src"));
        format!("default-src{}", policy.expect("README.md names a policy"))
    }

    /// The names of the bundle's files with this ending, below `assets`.
    fn assets(self, ending: &str) -> Vec<String> {
        let names = fs::read_dir(self.dist().join("assets")).unwrap();
        let mut names: Vec<_> = names
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.retain(|name| name.ends_with(ending));
        assert!(!names.is_empty(), "nothing ends in {ending}");
        names
    }

    /// The page is under its policy.
    pub async fn the_page(self) {
        let server = Process::start(self.flags).await;
        let path = self.path;
        let policy = self.policy();
        let page = get(&server, path).await;
        assert_eq!(page.status, 200);
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
        assert_eq!(page.header("cache-control"), "no-cache");
        assert_eq!(page.header("content-security-policy"), policy);
        assert_eq!(page.header("x-content-type-options"), "nosniff");
        assert_eq!(page.header("x-frame-options"), "DENY");
        assert_eq!(page.bytes, self.bundled("index.html"));
        let head = ask(&server, Method::HEAD, path, "identity").await;
        assert_eq!((head.status, head.bytes.len()), (200, 0));
        assert_eq!(head.header("content-security-policy"), policy);
        let post = ask(&server, Method::POST, path, "identity").await;
        assert_eq!(post.status, 405);
        let answer = get(&server, path.trim_end_matches('/')).await;
        assert_eq!((answer.status, answer.header("location")), (307, path));
        let icon = get(&server, &format!("{path}icon.svg")).await;
        assert_eq!(icon.header("content-type"), "image/svg+xml");
        assert_eq!(icon.header("cache-control"), "no-cache");
        assert_eq!(icon.bytes, self.bundled("icon.svg"));
    }

    /// Files are cached for good, and compressed as the client takes them.
    pub async fn the_files(self) {
        let server = Process::start(self.flags).await;
        for (ending, content_type) in [
            (".js", "text/javascript; charset=utf-8"),
            (".css", "text/css; charset=utf-8"),
            (".woff2", "font/woff2"),
        ] {
            for name in self.assets(ending) {
                let path = format!("{}assets/{name}", self.path);
                for method in [Method::GET, Method::HEAD] {
                    let answer = ask(&server, method.clone(), &path, "identity").await;
                    assert_eq!(answer.status, 200, "{path}");
                    assert_eq!(answer.header("content-type"), content_type);
                    let caching = "public, max-age=31536000, immutable";
                    assert_eq!(answer.header("cache-control"), caching);
                    assert_eq!(answer.header("x-content-type-options"), "nosniff");
                    if method == Method::GET {
                        assert_eq!(answer.bytes, self.bundled(&format!("assets/{name}")));
                    }
                }
            }
        }
        for name in [self.assets(".js"), self.assets(".css")].concat() {
            let compressed = self.dist().join(format!("assets/{name}.gz"));
            // The smallest files gain nothing from it.
            if !compressed.exists() {
                continue;
            }
            let path = format!("{}assets/{name}", self.path);
            for (accepted, encoding, suffix) in [
                ("gzip, deflate, br", "br", ".br"),
                ("gzip", "gzip", ".gz"),
                ("gzip, br;q=0", "gzip", ".gz"),
            ] {
                let answer = ask(&server, Method::GET, &path, accepted).await;
                assert_eq!(answer.header("content-encoding"), encoding, "{accepted}");
                assert!(answer.header("vary").contains("accept-encoding"));
                assert_eq!(
                    answer.bytes,
                    self.bundled(&format!("assets/{name}{suffix}"))
                );
            }
        }
    }

    /// What a browser loads before it shows the page has at most so many bytes: the files that the page names, compressed.
    pub fn the_size(self, most: usize) {
        let page = String::from_utf8(self.bundled("index.html")).unwrap();
        let names: Vec<_> = page
            .split('"')
            .filter_map(|part| part.strip_prefix(self.path)?.strip_prefix("assets/"))
            .collect();
        assert!(names.len() > 1, "{page}");
        let size: usize = names
            .iter()
            .map(|name| {
                let path = self.dist().join("assets");
                let compressed = fs::metadata(path.join(format!("{name}.gz")));
                let file = compressed.or_else(|_| fs::metadata(path.join(name)));
                usize::try_from(file.unwrap().len()).unwrap()
            })
            .sum();
        assert!(size <= most, "{size} bytes of {names:?}");
    }

    /// Nothing but the page, its icon and its assets is served.
    pub async fn nothing_else(self) {
        let server = Process::start(self.flags).await;
        let base = self.path;
        let script = &self.assets(".js")[0];
        for path in [
            &format!("{base}index.html"),
            &format!("{base}persisted-documents.json"),
            &format!("{base}persisted-documents.json.br"),
            &format!("{base}assets/"),
            &format!("{base}assets/none.js"),
            &format!("{base}assets/../persisted-documents.json"),
            &format!("{base}assets/%2e%2e/persisted-documents.json"),
            &format!("{base}assets/%2e%2e%2fpersisted-documents.json"),
            &format!("{base}assets/..%5cpersisted-documents.json"),
            &format!("{base}assets/%2e%2e%2f%2e%2e%2fpackage.json"),
            &format!("{base}assets//etc/passwd"),
            &format!("{base}assets/%2fetc%2fpasswd"),
            &format!("{base}assets/./{script}"),
            &format!("{base}../Cargo.toml"),
        ] {
            // Clients tidy a path up before they send it.
            let answer = raw(&server, path).await;
            assert!(answer.starts_with("HTTP/1.1 404 "), "{path}: {answer}");
        }
        let found = raw(&server, &format!("{base}assets/{script}")).await;
        assert!(found.starts_with("HTTP/1.1 200 "), "{found}");
    }
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
