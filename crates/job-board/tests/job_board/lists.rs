//! Lists of jobs: ranges, filters, both directions.

use aws_sdk_dynamodb::types::{AttributeValue, PutRequest, WriteRequest};
use serde_json::{Value, json};
use trestle_job_board::table::TABLE;

use crate::board::{ANN, Board, ERIN, job, nodes, text, ulid, with};

const JOBS: &str = "query($city: String!, $filter: JobFilter, $first: Int, $after: String, $last: Int, $before: String) {
    jobs(city: $city, filter: $filter, first: $first, after: $after, last: $last, before: $before) {
        edges { node { title } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }";

async fn found(board: &Board, filter: Value) -> String {
    let variables = json!({ "city": "Montreal", "filter": filter });
    let jobs = board.data(ANN, JOBS, variables).await;
    let titles = nodes(&jobs["jobs"]);
    titles
        .iter()
        .map(|node| text(&node["title"]))
        .collect::<Vec<_>>()
        .join("")
}

/// Jobs `a` to `f` in Montreal, oldest first.
async fn filled() -> Board {
    let board = Board::start().await;
    for (n, (title, posted, zip)) in [
        ("a", "2023-07-31T23:59:59Z", "H1A"),
        ("b", "2023-08-01T00:00:00Z", "H2B"),
        ("c", "2023-08-31T01:00:00Z", "H3A"),
        ("d", "2023-08-31T23:59:59Z", "H3C"),
        ("e", "2023-09-01T00:00:00Z", ""),
        ("f", "2024-01-01T00:00:00Z", "H3C 1X1"),
    ]
    .into_iter()
    .enumerate()
    {
        let place = json!([{ "city": "Montréal", "country": "CA", "zip": zip }]);
        let request = ulid(posted, n as u128);
        let posted = json!({ "requestId": request, "title": title, "places": place });
        board.post(ERIN, with(job(), posted)).await;
    }
    board
}

#[tokio::test]
async fn jobs_are_found_by_days_and_zip_codes() {
    let board = filled().await;
    for (filter, titles) in [
        (json!({}), "fedcba"),
        (
            json!({ "postedFrom": "2023-08-01", "postedTo": "2023-08-31" }),
            "dcb",
        ),
        (json!({ "postedFrom": "2023-08-31" }), "fedc"),
        (json!({ "postedTo": "2023-08-31" }), "dcba"),
        (
            json!({ "postedFrom": "2023-08-31", "postedTo": "2023-08-31" }),
            "dc",
        ),
        (
            json!({ "postedFrom": "2023-08-31", "postedTo": "2023-08-31", "zipFrom": "H3A", "zipTo": "H3B" }),
            "c",
        ),
        (
            json!({ "postedFrom": "2023-08-31", "postedTo": "2023-08-31", "zipFrom": "H3A", "zipTo": "h3-c" }),
            "dc",
        ),
        (json!({ "zipFrom": "H3A", "zipTo": "H3C1X1" }), "fdc"),
        (json!({ "zipFrom": "H3C" }), "fd"),
        (json!({ "zipTo": "H2B" }), "ba"),
        (
            json!({ "postedFrom": "2024-02-01", "postedTo": "2023-08-31" }),
            "",
        ),
        (json!({ "country": "CA", "text": "A" }), "fedcba"),
        (json!({ "country": "US" }), ""),
    ] {
        assert_eq!(found(&board, filter.clone()).await, titles, "{filter}");
    }
}

#[tokio::test]
async fn jobs_are_found_by_their_attributes() {
    let board = Board::start().await;
    let home = json!({ "title": "home", "isRemote": true, "skills": ["js"], "payMax": 80_000, "payMin": null });
    board.post(ERIN, with(job(), home)).await;
    let plain = json!({ "title": "plain", "skills": [], "payMin": null, "payMax": null, "company": "Ünique Co" });
    board.post(ERIN, with(job(), plain)).await;
    let last = json!({ "title": "last", "expiresOn": "2026-02-22" });
    board.post(ERIN, with(job(), last)).await;
    for (filter, titles) in [
        (json!({ "remote": true }), "home"),
        (json!({ "remote": false, "minPay": 1 }), "last"),
        (
            json!({ "minPay": 80_000, "skills": ["JavaScript"] }),
            "home",
        ),
        (json!({ "minPay": 120_001 }), ""),
        (json!({ "text": "ünique" }), "plain"),
        (json!({ "text": "UNI" }), "plain"),
        (json!({ "text": "javascript" }), "home"),
        (json!({ "text": "homes" }), "home"),
    ] {
        assert_eq!(found(&board, filter.clone()).await, titles, "{filter}");
    }
    board.clock.advance(24 * 60 * 60);
    assert!(
        !found(&board, json!({})).await.contains("last"),
        "it has expired"
    );
}

#[tokio::test]
async fn pages_meet_in_both_directions() {
    let board = filled().await;
    for (size, cursor, forward) in [("first", "after", true), ("last", "before", false)] {
        let (mut seen, mut at) = (String::new(), Value::Null);
        loop {
            let mut variables =
                json!({ "city": "Montreal", size: 2, "filter": { "zipFrom": "H" } });
            variables[cursor] = at;
            let jobs = board.data(ANN, JOBS, variables).await["jobs"].clone();
            let titles: String = nodes(&jobs)
                .iter()
                .map(|node| text(&node["title"]))
                .collect();
            seen = if forward {
                seen + &titles
            } else {
                titles + &seen
            };
            let info = &jobs["pageInfo"];
            let (more, next) = if forward {
                (&info["hasNextPage"], &info["endCursor"])
            } else {
                (&info["hasPreviousPage"], &info["startCursor"])
            };
            if more != &json!(true) {
                break;
            }
            at = next.clone();
        }
        assert_eq!(seen, "fdcba", "{size}");
    }
}

#[tokio::test]
async fn inputs_that_are_not_valid_are_reported_together() {
    let board = Board::start().await;
    let bad = json!({
        "requestId": ulid("2026-03-01T00:00:00Z", 1),
        "company": " ",
        "title": "x".repeat(201),
        "places": [{ "city": "Paris", "country": "FR" }, { "city": "#", "country": "FR" }],
        "payMin": 2, "payMax": 1,
        "expiresOn": "tomorrow",
    });
    let result = board.mutate(ERIN, "createJob", bad, "job { id }").await;
    let errors = result["userErrors"].as_array().unwrap();
    let fields: Vec<_> = errors
        .iter()
        .map(|error| error["field"][0].as_str().unwrap())
        .collect();
    assert_eq!(
        fields,
        [
            "requestId",
            "company",
            "title",
            "places",
            "expiresOn",
            "payMin"
        ]
    );
    assert_eq!(result["job"], Value::Null);
    let places = json!([
        { "city": "NYC", "country": "US", "zip": "10001" },
        { "city": "New York", "country": "US", "zip": "10002" },
    ]);
    let split = with(job(), json!({ "places": places }));
    assert_eq!(board.codes(ERIN, "createJob", split).await, ["INVALID"]);
    assert!(board.stored("job").await.is_empty() && board.stored("run").await.is_empty());
    for filter in [
        json!({ "postedFrom": "2023-13-01" }),
        json!({ "zipTo": "a b#" }),
        json!({ "country": "Canada" }),
    ] {
        let answer = board
            .run(ANN, JOBS, json!({ "city": "x", "filter": filter }))
            .await;
        assert_eq!(answer.code(), "BAD_USER_INPUT");
    }
}

#[tokio::test]
async fn the_same_request_posts_one_job() {
    let board = Board::start().await;
    let request = json!({ "requestId": ulid("2026-02-22T19:00:00Z", 1) });
    let first = board.post(ERIN, with(job(), request.clone())).await;
    board.clock.advance(5);
    assert_eq!(board.post(ERIN, with(job(), request.clone())).await, first);
    let other = board.post("eli write employer", with(job(), request)).await;
    assert_ne!(other, first, "another employer cannot claim the id");
    assert_eq!(board.stored("job").await.len(), 2);
}

#[tokio::test]
async fn a_page_among_closed_jobs_ends_early_and_goes_on() {
    let board = Board::start().await;
    board
        .post(ERIN, with(job(), json!({ "title": "new" })))
        .await;
    let item = board.stored("job").await.pop().unwrap();
    let closed: Vec<_> = (0..2100)
        .map(|n| {
            let mut item = item.clone();
            let id = ulid("2020-01-01T00:00:00Z", n);
            let text = |text: String| AttributeValue::S(text);
            item.insert("sk".into(), text(format!("j#2020-01-01#H2X1Y4#{id}")));
            item.insert("GSI1SK".into(), text(format!("j#2020-01-01#H2X1Y4#{id}")));
            item.insert("jobId".into(), text(id));
            item.insert("closedAt".into(), text("2020-01-02T00:00:00.000Z".into()));
            let put = PutRequest::builder().set_item(Some(item)).build().unwrap();
            WriteRequest::builder().put_request(put).build()
        })
        .collect();
    for part in closed.chunks(25) {
        let batch = board.dynamodb.batch_write_item();
        let batch = batch.request_items(TABLE.default_name, part.to_vec());
        batch.send().await.unwrap();
    }
    let ask = async |after: Value| {
        let variables = json!({ "city": "Montreal", "first": 20, "after": after });
        let answer = board.run(ANN, JOBS, variables).await;
        (answer.data()["jobs"].clone(), answer.cost().reads)
    };
    let (page, reads) = ask(Value::Null).await;
    assert_eq!(nodes(&page).len(), 1);
    assert_eq!(page["pageInfo"]["hasNextPage"], true);
    assert!(reads <= 10, "{reads}");
    let (page, _) = ask(page["pageInfo"]["endCursor"].clone()).await;
    assert_eq!(nodes(&page).len(), 0);
    assert_eq!(page["pageInfo"]["hasNextPage"], false);
}
