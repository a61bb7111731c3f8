//! Stores that earlier releases made.

use std::fs;
use std::path::Path;

use rusqlite::Connection;

use crate::commands::run::Folder;
use crate::commands::store::{create, listed, serve};

/// A store of each release, named after it, with one application of the company Acme.
fn stores() -> Vec<(String, Folder)> {
    let stores = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/commands/stores");
    let stores = fs::read_dir(stores)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let stores: Vec<_> = stores
        .map(|path| {
            let folder = Folder::new();
            fs::create_dir(folder.data()).unwrap();
            fs::copy(&path, folder.data().join("trestle.sqlite")).unwrap();
            (
                path.file_stem().unwrap().to_str().unwrap().to_owned(),
                folder,
            )
        })
        .collect();
    assert!(!stores.is_empty());
    stores
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_of_an_earlier_release_is_read_and_changed() {
    for (release, folder) in stores() {
        assert_eq!(
            folder.good(&["store", "check"]).out,
            "Nothing is damaged.\n",
            "{release}"
        );
        assert_eq!(folder.exported()[0]["companyName"], "Acme", "{release}");
        let server = serve(&folder.data()).await;
        create(&server, "Bolt").await.unwrap();
        assert_eq!(listed(&server).await.len(), 2, "{release}");
    }
}

/// Whoever looks at a store without opening it for requests does not know what a later schema means.
#[test]
fn every_command_refuses_a_store_with_a_later_schema() {
    let folder = Folder::new();
    folder.good(&["table", "create"]);
    let store = Connection::open(folder.data().join("trestle.sqlite")).unwrap();
    let later = "UPDATE _config SET value = value + 1 WHERE key = 'schema_version'";
    assert_eq!(store.execute(later, []).unwrap(), 1);
    drop(store);
    for command in [
        ["store", "check"].as_slice(),
        &["store", "backup", "backup.tar"],
        &["store", "backup", "--to", "-"],
        &["store", "repair"],
        &["store", "accept-loss"],
        &["table", "check"],
        &["table", "create"],
        &["export"],
        &["serve", "--listen", "127.0.0.1:0"],
    ] {
        let refused = folder.run(command);
        assert!(
            refused
                .sentence()
                .contains("was made by a later release of Trestle"),
            "{command:?}: {refused:?}"
        );
        assert!(!folder.path("backup.tar").exists());
    }
}

#[test]
fn a_store_without_a_stamp_gets_one_and_a_later_one_is_refused() {
    for (release, folder) in stores() {
        let store = Connection::open(folder.data().join("trestle.sqlite")).unwrap();
        store.pragma_update(None, "application_id", 0).unwrap();
        store.pragma_update(None, "user_version", 0).unwrap();
        drop(store);
        assert_eq!(folder.exported()[0]["companyName"], "Acme", "{release}");
        let store = Connection::open(folder.data().join("trestle.sqlite")).unwrap();
        store.pragma_update(None, "user_version", 99).unwrap();
        drop(store);
        let refused = folder.run(&["export"]);
        assert!(
            refused
                .sentence()
                .contains("was made by a later release of Trestle"),
            "{release}: {refused:?}"
        );
    }
}
