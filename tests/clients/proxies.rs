//! The configurations of docs/behind-a-proxy.md, as their reader starts them: a real nginx and a real Caddy in front of the real binary.
//! Names of files, ports and the key are replaced, and nothing else.

use std::fs;
use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use libtest_mimic::{Failed, Trial};
use reqwest::header::{self, HeaderMap, HeaderValue};
use reqwest::{Client, RequestBuilder, Response, Version};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tungstenite::Message;
use tungstenite::protocol::Role;

use crate::prerequisites::{Need, trial};
use crate::process::{Process, command};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/behind-a-proxy.md");
/// The name that the page gives to the server.
pub const NAME: &str = "trestle.example.com";
/// A bound on waiting for what has to come, so that a test which fails ends.
const PATIENCE: Duration = Duration::from_secs(60);
const WATCH: &str = "subscription { applicationChanged { kind application { companyName } } }";

#[derive(Clone, Copy, Debug)]
enum Proxy {
    Nginx,
    Caddy,
}

/// What stands between the client and the server's authentication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Door {
    /// The client sends a key, which the server checks.
    Key,
    /// The client sends a password, which the proxy checks.
    Password,
    /// The server checks nothing.
    Open,
}

pub fn trials() -> Vec<Trial> {
    const NGINX: [Need; 2] = [Need::Program("nginx"), Need::Program("openssl")];
    const CADDY: [Need; 1] = [Need::Program("caddy")];
    let cases: [(&str, &[Need], Proxy, Door); 5] = [
        ("proxy_nginx", &NGINX, Proxy::Nginx, Door::Key),
        (
            "proxy_nginx_with_passwords",
            &NGINX,
            Proxy::Nginx,
            Door::Password,
        ),
        (
            "proxy_nginx_before_an_open_server",
            &NGINX,
            Proxy::Nginx,
            Door::Open,
        ),
        ("proxy_caddy", &CADDY, Proxy::Caddy, Door::Key),
        (
            "proxy_caddy_before_an_open_server",
            &CADDY,
            Proxy::Caddy,
            Door::Open,
        ),
    ];
    cases
        .map(|(name, needs, proxy, door)| trial(name, needs, move || run(passes(proxy, door))))
        .into()
}

fn run(test: impl Future<Output = Result<(), Failed>>) -> Result<(), Failed> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?
        .block_on(test)
}

/// The blocks of the page in a language.
fn blocks(language: &str) -> Result<Vec<String>, Failed> {
    let page = fs::read_to_string(PAGE)?;
    let fence = format!("```{language}\n");
    let blocks = page.split(&fence).skip(1);
    let blocks = blocks.filter_map(|rest| Some(rest.split_once("```")?.0.to_owned()));
    Ok(blocks.collect())
}

/// A part of a configuration that the test has to replace. The page has it, or the test is out of date.
fn replace(text: &str, from: &str, to: &str) -> Result<String, Failed> {
    if !text.contains(from) {
        return Err(format!("docs/behind-a-proxy.md has no `{from}`:\n{text}").into());
    }
    Ok(text.replace(from, to))
}

pub fn free_address() -> Result<SocketAddr, Failed> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?)
}

/// A path as text.
fn text(path: &Path) -> Result<&str, Failed> {
    Ok(path.to_str().ok_or("a path that is no text")?)
}

/// A new key: the line of the key file, and the key.
async fn api_key() -> Result<(String, String), Failed> {
    let made = command(&["api-key", "proxied", "--access", "write"])
        .output()
        .await?;
    let shown = String::from_utf8(made.stderr)?;
    let key = shown
        .split_whitespace()
        .find(|word| word.starts_with("trk_"));
    let key = key.ok_or("there is no key")?.to_owned();
    Ok((String::from_utf8(made.stdout)?, key))
}

/// nginx with the page's configuration, in a folder of its own.
pub async fn nginx(
    folder: &Path,
    address: SocketAddr,
    server: &str,
    password_key: Option<&str>,
) -> Result<Command, Failed> {
    let all = blocks("nginx")?;
    let [site, with_password] = all.as_slice() else {
        return Err("the page has a site and a location with a password".into());
    };
    let mut site = site.clone();
    if let Some(key) = password_key {
        let start = site
            .find("    location / {")
            .ok_or("the site has no location")?;
        let location = replace(with_password, "trk_...", key)?;
        let users = folder.join("users");
        fs::write(&users, "ada:{PLAIN}secret\n")?;
        let location = replace(&location, "/etc/nginx/trestle.htpasswd", text(&users)?)?;
        site.replace_range(start.., &format!("{location}}}\n"));
    }
    let certificate = folder.join("fullchain.pem");
    let key = folder.join("privkey.pem");
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
        ])
        .args(["-nodes", "-days", "2", "-subj", &format!("/CN={NAME}")])
        .args(["-keyout", text(&key)?, "-out", text(&certificate)?])
        .output()
        .await?;
    if !made.status.success() {
        return Err(String::from_utf8_lossy(&made.stderr).into_owned().into());
    }
    site = replace(
        &site,
        "/etc/letsencrypt/live/trestle.example.com",
        text(folder)?,
    )?;
    site = replace(&site, "listen 443", &format!("listen {address}"))?;
    site = replace(&site, "127.0.0.1:8000", server)?;
    let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|kind| format!("{kind}_temp_path {}/{kind};\n", folder.display()))
        .concat();
    // One process without children, which ends with this test.
    let configuration = format!(
        "daemon off;\nmaster_process off;\npid {}/pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n{temporary}{site}}}\n",
        folder.display()
    );
    let file = folder.join("nginx.conf");
    fs::write(&file, configuration)?;
    let mut command = Command::new(Need::path_of("nginx").ok_or("no nginx")?);
    command.args(["-p", text(folder)?, "-e", "stderr", "-c", text(&file)?]);
    Ok(command)
}

/// Caddy with the page's configuration and a certificate of its own instead of a public one.
fn caddy(folder: &Path, address: SocketAddr, server: &str) -> Result<Command, Failed> {
    let all = blocks("caddy")?;
    let [site] = all.as_slice() else {
        return Err("the page has one configuration of Caddy".into());
    };
    let named = format!("{NAME}:{} {{\n\tbind {}\n", address.port(), address.ip());
    let site = replace(site, &format!("{NAME} {{\n"), &named)?;
    let site = replace(&site, "127.0.0.1:8000", server)?;
    let options =
        "{\n\tadmin off\n\tlocal_certs\n\tskip_install_trust\n\tauto_https disable_redirects\n}\n";
    let file = folder.join("Caddyfile");
    fs::write(&file, format!("{options}{site}"))?;
    let mut command = Command::new(Need::path_of("caddy").ok_or("no caddy")?);
    command
        .args(["run", "--adapter", "caddyfile", "--config", text(&file)?])
        .envs([
            ("HOME", folder),
            ("XDG_DATA_HOME", folder),
            ("XDG_CONFIG_HOME", folder),
        ]);
    Ok(command)
}

/// A proxy, and where it writes its log. Dropping it ends the process.
pub struct Running {
    process: Child,
    log: PathBuf,
}

impl Running {
    pub fn start(mut command: Command, folder: &Path) -> Result<Self, Failed> {
        let log = folder.join("log");
        let process = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(&log)?)
            .kill_on_drop(true)
            .spawn()?;
        Ok(Self { process, log })
    }

    /// The answer to the first request that the proxy takes: it may listen before it has its certificate.
    pub async fn first_answer(&mut self, request: &RequestBuilder) -> Result<Response, Failed> {
        loop {
            let request = request.try_clone().ok_or("a body that is a stream")?;
            let error = match request.send().await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            if self.process.try_wait()?.is_some() {
                let log = fs::read_to_string(&self.log)?;
                return Err(format!("{error:?}, and the proxy ended: {log}").into());
            }
            tokio::task::yield_now().await;
        }
    }
}

/// What a client sends to the server through a proxy.
struct Proxied {
    client: Client,
    origin: String,
    credentials: HeaderMap,
}

impl Proxied {
    fn post(&self, body: &Value) -> RequestBuilder {
        self.client
            .post(format!("{}/graphql", self.origin))
            .headers(self.credentials.clone())
            .json(body)
    }

    async fn create(&self, company: &str, notes: &str) -> Result<Response, Failed> {
        let query = "mutation($company: String!, $notes: String) { createApplication(input: { companyName: $company, positionTitle: \
             \"Engineer\", status: APPLIED, notes: $notes }) { application { companyName } userErrors { message } } }";
        let variables = json!({ "company": company, "notes": notes });
        let answer = self.post(&json!({ "query": query, "variables": variables }));
        Ok(answer.send().await?)
    }
}

/// Everything that a client does, through a proxy in front of a server.
async fn passes(proxy: Proxy, door: Door) -> Result<(), Failed> {
    let folder = TempDir::new()?;
    let (line, key) = api_key().await?;
    let keys = folder.path().join("api-keys");
    fs::write(&keys, line)?;
    let public = format!("https://{NAME}");
    let mut flags = vec!["--trusted-proxies", "1", "--public-url", &public];
    if door != Door::Open {
        flags.extend(["--api-keys", text(&keys)?]);
    }
    let server = Process::start(&flags).await;
    let behind = server.url.trim_start_matches("http://");
    let behind = behind
        .split('/')
        .next()
        .ok_or("the server has an address")?;
    let address = free_address()?;
    let command = match proxy {
        Proxy::Nginx => {
            let password_key = (door == Door::Password).then_some(&*key);
            nginx(folder.path(), address, behind, password_key).await?
        }
        Proxy::Caddy => caddy(folder.path(), address, behind)?,
    };
    let mut running = Running::start(command, folder.path())?;

    let mut credentials = HeaderMap::new();
    match door {
        Door::Key => {
            let bearer = HeaderValue::try_from(format!("Bearer {key}"))?;
            credentials.insert(header::AUTHORIZATION, bearer);
        }
        // `ada:secret`.
        Door::Password => {
            let basic = HeaderValue::from_static("Basic YWRhOnNlY3JldA==");
            credentials.insert(header::AUTHORIZATION, basic);
        }
        Door::Open => {}
    }
    let client = || {
        Client::builder()
            .no_proxy()
            .tls_danger_accept_invalid_certs(true)
            .resolve(NAME, address)
    };
    let proxied = Proxied {
        client: client().build()?,
        origin: format!("https://{NAME}:{}", address.port()),
        credentials,
    };
    let health = proxied.client.get(format!("{}/readyz", proxied.origin));
    let health = health.headers(proxied.credentials.clone());
    let health = timeout(PATIENCE, running.first_answer(&health)).await;
    let health = health.map_err(|_| "the proxy answers nothing")??;
    assert_eq!(health.status(), 200, "{:?}", health.text().await);
    if door == Door::Open {
        let refused = proxied.create("Visa", "").await?;
        assert_eq!(refused.status(), 403);
        let why: Value = serde_json::from_str(&refused.text().await?)?;
        let why = why["errors"][0]["message"].to_string();
        assert!(why.contains("came through a proxy"), "{why}");
        return Ok(());
    }

    let without = proxied.client.post(format!("{}/graphql", proxied.origin));
    let without = without
        .json(&json!({ "query": "{ __typename }" }))
        .send()
        .await?;
    assert_eq!(without.status(), 401, "a request without credentials");
    answers_queries(&proxied).await?;
    streams_events(&proxied).await?;
    let upgraded = Proxied {
        client: client().http1_only().build()?,
        ..proxied
    };
    connects_web_sockets(&upgraded).await
}

/// A mutation with a body of nearly the largest size, and an answer with the server's mark.
async fn answers_queries(proxied: &Proxied) -> Result<(), Failed> {
    let created = proxied.create("Visa", "").await?;
    assert_eq!(
        created.headers().get("x-trestle-answer"),
        Some(&HeaderValue::from_static("graphql"))
    );
    let created = created.text().await?;
    assert!(created.contains(r#""companyName":"Visa""#), "{created}");
    // What is beyond the server's limit is refused by the server, with its message, and not by the proxy.
    for (length, expected) in [(1_000_000, 200), (1_100_000, 413)] {
        let answer = proxied.create("Large", &"n".repeat(length)).await?;
        let (status, text) = (answer.status(), answer.text().await?);
        assert_eq!(status, expected, "{length} bytes: {text}");
        assert!(serde_json::from_str::<Value>(&text).is_ok(), "{text}");
    }
    // A page of the server's own origin, at a port that is not the default one.
    let query = proxied
        .client
        .get(format!("{}/graphql?query={{__typename}}", proxied.origin));
    let query = query.headers(proxied.credentials.clone());
    let query = query.header(header::ORIGIN, &proxied.origin).send().await?;
    assert_eq!(query.status(), 200, "{:?}", query.text().await);
    Ok(())
}

/// The first event arrives while the stream is open.
async fn streams_events(proxied: &Proxied) -> Result<(), Failed> {
    let stream = proxied.post(&json!({ "query": WATCH }));
    let opening = stream.header(header::ACCEPT, "text/event-stream").send();
    let mut opening = std::pin::pin!(opening);
    // Over HTTP/2, nginx sends the head of a stream with its first event, so changes are made until it is there.
    let mut stream = loop {
        tokio::select! {
            opened = &mut opening => break opened?,
            created = proxied.create("Streamed", "") => assert_eq!(created?.status(), 200),
        }
    };
    assert_eq!(stream.status(), 200);
    let created = proxied.create("Streamed", "").await?;
    assert_eq!(created.status(), 200);
    let mut read = String::new();
    while !read.contains(r#""companyName":"Streamed""#) {
        let chunk = timeout(PATIENCE, stream.chunk())
            .await
            .map_err(|_| format!("no event: {read}"))??;
        let chunk = chunk.ok_or_else(|| format!("the stream ended: {read}"))?;
        read.push_str(&String::from_utf8_lossy(&chunk));
    }
    assert!(!read.contains("event: complete"), "{read}");
    Ok(())
}

/// A page of the server's own origin opens a WebSocket and is told of a change.
async fn connects_web_sockets(proxied: &Proxied) -> Result<(), Failed> {
    let request = proxied
        .client
        .get(format!("{}/graphql", proxied.origin))
        .version(Version::HTTP_11)
        .headers(proxied.credentials.clone())
        .header(header::ORIGIN, &proxied.origin)
        .header(header::CONNECTION, "Upgrade")
        .header(header::UPGRADE, "websocket")
        .header(header::SEC_WEBSOCKET_VERSION, "13")
        .header(header::SEC_WEBSOCKET_KEY, "dGhlIHNhbXBsZSBub25jZQ==")
        .header(header::SEC_WEBSOCKET_PROTOCOL, "graphql-transport-ws");
    let response = request.send().await?;
    assert_eq!(response.status(), 101, "{:?}", response.headers());
    let upgraded = response.upgrade().await?;
    let mut socket = WebSocketStream::from_raw_socket(upgraded, Role::Client, None).await;
    let subscribe = json!({ "type": "subscribe", "id": "1", "payload": { "query": WATCH } });
    // The answer to the ping says that the subscription runs.
    let messages = [
        json!({ "type": "connection_init" }),
        subscribe,
        json!({ "type": "ping" }),
    ];
    for message in messages {
        socket.send(Message::text(message.to_string())).await?;
    }
    let mut created = false;
    loop {
        let message = timeout(PATIENCE, socket.next())
            .await
            .map_err(|_| "no message")?;
        let message = message.ok_or("the connection ended")??;
        let Message::Text(text) = message else {
            continue;
        };
        if text.contains(r#""pong""#) && !created {
            assert_eq!(proxied.create("Pushed", "").await?.status(), 200);
            created = true;
        }
        if text.contains(r#""companyName":"Pushed""#) {
            return Ok(());
        }
    }
}
