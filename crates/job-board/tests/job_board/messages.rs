//! Messages of a match.

use serde_json::{Value, json};

use crate::board::{ANN, BOB, Board, ERIN, job, nodes, text, ulid};

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
async fn the_servers_time_orders_messages() {
    let board = Board::start().await;
    let of = board.matched().await;
    // Ten in one request, each with an id that the client dated back.
    let fields: Vec<_> = (0..10)
        .map(|n| {
            let id = ulid("2026-02-21T23:00:00Z", 100 - n);
            format!("m{n}: sendMessage(input: {{ matchId: \"{of}\", messageId: \"{id}\", text: \"{n}\" }}) {{ message {{ id }} userErrors {{ code }} }}")
        })
        .collect();
    let sent = board
        .data(
            ANN,
            &format!("mutation {{ {} }}", fields.join(" ")),
            json!({}),
        )
        .await;
    let ids: Vec<_> = (0..10)
        .map(|n| text(&sent[format!("m{n}")]["message"]["id"]))
        .collect();
    board
        .done(
            ERIN,
            "markRead",
            json!({ "messageId": ids[9] }),
            "match { id }",
        )
        .await;
    let late =
        json!({ "matchId": of, "messageId": ulid("2026-02-21T23:00:00Z", 1), "text": "late" });
    board
        .done(ANN, "sendMessage", late.clone(), "message { id }")
        .await;
    let page = board.data(ERIN, MESSAGES, json!({ "of": of })).await;
    let listed = nodes(&page["messages"]);
    let texts: String = listed
        .iter()
        .map(|message| text(&message["text"]))
        .collect();
    assert_eq!(texts, "late9876543210");
    assert_eq!(listed[0]["isRead"], false, "it came after what was read");
    board.done(ANN, "sendMessage", late, "message { id }").await;
    assert_eq!(board.stored("message").await.len(), 11);
}

/// Clocks of servers differ, and go back: messages are listed in the order in which they were stored, and so are their times.
#[tokio::test]
async fn times_of_messages_are_in_the_order_of_the_messages() {
    let board = Board::start().await;
    let of = board.matched().await;
    let mut said = Vec::new();
    for (n, seconds) in [5, -4, 0, -60, 61, -1, -1, 3, -3_600, 0, 7_200, -7_000]
        .into_iter()
        .enumerate()
    {
        board.clock.advance(seconds);
        let text = format!("message {n}");
        let sender = if n % 2 == 0 { ANN } else { ERIN };
        board.send(sender, &of, &text).await;
        said.push(text);
    }
    let query =
        "query($id: ID!) { messages(matchId: $id, first: 50) { edges { node { text sentAt } } } }";
    let list = board.data(ANN, query, json!({ "id": of })).await;
    let mut list = nodes(&list["messages"]);
    list.reverse();
    let texts: Vec<_> = list.iter().map(|message| text(&message["text"])).collect();
    assert_eq!(texts, said);
    let times: Vec<_> = list
        .iter()
        .map(|message| text(&message["sentAt"]))
        .collect();
    assert!(times.is_sorted(), "{times:?}");
}

#[tokio::test]
async fn a_viewer_on_both_sides_says_on_which_they_write() {
    let board = Board::start().await;
    let local = "local write seeker employer";
    let posted = board.post(local, job()).await;
    let input = json!({ "jobId": posted });
    board.save(local, crate::board::profile()).await;
    let interest = board
        .done(local, "expressInterest", input, "interest { id }")
        .await;
    let of = board
        .approve(local, &text(&interest["interest"]["id"]))
        .await;
    let mut ids = Vec::new();
    for (side, said) in [("SEEKER", "Hello"), ("EMPLOYER", "Welcome")] {
        let input = json!({ "matchId": of, "text": said, "as": side });
        let sent = board
            .done(local, "sendMessage", input, "message { id sender }")
            .await;
        assert_eq!(sent["message"]["sender"], side);
        ids.push(text(&sent["message"]["id"]));
    }
    let read = json!({ "messageId": ids[0], "as": "EMPLOYER" });
    board.done(local, "markRead", read, "match { id }").await;
    let page = board.data(local, MESSAGES, json!({ "of": of })).await;
    let is_read = |at: usize| nodes(&page["messages"])[at]["isRead"].clone();
    assert_eq!([is_read(0), is_read(1)], [json!(false), json!(true)]);
    let other = json!({ "matchId": of, "text": "x", "as": "SEEKER" });
    assert_eq!(board.codes(ERIN, "sendMessage", other).await, ["NOT_FOUND"]);
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
async fn unread_messages_are_counted_for_each_side() {
    let board = Board::start().await;
    let of = board.matched().await;
    let document = "query($id: ID!) { match(id: $id) { unreadCount } }";
    let unread = async || {
        let (mut counts, id) = (Vec::new(), json!({ "id": of }));
        for viewer in [ANN, ERIN] {
            let found = board.data(viewer, document, id.clone()).await;
            counts.push(found["match"]["unreadCount"].as_i64().unwrap());
        }
        counts
    };
    assert_eq!(unread().await, [0, 0]);
    let mut sent = Vec::new();
    for viewer in [ANN, ERIN, ANN, ANN, ERIN] {
        sent.push(board.send(viewer, &of, "hello").await);
        board.clock.advance(1);
    }
    assert_eq!(unread().await, [2, 3]);
    for (viewer, at, counts) in [
        (ERIN, 2, [2, 1]),
        (ERIN, 0, [2, 1]),
        (ANN, 2, [1, 1]),
        (ERIN, 4, [1, 0]),
        (ANN, 4, [0, 0]),
    ] {
        let read = json!({ "messageId": sent[at] });
        board.done(viewer, "markRead", read, "match { id }").await;
        assert_eq!(unread().await, counts, "{viewer} {at}");
    }
    board.send(ERIN, &of, "again").await;
    assert_eq!(unread().await, [1, 0]);
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
