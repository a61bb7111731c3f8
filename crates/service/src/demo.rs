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
    /// A text `{name}` in them stands for what an earlier step remembered.
    pub variables: Value,
    /// The name under which a part of the answer's data is remembered, and a JSON pointer to it.
    pub remembers: Option<(&'static str, &'static str)>,
}

impl DemoStep {
    /// A request of which nothing is remembered.
    pub fn new(at: DateTime<Utc>, document: &'static str, variables: Value) -> Self {
        Self {
            at,
            document,
            variables,
            remembers: None,
        }
    }

    /// The same, of which a part of the answer is used later.
    #[must_use]
    pub fn remember(mut self, name: &'static str, pointer: &'static str) -> Self {
        self.remembers = Some((name, pointer));
        self
    }
}
