//! `trestle import` of what other trackers export.

use serde_json::{Value, json};

use crate::commands::run::Folder;

/// What an application says, as a list of its fields.
fn said(made: &Value, fields: &[&str]) -> Value {
    fields.iter().map(|field| made[field].clone()).collect()
}

fn imported(rows: &str) -> Vec<Value> {
    let folder = Folder::new();
    let ended = folder.good(&["import", &folder.file("a.csv", rows)]);
    let count = u64::try_from(rows.lines().count()).unwrap() - 1;
    assert_eq!(ended.counts(), (count, 0, 0), "{ended:?}");
    let mut all = folder.exported();
    all.sort_by_key(|made| made["companyName"].to_string());
    all
}

const FIELDS: [&str; 4] = ["companyName", "positionTitle", "status", "dateApplied"];

#[test]
fn columns_dates_and_statuses_of_other_trackers_are_understood() {
    let teal = "Job Position,Company,Max. Salary,Location,Status,Date Applied,Follow up\n\
                Engineer,Acme,\"$120,000\",Berlin,I Withdrew,\"Nov 3, 2026\",\n\
                Clerk,Borel,,,Bookmarked,,\"November 20, 2026\"\n";
    let all = imported(teal);
    assert_eq!(
        said(&all[0], &FIELDS),
        json!(["Acme", "Engineer", "declined offer", "2026-11-03"])
    );
    assert_eq!(
        said(&all[0], &["salaryMax", "location"]),
        json!([120_000, "Berlin"])
    );
    assert_eq!(
        said(&all[1], &["status", "dateApplied", "nextActionDate"]),
        json!(["unsubmitted", null, "2026-11-20"])
    );
    let huntr = "Title,Employer,List,Applied At,Url\n\
                 Engineer,Acme,Wishlist,,linkedin.com/jobs/1\n\
                 Clerk,Borel,Interview,2026-11-03T09:30:00Z,https://b.example/2\n";
    let all = imported(huntr);
    assert_eq!(
        said(&all[0], &["status", "jobPostingUrl"]),
        json!(["unsubmitted", "https://linkedin.com/jobs/1"])
    );
    assert_eq!(
        said(&all[1], &FIELDS),
        json!(["Borel", "Clerk", "interviewing", "2026-11-03"])
    );
    let notion = "Company,Position,Stage,Applied\n\
                  Acme,Engineer,No Response,\"November 3, 2026 9:00 AM\"\n\
                  Borel,Clerk,Not started,\n";
    let all = imported(notion);
    assert_eq!(
        said(&all[0], &FIELDS),
        json!(["Acme", "Engineer", "no offer", "2026-11-03"])
    );
    assert_eq!(all[1]["status"], "unsubmitted");
}

#[test]
fn a_file_that_was_imported_before_its_columns_were_known_is_not_doubled() {
    let folder = Folder::new();
    let old = "company,title\nAcme,Engineer\n";
    folder.good(&["import", &folder.file("old.csv", old)]);
    let new = "company,title,list,applied at,location\nAcme,Engineer,Wishlist,2026-11-03,Berlin\n";
    let again = folder.good(&["import", &folder.file("new.csv", new)]);
    assert_eq!(again.counts(), (0, 1, 0), "{again:?}");
    // Without a known column for the position, it was not imported: each row is one application.
    let rows =
        "company,job position,applied at\nHooli,Engineer,2026-03-01\nHooli,Engineer,2026-11-03\n";
    let file = folder.file("two.csv", rows);
    for expected in [(2, 0, 0), (0, 2, 0)] {
        assert_eq!(folder.good(&["import", &file]).counts(), expected);
    }
}

#[test]
fn one_posting_in_two_spellings_is_one_application() {
    let folder = Folder::new();
    let rows = "company,title,link\n\
                Acme,Engineer,https://acme.example/jobs/1\n\
                Acme,Engineer,acme.example/jobs/1/\n\
                Acme,Engineer,http://acme.example/jobs/1\n";
    let ended = folder.good(&["import", &folder.file("a.csv", rows)]);
    assert_eq!(folder.exported().len(), 1, "{ended:?}");
    let all = folder.good(&["import", &folder.file("a.csv", rows), "--allow-duplicates"]);
    assert_eq!(folder.exported().len(), 3, "{all:?}");
}

#[test]
fn a_column_of_dates_is_read_as_a_whole_and_no_bad_cell_becomes_today() {
    let linkedin = "Application Date,Contact Email,Company Name,Job Title,Job Url,Resume Name\n\
                    \"3/4/26, 8:15 AM\",a@example.com,Acme,Engineer,https://www.linkedin.com/jobs/view/1?trk=mail,cv.pdf\n\
                    \"10/20/26, 6:02 PM\",,Borel,Clerk,https://www.linkedin.com/jobs/view/2,cv.pdf\n";
    let all = imported(linkedin);
    assert_eq!(
        said(&all[0], &FIELDS),
        json!(["Acme", "Engineer", "applied", "2026-03-04"])
    );
    let url = "https://www.linkedin.com/jobs/view/1";
    assert_eq!(all[0]["jobPostingUrl"], url);
    assert_eq!(all[1]["dateApplied"], "2026-10-20");
    // The board's own file.
    let board = "Company,Position,Status,Applied on,Answer offer by,Next step,Next step on,Salary for,Text of the posting,Posting closes on\n\
                 Acme,Engineer,Ghosted,2026-11-02,2026-11-03,call,2026-11-04,Year,Build,2026-11-05\n";
    let all = imported(board);
    let fields = [
        "status",
        "dateApplied",
        "offerDueDate",
        "nextAction",
        "nextActionDate",
        "salaryPeriod",
        "postingText",
        "closingDate",
        "notes",
    ];
    let expected = [
        "no offer",
        "2026-11-02",
        "2026-11-03",
        "call",
        "2026-11-04",
        "year",
        "Build",
        "2026-11-05",
        "Status: Ghosted",
    ];
    assert_eq!(said(&all[0], &fields), json!(expected));

    // Thousands of rows apart, the last one says how the first one is read.
    let folder = Folder::new();
    let rows: String = (0..1_000)
        .map(|i| format!("C{i},x,5/{}/2026\n", 1 + i % 12))
        .collect();
    let file =
        |last: &str| folder.file("long.csv", &format!("company,title,applied\n{rows}{last}"));
    let unclear = folder.run(&["import", &file("Z,x,soon\n"), "--dry-run"]);
    assert!(!unclear.out.contains("dated today"), "{unclear:?}");
    // Those of the fifth of May mean one day in both orders.
    assert!(unclear.out.contains("918 cells left out"), "{unclear:?}");
    folder.good(&["import", &file("Z,x,5/13/2026\n")]);
    let dates = folder.exported();
    assert!(dates.iter().all(|made| {
        made["dateApplied"]
            .as_str()
            .unwrap()
            .starts_with("2026-05-")
    }));
}

#[test]
fn an_update_changes_what_nobody_has_changed_since() {
    let folder = Folder::new();
    let list = |status: &str, notes: &str| {
        let rows = format!(
            "company,title,link,status,notes\nAcme,Engineer,https://acme.example/1,{status},{notes}\n"
        );
        folder.file("list.csv", &rows)
    };
    assert_eq!(
        folder.good(&["import", &list("sent", "one")]).counts(),
        (1, 0, 0)
    );
    let plain = folder.good(&["import", &list("offer", "two")]);
    assert_eq!(
        (plain.counts(), folder.exported()[0]["notes"].clone()),
        ((0, 1, 0), json!("one"))
    );
    let updated = folder.good(&["import", &list("offer", "two"), "--update"]);
    assert!(updated.out.contains("\n1 updated\n"), "{updated:?}");
    let made = folder.exported();
    assert_eq!(
        said(&made[0], &["status", "notes"]),
        json!(["given offer", "two"])
    );
    assert_eq!(made.len(), 1);
    let again = folder.good(&["import", &list("offer", "two"), "--update"]);
    assert!(again.out.contains("\n0 updated\n"), "{again:?}");
}
