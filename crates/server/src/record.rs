//! What is known of a GraphQL request when it has ended.

use std::time::Duration;

use async_graphql::Name;

use super::documents::{Lookup, OperationType};
use trestle_api::Code;
use trestle_table::Spent;

/// A GraphQL request that has ended.
#[derive(Clone, Debug)]
pub struct RequestRecord {
    /// The client's `x-request-id`, or one made here.
    pub request_id: String,
    /// The service that was asked.
    pub service: &'static str,
    /// The operation's name, at most 128 bytes of it. Clients choose it: there is no end of names.
    pub operation_name: Option<String>,
    /// What the operation does, once that is known.
    pub operation_kind: Option<OperationType>,
    /// Whether the operation's name is bounded by who sends it: the document is trusted, or its sender authenticated.
    pub is_known: bool,
    /// The viewer's subject, once authenticated.
    pub subject: Option<String>,
    /// The HTTP status: 499 when the client went away before the answer.
    pub status: u16,
    /// The first error's code.
    pub code: Option<Code>,
    /// The estimated cost, once known.
    pub cost: Option<u64>,
    /// Whether the document was remembered, once looked up.
    pub document: Option<Lookup>,
    /// The codes in `userErrors` of the answer's root fields, as far as the client asked for them.
    pub user_errors: Vec<Name>,
    /// What the operation asked of DynamoDB.
    pub spent: Spent,
    /// From the headers' arrival to the answer's being ready.
    pub duration: Duration,
}

/// The status of a request whose client did not wait for the answer, as nginx logs it.
pub(super) const CLIENT_GONE: u16 = 499;
/// The most bytes of an operation's name that are kept.
pub(super) const MOST_NAME: usize = 128;

impl RequestRecord {
    /// How the request ended, in one word: its first error's code, `OK`, or `CLIENT_GONE`.
    pub fn outcome(&self) -> &'static str {
        match (self.code, self.status) {
            (Some(code), _) => code.as_str(),
            (None, CLIENT_GONE) => "CLIENT_GONE",
            (None, _) => "OK",
        }
    }
}
