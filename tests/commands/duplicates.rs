//! `trestle import`: postings that the table already has, the template, salaries; and counters of other programs.

use std::process::Stdio;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::commands::run::{Ended, Folder, s};

/// Fifty rows with a posting each, under ids of their own.
fn listings() -> String {
    let row = |i: usize| {
        let id = Uuid::new_v4();
        format!("{id},C{i},Engineer,https://example.com/jobs/{i}\n")
    };
    "id,company,title,link\n".to_owned() + &(0..50).map(row).collect::<String>()
}

fn left_out(ended: &Ended) -> Option<&str> {
    let mut lines = ended.out.lines();
    lines.find(|line| line.contains("the same job posting"))
}

#[tokio::test]
async fn postings_that_the_table_has_are_left_out_unless_duplicates_are_allowed() {
    let folder = Folder::new();
    let first = folder.file("first.csv", &listings());
    let others = folder.file("others.csv", &listings());
    assert_eq!(folder.good(&["import", &first]).counts(), (50, 0, 0));
    let before = folder.exported();

    for options in [&["--dry-run"][..], &[]] {
        let again = folder.good(&[&["import", &first][..], options].concat());
        assert_eq!((again.counts(), left_out(&again)), ((0, 50, 0), None));
        let same = folder.good(&[&["import", &others][..], options].concat());
        assert_eq!(same.counts(), (0, 0, 0));
        let line = "50 left out: the table has an application to the same job posting";
        assert_eq!(left_out(&same), Some(line));
        assert_eq!(folder.exported(), before);
    }

    let tried = folder.good(&["import", &others, "--allow-duplicates", "--dry-run"]);
    assert_eq!((tried.counts(), left_out(&tried)), ((50, 0, 0), None));
    assert_eq!(folder.exported(), before);
    let allowed = folder.good(&["import", &others, "--allow-duplicates"]);
    assert_eq!(allowed.counts(), (50, 0, 0));
    assert_eq!(folder.count().await, 100);
}

#[test]
fn postings_of_archived_applications_and_of_the_same_file_count() {
    let folder = Folder::new();
    let link = "https://example.com/jobs/1";
    let archived = format!("company,title,link,archived\nA,x,{link},yes\n");
    assert_eq!(
        folder
            .good(&["import", &folder.file("a.csv", &archived)])
            .counts(),
        (1, 0, 0)
    );
    let ids = [Uuid::new_v4(), Uuid::new_v4(), Uuid::new_v4()];
    let [b, c, d] = ids;
    let rows = format!(
        "id,company,title,link\n{b},B,x,{link}\n{c},C,x,https://example.com/2\n{d},D,x,https://example.com/2\n"
    );
    let file = folder.file("b.csv", &rows);
    for options in [&["--dry-run"][..], &[]] {
        let ended = folder.run(&[&["import", &file][..], options].concat());
        assert_eq!((ended.code, ended.counts()), (2, (1, 0, 1)), "{ended:?}");
        assert!(
            left_out(&ended).unwrap().starts_with("1 left out"),
            "{ended:?}"
        );
        assert!(
            ended.err.contains("line 4: has the job posting of line 3"),
            "{ended:?}"
        );
    }
}

#[test]
fn a_row_for_a_job_that_is_there_is_named_and_keeps_its_application_when_it_is_edited() {
    let header = "Company,Position,Link,Status,Date Applied";
    let known = "Zknown,Rust Developer,https://zknown.example/1,sent,2026-10-20";
    let row = |status: &str| format!("{header}\nZknown GmbH,Rust developer,,{status},2026-10-20\n");
    for options in [&["--dry-run"][..], &[]] {
        let folder = Folder::new();
        folder.good(&[
            "import",
            &folder.file("a.csv", &format!("{header}\n{known}\n")),
        ]);
        let there = folder.exported()[0]["id"].as_str().unwrap().to_owned();
        let first = folder.file("b.csv", &row("Phone screen"));
        let named = folder.good(&[&["import", &first][..], options].concat());
        let line = format!("line 2: looks like an application that is there: {there}");
        assert!(named.err.contains(&line), "{named:?}");
        assert_eq!(named.counts(), (1, 0, 0), "{named:?}");
        if !options.is_empty() {
            continue;
        }
        let edited = folder.file("c.csv", &row("Rejected"));
        let updated = folder.good(&["import", &edited, "--update"]);
        assert_eq!(updated.counts(), (0, 0, 0), "{updated:?}");
        assert!(updated.out.contains("1 updated"), "{updated:?}");
        let again = folder.good(&["import", &edited]);
        assert_eq!(
            (again.counts(), again.err.contains("looks like")),
            ((0, 1, 0), false)
        );
        let statuses = folder
            .exported()
            .into_iter()
            .map(|one| one["status"].to_string());
        let mut statuses: Vec<_> = statuses.collect();
        statuses.sort();
        assert_eq!(statuses, ["\"applied\"", "\"rejected\""]);
    }
}

#[test]
fn the_template_has_a_column_for_each_field_and_can_be_imported() {
    let folder = Folder::new();
    let template = folder.good(&["import", "--template"]).out;
    assert_eq!(template.lines().count(), 1);
    assert!(!folder.data().exists());
    let columns: Vec<_> = template.trim_end().split(',').collect();
    let cell = |column: &&str| match *column {
        "companyName" => "Visa",
        "positionTitle" => "Engineer",
        "status" => "applied",
        "skillsMatch" => "3",
        "isArchived" | "coverLetterRequired" => "no",
        "companyCategory" => "ai",
        "jobSource" => "friend",
        "salaryMin" => "90k",
        "salaryMax" => "110k",
        "salaryCurrency" => "CHF",
        "salaryPeriod" => "month",
        "isRemote" => "yes",
        date if date.starts_with("date") || date.ends_with("Date") => "2026-11-20",
        url if url.ends_with("Url") => "https://example.com/1",
        _ => "text",
    };
    let row: Vec<_> = columns.iter().map(cell).collect();
    let file = folder.file("filled.csv", &format!("{template}{}\n", row.join(",")));
    let ended = folder.good(&["import", &file]);
    assert_eq!(ended.counts(), (1, 0, 0), "{ended:?}");
    assert!(
        ended.err.contains("not used: none") && !ended.out.contains("cells"),
        "{ended:?}"
    );
    let made = &folder.exported()[0];
    for column in columns {
        assert!(!made[column].is_null(), "{column}");
    }
    let refused = folder.run(&["import", &file, "--template"]);
    assert_ne!(refused.code, 0);
}

#[test]
fn salaries_are_read_as_people_write_them() {
    let folder = Folder::new();
    let salaries = [
        ("A", "150k", json!([150_000, null])),
        ("B", "90k - 110k", json!([90_000, 110_000])),
        ("C", "100 000 EUR", json!([100_000, null])),
        ("D", "$120,000", json!([120_000, null])),
        ("E", "negotiable", json!([null, null])),
    ];
    let rows = salaries
        .iter()
        .map(|(company, salary, _)| format!("{company},x,\"{salary}\"\n"));
    let rows = "company,title,salary\n".to_owned() + &rows.collect::<String>();
    let ended = folder.run(&["import", &folder.file("a.csv", &rows)]);
    assert_eq!(ended.code, 2, "{ended:?}");
    assert_eq!(ended.counts(), (5, 0, 0));
    assert!(
        ended.err.contains("line 6: ") && ended.err.contains("negotiable"),
        "{ended:?}"
    );
    for (made, (company, _, salary)) in folder.exported().iter().zip(salaries) {
        assert_eq!(
            json!([made["salaryMin"], made["salaryMax"]]),
            salary,
            "{company}"
        );
    }
}

/// Writes an application as a program does that keeps no counters.
async fn write_without_counters(folder: &Folder, id: &str) {
    let put = folder
        .store()
        .put_item()
        .table_name("lambda_api_applications");
    let key = s(&format!("APP#{id}"));
    let moment = "2026-11-20T09:30:00Z";
    let mut put = put
        .item("PK", key.clone())
        .item("SK", key)
        .item("isArchived", AttributeValue::Bool(false));
    for (name, value) in [
        ("id", id),
        ("companyName", "Visa"),
        ("positionTitle", "Engineer"),
        ("status", "applied"),
        ("createdAt", moment),
        ("updatedAt", moment),
        ("GSI1PK", "STATUS#applied#ARCHIVED#0"),
        ("GSI2PK", "ACTIVE"),
    ] {
        put = put.item(name, s(value));
    }
    let place = s(&format!("UPDATED#{moment}#{id}"));
    let put = put.item("GSI1SK", place.clone()).item("GSI2SK", place);
    put.send().await.unwrap();
}

#[tokio::test]
async fn counters_that_are_incomplete_are_reported_until_a_recount() {
    const REPORT: &str = "the counters are incomplete";
    let folder = Folder::new();
    folder.good(&["table", "create"]);
    assert!(!folder.good(&["table", "check"]).out.contains(REPORT));
    write_without_counters(&folder, "6f6a3c1e-0000-4000-8000-000000000001").await;
    let checked = folder.good(&["table", "check"]).out;
    assert!(
        checked.contains(REPORT) && checked.contains("trestle table recount"),
        "{checked}"
    );
    assert!(served(&folder).contains(REPORT));
    // A write of this program does not make them complete.
    folder.good(&[
        "import",
        &folder.file("a.csv", "company,title\nHooli,Clerk\n"),
    ]);
    assert!(folder.good(&["table", "check"]).out.contains(REPORT));

    folder.good(&["table", "recount"]);
    let checked = folder.good(&["table", "check"]).out;
    assert_eq!(checked, "lambda_api_applications: good\n");
    assert!(!served(&folder).contains(REPORT));
    assert_eq!(folder.count().await, 2);
}

/// What `trestle serve` logs until it answers.
fn served(folder: &Folder) -> String {
    use std::io::{BufRead, BufReader, Read};
    let mut command = folder.command(&["serve", "--listen", "127.0.0.1:0", "--drain-grace=0ms"]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    assert!(line.contains("http://"), "{line}");
    child.kill().unwrap();
    child.wait().unwrap();
    let mut log = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut log)
        .unwrap();
    log
}

#[test]
fn next_actions_are_imported_and_exported() {
    let folder = Folder::new();
    let rows = "company,title,next step,follow up\nVisa,Engineer,call,2026-12-01\n";
    folder.good(&["import", &folder.file("a.csv", rows)]);
    folder.good(&["export", "-o", "all.csv"]);
    let other = Folder::new();
    let file = folder.path("all.csv").display().to_string();
    assert_eq!(other.good(&["import", &file]).counts(), (1, 0, 0));
    let made: Value = other.exported().remove(0);
    assert_eq!(
        (&made["nextAction"], &made["nextActionDate"]),
        (&json!("call"), &json!("2026-12-01"))
    );
}

#[test]
fn the_currency_and_the_period_of_a_salary_are_imported_and_exported() {
    let folder = Folder::new();
    let rows = "company,title,salary,currency,pay period\nVisa,Engineer,£70k,,\nAcme,Clerk,$60 per hour,,\n\
                Hooli,Lead,90k - 110k,chf,annual\nOther,Cook,50k,euros,fortnight\n";
    let ended = folder.run(&["import", &folder.file("a.csv", rows)]);
    assert_eq!(ended.code, 2, "{ended:?}");
    assert_eq!(ended.counts(), (4, 0, 0), "{ended:?}");
    assert!(
        ended.err.contains("`salaryPeriod`: \"fortnight\""),
        "{ended:?}"
    );
    folder.good(&["export", "--format", "csv", "-o", "all.csv"]);
    let other = Folder::new();
    let file = folder.path("all.csv").display().to_string();
    assert_eq!(other.good(&["import", &file]).counts(), (4, 0, 0));
    for folder in [folder, other] {
        let mut pay: Vec<_> = folder.exported();
        pay.sort_by_key(|made| made["companyName"].to_string());
        let of = |made: &Value| {
            json!([
                made["salaryMin"],
                made["salaryCurrency"],
                made["salaryPeriod"]
            ])
        };
        assert_eq!(
            pay.iter().map(of).collect::<Vec<_>>(),
            [
                json!([60, null, "hour"]),
                json!([90_000, "CHF", "year"]),
                json!([50_000, null, null]),
                json!([70_000, "GBP", null]),
            ]
        );
    }
}

#[test]
fn further_columns_do_not_change_the_id_of_a_row() {
    let folder = Folder::new();
    let rows = "company,title,notes\nVisa,Engineer,call\n";
    folder.good(&["import", &folder.file("a.csv", rows)]);
    let rows = "company,title,notes,currency\nVisa,Engineer,call,EUR\n";
    let again = folder.good(&["import", &folder.file("b.csv", rows)]);
    assert_eq!(again.counts(), (0, 1, 0), "{again:?}");
}

#[test]
fn tags_the_location_and_the_text_of_a_posting_are_imported_and_exported() {
    let folder = Folder::new();
    let rows = "company,title,labels,location,remote,description\n\
                Visa,Engineer,\"rust, on call;+\",Zürich,Remote,\"=We are\nhiring\"\n\
                Acme,Clerk,,,hybrid,\n";
    let ended = folder.run(&["import", &folder.file("a.csv", rows)]);
    assert_eq!(ended.code, 2, "{ended:?}");
    assert_eq!(ended.counts(), (2, 0, 0), "{ended:?}");
    assert!(ended.err.contains("`isRemote`: \"hybrid\""), "{ended:?}");
    folder.good(&["export", "--format", "csv", "-o", "all.csv"]);
    let other = Folder::new();
    let file = folder.path("all.csv").display().to_string();
    assert_eq!(other.good(&["import", &file]).counts(), (2, 0, 0));
    for folder in [folder, other] {
        let mut all: Vec<_> = folder.exported();
        all.sort_by_key(|made| made["companyName"].to_string());
        for attribute in ["tags", "location", "isRemote", "postingText"] {
            assert_eq!(all[0].get(attribute), None, "{attribute}");
        }
        let visa = &all[1];
        assert_eq!(visa["tags"], json!(["rust", "on call", "+"]));
        assert_eq!(
            (&visa["location"], &visa["isRemote"]),
            (&json!("Zürich"), &json!(true))
        );
        assert_eq!(visa["postingText"], "=We are\nhiring");
    }
}

#[test]
fn rows_of_a_file_that_differ_in_more_than_the_posting_are_not_lost() {
    let header = "company,title,status,notes,link";
    let first = [
        "Acme",
        "Engineer",
        "sent",
        "first",
        "https://acme.example/1",
    ];
    for spelling in [
        "https://acme.example/1",
        "http://acme.example/1/",
        "acme.example/1",
    ] {
        for differs in 0..4 {
            let mut second = first;
            second[differs] = ["Other GmbH", "CTO", "rejected", "second"][differs];
            second[4] = spelling;
            let folder = Folder::new();
            let rows = format!("{header}\n{}\n{}\n", first.join(","), second.join(","));
            let file = folder.file("jobs.csv", &rows);
            for options in [&["--dry-run"][..], &[], &[]] {
                let ended = folder.run(&[&["import", &file][..], options].concat());
                assert_eq!(ended.code, 2, "{rows}: {ended:?}");
                let named = ended
                    .err
                    .lines()
                    .any(|line| line.starts_with("line 3: has the "));
                assert!(named && ended.err.contains("line 2"), "{rows}: {ended:?}");
            }
            let both = folder.good(&["import", &file, "--allow-duplicates"]);
            assert_eq!(folder.exported().len(), 2, "{both:?}");
        }
    }
}

#[test]
fn a_date_that_is_not_understood_is_not_today() {
    let statuses = [
        "",
        "sent",
        "phone screen",
        "rejected",
        "offer received",
        "perhaps",
    ];
    let dates = [
        // These mean two days each, and no date of the column settles it.
        "11/6/2026",
        "20. November",
        "10/2/26, 8:15 AM",
        "soon",
        "46000",
    ];
    let folder = Folder::new();
    let rows = statuses.iter().flat_map(|status| {
        dates.map(|date| format!("A,\"{status} {date}\",{status},\"{date}\"\n"))
    });
    let rows = format!("company,title,status,date\n{}", rows.collect::<String>());
    let ended = folder.run(&["import", &folder.file("jobs.csv", &rows)]);
    assert!(!ended.out.contains("dated today"), "{ended:?}");
    let all = folder.exported();
    assert_eq!(all.len(), statuses.len() * dates.len(), "{ended:?}");
    for one in &all {
        assert_eq!(one["dateApplied"], Value::Null, "{one}");
        assert_ne!(
            one["status"], "unsubmitted",
            "{one}: a date says that it was sent"
        );
    }
}
