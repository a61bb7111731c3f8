//! What policies of identities allow, and whom roles trust.

use std::collections::BTreeSet;

use super::documents::{Statement, of_document, policy, statements};
use super::federated;
use super::look::{Answer, at, not, unfit, unknown};
use super::protects::unless;
use super::types;
use super::wildcard::{
    is_every_action, is_every_one_of, is_every_resource, is_everything, is_wildcard_action,
    is_without_resources, leaves_out, matches as matches_pattern,
};
use crate::finding::Severity;
use crate::graph::Built;
use crate::value::{HOLES, Value};

const ADMIN: &str = "iam-admin";
const ACTION: &str = "iam-wildcard-action";
const RESOURCE: &str = "iam-wildcard-resource";
const PASS: &str = "iam-pass-role";
/// The action that it is about.
const PASS_ROLE: &str = "iam:passrole";
const TRUST: &str = "iam-open-trust";
const ALL: &str = "It allows every action on every resource.";
/// How many actions a finding names.
const SHOWN: usize = 50;
/// The rules about what a policy allows.
const ALLOWING: [&str; 4] = [ADMIN, PASS, ACTION, RESOURCE];

/// Policies of AWS that allow everything, or everything but IAM.
const ADMINS: [&str; 3] = ["/AdministratorAccess", "/PowerUserAccess", "/IAMFullAccess"];

/// An action with which an identity gives itself every right, if it is for every resource of the kind that it takes.
struct Escalation {
    action: &'static str,
    on: &'static str,
}

const fn escalation(action: &'static str, on: &'static str) -> Escalation {
    Escalation { action, on }
}

/// All of them: by a policy of its own, by the trust of a role, or by a login of a user.
/// Source: the Service Authorization Reference of AWS, for the kinds.
const ESCALATIONS: [Escalation; 13] = [
    escalation("iam:addusertogroup", "group"),
    escalation("iam:attachgrouppolicy", "group"),
    escalation("iam:attachrolepolicy", "role"),
    escalation("iam:attachuserpolicy", "user"),
    escalation("iam:createaccesskey", "user"),
    escalation("iam:createloginprofile", "user"),
    escalation("iam:createpolicyversion", "policy"),
    escalation("iam:putgrouppolicy", "group"),
    escalation("iam:putrolepolicy", "role"),
    escalation("iam:putuserpolicy", "user"),
    escalation("iam:setdefaultpolicyversion", "policy"),
    escalation("iam:updateassumerolepolicy", "role"),
    escalation("iam:updateloginprofile", "user"),
];
/// Some of the actions that a policy allows which allows every action but some.
const OTHERS: [&str; 3] = ["ec2:runinstances", "kms:decrypt", "s3:deleteobject"];

/// How the names of actions begin that read. Source: the access levels of the Service Authorization Reference of AWS.
const READS: [&str; 17] = [
    "batchcheck",
    "batchget",
    "conditioncheck",
    "describe",
    "filter",
    "get",
    "gitpull",
    "head",
    "list",
    "lookup",
    "partiqlselect",
    "preview",
    "query",
    "scan",
    "search",
    "select",
    "view",
];

/// Looks at every policy of an identity.
pub fn classify(built: &mut Built, resources: &[(String, String)]) {
    for (id, kind) in resources {
        let Some(row) = types::of(kind) else {
            continue;
        };
        let all = built.instances(id);
        for values in all.iter() {
            if let Some(path) = row.grants {
                for value in at(values, path) {
                    let read = statements(built, value);
                    allowed(built, id, read);
                }
            }
            if let Some(path) = row.attaches {
                for value in at(values, path) {
                    attached(built, id, path, value);
                }
            }
            if kind == "aws_iam_role" {
                let trust = values.get("assume_role_policy");
                let answer = trust.map_or(Answer::No, |trust| policy(built, trust));
                built.looked(TRUST, id);
                let of_provider =
                    trust.map_or(Answer::No, |policy| federated::trust(built, policy));
                match of_provider {
                    Answer::Yes => {
                        let message =
                            "Every user of a provider of identities can assume it.".to_owned();
                        built.find(Severity::High, TRUST, id, message);
                    }
                    Answer::Unknown(reason) => built.unsure(TRUST, id, reason),
                    Answer::No => {}
                }
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
    let used: BTreeSet<&str> = built.edges.iter().map(|(_, to, _)| to.as_str()).collect();
    let unused: Vec<String> = built
        .nodes
        .keys()
        .filter(|id| id.contains("data.aws_iam_policy_document.") && !used.contains(id.as_str()))
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
            // With principals it is the policy of a resource, and only about that one.
            if !has_principals {
                allowed(built, &id, read);
            }
        }
    }
}

fn attached(built: &mut Built, id: &str, path: &str, value: &Value) {
    built.looked(ADMIN, id);
    let is_admin = match value {
        Value::Of { node, text } if node.contains("data.aws_iam_policy.") => {
            looked_up(built, node, path, text)
        }
        // A policy of the configuration, which is looked at by itself.
        Value::Of { node, .. } if node.contains("aws_iam_policy.") => Answer::No,
        other => admin(path, other),
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

/// Whether a policy that is looked up is one of AWS that allows everything.
fn looked_up(built: &Built, node: &str, path: &str, text: &str) -> Answer {
    let instances = built.instances(node);
    if instances.is_empty() {
        return unknown(path, text);
    }
    let mut answer = Answer::No;
    for values in instances.iter() {
        let mut names = Vec::new();
        for by in ["arn", "name"] {
            names.extend(at(values, by).into_iter().map(|name| admin(by, name)));
        }
        answer = answer.or(if names.is_empty() {
            unknown(path, text)
        } else {
            names.into_iter().fold(Answer::No, Answer::or)
        });
    }
    answer
}

/// Whether an ARN or a name is of a policy of AWS that allows everything.
fn admin(path: &str, value: &Value) -> Answer {
    match value {
        Value::Text(name) => is_admin(name).into(),
        // Whatever the account or partition is, the name at the end is known.
        Value::Partial { known, .. }
            if known
                .rsplit_once('/')
                .is_some_and(|(_, name)| !name.contains(HOLES)) =>
        {
            is_admin(known).into()
        }
        other => unfit(path, other, "a text"),
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
    // Of every action but some, those of IAM decide.
    let others = statement.not_actions.as_deref();
    let has_others = Answer::from(others.is_some());
    let every_resource = any_resource(statement, is_everything);
    let is_admin = any_action(statement, &is_every_action).and(every_resource.clone());
    let gives_itself = ESCALATIONS
        .iter()
        .map(|one| is_given_on_every(statement, one.action, one.on))
        .fold(Answer::No, Answer::or);
    let is_almost_all = leaves_any(statement, &OTHERS).and(every_resource);
    let writes = any_action(statement, &is_write).or(has_others.clone());
    let wide = any_resource(statement, is_every_resource);
    let found = [
        (ADMIN, Severity::High, is_admin.clone(), ALL.to_owned()),
        (
            ADMIN,
            Severity::High,
            unless(gives_itself.clone(), statement.doubt()),
            format!(
                "It allows to give itself every right, because its actions on every resource are {}.",
                named(statement, is_escalation)
            ),
        ),
        (
            ADMIN,
            Severity::High,
            // Giving itself every right is the graver finding, and says the same.
            is_almost_all.and(not(gives_itself)),
            format!(
                "It allows almost everything: its actions on every resource are {}.",
                named(statement, is_every_action)
            ),
        ),
        (
            ACTION,
            Severity::Medium,
            any_action(statement, &is_wildcard_action).or(has_others),
            format!(
                "It allows every action of a service: {}.",
                named(statement, is_wildcard_action)
            ),
        ),
        (
            PASS,
            Severity::Medium,
            is_given_on_every(statement, PASS_ROLE, "role"),
            "It allows to pass every role to a service.".to_owned(),
        ),
        (
            RESOURCE,
            Severity::Low,
            writes.and(wide),
            format!(
                "It allows actions that write on every resource: {}.",
                named(statement, is_write)
            ),
        ),
    ];
    for (rule, severity, answer, message) in found {
        match answer.and(statement.allows.clone()) {
            // What allows everything would have every finding: one is enough.
            Answer::Yes if is_admin == Answer::Yes && message != ALL => {}
            Answer::Yes => built.find(severity, rule, id, message),
            Answer::Unknown(reason) => built.unsure(rule, id, reason),
            Answer::No => {}
        }
    }
}

/// The actions of a kind for people, so that a new one makes a new finding.
fn texts(actions: &[Value], is: impl Fn(&str) -> bool) -> String {
    let known = actions.iter().filter_map(|action| match action {
        Value::Text(text) if !is(&text.to_lowercase()) => None,
        Value::Text(text) if !is_action(text) => Some("one that is not an action".to_owned()),
        Value::Text(text) => Some(format!("`{text}`")),
        _ => Some("one that is not known".to_owned()),
    });
    let known: BTreeSet<_> = known.collect();
    let left = known.len().saturating_sub(SHOWN);
    let mut shown: Vec<_> = known.into_iter().take(SHOWN).collect();
    if left > 0 {
        shown.push(format!("{left} more"));
    }
    shown.join(", ")
}

/// Whether an action is one of a kind, as far as it is known.
fn matches(value: &Value, is: &dyn Fn(&str) -> bool) -> Answer {
    match value {
        Value::Text(text) => is(&text.to_lowercase()).into(),
        other => unfit("actions", other, "a text"),
    }
}

/// Whether a text has the form of an action. Any other one may be a secret.
fn is_action(text: &str) -> bool {
    match text.split_once(':') {
        Some((service, name)) => {
            service.len() <= 40
                && service
                    .chars()
                    .chain(name.chars())
                    .all(|c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '*' | '?'))
        }
        None => text.chars().all(|c| matches!(c, '*' | '?')),
    }
}

fn is_escalation(action: &str) -> bool {
    let mut all = ESCALATIONS.iter();
    all.any(|one| matches_pattern(action, one.action))
}

/// Whether a statement is about an action on every resource of the kind that the action takes.
fn is_given_on_every(statement: &Statement, action: &str, kind: &str) -> Answer {
    let names = any_action(statement, &|one| matches_pattern(one, action));
    let is_given = names.or(leaves_any(statement, &[action]));
    if is_given == Answer::No {
        return Answer::No;
    }
    let each = statement.resources.iter();
    let every = each.map(|resource| is_every_one_of(kind, resource));
    is_given.and(every.fold(statement.has_not_resources.into(), Answer::or))
}

fn is_write(action: &str) -> bool {
    let name = action.split_once(':').map_or(action, |(_, name)| name);
    !READS.iter().any(|read| name.starts_with(read)) && !is_without_resources(action)
}

/// Whether one of the actions that a statement names is so.
fn any_action(statement: &Statement, is: &dyn Fn(&str) -> bool) -> Answer {
    let answers = statement.actions.iter().map(|value| matches(value, is));
    answers.fold(Answer::No, Answer::or)
}

/// Whether one of the resources of a statement is so. One that names all but some has such a one.
fn any_resource(statement: &Statement, is: fn(&Value) -> Answer) -> Answer {
    let answers = statement.resources.iter().map(is);
    answers.fold(statement.has_not_resources.into(), Answer::or)
}

/// Whether a statement about all actions but some is about one of these.
fn leaves_any(statement: &Statement, actions: &[&str]) -> Answer {
    let Some(others) = &statement.not_actions else {
        return Answer::No;
    };
    let answers = actions.iter().map(|one| not(leaves_out(others, one)));
    answers.fold(Answer::No, Answer::or)
}

/// The actions of a statement that are so, or those that it leaves out.
fn named(statement: &Statement, is: fn(&str) -> bool) -> String {
    match &statement.not_actions {
        Some(others) => format!("all but {}", texts(others, |_| true)),
        None => texts(&statement.actions, is),
    }
}

/// Whether a name, or the end of an ARN, is of such a policy.
fn is_admin(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or_default();
    let mut admins = ADMINS.iter();
    admins.any(|admin| admin.trim_start_matches('/') == name)
}
