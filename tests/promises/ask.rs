//! Servers in the test's process, and mutations that must succeed.

use serde_json::{Value, json};
use trestle_service::Registered;
use trestle_testing::hosted::{TestClock, TestServer, memory};

/// Who sends a request, as [`TestServer::run`] takes it.
pub type Who = String;

pub async fn start(service: &'static Registered, options: &[&str]) -> TestServer {
    let (client, calls) = memory();
    TestServer::start_on(service, client, calls, TestClock::default(), options).await
}

/// The payload of a mutation with one input, which must succeed.
pub async fn make(
    server: &TestServer,
    who: &Who,
    mutation: &str,
    input: Value,
    selection: &str,
) -> Value {
    let (first, rest) = mutation.split_at(1);
    let kind = format!("{}{rest}Input", first.to_uppercase());
    let document = format!(
        "mutation($input: {kind}!) {{ {mutation}(input: $input) {{ {selection} userErrors {{ code field message }} }} }}"
    );
    let answer = server
        .run(who, &document, json!({ "input": input }))
        .await
        .body;
    let payload = answer["data"][mutation].clone();
    assert_eq!(payload["userErrors"], json!([]), "{mutation}: {answer:#}");
    payload
}

/// The id of what a mutation made.
pub async fn id_of(
    server: &TestServer,
    who: &Who,
    mutation: &str,
    input: Value,
    field: &str,
) -> String {
    let payload = make(server, who, mutation, input, &format!("{field} {{ id }}")).await;
    payload[field]["id"].as_str().unwrap().to_owned()
}

/// A user of collab-hub whose address is verified.
pub fn member(name: &str) -> Who {
    format!("{name} write email={name}@example.com")
}

pub async fn register(server: &TestServer, name: &str, role: &str) -> String {
    let input = json!({
        "role": role, "email": format!("{name}@example.com"), "firstName": "x", "lastName": "x",
    });
    id_of(server, &member(name), "registerUser", input, "user").await
}
