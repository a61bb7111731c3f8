//! Roles of Azure and Google that allow almost everything.

use super::bindings::any_binding;
use super::custom_roles::{self, OF_GOOGLE};
use super::look::{Answer, at, each_way, look, unfit, unknown};
use super::table::Test;
use crate::finding::Severity;
use crate::graph::{Built, Values};
use crate::value::{HOLES, Value};

const RULE: &str = "iam-admin";
const ASSIGNMENT: &str = "azurerm_role_assignment";
const DEFINITION: &str = "azurerm_role_definition";
/// What an assignment is for, and how the addresses of subscriptions and of groups of them begin.
const SCOPE: &str = "scope";
const WIDE: [&str; 3] = [
    "azurerm_management_group.",
    "azurerm_subscription.",
    "azurerm_subscriptions.",
];
/// What Google gives roles of: a whole project, folder or organization.
const WHOLE: [&str; 3] = ["folder", "organization", "project"];
/// Roles that allow to give every role, and those that allow everything else on the whole subscription.
const OWNERS: Roles = Roles {
    names: &[
        "Owner",
        "User Access Administrator",
        "Role Based Access Control Administrator",
    ],
    ids: &[
        "8e3af657-a8ff-443c-a75c-2fe8c4bcb635",
        "18d7d88d-d35e-4fb5-a5c3-7773c20a72d9",
        "f58310d9-a9f6-439a-9e8d-f62e7b41a168",
    ],
};
const CONTRIBUTORS: Roles = Roles {
    names: &["Contributor"],
    ids: &["b24988ac-6180-42a0-ab88-20f7382dd24c"],
};
/// Basic roles of Google, and roles that allow to give every role.
const BASIC: &[&str] = &[
    "roles/editor",
    "roles/iam.securityAdmin",
    "roles/owner",
    "roles/resourcemanager.folderAdmin",
    "roles/resourcemanager.folderIamAdmin",
    "roles/resourcemanager.organizationAdmin",
    "roles/resourcemanager.projectIamAdmin",
];

/// Roles of Azure, whose ids are the same everywhere. Source: "Azure built-in roles", the documentation of Azure.
struct Roles {
    names: &'static [&'static str],
    ids: &'static [&'static str],
}

/// Whether a type is looked at here.
pub fn is_about(kind: &str) -> bool {
    kind == ASSIGNMENT
        || kind == DEFINITION
        || OF_GOOGLE.contains(&kind)
        || gives_roles(kind).is_some()
}

/// How a type gives roles of Google, if they are of something whole: `binding`, `member`, or all of them by a `policy`.
fn gives_roles(kind: &str) -> Option<&str> {
    let (of, how) = kind.strip_prefix("google_")?.split_once("_iam_")?;
    let is_known = WHOLE.contains(&of) && ["binding", "member", "policy"].contains(&how);
    is_known.then_some(how)
}

/// Looks at every role that is defined or given.
pub fn classify(built: &mut Built, resources: &[(String, String)]) {
    for (id, kind) in resources.iter().filter(|(_, kind)| is_about(kind)) {
        built.looked(RULE, id);
        for values in built.instances(id).iter() {
            match kind.as_str() {
                DEFINITION => custom_roles::of_azure(built, id, values),
                kind if OF_GOOGLE.contains(&kind) => custom_roles::of_google(built, id, values),
                ASSIGNMENT => {
                    let message = "It gives a role of Azure that allows to give every role.";
                    decide(built, id, OWNERS.are_given(built, values), message);
                    let is_wide = each_way(values, SCOPE, &is_wide);
                    let message = "It gives the role Contributor on a whole subscription.";
                    let answer = CONTRIBUTORS.are_given(built, values).and(is_wide);
                    decide(built, id, answer, message);
                }
                kind => {
                    let message = "It gives a role of Google that allows almost everything, or to give every role.";
                    decide(built, id, gives(built, kind, values), message);
                }
            }
        }
    }
}

fn decide(built: &mut Built, id: &str, answer: Answer, message: &str) {
    match answer {
        Answer::Yes => built.find(Severity::High, RULE, id, message.to_owned()),
        Answer::No => {}
        Answer::Unknown(reason) => built.unsure(RULE, id, reason),
    }
}

/// Whether it gives a role of Google that allows almost everything.
fn gives(built: &Built, kind: &str, values: &Values) -> Answer {
    let is_basic = Test::OneOf("role", BASIC, false);
    if gives_roles(kind) == Some("policy") {
        any_binding(built, values, |binding| look(binding, is_basic))
    } else {
        look(values, is_basic)
    }
}

/// Whether an assignment is for a subscription, or for more.
fn is_wide(values: &Values) -> Answer {
    let mut answer = Answer::No;
    for value in at(values, SCOPE) {
        answer = answer.or(match value {
            Value::Text(text) => is_wide_scope(text).into(),
            Value::Of { node, .. } => WIDE.iter().any(|kind| node.contains(kind)).into(),
            // The id of a subscription, or of what is in one.
            Value::Partial { known, .. } if known.to_lowercase().contains("/resourcegroups/") => {
                Answer::No
            }
            Value::Partial { known, .. } if is_wide_scope(known) && known.starts_with('/') => {
                Answer::Yes
            }
            other => unfit(SCOPE, other, "a text"),
        });
    }
    answer
}

fn is_wide_scope(text: &str) -> bool {
    let text = text.to_lowercase();
    let parts: Vec<_> = text.split('/').filter(|part| !part.is_empty()).collect();
    matches!(parts.as_slice(), [] | ["subscriptions", _])
        || matches!(
            parts.as_slice(),
            ["providers", "microsoft.management", "managementgroups", _]
        )
}

impl Roles {
    /// Whether an assignment gives one of them.
    fn are_given(&self, built: &Built, values: &Values) -> Answer {
        let by_name = Test::OneOf("role_definition_name", self.names, false);
        look(values, by_name).or(self.by_id(built, values))
    }

    /// Whether an assignment names such a role by its id.
    fn by_id(&self, built: &Built, values: &Values) -> Answer {
        let path = "role_definition_id";
        let mut answer = Answer::No;
        for value in at(values, path) {
            answer = answer.or(match value {
                Value::Text(text) => {
                    let text = text.to_lowercase();
                    self.ids.iter().any(|id| text.ends_with(id)).into()
                }
                Value::Of { node, text } => {
                    match node.split_once("data.azurerm_role_definition.") {
                        Some(_) => self.of_data(built, node, text),
                        // A role of the configuration has findings of its own.
                        None if node.contains("azurerm_role_definition.") => Answer::No,
                        None => unknown(path, text),
                    }
                }
                // The id of a role is at the end.
                Value::Partial { text, known } if known.ends_with(HOLES) => unknown(path, text),
                Value::Partial { known, .. } => {
                    // Azure takes ids in any case.
                    let known = known.to_lowercase();
                    self.ids.iter().any(|id| known.ends_with(id)).into()
                }
                other => unfit(path, other, "a text"),
            });
        }
        answer
    }

    /// Whether a role that is looked up is such a role.
    fn of_data(&self, built: &Built, node: &str, text: &str) -> Answer {
        let instances = built.instances(node);
        if instances.is_empty() {
            return unknown("role_definition_id", text);
        }
        let mut answer = Answer::No;
        for values in instances.iter() {
            answer = answer.or(if at(values, "name").is_empty() {
                unknown("role_definition_id", text)
            } else {
                look(values, Test::OneOf("name", self.names, false))
            });
        }
        answer
    }
}
