//! What a fact is.

use super::super::table::Test;
use crate::finding::Severity;

/// A fact about a type: found if all tests hold.
#[derive(Clone, Copy, Debug)]
pub struct Fact {
    pub rule: &'static str,
    pub severity: Severity,
    /// What has to hold.
    pub tests: &'static [Test],
    /// What it finds.
    pub message: &'static str,
}

pub const fn fact(
    rule: &'static str,
    severity: Severity,
    tests: &'static [Test],
    message: &'static str,
) -> Fact {
    Fact {
        rule,
        severity,
        tests,
        message,
    }
}
