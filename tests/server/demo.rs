//! `trestle serve --demo`: what a newcomer sees of each service.

use std::collections::BTreeSet;

use apollo_compiler::Schema;
use apollo_compiler::schema::FieldDefinition;
use chrono::{DateTime, Days, TimeDelta, Utc};
use clap::Command;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Child;
use trestle::services::{SERVICES, names};
use trestle_service::{Demo, DemoClock, Failure, Registered, Sample, ServiceContext};
use trestle_table::clock::Clock;
use trestle_table::{Table, Tables};
use trestle_testing::hosted::{NoStreams, memory};

use crate::process::command;

/// How many moments a demo is made at, unless `TRESTLE_DEMO_MOMENTS` says otherwise.
const MOMENTS: i64 = 4;

/// Moments of every hour and weekday, the first of which are around the end of a year and a leap day.
fn moments() -> impl Iterator<Item = DateTime<Utc>> {
    let count = std::env::var("TRESTLE_DEMO_MOMENTS")
        .map_or(MOMENTS, |count| count.parse().expect("a number"));
    let starts = ["2027-12-31T00:00:00Z", "2028-02-28T23:59:59Z"];
    let starts = starts.map(|start| start.parse::<DateTime<Utc>>().unwrap());
    (0..count).map(move |nth| {
        let start = if nth % 2 == 0 { starts[0] } else { starts[1] };
        start + TimeDelta::hours(31 * (nth / 2))
    })
}

/// Makes the demo of a service, as if it was a moment.
async fn made_at(service: &'static Registered, now: DateTime<Utc>) -> Result<Vec<Sample>, Failure> {
    let (dynamodb, _) = memory();
    let mut tables = Vec::new();
    for definition in service.tables {
        let table = Table::new(dynamodb.clone(), definition, definition.default_name);
        table.open_or_create().await?;
        tables.push(table);
    }
    let command = (service.arguments)(Command::new("serve"));
    let is_worker = |argument: &clap::Arg| argument.get_id() == "worker_program";
    let has_workers = command.get_arguments().any(is_worker);
    // The program of the tests is another one than the server's.
    let worker = concat!(
        "--graph-runs-worker-program=",
        env!("CARGO_BIN_EXE_trestle")
    );
    let arguments = ["serve"].into_iter().chain(has_workers.then_some(worker));
    let arguments = command.get_matches_from(arguments);
    let clock = DemoClock::new(Clock::new(move || now));
    let context = ServiceContext {
        tables: Tables::new(tables, clock.clock()),
        arguments: &arguments,
        clock: clock.clock(),
        folder: None,
        is_in_memory: true,
        streams: &NoStreams,
    };
    let demo = Demo::open(service, &context, clock).await?;
    let samples = demo.fill(&"http://127.0.0.1:8000/".parse()?).await?;
    demo.service().stopping().await;
    Ok(samples)
}

/// A demo refuses moments that are not in the past or not in their order, and all that a service refuses.
#[tokio::test]
async fn the_demo_of_every_service_is_in_the_past_on_every_day_and_hour() {
    for now in moments() {
        for service in SERVICES.iter().copied() {
            let samples = made_at(service, now).await;
            let samples = samples.unwrap_or_else(|failure| panic!("{now}: {failure}"));
            assert!(!samples.is_empty(), "{} has no demo", service.name);
        }
    }
}

/// The binary with a demo of all services, and what it says at its start.
struct Newcomer {
    origin: String,
    greeting: Vec<String>,
    http: reqwest::Client,
    _server: Child,
}

impl Newcomer {
    async fn start() -> Self {
        let all = names().collect::<Vec<_>>().join(",");
        let flags = [
            "serve",
            "--demo",
            "--listen",
            "127.0.0.1:0",
            "--log",
            "off",
            "--service",
            &all,
        ];
        let mut server = command(&flags).spawn().unwrap();
        let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
        let mut greeting = Vec::new();
        while greeting
            .last()
            .is_none_or(|line: &String| !line.contains("stop with"))
        {
            let line = lines.next_line().await.unwrap();
            greeting.push(line.expect("the server starts"));
        }
        let url = greeting[0].split(' ').find(|word| word.starts_with("http"));
        Self {
            origin: url.unwrap().trim_end_matches("/graphql").to_owned(),
            greeting,
            http: reqwest::Client::builder().no_proxy().build().unwrap(),
            _server: server,
        }
    }

    /// The answer to a request to a service, with the token of a shareable if there is one.
    async fn answer(&self, service: &str, token: &str, query: &str) -> Value {
        let url = format!("{}/{service}/graphql", self.origin);
        let mut request = self.http.post(url).json(&json!({ "query": query }));
        if !token.is_empty() {
            request = request.bearer_auth(token);
        }
        request.send().await.unwrap().json().await.unwrap()
    }

    /// `data` of a request that must succeed.
    async fn ask(&self, service: &str, token: &str, query: &str) -> Value {
        let answer = self.answer(service, token, query).await;
        assert_eq!(answer.get("errors"), None, "{query}");
        answer["data"].clone()
    }

    /// Every id in the nodes that a query lists, in literals of GraphQL.
    async fn ids(&self, service: &str, query: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut left = vec![self.ask(service, "", query).await];
        while let Some(value) = left.pop() {
            match value {
                Value::Object(object) => {
                    found.extend(object.get("id").map(Value::to_string));
                    left.extend(object.into_iter().map(|(_, value)| value));
                }
                Value::Array(items) => left.extend(items),
                _ => {}
            }
        }
        found
    }

    /// What a required argument of a list can be.
    async fn values(&self, schema: &Schema, service: &str, name: &str, of: &str) -> Vec<String> {
        if let Some(all) = schema.get_enum(of) {
            return all.values.keys().map(ToString::to_string).collect();
        }
        let today = Utc::now();
        let (from, to) = (today - TimeDelta::days(60), today + TimeDelta::days(30));
        match (name, of) {
            ("from", "Date") => vec![format!("\"{}\"", from.date_naive())],
            ("to", "Date") => vec![format!("\"{}\"", to.date_naive())],
            ("from", _) => vec![format!("\"{}\"", from.to_rfc3339())],
            ("to", _) => vec![format!("\"{}\"", to.to_rfc3339())],
            ("date", _) => {
                let days = (0..31).map(|days| today.date_naive() - Days::new(days));
                days.map(|day| format!("\"{day}\"")).collect()
            }
            ("days", _) => vec!["1".to_owned()],
            ("query" | "text", _) => vec!["\"roofs\"".to_owned(), "\"robot\"".to_owned()],
            ("matchId", _) => {
                let query = "{ matches { edges { node { id } } } }";
                self.ids(service, query).await
            }
            ("roleId", _) => {
                let query = "{ openRoles { edges { node { id } } } }";
                self.ids(service, query).await
            }
            ("userId", _) => {
                let query = "{ usersByRole(role: ADMIN) { edges { node { id } } } }";
                self.ids(service, query).await
            }
            ("columns", "ImportColumnTextsInput") => vec!["{ header: \"Company\" }".to_owned()],
            _ => panic!("{service}: what is {name}: {of}?"),
        }
    }

    /// Whether a list of a service has something for the person, with some values of its arguments.
    async fn has_data(&self, schema: &Schema, service: &str, field: &FieldDefinition) -> bool {
        let mut choices = vec![Vec::new()];
        if field.name == "jobs" {
            choices = vec![vec!["city: \"Austin, TX\"".to_owned()]];
        }
        for argument in field.arguments.iter().filter(|each| each.is_required()) {
            let of = argument.ty.inner_named_type();
            let values = self.values(schema, service, &argument.name, of).await;
            let longer = choices.iter().flat_map(|choice| {
                values.iter().map(|value| {
                    let argument = format!("{}: {value}", argument.name);
                    [&choice[..], &[argument]].concat()
                })
            });
            choices = longer.collect();
        }
        let is_connection = field.ty.inner_named_type().ends_with("Connection");
        let selection = if is_connection {
            "{ edges { __typename } }"
        } else {
            "{ __typename }"
        };
        for choice in choices {
            let arguments = match choice.join(", ") {
                none if none.is_empty() => none,
                some => format!("({some})"),
            };
            let query = format!("{{ list: {}{arguments} {selection} }}", field.name);
            // Not every list takes every value of an enum.
            let list = &self.answer(service, "", &query).await["data"]["list"];
            let items = if is_connection { &list["edges"] } else { list };
            if items.as_array().is_some_and(|items| !items.is_empty()) {
                return true;
            }
        }
        false
    }

    /// What stands between two texts in each line that has both.
    fn said<'g>(&'g self, before: &str, after: &str) -> Vec<&'g str> {
        let lines = self.greeting.iter();
        let found = lines.filter_map(|line| {
            let (_, rest) = line.split_once(before)?;
            Some(rest.split_once(after)?.0)
        });
        found.collect()
    }
}

/// Nothing waits for a worker where the server works, and an admin is not invited to invest.
const EMPTY: [&str; 2] = ["graph-runs workList", "collab-hub myInvitations"];

#[tokio::test]
async fn each_list_of_each_service_has_data_for_the_person_of_a_demo() {
    let newcomer = Newcomer::start().await;
    let mut empty = BTreeSet::new();
    for service in SERVICES {
        let schema = Schema::parse((service.sdl)(), "schema.graphql").unwrap();
        for (name, field) in &schema.get_object("Query").unwrap().fields {
            let is_list = field.ty.is_list() || field.ty.inner_named_type().ends_with("Connection");
            if !is_list || name == "nodes" {
                continue;
            }
            if !newcomer.has_data(&schema, service.name, field).await {
                empty.insert(format!("{} {name}", service.name));
            }
        }
    }
    assert_eq!(empty, EMPTY.map(str::to_owned).into());
}

#[tokio::test]
async fn the_addresses_and_passcodes_that_a_demo_prints_work() {
    let newcomer = Newcomer::start().await;
    let greeting = newcomer.greeting.join("\n");
    for service in names() {
        let place = format!("{}/{service}/", newcomer.origin);
        let board = format!("{}/board/", newcomer.origin);
        let is_named =
            greeting.contains(&place) || service == "applications" && greeting.contains(&board);
        assert!(is_named, "{service}: {greeting}");
    }
    for line in newcomer
        .greeting
        .iter()
        .filter(|line| line.contains("http"))
    {
        let url = line.split(' ').find(|word| word.starts_with("http"));
        let url = url.unwrap().trim_end_matches(',');
        let page = newcomer.http.get(url).header("accept", "text/html");
        assert_eq!(page.send().await.unwrap().status(), 200, "{line}");
    }

    let short_ids = newcomer.said("(short id ", ",");
    assert_eq!(short_ids.len(), 2, "{greeting}");
    for (role, before, after) in [
        ("VIEW", "view passcode ", ","),
        ("ADMIN", "admin passcode ", ")"),
    ] {
        let passcodes = newcomer.said(before, after);
        let mut voices = Vec::new();
        for (short_id, passcode) in short_ids.iter().zip(passcodes) {
            let open = format!(
                "mutation {{ openShareable(input: {{ shortId: \"{short_id}\", passcode: \"{passcode}\" }}) {{
                   token {{ role token }} }} }}"
            );
            let opened = newcomer.ask("shareables", "", &open).await;
            let token = &opened["openShareable"]["token"];
            assert_eq!(token["role"], role, "{greeting}");
            let read = format!(
                "{{ shareable(shortId: \"{short_id}\") {{
                   ... on Checklist {{ items {{ tickedBy }} }}
                   ... on Poll {{ isClosed votes {{ edges {{ node {{ voterName }} }} }} }} }} }}"
            );
            let token = token["token"].as_str().unwrap();
            let shareable = newcomer.ask("shareables", token, &read).await.to_string();
            let people = ["Ann", "Bob", "Cleo"];
            voices.push(people.iter().all(|person| shareable.contains(person)));
            assert!(!shareable.contains("\"isClosed\":true"), "{shareable}");
        }
        assert_eq!(voices, [true, true], "{role}");
    }

    let [after] = newcomer.said("(run ", ")")[..] else {
        panic!("{greeting}");
    };
    let [before] = newcomer.said("(since run ", ")")[..] else {
        panic!("{greeting}");
    };
    let query = format!(
        "{{ run(runId: \"{after}\") {{ findings {{ totalCount }} graph(format: SVG) {{ url }} }}
            runDifference(fromRunId: \"{before}\", toRunId: \"{after}\") {{
              changes {{ totalCount }} findings {{ totalCount }} }} }}"
    );
    let graph = newcomer.ask("graph-runs", "", &query).await;
    for count in [
        &graph["run"]["findings"],
        &graph["runDifference"]["changes"],
        &graph["runDifference"]["findings"],
    ] {
        assert!(count["totalCount"].as_u64() > Some(0), "{graph}");
    }
    let picture = newcomer
        .http
        .get(graph["run"]["graph"]["url"].as_str().unwrap());
    let picture = picture.send().await.unwrap().text().await.unwrap();
    assert!(picture.contains("<svg"), "{picture}");
}
