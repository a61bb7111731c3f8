//! Roles of Azure and Google that allow almost everything.

use super::bindings::any_binding;
use super::look::{Answer, at, look, unfit, unknown};
use super::table::Test;
use crate::pipeline::finding::Severity;
use crate::pipeline::graph::{Built, Values};
use crate::pipeline::value::{HOLES, Value};

const RULE: &str = "iam-admin";
const ASSIGNMENT: &str = "azurerm_role_assignment";
const DEFINITION: &str = "azurerm_role_definition";
/// Where Google gives roles of a whole project, folder or organization.
const GIVES: [&str; 6] = [
    "google_folder_iam_binding",
    "google_folder_iam_member",
    "google_organization_iam_binding",
    "google_organization_iam_member",
    "google_project_iam_binding",
    "google_project_iam_member",
];
/// The same by a whole policy.
const GIVES_ALL: [&str; 3] = [
    "google_folder_iam_policy",
    "google_organization_iam_policy",
    "google_project_iam_policy",
];
const OWNERS: &[&str] = &["Owner", "User Access Administrator"];
/// The ids of these roles, which are the same everywhere. Source: "Azure built-in roles", the documentation of Azure.
const OWNER_IDS: [&str; 2] = [
    "8e3af657-a8ff-443c-a75c-2fe8c4bcb635",
    "18d7d88d-d35e-4fb5-a5c3-7773c20a72d9",
];
const BASIC: &[&str] = &["roles/editor", "roles/owner"];

/// Whether a type is looked at here.
pub fn is_about(kind: &str) -> bool {
    kind == ASSIGNMENT || kind == DEFINITION || GIVES.contains(&kind) || GIVES_ALL.contains(&kind)
}

/// Looks at every role that is defined or given.
pub fn classify(built: &mut Built, resources: &[(String, String)]) {
    for (id, kind) in resources.iter().filter(|(_, kind)| is_about(kind)) {
        built.looked(RULE, id);
        for values in built.instances(id).iter() {
            let (answer, message) = match kind.as_str() {
                ASSIGNMENT => (
                    look(values, Test::OneOf("role_definition_name", OWNERS, false))
                        .or(by_id(built, values)),
                    "It gives a role of Azure that allows to give every role.",
                ),
                DEFINITION => (
                    look(values, Test::OneOf("permissions.actions", &["*"], false)),
                    "Its role allows every action.",
                ),
                _ => (
                    gives(built, kind, values),
                    "It gives a basic role of Google that allows almost everything.",
                ),
            };
            match answer {
                Answer::Yes => built.find(Severity::High, RULE, id, message.to_owned()),
                Answer::No => {}
                Answer::Unknown(reason) => built.unsure(RULE, id, reason),
            }
        }
    }
}

/// Whether it gives a basic role of Google.
fn gives(built: &Built, kind: &str, values: &Values) -> Answer {
    let is_basic = |values: &Values| look(values, Test::OneOf("role", BASIC, false));
    match GIVES_ALL.contains(&kind) {
        true => any_binding(built, values, is_basic),
        false => is_basic(values),
    }
}

/// Whether an assignment names such a role by its id.
fn by_id(built: &Built, values: &Values) -> Answer {
    let path = "role_definition_id";
    let one = |value: &Value| match value {
        Value::Text(text) => {
            let text = text.to_lowercase();
            OWNER_IDS.iter().any(|id| text.ends_with(id)).into()
        }
        Value::Of { node, text } => match node.split_once("data.azurerm_role_definition.") {
            Some(_) => of_data(built, node, text),
            // A role of the configuration, which is looked at by itself.
            None if node.contains("azurerm_role_definition.") => Answer::No,
            None => unknown(path, text),
        },
        Value::Partial { text, known } if known.ends_with(HOLES) => unknown(path, text),
        Value::Partial { known, .. } => {
            let known = known.to_lowercase();
            OWNER_IDS.iter().any(|id| known.ends_with(id)).into()
        }
        other => unfit(path, other, "a text"),
    };
    let found = at(values, path).into_iter().map(one);
    found.fold(Answer::No, Answer::or)
}

/// Whether a role that is looked up is such a role.
fn of_data(built: &Built, node: &str, text: &str) -> Answer {
    let instances = built.instances(node);
    let one = |values: &Values| match at(values, "name").is_empty() {
        true => unknown("role_definition_id", text),
        false => look(values, Test::OneOf("name", OWNERS, false)),
    };
    match instances.is_empty() {
        true => unknown("role_definition_id", text),
        false => instances.iter().map(one).fold(Answer::No, Answer::or),
    }
}
