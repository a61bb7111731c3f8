//! How suggestions are made: their reasons, their levels, when they are written, and runs that resume.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};

use crate::board::{ANN, BOB, Board, ERIN, job, profile, text, ulid, with};

fn levels(suggestions: &[Value]) -> Vec<String> {
    suggestions.iter().map(|s| text(&s["relevance"])).collect()
}

fn points(suggestion: &Value) -> i64 {
    let reasons = suggestion["reasons"].as_array().unwrap().iter();
    reasons
        .map(|reason| reason["points"].as_i64().unwrap())
        .sum()
}

#[tokio::test]
async fn reasons_add_up_to_the_score_and_the_most_relevant_come_first() {
    let board = Board::start().await;
    let old = |n| ulid("2025-01-01T00:00:00Z", n);
    let home = json!([{ "city": "Remote", "country": "CA" }]);
    let abroad = json!([{ "city": "Remote", "country": "US" }]);
    let jobs = [
        json!({}),
        json!({ "requestId": old(1), "skills": ["cobol", "fortran"] }),
        json!({ "title": "Engineer", "skills": ["rust", "sql", "linux"] }),
        json!({ "title": "Cook", "skills": ["french"] }),
        json!({ "title": "Underpaid Rust engineer", "payMin": 1, "payMax": 80_000 }),
        json!({ "title": "Rust engineer elsewhere", "places": [{ "city": "Montreal", "country": "FR" }] }),
        json!({ "title": "Expired Rust engineer", "expiresOn": "2026-02-22" }),
        json!({ "title": "Rust Engineer from home", "isRemote": true, "places": home }),
        json!({ "title": "Rust Engineer from home abroad", "places": abroad }),
    ];
    for changes in jobs {
        board.post(ERIN, with(job(), changes)).await;
    }
    board.clock.advance(24 * 60 * 60);
    board
        .save(ANN, with(profile(), json!({ "wantsRemote": true })))
        .await;
    board.make().await;
    let suggestions = board.suggestions(ANN).await;
    let titles: Vec<_> = suggestions
        .iter()
        .map(|s| text(&s["job"]["title"]))
        .collect();
    let levels = levels(&suggestions);
    assert_eq!(titles.len(), 4, "{titles:?} {levels:?}");
    assert_eq!(titles[3], "Engineer");
    assert_eq!(levels[..2], ["R1", "R1"]);
    let scores: Vec<_> = suggestions.iter().map(|s| s["score"].as_i64()).collect();
    for (pair, levels) in scores.windows(2).zip(levels.windows(2)) {
        assert!(
            levels[0] < levels[1] || pair[0] >= pair[1],
            "{scores:?} {levels:?}"
        );
    }
    for suggestion in &suggestions {
        assert_eq!(suggestion["score"], points(suggestion), "{suggestion:#}");
    }
    let reasons = suggestions
        .iter()
        .find(|s| s["job"]["title"] == "Senior Rust Engineer");
    let reasons = reasons.unwrap()["reasons"].as_array().unwrap();
    let rules: Vec<_> = reasons.iter().map(|reason| text(&reason["rule"])).collect();
    assert_eq!(rules, ["TITLE", "SKILLS"]);
    let list = "{ suggestions(relevance: R1) { edges { node { relevance job { title } } } } }";
    let list = board.data(ANN, list, json!({})).await;
    let found = list["suggestions"]["edges"].as_array().unwrap().len();
    assert_eq!(found, levels.iter().filter(|level| *level == "R1").count());
}

#[tokio::test]
async fn pages_of_suggestions_meet_in_both_directions() {
    let board = Board::start().await;
    for n in 0..7 {
        let skills: Vec<_> = ["rust", "sql", "linux", "docker"][..1 + n % 4].to_vec();
        let title = format!("Rust engineer {n}");
        board
            .post(
                ERIN,
                with(job(), json!({ "title": title, "skills": skills })),
            )
            .await;
    }
    board.save(ANN, profile()).await;
    board.make().await;
    let all: Vec<_> = board
        .suggestions(ANN)
        .await
        .iter()
        .map(|s| text(&s["id"]))
        .collect();
    assert_eq!(all.len(), 7);
    for (size, cursor, more, next) in [
        ("first", "after", "hasNextPage", "endCursor"),
        ("last", "before", "hasPreviousPage", "startCursor"),
    ] {
        let document = format!(
            "query($at: String) {{ suggestions({size}: 3, {cursor}: $at) {{ edges {{ node {{ id }} }}
                pageInfo {{ hasNextPage hasPreviousPage startCursor endCursor }} }} }}"
        );
        let (mut seen, mut at) = (Vec::new(), Value::Null);
        loop {
            let page = board.data(ANN, &document, json!({ "at": at })).await["suggestions"].clone();
            let ids = crate::board::nodes(&page)
                .iter()
                .map(|s| text(&s["id"]))
                .collect::<Vec<_>>();
            seen = match size {
                "first" => [seen, ids].concat(),
                _ => [ids, seen].concat(),
            };
            if page["pageInfo"][more] == json!(false) {
                break;
            }
            at = page["pageInfo"][next].clone();
        }
        assert_eq!(seen, all, "{size}");
    }
}

#[tokio::test]
async fn suggestions_that_a_wrong_clock_has_made_are_made_anew_after_one_look() {
    const YEAR: i64 = 365 * 24 * 60 * 60;
    let board = Board::start().await;
    board.clock.advance(YEAR);
    board.suggested().await;
    board.clock.advance(-YEAR);
    for is_pending in [true, false] {
        board.suggestions(ANN).await;
        let document = "{ mySeekerProfile { suggestionsPending } }";
        let pending = board.data(ANN, document, json!({})).await;
        let pending = &pending["mySeekerProfile"]["suggestionsPending"];
        assert_eq!(*pending, is_pending);
        board.make().await;
    }
}

#[tokio::test]
async fn a_seeker_who_comes_back_sees_suggestions_after_one_look() {
    for days in [3, 8, 40] {
        let board = Board::start().await;
        board.suggested().await;
        board.clock.advance(days * 24 * 60 * 60);
        let left = usize::from(days < 7);
        assert_eq!(board.suggestions(ANN).await.len(), left, "{days} days");
        let document = "{ mySeekerProfile { suggestionsPending } }";
        let pending = board.data(ANN, document, json!({})).await;
        assert_eq!(pending["mySeekerProfile"]["suggestionsPending"], true);
        board.make().await;
        let found = board.suggestions(ANN).await;
        assert_eq!(found.len(), 1, "{days} days");
        let now = trestle_testing::hosted::START + days * 24 * 60 * 60;
        let lasts = AttributeValue::N((now + 7 * 24 * 60 * 60).to_string());
        let is_renewed = board.stored("suggestion").await[0]["ttl"] == lasts;
        // What lasts for four more days need not be written again.
        assert_eq!(is_renewed, days > 3, "{days} days");
        let runs = board.stored("run").await;
        assert!(runs.is_empty(), "a second look starts no run: {runs:?}");
    }
}

#[tokio::test]
async fn suggestions_of_active_seekers_are_renewed() {
    let board = Board::start().await;
    board.suggested().await;
    for _ in 0..6 {
        board.clock.advance(2 * 24 * 60 * 60);
        board.make().await;
    }
    assert_eq!(board.suggestions(ANN).await.len(), 1, "after twelve days");
    board.clock.advance(40 * 24 * 60 * 60);
    board.make().await;
    assert!(
        board.partition(Some("GSI1"), "renewals#").await.is_empty(),
        "Ann has not looked for more than a month"
    );
}

#[tokio::test]
async fn what_is_not_compared_starts_no_run() {
    let board = Board::start().await;
    board.suggested().await;
    board
        .save(ANN, with(profile(), json!({ "about": "Likes cats" })))
        .await;
    assert!(board.stored("run").await.is_empty());
    board
        .save(ANN, with(profile(), json!({ "skills": ["sql"] })))
        .await;
    assert_eq!(board.stored("run").await.len(), 1);
}

#[tokio::test]
async fn a_new_profile_gets_the_best_of_all_open_jobs() {
    let board = Board::start().await;
    let best = with(
        job(),
        json!({ "requestId": ulid("2025-01-01T00:00:00Z", 1) }),
    );
    let best = board.post(ERIN, best).await;
    let mut stored = board.stored("job").await.pop().unwrap();
    stored.insert("title".into(), AttributeValue::S("Engineer".into()));
    stored.insert(
        "skills".into(),
        AttributeValue::L(vec![AttributeValue::S("rust".into())]),
    );
    let id = stored["jobId"].as_s().unwrap().clone();
    for n in 0..620 {
        let newer = ulid("2026-01-01T00:00:00Z", n);
        let mut item = stored.clone();
        for value in item.values_mut() {
            if let AttributeValue::S(text) = value {
                *text = text
                    .replace(&id, &newer)
                    .replace("2025-01-01#", "2026-01-01#");
            }
        }
        let put = board.dynamodb.put_item().table_name("job-app");
        put.set_item(Some(item)).send().await.unwrap();
    }
    board.save(ANN, profile()).await;
    board.make().await;
    assert_eq!(board.stored("suggestion").await.len(), 200);
    let first = &board.suggestions(ANN).await[0];
    assert_eq!(
        first["job"]["id"],
        json!(best),
        "the oldest of 621 jobs fits best"
    );
}

#[tokio::test]
async fn a_suggestion_lasts_longer_only_if_its_score_changes() {
    let board = Board::start().await;
    board.suggested().await;
    let expiry = async || board.stored("suggestion").await[0]["ttl"].clone();
    let first = expiry().await;
    board.clock.advance(60 * 60);
    board.command(&["suggest", "--all"]).await.unwrap();
    assert_eq!(expiry().await, first);
    board
        .save(ANN, with(profile(), json!({ "skills": ["rust", "sql"] })))
        .await;
    board.make().await;
    assert_ne!(expiry().await, first);
    assert_eq!(board.stored("suggestion").await.len(), 1);
}

#[tokio::test]
async fn a_changed_profile_or_job_moves_its_suggestions() {
    let board = Board::start().await;
    let (posted, listed) = board.suggested().await;
    let update = json!({ "id": posted, "title": "Engineer", "skills": ["rust", "cobol", "sql"] });
    board.done(ERIN, "updateJob", update, "").await;
    board.make().await;
    let suggestions = board.suggestions(ANN).await;
    assert_eq!(levels(&suggestions), ["R3"]);
    // The id that was listed before still works.
    let interest = board.swipe(ANN, &listed, "RIGHT").await;
    board
        .done(ANN, "undoSwipe", json!({ "id": interest }), "")
        .await;
    assert_eq!(levels(&board.suggestions(ANN).await), ["R3"]);
    let elsewhere = json!({ "places": [{ "city": "Toronto", "country": "CA" }] });
    board.save(ANN, with(profile(), elsewhere)).await;
    board.make().await;
    assert!(board.stored("suggestion").await.is_empty());
    assert!(
        board
            .partition(Some("GSI1"), "seekers#montreal#")
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn a_run_that_was_interrupted_is_resumed() {
    let board = Board::start().await;
    for viewer in [ANN, BOB] {
        board.save(viewer, profile()).await;
    }
    board.make().await;
    board.post(ERIN, job()).await;
    // A process took the run, finished the seekers up to Ann, and ended.
    let run = board.stored("run").await.pop().unwrap();
    let taken = json!({ "at": "2026-02-22T19:12:11.000Z" });
    let update = board.dynamodb.update_item().table_name("job-app");
    let update = update
        .key("pk", run["pk"].clone())
        .key("sk", run["sk"].clone())
        .update_expression("SET takenAt = :at, #after = :ann")
        .expression_attribute_names("#after", "after")
        .expression_attribute_values(":at", AttributeValue::S(text(&taken["at"])))
        .expression_attribute_values(":ann", AttributeValue::S("ann".to_owned()));
    update.send().await.unwrap();
    board.make().await;
    assert!(
        board.suggestions(BOB).await.is_empty(),
        "another process has the run"
    );
    board.clock.advance(30);
    board.make().await;
    assert_eq!(board.suggestions(BOB).await.len(), 1);
    let kinds: Vec<_> = board.stored("run").await;
    assert!(kinds.is_empty(), "{kinds:?}");
}

#[tokio::test]
async fn a_job_is_suggested_to_the_200_seekers_whom_it_fits_best() {
    let board = Board::start().await;
    board.save(ANN, profile()).await;
    let mut stored = board.stored("seeker").await;
    stored.extend(board.stored("seekerPlace").await);
    let copies = (0..520).flat_map(|n| {
        stored.iter().map(move |item| {
            let mut item = item.clone();
            for value in item.values_mut() {
                if let AttributeValue::S(text) = value
                    && (text == "ann" || text.ends_with("#ann"))
                {
                    *text = text.replace("ann", &format!("s{n:03}"));
                }
            }
            item
        })
    });
    let client = &board.dynamodb;
    for item in copies {
        client
            .put_item()
            .table_name("job-app")
            .set_item(Some(item))
            .send()
            .await
            .unwrap();
    }
    let best = "bob write seeker";
    board
        .save(best, with(profile(), json!({ "skills": ["rust", "sql"] })))
        .await;
    board.make().await;
    board.post(ERIN, job()).await;
    board.make().await;
    assert_eq!(board.stored("suggestion").await.len(), 200);
    assert_eq!(board.suggestions(best).await.len(), 1);
    assert!(board.stored("run").await.is_empty());
}

#[tokio::test]
async fn a_server_makes_suggestions_in_the_background() {
    let board = Board::start_with("background").await;
    board.post(ERIN, job()).await;
    board.save(ANN, profile()).await;
    let pending = "{ mySeekerProfile { suggestionsPending } }";
    let is_done = async || {
        let data = board.data(ANN, pending, json!({})).await;
        data["mySeekerProfile"]["suggestionsPending"] == json!(false)
    };
    while !is_done().await {
        tokio::task::yield_now().await;
    }
    assert_eq!(board.suggestions(ANN).await.len(), 1);
}
