//! `trestle import`: what it makes of the rows of a file, and what it says of them.

use crate::commands::import::CSV;
use crate::commands::run::Folder;

#[test]
fn a_quote_that_is_never_closed_is_refused_with_its_line_and_nothing_is_written() {
    let folder = Folder::new();
    let rows = "company,title,notes\nVisa,Engineer,\"open\nHooli,Clerk,fine\n";
    let closed_by_another = format!("{rows}Globex,Analyst,\"fine\"\n");
    for text in [rows, &closed_by_another] {
        let file = folder.file("jobs.csv", text);
        let ended = folder.run(&["import", &file]);
        assert_eq!(ended.code, 1, "{ended:?}");
        let said = ended.sentence();
        let expected = "line 2: a quote is never closed; it opens in column 3";
        assert!(said.contains(expected), "{said}");
        assert!(!folder.data().exists(), "{text}");
    }
}

#[test]
fn of_two_rows_of_one_application_the_one_that_differs_is_refused_by_name() {
    let folder = Folder::new();
    let file = folder.file(
        "jobs.csv",
        "company,title,link\n\
         Visa,Engineer,https://example.com/1\n\
         Visa,Clerk,https://example.com/1\n\
         Visa,Engineer,https://example.com/1\n\
         Hooli,Clerk,\n\
         Hooli,Clerk,\n",
    );
    let dry = folder.run(&["import", &file, "--dry-run"]);
    assert_eq!((dry.code, dry.counts()), (2, (2, 2, 1)), "{dry:?}");
    for counts in [(2, 2, 1), (0, 4, 1)] {
        let ended = folder.run(&["import", &file]);
        assert_eq!((ended.code, ended.counts()), (2, counts), "{ended:?}");
        let told = "line 3: has the link of line 2, and differs: left out\n";
        assert!(ended.err.contains(told), "{ended:?}");
    }
    // Further apart than what is handed on together.
    let other = Folder::new();
    let between = (0..600).map(|i| format!("C{i},x,\n")).collect::<String>();
    let rows = format!(
        "company,title,link\nVisa,Engineer,https://example.com/1\n{between}\
         Visa,Clerk,https://example.com/1\nVisa,Engineer,https://example.com/1\n"
    );
    let file = other.file("jobs.csv", &rows);
    for dry_run in [&["--dry-run"][..], &[]] {
        let ended = other.run(&[&["import", &file][..], dry_run].concat());
        assert_eq!(ended.counts(), (601, 1, 1), "{ended:?}");
        let told = "line 603: has the link of line 2";
        assert!(ended.err.contains(told), "{ended:?}");
    }
}

#[test]
fn a_row_that_was_refused_does_not_stand_in_the_way_of_a_good_one() {
    let folder = Folder::new();
    let link = "https://example.com/1";
    let rows = format!("company,title,link\n,Engineer,{link}\nVisa,Engineer,{link}\n");
    let ended = folder.run(&["import", &folder.file("jobs.csv", &rows)]);
    assert_eq!(ended.counts(), (1, 0, 1), "{ended:?}");
}

#[test]
fn the_columns_that_were_taken_are_told() {
    let csv = "ID,Company,Title,Floor,Salary\n7,Visa,Engineer,3,1\n";
    let first = r#"{"Company":"Visa","Title":"Engineer","Floor":"3"}"#;
    let second = r#"{"Company":"Hooli","Title":"Clerk","Salary":1,"ID":7}"#;
    for (name, text, unused) in [
        ("a.csv", csv.to_owned(), "ID, Floor"),
        ("a.ndjson", format!("{first}\n{second}\n"), "Floor, ID"),
        ("a.json", format!("[{first},{second}]"), "Floor, ID"),
    ] {
        let folder = Folder::new();
        let file = folder.file(name, &text);
        let expected = format!(
            "columns: companyName from Company, positionTitle from Title, salaryMin from Salary; not used: {unused}\n"
        );
        let dry = folder.good(&["import", &file, "--dry-run"]);
        assert!(dry.err.contains(&expected), "{name}: {dry:?}");
        let ended = folder.good(&["import", &file]);
        assert_eq!(ended.err, expected, "{name}");
    }
}

#[test]
fn semicolons_and_tabs_divide_cells_where_the_header_has_them() {
    for delimiter in [';', '\t'] {
        let folder = Folder::new();
        let rows = "\u{feff}\"Company\"|Job Title|Notes\r\nVisa|Engineer|one, two, three\r\n";
        let rows = rows.replace('|', &delimiter.to_string());
        let ended = folder.good(&["import", &folder.file("jobs.csv", &rows)]);
        assert_eq!(ended.counts(), (1, 0, 0), "{ended:?}");
        let all = folder.exported();
        assert_eq!(all[0]["companyName"], "Visa");
        assert_eq!(all[0]["notes"], "one, two, three");
    }
}

#[test]
fn cells_that_are_not_understood_say_what_would_be() {
    let folder = Folder::new();
    let header = "company,title,status,date applied,rating,min salary,category";
    let rows = "Visa,Engineer,perhaps,11/2/2026,good,a lot,?";
    let ended = folder.run(&[
        "import",
        &folder.file("jobs.csv", &format!("{header}\n{rows}\n")),
    ]);
    assert_eq!(ended.counts(), (1, 0, 0));
    assert!(ended.out.contains("\n5 cells left out"), "{ended:?}");
    for said in [
        "\"perhaps\" is not understood: unsubmitted, applied, ",
        "--date-format %m/%d/%Y",
        "a whole number",
        "120k",
        "`companyCategory`: \"?\" is not understood: ",
    ] {
        assert!(ended.err.contains(said), "{said}: {ended:?}");
    }
    for format in ["%Q", "%H:%M", "tomorrow"] {
        let folder = Folder::new();
        let file = folder.file("jobs.csv", CSV);
        let ended = folder.run(&["import", &file, "--date-format", format]);
        assert!(
            ended.sentence().contains("not a format of dates"),
            "{ended:?}"
        );
        assert!(!folder.data().exists());
    }
}

#[test]
fn a_file_without_rows_is_told_whatever_it_is() {
    let folder = Folder::new();
    folder.good(&["table", "create"]);
    for (name, text) in [
        ("a.csv", ""),
        ("b.csv", "company,title\n"),
        ("c.csv", "\u{feff}\n\n"),
        ("a.json", ""),
        ("b.json", "[]"),
        ("a.ndjson", ""),
        ("b.ndjson", "\n\n"),
    ] {
        let ended = folder.good(&["import", &folder.file(name, text)]);
        assert_eq!(ended.counts(), (0, 0, 0), "{name}");
        assert!(
            ended.err.ends_with("The file has no rows.\n"),
            "{name}: {ended:?}"
        );
    }
}

#[test]
fn rows_that_are_dated_today_are_counted() {
    let folder = Folder::new();
    let rows = "company,title,status,date\nA,x,sent,\nB,x,sent,2026-01-02\nC,x,,\nD,x,offer,\n";
    let file = folder.file("jobs.csv", rows);
    for dry_run in [&["--dry-run"][..], &[]] {
        let ended = folder.good(&[&["import", &file][..], dry_run].concat());
        assert_eq!(ended.counts(), (4, 0, 0));
        let line = ended.out.lines().nth(1);
        assert_eq!(line, Some("2 dated today: no date given"), "{ended:?}");
    }
    let again = folder.good(&["import", &file]);
    assert!(!again.out.contains("dated today"), "{again:?}");
    let dated = folder.exported();
    assert_eq!(dated[1]["dateApplied"], "2026-01-02");
    assert!(dated[0]["dateApplied"].is_string() && dated[2]["dateApplied"].is_null());
}
