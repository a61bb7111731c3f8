//! Messages of a match.

use serde_json::{Value, json};

use crate::board::{ANN, BOB, Board, ERIN, nodes, text, ulid};

const MESSAGES: &str = "query($of: ID!, $first: Int, $after: String) { messages(matchId: $of, first: $first, after: $after) {
    edges { node { id text sender isRead sentAt match { id } } } pageInfo { hasNextPage endCursor } } }";

#[tokio::test]
async fn messages_are_paged_the_newest_first() {
    let board = Board::start().await;
    let of = board.matched().await;
    for n in 0..5 {
        board
            .send(if n % 2 == 0 { ANN } else { ERIN }, &of, &n.to_string())
            .await;
        board.clock.advance(1);
    }
    let (mut seen, mut after) = (String::new(), Value::Null);
    loop {
        let variables = json!({ "of": of, "first": 2, "after": after });
        let page = board.data(ERIN, MESSAGES, variables).await["messages"].clone();
        seen.extend(nodes(&page).iter().map(|message| text(&message["text"])));
        after = page["pageInfo"]["endCursor"].clone();
        if page["pageInfo"]["hasNextPage"] == json!(false) {
            break;
        }
    }
    assert_eq!(seen, "43210");
}

#[tokio::test]
async fn reading_is_seen_by_the_sender_and_never_goes_back() {
    let board = Board::start().await;
    let of = board.matched().await;
    let mut ids = Vec::new();
    for said in ["a", "b", "c"] {
        ids.push(board.send(ANN, &of, said).await);
        board.clock.advance(1);
    }
    let read = async || {
        let page = board.data(ANN, MESSAGES, json!({ "of": of })).await;
        let nodes = nodes(&page["messages"]);
        nodes
            .iter()
            .map(|node| node["isRead"] == json!(true))
            .collect::<Vec<_>>()
    };
    assert_eq!(read().await, [false, false, false]);
    board
        .done(
            ANN,
            "markRead",
            json!({ "messageId": ids[2] }),
            "match { id }",
        )
        .await;
    assert_eq!(
        read().await,
        [false, false, false],
        "one's own reading is not a receipt"
    );
    for id in [&ids[1], &ids[0], &ids[1]] {
        board
            .done(ERIN, "markRead", json!({ "messageId": id }), "match { id }")
            .await;
        let expected = [false, true, true];
        assert_eq!(read().await[1..], expected[1..], "{id}");
    }
    assert_eq!(
        board
            .codes(BOB, "markRead", json!({ "messageId": ids[0] }))
            .await,
        ["NOT_FOUND"]
    );
}

#[tokio::test]
async fn a_message_is_sent_once_and_within_limits() {
    let board = Board::start().await;
    let of = board.matched().await;
    let id = ulid("2026-02-22T19:12:00Z", 3);
    let input = json!({ "matchId": of, "messageId": id, "text": "x".repeat(4000) });
    let first = board
        .done(ANN, "sendMessage", input.clone(), "message { id }")
        .await;
    let again = board
        .done(ANN, "sendMessage", input.clone(), "message { id }")
        .await;
    assert_eq!(first["message"], again["message"]);
    let taken = board.mutate(ERIN, "sendMessage", input, "").await;
    assert_eq!(
        taken["userErrors"],
        json!([{
            "code": "CONFLICT",
            "field": ["messageId"],
            "message": "`messageId` is already used by something else.",
        }])
    );
    for (message, codes) in [
        (json!({ "text": "x".repeat(4001) }), ["TOO_LONG"]),
        (json!({ "text": "  " }), ["REQUIRED"]),
        (
            json!({ "text": "x", "messageId": ulid("2026-02-23T19:12:11Z", 1) }),
            ["INVALID"],
        ),
        (
            json!({ "text": "x", "messageId": ulid("2026-02-20T00:00:00Z", 1) }),
            ["INVALID"],
        ),
    ] {
        let mut input = message.clone();
        input["matchId"] = json!(of);
        assert_eq!(
            board.codes(ANN, "sendMessage", input).await,
            codes,
            "{message}"
        );
    }
    assert_eq!(board.stored("message").await.len(), 1);
}

#[tokio::test]
async fn an_id_that_was_forged_opens_nothing() {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    let board = Board::start().await;
    let of = board.matched().await;
    let bytes = URL_SAFE_NO_PAD.decode(&of).unwrap();
    let at = bytes.windows(4).position(|part| part == b"erin").unwrap();
    let mut forged = bytes[..at - 2].to_vec();
    forged.extend([0, 3]);
    forged.extend(b"bob");
    // Bob claims to be the employer.
    let forged = URL_SAFE_NO_PAD.encode(forged);
    let bob = "bob write seeker employer";
    let input = json!({ "matchId": forged, "text": "hello" });
    assert_eq!(board.codes(bob, "sendMessage", input).await, ["NOT_FOUND"]);
    let messages = board.data(bob, MESSAGES, json!({ "of": forged })).await;
    assert_eq!(messages["messages"], Value::Null);
    // Another match id leads to no other messages.
    let mut other = bytes.clone();
    other[16] ^= 1;
    let other = URL_SAFE_NO_PAD.encode(other);
    let messages = board.data(ANN, MESSAGES, json!({ "of": other })).await;
    assert_eq!(messages["messages"], Value::Null);
    let input = json!({ "matchId": other, "text": "hello" });
    assert_eq!(board.codes(ANN, "sendMessage", input).await, ["NOT_FOUND"]);
    assert!(board.stored("message").await.is_empty());
}
