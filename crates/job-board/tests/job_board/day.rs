//! The trial in docs/job-board.md, word for word: from a posting to a message that was read.

use std::collections::BTreeMap;
use std::io::Write as _;

use serde_json::{Value, json};

use crate::board::{Board, nodes, text};

/// The first id under each of these names.
fn collect(value: &Value, ids: &mut BTreeMap<String, String>) {
    for (name, value) in value.as_object().into_iter().flatten() {
        if let Some(id) = value["id"].as_str() {
            ids.entry(name.to_uppercase())
                .or_insert_with(|| id.to_owned());
        }
        collect(value, ids);
    }
}

#[tokio::test]
async fn the_documented_trial_works() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/job-board.md");
    let guide = std::fs::read_to_string(path).unwrap();
    let blocks = guide.split("```graphql\n").skip(1);
    let documents: Vec<_> = blocks
        .map(|block| block.split("```").next().unwrap())
        .collect();
    assert_eq!(documents.len(), 7);
    let board = Board::start().await;
    let mut ids = BTreeMap::new();
    let mut answer = Value::Null;
    for document in documents {
        let document = ids.iter().fold(
            document.to_owned(),
            |text, (name, id): (&String, &String)| {
                text.replace(&format!("\"{name}\""), &format!("\"{id}\""))
            },
        );
        answer = board
            .data("local write seeker employer", &document, json!({}))
            .await;
        for payload in answer.as_object().unwrap().values() {
            if let Some(errors) = payload.get("userErrors") {
                assert_eq!(errors, &json!([]), "{document}");
            }
            let edges = payload.get("edges").and_then(Value::as_array);
            assert!(
                edges.is_none_or(|edges| edges.len() == 1),
                "{document} {payload}"
            );
        }
        collect(&answer, &mut ids);
        board.make().await;
    }
    let read =
        json!([{ "node": { "text": "When can we talk?", "sender": "EMPLOYER", "isRead": true } }]);
    assert_eq!(answer["messages"]["edges"], read);
}

/// Postings of three companies, with places as people write them.
fn postings() -> Value {
    let posting = |id: u32, company: &str, title: &str, locations: &[&str]| {
        json!({ "id": id.to_string(), "company": company, "title": title, "locations": locations,
                "date_posted": "2026-02-20" })
    };
    json!([
        posting(
            1,
            "Acme",
            "Software Engineer Intern - Python",
            &["NYC", "Austin, TX US"]
        ),
        posting(2, "Acme", "Production Engineering Intern", &["SF"]),
        posting(
            3,
            "Ajax",
            "Machine Learning Engineer - Ranking",
            &["San Francisco, CA or Remote in USA"]
        ),
        posting(
            4,
            "Ajax",
            "Associate Product Manager",
            &["USA, CA, San Francisco"]
        ),
        posting(5, "Ajax", "Product Designer (UX)", &["Remote in USA"]),
        posting(6, "Zoom", "Data Science Intern", &["London, UK"]),
        posting(
            7,
            "Zoom",
            "Développeur logiciel - Stagiaire",
            &["Montréal, QC, Canada"]
        ),
        posting(8, "Zoom", "Supply Chain Analyst", &["Holland, MI"]),
        posting(9, "Zoom", "Data Analyst", &["Chicago, IL; Atlanta, GA"]),
    ])
}

#[tokio::test]
async fn seekers_find_what_they_would_act_on() {
    let board = Board::start().await;
    let mut file = tempfile::Builder::new().suffix(".json").tempfile().unwrap();
    file.write_all(postings().to_string().as_bytes()).unwrap();
    let path = file.path().to_str().unwrap();
    let load = ["job-board", "load", path, "--employer-column", "company"];
    board.command(&load).await.unwrap();
    for (name, headline, skills, city, country, expected) in [
        (
            "ada",
            "software developer, internship",
            "python",
            "New York City",
            "US",
            &["Software Engineer Intern - Python"][..],
        ),
        (
            "ben",
            "Machine Learning Engineer (PhD)",
            "PyTorch",
            "San Fransisco, CA",
            "US",
            &["Machine Learning Engineer - Ranking"],
        ),
        (
            "gia",
            "Product Manager",
            "",
            "bay area",
            "US",
            &["Associate Product Manager"],
        ),
        (
            "noa",
            "Teacher looking to move into UX design",
            "figma",
            "Remote",
            "US",
            &["Product Designer (UX)"],
        ),
        (
            "mona",
            "PhD student looking for a data science internship",
            "statistics",
            "London",
            "GB",
            &["Data Science Intern"],
        ),
        (
            "uma",
            "Ingénieure logiciel, stagiaire",
            "java",
            "Montreal, Quebec",
            "CA",
            &["Développeur logiciel - Stagiaire"],
        ),
        (
            "wes",
            "Supply chain",
            "excel",
            "Holland, MI",
            "US",
            &["Supply Chain Analyst"],
        ),
        (
            "dan",
            "Data Analyst",
            "SQL",
            "Chicago IL",
            "US",
            &["Data Analyst"],
        ),
        ("eva", "Nurse", "patient care", "Chicago", "US", &[]),
        // Who asks for no internship is suggested none.
        (
            "abe",
            "software developer",
            "python",
            "New York City",
            "US",
            &[],
        ),
        (
            "max",
            "Data scientist with a PhD",
            "statistics",
            "London",
            "GB",
            &[],
        ),
        (
            "fay",
            "Software Engineer",
            "python",
            "Austin, MN",
            "US",
            &[],
        ),
    ] {
        let viewer = format!("{name} write seeker");
        let skills: Vec<_> = skills
            .split(", ")
            .filter(|skill| !skill.is_empty())
            .collect();
        let profile = json!({
            "name": name, "headline": headline, "skills": skills,
            "places": [{ "city": city, "country": country }],
        });
        board.save(&viewer, profile).await;
        board.make().await;
        let found = board.suggestions(&viewer).await;
        let first = found.first().map(|one| text(&one["job"]["title"]));
        if let Some(title) = expected.first() {
            assert_eq!(first.as_deref(), Some(*title), "{name}: {found:#?}");
        } else {
            let mut levels = found.iter().map(|one| &one["relevance"]);
            assert!(levels.all(|level| level == "R3"), "{name}: {found:#?}");
        }
    }
    let reasons = &board.suggestions("mona write seeker").await[0]["reasons"];
    let reason = text(&reasons[0]["text"]);
    assert!(reason.starts_with("Title fits: Data"), "{reason}");
}

#[tokio::test]
async fn an_employer_and_a_seeker_come_to_a_conversation() {
    let board = Board::start().await;
    let (ada, acme) = ("ada write seeker", "acme write employer");
    let posted = json!({
        "company": "Acme", "title": "Software Engineer", "skills": ["python"],
        "places": [{ "city": "NYC", "country": "US" }],
    });
    let posted = board.post(acme, posted).await;
    let profile = json!({
        "name": "Ada", "headline": "software developer", "skills": ["Python"],
        "places": [{ "city": "New York, NY", "country": "US" }],
    });
    board.save(ada, profile).await;
    board.make().await;
    let suggestion = text(&board.suggestions(ada).await[0]["id"]);
    let interest = board.swipe(ada, &suggestion, "RIGHT").await;
    let mine = "{ myJobs { edges { node { interestCounts { waiting approved } interests { edges { node { id } } } } } } }";
    let mine = nodes(&board.data(acme, mine, json!({})).await["myJobs"]);
    assert_eq!(mine[0]["interestCounts"]["waiting"], 1);
    assert_eq!(nodes(&mine[0]["interests"])[0]["id"], json!(interest));
    let named = json!({ "id": interest });
    for step in [
        "declineInterest",
        "undoDecline",
        "approveInterest",
        "undoApproval",
    ] {
        board.done(acme, step, named.clone(), "").await;
    }
    let matched = board.approve(acme, &interest).await;
    let step = json!({ "id": matched, "stage": "SCREENING", "note": "Strong in Python" });
    board.done(acme, "moveMatch", step, "").await;
    let message = board.send(acme, &matched, "Can we talk?").await;
    let matches = "{ matches { edges { node { unreadCount stage job { id } } } } }";
    let unread = async || nodes(&board.data(ada, matches, json!({})).await["matches"])[0].clone();
    let expected = json!({ "unreadCount": 1, "stage": null, "job": { "id": posted } });
    assert_eq!(unread().await, expected);
    let read = json!({ "messageId": message });
    board.done(ada, "markRead", read, "").await;
    assert_eq!(unread().await["unreadCount"], 0);
    let sent = "query($id: ID!) { messages(matchId: $id) { edges { node { text isRead } } } }";
    let sent = board.data(acme, sent, json!({ "id": matched })).await;
    let expected = json!([{ "text": "Can we talk?", "isRead": true }]);
    assert_eq!(json!(nodes(&sent["messages"])), expected);
}
