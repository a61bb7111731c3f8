//! The stored keys are those of the design.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;

use crate::board::{ANN, Board, ERIN, Item, job, nodes, profile, ulid, with};

fn key(item: &Item) -> [Option<String>; 4] {
    ["pk", "sk", "GSI1PK", "GSI1SK"].map(|name| {
        let value = item.get(name)?;
        Some(value.as_s().unwrap().clone())
    })
}

fn some(texts: [&str; 4]) -> [Option<String>; 4] {
    texts.map(|text| Some(text.to_owned()).filter(|text| !text.is_empty()))
}

async fn only(board: &Board, kind: &str) -> Item {
    let mut items = board.stored(kind).await;
    assert_eq!(items.len(), 1, "{kind}");
    items.pop().unwrap()
}

#[tokio::test]
async fn every_entity_has_the_keys_of_the_design() {
    let board = Board::start().await;
    let request = ulid("2026-02-20T10:00:00Z", 7);
    board
        .post(ERIN, with(job(), json!({ "requestId": request })))
        .await;
    board.save(ANN, profile()).await;
    board
        .done(
            ERIN,
            "saveEmployerProfile",
            json!({ "company": "Acme" }),
            "",
        )
        .await;
    board.make().await;

    let item = only(&board, "job").await;
    let job_id = item["jobId"].as_s().unwrap().clone();
    let place = format!("2026-02-20#H2X1Y4#{job_id}");
    let by_employer = [
        "job#montreal#",
        &format!("j#{place}"),
        "employer#erin",
        &format!("j#{place}"),
    ];
    assert_eq!(key(&item), some(by_employer));

    let item = only(&board, "suggestion").await;
    let suggestion = [
        "suggestion#montreal#",
        &format!("s#R1#{place}#ann"),
        "seeker#ann",
        &format!("j#R1#{place}"),
    ];
    assert_eq!(key(&item), some(suggestion));
    let week = trestle_testing::hosted::START + 7 * 24 * 60 * 60;
    assert_eq!(item["ttl"], AttributeValue::N(week.to_string()));

    assert_eq!(
        key(&only(&board, "seeker").await),
        some(["seeker#ann", "profile", "", ""])
    );
    assert_eq!(
        key(&only(&board, "employer").await),
        some(["employer#erin", "profile", "", ""])
    );
    let mut places: Vec<_> = board.stored("seekerPlace").await.iter().map(key).collect();
    places.sort();
    assert_eq!(
        places,
        [
            some(["seeker#ann", "c", "seekers#", "s#ann"]),
            some(["seeker#ann", "c#montreal", "seekers#montreal#", "s#ann"]),
        ]
    );

    let suggestion = board.suggestions(ANN).await[0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let interest = board.swipe(ANN, &suggestion, "RIGHT").await;
    let waiting = [
        "seeker#ann",
        &format!("i#{job_id}"),
        "employer#erin",
        &format!("i#2026-02-22T19:12:11.000Z#{job_id}#ann"),
    ];
    assert_eq!(key(&only(&board, "interest").await), some(waiting));
    assert!(board.stored("suggestion").await.is_empty());

    board.clock.advance(24 * 60 * 60);
    let matched = board.approve(ERIN, &interest).await;
    let answered = ["seeker#ann", &format!("i#{job_id}"), "", ""];
    assert_eq!(key(&only(&board, "interest").await), some(answered));
    let item = only(&board, "match").await;
    let keys = [
        "seeker#ann",
        &format!("j#2026-02-23#{job_id}"),
        "employer#erin",
        &format!("m#2026-02-23#{job_id}#ann"),
    ];
    assert_eq!(key(&item), some(keys));

    board.send(ANN, &matched, "Hello").await;
    let match_id = item["matchId"].as_s().unwrap();
    let item = only(&board, "message").await;
    let message_id = item["messageId"].as_s().unwrap();
    let keys = [
        &format!("match#{match_id}"),
        &format!("m#{message_id}"),
        "",
        "",
    ];
    assert_eq!(key(&item), some(keys));
}

#[tokio::test]
async fn a_job_has_one_item_in_each_city_and_suggestions_are_not_among_them() {
    let board = Board::start().await;
    let places = json!([
        { "city": "Montreal", "country": "CA", "zip": "H2X" },
        { "city": "New York", "country": "US", "zip": "10001" },
        { "city": "NYC", "country": "US", "zip": "10001" },
    ]);
    let id = board
        .post(
            ERIN,
            with(job(), json!({ "places": places, "payCurrency": "CAD" })),
        )
        .await;
    board.save(ANN, profile()).await;
    board.make().await;
    assert_eq!(board.suggestions(ANN).await.len(), 1);
    assert_eq!(board.partition(None, "job#montreal#").await.len(), 1);
    assert_eq!(board.partition(None, "job#new york#").await.len(), 1);
    assert_eq!(
        board.partition(Some("GSI1"), "employer#erin").await.len(),
        1
    );
    for city in ["Montréal", "nyc"] {
        let found = board.data(
            ANN,
            "query($city: String!) { jobs(city: $city) { edges { node { id } } } }",
            json!({ "city": city }),
        );
        assert_eq!(nodes(&found.await["jobs"]), [json!({ "id": id })], "{city}");
    }
    board
        .done(
            ERIN,
            "updateJob",
            json!({ "id": id, "title": "Rust lead" }),
            "",
        )
        .await;
    let titles = "{ jobs(city: \"New York\") { edges { node { title version } } } }";
    let found = board.data(ANN, titles, json!({})).await;
    assert_eq!(
        nodes(&found["jobs"]),
        [json!({ "title": "Rust lead", "version": 2 })]
    );
    board.done(ERIN, "closeJob", json!({ "id": id }), "").await;
    assert!(board.partition(None, "job#new york#").await.is_empty());
    assert_eq!(board.partition(None, "job#montreal#").await.len(), 1);
}

#[tokio::test]
async fn text_from_outside_forges_no_key() {
    let board = Board::start().await;
    let viewer = "a#j#b%23 write seeker";
    board.post(ERIN, job()).await;
    board.save(viewer, profile()).await;
    board.make().await;
    assert_eq!(board.suggestions(viewer).await.len(), 1);
    assert_eq!(
        board
            .partition(Some("GSI1"), "seeker#a%23j%23b%2523")
            .await
            .len(),
        1
    );
}
