//! What each operation costs, in calls to DynamoDB and in capacity: by the service's own meter, and by what
//! reached the store. The calls that an operation may make stand in this module; the capacity stands in
//! docs/costs-and-speed.md's table, which is generated here (see [`readme`]).

mod batches;
mod calendar;
mod contacts;
mod files;
pub mod fixture;
mod lists;
mod live;
mod readme;
mod single;

use std::collections::{BTreeMap, BTreeSet};

use apollo_compiler::Schema;
use serde_json::{Value, json};

use crate::support::Api;

/// Calls to DynamoDB by their names.
type Calls = Vec<(&'static str, u64)>;

const GET: (&str, u64) = ("GetItem", 1);
const QUERY: (&str, u64) = ("Query", 1);
const BATCH: (&str, u64) = ("BatchGetItem", 1);
const WRITE: (&str, u64) = ("TransactWriteItems", 1);

/// What an operation costs.
#[derive(Clone, Debug, PartialEq)]
struct Cost {
    calls: Calls,
    read_units: f64,
    write_units: f64,
}

/// An operation with the calls that it may make.
#[derive(Clone)]
struct Case {
    /// How the table names it. One without a name is a step on the way to the next.
    label: &'static str,
    /// The field of the schema's root that it asks.
    field: &'static str,
    document: String,
    variables: Value,
    calls: Calls,
}

/// A line of the table.
struct Line {
    label: &'static str,
    field: &'static str,
    small: Cost,
    large: Cost,
}

/// Operations by their labels, with what they cost.
type Measured = Vec<(&'static str, &'static str, Cost)>;

fn query(
    label: &'static str,
    field: &'static str,
    document: impl Into<String>,
    variables: Value,
    calls: &[(&'static str, u64)],
) -> Case {
    Case {
        label,
        field,
        document: document.into(),
        variables,
        calls: calls.to_vec(),
    }
}

fn mutation(
    label: &'static str,
    field: &'static str,
    input: Value,
    calls: &[(&'static str, u64)],
) -> Case {
    let input_type = format!("{}{}Input", field[..1].to_uppercase(), &field[1..]);
    let own = match field {
        "deleteApplication" => "deletedApplicationId",
        "importApplications" => "rows { application { version } userErrors { code } }",
        "createCalendarAddress" | "renewCalendarAddress" => "calendarAddress { createdAt }",
        "revokeCalendarAddress" => "revokedCalendarAddress { createdAt }",
        "addContact" | "updateContact" | "removeContact" => "contacts { contactId }",
        "addFile" | "removeFile" => "files { fileId }",
        "createFileUpload" => "upload { uploadId }",
        "deleteApplications" => "results { deletedApplicationId userErrors { code } }",
        batch if batch.ends_with('s') && batch != "reorderInterviewStages" => {
            "results { application { version } userErrors { code } }"
        }
        _ => "application { version interviewStages { name } }",
    };
    let document = format!(
        "mutation($input: {input_type}!) {{ {field}(input: $input) {{ {own} userErrors {{ code }} }} }}"
    );
    query(label, field, document, json!({ "input": input }), calls)
}

/// Runs the operation: it makes exactly these calls, and the meter says what the store says.
async fn check(api: &Api, size: &str, case: &Case) -> Cost {
    api.calls.reset();
    let answer = api.run(&case.document, case.variables.clone()).await;
    let data = answer.data();
    let what = format!("{} with {size}: {}", case.field, case.document);
    let payload = &data[case.field];
    let results = payload.get("results").or_else(|| payload.get("rows"));
    let results = results.and_then(Value::as_array);
    for payload in results.into_iter().flatten().chain([payload]) {
        if let Some(errors) = payload.get("userErrors") {
            assert_eq!(*errors, json!([]), "{what}");
        }
    }
    let made = case.calls.iter().filter(|(_, count)| *count > 0);
    let expected: BTreeMap<_, _> = made
        .map(|(name, count)| ((*name).to_owned(), *count))
        .collect();
    assert_eq!(api.calls.counts(), expected, "{what}");
    let written = |name: &str| ["TransactWriteItems", "BatchWriteItem"].contains(&name);
    let sum = |writes: bool| -> u64 {
        let of_kind = case
            .calls
            .iter()
            .filter(|(name, _)| written(name) == writes);
        of_kind.map(|(_, count)| count).sum()
    };
    let cost = answer.cost();
    assert_eq!(
        (cost.reads, cost.writes, cost.retries),
        (sum(false), sum(true), 0),
        "{what}"
    );
    let units = (cost.read_units, cost.write_units);
    assert_eq!(units, api.calls.units(), "{what}");
    Cost {
        calls: case.calls.clone(),
        read_units: units.0,
        write_units: units.1,
    }
}

/// Runs the operations one after the other, and answers what those with a label cost.
async fn measure(api: &Api, size: &str, cases: &[Case]) -> Measured {
    let mut measured = Vec::new();
    for case in cases {
        let cost = check(api, size, case).await;
        if !case.label.is_empty() {
            measured.push((case.label, case.field, cost));
        }
    }
    measured
}

/// The lines of operations that were measured in both sizes.
fn lines(small: Measured, large: Measured) -> Vec<Line> {
    let labels =
        |measured: &Measured| -> Vec<_> { measured.iter().map(|(label, ..)| *label).collect() };
    assert_eq!(labels(&small), labels(&large));
    let pairs = small.into_iter().zip(large);
    pairs
        .map(|((label, field, small), (.., large))| Line {
            label,
            field,
            small,
            large,
        })
        .collect()
}

/// The root fields of the schema: queries, mutations, subscriptions.
fn operations() -> Vec<String> {
    let schema = Schema::parse(trestle_applications::sdl(), "schema.graphql").unwrap();
    let fields = ["Query", "Mutation", "Subscription"]
        .into_iter()
        .flat_map(|root| {
            let root = schema.get_object(root).unwrap();
            root.fields.keys().map(|name| name.to_string())
        });
    fields.collect()
}

#[tokio::test]
async fn the_readme_tells_what_every_operation_costs() {
    let (mut table, sizes) = single::measured().await;
    table.extend(single::of_empty_tables().await);
    table.extend(lists::measured().await);
    table.extend(batches::measured().await);
    table.extend(calendar::measured().await);
    table.extend(contacts::measured().await);
    table.extend(files::measured().await);
    let operations = operations();
    let place = |line: &Line| operations.iter().position(|name| name == line.field);
    table.sort_by_key(place);
    let told: BTreeSet<_> = table.iter().map(|line| line.field).collect();
    let all: BTreeSet<_> = operations.iter().map(String::as_str).collect();
    assert_eq!(told, all, "every operation has a line in the table");
    readme::compare(&readme::rendered(&table, &sizes));
}
