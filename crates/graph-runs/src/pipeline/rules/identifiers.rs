//! Texts of which parts are not known, and what these parts certainly are not: empty, or a wildcard.

use super::look::{Answer, unfit, unknown};
use crate::pipeline::value::{HOLE, Value};

/// Stands for a part of a text that is not known, and is neither empty nor a wildcard.
pub const NAMED: char = '\u{F8F2}';

/// Attributes of resources that are never `*`.
pub const IDENTIFIERS: [&str; 7] = [
    ".account_id",
    ".arn",
    ".iam_arn",
    ".id",
    ".invoke_arn",
    ".name",
    ".unique_id",
];

/// How references to what is not a resource begin.
const VALUES: [&str; 5] = ["each.", "local.", "module.", "self.", "var."];

/// Whether a value is `*`.
pub fn is_all(what: &str, value: &Value) -> Answer {
    match value {
        Value::Text(text) => (text == "*").into(),
        Value::Of { text, .. } if IDENTIFIERS.iter().any(|end| text.ends_with(end)) => Answer::No,
        // What is not known may be all of it, or nothing.
        Value::Partial { text, known } => {
            let is_any = known.chars().all(|c| matches!(c, HOLE | '*' | '?'));
            match is_any && !interpolations(text).any(is_identifier) {
                true => unknown(what, text),
                false => Answer::No,
            }
        }
        other => unfit(what, other, "a text"),
    }
}

/// A text with [`NAMED`] in the place of each part that is an identifier of a resource.
pub fn with_names(text: &str, known: &str) -> String {
    let parts: Vec<_> = interpolations(text).map(is_identifier).collect();
    // Otherwise it is not known which of them stand in the text.
    let is_each = parts.len() == known.matches(HOLE).count();
    let mut parts = parts.into_iter().filter(|_| is_each);
    let one = |c| match c == HOLE && parts.next() == Some(true) {
        true => NAMED,
        false => c,
    };
    known.chars().map(one).collect()
}

/// A text that is known in part, without the parts that may be empty.
pub fn shortest(text: &str, known: &str) -> String {
    with_names(text, known).replace(HOLE, "")
}

/// The expressions in the interpolations of a text.
fn interpolations(text: &str) -> impl Iterator<Item = &str> {
    let inner = text.split("${").skip(1);
    inner.filter_map(|rest| Some(rest.split_once('}')?.0.trim()))
}

/// Whether an expression is an attribute of a resource that is never empty or `*`.
fn is_identifier(of: &str) -> bool {
    let is_reference = of
        .chars()
        .all(|c| c.is_alphanumeric() || "._-[]\"".contains(c));
    let is_of_value = VALUES.iter().any(|start| of.starts_with(start));
    is_reference && !is_of_value && IDENTIFIERS.iter().any(|end| of.ends_with(end))
}
