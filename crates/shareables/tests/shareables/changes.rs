//! What those who watch are told: what changed, in the event itself, also to pages that cannot send a token.

use serde_json::{Value, json};

use crate::site::{Opened, VIEW, checklist, errors, items, mutate, open, options, poll, site};
use trestle_testing::hosted::TestServer;

const WATCH: &str = "subscription($id: String!) { shareableChanged(shortId: $id) {
    kind at item { name quantity person } itemId items { name tickedAt } option { text } optionId
    options { text voteCount } vote { voterName comment optionIds } voteId
    shareable { name version ... on Poll { voterCount isClosed } } } }";

/// A stream of events, as a browser's `EventSource` opens it.
struct Stream {
    response: reqwest::Response,
    text: String,
}

async fn ticket(site: &TestServer, on: &Opened) -> String {
    let input = json!({ "shortId": on.short_id });
    let more = "ticket { ticket expiresAt }";
    let issued = mutate(site, &on.token, "issueTicket", more, input).await;
    issued["ticket"]["ticket"].as_str().unwrap().to_owned()
}

async fn get(site: &TestServer, short_id: &str, query: &str, ticket: &str) -> reqwest::Response {
    let mut url = reqwest::Url::parse(&site.url).unwrap();
    let variables = json!({ "id": short_id }).to_string();
    let pairs = [
        ("query", query),
        ("variables", &variables),
        ("ticket", ticket),
    ];
    url.query_pairs_mut().extend_pairs(pairs);
    let request = site.http.get(url).header("accept", "text/event-stream");
    request.send().await.unwrap()
}

impl Stream {
    async fn open(site: &TestServer, on: &Opened) -> Self {
        let ticket = ticket(site, on).await;
        let response = get(site, &on.short_id, WATCH, &ticket).await;
        assert_eq!(response.status(), 200);
        let text = String::new();
        Self { response, text }
    }

    /// The next event.
    async fn next(&mut self) -> Value {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let data = event.lines().find_map(|line| line.strip_prefix("data: "));
                let event: Option<Value> = data.and_then(|data| serde_json::from_str(data).ok());
                self.text = rest.to_owned();
                match event {
                    Some(event) if event["data"]["shareableChanged"].is_object() => {
                        return event["data"]["shareableChanged"].clone();
                    }
                    Some(event) => return event,
                    None => continue,
                }
            }
            let chunk = self.response.chunk().await.unwrap();
            let chunk = chunk.expect("the stream goes on");
            self.text.push_str(&String::from_utf8_lossy(&chunk));
        }
    }
}

#[tokio::test]
async fn events_of_a_list_carry_the_items_that_changed() {
    let site = site().await;
    let made = checklist(&site, 2).await;
    let bob = open(&site, &made.short_id, VIEW).await;
    let mut stream = Stream::open(&site, &bob).await;
    let add = json!({ "shortId": made.short_id, "text": "- tent\n\n2. [x] stove\r\n* 3 ropes", "afterId": null });
    let added = mutate(
        &site,
        &made.token,
        "addChecklistItems",
        "items { name }",
        add,
    )
    .await;
    assert_eq!(errors(&added), [""; 0]);
    let event = stream.next().await;
    let names: Vec<_> = event["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| i["name"].clone())
        .collect();
    assert_eq!(names, ["tent", "stove", "3 ropes"], "{event}");
    assert_eq!(event["shareable"]["version"], 2);
    let ids: Vec<_> = items(&site, &bob)
        .await
        .into_iter()
        .map(|item| item.0)
        .collect();
    let update = json!({ "id": ids[0], "quantity": "2 kg", "person": "Ann" });
    mutate(&site, &made.token, "updateChecklistItem", "", update).await;
    let event = stream.next().await;
    assert_eq!(
        (
            &event["item"]["quantity"],
            &event["item"]["person"],
            &event["itemId"]
        ),
        (&json!("2 kg"), &json!("Ann"), &json!(ids[0])),
    );
    mutate(
        &site,
        &bob.token,
        "tickChecklistItem",
        "",
        json!({ "id": ids[1] }),
    )
    .await;
    assert_eq!(stream.next().await["item"]["name"], "item 1");
    let untick = json!({ "shortId": made.short_id });
    mutate(&site, &made.token, "untickChecklist", "", untick).await;
    let event = stream.next().await;
    // The stove was ticked where it was pasted from.
    assert_eq!(
        event["items"],
        json!([{ "name": "item 1", "tickedAt": null }, { "name": "stove", "tickedAt": null }]),
        "{event}"
    );
    mutate(
        &site,
        &made.token,
        "deleteChecklistItem",
        "",
        json!({ "id": ids[1] }),
    )
    .await;
    let event = stream.next().await;
    assert_eq!(
        (&event["kind"], &event["itemId"]),
        (&json!("ITEM_DELETED"), &json!(ids[1]))
    );
    // The access that was taken away ends the stream without telling anything more.
    let change = json!({ "shortId": made.short_id, "passcode": crate::site::ADMIN, "makePasscodes": ["VIEW"] });
    mutate(&site, &made.token, "changePasscodes", "", change).await;
    assert!(stream.next().await.to_string().contains("UNAUTHENTICATED"));
}

#[tokio::test]
async fn events_of_a_poll_carry_votes_and_counts_unless_it_hides_them() {
    let site = site().await;
    for hides in [false, true] {
        let made = poll(&site, json!({ "hidesResults": hides })).await;
        let bob = open(&site, &made.short_id, VIEW).await;
        let mut stream = Stream::open(&site, &made).await;
        let ids: Vec<_> = options(&site, &made)
            .await
            .into_iter()
            .map(|o| o.0)
            .collect();
        let vote = json!({ "shortId": made.short_id, "optionIds": [ids[1]], "comment": "Late" });
        mutate(&site, &bob.token, "vote", "", vote).await;
        let event = stream.next().await;
        assert_eq!(event["kind"], "VOTED", "{event}");
        assert_eq!(event["shareable"]["voterCount"], 1);
        let count = &event["options"][1]["voteCount"];
        if !hides {
            let vote = json!({ "voterName": "Bob", "comment": "Late", "optionIds": [ids[1]] });
            assert_eq!((&event["vote"], count), (&vote, &json!(1)));
        } else {
            assert_eq!((&event["vote"], count), (&Value::Null, &Value::Null))
        }
        let update = json!({ "id": ids[0], "text": "A+" });
        mutate(&site, &made.token, "updatePollOption", "", update).await;
        let event = stream.next().await;
        assert_eq!(event["option"]["text"], "A+");
        let close = json!({ "shortId": made.short_id });
        mutate(&site, &made.token, "closePoll", "", close).await;
        let event = stream.next().await;
        assert_eq!(event["shareable"]["isClosed"], true);
        assert_eq!(event["options"][1]["voteCount"], 1, "{event}");
    }
}

#[tokio::test]
async fn a_ticket_begins_a_stream_for_a_minute_and_opens_nothing_else() {
    let site = site().await;
    let made = checklist(&site, 1).await;
    let other = checklist(&site, 1).await;
    let ticket = ticket(&site, &made).await;
    let text = async |short_id: &str, query: &str, ticket: &str| {
        get(&site, short_id, query, ticket)
            .await
            .text()
            .await
            .unwrap()
    };
    let read = "query($id: String!) { shareable(shortId: $id) { name } }";
    let nested = "query($id: String!) { shareable(shortId: $id) { ... on Checklist { items { checklist { name } } } } }";
    for query in [read, nested] {
        let refused = text(&made.short_id, query, &ticket).await;
        assert!(refused.contains("UNAUTHENTICATED"), "{refused}");
    }
    let refused = text(&other.short_id, WATCH, &ticket).await;
    assert!(refused.contains("UNAUTHENTICATED"), "{refused}");
    for token in [&made.token, "", "w1.e30.AAAA"] {
        let refused = text(&made.short_id, WATCH, token).await;
        assert!(refused.contains("UNAUTHENTICATED"), "{refused}");
    }
    let write =
        "mutation { renewToken(input: { shortId: \"ABC-DEF-12345\" }) { userErrors { code } } }";
    let refused = get(&site, &made.short_id, write, &ticket).await;
    assert!(!refused.status().is_success() || refused.text().await.unwrap().contains("errors"));
    // A ticket is no token.
    let by_ticket = crate::site::ask(&site, &ticket, read, json!({ "id": made.short_id })).await;
    assert_eq!(by_ticket.code(), "UNAUTHENTICATED");
    site.clock.advance(59);
    assert_eq!(
        get(&site, &made.short_id, WATCH, &ticket).await.status(),
        200
    );
    site.clock.advance(1);
    let refused = text(&made.short_id, WATCH, &ticket).await;
    assert!(refused.contains("UNAUTHENTICATED"), "{refused}");
}
