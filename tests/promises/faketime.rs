//! The real binary twice on one store, one of them with a clock that libfaketime sets wrong: what either acknowledged is
//! there when both were killed, in order, and nothing is deleted because of a clock.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::promises::apart::{Server, library};

const DAY: i64 = 24 * 3600;
/// How far the second server's clock is ahead, in seconds. After 400 days a shareable is deleted that expired now.
const APART: [i64; 4] = [5, 60, 400 * DAY, -DAY];
const ROUNDS: usize = 6;
const VIEW: &str = "view-walnut-harbor";

/// All services on a folder, with a clock that is so far ahead.
async fn start(data: &str, ahead: Option<(&PathBuf, i64)>) -> Server {
    let arguments = [
        "--data",
        data,
        "--service=applications,graph-runs,job-board,collab-hub,shareables",
        "--graph-runs-pipeline=external",
        // By a clock that is a day back, a run was created a day ago.
        "--graph-runs-start-within=72h",
        "--graph-runs-expire-every=100ms",
        "--job-board-suggestions=none",
        "--shareables-pool=0",
        "--shareables-secret=the-same-secret-in-all-processes-0123456789",
    ];
    Server::start(&arguments, ahead).await
}

/// What was acknowledged.
#[derive(Default)]
struct Acknowledged {
    application: Value,
    of: Value,
    startup: Value,
    messages: Vec<String>,
    runs: Vec<Value>,
    shareables: Vec<Value>,
}

async fn begin(server: &Server) -> Acknowledged {
    let input = json!({ "companyName": "Acme", "positionTitle": "Engineer" });
    let application = server
        .make(
            "applications",
            "createApplication",
            input,
            "application { id }",
        )
        .await;
    let place = json!([{ "city": "Montreal", "country": "CA" }]);
    let job = json!({ "company": "Acme", "title": "Engineer", "places": place });
    let job = server
        .make("job-board", "createJob", job, "job { id }")
        .await;
    let profile = json!({ "name": "Ann", "places": place });
    server
        .make("job-board", "saveSeekerProfile", profile, "__typename")
        .await;
    let interest = json!({ "jobId": job["job"]["id"] });
    let interest = server
        .make("job-board", "expressInterest", interest, "interest { id }")
        .await;
    let approve = json!({ "id": interest["interest"]["id"] });
    let of = server
        .make("job-board", "approveInterest", approve, "match { id }")
        .await;
    let user =
        json!({ "role": "FOUNDER", "email": "a@example.com", "firstName": "x", "lastName": "x" });
    server.make("collab-hub", "registerUser", user, "").await;
    let startup = json!({
        "name": "n", "tagline": "x", "description": "x", "industry": "x", "location": "Basel",
    });
    let startup = server
        .make("collab-hub", "createStartup", startup, "startup { id }")
        .await;
    Acknowledged {
        application: application["application"]["id"].clone(),
        of: of["match"]["id"].clone(),
        startup: startup["startup"]["id"].clone(),
        ..Acknowledged::default()
    }
}

async fn write(server: &Server, n: usize, known: &mut Acknowledged) {
    let text = format!("number {n}");
    let update = json!({ "id": known.application, "notes": text });
    server
        .make("applications", "updateApplication", update, "")
        .await;
    let message = json!({ "matchId": known.of, "text": text, "as": "SEEKER" });
    server.make("job-board", "sendMessage", message, "").await;
    known.messages.insert(0, text.clone());
    let update = json!({ "id": known.startup, "tagline": text });
    server.make("collab-hub", "updateStartup", update, "").await;
    let run = json!({ "environment": "DEV", "iacFormat": "HCL" });
    let run = server
        .make("graph-runs", "createRun", run, "run { runId }")
        .await;
    known.runs.push(run["run"]["runId"].clone());
    let list = json!({
        "name": "N", "viewPasscode": VIEW, "adminPasscode": "admin-copper-lantern", "checklist": { "items": [{ "name": text }] },
    });
    let list = server
        .make(
            "shareables",
            "createShareable",
            list,
            "shareable { shortId }",
        )
        .await;
    known.shareables.push(list["shareable"]["shortId"].clone());
}

async fn look(server: &Server, known: &Acknowledged, when: &str) {
    let query = "query($id: ID!) { application(id: $id) { version notes history(first: 20) { totalCount } } }";
    let data = server
        .ask(
            "applications",
            "",
            query,
            json!({ "id": known.application }),
        )
        .await;
    let last = format!("number {}", ROUNDS - 1);
    let version = ROUNDS + 1;
    let expected =
        json!({ "version": version, "notes": last, "history": { "totalCount": version } });
    assert_eq!(data["application"], expected, "{when}");

    let query = "query($id: ID!) { match(id: $id) { unreadCount(as: EMPLOYER) messages { edges { node { text isRead } } } } }";
    let data = server
        .ask("job-board", "", query, json!({ "id": known.of }))
        .await;
    let edges = known
        .messages
        .iter()
        .map(|text| json!({ "node": { "text": text, "isRead": false } }));
    let expected =
        json!({ "unreadCount": ROUNDS, "messages": { "edges": edges.collect::<Vec<_>>() } });
    assert_eq!(data["match"], expected, "{when}");

    let query = "{ myStartups { edges { node { tagline } } } }";
    let data = server.ask("collab-hub", "", query, Value::Null).await;
    assert_eq!(
        data["myStartups"]["edges"],
        json!([{ "node": { "tagline": last } }]),
        "{when}"
    );

    for id in &known.runs {
        let query = "query($id: String!) { run(runId: $id) { runId status } }";
        let data = server
            .ask("graph-runs", "", query, json!({ "id": id }))
            .await;
        assert_eq!(
            data["run"],
            json!({ "runId": id, "status": "UPLOADED" }),
            "{when}"
        );
    }
    for (n, short_id) in known.shareables.iter().enumerate() {
        let open = json!({ "shortId": short_id, "passcode": "admin-copper-lantern" });
        let opened = server
            .make("shareables", "openShareable", open, "token { token }")
            .await;
        let token = opened["token"]["token"].as_str().unwrap();
        let query = "query($id: String!) { shareable(shortId: $id) { ... on Checklist { items { name } } } }";
        let data = server
            .ask("shareables", token, query, json!({ "id": short_id }))
            .await;
        assert_eq!(
            data["shareable"]["items"],
            json!([{ "name": format!("number {n}") }]),
            "{when}"
        );
    }
}

/// That the library sets the server's clock at all.
async fn assert_clock(server: &Server, ahead: i64) {
    let now = || chrono::Utc::now().timestamp();
    let before = now();
    let input = json!({ "companyName": "Clock", "positionTitle": "Engineer" });
    let made = server
        .make(
            "applications",
            "createApplication",
            input,
            "application { createdAt }",
        )
        .await;
    let at = made["application"]["createdAt"].as_str().unwrap();
    let at = chrono::DateTime::parse_from_rfc3339(at)
        .unwrap()
        .timestamp()
        - ahead;
    assert!((before - 1..=now() + 1).contains(&at), "{at} at {before}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_with_a_wrong_clock_loses_nothing_of_another_one() {
    let Some(library) = library() else {
        return;
    };
    for ahead in APART {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().to_str().unwrap();
        let right = start(data, None).await;
        let mut known = begin(&right).await;
        let wrong = start(data, Some((&library, ahead))).await;
        for n in 0..ROUNDS {
            write([&right, &wrong][n % 2], n, &mut known).await;
        }
        assert_clock(&wrong, ahead).await;
        look(&right, &known, &format!("{ahead} s apart")).await;
        for server in [right, wrong] {
            server.0.kill();
            server.0.ended().await;
        }
        let right = start(data, None).await;
        look(&right, &known, &format!("{ahead} s apart, after a kill")).await;
        right.0.stop().await;
    }
}

/// Gives the store's files the time that a clock would that is so far ahead.
fn touch(data: &str, ahead: i64) {
    let ahead = std::time::Duration::from_secs(ahead.unsigned_abs());
    for entry in std::fs::read_dir(data).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let file = std::fs::File::options().append(true).open(path).unwrap();
            file.set_modified(std::time::SystemTime::now() + ahead)
                .unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_that_is_ahead_deletes_nothing_after_restarts() {
    let Some(library) = library() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let right = start(data, None).await;
    let mut known = begin(&right).await;
    for n in 0..ROUNDS {
        write(&right, n, &mut known).await;
    }
    right.0.stop().await;
    for restart in 0..4 {
        let wrong = start(data, Some((&library, 400 * DAY))).await;
        assert_clock(&wrong, 400 * DAY).await;
        // Each kind of ending, and writes in between.
        if restart % 2 == 0 {
            wrong.0.stop().await;
        } else {
            wrong.0.kill();
            wrong.0.ended().await;
        }
        touch(data, 400 * DAY);
    }
    let right = start(data, None).await;
    look(&right, &known, "after restarts with a clock that was ahead").await;
    right.0.stop().await;
}
