//! Running the binary, and looking into the store that it leaves.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::Value;
use trestle_dynamodb::Embedded;

/// A folder with a store and files.
pub struct Folder(tempfile::TempDir);

/// How a command ended.
#[derive(Debug)]
pub struct Ended {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn data(&self) -> PathBuf {
        self.path("data")
    }

    /// Writes a file, and answers its path.
    pub fn file(&self, name: &str, text: &str) -> String {
        std::fs::write(self.path(name), text).unwrap();
        self.path(name).display().to_string()
    }

    /// What is in the folder.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<_> = entries
            .map(|entry| name(entry).into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// The command with this folder's store, and nothing of the environment's settings.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_trestle"));
        command
            .args(arguments)
            .current_dir(self.0.path())
            .env_clear()
            .env("TRESTLE_DATA", self.data())
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ended {
        let output = self.command(arguments).output().unwrap();
        Ended {
            code: output.status.code().expect("it was not killed"),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Runs what has to succeed.
    pub fn good(&self, arguments: &[&str]) -> Ended {
        let ended = self.run(arguments);
        assert_eq!(ended.code, 0, "{arguments:?}: {ended:?}");
        ended
    }

    /// Every application, as an export has it, by company.
    pub fn exported(&self) -> Vec<Value> {
        let lines = self.good(&["export"]).out;
        let mut all: Vec<Value> = lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        all.sort_by_key(|one| one["companyName"].to_string());
        all
    }

    /// The store, opened by this process.
    pub fn store(&self) -> aws_sdk_dynamodb::Client {
        Embedded::open(&self.data()).unwrap().client()
    }

    /// The counter of applications that are not archived.
    pub async fn count(&self) -> i64 {
        let get = self
            .store()
            .get_item()
            .table_name("lambda_api_applications");
        let get = get.key("PK", s("META")).key("SK", s("COUNT"));
        let item = get.send().await.unwrap().item;
        item.map_or(0, |item| item["count"].as_n().unwrap().parse().unwrap())
    }
}

/// Copies the files of a folder, and those of the folders in it.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &to);
        } else {
            std::fs::copy(&path, &to).unwrap();
        }
    }
}

/// The files of a folder and of the folders in it, with their content.
pub fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(content(&path));
        } else {
            found.insert(path.clone(), std::fs::read(path).unwrap());
        }
    }
    found
}

/// What refuses the files of a folder changes none of them.
pub fn assert_unchanged(folder: &Path, before: &BTreeMap<PathBuf, Vec<u8>>, what: &str) {
    let after = content(folder);
    assert!(before.keys().eq(after.keys()), "{what}: {:?}", after.keys());
    for (path, bytes) in before {
        assert!(after[path] == *bytes, "{what}: {path:?} was changed");
    }
}

/// Takes the file of the store alone out of a backup.
pub fn take_store(archive: &Path, to: &Path) {
    let mut tar = tar::Archive::new(std::fs::File::open(archive).unwrap());
    let mut entries = tar.entries().unwrap().map(Result::unwrap);
    let is_store = |entry: &tar::Entry<'_, _>| entry.path().unwrap() == Path::new("trestle.sqlite");
    let mut store = entries.find(is_store).unwrap();
    std::io::copy(&mut store, &mut std::fs::File::create(to).unwrap()).unwrap();
}

pub fn s(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

impl Ended {
    /// The counts that an import ends with: created, already there, refused.
    pub fn counts(&self) -> (u64, u64, u64) {
        let line = self.out.lines().next().expect("a line of counts");
        let numbers: Vec<u64> = line
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|digits| digits.parse().ok())
            .collect();
        (numbers[0], numbers[1], numbers[2])
    }

    /// What a failure says: one sentence for a person, and no panic.
    pub fn sentence(&self) -> &str {
        assert_ne!(self.code, 0, "{self:?}");
        assert!(
            !self.err.contains("panicked") && !self.err.is_empty(),
            "{self:?}"
        );
        &self.err
    }
}
