//! The subscription: what an event costs beside the change that it tells of.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use crate::support::Api;

use super::fixture::{Subject, other_notes};
use super::{Calls, Cost, Line, QUERY, WRITE};

/// A bound on waiting for what has to come, so that a test which fails ends.
const PATIENCE: Duration = Duration::from_secs(30);

/// The calls and capacity of one event with `selection`, which a change of the notes brings.
async fn event(
    api: &Api,
    subject: &Subject,
    selection: &str,
    calls: &[(&'static str, u64)],
) -> Cost {
    let watch =
        format!("subscription {{ applicationChanged {{ application {{ {selection} }} }} }}");
    let mut events = api.events(&watch).await;
    api.calls.reset();
    let document = "mutation($input: UpdateApplicationInput!) {
      updateApplication(input: $input) { userErrors { code } } }";
    // A letter of its own, so that it changes something.
    let notes = other_notes(&subject.id, &calls.len().to_string());
    let mutation = api.run(document, json!({ "input": notes })).await;
    assert_eq!(
        mutation.data()["updateApplication"]["userErrors"],
        json!([])
    );
    let change = mutation.cost();
    let mut told = String::new();
    while !told.contains("event: next") || !told.ends_with("\n\n") {
        let chunk = timeout(PATIENCE, events.chunk()).await.expect("an event");
        told += std::str::from_utf8(&chunk.unwrap().expect("an event")).unwrap();
    }
    let data = told.lines().find_map(|line| line.strip_prefix("data:"));
    let answer: Value = serde_json::from_str(data.expect("its data")).unwrap();
    assert!(answer.get("errors").is_none(), "{answer:#}");
    let mut made = api.calls.counts();
    for (name, count) in [subject.read_by_change(), WRITE] {
        *made.get_mut(name).expect("the change's own calls") -= count;
    }
    made.retain(|_, count| *count > 0);
    let expected = calls
        .iter()
        .map(|(name, count)| ((*name).to_owned(), *count));
    assert_eq!(made, expected.collect(), "{selection}");
    let units = api.calls.units();
    Cost {
        calls: Calls::from(calls),
        read_units: units.0 - change.read_units,
        write_units: units.1 - change.write_units,
    }
}

/// The lines of the subscription.
pub async fn measured(api: &Api, small: &Subject, large: &Subject) -> Vec<Line> {
    const STAGES_TOO: &str = "companyName interviewStages { name }";
    const HISTORY: &str = "companyName history(first: 1) { edges { node { description } } }";
    let mut table = Vec::new();
    for (label, selection, calls) in [
        (
            "`applicationChanged`: an event, with stages",
            STAGES_TOO,
            &[][..],
        ),
        (
            "`applicationChanged`: an event with `history`",
            HISTORY,
            &[QUERY][..],
        ),
    ] {
        table.push(Line {
            label,
            field: "applicationChanged",
            small: event(api, small, selection, calls).await,
            large: event(api, large, selection, calls).await,
        });
    }
    table
}
