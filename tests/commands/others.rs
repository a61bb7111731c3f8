//! The other commands: what they print, and the sentences in which they refuse.

use aws_sdk_dynamodb::types::AttributeValue;

use crate::commands::run::{Folder, s};

#[test]
fn the_schema_is_the_one_that_is_committed() {
    let printed = Folder::new().good(&["schema"]).out;
    assert_eq!(printed, include_str!("../../schema.graphql"));
}

#[test]
fn a_table_is_missing_until_it_is_created() {
    let folder = Folder::new();
    let ended = folder.run(&["table", "check"]);
    assert_eq!(ended.code, 1);
    assert_eq!(
        ended.out,
        "lambda_api_applications: missing. `trestle table create` makes it.\n"
    );
    for _ in 0..2 {
        assert_eq!(
            folder.good(&["table", "create"]).out,
            "lambda_api_applications: good\n"
        );
    }
    folder.good(&["table", "check"]);
    let ended = folder.run(&["table", "check", "--applications-table", "other-table"]);
    assert!(
        ended.code == 1 && ended.out.starts_with("other-table: missing"),
        "{ended:?}"
    );
}

#[test]
fn names_that_no_table_can_have_are_refused() {
    let folder = Folder::new();
    for name in ["a*b", "a/b", "ab", ""] {
        for command in [&["iam-policy"][..], &["table", "template"]] {
            let ended = folder.run(&[command, &["--applications-table", name]].concat());
            assert_eq!((ended.code, ended.out.as_str()), (2, ""), "{ended:?}");
            let says = ended
                .err
                .contains("give 3 to 255 letters, digits, _, - and .");
            assert!(says || name.is_empty(), "{ended:?}");
        }
    }
    folder.good(&["iam-policy", "--applications-table", "Team_1.jobs-2026"]);
}

#[test]
fn policies_and_templates_name_what_can_be() {
    let folder = Folder::new();
    for (arguments, says) in [
        (&["iam-policy", "--bucket", "a*b"][..], "lower-case letters"),
        (&["iam-policy", "--bucket=-ab"], "lower-case letters"),
        (&["iam-policy", "--bucket", "Abc"], "lower-case letters"),
        (&["iam-policy", "--region", "eu*"], "eu-central-1"),
        (&["iam-policy", "--region", "eu-west"], "eu-central-1"),
        (&["iam-policy", "--bucket", "a.-b"], "lower-case letters"),
        (
            &["iam-policy", "--bucket", "10.0.0.1"],
            "lower-case letters",
        ),
        (&["iam-policy", "--account", "123"], "12 digits"),
        (
            &["iam-policy", "--service", "job-board,job-board"],
            "named twice",
        ),
        (
            &["table", "template", "--service", "job-board,job-board"],
            "named twice",
        ),
        (
            &["table", "template", "--tag", "AWS:name=x"],
            "must not begin with aws:",
        ),
        (&["table", "template", "--tag", "=x"], "must be KEY=VALUE"),
        (
            &["table", "template", "--tag", "a=${x}"],
            "must be KEY=VALUE",
        ),
        (
            &["table", "template", "--tag", "a=1", "--tag", "a=2"],
            "The tag a is given twice.",
        ),
    ] {
        let ended = folder.run(arguments);
        assert!(
            ended.code != 0 && ended.out.is_empty(),
            "{arguments:?}: {ended:?}"
        );
        assert!(ended.err.contains(says), "{arguments:?}: {ended:?}");
    }
    let long = format!("{}=x", "k".repeat(129));
    assert_ne!(folder.run(&["table", "template", "--tag", &long]).code, 0);
    folder.good(&[
        "iam-policy",
        "--bucket",
        "my-files.example",
        "--account",
        "123456789012",
    ]);
    folder.good(&["iam-policy", "--region", ""]);
    folder.good(&["iam-policy", "--region", "us-gov-west-1"]);
    folder.good(&["table", "template", "--tag", "a=1", "--tag", "b="]);
    folder.good(&["table", "template", "--tag", "Größe: a/b@c=1+1 = 2."]);
}

#[test]
fn what_only_reads_makes_no_store_and_no_table() {
    let folder = Folder::new();
    let rows = folder.file("rows.csv", "company,title\nVisa,Engineer\n");
    for arguments in [&["table", "check"][..], &["table", "recount"], &["export"]] {
        let ended = folder.run(&[arguments, &["--data", "nope"]].concat());
        assert_eq!(ended.code, 1, "{arguments:?}: {ended:?}");
        let said = ended.sentence();
        assert!(said.contains("no store in nope"), "{arguments:?}: {said}");
    }
    let tried = ["import", &rows, "--dry-run", "--data", "nope"];
    let ended = folder.good(&tried);
    assert_eq!(ended.counts(), (1, 0, 0));
    assert!(ended.err.contains("no store in nope"), "{ended:?}");
    assert_eq!(folder.names(), ["rows.csv"]);

    folder.good(&["table", "create"]);
    let other = ["--applications-table", "other-table"];
    let recounted = folder.run(&[&["table", "recount"][..], &other].concat());
    assert!(
        recounted.code == 1 && recounted.sentence().contains("no table other-table"),
        "{recounted:?}"
    );
    let tried = folder.good(&[&["import", &rows, "--dry-run"][..], &other].concat());
    assert_eq!(tried.counts(), (1, 0, 0));
    assert!(tried.err.contains("no table other-table"), "{tried:?}");
    let checked = folder.run(&[&["table", "check"][..], &other].concat());
    assert_eq!(checked.code, 1, "{checked:?}");
}

#[test]
fn a_store_that_cannot_be_one_is_told_with_what_to_do() {
    let folder = Folder::new();
    std::fs::create_dir(folder.data()).unwrap();
    let text = "this is a text, and no store";
    for text in [text, &format!("SQLite format 3\0{text}")] {
        folder.file("data/trestle.sqlite", text);
        for arguments in [["table", "check"], ["table", "create"]] {
            let ended = folder.run(&arguments);
            let said = ended.sentence();
            assert!(
                said.contains("is not a store of Trestle") && said.contains("--data"),
                "{arguments:?}: {said}"
            );
        }
    }
    let ended = folder.run(&["table", "create", "--data", "/proc/no-folder"]);
    let said = ended.sentence();
    assert!(
        said.contains("/proc/no-folder cannot be used") && said.contains("--data"),
        "{said}"
    );
}

#[tokio::test]
async fn counters_that_are_off_are_corrected_by_a_recount() {
    let folder = Folder::new();
    let rows = folder.file("rows.csv", "company,title,archived\nA,x,\nB,x,yes\nC,x,\n");
    folder.good(&["import", &rows]);
    assert_eq!(
        folder.good(&["table", "recount"]).out,
        "0 counters corrected\n"
    );
    let wrong = folder
        .store()
        .put_item()
        .table_name("lambda_api_applications");
    let wrong = wrong.item("PK", s("META")).item("SK", s("COUNT"));
    wrong
        .item("count", AttributeValue::N("7".into()))
        .send()
        .await
        .unwrap();
    assert_eq!(
        folder.good(&["table", "recount"]).out,
        "3 counters corrected\n"
    );
    assert_eq!(folder.count().await, 2);
    assert_eq!(
        folder.good(&["table", "recount"]).out,
        "0 counters corrected\n"
    );
}

#[tokio::test]
async fn weeks_that_are_off_are_corrected_by_a_recount() {
    let folder = Folder::new();
    let rows = "company,title,status,date applied\nA,x,sent,2025-12-30\nB,x,sent,2026-01-02\n";
    folder.good(&["import", &folder.file("rows.csv", rows)]);
    let year = |year: &str| {
        let store = folder.store();
        let sort_key = s(&format!("APPLIED#{year}"));
        async move {
            let get = store.get_item().table_name("lambda_api_applications");
            let get = get.key("PK", s("INSIGHT")).key("SK", sort_key);
            let mut item = get.send().await.unwrap().item.unwrap();
            item.retain(|name, value| name.starts_with('W') && *value != n(0));
            item
        }
    };
    // Both days are in the first week of 2026.
    let right = [("W01".to_owned(), n(2))].into();
    assert_eq!(year("2026").await, right);
    for (year, week) in [("2026", "W01"), ("2026", "W02"), ("2019", "W07")] {
        let wrong = folder
            .store()
            .update_item()
            .table_name("lambda_api_applications");
        let wrong = wrong.key("PK", s("INSIGHT"));
        let wrong = wrong.key("SK", s(&format!("APPLIED#{year}")));
        let wrong = wrong
            .update_expression("ADD #w :by")
            .expression_attribute_names("#w", week)
            .expression_attribute_values(":by", n(5));
        wrong.send().await.unwrap();
    }
    assert_eq!(
        folder.good(&["table", "recount"]).out,
        "3 counters corrected\n"
    );
    assert_eq!(year("2026").await, right);
    assert!(year("2019").await.is_empty());
    assert_eq!(
        folder.good(&["table", "recount"]).out,
        "0 counters corrected\n"
    );
}

fn n(number: i64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

#[test]
fn an_api_key_is_shown_once_and_its_file_does_not_tell_it() {
    let folder = Folder::new();
    let made = folder.good(&["api-key", "reader"]);
    let secret = made.err.lines().next().unwrap().rsplit(' ').next().unwrap();
    assert!(secret.len() >= 32, "{made:?}");
    assert!(
        made.out.starts_with("reader") && !made.out.contains(secret),
        "{made:?}"
    );
    let another = folder.good(&["api-key", "reader"]);
    assert_ne!(made.out, another.out);
    let refused = folder.run(&["api-key", "no spaces"]);
    assert!(refused.sentence().starts_with("trestle: "), "{refused:?}");
}

#[test]
fn serving_refuses_wrong_settings_with_a_sentence_and_makes_nothing() {
    let folder = Folder::new();
    let keys = folder.file("keys", "not a key file\n");
    for (arguments, said) in [
        (["--listen", "0.0.0.0:0"], "0.0.0.0"),
        (["--listen", "nowhere"], "nowhere"),
        (["--service", "unknown"], "unknown"),
        (["--api-keys", "missing-file"], "missing-file"),
        (["--api-keys", keys.as_str()], "line 1"),
    ] {
        let ended = folder.run(&["serve", arguments[0], arguments[1]]);
        assert!(ended.sentence().contains(said), "{arguments:?}: {ended:?}");
        assert!(!folder.data().exists(), "{arguments:?} made a store");
    }
    let ended = folder.run(&["serve", "--listen", "127.0.0.1:0", "--memory", "--aws"]);
    assert!(ended.sentence().contains("--aws"), "{ended:?}");
}

#[test]
fn a_data_folder_that_is_a_file_is_told() {
    let folder = Folder::new();
    folder.file("data", "?");
    let ended = folder.run(&["table", "check"]);
    assert!(ended.sentence().contains("data folder"), "{ended:?}");
}

#[test]
fn a_health_check_of_nobody_fails_with_a_sentence() {
    let ended = Folder::new().run(&["health", "--listen", "127.0.0.1:1"]);
    assert!(ended.sentence().starts_with("trestle: "), "{ended:?}");
}
