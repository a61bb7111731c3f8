//! Subscriptions in the parts of one answer, as Apollo Client asks for them.

use serde_json::{Value, json};

use trestle_api::viewer::Access;

use crate::live::board::{Board, Keys};
use trestle_testing::socket::WATCH;

const ACCEPT: &str = "multipart/mixed;boundary=\"graphql\";subscriptionSpec=1.0,application/json";

struct Parts {
    response: reqwest::Response,
    read: String,
}

impl Parts {
    async fn ask(board: &Board, query: &str) -> Self {
        Self::ask_as(board, query, "").await
    }

    async fn ask_as(board: &Board, query: &str, who: &str) -> Self {
        let request = board.post(query, json!({})).header("accept", ACCEPT);
        let request = request.bearer_auth(who);
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
                if body == json!({}) {
                    continue;
                } else {
                    return Some(body);
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

#[tokio::test(flavor = "multi_thread")]
async fn what_ends_a_subscription_is_no_part_of_its_answer() {
    let keys = Keys::of(&[("reader", Access::Read)]);
    let board = Board::start_locked(&["--recheck-credentials=20ms"], keys.clone()).await;
    let mut parts = Parts::ask_as(&board, WATCH, "reader").await;
    keys.withdraw("reader");
    let part = parts.next().await.unwrap();
    assert_eq!(part["payload"], Value::Null, "{part}");
    let code = &part["errors"][0]["extensions"]["code"];
    assert_eq!(code, "UNAUTHENTICATED");
    assert_eq!(parts.next().await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_version_of_the_protocol_is_not_answered_as_this_one() {
    let board = Board::start(&[]).await;
    let accept = ACCEPT.replace("1.0", "2.0");
    let request = board.post(WATCH, json!({})).header("accept", accept);
    let answer = request.send().await.expect("it answers");
    assert_eq!(
        answer.headers()["content-type"],
        "application/json; charset=utf-8"
    );
    let answer: Value = answer.json().await.expect("JSON");
    let code = &answer["errors"][0]["extensions"]["code"];
    assert_eq!(code, "OPERATION_RESOLUTION_FAILURE");
}
