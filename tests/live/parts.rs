//! Subscriptions in the parts of one answer, as Apollo Client asks for them.

use serde_json::{Value, json};

use crate::board::Board;
use crate::socket::WATCH;

const ACCEPT: &str = "multipart/mixed;boundary=\"graphql\";subscriptionSpec=1.0,application/json";

struct Parts {
    response: reqwest::Response,
    read: String,
}

impl Parts {
    async fn ask(board: &Board, query: &str) -> Self {
        let request = board.post(query, json!({})).header("accept", ACCEPT);
        let response = request.send().await.expect("it answers");
        assert_eq!(response.status(), 200);
        let kind = response.headers()["content-type"].to_str().unwrap();
        assert!(
            kind.starts_with("multipart/mixed; boundary=\"graphql\""),
            "{kind}"
        );
        let read = String::new();
        Self { response, read }
    }

    /// The next part that is no sign of life; `None` after the last.
    async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some((part, rest)) = self.read.split_once("\r\n--graphql") {
                let body = part.split_once("\r\n\r\n").map(|(_, body)| body.to_owned());
                self.read = rest.to_owned();
                let Some(body) = body else { continue };
                let body: Value = serde_json::from_str(&body).expect("JSON");
                match body == json!({}) {
                    true => continue,
                    false => return Some(body),
                }
            }
            match self.response.chunk().await.expect("a chunk") {
                Some(chunk) => self.read.push_str(std::str::from_utf8(&chunk).unwrap()),
                None => {
                    assert_eq!(self.read, "--\r\n");
                    return None;
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_arrive_in_parts() {
    let board = Board::start(&[]).await;
    let mut parts = Parts::ask(&board, WATCH).await;
    board.create("Parts").await;
    let part = parts.next().await.unwrap();
    assert_eq!(
        part["payload"]["data"]["applicationChanged"]["kind"],
        "CREATED"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_and_a_refusal_are_one_part() {
    let board = Board::start(&[]).await;
    let mut parts = Parts::ask(&board, "{ applicationStats { active } }").await;
    let part = parts.next().await.unwrap();
    assert_eq!(part["payload"]["data"]["applicationStats"]["active"], 0);
    assert_eq!(parts.next().await, None);
    let mut parts = Parts::ask(&board, "subscription { nothing }").await;
    let part = parts.next().await.unwrap();
    let code = &part["payload"]["errors"][0]["extensions"]["code"];
    assert_eq!(code, "GRAPHQL_VALIDATION_FAILED");
    assert_eq!(parts.next().await, None);
}
