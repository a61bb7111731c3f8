//! What policies of identities allow, and whom roles trust.

use std::collections::BTreeSet;

use super::documents::{Statement, of_document, policy, statements};
use super::look::{Answer, at, unknown};
use crate::pipeline::finding::Severity;
use crate::pipeline::graph::Built;
use crate::pipeline::value::{HOLE, Value};

const ADMIN: &str = "iam-admin";
const ACTION: &str = "iam-wildcard-action";
const RESOURCE: &str = "iam-wildcard-resource";
const PASS: &str = "iam-pass-role";
const TRUST: &str = "iam-open-trust";
/// The rules about what a policy allows.
const ALLOWING: [&str; 4] = [ADMIN, PASS, ACTION, RESOURCE];

/// Arguments that have policies of identities.
const POLICIES: [(&str, &str); 7] = [
    ("aws_iam_group_policy", "policy"),
    ("aws_iam_policy", "policy"),
    ("aws_iam_role", "inline_policy.policy"),
    ("aws_iam_role_policy", "policy"),
    ("aws_iam_user_policy", "policy"),
    ("aws_ssoadmin_permission_set_inline_policy", "inline_policy"),
    ("aws_iam_user_inline_policy", "policy"),
];
/// Arguments that name policies which AWS manages.
const ATTACHED: [(&str, &str); 7] = [
    ("aws_iam_group_policy_attachment", "policy_arn"),
    ("aws_iam_policy_attachment", "policy_arn"),
    ("aws_iam_role", "managed_policy_arns"),
    ("aws_iam_role_policy_attachment", "policy_arn"),
    ("aws_iam_role_policy_attachments_exclusive", "policy_arns"),
    ("aws_iam_user_policy_attachment", "policy_arn"),
    (
        "aws_ssoadmin_managed_policy_attachment",
        "managed_policy_arn",
    ),
];
/// Policies of AWS that allow everything, or everything but IAM.
const ADMINS: [&str; 3] = ["/AdministratorAccess", "/PowerUserAccess", "/IAMFullAccess"];

/// Whether a type is looked at here.
pub fn is_about(kind: &str) -> bool {
    let mut kinds = POLICIES.iter().chain(&ATTACHED);
    kinds.any(|(about, _)| *about == kind)
}

/// Looks at every policy of an identity.
pub fn classify(built: &mut Built, resources: &[(String, String)]) {
    for (id, kind) in resources {
        let all = built.instances(id);
        for values in all.iter() {
            for (_, path) in POLICIES.iter().filter(|(about, _)| about == kind) {
                for value in at(values, path) {
                    let read = statements(built, value);
                    allowed(built, id, read);
                }
            }
            for (_, path) in ATTACHED.iter().filter(|(about, _)| about == kind) {
                for value in at(values, path) {
                    attached(built, id, path, value);
                }
            }
            if kind == "aws_iam_role" {
                let trust = values.get("assume_role_policy");
                let answer = trust.map_or(Answer::No, |trust| policy(built, trust));
                built.looked(TRUST, id);
                match answer {
                    Answer::Yes => {
                        let message = "Anyone with an account of AWS can assume it.".to_owned();
                        built.find(Severity::High, TRUST, id, message);
                    }
                    Answer::Unknown(reason) => built.unsure(TRUST, id, reason),
                    Answer::No => {}
                }
            }
        }
    }
    documents(built);
}

/// Documents that no resource of the configuration uses, such as those that a module hands out.
fn documents(built: &mut Built) {
    let is_document = |id: &str| id.contains("data.aws_iam_policy_document.");
    let used: BTreeSet<&str> = built.edges.iter().map(|(_, to, _)| to.as_str()).collect();
    let unused: Vec<String> = built
        .nodes
        .keys()
        .filter(|id| is_document(id) && !used.contains(id.as_str()))
        .cloned()
        .collect();
    for id in unused {
        for document in built.instances(&id).iter() {
            let mut read = Vec::new();
            of_document(built, document, 4, &mut read);
            let has_principals = read
                .iter()
                .flatten()
                .any(|statement| !statement.principals.is_empty() || statement.has_not_principals);
            if !has_principals {
                allowed(built, &id, read);
            }
        }
    }
}

fn attached(built: &mut Built, id: &str, path: &str, value: &Value) {
    built.looked(ADMIN, id);
    let is_admin = match value {
        Value::Text(arn) => ADMINS.iter().any(|name| arn.ends_with(name)).into(),
        // A policy of the configuration, which is looked at by itself.
        Value::Of { node, .. } if node.contains("aws_iam_policy.") => Answer::No,
        Value::Partial { text, known } => match known.rsplit_once('/') {
            Some((_, name)) if !name.contains(HOLE) => ADMINS
                .iter()
                .any(|admin| *admin == format!("/{name}"))
                .into(),
            _ => unknown(path, text),
        },
        other => unknown(path, other.unknown().unwrap_or("not a text")),
    };
    match is_admin {
        Answer::Yes => {
            let message = format!("`{path}` is a policy of AWS that allows almost everything.");
            built.find(Severity::High, ADMIN, id, message);
        }
        Answer::Unknown(reason) => built.unsure(ADMIN, id, reason),
        Answer::No => {}
    }
}

fn allowed(built: &mut Built, id: &str, read: Vec<Result<Statement, String>>) {
    for rule in ALLOWING {
        built.looked(rule, id);
    }
    for statement in read {
        match statement {
            Err(reason) => {
                for rule in ALLOWING {
                    built.unsure(rule, id, reason.clone());
                }
            }
            Ok(statement) => one(built, id, &statement),
        }
    }
}

fn one(built: &mut Built, id: &str, statement: &Statement) {
    let any = |values: &[Value], is: &dyn Fn(&Value) -> Answer| {
        values.iter().map(is).fold(Answer::No, Answer::or)
    };
    let every_action = any(&statement.actions, &|v| {
        matches(v, "actions", is_everything)
    })
    .or(statement.has_not_actions.into());
    let of_service = any(&statement.actions, &|v| matches(v, "actions", is_wildcard))
        .or(statement.has_not_actions.into());
    let passes = any(&statement.actions, &|v| matches(v, "actions", is_pass_role));
    let writes = any(&statement.actions, &|v| matches(v, "actions", is_write))
        .or(statement.has_not_actions.into());
    let every_resource = any(&statement.resources, &|v| {
        super::documents::is_all("resources", v)
    })
    .or(statement.has_not_resources.into());
    let allows = &statement.allows;
    let is_admin = every_action.and(every_resource.clone());
    let texts = [
        (
            ADMIN,
            Severity::High,
            is_admin.clone(),
            "It allows every action on every resource.",
        ),
        (
            ACTION,
            Severity::Medium,
            of_service,
            "It allows every action of a service.",
        ),
        (
            PASS,
            Severity::Medium,
            passes.and(every_resource.clone()),
            "It allows to pass every role to a service.",
        ),
        (
            RESOURCE,
            Severity::Low,
            writes.and(every_resource),
            "It allows actions that write on every resource.",
        ),
    ];
    for (rule, severity, answer, message) in texts {
        match answer.and(allows.clone()) {
            Answer::Yes if is_admin == Answer::Yes && rule != ADMIN => {}
            Answer::Yes => built.find(severity, rule, id, message.to_owned()),
            Answer::Unknown(reason) => built.unsure(rule, id, reason),
            Answer::No => {}
        }
    }
}

/// Whether an action is one of a kind, as far as it is known.
fn matches(value: &Value, path: &str, is: fn(&str) -> bool) -> Answer {
    match value {
        Value::Text(text) => is(&text.to_lowercase()).into(),
        other => unknown(path, other.unknown().unwrap_or("not a text")),
    }
}

fn is_everything(action: &str) -> bool {
    matches!(action, "*" | "*:*")
}

fn is_wildcard(action: &str) -> bool {
    is_everything(action) || action.ends_with(":*")
}

fn is_pass_role(action: &str) -> bool {
    let is_start = action
        .strip_suffix('*')
        .is_some_and(|start| "iam:passrole".starts_with(start));
    action == "iam:passrole" || is_start
}

fn is_write(action: &str) -> bool {
    let name = action.split_once(':').map_or(action, |(_, name)| name);
    let reads = [
        "describe", "get", "list", "batchget", "search", "lookup", "head",
    ];
    !reads.iter().any(|read| name.starts_with(read))
}
