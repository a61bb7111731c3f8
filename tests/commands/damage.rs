//! Damage in the embedded store: found, named, and mended where the items tell what was there.

use std::collections::HashSet;

use rusqlite::{Connection, params};

use crate::run::Folder;
use crate::store::{create, listed, serve};

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
