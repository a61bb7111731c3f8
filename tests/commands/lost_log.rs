//! The log of a killed server, removed or altered: what was acknowledged is missing then, and that is said. A kill alone
//! loses nothing and is no reason for an alarm.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use crate::commands::run::{Folder, assert_unchanged, content, copy, take_store};
use crate::commands::store::{create, listed, serve};

/// A store with ten applications, whose server was killed.
async fn killed() -> (Folder, HashSet<String>) {
    let folder = Folder::new();
    let server = serve(&folder.data()).await;
    let mut made = HashSet::new();
    for number in 0..10 {
        made.extend(create(&server, &format!("Company {number}")).await);
    }
    server.kill();
    server.ended().await;
    assert_eq!(made.len(), 10);
    (folder, made)
}

/// Something done to a log, and its name.
type Harm = (&'static str, fn(&Path));

/// What an operator's hand or a clean-up can do to a log.
fn harms() -> Vec<Harm> {
    vec![
        ("removed", |log| fs::remove_file(log).unwrap()),
        ("removed with its index", |log| {
            fs::remove_file(log).unwrap();
            fs::remove_file(log.with_file_name("trestle.sqlite-shm")).unwrap();
        }),
        ("emptied", |log| fs::write(log, b"").unwrap()),
        ("cut off", |log| {
            let whole = fs::read(log).unwrap();
            fs::write(log, &whole[..whole.len() - 5_000]).unwrap();
        }),
        ("altered near its end", |log| {
            let mut bytes = fs::read(log).unwrap();
            let at = bytes.len() - 10_000;
            bytes[at] ^= 0x10;
            fs::write(log, bytes).unwrap();
        }),
        ("altered at its start", |log| {
            let mut bytes = fs::read(log).unwrap();
            bytes[20] ^= 0x10;
            fs::write(log, bytes).unwrap();
        }),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_whose_log_was_removed_or_altered_is_refused() {
    let (folder, made) = killed().await;
    let data = folder.data();
    let rows = folder.file("rows.csv", "Company,Title\nAcme,Engineer\n");
    let whole = folder.path("whole");
    copy(&data, &whole);
    for (what, harm) in harms() {
        fs::remove_dir_all(&data).unwrap();
        copy(&whole, &data);
        harm(&data.join("trestle.sqlite-wal"));
        let before = content(&data);
        for command in [
            &["serve", "--listen", "127.0.0.1:0"][..],
            &["table", "create"],
            &["table", "check"],
            &["table", "recount"],
            &["table", "delete-leftovers", "x"],
            &["store", "check"],
            &["store", "repair"],
            &["store", "backup", "backup.tar"],
            &["import", &rows],
            &["export"],
        ] {
            let refused = folder.run(command);
            assert_unchanged(&data, &before, &format!("{what}: {command:?}"));
            assert!(
                refused
                    .sentence()
                    .contains("writes are missing from the store")
                    && refused.err.contains("`trestle store accept-loss`"),
                "{what}: {refused:?}"
            );
        }
        // The whole log may come back.
        fs::copy(
            whole.join("trestle.sqlite-wal"),
            data.join("trestle.sqlite-wal"),
        )
        .unwrap();
        let server = serve(&data).await;
        assert_eq!(listed(&server).await, made, "{what}");
        server.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_goes_on_without_what_is_missing() {
    let (folder, made) = killed().await;
    let data = folder.data();
    let log = data.join("trestle.sqlite-wal");
    let whole = fs::read(&log).unwrap();
    let rest = &whole[..whole.len() - 5_000];
    fs::write(&log, rest).unwrap();
    folder.run(&["export"]).sentence();
    let main = fs::read(data.join("trestle.sqlite")).unwrap();
    let accepted = folder.good(&["store", "accept-loss"]);
    assert!(accepted.out.starts_with("Gave up "), "{accepted:?}");
    // What is left of the log is kept.
    let names: Vec<_> = fs::read_dir(&data)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().contains("wal.before-accept"))
        .collect();
    assert_eq!(names.len(), 1, "{names:?}");
    assert_eq!(fs::read(&names[0]).unwrap(), rest);
    let name = names[0].to_string_lossy().replace("sqlite-wal", "sqlite");
    assert_eq!(fs::read(&name).unwrap(), main);
    assert!(accepted.out.contains(&name), "{accepted:?}");
    assert_eq!(
        folder.good(&["store", "check"]).out,
        "Nothing is damaged.\n"
    );
    let server = serve(&data).await;
    let there = listed(&server).await;
    assert!(there.is_subset(&made) && there.len() >= 9, "{there:?}");
    // From then on, it is counted as before.
    let last = create(&server, "Last").await.unwrap();
    server.kill();
    server.ended().await;
    let server = serve(&data).await;
    assert!(listed(&server).await.contains(&last));
    create(&server, "Lost").await.unwrap();
    server.kill();
    server.ended().await;
    fs::remove_file(&log).unwrap();
    folder.run(&["export"]).sentence();
    let nothing = Folder::new();
    nothing.good(&["table", "create"]);
    let told = nothing.good(&["store", "accept-loss"]);
    assert_eq!(told.out, "No writes are missing. Nothing was changed.\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_is_not_refused_for_other_reasons() {
    let (folder, mut made) = killed().await;
    let data = folder.data();
    let file = data.join("trestle.sqlite");
    // Another program takes the log into the file, and writes without knowing of the count.
    let other = rusqlite::Connection::open(&file).unwrap();
    other
        .execute_batch("CREATE TABLE notes (body TEXT)")
        .unwrap();
    drop(other);
    assert!(!data.join("trestle.sqlite-wal").exists());
    let server = serve(&data).await;
    folder.good(&["store", "backup", "backup.tar"]);
    take_store(&folder.path("backup.tar"), &folder.path("backup.sqlite"));
    made.extend(create(&server, "After the backup").await);
    server.kill();
    server.ended().await;
    // The record is removed, and comes back.
    let record = data.join("trestle.sqlite-writes");
    let counted = fs::read(&record).unwrap();
    fs::remove_file(&record).unwrap();
    let refused = folder.run(&["export"]);
    assert!(
        refused.sentence().contains("-writes is missing"),
        "{refused:?}"
    );
    fs::write(&record, &counted).unwrap();
    assert_eq!(folder.exported().len(), made.len());
    // The record is behind the store, which was closed.
    fs::write(&record, &counted).unwrap();
    let server = serve(&data).await;
    assert_eq!(listed(&server).await, made);
    made.extend(create(&server, "In the log").await);
    server.kill();
    server.ended().await;
    // A backup takes the place of the store's file alone: what is in the log is not written into it.
    let log = fs::read(data.join("trestle.sqlite-wal")).unwrap();
    assert!(!log.is_empty());
    let before = fs::read(&file).unwrap();
    fs::copy(folder.path("backup.sqlite"), &file).unwrap();
    let refused = folder.run(&["export"]);
    assert!(
        refused.sentence().contains("belongs to another store"),
        "{refused:?}"
    );
    assert_eq!(fs::read(data.join("trestle.sqlite-wal")).unwrap(), log);
    fs::write(&file, before).unwrap();
    assert_eq!(folder.exported().len(), made.len());
    // A backup takes the place of the store.
    for name in ["trestle.sqlite-wal", "trestle.sqlite-shm"] {
        let _ = fs::remove_file(data.join(name));
    }
    fs::copy(folder.path("backup.sqlite"), &file).unwrap();
    let server = serve(&data).await;
    made.remove("After the backup");
    made.remove("In the log");
    assert_eq!(listed(&server).await, made);
    server.kill();
    server.ended().await;
    // What cannot be understood is not taken for good.
    fs::write(&record, b"garbage").unwrap();
    let refused = folder.run(&["export"]);
    assert!(
        refused
            .sentence()
            .contains("trestle.sqlite-writes cannot be read"),
        "{refused:?}"
    );
    folder.good(&["store", "accept-loss"]);
    assert_eq!(folder.exported().len(), made.len());
}

/// A server that is killed while it writes, again and again, beside a second one on the same store.
#[tokio::test(flavor = "multi_thread")]
async fn killed_servers_start_again() {
    let folder = Folder::new();
    let data = folder.data();
    let mut made = HashSet::new();
    for round in 0..12_u64 {
        let servers = [serve(&data).await, serve(&data).await];
        let names: Vec<_> = (0..8).map(|n| format!("{round}: {n}")).collect();
        // The kill comes while creates are under way: what was answered before is acknowledged.
        let killed_after = usize::try_from(round % 6).unwrap();
        let mut under_way = names.iter().enumerate();
        for (number, name) in under_way.by_ref().take(killed_after) {
            made.extend(create(&servers[number % 2], name).await);
        }
        let last: Vec<_> = under_way
            .map(|(number, name)| {
                let server = &servers[number % 2];
                let body = serde_json::json!({ "query": format!(
                    "mutation {{ createApplication(input: {{ companyName: \"{name}\", positionTitle: \"P\" }}) {{
                        application {{ id }} }} }}"
                ) });
                tokio::spawn(server.client.post(&server.url).json(&body).send())
            })
            .collect();
        for server in &servers {
            server.kill();
        }
        for server in servers {
            server.ended().await;
        }
        futures_util::future::join_all(last).await;
    }
    let server = serve(&data).await;
    assert!(listed(&server).await.is_superset(&made));
    server.stop().await;
    assert_eq!(
        folder.good(&["store", "check"]).out,
        "Nothing is damaged.\n"
    );
}
