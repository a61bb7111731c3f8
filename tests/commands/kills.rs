//! Commands that recover, copy or fill a store, killed with `kill -9` at moments over their whole run: what is there is
//! never worse than before, and the same command, run again, completes.
//!
//! `TRESTLE_ROUNDS` says at how many moments (8 unless given).

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use rusqlite::Connection;
use serde_json::Value;
use tokio::time::sleep;

use crate::commands::run::{Folder, copy};
use crate::commands::store::{create, serve};

const ROUNDS: u32 = 8;
const TABLE: &str = "lambda_api_applications";
/// The applications of the stores.
const APPLICATIONS: usize = 60;

fn rounds() -> u32 {
    std::env::var("TRESTLE_ROUNDS").map_or(ROUNDS, |rounds| rounds.parse().unwrap())
}

/// A folder whose store has applications, and a file with all of them as records.
fn filled() -> (Folder, Vec<Value>) {
    let folder = Folder::new();
    let rows = (0..APPLICATIONS).map(|n| format!("Company {n},Engineer,applied\n"));
    let rows = format!("Company,Title,Status\n{}", rows.collect::<String>());
    let file = folder.file("rows.csv", &rows);
    folder.good(&["import", &file]);
    folder.good(&["export", "-o", folder.path("all.ndjson").to_str().unwrap()]);
    let exported = folder.exported();
    assert_eq!(exported.len(), APPLICATIONS);
    (folder, exported)
}

/// A copy of a folder.
fn copied(from: &Folder) -> Folder {
    let to = Folder::new();
    copy(&from.path(""), &to.path(""));
    to
}

/// Runs a command once, and then kills it at moments over the time that this took, each in a folder of its own.
async fn killed_at_each_moment(
    arguments: &[&str],
    prepared: impl Fn() -> Folder,
    look: impl Fn(&Folder, &str),
) {
    let whole = prepared();
    let began = Instant::now();
    whole.run(arguments);
    let time = began.elapsed();
    look(&whole, "not killed");
    for round in 0..rounds() {
        let folder = prepared();
        let mut command = folder.command(arguments);
        let command = command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        sleep(time * round / rounds()).await;
        child.kill().unwrap();
        child.wait().unwrap();
        look(&folder, &format!("killed at {round}/{}", rounds()));
    }
}

fn is_sound(folder: &Folder, when: &str) {
    let checked = folder.good(&["store", "check"]).out;
    assert_eq!(checked, "Nothing is damaged.\n", "{when}");
}

/// Only who writes the record of the store may take the log over: a process that was killed while it did the same
/// has noted that the file is not complete without the log.
#[tokio::test]
async fn who_only_looks_at_a_killed_servers_store_leaves_its_files() {
    let folder = Folder::new();
    let server = serve(&folder.data()).await;
    for company in ["Acme", "Borel"] {
        create(&server, company).await.unwrap();
    }
    server.kill();
    server.ended().await;
    let files = || {
        ["", "-wal"]
            .map(|end| fs::read(folder.data().join(format!("trestle.sqlite{end}"))).unwrap())
    };
    let before = files();
    assert!(before.iter().all(|file| !file.is_empty()));
    for _ in 0..2 {
        let checked = folder.good(&["store", "check"]).out;
        assert_eq!(checked, "Nothing is damaged.\n");
        assert!(before == files(), "the store or its log changed");
    }
}

#[tokio::test]
async fn a_killed_repair() {
    let (folder, all) = filled();
    let store = Connection::open(folder.data().join("trestle.sqlite")).unwrap();
    store
        .execute_batch(&format!(
            "DROP TABLE \"{TABLE}::gsi::GSI1\";
             DELETE FROM \"{TABLE}::gsi::GSI2\" WHERE rowid % 3 = 0;
             UPDATE \"{TABLE}\" SET item_json = 'x' WHERE pk = sk AND rowid IN
                 (SELECT rowid FROM \"{TABLE}\" WHERE pk = sk AND EXISTS
                     (SELECT 1 FROM \"{TABLE}::gsi::GSI2\" WHERE table_pk = pk) LIMIT 2)"
        ))
        .unwrap();
    drop(store);
    let before = folder.run(&["store", "check"]);
    assert_eq!(before.code, 2, "{before:?}");
    let look = |folder: &Folder, when: &str| {
        let now = folder.run(&["store", "check"]);
        assert!(
            now.out == before.out || now.out == "Nothing is damaged.\n",
            "{when}: {now:?}"
        );
        folder.good(&["store", "repair"]);
        is_sound(folder, when);
        assert_eq!(folder.exported(), all, "{when}");
    };
    killed_at_each_moment(&["store", "repair"], || copied(&folder), look).await;
}

#[tokio::test]
async fn a_killed_backup() {
    let (folder, all) = filled();
    let artifact = folder.data().join("artifacts/files/uploads/one.tf");
    fs::create_dir_all(artifact.parent().unwrap()).unwrap();
    fs::write(&artifact, vec![b'x'; 1 << 20]).unwrap();
    for name in ["backup.tar"] {
        let look = |folder: &Folder, when: &str| {
            let restore = ["store", "restore", name, "--data", "restored"];
            if !folder.path(name).exists() {
                folder.good(&["store", "backup", name]);
            }
            folder.good(&restore);
            let restored = folder.good(&["export", "--data", "restored"]).out;
            assert_eq!(restored.lines().count(), all.len(), "{name} {when}");
            is_sound(folder, when);
            assert_eq!(folder.exported(), all, "{name} {when}");
        };
        killed_at_each_moment(&["store", "backup", name], || copied(&folder), look).await;
    }
}

#[tokio::test]
async fn a_killed_restore() {
    let (folder, all) = filled();
    for name in ["backup.tar"] {
        folder.good(&["store", "backup", name]);
        let restore = ["store", "restore", name, "--data", "restored"];
        let look = |folder: &Folder, when: &str| {
            if !folder.path("restored").exists() {
                folder.good(&restore);
            }
            let checked = folder.good(&["store", "check", "--data", "restored"]).out;
            assert_eq!(checked, "Nothing is damaged.\n", "{name} {when}");
            let restored = folder.good(&["export", "--data", "restored"]).out;
            assert_eq!(restored.lines().count(), all.len(), "{name} {when}");
        };
        killed_at_each_moment(&restore, || copied(&folder), look).await;
    }
}

#[tokio::test]
async fn a_killed_import() {
    let (folder, all) = filled();
    let file = fs::read_to_string(folder.path("all.ndjson")).unwrap();
    for (name, content) in [
        ("all.ndjson", file),
        (
            "rows.csv",
            fs::read_to_string(folder.path("rows.csv")).unwrap(),
        ),
    ] {
        let prepared = || {
            let folder = Folder::new();
            folder.file(name, &content);
            folder
        };
        let look = |folder: &Folder, when: &str| {
            // Killed early, it has made no store, or no table in it.
            let early = ["There is no store", "There is no table"];
            let exported = folder.run(&["export"]);
            let there = if early.iter().any(|early| exported.err.contains(early)) {
                Vec::new()
            } else {
                folder.exported()
            };
            let again = folder.good(&["import", name]);
            let made = (all.len() - there.len()) as u64;
            assert_eq!(
                again.counts(),
                (made, there.len() as u64, 0),
                "{name} {when}"
            );
            let now = folder.exported();
            assert_eq!(now.len(), all.len(), "{name} {when}");
            // What was there before the second run is as it was, and whole.
            assert!(there.iter().all(|one| now.contains(one)), "{name} {when}");
            if name == "all.ndjson" {
                assert_eq!(now, all, "{when}");
            }
            is_sound(folder, when);
            let counted = folder.good(&["table", "recount"]).out;
            assert_eq!(counted, "0 counters corrected\n", "{name} {when}");
        };
        killed_at_each_moment(&["import", name], prepared, look).await;
    }
}

#[tokio::test]
async fn a_killed_recount() {
    let (folder, all) = filled();
    let store = Connection::open(folder.data().join("trestle.sqlite")).unwrap();
    let changed = store.execute(
        &format!("DELETE FROM \"{TABLE}\" WHERE pk = 'S:META' AND sk = 'S:COUNT'"),
        [],
    );
    assert_eq!(changed.unwrap(), 1);
    drop(store);
    let look = |folder: &Folder, when: &str| {
        folder.good(&["table", "recount"]);
        let counted = folder.good(&["table", "recount"]).out;
        assert_eq!(counted, "0 counters corrected\n", "{when}");
        is_sound(folder, when);
        assert_eq!(folder.exported(), all, "{when}");
    };
    killed_at_each_moment(&["table", "recount"], || copied(&folder), look).await;
}

#[tokio::test]
async fn a_killed_creation_of_tables() {
    let arguments = ["table", "create", "--service", "applications,graph-runs"];
    let look = |folder: &Folder, when: &str| {
        folder.good(&arguments);
        let check = ["table", "check", "--service", "applications,graph-runs"];
        let checked = folder.good(&check).out;
        assert!(
            checked.lines().all(|line| line.ends_with(": good")),
            "{when}: {checked}"
        );
        is_sound(folder, when);
    };
    killed_at_each_moment(&arguments, Folder::new, look).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_acceptance_of_a_loss() {
    let folder = Folder::new();
    let server = serve(&folder.data()).await;
    for n in 0..4 {
        create(&server, &format!("Company {n}")).await.unwrap();
    }
    server.kill();
    server.ended().await;
    let log = folder.data().join("trestle.sqlite-wal");
    let whole = fs::read(&log).unwrap();
    fs::write(&log, &whole[..whole.len() - 5_000]).unwrap();
    let look = |folder: &Folder, when: &str| {
        let opened = folder.run(&["export"]);
        let told = |text| opened.err.contains(text);
        assert!(
            opened.code == 0
                || told("writes are missing")
                || told("If `trestle store accept-loss` or `repair` was stopped"),
            "{when}: {opened:?}"
        );
        folder.good(&["store", "accept-loss"]);
        is_sound(folder, when);
        let there = folder.exported().len();
        assert!((3..=4).contains(&there), "{when}: {there}");
    };
    // Between any two files that it replaces, which are moments too short for a kill to meet.
    let accepted = copied(&folder);
    accepted.good(&["store", "accept-loss"]);
    let suffixes = ["-writes", "", "-wal"];
    for replaced in 0..=suffixes.len() {
        let between = copied(&folder);
        for suffix in &suffixes[..replaced] {
            let name = format!("trestle.sqlite{suffix}");
            let (new, old) = (accepted.data().join(&name), between.data().join(&name));
            if new.exists() {
                fs::copy(new, old).unwrap();
            } else {
                fs::remove_file(old).unwrap();
            }
        }
        look(&between, &format!("{replaced} files replaced"));
    }
    killed_at_each_moment(&["store", "accept-loss"], || copied(&folder), look).await;
}

/// A second command in a folder in which one was killed removes what that left, or leaves it hidden.
#[tokio::test]
async fn nothing_that_a_killed_command_left_is_taken_for_data() {
    let (folder, _) = filled();
    let unfinished = folder.data().join(".trestle-unfinished-left");
    fs::create_dir(&unfinished).unwrap();
    fs::write(unfinished.join("trestle.sqlite"), b"half").unwrap();
    folder.good(&["store", "backup", "backup.tar"]);
    folder.good(&["store", "restore", "backup.tar", "--data", "restored"]);
    let left = |path: &Path| {
        let entries = fs::read_dir(path).unwrap();
        entries
            .filter(|entry| {
                let name = entry.as_ref().unwrap().file_name();
                name.to_string_lossy().starts_with(".trestle-")
            })
            .count()
    };
    assert_eq!(left(&folder.path("restored")), 0);
}
