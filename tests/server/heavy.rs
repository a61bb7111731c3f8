//! Documents that are expensive to check, many at a time, against the real binary: it answers others meanwhile, and stops.

use std::fmt::Write as _;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use tokio::time::timeout;

use crate::process::Process;

/// A bound on waiting for what has to come.
const PATIENCE: Duration = Duration::from_secs(60);
/// A document with long variables.
const IDS: &str = "query($ids: [ID!]!) { nodes(ids: $ids) { id } }";
/// Requests at a time: more than there are processors.
const AT_A_TIME: usize = 32;

/// A chain of fragments, each of which spreads the next one `times` times.
fn chain(levels: usize, times: usize, last: &str) -> String {
    let mut text = "{ ...F0 }".to_owned();
    for level in 0..levels {
        let spread = format!("...F{} ", level + 1).repeat(times);
        write!(text, " fragment F{level} on Query {{ {spread} }}").unwrap();
    }
    write!(text, " fragment F{levels} on Query {{ {last} }}").unwrap();
    text
}

/// Documents of each kind that makes a check walk far, none like another.
fn documents(number: usize) -> [String; 6] {
    let level = 8 + number % 20;
    let all: String = (0..200).fold(String::new(), |text, at| text + &format!("...F{at} "));
    let every = (0..100).fold(format!("{{ {all} }}"), |text, at| {
        text + &format!(" fragment F{at} on Query {{ __typename }}")
    });
    let fields: String = (0..480).fold(String::new(), |text, _| text + "__typename ");
    let variables: String =
        (0..400).fold(String::new(), |text, at| text + &format!("$a{at}: Int "));
    let list = "[1, 2] ".repeat(600);
    [
        chain(24, 4, &format!("...Nowhere{number}")),
        chain(level, 4, "...F3"),
        format!("{every} #{number}"),
        format!("{{ {fields} }} #{number}"),
        format!("query({variables}) {{ __typename }} #{number}"),
        format!("{{ nodes(ids: [{list}]) {{ id }} }} #{number}"),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn health_answers_and_the_process_stops_while_documents_are_checked() {
    let process = Process::start(&["--drain-grace=0s", "--drain-timeout=1s"]).await;
    let client = process.client.clone();
    let url = process.url.clone();
    let attacks = tokio::spawn(async move {
        for round in 0.. {
            let asked = (0..AT_A_TIME).map(|at| {
                let texts = documents(round * AT_A_TIME + at);
                let body = match texts.get(at % (texts.len() + 1)) {
                    Some(text) => json!({ "query": text }),
                    None => json!({ "query": IDS, "variables": { "ids": vec!["a"; 200_000] } }),
                };
                client.post(&url).json(&body).send()
            });
            // They end with the process.
            if join_all(asked).await.iter().all(Result::is_err) {
                return;
            }
        }
    });
    for _ in 0..20 {
        let health = timeout(PATIENCE, process.get("/livez")).await;
        assert_eq!(health.expect("health answers").status, 200);
        let answer = timeout(PATIENCE, process.query("{ __typename }")).await;
        assert_eq!(answer.expect("others are answered").status, 200);
    }
    process.terminate();
    let ended = timeout(PATIENCE, process.ended()).await;
    ended.expect("it stops");
    let attacks = timeout(PATIENCE, attacks).await;
    attacks.expect("they end with it").unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn each_of_them_is_refused_or_answered() {
    let process = Process::start(&[]).await;
    for number in 0..20 {
        for document in documents(number) {
            let answer = timeout(PATIENCE, process.query(&document)).await;
            let answer = answer.expect("an answer");
            assert!(answer.status < 500, "{document:.100}: {}", answer.text);
        }
    }
}
