//! The commands of the documents, as their readers type them: each is understood, and each server starts.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::commands::run::Folder;

/// A command of a document.
struct Typed {
    document: String,
    /// The arguments and what the shell makes of them, after the name of the binary.
    arguments: String,
}

/// The documents that a reader follows.
fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = fs::read_dir(root.join("docs")).unwrap();
    let docs = docs.map(|entry| entry.unwrap().path());
    let mut documents: Vec<_> = docs
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        // Its service is built by the reader.
        .filter(|path| !path.ends_with("adding-a-service.md"))
        .chain(["README.md", "SECURITY.md"].map(|name| root.join(name)))
        .collect();
    documents.sort();
    documents
}

/// Every `trestle ...` and `cargo run ... -- ...` of the shell blocks of a document.
fn commands(path: &Path) -> Vec<Typed> {
    let text = fs::read_to_string(path).unwrap();
    let document = path.file_name().unwrap().to_str().unwrap();
    let blocks = text.split("```sh\n").skip(1);
    let blocks = blocks.map(|block| block.split("```").next().unwrap().replace("\\\n", " "));
    let lines: Vec<_> = blocks
        .flat_map(|block| block.lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let arguments = lines.iter().filter_map(|line| {
        let line = line.split(" #").next().unwrap().trim();
        line.strip_prefix("trestle ").or_else(|| {
            line.strip_prefix("cargo run ")?
                .split_once(" -- ")
                .map(|it| it.1)
        })
    });
    arguments
        .map(|arguments| Typed {
            document: document.to_owned(),
            arguments: arguments.to_owned(),
        })
        .collect()
}

/// A shell in a folder of its own, in which `trestle` is the binary and nothing of the developer's is set.
pub(super) fn shell(folder: &Path, script: &str) -> Command {
    let mut shell = Command::new("sh");
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if ["TRESTLE_", "AWS_", "OTEL_"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
        {
            shell.env_remove(&*name);
        }
    }
    let binary = env!("CARGO_BIN_EXE_trestle");
    shell
        .args(["-c", &script.replace("trestle!", binary)])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    shell
}

#[test]
fn every_command_of_the_documents_is_understood() {
    let all: Vec<_> = documents().iter().flat_map(|path| commands(path)).collect();
    assert!(all.len() > 30, "the documents have commands");
    let folder = Folder::new();
    for Typed {
        document,
        arguments,
    } in all
    {
        // What is wrong before the flag is refused before the help is shown.
        let (own, rest) = match arguments.find(" >") {
            Some(at) => arguments.split_at(at),
            None => (&*arguments, ""),
        };
        let script = format!("trestle! {own} --help");
        let ended = shell(&folder.path(""), &script).output().unwrap();
        let err = String::from_utf8_lossy(&ended.stderr);
        assert!(
            ended.status.success(),
            "{document}: trestle {own}{rest}\n{err}"
        );
    }
}

/// The documents' servers: not those that need AWS, an identity provider, or a folder of the system.
fn servers() -> Vec<Typed> {
    let all = documents().into_iter().flat_map(|path| commands(&path));
    let needs = ["--aws", "--jwt", "/var/"];
    all.filter(|typed| typed.arguments.starts_with("serve"))
        .filter(|typed| !needs.iter().any(|need| typed.arguments.contains(need)))
        .collect()
}

#[test]
fn every_server_of_the_documents_starts() {
    let servers = servers();
    assert!(servers.len() > 5, "the documents start servers");
    for Typed {
        document,
        arguments,
    } in servers
    {
        let folder = Folder::new();
        // The documents make keys before they start a server with them.
        let keys = "trestle! api-key me --access write --owner ada > api-keys";
        assert!(shell(&folder.path(""), keys).status().unwrap().success());
        let keys_without_owners =
            arguments.contains("--api-keys") && !arguments.contains("--tenancy");
        if keys_without_owners {
            let keys = "trestle! api-key me --access write > api-keys";
            assert!(shell(&folder.path(""), keys).status().unwrap().success());
        }
        let free = "--listen 127.0.0.1:0";
        let arguments = match arguments.split_once("--listen ") {
            Some((before, after)) => {
                let after = after.split_once(' ').map_or("", |it| it.1);
                format!("{before}{free} {after}")
            }
            None => format!("{arguments} {free}"),
        };
        let mut server = shell(&folder.path(""), &format!("exec trestle! {arguments}"))
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(server.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        server.kill().unwrap();
        let ended = server.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&ended.stderr);
        assert!(
            line.contains("http://127.0.0.1:"),
            "{document}: trestle {arguments}\n{line}{err}"
        );
    }
}

/// The text of the first answer of a process of the shell that has it, so that a test need not wait for time to pass.
fn first_line(server: &mut std::process::Child) -> String {
    let mut line = String::new();
    let out = server.stdout.as_mut().unwrap();
    BufReader::new(out).read_line(&mut line).unwrap();
    line
}

#[test]
fn the_first_day_of_collab_hub_runs_as_it_is_written() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/collab-hub.md");
    let text = fs::read_to_string(path).unwrap();
    let mut blocks = text.split("```sh\n").skip(1);
    let mut block = || blocks.next().unwrap().split("```").next().unwrap();
    let (start, day) = (block(), block());
    let curl = Command::new("curl").arg("--version").output();
    if !curl.is_ok_and(|curl| curl.status.success()) {
        println!("skipped: needs curl");
        return;
    }
    let folder = Folder::new();
    let (keys, serve) = start.trim_end().rsplit_once('\n').unwrap();
    let written = |script: &str| script.replace("trestle ", "trestle! ");
    let made = shell(&folder.path(""), &written(keys)).status().unwrap();
    assert!(made.success());
    let serve = format!("exec {} --listen 127.0.0.1:0", written(serve));
    let mut server = shell(&folder.path(""), &serve).spawn().unwrap();
    let line = first_line(&mut server);
    let origin = line.find("http://127.0.0.1:").map(|at| &line[at..]);
    let origin = origin.unwrap_or_else(|| panic!("{line}"));
    let end = origin["http://".len()..].find(|c: char| !c.is_ascii_digit() && !".:".contains(c));
    let origin = &origin[..end.map_or(origin.trim_end().len(), |end| end + "http://".len())];
    let script = written(day).replace("http://127.0.0.1:8000", origin);
    let ended = shell(&folder.path(""), &script).output().unwrap();
    server.kill().unwrap();
    let said = server.wait_with_output().unwrap();
    let out = String::from_utf8_lossy(&ended.stdout);
    let err = String::from_utf8_lossy(&said.stderr);
    let last = out.trim_end().rsplit('\n').next().unwrap();
    assert!(
        last.contains("tom X applied for Engineer at Sunny."),
        "{out}\n{err}"
    );
}
