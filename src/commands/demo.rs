//! Sample data for `trestle serve --demo`: what the services would have been asked, each request at its moment.

use std::sync::{Arc, Mutex, PoisonError};

use async_graphql::{Request, Variables};
use chrono::{DateTime, Utc};
use clap::ArgMatches;
use serde_json::Value;

use trestle_api::viewer::Viewer;
use trestle_service::Failure;
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
        for step in steps {
            set(&moment, step.at);
            let variables = Variables::from_json(step.variables.clone());
            let request = Request::new(step.document).variables(variables);
            let response = service.execute(request, Viewer::local(), Meter::default());
            let answer = serde_json::to_value(response.await)?;
            if !is_success(&answer) {
                return Err(Failure::new(format!(
                    "The demo of {} does not work: {answer} for {} with {}.",
                    registered.name, step.document, step.variables
                )));
            }
        }
        service.stopping().await;
    }
    Ok(())
}

fn set(moment: &Mutex<DateTime<Utc>>, at: DateTime<Utc>) {
    *moment.lock().unwrap_or_else(PoisonError::into_inner) = at;
}

/// Whether an answer to mutations has no errors of any kind.
fn is_success(answer: &Value) -> bool {
    let Some(payloads) = answer["data"].as_object() else {
        return false;
    };
    let mut payloads = payloads.values();
    is_empty(&answer["errors"])
        && payloads.all(|payload| payload.is_object() && is_empty(&payload["userErrors"]))
}

fn is_empty(errors: &Value) -> bool {
    errors.as_array().is_none_or(Vec::is_empty)
}
