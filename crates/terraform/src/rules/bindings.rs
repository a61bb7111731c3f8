//! Policies of Google in their forms (JSON text, an object, `google_iam_policy`), read into bindings of a role and its members.

use super::look::{Answer, why_unfit};
use crate::functions::decoded;
use crate::graph::{Built, Values};
use crate::value::Value;

/// The argument that has a policy.
const POLICY_DATA: &str = "policy_data";

/// Whether one of the bindings of a resource's policy is so.
pub fn any_binding(built: &Built, values: &Values, is_so: impl Fn(&Values) -> Answer) -> Answer {
    let policy = values.get(POLICY_DATA).unwrap_or(&Value::Null);
    let mut answer = Answer::No;
    for binding in bindings(built, policy) {
        answer = answer.or(match binding {
            Ok(binding) => is_so(&binding),
            Err(reason) => Answer::Unknown(reason),
        });
    }
    answer
}

/// The bindings of a policy, each with `role` and `members`; the reason in the place of one that is not known.
fn bindings(built: &Built, policy: &Value) -> Vec<Result<Values, String>> {
    let parsed;
    let (policy, path) = match policy {
        Value::Null => return Vec::new(),
        Value::Text(text) | Value::Partial { known: text, .. } => match decoded(text) {
            Some(json) => {
                parsed = json;
                (&parsed, "bindings")
            }
            None => return vec![Err(reason(policy, "JSON"))],
        },
        Value::Of { node, .. } if node.contains("data.google_iam_policy.") => {
            let documents = built.instances(node);
            let all = documents
                .iter()
                .flat_map(|values| listed(values, "binding"));
            return if documents.is_empty() {
                vec![Err(reason(policy, "a policy"))]
            } else {
                all.collect()
            };
        }
        other => (other, "bindings"),
    };
    match policy {
        Value::Map(policy) => listed(policy, path),
        other => vec![Err(reason(other, "a policy"))],
    }
}

fn listed(values: &Values, path: &str) -> Vec<Result<Values, String>> {
    let list = match values.get(path) {
        None | Some(Value::Null) => return Vec::new(),
        Some(Value::List(list)) => list.as_slice(),
        Some(one) => std::slice::from_ref(one),
    };
    let bindings = list.iter().map(|binding| match binding {
        Value::Map(binding) => Ok(binding.clone()),
        other => Err(reason(other, "a binding")),
    });
    bindings.collect()
}

fn reason(value: &Value, wanted: &str) -> String {
    why_unfit(POLICY_DATA, value, wanted)
}
