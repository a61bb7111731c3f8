//! A create that a stranger repeats, with the id that its owner gave it and the same content: the stranger is answered
//! as if nobody had used the id, learns nothing of what is stored, and changes nothing of it.

pub mod create;
mod hub;
pub mod schema;
mod worlds;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use apollo_compiler::Schema;
use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use trestle::services::SERVICES;
use trestle_testing::hosted::TestServer;

use create::{Create, Outcome};
use worlds::World;

use crate::promises::ask::Who;

type Items = BTreeMap<String, HashMap<String, AttributeValue>>;

/// Mutations that make something, by how their names begin.
const MAKING: [&str; 14] = [
    "add",
    "apply",
    "clone",
    "create",
    "duplicate",
    "express",
    "import",
    "invite",
    "post",
    "register",
    "request",
    "save",
    "send",
    "submit",
];

/// Optional ids of inputs that name what is there already, or that the client may use again by intention.
const REFERENCES: [(&str, &str); 17] = [
    ("completeInterviewStage", "applicationId"),
    ("removeInterviewStage", "applicationId"),
    ("updateInterviewStage", "applicationId"),
    // Of a cloud, not of Trestle.
    ("createRun", "accountId"),
    ("retryRun", "workerId"),
    ("startRun", "workerId"),
    // A saved search of the viewer.
    ("saveSearch", "id"),
    ("applyForRole", "resumeUploadId"),
    ("attachUpload", "uploadId"),
    ("createConversation", "relatedApplicationId"),
    ("createConversation", "relatedStartupId"),
    // It is ignored.
    ("exportMyData", "clientMutationId"),
    ("sendMessage", "attachmentUploadId"),
    ("addChecklistItem", "afterId"),
    ("addChecklistItems", "afterId"),
    ("moveChecklistItem", "afterId"),
    ("movePollOption", "afterId"),
];

/// The secret of a voter, beside the passcode: whoever has both is that voter.
const SECRETS: [(&str, &str); 1] = [("openShareable", "voterId")];

fn parsed(sdl: &str) -> Schema {
    Schema::parse(sdl, "schema.graphql").unwrap()
}

/// It stores nothing; `tests/tenancy` holds that it is refused to others.
const PERMITTING: &str = "createFileUpload";

/// Everything that a table has, by its key.
async fn stored(world: &World) -> Items {
    let mut all = Items::new();
    for table in world.tables {
        for item in world.server.items(table.default_name).await {
            let [pk, sk] = [table.partition_key, table.sort_key].map(|key| &item[key.name]);
            all.insert(format!("{} {pk:?} {sk:?}", table.default_name), item);
        }
    }
    all
}

/// Sends a create; the body of the answer.
async fn ask(server: &TestServer, schema: &Schema, create: &Create, who: &Who, id: &str) -> Value {
    let document = schema::document(schema, create.mutation);
    let input: Value = serde_json::from_str(&create.input.to_string().replace("$ID", id)).unwrap();
    server
        .run(who, &document, json!({ "input": input }))
        .await
        .body
}

/// Every user error of an answer, whatever it is below.
fn errors(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match name.as_str() {
                    "userErrors" => {
                        found.extend(value.as_array().unwrap().iter().map(ToString::to_string))
                    }
                    _ => errors(value, found),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| errors(value, found)),
        _ => {}
    }
}

/// What was refused, with the codes of errors beside the data.
fn refusals(answer: &Value) -> Vec<String> {
    let mut found = Vec::new();
    errors(&answer["data"], &mut found);
    for error in answer["errors"].as_array().into_iter().flatten() {
        found.push(format!(
            "{} {}",
            error["extensions"]["code"], error["message"]
        ));
    }
    found
}

/// Which values are there: what two answers have in common that differ in ids alone.
fn outline(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(name, _)| *name != "extensions");
            fields
                .map(|(name, value)| (name.clone(), outline(value)))
                .collect()
        }
        Value::Array(values) => values.iter().map(outline).collect(),
        Value::Null => Value::Null,
        _ => json!("a value"),
    }
}

/// Texts of an answer that are long enough to name something.
fn texts(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) if text.len() >= 12 => drop(found.insert(text.clone())),
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(name, _)| *name != "__typename");
            fields.for_each(|(_, value)| texts(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| texts(value, found)),
        _ => {}
    }
}

fn texts_of(value: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    texts(&value["data"], &mut found);
    found
}

async fn repeated(world: &World, schema: &Schema, create: &Create) {
    let name = create.mutation;
    let given = (create.id_of)(&world.server);
    let before = stored(world).await;
    let made = ask(&world.server, schema, create, &create.owner, &given).await;
    assert_eq!(refusals(&made), [""; 0], "{name} by its owner: {made:#}");
    let mut made_items = stored(world).await;
    made_items.retain(|key, _| !before.contains_key(key));
    assert!(!made_items.is_empty(), "{name} stored nothing");
    if create.takes_id {
        let again = ask(&world.server, schema, create, &create.owner, &given).await;
        assert_eq!(refusals(&again), [""; 0], "{name} again by its owner");
        let lost = texts_of(&made).difference(&texts_of(&again)).count();
        assert_eq!(lost, 0, "{name} again by its owner: {made:#} {again:#}");
    }
    let mut of_owner = texts_of(&made);
    let sent = create.input.to_string();
    of_owner.retain(|text| !sent.contains(text.as_str()) && *text != given);
    for ([repeating, fresh], expected) in &create.strangers {
        let kept = stored(world).await;
        let repeat = ask(&world.server, schema, create, repeating, &given).await;
        let unused = (create.id_of)(&world.server);
        let other = ask(&world.server, schema, create, fresh, &unused).await;
        let who = format!("{name} by {repeating:?}: {repeat:#}");
        let seen: BTreeSet<_> = texts_of(&other);
        let shown = repeat.to_string();
        let told: Vec<_> = of_owner
            .iter()
            .filter(|text| !seen.contains(*text) && shown.contains(text.as_str()))
            .collect();
        assert!(told.is_empty(), "{who} has {told:?} of {made:#}");
        match expected {
            Outcome::Own => assert_eq!(refusals(&repeat), [""; 0], "{who}"),
            Outcome::Refused(code) => assert!(refusals(&repeat)[0].contains(code), "{who}"),
            Outcome::AsOthers => {}
        }
        assert_eq!(refusals(&repeat), refusals(&other), "{who}");
        assert_eq!(outline(&repeat["data"]), outline(&other["data"]), "{who}");
        let now = stored(world).await;
        for key in made_items.keys() {
            assert_eq!(kept.get(key), now.get(key), "{who} changed {key}");
        }
    }
}

/// The optional ids of an input, with what is within it.
fn optional_ids(schema: &Schema) -> Vec<(String, String)> {
    let mutations = &schema.get_object("Mutation").unwrap().fields;
    let ids = mutations.iter().flat_map(|(name, _)| {
        let paths = schema::optional_ids(schema, name);
        paths.into_iter().map(move |path| (name.to_string(), path))
    });
    ids.collect()
}

async fn hold(service: &str) {
    let registered = SERVICES.iter().find(|one| one.name == service).unwrap();
    let schema = parsed(&(registered.sdl)());
    let world = worlds::of(registered).await;
    for (name, _) in &schema.get_object("Mutation").unwrap().fields {
        let makes = MAKING.iter().any(|verb| name.starts_with(verb)) && name != PERMITTING;
        let has_case = world
            .creates
            .iter()
            .any(|create| create.mutation == name.as_str());
        assert!(
            !makes || has_case,
            "{service}: {name} makes something, and has no case here"
        );
    }
    for (mutation, path) in optional_ids(&schema) {
        let is_known = [&REFERENCES[..], &SECRETS[..]]
            .concat()
            .contains(&(&mutation, &path));
        let has_case = world
            .creates
            .iter()
            .any(|create| create.mutation == mutation && create.takes_id);
        assert!(
            is_known || has_case,
            "{service}: {mutation} takes {path}, and has no case here"
        );
    }
    for create in &world.creates {
        repeated(&world, &schema, create).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_repeat_creates_of_applications() {
    hold("applications").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_repeat_creates_of_graph_runs() {
    hold("graph-runs").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_repeat_creates_of_job_board() {
    hold("job-board").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_repeat_creates_of_collab_hub() {
    hold("collab-hub").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_repeat_creates_of_shareables() {
    hold("shareables").await;
}

#[test]
fn every_service_of_the_registry_is_held_to_it() {
    let held = [
        "applications",
        "graph-runs",
        "job-board",
        "collab-hub",
        "shareables",
    ];
    let registered: Vec<_> = SERVICES.iter().map(|service| service.name).collect();
    assert_eq!(registered, held);
}
