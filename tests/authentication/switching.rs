//! Files of API keys and of trusted documents are replaced in every way in which people and platforms replace files. The running
//! server follows each of them, keeps what it has if the new file cannot be used, and reports both.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use futures_util::StreamExt as _;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;
use trestle_api::viewer::Access;
use trestle_domain::hex;
use trestle_server::authentication::NewKey;

use crate::process::{Process, command};

/// The names of the two files.
const FILES: [&str; 2] = ["api-keys", "documents.json"];
/// All contents are as long, so that writing one over another is a single step.
const LENGTH: usize = 2000;
const DOCUMENTS: [&str; 2] = ["{ __typename }", "query Second { __typename }"];

/// How files are replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Written over.
    Rewrite,
    /// Written over, with the former time of modification.
    SameTime,
    /// Another file takes the name.
    Rename,
    /// The name is a link to a file elsewhere, which is written over.
    TargetRewritten,
    /// The name is a link to a file elsewhere, whose name another file takes.
    TargetRenamed,
    /// The name is a link, which another link replaces.
    LinkMoved,
    /// The names lead through the link `..data`, which another link replaces, as Kubernetes mounts secrets.
    Mounted,
    /// Another folder takes the name of the folder.
    FolderRenamed,
    /// The folder is a link, which another link replaces.
    FolderLinkMoved,
    /// Written over under another name in another folder.
    OtherName,
    /// The file is mounted from elsewhere, and written over there, as with `docker run -v FILE:FILE`.
    BoundFile,
}

const WAYS: [Way; 11] = [
    Way::Rewrite,
    Way::SameTime,
    Way::Rename,
    Way::TargetRewritten,
    Way::TargetRenamed,
    Way::LinkMoved,
    Way::Mounted,
    Way::FolderRenamed,
    Way::FolderLinkMoved,
    Way::OtherName,
    Way::BoundFile,
];

/// Two files, and how they are replaced.
struct Switched {
    way: Way,
    root: TempDir,
    version: usize,
}

type Contents = [Vec<u8>; 2];

impl Switched {
    /// The files in a folder `settings`, with what the way needs beside it.
    fn new(way: Way, contents: &Contents) -> Self {
        let switched = Self {
            way,
            root: tempfile::tempdir().unwrap(),
            version: 0,
        };
        let (settings, elsewhere) = (switched.at("settings"), switched.at("elsewhere"));
        fs::create_dir(&elsewhere).unwrap();
        match way {
            Way::FolderLinkMoved => symlink(switched.filled(contents), &settings).unwrap(),
            Way::FolderRenamed => fs::rename(switched.filled(contents), &settings).unwrap(),
            _ => fs::create_dir(&settings).unwrap(),
        }
        for (name, content) in FILES.iter().zip(contents) {
            let (own, other) = (settings.join(name), elsewhere.join(name));
            match way {
                Way::FolderLinkMoved | Way::FolderRenamed => {}
                Way::Rewrite | Way::SameTime | Way::Rename => fs::write(own, content).unwrap(),
                Way::TargetRewritten | Way::TargetRenamed | Way::LinkMoved => {
                    fs::write(&other, content).unwrap();
                    symlink(other, own).unwrap();
                }
                Way::Mounted => symlink(format!("..data/{name}"), own).unwrap(),
                Way::OtherName => {
                    fs::write(&other, content).unwrap();
                    fs::hard_link(other, own).unwrap();
                }
                Way::BoundFile => {
                    fs::write(&other, content).unwrap();
                    fs::write(own, "").unwrap();
                }
            }
        }
        if way == Way::Mounted {
            symlink(switched.filled(contents), settings.join("..data")).unwrap();
        }
        switched
    }

    fn at(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// A new folder with the files.
    fn filled(&self, contents: &Contents) -> PathBuf {
        let folder = self.at(&format!("version-{}", self.version));
        fs::create_dir(&folder).unwrap();
        for (name, content) in FILES.iter().zip(contents) {
            fs::write(folder.join(name), content).unwrap();
        }
        folder
    }

    /// Replaces both files.
    fn replace(&mut self, contents: &Contents) {
        self.version += 1;
        let settings = self.at("settings");
        match self.way {
            Way::Mounted => {
                let target = self.filled(contents);
                return relink(&target, &settings.join("..data"));
            }
            Way::FolderLinkMoved => {
                let target = self.filled(contents);
                return relink(&target, &settings);
            }
            Way::FolderRenamed => {
                let folder = self.filled(contents);
                fs::rename(&settings, self.at(&format!("former-{}", self.version))).unwrap();
                return fs::rename(folder, settings).unwrap();
            }
            _ => {}
        }
        for (name, content) in FILES.iter().zip(contents) {
            let (own, other) = (settings.join(name), self.at("elsewhere").join(name));
            match self.way {
                Way::Rewrite => write_over(&own, content),
                Way::SameTime => {
                    let modified = fs::metadata(&own).unwrap().modified().unwrap();
                    write_over(&own, content);
                    let file = File::options().write(true).open(own).unwrap();
                    file.set_modified(modified).unwrap();
                }
                Way::Rename => take_name(&own, content),
                Way::TargetRenamed => take_name(&other, content),
                Way::TargetRewritten | Way::OtherName | Way::BoundFile => {
                    write_over(&other, content);
                }
                Way::LinkMoved => {
                    let target = self.at(&format!("{name}-{}", self.version));
                    fs::write(&target, content).unwrap();
                    relink(&target, &own);
                }
                Way::Mounted | Way::FolderLinkMoved | Way::FolderRenamed => unreachable!(),
            }
        }
    }

    /// A server with the files.
    async fn serve(&self) -> Process {
        let settings = self.at("settings");
        let [keys, documents] = FILES.map(|name| settings.join(name));
        let serve = [
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--memory",
            "--no-pages",
            "--tenancy",
            "single",
            "--only-trusted-documents",
            "--api-keys",
            keys.to_str().unwrap(),
            "--trusted-documents",
            documents.to_str().unwrap(),
        ];
        if self.way != Way::BoundFile {
            return Process::run(command(&serve)).await;
        }
        let mut command = command(&[]);
        let binary = command.as_std().get_program().to_owned();
        command = crate::process::command_of("unshare".as_ref(), &["-rm", "sh", "-c"]);
        let mounts = FILES
            .map(|name| format!("mount --bind \"$0/elsewhere/{name}\" \"$0/settings/{name}\" && "));
        command.arg(format!("{}exec \"$@\"", mounts.concat()));
        command.arg(self.root.path()).arg(binary).args(serve);
        Process::run(command).await
    }
}

/// Whether this machine lets an ordinary process mount files in a namespace of its own.
fn can_mount() -> bool {
    let mut unshare = std::process::Command::new("unshare");
    let unshared = unshare
        .args(["-rm", "mount", "--bind", "/tmp", "/tmp"])
        .output();
    unshared.is_ok_and(|output| output.status.success())
}

fn write_over(path: &Path, content: &[u8]) {
    let mut file = File::options().write(true).open(path).unwrap();
    file.write_all(content).unwrap();
}

fn take_name(path: &Path, content: &[u8]) {
    let new = path.with_extension("new");
    fs::write(&new, content).unwrap();
    fs::rename(new, path).unwrap();
}

fn relink(target: &Path, link: &Path) {
    let new = link.with_file_name("new-link");
    symlink(target, &new).unwrap();
    fs::rename(&new, link).unwrap_or_else(|error| panic!("{link:?}: {error}"));
}

fn padded(text: &str) -> Vec<u8> {
    format!("{text:LENGTH$}").into_bytes()
}

fn generated(name: &str, access: Access, roles: &[String]) -> (String, String) {
    let key = NewKey {
        name,
        access,
        roles,
        owner: None,
    };
    let mut random = [0; 32];
    random[..name.len()].copy_from_slice(name.as_bytes());
    let key = key.generate(random).unwrap();
    (key.secret, key.line)
}

/// A server, and the keys that it may know.
struct Asked {
    server: Process,
    keys: [String; 2],
    metrics: String,
}

impl Asked {
    /// The status for a key and a document, both by their numbers.
    async fn status(&self, number: usize) -> u16 {
        let body = json!({ "query": DOCUMENTS[number] });
        let headers = [("x-api-key", self.keys[number].as_str())];
        let answer = self.server.post(&body, &headers).await;
        if answer.text.contains("FORBIDDEN") {
            return 403;
        }
        answer.status
    }

    async fn metric(&self, name: &str) -> u64 {
        let request = self.server.client.get(self.server.at("/metrics"));
        let answer = request.header("x-api-key", &self.metrics).send().await;
        let page = answer.unwrap().text().await.unwrap();
        let mut lines = page.lines();
        let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value
            .unwrap_or_else(|| panic!("{name}: {page}"))
            .parse()
            .unwrap()
    }

    async fn becomes(&self, number: usize) {
        while self.status(number).await != 200 {}
        assert_eq!(self.status(1 - number).await, 401);
    }
}

async fn follows(way: Way) {
    let (first, first_line) = generated("first", Access::Read, &[]);
    let (second, second_line) = generated("second", Access::Read, &[]);
    let role = ["metrics".to_owned()];
    let (metrics, metrics_line) = generated("metrics", Access::None, &role);
    let contents = |line: &str, document: &str| {
        let documents = json!({ hex(&Sha256::digest(document)): document });
        [
            padded(&format!("{line}\n{metrics_line}\n")),
            padded(&documents.to_string()),
        ]
    };
    let good = [
        contents(&first_line, DOCUMENTS[0]),
        contents(&second_line, DOCUMENTS[1]),
    ];
    let broken = [padded("no key"), padded("no document")];

    let mut files = Switched::new(way, &good[0]);
    let asked = Asked {
        server: files.serve().await,
        keys: [first, second],
        metrics,
    };
    asked.becomes(0).await;
    files.replace(&good[1]);
    asked.becomes(1).await;
    files.replace(&broken);
    while asked.metric("trestle_files_unusable").await != 2 {}
    asked.becomes(1).await;
    files.replace(&good[0]);
    asked.becomes(0).await;
    while asked.metric("trestle_files_unusable").await != 0 {}
    let changed = "trestle_file_reloads_total{result=\"changed\"}";
    let refused = "trestle_file_reloads_total{result=\"refused\"}";
    assert_eq!(asked.metric(changed).await, 4, "{way:?}");
    assert!(asked.metric(refused).await >= 2, "{way:?}");

    let ended = asked.server.stop().await;
    for name in FILES {
        let lines = |text: &str| {
            let mut lines = ended.log.lines().filter(|line| line.contains(name));
            lines.by_ref().filter(|line| line.contains(text)).count()
        };
        assert_eq!(lines("a file was read again"), 2, "{way:?}: {}", ended.log);
        assert!(
            lines("a file cannot be used") >= 1,
            "{way:?}: {}",
            ended.log
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_followed_in_whichever_way_they_are_replaced() {
    let mut ways = WAYS.to_vec();
    if !can_mount() {
        eprintln!("this machine lets nobody mount files: bound files are left out");
        ways.retain(|way| *way != Way::BoundFile);
    }
    let servers = futures_util::stream::iter(ways).map(follows);
    servers.buffer_unordered(4).collect::<Vec<_>>().await;
}

/// What may take the place of a file and is none.
#[derive(Clone, Copy, Debug)]
enum Other {
    /// A pipe into which nobody writes.
    Pipe,
    /// A device that never ends.
    Endless,
    Folder,
    /// A file that is larger than any of settings, without a block on the disk.
    Large,
    Nothing,
}

impl Other {
    const ALL: [Self; 5] = [
        Self::Pipe,
        Self::Endless,
        Self::Folder,
        Self::Large,
        Self::Nothing,
    ];

    fn take_place(self, path: &Path) {
        fs::remove_file(path).unwrap();
        match self {
            Self::Pipe => {
                let made = std::process::Command::new("mkfifo").arg(path).status();
                assert!(made.unwrap().success());
            }
            Self::Endless => symlink("/dev/zero", path).unwrap(),
            Self::Folder => fs::create_dir(path).unwrap(),
            Self::Large => File::create(path).unwrap().set_len(1 << 33).unwrap(),
            Self::Nothing => {}
        }
    }

    fn go(self, path: &Path) {
        match self {
            Self::Folder => fs::remove_dir(path).unwrap(),
            Self::Nothing => {}
            _ => fs::remove_file(path).unwrap(),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_file_of_settings_stops_nobody() {
    let (first, line) = generated("first", Access::Read, &[]);
    let role = ["metrics".to_owned()];
    let (metrics, metrics_line) = generated("metrics", Access::None, &role);
    let documents = json!({ hex(&Sha256::digest(DOCUMENTS[0])): DOCUMENTS[0] });
    let contents = [
        padded(&format!("{line}\n{metrics_line}\n")),
        padded(&documents.to_string()),
    ];
    let files = Switched::new(Way::Rename, &contents);
    let asked = Asked {
        server: files.serve().await,
        keys: [first, String::new()],
        metrics,
    };
    for other in Other::ALL {
        let paths = FILES.map(|name| files.at("settings").join(name));
        for path in &paths {
            other.take_place(path);
        }
        while asked.metric("trestle_files_unusable").await != 2 {}
        assert_eq!(asked.status(0).await, 200, "{other:?}");
        for (path, content) in paths.iter().zip(&contents) {
            other.go(path);
            fs::write(path, content).unwrap();
        }
        while asked.metric("trestle_files_unusable").await != 0 {}
        assert_eq!(asked.status(0).await, 200, "{other:?}");
    }
    let ended = asked.server.stop().await;
    assert!(ended.log.contains("It is no regular file any more."));
}
