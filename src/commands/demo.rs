//! Sample data for `trestle serve --demo`: what the services would have been asked, each request at its moment.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_graphql::{Request, Variables};
use chrono::{DateTime, Utc};
use clap::ArgMatches;
use serde_json::Value;

use trestle_api::viewer::Viewer;
use trestle_service::{DemoStep, Failure};
use trestle_table::Meter;
use trestle_table::clock::Clock;

use super::chosen::Services;
use super::store::Store;

/// Asks each service what its demo has. The store is new.
///
/// # Errors
/// A service refuses a request.
pub async fn fill(which: &Services, store: &Store, arguments: &ArgMatches) -> Result<(), Failure> {
    let now = Utc::now();
    for registered in which.all()? {
        let steps = (registered.demo)(now);
        if steps.is_empty() {
            continue;
        }
        let moment = Arc::new(Mutex::new(now));
        let told = Arc::clone(&moment);
        let clock = Clock::new(move || *told.lock().unwrap_or_else(PoisonError::into_inner));
        let context = store.service_context_at(clock, registered, arguments);
        let service = (registered.open)(&context.await?).await?;
        let mut known = HashMap::new();
        for step in steps {
            set(&moment, step.at);
            let variables = Variables::from_json(with_known(step.variables.clone(), &known));
            let request = Request::new(step.document).variables(variables);
            let response = service.execute(request, Viewer::local(), Meter::default());
            let answer = serde_json::to_value(response.await)?;
            remember(&step, &answer, &mut known).map_err(|why| {
                Failure::new(format!(
                    "The demo of {} does not work: {why}.",
                    registered.name
                ))
            })?;
        }
        service.stopping().await;
    }
    Ok(())
}

fn set(moment: &Mutex<DateTime<Utc>>, at: DateTime<Utc>) {
    *moment.lock().unwrap_or_else(PoisonError::into_inner) = at;
}

/// Keeps what later steps need of an answer, which has to be a success.
fn remember(
    step: &DemoStep,
    answer: &Value,
    known: &mut HashMap<&'static str, String>,
) -> Result<(), String> {
    let refused = || format!("{answer} for {} of {}", step.document, step.variables);
    let fields = answer["data"].as_object().ok_or_else(refused)?;
    let is_empty = |errors: &Value| errors.as_array().is_none_or(Vec::is_empty);
    let is_done = |payload: &Value| payload.is_object() && is_empty(&payload["userErrors"]);
    if !is_empty(&answer["errors"]) || !fields.values().all(is_done) {
        return Err(refused());
    }
    if let Some((name, pointer)) = step.remembers {
        let text = answer["data"].pointer(pointer).and_then(Value::as_str);
        known.insert(name, text.ok_or_else(refused)?.to_owned());
    }
    Ok(())
}

/// The variables with what is known in the place of its names.
fn with_known(variables: Value, known: &HashMap<&'static str, String>) -> Value {
    match variables {
        Value::String(text) => {
            let mut text = text;
            for (name, value) in known {
                text = text.replace(&format!("{{{name}}}"), value);
            }
            Value::String(text)
        }
        Value::Array(all) => all
            .into_iter()
            .map(|each| with_known(each, known))
            .collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter();
            fields
                .map(|(name, each)| (name, with_known(each, known)))
                .collect()
        }
        other => other,
    }
}
