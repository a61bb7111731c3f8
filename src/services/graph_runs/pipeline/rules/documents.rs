//! Policies: whether they let everyone in.

use super::look::{Answer, at, look, unknown};
use super::table::Test;
use crate::services::graph_runs::pipeline::graph::{Built, Values};
use crate::services::graph_runs::pipeline::value::Value;

/// Other documents that a document has the statements of.
const DOCUMENTS: [&str; 4] = [
    "override_json",
    "override_policy_documents",
    "source_json",
    "source_policy_documents",
];
/// How deep documents have the statements of others.
const MAX_DOCUMENTS: usize = 8;

/// Whether a policy lets everyone in.
pub fn policy(built: &Built, value: &Value) -> Answer {
    within(built, value, MAX_DOCUMENTS)
}

fn within(built: &Built, value: &Value, steps: usize) -> Answer {
    let statements = match value {
        Value::Null => return Answer::No,
        Value::Text(text) => match serde_json::from_str(text) {
            Ok::<serde_json::Value, _>(policy) => Value::from(policy),
            Err(_) => return unknown("policy", "not JSON"),
        },
        Value::Of { node, text } => {
            let documents = built.instances(node);
            if !node.contains("aws_iam_policy_document.") || documents.is_empty() || steps == 0 {
                return unknown("policy", text);
            }
            let each = documents
                .iter()
                .map(|document| documented(built, document, steps - 1));
            return each.fold(Answer::No, Answer::or);
        }
        Value::Map(policy) => Value::Map(policy.clone()),
        other => return unknown("policy", other.unknown().unwrap_or("not a policy")),
    };
    let Value::Map(policy) = &statements else {
        return unknown("policy", "not a policy");
    };
    let statements = match policy.get("Statement") {
        Some(Value::List(list)) => list.iter().collect(),
        Some(one) => vec![one],
        None => Vec::new(),
    };
    let lets_in = statements.into_iter().map(|statement| match statement {
        Value::Map(statement) => {
            let allows = look(statement, Test::Equals("Effect", "Allow"));
            let everyone = match statement.get("Principal") {
                Some(Value::Map(_)) => everyone(statement, "Principal.AWS"),
                Some(_) => everyone(statement, "Principal"),
                // Everyone but a few.
                None => statement.contains_key("NotPrincipal").into(),
            };
            conditional(allows.and(everyone), statement.contains_key("Condition"))
        }
        other => unknown("policy", other.unknown().unwrap_or("not a statement")),
    });
    lets_in.fold(Answer::No, Answer::or)
}

/// Whether an `aws_iam_policy_document` lets everyone in.
fn documented(built: &Built, document: &Values, steps: usize) -> Answer {
    let statements = match document.get("statement") {
        Some(Value::List(list)) => list.as_slice(),
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    let others = DOCUMENTS.iter().flat_map(|path| at(document, path));
    let others = others
        .map(|other| within(built, other, steps))
        .fold(Answer::No, Answer::or);
    let lets_in = statements.iter().map(|statement| match statement {
        Value::Map(statement) => {
            let allows = look(statement, Test::IsNot("effect", "Deny"));
            let everyone = everyone(statement, "principals.identifiers");
            let everyone = everyone.or(statement.contains_key("not_principals").into());
            conditional(allows.and(everyone), statement.contains_key("condition"))
        }
        Value::Null => Answer::No,
        other => unknown("policy", other.unknown().unwrap_or("not a statement")),
    });
    lets_in.fold(others, Answer::or)
}

/// Whether a principal is everyone. An ARN is not.
fn everyone(statement: &Values, path: &str) -> Answer {
    let one = |value: &Value| match value {
        Value::Text(text) => (text == "*").into(),
        Value::Of { text, .. } if text.ends_with(".arn") => Answer::No,
        other => unknown(path, other.unknown().unwrap_or("not a text")),
    };
    let found = at(statement, path).into_iter();
    found.map(one).fold(Answer::No, Answer::or)
}

fn conditional(answer: Answer, has_condition: bool) -> Answer {
    match (answer, has_condition) {
        (Answer::Yes, true) => Answer::Unknown(
            "Its policy lets everyone in under a condition, which is not evaluated.".to_owned(),
        ),
        (answer, _) => answer,
    }
}
