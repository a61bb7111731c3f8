//! Backups of the embedded store with the files of services, and their way back.

use std::fs;
use std::path::Path;
use std::time::Duration;

use tokio::time::{sleep, timeout};

use crate::commands::run::{Folder, s};
use crate::commands::store::{create, listed};
use crate::process::Process;

const FILE: &str = "artifacts/files/graphs/dev/ann/run/1-abc.json";

/// A store with an application, a run that refers to a file, and the file.
async fn filled() -> Folder {
    let folder = Folder::new();
    let file = folder.file("one.csv", "Company,Title,Status\nAcme,Engineer,applied\n");
    folder.good(&["import", &file]);
    folder.good(&["table", "create", "--service", "graph-runs"]);
    let path = folder.data().join(FILE);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, "{}").unwrap();
    fs::write(folder.data().join("artifacts/signing.key"), [7; 32]).unwrap();
    folder
}

async fn refer(folder: &Folder) {
    let tables = folder.store().list_tables().send().await.unwrap();
    let others = |name: &&String| *name != "lambda_api_applications";
    let table = tables.table_names().iter().find(others).unwrap().clone();
    let put = folder.store().put_item().table_name(table);
    let put = put.item("PK", s("USER#ann")).item("SK", s("RUN#1"));
    let put = put.item("graphKey", s("graphs/dev/ann/run/1-abc.json"));
    put.send().await.unwrap();
}

fn restored(folder: &Folder, archive: &Path, to: &Path) -> crate::commands::run::Ended {
    folder.run(&[
        "store",
        "restore",
        archive.to_str().unwrap(),
        "--data",
        to.to_str().unwrap(),
    ])
}

#[tokio::test]
async fn a_backup_has_the_store_and_the_files() {
    let folder = filled().await;
    refer(&folder).await;
    let archive = folder.path("backup.tar");
    folder.good(&["store", "backup", archive.to_str().unwrap()]);
    let again = folder.run(&["store", "backup", archive.to_str().unwrap()]);
    assert!(again.sentence().contains("exists already"), "{again:?}");
    let to = folder.path("restored");
    let done = restored(&folder, &archive, &to);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.out.ends_with("Nothing is damaged.\n"), "{done:?}");
    for name in [FILE, "artifacts/signing.key"] {
        assert_eq!(
            fs::read(to.join(name)).unwrap(),
            fs::read(folder.data().join(name)).unwrap()
        );
    }
    let exported = folder.run(&["export", "--data", to.to_str().unwrap()]);
    assert_eq!(exported.out, folder.run(&["export"]).out);
    // Never over what is there.
    let taken = restored(&folder, &archive, &to);
    assert!(taken.sentence().contains("is not empty"), "{taken:?}");
    // Nothing in the making is left.
    assert_eq!(
        folder.names(),
        ["backup.tar", "data", "one.csv", "restored"]
    );
}

#[tokio::test]
async fn a_damaged_archive_is_refused() {
    let folder = filled().await;
    let archive = folder.path("backup.tar");
    folder.good(&["store", "backup", archive.to_str().unwrap()]);
    let whole = fs::read(&archive).unwrap();
    let to = folder.path("restored");
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    for (broken, why) in [
        (flipped, "is damaged in it"),
        (whole[..whole.len() / 2].to_vec(), "it is cut off"),
        // Between two entries: the end is missing.
        (whole[..512].to_vec(), "it is cut off"),
        (Vec::new(), "it is cut off"),
    ] {
        fs::write(&archive, broken).unwrap();
        let refused = restored(&folder, &archive, &to);
        assert!(refused.sentence().contains(why), "{refused:?}");
        assert!(!to.exists());
    }
}

#[tokio::test]
async fn a_killed_backup_or_restore_leaves_all_or_nothing() {
    let folder = filled().await;
    let (archive, to) = (folder.path("backup.tar"), folder.path("restored"));
    let names = [archive.to_str().unwrap(), to.to_str().unwrap()];
    for step in 0..12 {
        for arguments in [
            vec!["store", "backup", names[0]],
            vec!["store", "restore", names[0], "--data", names[1]],
        ] {
            let mut command = folder.command(&arguments);
            let mut child = command.stdout(std::process::Stdio::null()).spawn().unwrap();
            sleep(Duration::from_millis(5 * step)).await;
            child.kill().unwrap();
            child.wait().unwrap();
            if !archive.exists() {
                folder.good(&["store", "backup", names[0]]);
            }
        }
        if !to.exists() {
            let done = restored(&folder, &archive, &to);
            assert_eq!(done.code, 0, "step {step}: {done:?}");
        }
        assert_eq!(
            folder.good(&["store", "check", "--data", names[1]]).out,
            "Nothing is damaged.\n",
            "step {step}"
        );
        assert!(to.join(FILE).is_file());
        fs::remove_dir_all(&to).unwrap();
        fs::remove_file(&archive).unwrap();
    }
}

#[tokio::test]
async fn a_check_names_files_that_are_missing() {
    let folder = filled().await;
    refer(&folder).await;
    assert_eq!(
        folder.good(&["store", "check"]).out,
        "Nothing is damaged.\n"
    );
    fs::remove_file(folder.data().join(FILE)).unwrap();
    let found = folder.run(&["store", "check"]);
    assert_eq!(found.code, 2, "{found:?}");
    assert!(
        found
            .out
            .contains("USER#ann / RUN#1: the file graphs/dev/ann/run/1-abc.json is missing."),
        "{found:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_makes_backups_and_keeps_the_newest() {
    let folder = Folder::new();
    let backups = folder.path("backups");
    let (data, to) = (folder.data(), backups.to_str().unwrap().to_owned());
    let server = Process::start_with(
        &[
            "--data",
            data.to_str().unwrap(),
            "--backup-every",
            "200ms",
            "--backup-keep",
            "2",
            "--backup-to",
            &to,
        ],
        &[],
    )
    .await;
    let made = create(&server, "Acme").await.unwrap();
    let names = || {
        let entries = fs::read_dir(&backups).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        names.retain(|path| path.extension().is_some_and(|ending| ending == "tar"));
        names.sort();
        names
    };
    let first = names();
    let renewed = async {
        while names().len() < 2 || names().iter().any(|name| first.contains(name)) {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(Duration::from_secs(60), renewed)
        .await
        .expect("backups are made");
    server.stop().await;
    let names = names();
    assert!((2..=3).contains(&names.len()), "{names:?}");
    let to = folder.path("restored");
    assert_eq!(restored(&folder, names.last().unwrap(), &to).code, 0);
    let server = crate::commands::store::serve(&to).await;
    assert!(listed(&server).await.contains(&made));
}

#[test]
fn backups_within_the_data_folder_are_refused() {
    let folder = Folder::new();
    let within = folder.data().join("backups");
    let refused = folder.run(&[
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--backup-every",
        "1h",
        "--backup-to",
        within.to_str().unwrap(),
    ]);
    assert!(
        refused.sentence().contains("is in the data folder"),
        "{refused:?}"
    );
}

/// The names of the backups in a folder.
fn backups(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.filter(|name| name.ends_with(".tar")).collect();
    names.sort();
    names
}

/// A server that makes backups, which keeps one of them.
async fn serve_with_backups(data: &Path, every: &str, to: &Path) -> Process {
    let arguments = ["--data", data.to_str().unwrap(), "--backup-every", every];
    let kept = ["--backup-keep", "1", "--backup-to", to.to_str().unwrap()];
    Process::start_with(&[&arguments[..], &kept].concat(), &[]).await
}

async fn until(holds: impl Fn() -> bool) {
    let waits = async {
        while !holds() {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(Duration::from_secs(60), waits)
        .await
        .expect("it holds");
}

#[tokio::test(flavor = "multi_thread")]
async fn restarts_make_no_backups_and_delete_none_of_another_store() {
    let (folder, other) = (Folder::new(), Folder::new());
    let to = folder.path("backups");
    let server = serve_with_backups(&other.data(), "1h", &to).await;
    until(|| backups(&to).len() == 1).await;
    server.stop().await;
    let of_another = backups(&to);
    // Names of other times, and files that are not complete.
    let whole = fs::read(to.join(&of_another[0])).unwrap();
    let foreign = [
        "trestle-20990101T000000000Z.tar",
        "trestle-20200101T000000000Z.tar",
    ];
    fs::write(to.join(foreign[0]), &whole).unwrap();
    fs::write(to.join(foreign[1]), &whole[..whole.len() / 2]).unwrap();
    for _ in 0..3 {
        let server = serve_with_backups(&folder.data(), "1h", &to).await;
        create(&server, "Acme").await.unwrap();
        until(|| backups(&to).len() >= 4).await;
        server.stop().await;
    }
    let all = backups(&to);
    assert_eq!(all.len(), 4, "{all:?}");
    assert!(
        foreign
            .iter()
            .chain([&&*of_another[0]])
            .all(|name| all.iter().any(|one| one == name))
    );
    // Often enough that its own are deleted.
    let own = |names: Vec<String>| {
        let is_own = |name: &String| !foreign.contains(&&**name) && !of_another.contains(name);
        names.into_iter().filter(is_own).collect::<Vec<_>>()
    };
    let first = own(all);
    let server = serve_with_backups(&folder.data(), "100ms", &to).await;
    until(|| !own(backups(&to)).contains(&first[0])).await;
    server.stop().await;
    let all = backups(&to);
    assert!(
        foreign
            .iter()
            .chain([&&*of_another[0]])
            .all(|name| all.iter().any(|one| one == name))
    );
    assert!(!own(all).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn backups_of_a_damaged_store_take_the_place_of_no_good_one() {
    let folder = filled().await;
    let to = folder.path("backups");
    let server = serve_with_backups(&folder.data(), "1h", &to).await;
    until(|| backups(&to).len() == 1).await;
    server.stop().await;
    let good = backups(&to);
    let store = rusqlite::Connection::open(folder.data().join("trestle.sqlite")).unwrap();
    let break_one = "UPDATE lambda_api_applications SET item_json = '{broken' WHERE sk = 'APPLICATION' OR rowid = 1";
    assert!(store.execute(break_one, []).unwrap() > 0);
    drop(store);
    let server = serve_with_backups(&folder.data(), "100ms", &to).await;
    let damaged = || {
        backups(&to)
            .into_iter()
            .filter(|name| name.ends_with("-damaged.tar"))
    };
    until(|| damaged().next().is_some()).await;
    let first = damaged().next().unwrap();
    until(|| !damaged().any(|name| name == first)).await;
    let log = server.stop().await.log;
    assert!(log.contains("the store is damaged"), "{log}");
    assert!(backups(&to).contains(&good[0]), "{:?}", backups(&to));
}

#[tokio::test]
async fn the_file_of_a_store_is_not_a_backup() {
    let folder = filled().await;
    let file = folder.data().join("trestle.sqlite");
    let refused = restored(&folder, &file, &folder.path("restored"));
    assert!(
        refused
            .sentence()
            .contains("make a backup with `trestle store backup`"),
        "{refused:?}"
    );
    let refused = folder.run(&["store", "backup", "backup.sqlite"]);
    assert!(
        refused.sentence().contains("Name it like backup.tar"),
        "{refused:?}"
    );
    assert_eq!(folder.names(), ["data", "one.csv"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_leaves_all_of_the_store_in_its_file() {
    let folder = Folder::new();
    let server = crate::commands::store::serve(&folder.data()).await;
    let made = create(&server, "Acme").await.unwrap();
    server.stop().await;
    let log = folder.data().join("trestle.sqlite-wal");
    assert!(log.metadata().map_or(true, |log| log.len() == 0));
    for name in ["trestle.sqlite-wal", "trestle.sqlite-shm"] {
        let _ = fs::remove_file(folder.data().join(name));
    }
    let server = crate::commands::store::serve(&folder.data()).await;
    assert!(listed(&server).await.contains(&made));
}

/// What is damaged in a store, as SQL, or the file of a service that is removed.
const DAMAGES: [(&str, &str); 7] = [
    ("nothing", ""),
    ("a file is missing", "FILE"),
    (
        "an item cannot be read",
        "UPDATE lambda_api_applications SET item_json = 'x' WHERE pk = sk",
    ),
    (
        "an entry cannot be read",
        "UPDATE lambda_api_applications SET item_json = '{' WHERE sk LIKE '%HIST#%'",
    ),
    (
        "a copy differs",
        "UPDATE \"lambda_api_applications::gsi::GSI1\" SET item_json = replace(item_json, 'Acme', 'Bcme')",
    ),
    (
        "copies are missing",
        "DELETE FROM \"lambda_api_applications::gsi::GSI2\"",
    ),
    (
        "an index is missing",
        "DROP TABLE \"lambda_api_applications::gsi::GSI1\"",
    ),
];

#[tokio::test]
async fn a_check_a_backup_and_a_restore_find_the_same_damage() {
    for (what, sql) in DAMAGES {
        let folder = filled().await;
        refer(&folder).await;
        if sql == "FILE" {
            fs::remove_file(folder.data().join(FILE)).unwrap();
        } else {
            let store = rusqlite::Connection::open(folder.data().join("trestle.sqlite")).unwrap();
            store.execute_batch(sql).unwrap();
        }
        let checked = folder.run(&["store", "check"]);
        assert_eq!(checked.code == 0, what == "nothing", "{what}: {checked:?}");
        let archive = folder.path("backup.tar");
        let backup = folder.run(&["store", "backup", archive.to_str().unwrap()]);
        assert_eq!(backup.code, checked.code, "{what}: {backup:?}");
        assert!(archive.is_file(), "{what}");
        for line in checked.out.lines() {
            assert!(backup.out.contains(line), "{what}: {line}: {backup:?}");
        }
        let to = folder.path("restored");
        let restored = restored(&folder, &archive, &to);
        assert_eq!(restored.code, checked.code, "{what}: {restored:?}");
    }
}
