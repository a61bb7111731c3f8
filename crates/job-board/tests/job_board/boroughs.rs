//! Cities by their other names: parts of a city, short names, and what earlier versions stored for a city.

use serde_json::{Value, json};
use trestle_testing::odd::item;

use crate::board::{ANN, BOB, Board, ERIN, job, nodes, profile, text, ulid, with};

fn at(city: &str) -> Value {
    json!({ "places": [{ "city": city, "country": "US" }] })
}

async fn post_in(board: &Board, cities: &[&str]) {
    for city in cities {
        let fields = with(
            at(city),
            json!({ "title": format!("Rust engineer, {city}") }),
        );
        board.post(ERIN, with(job(), fields)).await;
    }
}

/// The ends of the titles that a search finds.
async fn found(board: &Board, variables: Value) -> Vec<String> {
    let list = "query($city: String, $places: [String!], $first: Int) { jobs(city: $city, places: $places, first: $first) {
        edges { node { title } } } }";
    let list = board.data(BOB, list, variables).await;
    ends(nodes(&list["jobs"]).iter().map(|job| text(&job["title"])))
}

fn ends(titles: impl Iterator<Item = String>) -> Vec<String> {
    let mut ends: Vec<_> = titles
        .map(|title| title.trim_start_matches("Rust engineer, ").to_owned())
        .collect();
    ends.sort_unstable();
    ends
}

/// The ends of the titles that are suggested to a seeker of a city.
async fn suggested(board: &Board, viewer: &str, city: &str) -> Vec<String> {
    let place = with(at(city), json!({ "withinKm": 0 }));
    board.save(viewer, with(profile(), place)).await;
    board.make().await;
    let suggestions = board.suggestions(viewer).await;
    ends(suggestions.iter().map(|one| text(&one["job"]["title"])))
}

const ALL: [&str; 4] = ["Brooklyn, NY", "NYC", "Queens", "The Bronx, NY"];

#[tokio::test]
async fn boroughs_belong_to_new_york() {
    let board = Board::start().await;
    post_in(&board, &ALL).await;
    post_in(&board, &["Manhattan, KS", "Brooklyn, OH", "Austin, TX"]).await;
    for (city, expected) in [
        ("New York, NY", &ALL[..]),
        ("NYC", &ALL),
        ("NY", &ALL),
        ("Brooklyn", &["Brooklyn, NY", "Brooklyn, OH", "NYC"]),
        ("Brooklyn, New York", &["Brooklyn, NY", "NYC"]),
        ("Brooklyn, NYC", &["Brooklyn, NY", "NYC"]),
        ("Bronx", &["NYC", "The Bronx, NY"]),
        ("Staten Island", &["NYC"]),
        ("Manhattan, KS", &["Manhattan, KS"]),
        ("Brooklyn, OH", &["Brooklyn, OH"]),
    ] {
        let list = found(&board, json!({ "city": city })).await;
        assert_eq!(list, expected, "{city}");
    }
    let both = json!({ "places": ["Brooklyn, NY", "New York"] });
    assert_eq!(found(&board, both).await, ALL, "each once");
    for (city, expected) in [
        ("New York, NY", &ALL[..]),
        ("Brooklyn, NY", &["Brooklyn, NY", "NYC"]),
        ("Manhattan", &["NYC"]),
        ("Manhattan, KS", &["Manhattan, KS"]),
    ] {
        assert_eq!(suggested(&board, ANN, city).await, expected, "{city}");
    }
}

#[tokio::test]
async fn a_new_job_in_a_borough_is_suggested_to_seekers_of_the_city_as_what_it_is() {
    let board = Board::start().await;
    let nobody: [&str; 0] = [];
    assert_eq!(suggested(&board, ANN, "New York, NY").await, nobody);
    assert_eq!(suggested(&board, BOB, "Queens, NY").await, nobody);
    post_in(&board, &["Brooklyn, NY"]).await;
    board.make().await;
    let list = "{ suggestions { edges { node { reasons { text } job { places { city region cityKey } } } } } }";
    let list = nodes(&board.data(ANN, list, json!({})).await["suggestions"]);
    let brooklyn = json!([{ "city": "Brooklyn", "region": "NY", "cityKey": "brooklyn" }]);
    assert_eq!(list[0]["job"]["places"], brooklyn);
    let reason = list[0]["reasons"][0]["text"].as_str().unwrap();
    assert!(reason.starts_with("Title fits: Rust engineer"), "{reason}");
    assert!(board.suggestions(BOB).await.is_empty(), "another borough");
}

#[tokio::test]
async fn pages_of_a_city_with_parts_meet() {
    let board = Board::start().await;
    for _ in 0..3 {
        post_in(&board, &["Brooklyn, NY", "NYC", "Queens"]).await;
    }
    let list = "query($after: String) { jobs(city: \"New York\", first: 2, after: $after) { edges { node { id } }
        pageInfo { hasNextPage endCursor } } }";
    let (mut seen, mut after) = (Vec::new(), Value::Null);
    loop {
        let page = board.data(ANN, list, json!({ "after": after })).await;
        seen.extend(nodes(&page["jobs"]).iter().map(|job| text(&job["id"])));
        if page["jobs"]["pageInfo"]["hasNextPage"] == false {
            break;
        }
        after = page["jobs"]["pageInfo"]["endCursor"].clone();
    }
    let count = seen.len();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!((count, seen.len()), (9, 9));
}

#[tokio::test]
async fn a_city_is_found_by_its_other_names() {
    let board = Board::start().await;
    let names: [&[&str]; 9] = [
        &["San Francisco, CA", "SF", "Bay Area", "the Bay Area"],
        &["Los Angeles", "LA", "L.A.", "Los Angeles, California"],
        &["Washington, DC", "DC", "Washington D.C."],
        &["Philadelphia", "Philly", "Philadelphia, PA"],
        &["Las Vegas", "Vegas", "Las Vegas, NV"],
        &["Saint Louis, MO", "St. Louis", "STL", "St Louis, Missouri"],
        &["Fort Lauderdale, FL", "Ft. Lauderdale", "Ft Lauderdale, FL"],
        &[
            "Port Saint Lucie, FL",
            "Port St. Lucie",
            "Port St Lucie, FL",
        ],
        &["Oklahoma City, OK", "OKC"],
    ];
    for names in names {
        post_in(&board, &names[..1]).await;
        for name in names {
            let list = found(&board, json!({ "city": name })).await;
            assert_eq!(list, names[..1], "{name}");
        }
    }
}

/// A job that an earlier version has stored in this place, and that can be done from home if its city is not one.
async fn stored(board: &Board, n: u128, city: &str, key: &str) {
    let is_remote = city != "Port St. Lucie";
    let id = ulid("2026-02-20T10:00:00Z", n);
    let place = format!("j#2026-02-20##{id}");
    for key in std::iter::once(key).chain(is_remote.then_some("remote")) {
        let mut stored = json!({
            "pk": format!("job#{key}#"), "sk": place, "entityType": "job", "createdAt": "2026-02-20T10:00:00.000Z",
            "updatedAt": "2026-02-20T10:00:00.000Z", "jobId": id, "employerId": "erin", "city": key, "zip": "",
            "company": "Acme", "title": format!("Rust engineer, {city}"), "skills": [], "isRemote": is_remote,
            "lastDay": "9999-12-31", "places": [{ "city": city, "country": "US", "zip": "" }], "version": 1,
        });
        if key != "remote" {
            stored["GSI1PK"] = json!("employer#erin");
            stored["GSI1SK"] = json!(place);
        }
        let put = board.dynamodb.put_item().table_name("job-app");
        put.set_item(Some(item(&stored))).send().await.unwrap();
    }
}

#[tokio::test]
async fn a_city_is_found_by_the_name_that_earlier_versions_stored() {
    let board = Board::start().await;
    stored(&board, 1, "Port St. Lucie", "port st lucie").await;
    post_in(&board, &["Port Saint Lucie, FL"]).await;
    let all = ["Port Saint Lucie, FL", "Port St. Lucie"];
    for city in ["Port St. Lucie", "Port Saint Lucie, Florida"] {
        assert_eq!(found(&board, json!({ "city": city })).await, all, "{city}");
        assert_eq!(suggested(&board, ANN, city).await, all, "{city}");
    }
}

#[tokio::test]
async fn what_earlier_versions_took_for_a_city_is_remote() {
    let board = Board::start().await;
    for (n, city) in [(1, "the"), (2, "Work from"), (3, "the United States")] {
        stored(&board, n, city, &city.to_lowercase()).await;
    }
    let all = ["Work from", "the", "the United States"];
    let list = found(&board, json!({ "city": "Remote in US" })).await;
    assert_eq!(list, all);
    let mine = "{ myJobs { edges { node { id places { city cityKey } } } } }";
    let mine = nodes(&board.data(ERIN, mine, json!({})).await["myJobs"]);
    assert_eq!(mine.len(), 3);
    for job in &mine {
        let remote = json!([{ "city": "Remote", "cityKey": "remote" }]);
        assert_eq!(job["places"], remote);
        // It is changed and closed as any other job.
        let change = json!({ "id": job["id"], "company": "Acme Ltd" });
        board.done(ERIN, "updateJob", change, "").await;
    }
    let from_home = with(at("Chicago, IL"), json!({ "wantsRemote": true }));
    board.save(ANN, with(profile(), from_home)).await;
    board.make().await;
    let suggestions = board.suggestions(ANN).await;
    let titles = ends(suggestions.iter().map(|one| text(&one["job"]["title"])));
    assert_eq!(titles, all);
    for job in &mine {
        board
            .done(ERIN, "closeJob", json!({ "id": job["id"] }), "")
            .await;
    }
    assert_eq!(found(&board, json!({ "city": "Remote" })).await, [""; 0]);
    // Nobody writes it any more.
    for city in ["the", "Work from", "in the"] {
        let codes = board.codes(ERIN, "createJob", with(job(), at(city))).await;
        assert_eq!(codes, ["INVALID"], "{city}");
    }
}
