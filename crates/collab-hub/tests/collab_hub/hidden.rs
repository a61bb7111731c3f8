//! Users whom the viewer may not see: no mutation says more of them than of an id that names nobody.

use serde_json::{Map, Value, json};

use crate::world::Hub;

const TYPE: &str = "kind name ofType { kind name ofType { kind name ofType { kind name } } }";

/// The name of a type without what wraps it, and whether it is required and a list.
struct Type<'s> {
    name: &'s str,
    kind: &'s str,
    is_required: bool,
    is_list: bool,
}

impl<'s> Type<'s> {
    fn of(mut given: &'s Value) -> Self {
        let is_required = given["kind"] == "NON_NULL";
        let mut is_list = false;
        while !given["ofType"].is_null() {
            is_list |= given["kind"] == "LIST";
            given = &given["ofType"];
        }
        Self {
            name: given["name"].as_str().unwrap(),
            kind: given["kind"].as_str().unwrap(),
            is_required,
            is_list,
        }
    }
}

/// A mutation with an id in one field of its input.
struct Attempt {
    mutation: String,
    query: String,
    field: String,
    input: Map<String, Value>,
    is_list: bool,
}

/// Each mutation and each field of its input that takes an id, by the schema. The other required fields are filled.
async fn attempts(hub: &Hub, conversation: &str, startup: &str) -> Vec<Attempt> {
    let query = format!(
        "{{ __schema {{ mutationType {{ fields {{ name args {{ type {{ {TYPE} }} }} type {{ {TYPE} }} }} }} types {{ name \
         enumValues {{ name }} fields {{ name type {{ {TYPE} }} }} inputFields {{ name type {{ {TYPE} }} }} }} }} }}"
    );
    let schema = hub.query("ada", &query, Value::Null).await["__schema"].clone();
    let types = schema["types"].as_array().unwrap();
    let named = |name: &str| types.iter().find(|kind| kind["name"] == name).unwrap();
    let mut attempts = Vec::new();
    for mutation in schema["mutationType"]["fields"].as_array().unwrap() {
        let payload = Type::of(&mutation["type"]);
        let shown = named(payload.name)["fields"].as_array().unwrap().iter();
        let shown = shown.filter(|field| field["name"] != "userErrors");
        let shown: Vec<_> = shown
            .map(|field| match Type::of(&field["type"]).kind {
                "SCALAR" | "ENUM" => field["name"].as_str().unwrap().to_owned(),
                _ => format!("{} {{ __typename }}", field["name"].as_str().unwrap()),
            })
            .collect();
        let name = mutation["name"].as_str().unwrap();
        let Some(argument) = mutation["args"].get(0) else {
            continue;
        };
        let input = Type::of(&argument["type"]).name;
        let query = format!(
            "mutation($input: {input}!) {{ {name}(input: $input) {{ {} userErrors {{ code message field }} }} }}",
            shown.join(" ")
        );
        let fields = named(input)["inputFields"].as_array().unwrap();
        for tested in fields {
            let tested_type = Type::of(&tested["type"]);
            if tested_type.name != "ID" {
                continue;
            }
            let mut filled = Map::new();
            for field in fields {
                let (kind, name) = (Type::of(&field["type"]), field["name"].as_str().unwrap());
                if !kind.is_required || name == tested["name"] {
                    continue;
                }
                let value = match (kind.kind, kind.name) {
                    ("ENUM", enumeration) => named(enumeration)["enumValues"][0]["name"].clone(),
                    (_, "ID") if name == "conversationId" => json!(conversation),
                    (_, "ID") => json!(startup),
                    (_, "Int") => json!(1),
                    (_, "Boolean") => json!(true),
                    _ => json!("text"),
                };
                filled.insert(
                    name.to_owned(),
                    if kind.is_list { json!([value]) } else { value },
                );
            }
            attempts.push(Attempt {
                mutation: name.to_owned(),
                query: query.clone(),
                field: tested["name"].as_str().unwrap().to_owned(),
                input: filled,
                is_list: tested_type.is_list,
            });
        }
    }
    attempts
}

/// Users who are hidden from others, each for another reason, and one who does not exist any more.
async fn people(hub: &Hub) -> Vec<(&'static str, String)> {
    let banned = hub.register("banned", "TALENT").await;
    let input = json!({ "id": banned, "status": "BANNED", "reason": "r" });
    hub.make("root", "setUserStatus", input, "user").await;
    // Without a verified address.
    let register =
        "mutation($input: RegisterUserInput!) { registerUser(input: $input) { user { id } } }";
    let input = json!({
        "role": "INVESTOR", "email": "waiting@example.com", "firstName": "w", "lastName": "w",
    });
    let waiting = hub
        .0
        .data("waiting write", register, json!({ "input": input }))
        .await;
    let waiting = waiting["registerUser"]["user"]["id"].as_str().unwrap();
    let waiting = waiting.to_owned();
    let gone = hub.register("gone", "FOUNDER").await;
    let deleted = hub
        .mutate("gone", "deleteAccount", json!({ "id": gone }), "isComplete")
        .await;
    assert_eq!(deleted["isComplete"], true);
    vec![("nobody", gone), ("banned", banned), ("waiting", waiting)]
}

#[tokio::test]
async fn no_mutation_says_more_of_a_hidden_user_than_of_nobody() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    for role in ["FOUNDER", "TALENT", "INVESTOR"] {
        hub.register(&format!("viewer-{}", role.to_lowercase()), role)
            .await;
    }
    hub.register("ada", "FOUNDER").await;
    let bea = hub.register("bea", "TALENT").await;
    let people = people(&hub).await;
    let startup = hub.startup("ada", "Sunny", "PUBLIC").await;
    let group = json!({ "type": "GROUP", "participantIds": [bea] });
    let conversation = hub
        .make("ada", "createConversation", group, "conversation")
        .await;
    let attempts = attempts(&hub, &conversation, &startup).await;
    let tested = |name: &str| attempts.iter().any(|attempt| attempt.mutation == name);
    assert!(tested("blockUser") && tested("unblockUser") && tested("addParticipants"));
    for viewer in ["ada", "viewer-founder", "viewer-talent", "viewer-investor"] {
        for attempt in &attempts {
            let mut first = None;
            for (kind, id) in &people {
                let mut input = attempt.input.clone();
                let value = if attempt.is_list {
                    json!([id])
                } else {
                    json!(id)
                };
                input.insert(attempt.field.clone(), value);
                let credentials = crate::world::viewer(viewer);
                let answer = hub
                    .0
                    .run(&credentials, &attempt.query, json!({ "input": input }));
                let mut body = answer.await.body;
                body.as_object_mut().unwrap().remove("extensions");
                let learned = body.to_string().replace(id.as_str(), "<id>");
                let first = first.get_or_insert_with(|| learned.clone());
                let what = format!("{viewer}: {}.{} ({kind})", attempt.mutation, attempt.field);
                assert_eq!(learned, *first, "{what}");
            }
        }
    }
}
