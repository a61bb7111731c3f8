//! Each viewer, each operation of the schema and each owner, over each transport.

use serde_json::{Value, json};
use trestle_applications::Tenancy;

use crate::tenancy::cases::{self, Case, ToOthers};
use crate::tenancy::generated::{roots, schema, selected};
use crate::tenancy::world::{Answer, Thing, Transport, UNLIMITED, Who, World, secret};

/// What a viewer must be answered who asks for something of `thing.of`.
fn check(who: Who, thing: &Thing, field: &str, case: &Case, answer: &Answer, what: &str) {
    let is_own = who.owner() == thing.of.owner();
    let others = if who.owner() == Who::Bob.owner() {
        secret(Who::Alice)
    } else {
        secret(Who::Bob)
    };
    let sent = case.values().to_string();
    if !sent.contains(&others) {
        assert!(!answer.text.contains(&others), "{what}: {}", answer.text);
    }
    assert_eq!(answer.codes, [""; 0], "{what}: {}", answer.text);
    let value = &answer.data[field];
    let user_errors = |payload: &Value| -> Vec<String> {
        let errors = payload["userErrors"].as_array().expect("a list").iter();
        errors
            .map(|error| error["code"].as_str().expect("a code").to_owned())
            .collect()
    };
    let payloads: Vec<_> = match value.get("results").or_else(|| value.get("rows")) {
        Some(results) => results.as_array().expect("a list").iter().collect(),
        None => vec![value],
    };
    match &case.to_others {
        ToOthers::TheirOnly => {}
        _ if is_own => {
            assert!(!value.is_null(), "{what}");
            if value.get("userErrors").is_some() {
                assert!(
                    payloads
                        .iter()
                        .all(|payload| user_errors(payload).is_empty()),
                    "{what}: {value}"
                );
            }
        }
        ToOthers::Value(expected) => assert_eq!(value, expected, "{what}"),
        ToOthers::TheirOwn => assert!(!value.is_null(), "{what}"),
        ToOthers::NotFound | ToOthers::EachNotFound => {
            for payload in payloads {
                assert_eq!(user_errors(payload), ["NOT_FOUND"], "{what}: {value}");
            }
        }
        ToOthers::Created => {
            for payload in payloads {
                assert_eq!(user_errors(payload), [""; 0], "{what}: {value}");
                assert_eq!(
                    payload["application"]["id"],
                    thing.application.as_str(),
                    "{what}"
                );
            }
        }
    }
}

async fn queries(transport: Transport) {
    let (world, schema) = (World::start().await, schema());
    let things = [world.thing(Who::Alice).await, world.thing(Who::Bob).await];
    for field in roots(&schema, "Query") {
        for thing in &things {
            let case = cases::query(&field, thing);
            let selected = selected(&schema, "Query", &field, case.arguments);
            let document = case.document("query", &selected);
            for who in Who::ALL {
                let what = format!(
                    "{who:?} asks for {field} of {:?} over {transport:?}",
                    thing.of
                );
                let answer = world.ask(transport, who, &document, &case.values()).await;
                match who.refused() {
                    Some(code) => {
                        assert_eq!(answer.codes, [code], "{what}");
                        assert_eq!(answer.data, Value::Null, "{what}");
                    }
                    None => check(who, thing, &field, &case, &answer, &what),
                }
            }
        }
    }
}

async fn mutations(transport: Transport) {
    let schema = schema();
    for field in roots(&schema, "Mutation") {
        let world = World::start().await;
        // Both have something that could be harmed.
        world.thing(Who::Alice).await;
        world.thing(Who::Bob).await;
        for of in [Who::Alice, Who::Bob] {
            for who in Who::ALL {
                let what = format!("{who:?} sends {field} for {of:?} over {transport:?}");
                let mut thing = world.thing(of).await;
                if field.starts_with("createApplication") {
                    // An id that only its owner has used: the same again is answered, and another's is not met.
                    thing = created(&world, &field, thing).await;
                }
                let others = if who.owner() == of.owner() && who.refused_to_write().is_none() {
                    other(of)
                } else {
                    of
                };
                let before = world.items_of(others.owner()).await;
                assert!(!before.is_empty());
                let case = cases::mutation(&field, &thing);
                let selected = selected(&schema, "Mutation", &field, case.arguments);
                let document = case.document("mutation", &selected);
                let answer = world.ask(transport, who, &document, &case.values()).await;
                match who.refused_to_write() {
                    Some(code) => {
                        assert_eq!(answer.codes, [code], "{what}");
                        assert_eq!(answer.data, Value::Null, "{what}");
                    }
                    None => check(who, &thing, &field, &case, &answer, &what),
                }
                let after = world.items_of(others.owner()).await;
                assert_eq!(before, after, "{what}: items of {others:?}");
            }
        }
    }
}

fn other(of: Who) -> Who {
    match of {
        Who::Bob => Who::Alice,
        _ => Who::Bob,
    }
}

/// The application that a create makes, made by its owner.
async fn created(world: &World, field: &str, thing: Thing) -> Thing {
    let thing = Thing {
        application: uuid::Uuid::new_v4().to_string(),
        ..thing
    };
    let case = cases::mutation(field, &thing);
    let selected = format!("{field}(input: $input) {{ userErrors {{ message }} }}");
    world
        .data(
            thing.of,
            &case.document("mutation", &selected),
            case.values(),
        )
        .await;
    thing
}

#[tokio::test(flavor = "multi_thread")]
async fn every_query_over_http() {
    queries(Transport::Http).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_query_over_server_sent_events() {
    queries(Transport::Events).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_query_over_websocket() {
    queries(Transport::WebSocket).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_mutation_over_http() {
    mutations(Transport::Http).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_mutation_over_server_sent_events() {
    mutations(Transport::Events).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_mutation_over_websocket() {
    mutations(Transport::WebSocket).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_and_totals_are_of_one_owner() {
    let world = World::start().await;
    for _ in 0..3 {
        world.thing(Who::Alice).await;
    }
    world.thing(Who::Bob).await;
    const COUNTS: &str = "{ applicationStats { active } applications { totalCount }
        applicationInsight { weeks(last: 104) { applied } } }";
    for (who, count) in [(Who::Alice, 3), (Who::Bob, 1), (Who::AlicesReader, 3)] {
        let data = world.data(who, COUNTS, json!({})).await;
        assert_eq!(data["applicationStats"]["active"], count, "{who:?}");
        assert_eq!(data["applications"]["totalCount"], count, "{who:?}");
        let weeks = data["applicationInsight"]["weeks"]
            .as_array()
            .expect("a list");
        let applied: i64 = weeks
            .iter()
            .filter_map(|week| week["applied"].as_i64())
            .sum();
        assert_eq!(applied, count, "{who:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cursor_is_its_owners() {
    let world = World::start().await;
    let things = [world.thing(Who::Alice).await, world.thing(Who::Bob).await];
    for (document, path) in [
        (
            "query($id: ID!, $after: String) { applications(first: 1, after: $after) {
                edges { cursor } } application(id: $id) { id } }",
            "/applications/edges/0/cursor",
        ),
        (
            "query($id: ID!, $after: String) { application(id: $id) {
                history(first: 1, after: $after) { edges { cursor } } } }",
            "/application/history/edges/0/cursor",
        ),
    ] {
        let cursor = async |thing: &Thing, after: Value| {
            let variables = json!({ "id": thing.application, "after": after });
            world
                .ask(Transport::Http, thing.of, document, &variables)
                .await
        };
        let [alices, bobs] = &things;
        let answer = cursor(alices, Value::Null).await;
        let own = answer.data.pointer(path).cloned().expect("a cursor");
        assert_eq!(cursor(alices, own.clone()).await.codes, [""; 0]);
        assert_eq!(cursor(bobs, own).await.codes, ["BAD_USER_INPUT"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_agendas_file_is_its_owners() {
    let world = World::start().await;
    world.thing(Who::Alice).await;
    world.thing(Who::Bob).await;
    let path = "/applications/agenda.ics?from=2026-11-01&to=2026-12-01";
    for who in Who::ALL {
        let (status, text) = world.get(who, path).await;
        let expected = match who.refused() {
            None => 200,
            Some("FORBIDDEN") => 403,
            Some(_) => 401,
        };
        assert_eq!(status, expected, "{who:?}");
        let is_own = |of: Who| expected == 200 && who.owner() == of.owner();
        for of in [Who::Alice, Who::Bob] {
            assert_eq!(text.contains(&secret(of)), is_own(of), "{who:?} {of:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_viewer_and_the_actor_are_who_asked() {
    let world = World::start().await;
    let thing = world.thing(Who::Alice).await;
    const VIEWER: &str = "{ viewer { subject owner roles canWrite } }";
    let alice = world.data(Who::Alice, VIEWER, json!({})).await;
    assert_eq!(
        alice["viewer"],
        json!({ "subject": "Alice", "owner": Who::Alice.owner(), "roles": ["read", "write"],
                "canWrite": true })
    );
    let reader = world.data(Who::AlicesReader, VIEWER, json!({})).await;
    assert_eq!(
        reader["viewer"],
        json!({ "subject": "reader", "owner": Who::Alice.owner(), "roles": [], "canWrite": false })
    );
    const HISTORY: &str = "query($id: ID!) { application(id: $id) {
        history(first: 5) { edges { node { sequence actor } } } } }";
    let history = world
        .data(
            Who::AlicesReader,
            HISTORY,
            json!({ "id": thing.application }),
        )
        .await;
    let entries = json!([
        { "node": { "sequence": 2, "actor": "Alice" } },
        { "node": { "sequence": 1, "actor": "Alice" } },
    ]);
    assert_eq!(history["application"]["history"]["edges"], entries);
}

#[tokio::test(flavor = "multi_thread")]
async fn in_a_table_without_owners_everyone_shares_one_list_and_changes_name_their_actor() {
    let world = World::of(Tenancy::Single, UNLIMITED).await;
    let thing = world.thing(Who::Alice).await;
    const NOTE: &str = "mutation($id: ID!) { updateApplication(input: { id: $id, notes: \"b\" }) {
        userErrors { message } } }";
    let id = json!({ "id": thing.application });
    world.data(Who::Bob, NOTE, id.clone()).await;
    const READ: &str = "query($id: ID!) { viewer { owner } application(id: $id) {
        history(first: 5) { edges { node { actor } } } } }";
    let read = world.data(Who::Ownerless, READ, id).await;
    assert_eq!(read["viewer"]["owner"], Value::Null);
    let actor = |name: &str| json!({ "node": { "actor": name } });
    let actors = json!([actor("Bob"), actor("Alice"), actor("Alice")]);
    assert_eq!(read["application"]["history"]["edges"], actors);
    let items = world.items().await;
    let with_actor = items.iter().filter(|(_, item)| item.contains_key("actor"));
    for (key, item) in with_actor.clone() {
        assert!(key.contains(" / HIST#") && item["actor"].is_s(), "{key}");
    }
    assert_eq!(with_actor.count(), 3);
    let is_of_the_contract = |key: &String| {
        let starts = ["APP#", "META / COUNT", "INSIGHT / "];
        starts.iter().any(|start| key.starts_with(start))
    };
    assert!(items.keys().all(is_of_the_contract), "{:?}", items.keys());
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_are_of_an_owner_whoever_asks() {
    let world = World::of(Tenancy::Owner, 1).await;
    let codes = async |who| {
        let answer = world
            .ask(Transport::Http, who, "{ viewer { subject } }", &json!({}))
            .await;
        answer.codes
    };
    assert_eq!(codes(Who::Alice).await, [""; 0]);
    assert_eq!(codes(Who::AlicesReader).await, ["RATE_LIMITED"]);
    assert_eq!(codes(Who::Bob).await, [""; 0]);
}
