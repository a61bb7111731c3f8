//! A server of shareables on tables of its own, asked with the tokens that it issues.

use serde_json::{Value, json};
use trestle_shareables::SERVICE;

use trestle_testing::Answer;
use trestle_testing::hosted::{TestClock, TestServer, memory};

pub const VIEW: &str = "view-walnut-harbor";
pub const ADMIN: &str = "admin-copper-lantern";

/// Options of a server whose limits by address do not matter, whose pool nobody fills, and whose hashes are computed at once.
pub const UNLIMITED: [&str; 5] = [
    "--shareables-pool=0",
    "--shareables-creates-per-minute=1000000",
    "--shareables-guesses-per-minute=1000000",
    "--shareables-opens-per-minute=1000000",
    "--shareables-hash-memory=8",
];

const OPENED: &str = "shareable { id shortId name } token { token role expiresAt voterId }
    userErrors { code field message }";

/// A shareable that a test has opened.
#[derive(Clone, Debug)]
pub struct Opened {
    pub short_id: String,
    pub token: String,
    pub role: String,
}

pub async fn site() -> TestServer {
    let (client, calls) = memory();
    TestServer::start_on(&SERVICE, client, calls, TestClock::default(), &UNLIMITED).await
}

/// As [`site`], whose hashes cost what they cost by default.
pub async fn site_with_dear_hashes() -> TestServer {
    let (client, calls) = memory();
    let options: Vec<_> = UNLIMITED
        .into_iter()
        .filter(|option| !option.starts_with("--shareables-hash-memory"))
        .collect();
    TestServer::start_on(&SERVICE, client, calls, TestClock::default(), &options).await
}

/// As [`site`], whose people come from any address, by `x-forwarded-for`.
pub async fn site_behind_proxy() -> TestServer {
    let (client, calls) = memory();
    TestServer::start_behind_proxy(&SERVICE, client, calls, TestClock::default(), &UNLIMITED).await
}

/// Sends one request with a token; an empty one is none.
pub async fn ask(site: &TestServer, token: &str, query: &str, variables: Value) -> Answer {
    ask_by(&site.http, site, token, query, variables).await
}

/// As [`ask`], by a client of its own.
pub async fn ask_by(
    client: &reqwest::Client,
    site: &TestServer,
    token: &str,
    query: &str,
    variables: Value,
) -> Answer {
    let body = json!({ "query": query, "variables": variables });
    let mut request = client
        .post(&site.url)
        .header("x-trestle-cost", "1")
        .json(&body);
    if !token.is_empty() {
        request = request.bearer_auth(token);
    }
    let response = request.send().await.expect("the server answers");
    Answer {
        body: response.json().await.expect("JSON"),
    }
}

pub async fn data(site: &TestServer, token: &str, query: &str, variables: Value) -> Value {
    ask(site, token, query, variables).await.data()
}

/// Runs a mutation with one input and returns its payload. `more` is selected besides the user errors.
pub async fn mutate(site: &TestServer, token: &str, name: &str, more: &str, input: Value) -> Value {
    let answer = mutate_raw(site, token, name, more, input).await;
    answer.data()[name].clone()
}

pub async fn mutate_raw(
    site: &TestServer,
    token: &str,
    name: &str,
    more: &str,
    input: Value,
) -> Answer {
    let of = format!("{}{}Input", name[..1].to_uppercase(), &name[1..]);
    let query = format!(
        "mutation($input: {of}!) {{ {name}(input: $input) {{ {more} userErrors {{ code field message }} }} }}"
    );
    ask(site, token, &query, json!({ "input": input })).await
}

/// The payload's user errors as `CODE path`.
pub fn errors(payload: &Value) -> Vec<String> {
    let errors = payload["userErrors"].as_array().expect("user errors");
    let error = |error: &Value| {
        let path: Vec<_> = error["field"].as_array().into_iter().flatten().collect();
        let path: Vec<_> = path.iter().map(|part| part.as_str().unwrap()).collect();
        format!("{} {}", error["code"].as_str().unwrap(), path.join("."))
    };
    errors.iter().map(error).collect()
}

fn opened(payload: &Value) -> Opened {
    assert_eq!(payload["userErrors"], json!([]), "{payload:#}");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    Opened {
        short_id: text(&payload["shareable"]["shortId"]),
        token: text(&payload["token"]["token"]),
        role: text(&payload["token"]["role"]),
    }
}

pub async fn create(site: &TestServer, content: Value) -> Opened {
    let mut input = json!({ "name": "N", "viewPasscode": VIEW, "adminPasscode": ADMIN });
    for (name, value) in content.as_object().expect("an object") {
        input[name] = value.clone();
    }
    opened(
        &mutate(
            site,
            "",
            "createShareable",
            "shareable { shortId } token { token role }",
            input,
        )
        .await,
    )
}

pub async fn checklist(site: &TestServer, items: usize) -> Opened {
    let items: Vec<_> = (0..items)
        .map(|n| json!({ "name": format!("item {n}") }))
        .collect();
    create(site, json!({ "checklist": { "items": items } })).await
}

pub async fn poll(site: &TestServer, settings: Value) -> Opened {
    let mut poll = json!({ "question": "Q?", "options": ["a", "b", "c"] });
    for (name, value) in settings.as_object().expect("an object") {
        poll[name] = value.clone();
    }
    create(site, json!({ "poll": poll })).await
}

pub async fn try_open(site: &TestServer, short_id: &str, passcode: &str) -> Answer {
    let query = format!(
        "mutation($input: OpenShareableInput!) {{ openShareable(input: $input) {{ {OPENED} }} }}"
    );
    let input = json!({ "shortId": short_id, "passcode": passcode, "voterName": "Bob" });
    ask(site, "", &query, json!({ "input": input })).await
}

pub async fn open(site: &TestServer, short_id: &str, passcode: &str) -> Opened {
    opened(&try_open(site, short_id, passcode).await.data()["openShareable"])
}

/// A client that comes from another address of this machine: 127.0.0.`last`.
pub fn client_at(last: u8) -> reqwest::Client {
    let address = std::net::IpAddr::from([127, 0, 0, last]);
    let client = reqwest::Client::builder().no_proxy().local_address(address);
    client.build().expect("a client")
}

/// Opens with this input, which gets the short id and the passcode besides.
pub async fn try_open_by(
    client: &reqwest::Client,
    site: &TestServer,
    (short_id, passcode): (&str, &str),
    mut input: Value,
) -> Answer {
    let query = format!(
        "mutation($input: OpenShareableInput!) {{ openShareable(input: $input) {{ {OPENED} }} }}"
    );
    input["shortId"] = json!(short_id);
    input["passcode"] = json!(passcode);
    ask_by(client, site, "", &query, json!({ "input": input })).await
}

/// The items of a checklist: id, name, and whether it is ticked.
pub async fn items(site: &TestServer, on: &Opened) -> Vec<(String, String, bool)> {
    let query = "query($id: String!) { shareable(shortId: $id) {
        ... on Checklist { itemCount items { id name tickedAt } } } }";
    let data = data(site, &on.token, query, json!({ "id": on.short_id })).await;
    let list = &data["shareable"];
    let items = list["items"].as_array().expect("items");
    assert_eq!(list["itemCount"], json!(items.len()));
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let item = |item: &Value| {
        (
            text(&item["id"]),
            text(&item["name"]),
            !item["tickedAt"].is_null(),
        )
    };
    items.iter().map(item).collect()
}

/// The options of a poll: id, text and votes.
pub async fn options(site: &TestServer, on: &Opened) -> Vec<(String, String, Option<u64>)> {
    let query = "query($id: String!) { shareable(shortId: $id) {
        ... on Poll { options { id text voteCount } } } }";
    let data = data(site, &on.token, query, json!({ "id": on.short_id })).await;
    let options = data["shareable"]["options"]
        .as_array()
        .expect("options")
        .clone();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let option = |o: &Value| (text(&o["id"]), text(&o["text"]), o["voteCount"].as_u64());
    options.iter().map(option).collect()
}

/// A moment so many seconds after the test's start.
pub fn at(seconds: i64) -> String {
    let start = trestle_testing::hosted::START;
    let at = chrono::DateTime::from_timestamp(start + seconds, 0).expect("a moment");
    at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}
