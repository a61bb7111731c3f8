//! What a fact is.

use super::super::table::Test;
use crate::finding::Severity;

/// A fact about a type: found if all tests hold.
pub struct Fact {
    /// The type.
    pub kind: &'static str,
    /// The rule that finds it.
    pub rule: &'static str,
    /// How severe it is.
    pub severity: Severity,
    /// What has to hold.
    pub tests: &'static [Test],
    /// What it finds.
    pub message: &'static str,
}

/// A fact about `kind`.
pub const fn fact(
    kind: &'static str,
    (rule, severity): (&'static str, Severity),
    tests: &'static [Test],
    message: &'static str,
) -> Fact {
    Fact {
        kind,
        rule,
        severity,
        tests,
        message,
    }
}
