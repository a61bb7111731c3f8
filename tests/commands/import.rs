//! `trestle import`: rows of every format, told and guessed columns, rows that are refused, leftovers.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};

use crate::commands::run::{Folder, s};

pub const CSV: &str = "\
Company,Job Title,Link,Status,Date Applied,Notes
Visa,Engineer,https://example.com/1,Phone screen,2026-03-04,\"two
lines, and a comma\"
,Engineer,https://example.com/2,sent,2026-03-04,
Globex,Analyst,not a link,sent,2026-03-04,
Initech,Clerk,https://example.com/3,perhaps,2026-03-04,
Hooli,Designer,https://example.com/4,offer received,2026-03-05,fine
";

#[tokio::test]
async fn good_rows_of_csv_are_imported_and_bad_rows_and_cells_are_reported_by_line() {
    let folder = Folder::new();
    let file = folder.file("jobs.csv", CSV);
    let ended = folder.run(&["import", &file]);
    assert_eq!((ended.code, ended.counts()), (2, (4, 0, 1)), "{ended:?}");
    assert!(ended.out.contains("\n2 cells left out"), "{ended:?}");
    let told: Vec<_> = ended.err.lines().collect();
    let expected = [
        (
            "columns: ",
            "companyName from Company, positionTitle from Job Title",
        ),
        ("line 4: ", "companyName"),
        ("line 5: imported without a cell: ", "jobPostingUrl"),
        ("line 6: imported without a cell: ", "perhaps"),
    ];
    assert_eq!(told.len(), expected.len(), "{told:?}");
    for (told, (begins, says)) in told.iter().zip(expected) {
        assert!(told.starts_with(begins) && told.contains(says), "{told}");
    }
    let all = folder.exported();
    assert_eq!(all.len(), 4);
    assert_eq!(
        (&all[0]["companyName"], &all[0]["jobPostingUrl"]),
        (&json!("Globex"), &Value::Null)
    );
    assert_eq!(
        (&all[1]["companyName"], &all[1]["status"]),
        (&json!("Hooli"), &json!("given offer"))
    );
    // The row says when it was sent, so it was.
    assert_eq!(
        (&all[2]["companyName"], &all[2]["status"]),
        (&json!("Initech"), &json!("applied"))
    );
    assert_eq!(
        (&all[3]["status"], &all[3]["notes"]),
        (&json!("interviewing"), &json!("two\nlines, and a comma"))
    );
    assert_eq!(folder.count().await, 4);

    let again = folder.run(&["import", &file]);
    assert_eq!((again.code, again.counts()), (2, (0, 4, 1)));
    assert_eq!(folder.exported(), all);
    assert_eq!(folder.count().await, 4);
}

#[test]
fn json_and_ndjson_are_read_like_csv() {
    let rows = [
        json!({ "company": "Visa", "title": "Engineer", "skillsMatch": 4, "archived": true }),
        json!({ "company": "Hooli", "title": "Designer", "salaryMin": "90k" }),
    ];
    let lines = rows
        .iter()
        .map(|row| format!("{row}\n"))
        .collect::<String>();
    let array = json!(rows).to_string();
    for (name, text, place) in [
        ("a.ndjson", lines + "not json\n\n[1]\n", "line "),
        ("b.json", array, "item "),
    ] {
        let folder = Folder::new();
        let ended = folder.run(&["import", &folder.file(name, &text)]);
        let refused = if place == "line " { 2 } else { 0 };
        assert_eq!(ended.counts(), (2, 0, refused), "{ended:?}");
        if refused > 0 {
            assert!(
                ended.err.contains("line 3: ") && ended.err.contains("line 5: "),
                "{ended:?}"
            );
        }
        let all = folder.exported();
        assert_eq!(
            (&all[0]["salaryMin"], &all[0]["isArchived"]),
            (&json!(90_000), &json!(false))
        );
        assert_eq!(
            (&all[1]["skillsMatch"], &all[1]["isArchived"]),
            (&json!(4), &json!(true))
        );
        assert_eq!(all[1]["history"][0]["snapshot"]["isArchived"], true);
    }
}

#[test]
fn columns_are_told_and_dates_are_read_as_told() {
    let folder = Folder::new();
    let file = folder.file(
        "jobs.csv",
        "firma,title,notes,when\nVisa,Engineer,private,11/20/2026\n",
    );
    let refused = folder.run(&["import", &file]);
    assert!(
        refused.sentence().contains("--map companyName=COLUMN"),
        "{refused:?}"
    );
    let refused = folder.run(&["import", &file, "--map", "companyName=Firma"]);
    assert!(
        refused.sentence().contains("no column Firma"),
        "{refused:?}"
    );
    let refused = folder.run(&["import", &file, "--map", "company=firma"]);
    assert!(
        refused.sentence().contains("no field company"),
        "{refused:?}"
    );
    let arguments = [
        "import",
        &file,
        "--map",
        "companyName=firma",
        "--map",
        "notes=",
        "--map",
        "dateApplied=when",
        "--date-format",
        "%m/%d/%Y",
    ];
    assert_eq!(folder.good(&arguments).counts(), (1, 0, 0));
    let all = folder.exported();
    assert_eq!(
        (&all[0]["notes"], &all[0]["dateApplied"]),
        (&Value::Null, &json!("2026-11-20"))
    );
    assert_eq!(all[0]["status"], "applied");
}

#[test]
fn a_dry_run_says_what_would_be_and_writes_nothing() {
    let folder = Folder::new();
    let file = folder.file("jobs.csv", CSV);
    let ended = folder.run(&["import", &file, "--dry-run"]);
    assert_eq!((ended.code, ended.counts()), (2, (4, 0, 1)));
    assert!(ended.out.contains("would be created"), "{ended:?}");
    assert!(ended.out.contains(" 0 write units"), "{ended:?}");
    assert!(!folder.data().exists());
    folder.good(&["table", "create"]);
    assert_eq!(folder.run(&["import", &file, "--dry-run"]).out, ended.out);
    assert_eq!(folder.exported(), [Value::Null; 0]);
}

#[test]
fn a_file_that_cannot_be_read_is_told_in_a_sentence() {
    let folder = Folder::new();
    let jobs = folder.file("jobs.txt", "?");
    let object = folder.file("jobs.json", "{}");
    let lines = folder.file("lines.csv", "{\"company\":\"Visa\"}\n");
    let array = folder.file("array.csv", "[{\"company\":\"Visa\"}]\n");
    let wide = folder.file("wide.csv", "");
    std::fs::write(&wide, b"\xff\xfeC\0o\0").unwrap();
    for (file, said) in [
        (object.as_str(), "--format ndjson"),
        (lines.as_str(), "--format ndjson"),
        (array.as_str(), "--format json"),
        (wide.as_str(), "UTF-8"),
        ("missing.csv", "missing.csv cannot be read"),
        (jobs.as_str(), "--format csv"),
        (object.as_str(), "not a JSON array"),
    ] {
        let ended = folder.run(&["import", file]);
        assert!(ended.sentence().contains(said), "{ended:?}");
        assert_eq!(ended.code, 1);
    }
}

#[test]
fn records_that_do_not_belong_together_are_refused_alone() {
    let folder = Folder::new();
    folder.run(&["import", &folder.file("jobs.csv", CSV)]);
    let all = folder.exported();
    let (mut twice, mut strange) = (all[0].clone(), all[1].clone());
    let entry = twice["history"][0].clone();
    twice["history"].as_array_mut().unwrap().push(entry);
    strange["history"][0]["applicationId"] = twice["id"].clone();
    let mut good = all[0].clone();
    let id = "6f6a3c1e-0000-4000-8000-000000000001";
    good["id"] = json!(id);
    good["history"][0]["applicationId"] = json!(id);
    good["history"][0]["snapshot"]["id"] = json!(id);
    let other = Folder::new();
    let lines = format!("{twice}\n{strange}\n{good}\n");
    let ended = other.run(&["import", &other.file("a.ndjson", &lines)]);
    assert_eq!((ended.code, ended.counts()), (2, (1, 0, 2)), "{ended:?}");
    assert!(
        ended.err.contains("line 1: ") && ended.err.contains("line 2: "),
        "{ended:?}"
    );
    assert_eq!(other.exported(), [good]);
}

#[tokio::test]
async fn rows_of_many_years_fit_into_the_transactions_with_their_counters() {
    let folder = Folder::new();
    // By year, so that the rows are cut by their count first, and then where a sixth year comes.
    let one_year = (0..94).map(|_| 2010);
    let more = (0..40).map(|i| 2010 + i % 8);
    let dates = one_year.chain(more).enumerate();
    let rows = dates.map(|(i, year)| format!("C{i},x,sent,{year}-06-{:02}\n", 1 + i % 28));
    let rows = rows.collect::<String>();
    let file = folder.file("jobs.csv", &format!("company,title,status,when\n{rows}"));
    let ended = folder.good(&["import", &file, "--map", "dateApplied=when"]);
    assert_eq!(ended.counts(), (134, 0, 0));
    // The job postings of 9 partitions; 2 batches of keys; a write that finds no Meta item, and the 17 partitions
    // that show an empty table; a look for what another program left, for each id; 2 writes of 47 rows, 8 of 5 years and
    // as many rows.
    assert!(ended.out.contains("\n173 calls to DynamoDB"), "{ended:?}");
    let recounted = folder.good(&["table", "recount"]).out;
    assert_eq!(recounted, "0 counters corrected\n");

    let other = Folder::new();
    let lines = folder.good(&["export"]).out;
    let ended = other.good(&["import", &other.file("all.ndjson", &lines)]);
    assert_eq!(ended.counts(), (134, 0, 0));
    let recounted = other.good(&["table", "recount"]).out;
    assert_eq!(recounted, "0 counters corrected\n");
}

/// The id of the application with an offer.
fn offered(all: &[Value]) -> String {
    let offered = all.iter().find(|one| one["status"] == "given offer");
    offered.unwrap()["id"].as_str().unwrap().to_owned()
}

/// Takes an application with an offer away as an interrupted delete does: its history stays, with the mark of a delete.
async fn half_delete(folder: &Folder, id: &str) {
    let store = folder.store();
    let key = s(&format!("APP#{id}"));
    let mark = store.update_item().table_name("lambda_api_applications");
    mark.key("PK", key.clone())
        .key("SK", s("HIST#00000001"))
        .update_expression("SET restoring = :by")
        .expression_attribute_values(":by", s("a delete"))
        .send()
        .await
        .unwrap();
    let delete = store.delete_item().table_name("lambda_api_applications");
    delete
        .key("PK", key.clone())
        .key("SK", key)
        .send()
        .await
        .unwrap();
    let count = store.update_item().table_name("lambda_api_applications");
    let count = count.key("PK", s("META")).key("SK", s("COUNT"));
    let count = count
        .update_expression("ADD #c :n, #p :n")
        .expression_attribute_names("#c", "count");
    let count = count.expression_attribute_names("#p", "STATUS#given offer#ARCHIVED#0");
    let minus = AttributeValue::N("-1".to_owned());
    count
        .expression_attribute_values(":n", minus)
        .send()
        .await
        .unwrap();
}

#[tokio::test]
async fn a_row_whose_id_is_being_deleted_is_refused_and_not_said_to_be_there() {
    let folder = Folder::new();
    let file = folder.file("jobs.csv", CSV);
    folder.run(&["import", &file]);
    let id = offered(&folder.exported());
    half_delete(&folder, &id).await;
    let ended = folder.run(&["import", &file]);
    assert_eq!(ended.counts(), (0, 3, 2), "{ended:?}");
    assert!(
        ended
            .err
            .contains("line 7: Deleting or importing an application of this id was interrupted"),
        "{ended:?}"
    );
    // An export says that it left out what the delete left.
    let export = folder.run(&["export"]);
    assert_eq!((export.code, export.out.lines().count()), (2, 3));
    assert!(export.err.contains("left out: about"), "{export:?}");
    assert_eq!(folder.count().await, 3);
}

#[tokio::test]
async fn a_record_is_taken_back_whole_over_what_a_delete_left() {
    let folder = Folder::new();
    folder.run(&["import", &folder.file("jobs.csv", CSV)]);
    let before = folder.exported();
    folder.good(&["export", "-o", "backup.ndjson"]);
    let id = offered(&before);
    half_delete(&folder, &id).await;
    // Of the time after the export.
    for sort_key in [
        "HIST#00000002",
        "STAGE#6f6a3c1e-0000-4000-8000-000000000001",
    ] {
        let item = HashMap::from([
            ("PK".to_owned(), s(&format!("APP#{id}"))),
            ("SK".to_owned(), s(sort_key)),
        ]);
        let put = folder
            .store()
            .put_item()
            .table_name("lambda_api_applications");
        put.set_item(Some(item)).send().await.unwrap();
    }
    let ended = folder.good(&["import", "backup.ndjson"]);
    assert_eq!(ended.counts(), (1, 3, 0));
    assert_eq!(folder.exported(), before);
    assert_eq!(folder.count().await, 4);
}
