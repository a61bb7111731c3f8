//! Files of the embedded store that are removed or replaced while a server has them open: what was acknowledged is there after
//! the restart that the log asks for.

use std::collections::HashSet;
use std::fs;

use crate::commands::run::Folder;
use crate::commands::store::{create, listed, serve};
use crate::process::{Ended, Process};

const LOG: &str = "trestle.sqlite-wal";
const INDEX: &str = "trestle.sqlite-shm";
const RECORD: &str = "trestle.sqlite-writes";

/// How the server finds out, and how it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    AskedAndKilled,
    AskedAndStopped,
    /// Nobody asks it anything.
    Stopped,
}

const ENDS: [End; 3] = [End::AskedAndKilled, End::AskedAndStopped, End::Stopped];

impl End {
    /// Lets a server find out, which acknowledges nothing any more, and ends it.
    async fn of(self, server: Process, case: &str) -> Ended {
        if self != Self::Stopped {
            assert_eq!(create(&server, "Late").await, None, "{case}");
            assert_eq!(server.get("/readyz").await.status, 503, "{case}");
        }
        if self != Self::AskedAndKilled {
            return server.stop().await;
        }
        server.kill();
        server.ended().await
    }
}

/// Makes so many applications, and answers what was acknowledged.
async fn made(server: &Process, company: &str, count: usize) -> HashSet<String> {
    let mut made = HashSet::new();
    for number in 0..count {
        let name = format!("{company} {number}");
        made.insert(create(server, &name).await.unwrap());
    }
    made
}

async fn removed(files: &[&str], replaced: bool, end: End) {
    let case = format!("{files:?}, replaced: {replaced}, {end:?}");
    let folder = Folder::new();
    let server = serve(&folder.data()).await;
    let made = made(&server, "Company", 5).await;
    for name in files {
        fs::remove_file(folder.data().join(name)).unwrap();
    }
    if replaced {
        fs::write(folder.data().join(LOG), b"of somebody else").unwrap();
    }
    let log = end.of(server, &case).await;
    let said = "all that was acknowledged is in the store's file";
    assert!(log.log.contains(said), "{case}: {}", log.log);
    let server = serve(&folder.data()).await;
    assert_eq!(listed(&server).await, made, "{case}");
    assert!(create(&server, "After").await.is_some(), "{case}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_outlives_the_removal_of_the_log() {
    let removals: [&[&str]; 4] = [&[LOG], &[LOG, INDEX], &[LOG, RECORD], &[LOG, INDEX, RECORD]];
    for files in removals {
        for end in ENDS {
            removed(files, false, end).await;
        }
    }
    for end in ENDS {
        removed(&[LOG], true, end).await;
    }
}

/// A store whose file is gone is copied by the process that still has it, whatever else is gone with it.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_is_copied_when_the_file_is_removed() {
    let removals: [&[&str]; 5] = [
        &[],
        &[LOG],
        &[RECORD],
        &[LOG, RECORD],
        &[LOG, INDEX, RECORD],
    ];
    for others in removals {
        file_removed(others).await;
    }
}

async fn file_removed(others: &[&str]) {
    let folder = Folder::new();
    let server = serve(&folder.data()).await;
    let made = made(&server, "Company", 5).await;
    let file = folder.data().join("trestle.sqlite");
    fs::remove_file(&file).unwrap();
    for name in others {
        fs::remove_file(folder.data().join(name)).unwrap();
    }
    assert_eq!(create(&server, "Late").await, None, "{others:?}");
    server.kill();
    server.ended().await;
    let refused = folder.run(&["export"]);
    assert!(
        refused.sentence().contains("trestle.sqlite.rescued-"),
        "{others:?}: {refused:?}"
    );
    let entries = fs::read_dir(folder.data()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let rescued: Vec<_> = names.filter(|name| name.contains(".rescued-")).collect();
    assert_eq!(rescued.len(), 1, "{rescued:?}");
    // They are not there if they were removed.
    for name in [LOG, INDEX] {
        let _ = fs::remove_file(folder.data().join(name));
    }
    fs::rename(folder.data().join(&rescued[0]), file).unwrap();
    let server = serve(&folder.data()).await;
    assert_eq!(listed(&server).await, made);
}

/// What another program does to the log in its place.
#[derive(Clone, Copy, Debug)]
enum Harm {
    Emptied,
    Halved,
    /// An earlier state of it is copied over it.
    Earlier,
    /// So is the log of before the last start.
    OfBefore,
    Zeroed,
}

const HARMS: [Harm; 5] = [
    Harm::Emptied,
    Harm::Halved,
    Harm::Earlier,
    Harm::OfBefore,
    Harm::Zeroed,
];

impl Harm {
    fn content(self, now: &[u8], earlier: &[u8], of_before: &[u8]) -> Vec<u8> {
        match self {
            Self::Emptied => Vec::new(),
            Self::Halved => now[..now.len() / 2].to_vec(),
            Self::Earlier => earlier.to_vec(),
            Self::OfBefore => of_before.to_vec(),
            Self::Zeroed => vec![0; now.len()],
        }
    }
}

/// What stands in the store's file is there whatever happens to the log.
#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_is_written_over_harms_nothing_of_the_file() {
    for harm in HARMS {
        for end in ENDS {
            let case = format!("{harm:?}, {end:?}");
            let folder = Folder::new();
            let path = folder.data().join(LOG);
            let server = serve(&folder.data()).await;
            let old = made(&server, "Old", 10).await;
            let of_before = fs::read(&path).unwrap();
            server.stop().await;
            let server = serve(&folder.data()).await;
            let mut new = made(&server, "New", 3).await;
            let earlier = fs::read(&path).unwrap();
            new.extend(made(&server, "Newer", 2).await);
            let now = fs::read(&path).unwrap();
            // Not by another file that takes the name.
            fs::write(&path, harm.content(&now, &earlier, &of_before)).unwrap();
            let log = end.of(server, &case).await;
            let said = "the store's log was cut or written over while it was open";
            assert!(log.log.contains(said), "{case}: {}", log.log);
            assert_ne!(folder.run(&["store", "check"]).code, 0, "{case}");
            folder.good(&["store", "accept-loss"]);
            let server = serve(&folder.data()).await;
            let there = listed(&server).await;
            assert!(old.is_subset(&there), "{case}: {there:?}");
            let acknowledged: HashSet<_> = old.union(&new).cloned().collect();
            assert!(there.is_subset(&acknowledged), "{case}: {there:?}");
        }
    }
}

/// A copy of the log that takes its name, as restores and `rsync` write files.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_outlives_a_copy_in_the_place_of_the_log() {
    for end in ENDS {
        let folder = Folder::new();
        let path = folder.data().join(LOG);
        let server = serve(&folder.data()).await;
        let mut all = made(&server, "Company", 5).await;
        let copy = folder.path("copy");
        fs::copy(&path, &copy).unwrap();
        all.extend(made(&server, "Later", 1).await);
        fs::rename(&copy, &path).unwrap();
        end.of(server, &format!("{end:?}")).await;
        let server = serve(&folder.data()).await;
        assert_eq!(listed(&server).await, all, "{end:?}");
    }
}
