//! Requests that wait for a hash end at the timeout, are recorded, and leave their turns to others.

use futures_util::future::join_all;
use serde_json::json;

use crate::process::Process;
use crate::shareables::site::{ADMIN, VIEW};

const CREATE: &str = "mutation($input: CreateShareableInput!) { createShareable(input: $input) {
    shareable { shortId } userErrors { message } } }";
const OPEN: &str = "mutation($input: OpenShareableInput!) { openShareable(input: $input) {
    token { role } userErrors { message } } }";

#[tokio::test]
async fn waiting_for_a_hash_ends_at_the_timeout_and_is_recorded() {
    let arguments = [
        "--service=shareables",
        "--shareables-pool=0",
        "--shareables-opens-per-minute=100000",
        "--request-timeout=1s",
        "--log-format=json",
    ];
    let process = Process::start(&arguments).await;
    let input =
        json!({ "name": "N", "viewPasscode": VIEW, "adminPasscode": ADMIN, "checklist": {} });
    let create = json!({ "query": CREATE, "variables": { "input": input } });
    let mut made = process.post(&create, &[]).await.body();
    // On a busy machine the first one may be late as well.
    while made["data"]["createShareable"]["shareable"].is_null() {
        made = process.post(&create, &[]).await.body();
    }
    let short_id = &made["data"]["createShareable"]["shareable"]["shortId"];
    let input = json!({ "shortId": short_id, "passcode": VIEW });
    let open = json!({ "query": OPEN, "variables": { "input": input } });
    let opens = join_all((0..400).map(|_| process.post(&open, &[]))).await;
    let late: Vec<_> = opens.iter().filter(|answer| answer.status == 504).collect();
    assert!(!late.is_empty(), "all of 400 were opened within a second");
    // Refused at once, opened, or late: no answer is anything else.
    for answer in &opens {
        let is_known = matches!(answer.status, 200 | 503 | 504);
        assert!(is_known, "{} {}", answer.status, answer.text);
    }
    let ended = loop {
        // Turns that nobody waits for any more are free again.
        let answer = process.post(&open, &[]).await;
        if answer.status == 200 && answer.body()["data"]["openShareable"]["token"].is_object() {
            break process.stop().await;
        }
    };
    let requests = ended.requests();
    let recorded = requests.iter().filter(|line| line["status"] == 504);
    assert!(recorded.count() >= late.len(), "{}", ended.log);
}
