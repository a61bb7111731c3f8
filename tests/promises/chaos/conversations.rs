//! Messages between two: of a match, and of a conversation. Each is sent with an id of the client's, once and in order.

use std::sync::Arc;

use serde_json::{Value, json};
use trestle_testing::faults::Seeded;

use super::world::{World, text, ulid};

/// A conversation of two in one of the services.
struct Between {
    service: &'static str,
    tokens: [String; 2],
    /// The input's field of the conversation, and its id.
    of: (&'static str, String),
    /// The field of what is said.
    content: &'static str,
}

/// What was said, the newest last, and what each of the two has not read.
#[derive(Default)]
struct Model {
    said: Vec<String>,
    unread: [u64; 2],
}

pub async fn of_a_match(world: Arc<World>, n: usize, random: Seeded) {
    const SERVICE: &str = "job-board";
    let seeker = world.token(&format!("ann{n}"), &["seeker"]);
    let employer = world.token(&format!("erin{n}"), &["employer"]);
    let place = json!([{ "city": "Montreal", "country": "CA" }]);
    let job = json!({ "requestId": ulid(), "company": "Acme", "title": "Engineer", "places": place.clone() });
    let job = world
        .done(SERVICE, &employer, "createJob", job, "job { id }")
        .await;
    let profile = json!({ "name": "Ann", "places": place });
    world
        .done(SERVICE, &seeker, "saveSeekerProfile", profile, "__typename")
        .await;
    let interest = json!({ "jobId": job["job"]["id"] });
    let interest = world
        .done(
            SERVICE,
            &seeker,
            "expressInterest",
            interest,
            "interest { id }",
        )
        .await;
    let approve = json!({ "id": interest["interest"]["id"] });
    let of = world
        .done(
            SERVICE,
            &employer,
            "approveInterest",
            approve,
            "match { id }",
        )
        .await;
    let between = Between {
        service: SERVICE,
        tokens: [seeker, employer],
        of: ("matchId", text(&of["match"]["id"])),
        content: "text",
    };
    talk(&world, &between, random).await;
}

pub async fn of_two_users(world: Arc<World>, n: usize, random: Seeded) {
    const SERVICE: &str = "collab-hub";
    let names = [format!("fay{n}"), format!("tess{n}")];
    let tokens = [world.token(&names[0], &[]), world.token(&names[1], &[])];
    let mut ids = Vec::new();
    for (name, token) in names.iter().zip(&tokens) {
        let input = json!({
            "role": "TALENT", "email": format!("{name}@example.com"), "firstName": "x", "lastName": "x",
        });
        let made = world
            .done(SERVICE, token, "registerUser", input, "user { id }")
            .await;
        ids.push(made["user"]["id"].clone());
    }
    let input = json!({ "type": "DIRECT", "participantIds": [ids[1]], "conversationId": ulid() });
    let made = world
        .done(
            SERVICE,
            &tokens[0],
            "createConversation",
            input,
            "conversation { id }",
        )
        .await;
    let id = text(&made["conversation"]["id"]);
    // Accepted by a try whose answer was lost, it is no longer asked for.
    let accept = json!({ "conversationId": id });
    world
        .mutate(SERVICE, &tokens[1], "acceptConversation", accept, "")
        .await;
    let between = Between {
        service: SERVICE,
        tokens,
        of: ("conversationId", id),
        content: "content",
    };
    talk(&world, &between, random).await;
}

async fn talk(world: &World, between: &Between, mut random: Seeded) {
    let before = seen(world, between, 0).await.0.len();
    let mut model = Model::default();
    while !world.is_enough() {
        let side = random.below(2) as usize;
        if random.below(8) == 0 && !model.said.is_empty() {
            let newest = seen_last(world, between, side).await;
            let (name, input) = match between.service {
                "job-board" => ("markRead", json!({ "messageId": newest })),
                _ => (
                    "markConversationRead",
                    json!({ "conversationId": between.of.1 }),
                ),
            };
            world
                .done(between.service, &between.tokens[side], name, input, "")
                .await;
            model.unread[side] = 0;
            continue;
        }
        let said = uuid::Uuid::new_v4().to_string();
        let input =
            json!({ between.of.0: between.of.1, between.content: said, "messageId": ulid() });
        world
            .done(
                between.service,
                &between.tokens[side],
                "sendMessage",
                input,
                "",
            )
            .await;
        model.said.push(said);
        model.unread[1 - side] += 1;
    }
    world.until_settled().await;
    for side in 0..2 {
        let (mut said, unread) = seen(world, between, side).await;
        // What the service says when a conversation begins.
        said.drain(..before);
        world.expect(between.service, &json!(said), &json!(model.said));
        world.expect(between.service, &unread, &json!(model.unread[side]));
    }
}

fn query(between: &Between) -> String {
    let kind = match between.service {
        "job-board" => "Match",
        _ => "Conversation",
    };
    format!(
        "query($id: ID!, $after: String, $first: Int) {{ node(id: $id) {{ ... on {kind} {{ unreadCount \
            messages(first: $first, after: $after) {{ edges {{ node {{ id {} }} }} pageInfo {{ hasNextPage endCursor }} }} }} }} }}",
        between.content
    )
}

async fn seen_last(world: &World, between: &Between, side: usize) -> Value {
    let variables = json!({ "id": between.of.1, "first": 1 });
    let data = world
        .ask(
            between.service,
            &between.tokens[side],
            &query(between),
            variables,
        )
        .await;
    data["node"]["messages"]["edges"][0]["node"]["id"].clone()
}

/// Everything that was said, the newest last, and how much of it a side has not read.
async fn seen(world: &World, between: &Between, side: usize) -> (Vec<String>, Value) {
    let (mut said, mut after) = (Vec::new(), Value::Null);
    loop {
        let variables = json!({ "id": between.of.1, "after": after, "first": 100 });
        let data = world
            .ask(
                between.service,
                &between.tokens[side],
                &query(between),
                variables,
            )
            .await;
        let page = &data["node"]["messages"];
        let edges = page["edges"].as_array().unwrap().iter();
        said.extend(edges.map(|edge| text(&edge["node"][between.content])));
        after = page["pageInfo"]["endCursor"].clone();
        if page["pageInfo"]["hasNextPage"] != true {
            said.reverse();
            return (said, data["node"]["unreadCount"].clone());
        }
    }
}
