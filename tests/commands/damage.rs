//! Damage in the embedded store: found, named, and mended where the items tell what was there.

use std::collections::HashSet;

use rusqlite::{Connection, params};

use crate::commands::run::Folder;
use crate::commands::store::{create, listed, serve};

const TABLE: &str = "lambda_api_applications";

/// Changes bytes in the middle of a copy that an index holds.
fn damage(folder: &Folder, index: &str, company: &str) {
    let store = Connection::open(folder.data().join("trestle.sqlite")).unwrap();
    let damaged = store
        .execute(
            &format!("UPDATE \"{TABLE}::gsi::{index}\" SET item_json = replace(item_json, '\"companyName\":', '\"companyName\";') WHERE instr(item_json, ?1) > 0"),
            params![company],
        )
        .unwrap();
    assert_eq!(damaged, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn damage_in_an_index_is_found_and_mended() {
    let folder = Folder::new();
    let server = serve(&folder.data()).await;
    let mut made = HashSet::new();
    for company in ["Acme", "Bolt", "Crane"] {
        made.extend(create(&server, company).await);
    }
    damage(&folder, "GSI2", "Bolt");
    let found = folder.run(&["store", "check"]);
    assert_eq!(found.code, 2, "{found:?}");
    assert!(
        found
            .out
            .contains("1 rows of the index GSI2 differ from the items"),
        "{found:?}"
    );
    // A page that meets the damage is answered whole, and says in the log what happened.
    assert_eq!(listed(&server).await, made);
    assert_eq!(
        folder.good(&["store", "check"]).out,
        "Nothing is damaged.\n"
    );
    let log = server.stop().await.log;
    assert!(
        log.contains("damaged rows of an index were replaced"),
        "{log}"
    );
    damage(&folder, "GSI1", "Crane");
    let store = Connection::open(folder.data().join("trestle.sqlite")).unwrap();
    store
        .execute(&format!("DELETE FROM \"{TABLE}::gsi::GSI2\""), [])
        .unwrap();
    drop(store);
    let repaired = folder.good(&["store", "repair"]);
    assert!(
        repaired.out.ends_with("Nothing is damaged.\n"),
        "{repaired:?}"
    );
    let server = serve(&folder.data()).await;
    assert_eq!(listed(&server).await, made);
}

#[test]
fn a_damaged_item_is_named() {
    let folder = Folder::new();
    let file = folder.file("one.csv", "Company,Title,Status\nAcme,Engineer,applied\n");
    folder.good(&["import", &file]);
    let store = Connection::open(folder.data().join("trestle.sqlite")).unwrap();
    store
        .execute(
            &format!(
                "UPDATE \"{TABLE}\" SET item_json = 'x' WHERE instr(item_json, 'HIST#00000001') > 0"
            ),
            [],
        )
        .unwrap();
    drop(store);
    let found = folder.run(&["store", "check"]);
    assert_eq!(found.code, 2, "{found:?}");
    assert!(
        found.out.contains("/ HIST#00000001 cannot be read"),
        "{found:?}"
    );
    assert!(found.out.contains("Restore a backup"), "{found:?}");
}

/// Three applications, of which one has a history entry that cannot be read, and damaged indexes.
fn damaged() -> Folder {
    let folder = Folder::new();
    let file = folder.file(
        "three.csv",
        "Company,Title,Status\nAcme,Engineer,applied\nBolt,Engineer,applied\nCrane,Engineer,applied\n",
    );
    folder.good(&["import", &file]);
    let store = Connection::open(folder.data().join("trestle.sqlite")).unwrap();
    let changed = store.execute(
        &format!(
            "UPDATE \"{TABLE}\" SET item_json = 'x' WHERE sk = 'S:HIST#00000001' AND instr(item_json, 'Bolt') > 0"
        ),
        [],
    );
    assert_eq!(changed.unwrap(), 1);
    store
        .execute_batch(&format!(
            "DROP TABLE \"{TABLE}::gsi::GSI1\"; DELETE FROM \"{TABLE}::gsi::GSI2\""
        ))
        .unwrap();
    folder
}

fn copied(folder: &Folder) -> Folder {
    let copy = Folder::new();
    std::fs::create_dir(copy.data()).unwrap();
    for entry in std::fs::read_dir(folder.data()).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), copy.data().join(entry.file_name())).unwrap();
    }
    copy
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repair_builds_all_indexes_beside_items_that_cannot_be_read() {
    let folder = damaged();
    let found = folder.run(&["store", "check"]);
    assert!(
        found.out.contains("the index GSI1 is missing."),
        "{found:?}"
    );
    let before = copied(&folder);
    let repaired = folder.run(&["store", "repair"]);
    assert_eq!(repaired.code, 2, "{repaired:?}");
    for line in [
        "built the index GSI1 again",
        "built the index GSI2 again",
        "HIST#00000001 cannot be read",
    ] {
        assert!(repaired.out.contains(line), "{line}: {repaired:?}");
    }
    let again = folder.run(&["store", "repair"]);
    assert_eq!(again.code, 2, "{again:?}");
    assert!(!again.out.contains("built the index"), "{again:?}");
    // The store as it was is beside it, once.
    let kept: Vec<_> = std::fs::read_dir(folder.data())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().contains("before-repair"))
        .collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    std::fs::copy(&kept[0], before.data().join("trestle.sqlite")).unwrap();
    assert_eq!(before.run(&["store", "check"]).out, found.out);
    let server = serve(&folder.data()).await;
    assert_eq!(listed(&server).await.len(), 3);
}

#[test]
fn an_item_that_cannot_be_read_is_restored_from_an_index() {
    let folder = Folder::new();
    let file = folder.file("one.csv", "Company,Title,Status\nAcme,Engineer,applied\n");
    folder.good(&["import", &file]);
    let before = folder.exported();
    let store = Connection::open(folder.data().join("trestle.sqlite")).unwrap();
    let changed = store.execute(
        &format!("UPDATE \"{TABLE}\" SET item_json = 'x' WHERE pk = sk"),
        [],
    );
    assert_eq!(changed.unwrap(), 1);
    drop(store);
    let repaired = folder.good(&["store", "repair"]);
    assert!(repaired.out.contains("restored the item"), "{repaired:?}");
    assert_eq!(folder.exported(), before);
}

#[test]
fn a_repair_beside_a_server_is_refused() {
    let folder = damaged();
    let other = Connection::open(folder.data().join("trestle.sqlite")).unwrap();
    other
        .query_row("SELECT count(*) FROM _tables", [], |row| {
            row.get::<_, i64>(0)
        })
        .unwrap();
    let refused = folder.run(&["store", "repair"]);
    assert!(
        refused.sentence().contains("Stop it before a repair"),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_repair_that_is_killed_leaves_the_store_as_it_was_or_repaired() {
    let folder = damaged();
    let before = folder.run(&["store", "check"]).out;
    let repaired = {
        let whole = copied(&folder);
        whole.run(&["store", "repair"]);
        whole.run(&["store", "check"]).out
    };
    for step in 0..20 {
        let folder = copied(&folder);
        let mut repair = folder.command(&["store", "repair"]);
        let mut repair = repair.stdout(std::process::Stdio::null()).spawn().unwrap();
        tokio::time::sleep(std::time::Duration::from_millis(4 * step)).await;
        repair.kill().unwrap();
        repair.wait().unwrap();
        let found = folder.run(&["store", "check"]).out;
        assert!(found == before || found == repaired, "step {step}: {found}");
        folder.run(&["store", "repair"]);
        assert_eq!(folder.run(&["store", "check"]).out, repaired, "step {step}");
    }
}

/// Not "there is none": what cannot be read is neither missing nor free.
#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_item_is_unreadable_and_not_missing() {
    let folder = Folder::new();
    let file = folder.file(
        "two.csv",
        "Company,Title,Status\nAcme,Engineer,applied\nBolt,Engineer,applied\n",
    );
    folder.good(&["import", &file]);
    let damaged = folder.exported()[0]["id"].as_str().unwrap().to_owned();
    let store = Connection::open(folder.data().join("trestle.sqlite")).unwrap();
    // In the indexes as well, so that nothing is left to restore it from.
    for table in [
        TABLE.to_owned(),
        format!("{TABLE}::gsi::GSI1"),
        format!("{TABLE}::gsi::GSI2"),
    ] {
        store
            .execute(
                &format!("UPDATE \"{table}\" SET item_json = 'x' WHERE instr(item_json, ?1) > 0 AND instr(item_json, 'Acme') > 0"),
                [&damaged],
            )
            .unwrap();
    }
    drop(store);
    let server = serve(&folder.data()).await;
    let query = format!("{{ application(id: \"{damaged}\") {{ companyName }} }}");
    for _ in 0..2 {
        let answer = server.query(&query).await.body();
        assert_eq!(
            answer["errors"][0]["extensions"]["code"], "UNREADABLE",
            "{answer}"
        );
    }
    let create = format!(
        "mutation {{ createApplication(input: {{ id: \"{damaged}\", companyName: \"New\", positionTitle: \"P\", status: APPLIED }}) {{ application {{ id }} userErrors {{ code }} }} }}"
    );
    let answer = server.query(&create).await.body();
    assert!(
        answer["data"]["createApplication"]["application"].is_null(),
        "{answer}"
    );
    let log = server.stop().await.log;
    assert!(
        log.contains("an item cannot be read and was set aside") && log.contains(&damaged),
        "{log}"
    );
    let exported = folder.run(&["export"]);
    assert_eq!(exported.code, 2, "{exported:?}");
    assert!(
        exported.out.contains("Bolt") && !exported.out.contains("Acme"),
        "{exported:?}"
    );
    let found = folder.run(&["store", "check"]);
    assert!(
        found.out.contains(&format!("{damaged} cannot be read")),
        "{found:?}"
    );
}

/// How a copy of an item is damaged so that it can still be read, or not.
const DAMAGED: [(&str, &str); 4] = [
    (
        "another value",
        "replace(item_json, '\"Acme\"', '\"Acne\"')",
    ),
    ("another key", "replace(item_json, 'APP#', 'APQ#')"),
    (
        "another name",
        "replace(item_json, '\"companyName\"', '\"compamyName\"')",
    ),
    (
        "unreadable",
        "replace(item_json, '\"companyName\":', '\"companyName\";')",
    ),
];

/// Damages some of the three copies of an application: the item, and the ones in GSI1 and GSI2. What two copies say wins, or
/// nothing is changed.
#[test]
fn what_two_copies_say_is_right() {
    let folder = Folder::new();
    let file = folder.file("one.csv", "Company,Title,Status\nAcme,Engineer,applied\n");
    folder.good(&["import", &file]);
    let before = folder.exported();
    let tables = [
        TABLE.to_owned(),
        format!("{TABLE}::gsi::GSI1"),
        format!("{TABLE}::gsi::GSI2"),
    ];
    let contents = |folder: &Folder| {
        let store = Connection::open(folder.data().join("trestle.sqlite")).unwrap();
        tables.clone().map(|table| {
            let select =
                format!("SELECT item_json FROM \"{table}\" WHERE instr(item_json, 'GSI1PK') > 0");
            store
                .query_row(&select, [], |row| row.get::<_, String>(0))
                .unwrap()
        })
    };
    let (mut restored, mut kept) = (0, 0);
    for damaged in 1..7_usize {
        for (what, damage) in DAMAGED {
            let case = format!("{damaged:03b} {what}");
            let folder = copied(&folder);
            let store = Connection::open(folder.data().join("trestle.sqlite")).unwrap();
            for (at, table) in tables.iter().enumerate() {
                // Two damaged copies differ from each other, as damage does.
                let damage = damage
                    .replace("Acne", &format!("Acn{at}"))
                    .replace("APQ#", &format!("AP{at}#"))
                    .replace("compamy", &format!("compa{at}y"));
                if damaged & (1 << at) != 0 {
                    let update = format!(
                        "UPDATE \"{table}\" SET item_json = {damage} WHERE instr(item_json, 'GSI1PK') > 0"
                    );
                    assert_eq!(store.execute(&update, []).unwrap(), 1, "{case}");
                }
            }
            drop(store);
            let harmed = contents(&folder);
            let repaired = folder.run(&["store", "repair"]);
            let after = contents(&folder);
            if repaired.code == 0 {
                restored += 1;
                // One copy alone is no majority of three, unless the others cannot be what they are called.
                assert_eq!(folder.exported(), before, "{case}: {repaired:?}");
                assert!(after.iter().all(|copy| *copy == after[0]), "{case}");
            } else {
                kept += 1;
                assert_eq!(repaired.code, 2, "{case}");
                assert_eq!(after, harmed, "{case}: {repaired:?}");
                assert!(damaged.count_ones() > 1, "{case}: {repaired:?}");
                assert!(
                    repaired.out.contains("left as they are")
                        || repaired.out.contains("cannot be read"),
                    "{case}: {repaired:?}"
                );
            }
        }
    }
    assert!(restored >= 12 && kept > 0, "{restored} {kept}");
}
