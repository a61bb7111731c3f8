//! What a newcomer finds in the playgrounds: on an empty store, the tabs of each service work from the first to the last,
//! and the schema says what it is for.

use serde_json::{Value, json};

use crate::process::Process;

/// A server with every service.
async fn all() -> Process {
    let names: Vec<_> = trestle::services::names().collect();
    let services = names.join(",");
    Process::start(&["--service", &services, "--log", "off"]).await
}

/// The documents that the playground of a service opens.
async fn examples(server: &Process, service: &str) -> Vec<String> {
    let page = server.client.get(server.at(&format!("/{service}/graphql")));
    let page = page.header("accept", "text/html").send().await.unwrap();
    let page = page.text().await.unwrap();
    let (_, told) = page.split_once("{\"endpoint\":").unwrap();
    let told = format!("{{\"endpoint\":{told}").replace("\\u003c", "<");
    let mut values = serde_json::Deserializer::from_str(&told).into_iter::<Value>();
    let told = values.next().unwrap().unwrap();
    let examples = told["examples"].as_array().unwrap().iter();
    examples.map(|it| it.as_str().unwrap().to_owned()).collect()
}

async fn ask(server: &Process, service: &str, body: &Value, headers: &[(&str, &str)]) -> Value {
    let mut request = server
        .client
        .post(server.at(&format!("/{service}/graphql")))
        .json(body);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.send().await.unwrap().json().await.unwrap()
}

/// The value of the first field with this name, and something in it.
fn found<'a>(answer: &'a Value, name: &str) -> Option<&'a Value> {
    match answer {
        Value::Object(fields) => {
            let own = fields.get(name).filter(|value| is_something(value));
            own.or_else(|| fields.values().find_map(|value| found(value, name)))
        }
        Value::Array(items) => items.iter().find_map(|item| found(item, name)),
        _ => None,
    }
}

fn is_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        _ => true,
    }
}

#[tokio::test]
async fn the_examples_of_each_service_work_in_order_on_an_empty_store() {
    let server = all().await;
    for service in trestle::services::names() {
        let (mut token, mut short_id) = (None, None);
        let mut shows_something = false;
        for document in examples(&server, service).await {
            if document.contains("\nsubscription ") {
                continue;
            }
            // What the tabs of shareables ask people to copy.
            let mut body = json!({ "query": document });
            if let Some(short_id) = &short_id {
                body["variables"] = json!({ "shortId": short_id });
            }
            let bearer = token.as_ref().map(|token| format!("Bearer {token}"));
            let headers = bearer.as_deref().map(|bearer| ("authorization", bearer));
            let answer = ask(&server, service, &body, headers.as_slice()).await;
            assert!(answer.get("errors").is_none(), "{document}\n{answer:#}");
            assert_eq!(found(&answer, "userErrors"), None, "{document}\n{answer:#}");
            let text = |value: &Value| value.as_str().map(str::to_owned);
            let made = found(&answer, "token").map(|token| &token["token"]);
            token = made.and_then(text).or(token);
            short_id = found(&answer, "shortId").and_then(text).or(short_id);
            shows_something |= found(&answer, "edges").is_some() || token.is_some();
        }
        assert!(shows_something, "{service}");
    }
}

#[tokio::test]
async fn each_schema_describes_itself() {
    let server = all().await;
    let aliased = "{ it: __schema { ...Of ... on __Schema { again: description } } }
        fragment Of on __Schema { description queryType { description } }";
    for service in trestle::services::SERVICES {
        let answer = ask(&server, service.name, &json!({ "query": aliased }), &[]).await;
        let schema = &answer["data"]["it"];
        let description = schema["description"].as_str().unwrap();
        assert_eq!(schema["again"], description);
        assert_ne!(schema["queryType"]["description"], description);
        let sdl = (service.sdl)();
        let written = format!("\n\"\"\"\n{description}\n\"\"\"\nschema {{\n");
        assert!(sdl.contains(&written), "{description}");
    }
}
