//! Sample data, told as the requests that make it: each at its moment, so that lists and histories have a past.

use chrono::{DateTime, Utc};
use serde_json::Value;

/// One request of a demo.
#[derive(Clone, Debug)]
pub struct DemoStep {
    /// When it is made.
    pub at: DateTime<Utc>,
    /// A GraphQL document with one mutation.
    pub document: &'static str,
    /// The variables of the document, a JSON object.
    pub variables: Value,
}
