//! Servers whose clocks differ, on one store: no acknowledged write is lost, and neither the order of messages nor what
//! is read depends on a clock.

use aws_sdk_dynamodb::Client;
use serde_json::{Value, json};
use trestle_service::Registered;
use trestle_testing::Calls;
use trestle_testing::hosted::{TestClock, TestServer, memory};

use crate::promises::ask::{id_of, make, member, register, start};

pub const DAY: i64 = 24 * 3600;
/// How far the second server's clock is ahead of the first one's: two servers that agree as servers do, a minute, a year,
/// and a day back.
pub const APART: [i64; 4] = [5, 60, 365 * DAY, -DAY];

async fn server(
    service: &'static Registered,
    store: (Client, Calls),
    ahead: i64,
    options: &[&str],
) -> TestServer {
    let clock = TestClock::default();
    clock.advance(ahead);
    TestServer::start_on(service, store.0, store.1, clock, options).await
}

/// Two servers on one store, the second with a clock that is so far ahead.
pub async fn two(service: &'static Registered, ahead: i64, options: &[&str]) -> [TestServer; 2] {
    let store = memory();
    [
        server(service, store.clone(), 0, options).await,
        server(service, store, ahead, options).await,
    ]
}

/// The texts of a list's nodes.
fn texts(connection: &Value, field: &str) -> Vec<String> {
    let edges = connection["edges"].as_array().unwrap().iter();
    edges
        .map(|edge| edge["node"][field].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_of_an_application_by_two_clocks_are_all_there_and_in_order() {
    let viewer = "ada write".to_owned();
    for ahead in APART {
        let servers = two(&trestle_applications::SERVICE, ahead, &[]).await;
        let input = json!({ "companyName": "Acme", "positionTitle": "Engineer" });
        let id = id_of(
            &servers[1],
            &viewer,
            "createApplication",
            input,
            "application",
        )
        .await;
        for n in 0..8 {
            let input = json!({ "id": id, "notes": format!("note {n}") });
            make(&servers[n % 2], &viewer, "updateApplication", input, "").await;
        }
        let query = "query($id: ID!) { application(id: $id) { version notes updatedAt
            history(first: 20) { edges { node { sequence createdAt snapshot { notes updatedAt } } } } } }";
        let data = servers[0].data(&viewer, query, json!({ "id": id })).await;
        let application = &data["application"];
        assert_eq!(
            (&application["version"], &application["notes"]),
            (&json!(9), &json!("note 7")),
            "{ahead}"
        );
        let entries = application["history"]["edges"].as_array().unwrap();
        let entries: Vec<_> = entries.iter().rev().map(|edge| &edge["node"]).collect();
        let mut before = String::new();
        for (n, entry) in entries.iter().enumerate() {
            assert_eq!(entry["sequence"], n + 1, "{ahead}");
            let at = entry["snapshot"]["updatedAt"].as_str().unwrap();
            assert!(at >= before.as_str(), "{ahead}: {at} after {before}");
            before = at.to_owned();
        }
        let listed = servers[1]
            .data(
                &viewer,
                "{ applications { edges { node { notes } } } }",
                Value::Null,
            )
            .await;
        assert_eq!(
            texts(&listed["applications"], "notes"),
            ["note 7"],
            "{ahead}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_of_a_match_by_two_clocks_are_in_order_and_none_is_read_unseen() {
    let [ann, erin] = [
        "ann write seeker".to_owned(),
        "erin write employer".to_owned(),
    ];
    for ahead in APART {
        let servers = two(
            &trestle_job_board::SERVICE,
            ahead,
            &["--job-board-suggestions=none"],
        )
        .await;
        let place = json!([{ "city": "Montreal", "country": "CA" }]);
        let job = json!({ "company": "Acme", "title": "Engineer", "places": place });
        let job = id_of(&servers[0], &erin, "createJob", job, "job").await;
        let profile = json!({ "name": "Ann", "places": place });
        make(
            &servers[0],
            &ann,
            "saveSeekerProfile",
            profile,
            "__typename",
        )
        .await;
        let interest = json!({ "jobId": job });
        let interest = id_of(&servers[0], &ann, "expressInterest", interest, "interest").await;
        let of = id_of(
            &servers[0],
            &erin,
            "approveInterest",
            json!({ "id": interest }),
            "match",
        )
        .await;
        let query = "query($id: ID!) { match(id: $id) { unreadCount messages { edges { node { id text isRead } } } } }";
        let seen = async |at: usize, viewer: &String| {
            let data = servers[at].data(viewer, query, json!({ "id": of })).await;
            data["match"].clone()
        };
        let (mut sent, mut unread) = (Vec::new(), 0);
        for n in 0..12 {
            let at = [0, 1, 1, 0][n % 4];
            let text = format!("message {n}");
            let input = json!({ "matchId": of, "text": text });
            make(&servers[at], &ann, "sendMessage", input, "").await;
            sent.insert(0, text);
            unread += 1;
            let inbox = seen(1 - at, &erin).await;
            assert_eq!(
                texts(&inbox["messages"], "text"),
                sent,
                "{ahead}: {inbox:#}"
            );
            assert_eq!(inbox["unreadCount"], unread, "{ahead}: {inbox:#}");
            let newest = &inbox["messages"]["edges"][0]["node"];
            assert_eq!(newest["isRead"], false, "{ahead}: {inbox:#}");
            if n % 3 == 2 {
                make(
                    &servers[at],
                    &erin,
                    "markRead",
                    json!({ "messageId": newest["id"] }),
                    "",
                )
                .await;
                unread = 0;
                let read = seen(at, &ann).await;
                let edges = read["messages"]["edges"].as_array().unwrap();
                assert!(
                    edges.iter().all(|edge| edge["node"]["isRead"] == true),
                    "{ahead}: {read:#}"
                );
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_of_a_conversation_by_two_clocks_are_in_order_and_none_is_read_unseen() {
    for ahead in APART {
        let servers = two(&trestle_collab_hub::SERVICE, ahead, &[]).await;
        register(&servers[0], "ada", "FOUNDER").await;
        let tess = register(&servers[1], "tess", "TALENT").await;
        let input = json!({ "type": "DIRECT", "participantIds": [tess] });
        let of = id_of(
            &servers[0],
            &member("ada"),
            "createConversation",
            input,
            "conversation",
        )
        .await;
        let accept = json!({ "conversationId": of });
        make(
            &servers[1],
            &member("tess"),
            "acceptConversation",
            accept.clone(),
            "",
        )
        .await;
        let query = "{ inbox { edges { node { unreadCount conversation { messages { edges { node { content readCount } } } } } } } }";
        let (mut sent, mut unread) = (Vec::new(), 0);
        for n in 0..12 {
            let at = [0, 1, 1, 0][n % 4];
            let text = format!("message {n}");
            let input = json!({ "conversationId": of, "content": text });
            make(&servers[at], &member("ada"), "sendMessage", input, "").await;
            sent.insert(0, text);
            unread += 1;
            let data = servers[1 - at]
                .data(&member("tess"), query, Value::Null)
                .await;
            let entry = &data["inbox"]["edges"][0]["node"];
            let mut messages = texts(&entry["conversation"]["messages"], "content");
            messages.truncate(sent.len());
            assert_eq!(messages, sent, "{ahead}: {entry:#}");
            assert_eq!(entry["unreadCount"], unread, "{ahead}: {entry:#}");
            if n % 3 == 2 {
                make(
                    &servers[at],
                    &member("tess"),
                    "markConversationRead",
                    accept.clone(),
                    "",
                )
                .await;
                unread = 0;
            }
        }
    }
}

/// A run whose file is there.
pub async fn uploaded(server: &TestServer) -> String {
    let input = json!({ "environment": "DEV", "iacFormat": "HCL" });
    let selection = "run { runId } upload { url headers { name value } }";
    let made = make(
        server,
        &"ann write".to_owned(),
        "createRun",
        input,
        selection,
    )
    .await;
    let upload = &made["upload"];
    let request = server.http.put(upload["url"].as_str().unwrap());
    let headers = upload["headers"].as_array().unwrap().iter();
    let request = headers.fold(request, |request, header| {
        let [name, value] = ["name", "value"].map(|field| header[field].as_str().unwrap());
        request.header(name, value)
    });
    assert_eq!(request.body("x").send().await.unwrap().status(), 200);
    made["run"]["runId"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_was_started_by_a_wrong_clock_does_not_stay_with_its_worker() {
    let [ann, worker] = [
        "ann write".to_owned(),
        "pipeline write graph-runs-worker".to_owned(),
    ];
    for ahead in APART {
        let server = start(
            &trestle_graph_runs::SERVICE,
            &["--graph-runs-pipeline=external"],
        )
        .await;
        let id = uploaded(&server).await;
        server.clock.advance(ahead);
        let started = json!({ "runId": id, "workerId": "one" });
        make(&server, &worker, "startRun", started, "").await;
        server.clock.advance(-ahead);
        // Longer than a run may be processed.
        if ahead.abs() < DAY {
            server.clock.advance(3600);
        }
        let next = json!({ "runId": id, "workerId": "two" });
        let retried = make(&server, &worker, "retryRun", next, "run { status attempt }").await;
        assert_eq!(
            retried["run"],
            json!({ "status": "PROCESSING", "attempt": 2 }),
            "{ahead}"
        );
        let failed = json!({ "runId": id, "reason": "no file" });
        make(&server, &worker, "failRun", failed, "").await;
        let data = server
            .data(
                &ann,
                "{ runs { edges { node { runId status } } } }",
                Value::Null,
            )
            .await;
        assert_eq!(
            data["runs"]["edges"][0]["node"],
            json!({ "runId": id, "status": "FAILED" }),
            "{ahead}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn votes_and_ticks_by_two_clocks_count_once_and_a_pause_ends() {
    const VIEW: &str = "view-walnut-harbor";
    let nobody = String::new();
    let options = [
        "--shareables-pool=0",
        "--shareables-secret=the-same-secret-in-all-processes-0123456789",
        "--shareables-guesses-per-minute=1000000",
        "--shareables-opens-per-minute=1000000",
        "--shareables-hash-memory=8",
    ];
    for ahead in APART {
        let servers = two(&trestle_shareables::SERVICE, ahead, &options).await;
        let later = servers[0].clock.clock().now() + chrono::TimeDelta::hours(365 * 24 + 12);
        let input = json!({
            "name": "N", "viewPasscode": VIEW, "adminPasscode": "admin-copper-lantern", "expiresAt": later.to_rfc3339(),
            "poll": { "question": "Q?", "options": ["a", "b"] },
        });
        let selection = "shareable { shortId ... on Poll { options { id } } }";
        let made = make(&servers[0], &nobody, "createShareable", input, selection).await;
        let short_id = &made["shareable"]["shortId"];
        let option = &made["shareable"]["options"][0]["id"];
        let mut bearer = String::new();
        for n in 0..6 {
            let server = &servers[n % 2];
            let input =
                json!({ "shortId": short_id, "passcode": VIEW, "voterName": format!("Voter {n}") });
            let opened = make(server, &nobody, "openShareable", input, "token { token }").await;
            bearer = format!("Bearer {}", opened["token"]["token"].as_str().unwrap());
            let vote = json!({ "shortId": short_id, "optionIds": [option] });
            make(server, &bearer, "vote", vote.clone(), "").await;
            make(server, &bearer, "vote", vote, "").await;
        }
        let query = "query($id: String!) { shareable(shortId: $id) { ... on Poll { voterCount options { voteCount } } } }";
        let data = servers[1]
            .data(&bearer, query, json!({ "id": short_id }))
            .await;
        let poll = &data["shareable"];
        assert_eq!(
            (&poll["voterCount"], &poll["options"][0]["voteCount"]),
            (&json!(6), &json!(6)),
            "{ahead}"
        );

        let wrong = json!({ "shortId": short_id, "passcode": "wrong" });
        let query = "mutation($input: OpenShareableInput!) { openShareable(input: $input) { userErrors { code } } }";
        for _ in 0..12 {
            servers[1]
                .run(&nobody, query, json!({ "input": wrong }))
                .await;
        }
        // The longest pause.
        servers[0].clock.advance(DAY);
        let input = json!({ "shortId": short_id, "passcode": VIEW });
        make(
            &servers[0],
            &nobody,
            "openShareable",
            input,
            "token { token }",
        )
        .await;
    }
}
