//! The rules of infrastructure-graph runs: what a run is, how it moves on, what a graph consists of. Knows
//! nothing of storage, GraphQL, Terraform or the clock: moments come as arguments.

mod run;
mod values;

pub use run::{Claims, Difference, Impossible, NewRun, Provenance, Run, Step, Summary, Upload};
pub use values::{
    Environment, GraphHash, IacFormat, RunId, Status, Text, Timestamp, UserId, hex_digest,
};

/// A rule that an input breaks, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The input's field: `runId`.
    pub field: &'static str,
    /// The rule.
    pub rule: Rule,
}

/// A rule that an input can break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A value is needed.
    Required,
    /// At most so many characters.
    TooLong(usize),
    /// An integer in this range, both ends included.
    OutOfRange(u64, u64),
    /// The value must have a form: the sentence says which.
    Invalid(&'static str),
}

/// Every rule that one input breaks; never empty.
pub type Violations = Vec<Violation>;
