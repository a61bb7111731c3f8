//! Roles of Azure and Google that a configuration defines: what they allow, by patterns of actions or by permissions.

use super::look::{Answer, at, each_way, not, unfit};
use super::wildcard::matches;
use crate::finding::Severity;
use crate::graph::{Built, Values};
use crate::value::Value;

const ADMIN: &str = "iam-admin";
const ACTION: &str = "iam-wildcard-action";
/// Types of roles of Google.
pub const OF_GOOGLE: [&str; 2] = [
    "google_organization_iam_custom_role",
    "google_project_iam_custom_role",
];
const PERMISSIONS: &str = "permissions";
/// The action of Azure that gives a role, and what a role may do instead: define the roles that others have.
const GIVES: [&str; 2] = [
    "microsoft.authorization/roleassignments/write",
    "microsoft.authorization/roledefinitions/write",
];
/// Permissions of Google to give oneself every role: of a whole project, or of a service account that has it.
const OF_ALL: [&str; 5] = [
    "iam.roles.update",
    "iam.serviceAccounts.setIamPolicy",
    "resourcemanager.folders.setIamPolicy",
    "resourcemanager.organizations.setIamPolicy",
    "resourcemanager.projects.setIamPolicy",
];
/// What a role is found for, and nothing else besides.
const ALL: &str = "Its role allows every action.";
/// How permissions end that give roles of one kind of resource.
const OF_KIND: &str = ".setIamPolicy";

/// Looks at a role of Azure.
pub fn of_azure(built: &mut Built, id: &str, values: &Values) {
    built.looked(ACTION, id);
    let everything = any(values, "permissions.actions", &is_every);
    let gives = GIVES.map(|action| {
        let given = any(values, "permissions.actions", &|text| matches(text, action));
        let left_out = any(values, "permissions.not_actions", &|text| {
            matches(text, action)
        });
        given.and(not(left_out))
    });
    let gives = gives.into_iter().fold(Answer::No, Answer::or);
    let of_service = any(values, "permissions.actions", &is_every_of_service);
    let data = any(values, "permissions.data_actions", &is_every_of_service);
    let is_all = everything == Answer::Yes;
    let found = [
        (ADMIN, Severity::High, everything, ALL),
        (
            ADMIN,
            Severity::High,
            gives,
            "Its role allows to give or define roles, and so to give itself every right.",
        ),
        (
            ACTION,
            Severity::Medium,
            of_service,
            "Its role allows every action of a service.",
        ),
        (
            ACTION,
            Severity::Medium,
            data,
            "Its role allows every action on the data of a service.",
        ),
    ];
    for (rule, severity, answer, message) in found {
        match answer {
            // What allows everything would have every finding: one is enough.
            Answer::Yes if is_all && message != ALL => {}
            Answer::Yes => built.find(severity, rule, id, message.to_owned()),
            Answer::Unknown(reason) => built.unsure(rule, id, reason),
            Answer::No => {}
        }
    }
}

/// Looks at a role of Google.
pub fn of_google(built: &mut Built, id: &str, values: &Values) {
    let ends = OF_KIND.to_lowercase();
    let of_all = any(values, PERMISSIONS, &is_every_permission);
    let of_kind = any(values, PERMISSIONS, &|text| {
        text.ends_with(&ends) && !is_every_permission(text)
    });
    let found = [
        (
            Severity::High,
            of_all,
            "Its role allows to give itself every right.",
        ),
        (
            Severity::Medium,
            of_kind,
            "Its role allows to give every role on a kind of resources.",
        ),
    ];
    for (severity, answer, message) in found {
        match answer {
            Answer::Yes => built.find(severity, ADMIN, id, message.to_owned()),
            Answer::Unknown(reason) => built.unsure(ADMIN, id, reason),
            Answer::No => {}
        }
    }
}

fn is_every(text: &str) -> bool {
    !text.is_empty() && text.split('/').all(|part| part == "*")
}

/// Whether a pattern is for every action of a service: `Microsoft.Storage/*`.
fn is_every_of_service(text: &str) -> bool {
    is_every(text) || text.split_once('/').is_some_and(|(_, rest)| is_every(rest))
}

/// Whether one of the texts at a path is so, in lower case: both clouds take them in any case.
fn any(values: &Values, path: &str, is: &dyn Fn(&str) -> bool) -> Answer {
    each_way(values, path, &|values| {
        let mut answer = Answer::No;
        for value in at(values, path) {
            answer = answer.or(match value {
                Value::Text(text) => is(&text.to_lowercase()).into(),
                other => unfit(path, other, "a text"),
            });
        }
        answer
    })
}

/// Whether a permission of Google, in lower case, is enough to give oneself every right.
fn is_every_permission(text: &str) -> bool {
    OF_ALL.iter().any(|one| one.to_lowercase() == text)
}
