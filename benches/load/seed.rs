//! What all servers have in their stores.

use std::path::Path;

use serde_json::json;

use crate::process::Process;

const APPLICATIONS: usize = 100;
const STAGES: usize = 4;
const CHANGES: usize = 8;

/// Fills an empty store through the API: applications with stages and a history. Answers their ids.
pub async fn fill(data: &Path) -> Vec<String> {
    let server = Process::start_with(&["--data", data.to_str().expect("UTF-8")], &[]).await;
    let mut ids = Vec::new();
    for number in 0..APPLICATIONS {
        let id = uuid::Uuid::new_v4().to_string();
        let input = json!({
            "id": id,
            "companyName": format!("Company {number}"),
            "positionTitle": "Software Engineer, New Grad",
            "status": "APPLIED",
            "dateApplied": "2026-11-02",
            "jobPostingUrl": format!("https://jobs.example.com/postings/{number}"),
            "companyCategory": "CONSUMER_TECH",
            "salaryMin": 120_000,
            "salaryMax": 150_000,
        });
        send(&server, "createApplication", &input).await;
        for stage in 0..STAGES {
            let name = format!("Interview {stage}");
            let input =
                json!({ "applicationId": id, "name": name, "notes": "Two people, one hour" });
            send(&server, "addInterviewStage", &input).await;
        }
        for change in 0..CHANGES {
            let input = json!({ "id": id, "notes": format!("Note {change}") });
            send(&server, "updateApplication", &input).await;
        }
        ids.push(id);
    }
    server.stop().await;
    ids
}

async fn send(server: &Process, mutation: &str, input: &serde_json::Value) {
    let input_type = format!("{}{}Input", mutation[..1].to_uppercase(), &mutation[1..]);
    let document = format!(
        "mutation($input: {input_type}!) {{ {mutation}(input: $input) {{ userErrors {{ message }} }} }}"
    );
    let body = json!({ "query": document, "variables": { "input": input } });
    let answer = server.post(&body, &[]).await.body();
    assert_eq!(
        answer["data"][mutation]["userErrors"],
        json!([]),
        "{answer:#}"
    );
}

/// Copies a store that nobody has open.
pub fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("a file");
        std::fs::copy(entry.path(), to.join(entry.file_name())).expect("a copy");
    }
}
