//! A create, its owner, and strangers who repeat it.

use serde_json::Value;
use trestle_domain::Ulid;
use trestle_testing::hosted::TestServer;

use crate::promises::ask::Who;

/// What a stranger gets who repeats a create.
#[derive(Clone, Copy, Debug)]
pub enum Outcome {
    /// A thing of its own.
    Own,
    Refused(&'static str),
    /// The same as with an id that nobody has used, whatever that is.
    AsOthers,
}

/// A mutation that makes something.
pub struct Create {
    pub mutation: &'static str,
    /// Its input, with `$ID` for the id that the client makes up.
    pub input: Value,
    pub takes_id: bool,
    pub id_of: fn(&TestServer) -> String,
    pub owner: Who,
    /// Two strangers who are alike: the first repeats the create, the second sends it with an id that nobody used.
    pub strangers: Vec<([Who; 2], Outcome)>,
}

/// Who a request says that it is from.
pub fn said(text: &str) -> Who {
    text.to_owned()
}

pub fn uuid(_: &TestServer) -> String {
    uuid::Uuid::new_v4().to_string()
}

/// A ULID of the test's now.
pub fn ulid(server: &TestServer) -> String {
    let now = server.clock.clock().now();
    Ulid::of(now, uuid::Uuid::new_v4().as_u128()).to_string()
}
