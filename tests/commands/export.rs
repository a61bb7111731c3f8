//! `trestle export`, and taking an export back: of applications that the server wrote.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::commands::run::Folder;

/// `trestle serve` on a folder's store, told to stop and waited for at the end.
struct Served {
    child: Child,
    address: String,
}

impl Served {
    fn start(folder: &Folder) -> Self {
        let mut command =
            folder.command(&["serve", "--listen", "127.0.0.1:0", "--drain-grace=0ms"]);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let said = lines.find_map(|line| Some(line.ok()?.split_once("http://")?.1.to_owned()));
        let address = said.expect("it says where it answers");
        let address = address.split('/').next().unwrap().to_owned();
        Self { child, address }
    }

    async fn run(&self, query: &str, variables: Value) -> Value {
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let request = client.post(format!("http://{}/graphql", self.address));
        let request = request.json(&json!({ "query": query, "variables": variables }));
        let answer: Value = request.send().await.unwrap().json().await.unwrap();
        assert!(answer.get("errors").is_none(), "{answer:#}");
        answer["data"].clone()
    }

    fn stop(mut self) {
        let pid = self.child.id().to_string();
        let told = Command::new("kill").args(["-TERM", &pid]).status().unwrap();
        assert!(told.success());
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // Only where a test failed before it stopped.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

const CREATE: &str = "mutation($input: CreateApplicationInput!) {
  createApplication(input: $input) { application { id } } }";
const UPDATE: &str = "mutation($input: UpdateApplicationInput!) {
  updateApplication(input: $input) { application { version } } }";
const STAGE: &str = "mutation($input: AddInterviewStageInput!) {
  addInterviewStage(input: $input) { application { version } } }";
const ARCHIVE: &str = "mutation($input: ArchiveApplicationInput!) {
  archiveApplication(input: $input) { application { version } } }";

/// Three applications with stages and history, one of them archived.
async fn filled() -> Folder {
    let folder = Folder::new();
    let served = Served::start(&folder);
    for (company, notes) in [
        ("Visa", "a \"quote\", a comma"),
        ("Hooli", "two\nlines"),
        ("Initech", "=1+1 ü"),
    ] {
        let input = json!({ "companyName": company, "positionTitle": "Engineer", "notes": notes,
            "status": "APPLIED", "salaryMin": 1000, "coverLetterRequired": false,
            "companyCategory": "ENTERPRISE_SOFTWARE", "jobSource": "COMPANY_WEBSITE" });
        let made = served.run(CREATE, json!({ "input": input })).await;
        let id = made["createApplication"]["application"]["id"].clone();
        for name in ["Phone screen", "On site"] {
            let input = json!({ "applicationId": id, "name": name });
            served.run(STAGE, json!({ "input": input })).await;
        }
        let input = json!({ "id": id, "status": "GIVEN_OFFER", "skillsMatch": 5 });
        served.run(UPDATE, json!({ "input": input })).await;
        if company == "Hooli" {
            served.run(ARCHIVE, json!({ "input": { "id": id } })).await;
        }
    }
    let health = folder.run(&["health", "--listen", &served.address]);
    assert_eq!(health.code, 0, "{health:?}");
    let address = served.address.clone();
    served.stop();
    let health = folder.run(&["health", "--listen", &address]);
    assert_eq!(health.code, 1, "{health:?}");
    folder
}

#[tokio::test]
async fn an_export_taken_into_an_empty_store_exports_the_same() {
    let folder = filled().await;
    let all = folder.exported();
    let sizes = |one: &Value| {
        (
            one["interviewStages"].as_array().unwrap().len(),
            one["history"].as_array().unwrap().len(),
        )
    };
    assert_eq!(
        all.iter().map(sizes).collect::<Vec<_>>(),
        [(2, 5), (2, 4), (2, 4)]
    );
    folder.good(&["export", "--output", "all.ndjson"]);
    let other = Folder::new();
    let file = folder.path("all.ndjson").display().to_string();
    assert_eq!(
        other.good(&["import", &file, "--dry-run"]).counts(),
        (3, 0, 0)
    );
    assert!(!other.data().exists());
    assert_eq!(other.good(&["import", &file]).counts(), (3, 0, 0));
    assert_eq!(other.exported(), all);
    assert_eq!(other.good(&["export"]).out, folder.good(&["export"]).out);
    assert_eq!(other.good(&["import", &file]).counts(), (0, 3, 0));
    assert_eq!(other.exported(), all);
    assert_eq!(other.count().await, 2);

    let served = Served::start(&other);
    let stats = served
        .run("{ applicationStats { active archived } }", json!({}))
        .await;
    assert_eq!(
        stats["applicationStats"],
        json!({ "active": 2, "archived": 1 })
    );
    let id = all[1]["id"].clone();
    let changed = served
        .run(UPDATE, json!({ "input": { "id": id, "notes": "after" } }))
        .await;
    assert_eq!(changed["updateApplication"]["application"]["version"], 5);
    served.stop();
}

#[tokio::test]
async fn a_csv_export_is_taken_back_with_its_ids() {
    let folder = filled().await;
    folder.good(&["export", "--format", "csv", "--output", "all.csv"]);
    let other = Folder::new();
    let file = folder.path("all.csv").display().to_string();
    let ended = other.good(&["import", &file]);
    assert_eq!(ended.counts(), (3, 0, 0), "{ended:?}");
    assert!(ended.err.starts_with("columns: id from id, "), "{ended:?}");
    assert_eq!(folder.good(&["import", &file]).counts(), (0, 3, 0));
    let fields = |folder: &Folder| {
        let mut all = folder.exported();
        for one in &mut all {
            let fields = one.as_object_mut().unwrap();
            for name in [
                "interviewStages",
                "history",
                "historySequence",
                "createdAt",
                "updatedAt",
                "statusSince",
                "pastStatuses",
            ] {
                fields.remove(name);
            }
        }
        all
    };
    assert_eq!(fields(&other), fields(&folder));
    assert_eq!(
        other.good(&["import", &file, "--map", "id=id"]).counts(),
        (0, 3, 0)
    );
    assert_eq!(other.count().await, 2);
    let another = Folder::new();
    another.good(&["import", &file, "--map", "id="]);
    let ids = |folder: &Folder| -> Vec<_> {
        let all = folder.exported();
        all.iter().map(|one| one["id"].to_string()).collect()
    };
    assert!(ids(&another).iter().all(|id| !ids(&folder).contains(id)));
}

/// The columns of earlier commits, which spreadsheets refer to. Others are added at the end.
const HEADER: &str = "id,companyName,positionTitle,status,dateApplied,offerDueDate,companyUrl,jobPostingUrl,\
    companyCareerUrl,companyCategory,jobSource,skillsMatch,coverLetterRequired,specialRequirements,notes,salaryMin,\
    salaryMax,nextAction,nextActionDate,isArchived,createdAt,updatedAt,salaryCurrency,salaryPeriod,tags,location,\
    isRemote,postingText";

#[test]
fn an_export_of_nothing_is_empty_and_a_file_that_cannot_be_written_is_told() {
    let folder = Folder::new();
    folder.good(&["table", "create"]);
    assert_eq!(folder.good(&["export"]).out, "");
    assert_eq!(folder.good(&["export", "--format", "json"]).out, "[]\n");
    let header = folder.good(&["export", "--format", "csv"]).out;
    assert!(
        header.starts_with(HEADER) && header.lines().count() == 1,
        "{header}"
    );
    let ended = folder.run(&["export", "--output", "no/such/folder.ndjson"]);
    assert!(ended.sentence().contains("cannot be written"), "{ended:?}");
}

#[test]
fn an_export_of_a_store_that_is_not_there_makes_nothing_and_leaves_the_file() {
    let folder = Folder::new();
    let backup = folder.file("backup.nd", "the last good one\n");
    let arguments = ["export", "--data", "typo", "-o", &backup];
    let ended = folder.run(&arguments);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(
        ended.sentence().contains("There is no store in typo: "),
        "{ended:?}"
    );
    assert!(!folder.path("typo").exists());

    folder.good(&["table", "create"]);
    let ended = folder.run(&["export", "--applications-table", "typo", "-o", &backup]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.sentence().contains("no table typo"), "{ended:?}");
    let check = folder.run(&["table", "check", "--applications-table", "typo"]);
    assert!(check.out.starts_with("typo: missing"), "{check:?}");

    let left = std::fs::read_to_string(&backup).unwrap();
    assert_eq!(left, "the last good one\n");
    assert_eq!(folder.names(), ["backup.nd", "data"]);
}

#[test]
fn an_export_takes_the_place_of_an_older_file_when_it_is_whole() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = Folder::new();
    let rows = folder.file("rows.csv", "company,title\nVisa,Engineer\n");
    folder.good(&["import", &rows]);
    let target = folder.file("backup.ndjson", "old\n");
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(&target, private).unwrap();
    symlink(&target, folder.path("latest.ndjson")).unwrap();
    folder.good(&["export", "-o", "latest.ndjson"]);
    let written = std::fs::read_to_string(&target).unwrap();
    assert!(
        written.contains("Visa") && !written.contains("old"),
        "{written}"
    );
    let mode = std::fs::metadata(&target).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let link = folder.path("latest.ndjson").symlink_metadata().unwrap();
    assert!(link.is_symlink());
    let names = ["backup.ndjson", "data", "latest.ndjson", "rows.csv"];
    assert_eq!(folder.names(), names);
    assert_eq!(
        folder.good(&["export", "-o", "/dev/stdout"]).out.trim(),
        written.trim()
    );
}

#[test]
fn an_exports_format_follows_the_files_ending() {
    let folder = Folder::new();
    let rows = folder.file("rows.csv", "company,title\nVisa,Engineer\nHooli,Clerk\n");
    folder.good(&["import", &rows]);
    for (name, begins) in [
        ("all.csv", "id,companyName,"),
        ("all.JSON", "[\n{\"id\":"),
        ("all.jsonl", "{\"id\":"),
        ("all.ndjson", "{\"id\":"),
        ("all.backup", "{\"id\":"),
        ("all", "{\"id\":"),
    ] {
        folder.good(&["export", "-o", name]);
        let text = std::fs::read_to_string(folder.path(name)).unwrap();
        assert!(text.starts_with(begins), "{name}: {text}");
    }
    folder.good(&["export", "-o", "told.csv", "--format", "ndjson"]);
    let told = std::fs::read_to_string(folder.path("told.csv")).unwrap();
    assert!(told.starts_with('{'), "{told}");
    let other = Folder::new();
    let all = folder.path("all.JSON").display().to_string();
    assert_eq!(other.good(&["import", &all]).counts(), (2, 0, 0));
    assert_eq!(other.exported(), folder.exported());
}

#[test]
fn an_export_whose_reader_has_read_enough_ends_quietly() {
    let folder = Folder::new();
    let pad = "x".repeat(900);
    let rows = (0..200).map(|i| format!("C{i},x,{pad}\n"));
    let rows = "company,title,notes\n".to_owned() + &rows.collect::<String>();
    folder.good(&["import", &folder.file("rows.csv", &rows)]);
    for format in ["ndjson", "json", "csv"] {
        let mut command = folder.command(&["export", "--format", format]);
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // More is to come than a pipe holds.
        drop(child.stdout.take());
        let ended = child.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{format}: {ended:?}");
        assert!(ended.stderr.is_empty(), "{format}: {ended:?}");
    }
}

/// What was done is told by the dates that the person gave, in the time zone of each.
#[tokio::test]
async fn an_export_of_activities_tells_what_was_done_on_which_day() {
    let folder = Folder::new();
    let served = Served::start(&folder);
    let applications = [
        json!({ "companyName": "Visa", "positionTitle": "=Engineer", "location": "Kiel",
            "status": "APPLIED", "dateApplied": "2026-01-12" }),
        json!({ "companyName": "Hooli", "positionTitle": "Engineer", "status": "UNSUBMITTED" }),
        json!({ "companyName": "Initech", "positionTitle": "Engineer", "status": "REJECTED",
            "dateApplied": "2026-01-02" }),
        // It moved in with an earlier interview.
        json!({ "companyName": "Aviato", "positionTitle": "Engineer", "status": "INTERVIEWING",
            "dateApplied": "2026-01-02" }),
    ];
    let mut ids = Vec::new();
    for input in applications {
        let made = served.run(CREATE, json!({ "input": input })).await;
        ids.push(made["createApplication"]["application"]["id"].clone());
    }
    let stages = [
        json!({ "applicationId": ids[0], "name": "Phone",
            "scheduledAt": "2026-01-20T00:30:00+02:00", "isCompleted": true }),
        json!({ "applicationId": ids[0], "name": "Task", "isCompleted": true,
            "completedDate": "2026-01-25" }),
        json!({ "applicationId": ids[0], "name": "On site",
            "scheduledAt": "2026-01-31T23:30:00-05:00" }),
        json!({ "applicationId": ids[0], "name": "Some day" }),
        json!({ "applicationId": ids[3], "name": "Call", "isCompleted": true,
            "completedDate": "2026-01-08" }),
    ];
    for input in stages {
        served.run(STAGE, json!({ "input": input })).await;
    }
    // Corrected at once: never rejected.
    for status in ["REJECTED", "APPLIED"] {
        let input = json!({ "id": ids[0], "status": status, "dateApplied": "2026-01-12" });
        served.run(UPDATE, json!({ "input": input })).await;
    }
    served.stop();

    let january = ["--from", "2026-01-03", "--to", "2026-01-31"];
    let of_january = folder.good(&[&["export", "--format", "activities"][..], &january].concat());
    let head = "date,companyName,positionTitle,event,stage,isCompleted,location,jobPostingUrl";
    let expected = [
        head,
        "2026-01-08,Aviato,Engineer,interviewing,,,,",
        "2026-01-08,Aviato,Engineer,interview stage,Call,true,,",
        "2026-01-12,Visa,'=Engineer,applied,,,Kiel,",
        "2026-01-20,Visa,'=Engineer,interview stage,Phone,true,Kiel,",
        "2026-01-25,Visa,'=Engineer,interview stage,Task,true,Kiel,",
        "2026-01-31,Visa,'=Engineer,interview stage,On site,false,Kiel,",
    ];
    assert_eq!(of_january.out.lines().collect::<Vec<_>>(), expected);
    let all = folder.good(&["export", "--format", "activities"]).out;
    assert!(
        all.contains("2026-01-02,Initech,Engineer,applied,"),
        "{all}"
    );
    assert_eq!(all.matches(",rejected,").count(), 1, "{all}");
    assert!(!all.contains("Hooli"), "{all}");

    let refusals = [
        [&["export", "--format", "csv"][..], &january].concat(),
        vec![
            "export",
            "--format",
            "activities",
            "--from",
            "2026-02-01",
            "--to",
            "2026-01-31",
        ],
        vec!["export", "--format", "activities", "--from", "1 January"],
        vec!["export", "--format", "activities", "--to", "30.11.2026"],
    ];
    for arguments in refusals {
        let refused = folder.run(&arguments);
        assert_ne!(refused.code, 0, "{refused:?}");
        let is_no_day = arguments.iter().any(|text| text.contains(['.', ' ']));
        let says_form = refused.err.contains("give a date such as 2026-11-20");
        assert_eq!(says_form, is_no_day, "{refused:?}");
        assert_eq!(refused.out, "", "{refused:?}");
    }
}
