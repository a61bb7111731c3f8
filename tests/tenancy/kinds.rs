//! A table of one kind is refused by everything that works on the other kind.

use crate::commands::run::Folder;

/// `serve` on the folder's store, which must end by itself.
fn refused_to_serve(folder: &Folder, flags: &[&str]) -> String {
    let arguments = [&["serve", "--listen", "127.0.0.1:0"], flags].concat();
    folder.run(&arguments).sentence().to_owned()
}

fn keys(folder: &Folder) -> String {
    let made = folder.good(&["api-key", "ada", "--access", "write", "--owner", "ada"]);
    folder.file("keys", &made.out)
}

const ROWS: &str = "companyName,positionTitle\nAcme,Engineer\n";

#[test]
fn a_table_without_owners_is_refused_by_what_needs_owners() {
    let folder = Folder::new();
    let rows = folder.file("rows.csv", ROWS);
    folder.good(&["import", &rows]);
    let keys = keys(&folder);
    let says = "has one list of applications and no owners";
    let refused = refused_to_serve(&folder, &["--tenancy", "owner", "--api-keys", &keys]);
    assert!(refused.contains(says), "{refused}");
    for whose in [&["--owner", "ada"][..], &["--all-owners"]] {
        for command in [
            &["import", &rows][..],
            &["import", &rows, "--dry-run"],
            &["export"],
            &["table", "recount"],
        ] {
            let refused = folder.run(&[command, whose].concat());
            assert!(
                refused.sentence().contains(says),
                "{command:?} {whose:?}: {refused:?}"
            );
        }
    }
    assert_eq!(folder.exported().len(), 1);
}

#[test]
fn a_table_with_owners_is_refused_by_what_has_none() {
    let folder = Folder::new();
    let rows = folder.file("rows.csv", ROWS);
    folder.good(&["import", &rows, "--owner", "ada"]);
    let says = "has a list of applications for each owner";
    for flags in [&[][..], &["--tenancy", "single"]] {
        let refused = refused_to_serve(&folder, flags);
        assert!(refused.contains(says), "{refused}");
    }
    for command in [
        &["import", &rows][..],
        &["import", &rows, "--dry-run"],
        &["export"],
        &["table", "recount"],
    ] {
        let refused = folder.run(command);
        assert!(
            refused.sentence().contains(says),
            "{command:?}: {refused:?}"
        );
    }
    let exported = folder.good(&["export", "--owner", "ada"]).out;
    assert_eq!(exported.lines().count(), 1);
    let unknown = folder.run(&["export", "--owner", "Ada"]);
    assert!(
        unknown.sentence().contains("no applications of the owner"),
        "{unknown:?}"
    );
    let both = folder.run(&["export", "--owner", "ada", "--all-owners"]);
    assert!(both.sentence().contains("cannot be used with"), "{both:?}");
}

#[test]
fn keys_with_owners_ask_for_a_choice_and_owners_need_credentials_that_name_them() {
    let folder = Folder::new();
    let owned = keys(&folder);
    let refused = refused_to_serve(&folder, &["--api-keys", &owned]);
    assert!(
        refused.contains("API keys name owners, so say"),
        "{refused}"
    );
    let made = folder.good(&["api-key", "ben", "--access", "write"]);
    let plain = folder.file("plain", &made.out);
    let refused = refused_to_serve(&folder, &["--tenancy", "owner", "--api-keys", &plain]);
    assert!(
        refused.contains("--tenancy owner needs credentials that name an owner"),
        "{refused}"
    );
}
