//! A mutation that takes an email address answers the same for every address: no answer, list, cost or limit says who is
//! registered.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::world::{Hub, viewer};

/// An address, and what it is.
struct Address {
    kind: &'static str,
    email: String,
}

const SCHEMA: &str =
    "{ __schema { mutationType { fields { name args { type { ofType { name } } } } }
    types { name inputFields { name } } } }";

/// The mutations that take an email address, by the schema.
async fn mutations_with_an_address(hub: &Hub) -> BTreeSet<String> {
    let schema = hub.query("ada", SCHEMA, Value::Null).await["__schema"].clone();
    let takes_an_address = |input: &Value| {
        let types = schema["types"].as_array().unwrap();
        let found = types.iter().find(|kind| kind["name"] == *input).unwrap();
        let mut fields = found["inputFields"].as_array().unwrap().iter();
        fields.any(|field| {
            field["name"]
                .as_str()
                .unwrap()
                .to_lowercase()
                .contains("email")
        })
    };
    let mutations = schema["mutationType"]["fields"].as_array().unwrap().iter();
    let mutations =
        mutations.filter(|field| takes_an_address(&field["args"][0]["type"]["ofType"]["name"]));
    mutations
        .map(|field| field["name"].as_str().unwrap().to_owned())
        .collect()
}

const ROLES: [&str; 3] = ["TALENT", "FOUNDER", "INVESTOR"];

/// Users of every role and status, an address that nobody has, and other spellings of each.
async fn addresses(hub: &Hub) -> Vec<Address> {
    hub.admin("root").await;
    hub.register("ada", "FOUNDER").await;
    let mut names = vec![
        ("unknown", "nobody".to_owned()),
        ("admin", "root".to_owned()),
        ("oneself", "ada".to_owned()),
    ];
    for role in ROLES {
        for status in ["active", "banned", "deleted", "unverified"] {
            let name = format!("{status}-{}", role.to_lowercase());
            let credentials = match status {
                "unverified" => format!("{name} write"),
                _ => viewer(&name),
            };
            let register = "mutation($input: RegisterUserInput!) { registerUser(input: $input) { user { id } } }";
            let input = json!({ "role": role, "email": format!("{name}@example.com"), "firstName": "f", "lastName": "l" });
            let made = hub
                .0
                .data(&credentials, register, json!({ "input": input }))
                .await;
            let id = made["registerUser"]["user"]["id"].clone();
            match status {
                "banned" => {
                    let input = json!({ "id": id, "status": "BANNED", "reason": "r" });
                    hub.make("root", "setUserStatus", input, "user").await;
                }
                "deleted" => {
                    let deleted = hub
                        .mutate(&name, "deleteAccount", json!({ "id": id }), "isComplete")
                        .await;
                    assert_eq!(deleted["isComplete"], true);
                }
                _ => {}
            }
            names.push((status, name));
        }
    }
    let spelled = names.into_iter().flat_map(|(kind, name)| {
        let email = format!("{name}@example.com");
        let upper = email.to_uppercase();
        [email, upper].map(|email| Address { kind, email })
    });
    spelled.collect()
}

/// An answer without what the mutation makes anew each time, and without the address that was asked for.
fn plain(answer: &Value, email: &str, ids: &[String]) -> Value {
    let mut answer = answer.clone();
    // The calls are the same. How much they write is shown by servers for development alone.
    if let Some(cost) = answer.pointer_mut("/extensions/cost") {
        cost.as_object_mut().unwrap().remove("writeUnits");
    }
    let mut text = answer.to_string();
    for id in ids {
        text = text.replace(id.as_str(), "<id>");
    }
    for spelling in [email, &email.to_lowercase()] {
        text = text.replace(spelling, "<email>");
    }
    serde_json::from_str(&text).unwrap()
}

/// Everything that a founder learns from inviting an address: once, again, by its id, in the list, when it is cancelled,
/// and how many invitations are left for the day.
async fn invited(hub: &Hub, startup: &str, email: &str) -> Vec<Value> {
    const FIELDS: &str =
        "invitation { id status email accessLevel startupName createdAt updatedAt version expiresAt
        startup { name } accessRequest { status } }";
    // A quota of its own.
    hub.0.clock.advance(24 * 3600);
    let input = json!({ "startupId": startup, "accessLevel": "VIEW_DECK", "email": email });
    let mut learned = Vec::new();
    let mut ids = Vec::new();
    let mut times = Vec::new();
    loop {
        // So that the list has an order.
        hub.0.clock.advance(1);
        let answer = hub
            .attempt("ada", "createInvitation", input.clone(), FIELDS)
            .await;
        let made = &answer.body["data"]["createInvitation"]["invitation"];
        ids.extend(made["id"].as_str().map(str::to_owned));
        for time in ["createdAt", "updatedAt", "expiresAt"] {
            times.extend(made[time].as_str().map(str::to_owned));
        }
        learned.push(answer.body.clone());
        if made.is_null() {
            break;
        }
    }
    let node = format!(
        "query($id: ID!) {{ node(id: $id) {{ ... on Invitation {{ {} }} }} }}",
        FIELDS
            .trim_start_matches("invitation {")
            .trim_end_matches('}')
    );
    let list = "query($id: ID!) { startup(id: $id) { invitations(first: 20) { edges { node { id status email } } } } }";
    for id in ids.clone().iter().take(2) {
        learned.push(
            hub.0
                .run(&viewer("ada"), &node, json!({ "id": id }))
                .await
                .body,
        );
        for _ in 0..2 {
            let answer = hub
                .attempt("ada", "cancelInvitation", json!({ "id": id }), FIELDS)
                .await;
            let cancelled = &answer.body["data"]["cancelInvitation"]["invitation"];
            times.extend(cancelled["updatedAt"].as_str().map(str::to_owned));
            learned.push(answer.body);
        }
    }
    let mut listed = hub
        .0
        .run(&viewer("ada"), list, json!({ "id": startup }))
        .await
        .body;
    // Each of the listed items has the address, and addresses are not of the same length.
    let cost = listed.pointer_mut("/extensions/cost").unwrap();
    cost.as_object_mut().unwrap().remove("readUnits");
    learned.push(listed);
    ids.extend(times);
    learned
        .iter()
        .map(|answer| plain(answer, email, &ids))
        .collect()
}

/// What someone learns from naming an address that their credentials do not verify, in `registerUser` and `updateProfile`.
async fn named(hub: &Hub, number: usize, email: &str) -> Vec<Value> {
    let name = format!("new-{number}");
    let credentials = format!("{name} write");
    let mut learned = Vec::new();
    for (mutation, input) in [
        (
            "registerUser",
            json!({ "role": "TALENT", "email": email, "firstName": "f", "lastName": "l" }),
        ),
        ("updateProfile", json!({ "email": "other@example.com" })),
        ("updateProfile", json!({ "email": email })),
        ("verifyEmail", json!({})),
    ] {
        let kind = format!("{}{}Input", mutation[..1].to_uppercase(), &mutation[1..]);
        let document = format!(
            "mutation($input: {kind}!) {{ {mutation}(input: $input) {{ user {{ id email status version }} userErrors {{ code message }} }} }}"
        );
        let answer = hub
            .0
            .run(&credentials, &document, json!({ "input": input }))
            .await;
        let id = answer.body["data"][mutation]["user"]["id"]
            .as_str()
            .map(str::to_owned);
        learned.push(plain(
            &answer.body,
            email,
            &id.into_iter().collect::<Vec<_>>(),
        ));
    }
    learned
}

#[tokio::test(flavor = "multi_thread")]
async fn no_mutation_says_whether_an_address_is_registered() {
    let hub = Hub::start().await;
    let addresses = addresses(&hub).await;
    let expected = ["createInvitation", "registerUser", "updateProfile"].map(str::to_owned);
    let found = mutations_with_an_address(&hub).await;
    assert_eq!(found, BTreeSet::from(expected), "a mutation needs a case");
    let startup = hub.published("ada", "Sunny", "PRIVATE").await;
    let mut first: Option<(Vec<Value>, Vec<Value>)> = None;
    for (number, address) in addresses.iter().enumerate() {
        let learned = (
            invited(&hub, &startup, &address.email).await,
            named(&hub, number, &address.email).await,
        );
        let first = first.get_or_insert_with(|| learned.clone());
        let what = format!("{} ({})", address.email, address.kind);
        for (learned, first) in learned.0.iter().zip(&first.0) {
            assert_eq!(learned, first, "{what}");
        }
        assert_eq!(learned, *first, "{what}");
    }
}
