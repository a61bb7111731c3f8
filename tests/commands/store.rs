//! The embedded store as files: removed, replaced, emptied, full, damaged, and copied while it is written.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use rusqlite::Connection;
use serde_json::{Value, json};
use tokio::process::Command;
use tokio::time::{sleep, timeout};

use crate::commands::run::{Folder, copy, take_store};
use crate::process::{Process, command};

/// A bound on waiting for what has to come.
const PATIENCE: Duration = Duration::from_secs(60);

pub async fn serve(data: &Path) -> Process {
    Process::start_with(&["--data", data.to_str().unwrap()], &[]).await
}

/// Creates an application. Its company, if that was acknowledged.
pub async fn create(server: &Process, company: &str) -> Option<String> {
    let document = "mutation($c: String!) {
        createApplication(input: { companyName: $c, positionTitle: \"P\", status: APPLIED }) {
            application { companyName } userErrors { message } } }";
    let body = json!({ "query": document, "variables": { "c": company } });
    let answer = server.post(&body, &[]).await.body();
    let name = &answer["data"]["createApplication"]["application"]["companyName"];
    name.as_str().map(str::to_owned)
}

/// The companies that the API lists.
pub async fn listed(server: &Process) -> HashSet<String> {
    let query = "{ applications(first: 100) { edges { node { companyName } } } }";
    let answer = server.query(query).await.body();
    let edges = answer["data"]["applications"]["edges"].as_array();
    let edges = edges.unwrap_or_else(|| panic!("{answer}"));
    let name = |edge: &Value| edge["node"]["companyName"].as_str().unwrap().to_owned();
    edges.iter().map(name).collect()
}

async fn becomes_unready(server: &Process) {
    let unready = async {
        while server.get("/readyz").await.status == 200 {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, unready)
        .await
        .expect("it says that it is not ready");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_written_to_removed_files_is_not_acknowledged() {
    let folder = Folder::new();
    let server = serve(&folder.data()).await;
    let kept = create(&server, "Kept").await.unwrap();
    let moved = folder.path("moved");
    fs::rename(folder.data(), &moved).unwrap();
    assert_eq!(create(&server, "Lost").await, None);
    becomes_unready(&server).await;
    // Nor when a copy of what was there takes its place.
    fs::create_dir(folder.data()).unwrap();
    for name in [
        "trestle.sqlite",
        "trestle.sqlite-wal",
        "trestle.sqlite-writes",
    ] {
        fs::copy(moved.join(name), folder.data().join(name)).unwrap();
    }
    assert_eq!(create(&server, "Lost").await, None);
    assert_eq!(server.get("/readyz").await.status, 503);
    assert_eq!(server.get("/livez").await.status, 200);
    let log = server.stop().await.log;
    assert!(log.contains("removed or replaced"), "{log}");
    // The SDK looks for a connection to close after an error, and the embedded store has none.
    assert!(!log.contains("no connection was found"), "{log}");
    let server = serve(&folder.data()).await;
    assert_eq!(listed(&server).await, HashSet::from([kept]));
}

/// Without the index of the log, another process would make a new one, and both would write over each other.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_acknowledged_without_the_index_of_the_log() {
    let folder = Folder::new();
    let server = serve(&folder.data()).await;
    let kept = create(&server, "Kept").await.unwrap();
    fs::remove_file(folder.data().join("trestle.sqlite-shm")).unwrap();
    assert_eq!(create(&server, "Lost").await, None);
    becomes_unready(&server).await;
    let second = folder.run(&["table", "create"]);
    assert!(
        second.sentence().contains(
            "trestle.sqlite-shm was removed meanwhile. Try again when that process has ended"
        ),
        "{second:?}"
    );
    server.stop().await;
    let server = serve(&folder.data()).await;
    assert_eq!(listed(&server).await, HashSet::from([kept]));
}

#[tokio::test]
async fn a_store_that_is_gone_is_not_begun_anew_without_a_word() {
    let folder = Folder::new();
    folder.good(&["table", "create"]);
    let file = folder.data().join("trestle.sqlite");
    fs::write(&file, b"").unwrap();
    let told = folder.run(&["table", "check"]);
    assert!(
        told.sentence()
            .contains("is empty or missing, and a store was there. Put a backup"),
        "{told:?}"
    );
    fs::remove_file(&file).unwrap();
    let commands: [&[&str]; 7] = [
        &["table", "create"],
        &["table", "check"],
        &["store", "check"],
        &["store", "repair"],
        &["store", "accept-loss"],
        &["store", "backup", "copy.tar"],
        &["export"],
    ];
    for left in ["trestle.sqlite-wal", "trestle.sqlite-writes"] {
        let left = folder.data().join(left);
        fs::write(&left, b"what is left").unwrap();
        for command in commands {
            let told = folder.run(command);
            assert!(
                told.sentence()
                    .contains("is empty or missing, and a store was there"),
                "{command:?}: {told:?}"
            );
        }
        fs::remove_file(&left).unwrap();
    }
}

/// What a data folder is before a server starts on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DataFolder {
    /// The default one, at a first start.
    Unnamed,
    Missing,
    Empty,
    /// A volume that nothing was written to, or a mount point of one that is not mounted.
    Volume,
    Store,
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_says_that_a_folder_which_was_named_has_no_store() {
    for is in [
        DataFolder::Unnamed,
        DataFolder::Missing,
        DataFolder::Empty,
        DataFolder::Volume,
        DataFolder::Store,
    ] {
        let folder = Folder::new();
        match is {
            DataFolder::Unnamed | DataFolder::Missing => {}
            DataFolder::Empty => fs::create_dir(folder.data()).unwrap(),
            DataFolder::Volume => fs::create_dir_all(folder.data().join("lost+found")).unwrap(),
            DataFolder::Store => drop(folder.good(&["table", "create"])),
        }
        let mut serve = command(&["serve", "--listen", "127.0.0.1:0"]);
        serve.current_dir(folder.path(""));
        if is != DataFolder::Unnamed {
            serve.env("TRESTLE_DATA", folder.data());
        }
        let log = Process::run(serve).await.stop().await.log;
        let is_told = log.contains("there is no store in the data folder: an empty one is begun");
        let is_new = !matches!(is, DataFolder::Unnamed | DataFolder::Store);
        assert_eq!(is_told, is_new, "{is:?}: {log}");
    }
}

#[test]
fn another_programs_file_is_refused_and_left_alone() {
    let folder = Folder::new();
    fs::create_dir(folder.data()).unwrap();
    let file = folder.data().join("trestle.sqlite");
    let notes = Connection::open(&file).unwrap();
    notes
        .execute_batch("CREATE TABLE notes (body TEXT); INSERT INTO notes VALUES ('mine')")
        .unwrap();
    let before = fs::read(&file).unwrap();
    let told = folder.run(&["table", "create"]);
    assert!(
        told.sentence()
            .contains("is not a store of Trestle. Name another folder"),
        "{told:?}"
    );
    assert!(
        !told.err.to_lowercase().contains("sqlite error") && !told.err.contains("dynoxide"),
        "{told:?}"
    );
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn stores_of_other_releases_are_known() {
    let folder = Folder::new();
    folder.good(&["table", "create"]);
    let file = folder.data().join("trestle.sqlite");
    let set = |stamp: i32, format: i32| {
        let store = Connection::open(&file).unwrap();
        store.pragma_update(None, "application_id", stamp).unwrap();
        store.pragma_update(None, "user_version", format).unwrap();
    };
    // The first release set no stamp.
    set(0, 0);
    folder.good(&["table", "check"]);
    let store = Connection::open(&file).unwrap();
    let stamp = store
        .pragma_query_value(None, "application_id", |row| row.get::<_, i32>(0))
        .unwrap();
    assert_eq!(stamp.to_be_bytes(), *b"TRST");
    drop(store);
    set(stamp, 99);
    let told = folder.run(&["table", "check"]);
    assert!(
        told.sentence()
            .contains("was made by a later release of Trestle. Use that release"),
        "{told:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_that_start_at_once_make_one_store() {
    let folder = Folder::new();
    let data = folder.data();
    let servers = join_all((0..4).map(|_| serve(&data))).await;
    let names = ["Acme", "Bolt", "Crane", "Dune"];
    let made = join_all(
        servers
            .iter()
            .zip(names)
            .map(|(server, name)| create(server, name)),
    )
    .await;
    let made: HashSet<_> = made.into_iter().map(Option::unwrap).collect();
    assert_eq!(made.len(), 4);
    for server in &servers {
        assert_eq!(listed(server).await, made);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_that_is_taken_under_writers_is_whole() {
    let folder = Folder::new();
    let server = Arc::new(serve(&folder.data()).await);
    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            let (server, stop) = (Arc::clone(&server), Arc::clone(&stop));
            tokio::spawn(async move {
                let mut made = Vec::new();
                while !stop.load(Relaxed) {
                    let company = format!("Writer {writer}, {}", made.len());
                    made.extend(create(&server, &company).await);
                }
                made
            })
        })
        .collect();
    let before = create(&server, "Before").await.unwrap();
    for number in 0..4 {
        let file = folder.path(&format!("{number}.tar"));
        let taken = folder.run(&["store", "backup", file.to_str().unwrap()]);
        assert_eq!(taken.code, 0, "{taken:?}");
    }
    stop.store(true, Relaxed);
    let made: HashSet<_> = join_all(writers)
        .await
        .into_iter()
        .flat_map(Result::unwrap)
        .collect();
    for number in 0..4 {
        let restored = Folder::new();
        fs::create_dir(restored.data()).unwrap();
        take_store(
            &folder.path(&format!("{number}.tar")),
            &restored.data().join("trestle.sqlite"),
        );
        assert_eq!(
            restored.good(&["store", "check"]).out,
            "Nothing is damaged.\n"
        );
        let exported = restored.exported();
        let ids: HashSet<_> = exported
            .iter()
            .map(|one| one["companyName"].as_str().unwrap().to_owned())
            .collect();
        assert!(ids.contains(&before));
        assert!(ids.iter().all(|id| made.contains(id) || *id == before));
        assert_eq!(restored.count().await, i64::try_from(ids.len()).unwrap());
    }
    let again = folder.run(&[
        "store",
        "backup",
        folder.data().join("trestle.sqlite").to_str().unwrap(),
    ]);
    assert!(
        again
            .sentence()
            .contains("exists already. No backup was made."),
        "{again:?}"
    );
}

/// A server in a file system of its own of a few megabytes; `None` where the system does not allow one.
async fn on_a_small_disk(folder: &Path) -> Option<Process> {
    let folder = folder.to_str().unwrap();
    let mount = format!("mount -t tmpfs -o size=8m tmpfs {folder}");
    let allowed = Command::new("unshare")
        .args(["-rm", "sh", "-c", &mount])
        .status()
        .await;
    if !allowed.is_ok_and(|status| status.success()) {
        assert!(
            std::env::var_os("CI").is_none(),
            "needs `unshare -rm` and a tmpfs"
        );
        eprintln!("skipped: needs `unshare -rm` and a tmpfs");
        return None;
    }
    let served = command(&[
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--data",
        &format!("{folder}/data"),
    ]);
    let served = served.as_std();
    let mut small = command(&[]);
    let mut inner = vec![
        "exec".to_owned(),
        format!("'{}'", served.get_program().display()),
    ];
    inner.extend(
        served
            .get_args()
            .map(|argument| format!("'{}'", argument.display())),
    );
    let script = format!("{mount} && {}", inner.join(" "));
    let mut unshared = Command::new("unshare");
    unshared.args(["-rm", "sh", "-c", &script]);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("TRESTLE_") {
            unshared.env_remove(name);
        }
    }
    unshared.current_dir(small.as_std_mut().get_current_dir().unwrap());
    unshared.stdin(std::process::Stdio::null());
    unshared
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    unshared.kill_on_drop(true);
    Some(Process::run(unshared).await)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_said_and_nothing_is_acknowledged_that_is_not_there() {
    let folder = Folder::new();
    let place = folder.path("disk");
    fs::create_dir(&place).unwrap();
    let Some(server) = on_a_small_disk(&place).await else {
        return;
    };
    let mut made = HashSet::from([create(&server, "Before").await.unwrap()]);
    assert_eq!(server.get("/readyz").await.status, 200);
    let inside = Path::new("/proc")
        .join(server.id().to_string())
        .join("root");
    let filler = inside.join(place.strip_prefix("/").unwrap()).join("filler");
    // Until the disk takes no more.
    let full = fs::write(&filler, vec![0; 16 << 20]);
    assert!(full.is_err());
    becomes_unready(&server).await;
    let began = Instant::now();
    let mut refused = 0;
    for n in 0..40 {
        let document = "mutation($c: String!) {
            createApplication(input: { companyName: $c, positionTitle: \"P\", status: APPLIED }) {
                application { companyName } } }";
        let body = json!({ "query": document, "variables": { "c": format!("Full {n}") } });
        let answer = server.post(&body, &[]).await.body();
        let name = &answer["data"]["createApplication"]["application"]["companyName"];
        match name.as_str() {
            Some(name) => drop(made.insert(name.to_owned())),
            // Not "unknown": nothing was changed.
            None => {
                refused += 1;
                assert_eq!(
                    answer["errors"][0]["extensions"]["code"], "INSUFFICIENT_STORAGE",
                    "{answer}"
                );
            }
        }
    }
    let seconds = began.elapsed().as_secs();
    fs::remove_file(&filler).unwrap();
    let ready = async {
        while server.get("/readyz").await.status != 200 {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, ready).await.expect("it is ready again");
    made.extend(create(&server, "After").await);
    assert_eq!(listed(&server).await, made);
    // The cause stands in the log, and not once for each request.
    let log = server.stop().await.log;
    assert!(refused > 5, "{refused}");
    let causes = log.matches("the disk is full").count() as u64;
    assert!((1..=seconds + 2).contains(&causes), "{causes} times: {log}");
    assert!(!log.contains("a field failed"), "{log}");
}

/// What an operator's hand, a clean-up or a restore of single files does to a file of the store.
const HARMS: [&str; 4] = ["removed", "replaced", "overwritten", "truncated"];

fn harm(file: &Path, earlier: &Path, harm: &str) {
    match harm {
        "removed" => fs::remove_file(file).unwrap(),
        "replaced" => {
            let copy = file.with_extension("copy");
            fs::copy(earlier, &copy).unwrap();
            fs::rename(copy, file).unwrap();
        }
        // In place.
        "overwritten" => drop(fs::copy(earlier, file).unwrap()),
        _ => drop(fs::File::create(file).unwrap()),
    }
}

/// Does something to a file of a store while a server has it open, which then ends. What was acknowledged is there
/// afterwards, or the store is refused; and the server is not ready unless nothing is missing.
async fn harmed(name: &str, what: &str, is_killed: bool) {
    let case = format!("{name} {what}, killed: {is_killed}");
    let folder = Folder::new();
    let server = serve(&folder.data()).await;
    create(&server, "First").await.unwrap();
    let earlier = folder.path("earlier");
    copy(&folder.data(), &earlier);
    let mut made = HashSet::from(["First".to_owned()]);
    made.extend(create(&server, "Second").await);
    harm(&folder.data().join(name), &earlier.join(name), what);
    // One may be refused, and the next is not acknowledged if the file cannot be written again.
    for number in 0..3 {
        made.extend(create(&server, &format!("After {number}")).await);
    }
    let is_ready = server.get("/readyz").await.status == 200;
    let is_record = name.ends_with("-writes");
    if is_record {
        assert!(is_ready && made.len() == 5, "{case}: {made:?}");
        // Also if it is the last that happens.
        if !is_killed {
            harm(&folder.data().join(name), &earlier.join(name), what);
        }
    }
    if is_killed {
        server.kill();
        server.ended().await;
    } else {
        server.stop().await;
    }
    let opened = folder.run(&["export"]);
    let companies: HashSet<_> = opened
        .out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|line| line["companyName"].as_str().unwrap().to_owned())
        .collect();
    if opened.code == 0 {
        assert!(companies.is_superset(&made), "{case}: {companies:?}");
    } else {
        opened.sentence();
        assert!(!is_record, "{case}: {opened:?}");
        assert!(!is_ready || made.len() < 5, "{case}: {opened:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_harmed_under_a_server_loses_nothing_unnoticed() {
    for name in [
        "trestle.sqlite-writes",
        "trestle.sqlite-wal",
        "trestle.sqlite",
    ] {
        for what in HARMS {
            for is_killed in [false, true] {
                harmed(name, what, is_killed).await;
            }
        }
    }
}
