//! What exports do not overwrite, and what imports do not take.

use std::fs;

use serde_json::json;

use crate::commands::run::Folder;

#[test]
fn an_export_does_not_replace_the_store() {
    let folder = Folder::new();
    folder.good(&["table", "create"]);
    for name in ["trestle.sqlite", "trestle.sqlite-wal", "trestle.sqlite-new"] {
        let onto = folder.data().join(name);
        let told = folder.run(&["export", "-o", onto.to_str().unwrap()]);
        assert!(
            told.sentence().contains("is a file of the store itself"),
            "{told:?}"
        );
    }
    folder.good(&["table", "check"]);
}

#[test]
fn what_a_killed_export_left_is_removed_by_the_next() {
    let folder = Folder::new();
    folder.good(&["table", "create"]);
    let running = fs::File::create_new(folder.path(".all.ndjson.running.partial")).unwrap();
    running.lock().unwrap();
    folder.file(".all.ndjson.killed.partial", "half");
    folder.file(".other.ndjson.killed.partial", "of another file");
    folder.good(&["export", "-o", "all.ndjson"]);
    let left = [
        ".all.ndjson.running.partial",
        ".other.ndjson.killed.partial",
        "all.ndjson",
        "data",
    ];
    assert_eq!(folder.names(), left);
}

#[test]
fn cells_that_look_like_formulas_are_shielded_and_taken_back() {
    let folder = Folder::new();
    let odd = ["=1+1", "+49 30", "-", "@home", "'=quoted", "'plain'"];
    let row = |notes| json!({ "companyName": "Acme", "positionTitle": "Engineer", "status": "applied", "notes": notes });
    let ndjson = odd.map(|notes| row(notes).to_string());
    let file = folder.file("odd.ndjson", &ndjson.join("\n"));
    folder.good(&["import", &file]);
    let csv = folder.good(&["export", "--format", "csv"]).out;
    for cell in csv.split([',', '\n']) {
        assert!(
            !cell.trim_matches('"').starts_with(['=', '+', '-', '@']),
            "{cell}"
        );
    }
    let back = Folder::new();
    let file = back.file("odd.csv", &csv);
    back.good(&["import", &file]);
    let notes = |folder: &Folder| {
        let mut all: Vec<_> = folder
            .exported()
            .iter()
            .map(|one| one["notes"].as_str().unwrap().to_owned())
            .collect();
        all.sort();
        all
    };
    assert_eq!(notes(&back), notes(&folder));
    assert_eq!(notes(&folder).len(), odd.len());
}

#[test]
fn files_that_are_too_large_or_name_a_column_twice_are_refused() {
    let folder = Folder::new();
    let file = folder.file("twice.csv", "Company,Title,Company\nAcme,Engineer,Bolt\n");
    let told = folder.run(&["import", &file]);
    assert!(
        told.sentence()
            .contains("Two columns have the name \"Company\""),
        "{told:?}"
    );
    let file = folder.file("case.csv", "Company,Title,company\nAcme,Engineer,Bolt\n");
    let told = folder.run(&["import", &file]);
    assert!(
        told.sentence()
            .contains("Two columns have the name \"company\""),
        "{told:?}"
    );
    let large = "x".repeat((64 << 20) + 1);
    let file = folder.file("large.csv", &format!("Company,Title\nAcme,{large}\n"));
    let told = folder.run(&["import", &file]);
    assert!(
        told.sentence().contains("has more than 64 MiB. Split it"),
        "{told:?}"
    );
    let file = folder.file("large.ndjson", &format!("{{}}\n{large}\n"));
    let told = folder.run(&["import", &file]);
    assert!(
        told.sentence().contains("line 2 has more than 64 MiB"),
        "{told:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_whose_version_contradicts_its_history_is_noted_and_read_as_it_is() {
    for (sequence, note) in [
        (4_294_967_295_u64, "is not a number up to 99999999"),
        (4_294_967_294, "is not a number up to 99999999"),
        (
            99_999_000,
            "is 99999000, and the newest `sequence` of its history is 1",
        ),
    ] {
        let folder = Folder::new();
        let file = folder.file("one.csv", "Company,Title\nAcme,Engineer\n");
        folder.good(&["import", &file]);
        let mut record = folder.exported().remove(0);
        record["historySequence"] = json!(sequence);
        let back = Folder::new();
        let file = back.file("back.ndjson", &record.to_string());
        let told = back.good(&["import", &file]);
        assert_eq!(told.counts(), (1, 0, 0), "{told:?}");
        assert!(format!("{told:?}").contains(note), "{told:?}");
        let server = crate::commands::store::serve(&back.data()).await;
        let list = "{ applications(first: 5) { edges { node { id history(first: 1) {
            totalCount edges { node { sequence } } } } } } }";
        let listed = server.query(list).await.body();
        let node = &listed["data"]["applications"]["edges"][0]["node"];
        assert_eq!(
            node["history"],
            json!({ "totalCount": 1, "edges": [{ "node": { "sequence": 1 } }] }),
            "{listed}"
        );
        let update = format!(
            "mutation {{ updateApplication(input: {{ id: {}, notes: \"changed\" }}) {{
                application {{ version }} userErrors {{ code }} }} }}",
            node["id"]
        );
        let changed = server.query(&update).await.body();
        let version = &changed["data"]["updateApplication"]["application"]["version"];
        let next = if sequence == 99_999_000 {
            99_999_001
        } else {
            2
        };
        assert_eq!(*version, next, "{changed}");
        server.stop().await;
    }
}
