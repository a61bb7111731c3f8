//! docs/team.md and docs/someone-leaves.md, followed to the letter: each command is run as it is written, in a folder that stands for
//! the machine's. Programs that only root may run, and systemd, are replaced by ones that note what they were asked.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use libtest_mimic::{Failed, Trial};
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::prerequisites::{Need, trial};
use crate::process::{Process, command, command_of};
use crate::proxies::{NAME, Running, free_address, nginx};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// Folders of the machine that the pages name.
const FOLDERS: [&str; 5] = [
    "/etc/trestle",
    "/etc/systemd/system",
    "/usr/local/bin",
    "/var/lib/trestle",
    "/var/tmp",
];

pub fn trials() -> Vec<Trial> {
    let needs = [Need::Program("nginx"), Need::Program("openssl")];
    vec![trial("team_page_is_followed", &needs, || {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        runtime.enable_all().build()?.block_on(followed())
    })]
}

/// A folder that stands for a machine.
struct Machine {
    folder: TempDir,
}

impl Machine {
    /// With the folders that Debian has, and with stubs of programs that need root.
    fn new() -> Result<Self, Failed> {
        let machine = Self {
            folder: TempDir::new()?,
        };
        for folder in FOLDERS.iter().filter(|folder| **folder != "/etc/trestle") {
            fs::create_dir_all(machine.path(folder))?;
        }
        let programs = machine.path("/stubs");
        fs::create_dir_all(&programs)?;
        for (name, script) in [
            ("useradd", "exit 0"),
            ("systemctl", "exit 0"),
            ("nginx", "exit 0"),
            // The group and the user are not there.
            (
                "install",
                "set -- $(echo \"$@\" | sed 's/-[go] trestle//g'); exec /usr/bin/install \"$@\"",
            ),
            ("runuser", "shift 3; exec \"$@\""),
        ] {
            let file = programs.join(name);
            let note = machine.path("/calls");
            fs::write(
                &file,
                format!(
                    "#!/bin/sh\necho {name} \"$@\" >> {}\n{script}\n",
                    note.display()
                ),
            )?;
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755))?;
        }
        Ok(machine)
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path.trim_start_matches('/'))
    }

    /// A text of the page with the folders of this machine.
    fn here(&self, text: &str) -> String {
        let binary = env!("CARGO_BIN_EXE_trestle");
        let mut text = text.replace("target/release/trestle", binary);
        for folder in FOLDERS {
            text = text.replace(folder, &self.path(folder).display().to_string());
        }
        text
    }

    /// Runs a block of the page; what it printed and what it said.
    async fn run(&self, block: &str) -> Result<(String, String), Failed> {
        let mut shell = command_of("sh".as_ref(), &["-eu", "-c", &self.here(block)]);
        let programs = [self.path("/stubs"), self.path("/usr/local/bin")];
        let programs = programs.map(|path| path.display().to_string()).join(":");
        let path = std::env::var("PATH")?;
        shell
            .current_dir(ROOT)
            .env("PATH", format!("{programs}:{path}"));
        let ended = shell.output().await?;
        let (out, err) = (
            String::from_utf8(ended.stdout)?,
            String::from_utf8(ended.stderr)?,
        );
        if !ended.status.success() {
            return Err(format!("{block}\n{out}{err}").into());
        }
        Ok((out, err))
    }
}

/// The blocks of a language below a heading of a page.
fn blocks(page: &str, heading: &str, language: &str) -> Result<Vec<String>, Failed> {
    let page = fs::read_to_string(Path::new(ROOT).join("docs").join(page))?;
    let (_, section) = page
        .split_once(heading)
        .ok_or_else(|| format!("no {heading}"))?;
    let section = section.split("\n## ").next().unwrap_or(section);
    let fence = format!("```{language}\n");
    let blocks = section.split(&fence).skip(1);
    Ok(blocks
        .filter_map(|rest| Some(rest.split_once("```")?.0.to_owned()))
        .collect())
}

/// The keys that a block has printed.
fn keys(shown: &str) -> Vec<String> {
    let words = shown.split_whitespace();
    words
        .filter(|word| word.starts_with("trk_"))
        .map(str::to_owned)
        .collect()
}

/// The server as the unit starts it, with the settings of the page.
async fn server(machine: &Machine) -> Result<Process, Failed> {
    let unit = fs::read_to_string(machine.path("/etc/systemd/system/trestle.service"))?;
    let settings = fs::read_to_string(machine.path("/etc/trestle/trestle.env"))?;
    let of_unit = unit
        .lines()
        .filter_map(|line| line.strip_prefix("Environment="));
    let mut serve = command(&["serve", "--listen", "127.0.0.1:0"]);
    for variable in of_unit.chain(settings.lines()) {
        let (name, value) = variable.split_once('=').ok_or("a variable has a value")?;
        if name != "TRESTLE_LISTEN" {
            serve.env(name, machine.here(value));
        }
    }
    Ok(Process::run(serve).await)
}

/// A person, or a program, at the public address.
struct Person<'m> {
    client: &'m Client,
    origin: &'m str,
    key: String,
}

impl Person<'_> {
    async fn ask(&self, query: &str) -> Result<(StatusCode, Value), Failed> {
        let request = self.client.post(format!("{}/graphql", self.origin));
        let request = request.header("x-api-key", &self.key);
        let answer = request.json(&json!({ "query": query })).send().await?;
        let status = answer.status();
        Ok((status, answer.json().await?))
    }

    async fn create(&self, company: &str) -> Result<(), Failed> {
        let query = format!(
            "mutation {{ createApplication(input: {{ companyName: \"{company}\", positionTitle: \"t\", status: APPLIED }})
             {{ application {{ id }} }} }}"
        );
        let (_, answer) = self.ask(&query).await?;
        assert!(
            answer["data"]["createApplication"]["application"]["id"].is_string(),
            "{answer}"
        );
        Ok(())
    }

    async fn companies(&self) -> Result<Value, Failed> {
        let query = "{ applications(first: 10) { edges { node { companyName } } } }";
        let (status, answer) = self.ask(query).await?;
        if status != StatusCode::OK {
            return Ok(json!(status.as_u16()));
        }
        let edges = answer["data"]["applications"]["edges"].as_array().cloned();
        let names = edges.unwrap_or_default();
        Ok(names
            .iter()
            .map(|edge| edge["node"]["companyName"].clone())
            .collect())
    }

    async fn get(&self, path: &str) -> Result<(StatusCode, String), Failed> {
        let request = self.client.get(format!("{}{path}", self.origin));
        let answer = request.header("x-api-key", &self.key).send().await?;
        Ok((answer.status(), answer.text().await?))
    }
}

async fn followed() -> Result<(), Failed> {
    let machine = Machine::new()?;
    let setting_up = blocks("team.md", "## The server", "sh")?;
    let [install, first_keys] = &setting_up[..] else {
        return Err("the server has two blocks".into());
    };
    machine.run(install).await?;
    let settings = blocks("team.md", "## The server", "ini")?.concat();
    fs::write(machine.path("/etc/trestle/trestle.env"), settings)?;
    let (_, shown) = machine.run(first_keys).await?;
    let [ada, prometheus] = &keys(&shown)[..] else {
        return Err(format!("two keys: {shown}").into());
    };
    let server = server(&machine).await?;

    machine
        .run(&blocks("team.md", "## nginx", "sh")?.concat())
        .await?;
    let calls = fs::read_to_string(machine.path("/calls"))?;
    for call in [
        "systemctl enable --now trestle",
        "nginx -t",
        "systemctl reload nginx",
    ] {
        assert!(calls.contains(call), "{calls}");
    }
    let address = free_address()?;
    let behind = server.url.trim_start_matches("http://");
    let behind = behind.split('/').next().unwrap_or_default();
    let proxy_folder = machine.path("/nginx");
    fs::create_dir_all(&proxy_folder)?;
    let proxy = nginx(&proxy_folder, address, behind, None).await?;
    let mut proxy = Running::start(proxy, &proxy_folder)?;
    let client = Client::builder()
        .no_proxy()
        .tls_danger_accept_invalid_certs(true)
        .resolve(NAME, address)
        .build()?;
    let origin = format!("https://{NAME}:{}", address.port());
    let person = |key: &str| Person {
        client: &client,
        origin: &origin,
        key: key.to_owned(),
    };
    let ready = proxy
        .first_answer(&client.get(format!("{origin}/readyz")))
        .await?;
    assert_eq!(ready.status(), 200);
    let (ada, prometheus) = (person(ada), person(prometheus));
    ada.create("Acme").await?;

    // Someone joins: the server reads the file while it runs.
    let (_, shown) = machine
        .run(&blocks("team.md", "## Someone joins", "sh")?.concat())
        .await?;
    let bens = keys(&shown);
    assert_eq!(bens.len(), 2, "{shown}");
    let ben = person(&bens[0]);
    // The block adds a key after the other, and the server may read the file in between.
    for key in &bens {
        while person(key).companies().await? != json!([]) {}
    }
    ben.create("Globex").await?;
    assert_eq!(ben.companies().await?, json!(["Globex"]));
    assert_eq!(person(&bens[1]).companies().await?, json!(["Globex"]));
    assert_eq!(ada.companies().await?, json!(["Acme"]));
    let create = "mutation { createCalendarAddress(input: {}) { url path } }";
    let (_, made) = ben.ask(create).await?;
    let made = &made["data"]["createCalendarAddress"];
    let path = made["path"].as_str().ok_or("a path")?;
    assert_eq!(made["url"], json!(format!("https://{NAME}{path}")));
    assert_eq!(ben.get(path).await?.0, 200);
    let (status, page) = prometheus.get("/metrics").await?;
    assert_eq!(status, 200);
    for metric in [
        "trestle_ready 1",
        "trestle_store_free_bytes{",
        "trestle_files_unusable 0",
    ] {
        assert!(page.contains(metric), "{metric}: {page}");
    }

    // The drill, of a backup that has what both have stored: a server that starts makes one.
    let ended = server.stop().await;
    assert!(ended.success, "{}", ended.log);
    fs::remove_dir_all(machine.path("/var/lib/trestle/backups"))?;
    let again = self::server(&machine).await?;
    let backups = machine.path("/var/lib/trestle/backups");
    while fs::read_dir(&backups).map_or(0, |entries| {
        let tars = entries
            .flatten()
            .filter(|entry| entry.path().extension().is_some_and(|end| end == "tar"));
        tars.count()
    }) == 0
    {
        tokio::task::yield_now().await;
    }
    let drill = blocks("team.md", "## Backup and the restore drill", "sh")?.concat();
    let (shown, _) = machine.run(&drill).await?;
    assert!(shown.contains("Nothing is damaged."), "{shown}");
    assert!(shown.contains("2 "), "two applications: {shown}");
    assert!(!machine.path("/var/tmp/drill").exists());

    // Someone leaves.
    let direct = again.url.replace("/graphql", "");
    let leaving = blocks("someone-leaves.md", "# Someone leaves", "sh")?;
    let [leave, keep] = &leaving[..] else {
        return Err("someone leaves in two blocks".into());
    };
    let at_home = |key: &str| Person {
        client: &client,
        origin: &direct,
        key: key.to_owned(),
    };
    let (ada, ben) = (at_home(&ada.key), at_home(&ben.key));
    assert_eq!(ben.get(path).await?.0, 200);
    machine.run(leave).await?;
    assert_eq!(ben.get(path).await?.0, 404);
    while ben.companies().await? != json!(401) {}
    assert_eq!(at_home(&bens[1]).companies().await?, json!(401));
    assert_eq!(ada.companies().await?, json!(["Acme"]));
    machine.run(keep).await?;
    let kept = fs::read_to_string(machine.path("/var/lib/trestle/ben.ndjson"))?;
    assert!(kept.contains("Globex") && !kept.contains("Acme"), "{kept}");
    let ended = again.stop().await;
    assert!(ended.success, "{}", ended.log);
    lost(&machine, &backups).await
}

/// The machine is lost with all but its copies: the newest backup, from before somebody left, is restored.
async fn lost(machine: &Machine, backups: &Path) -> Result<(), Failed> {
    let copies = fs::read_dir(backups)?.flatten().map(|entry| entry.path());
    let newest = copies.filter(|path| path.extension().is_some_and(|end| end == "tar"));
    let newest = newest.max().ok_or("a backup")?;
    fs::copy(newest, machine.path("/var/tmp/copy.tar"))?;
    fs::remove_dir_all(machine.path("/var/lib/trestle"))?;
    let restore = blocks("team.md", "## The machine is lost", "sh")?.concat();
    machine.run(&restore).await?;
    let check = "trestle store check --data /var/lib/trestle/data";
    let (shown, _) = machine.run(check).await?;
    assert!(shown.contains("Nothing is damaged."), "{shown}");
    let leave = blocks("someone-leaves.md", "# Someone leaves", "sh")?;
    machine
        .run("trestle api-key ben-laptop --access write --owner ben >> /etc/trestle/api-keys")
        .await?;
    machine.run(&leave[0]).await?;
    let ended = server(machine).await?.stop().await;
    assert!(ended.success, "{}", ended.log);
    Ok(())
}
