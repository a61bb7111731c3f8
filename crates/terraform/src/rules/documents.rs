//! Policy documents in their three forms (JSON text, an object, `aws_iam_policy_document`), read into statements.

use std::collections::BTreeSet;

use super::conditions::Condition;
use super::look::{Answer, at, not, unfit, why_unfit};
use super::protects::is_certain;
use super::wildcard::is_all;
use crate::functions::decoded;
use crate::graph::{Built, Values};
use crate::value::Value;

/// Other documents that a document has the statements of: those that its own ones replace, and those that replace its own.
const SOURCES: [&str; 2] = ["source_json", "source_policy_documents"];
const OVERRIDES: [&str; 2] = ["override_json", "override_policy_documents"];
/// How deep documents have the statements of others.
const MAX_DOCUMENTS: usize = 8;

#[derive(Debug)]
pub struct Statement {
    /// Its `Sid`, if it has one that is known.
    id: Option<String>,
    /// Whether its document is there, whatever is not known.
    is_certain: bool,
    pub allows: Answer,
    pub actions: Vec<Value>,
    /// The only actions that it is not about, if it is about every other one.
    pub not_actions: Option<Vec<Value>>,
    pub resources: Vec<Value>,
    /// Whether it is about every resource but some.
    pub has_not_resources: bool,
    /// Its principals that may be everyone.
    pub principals: Vec<Value>,
    /// Whether it is about everyone but some.
    pub has_not_principals: bool,
    /// Providers of identities whose users it lets in.
    pub federated: Vec<Value>,
    /// Its conditions, all of which have to hold.
    pub conditions: Vec<Condition>,
}

impl Statement {
    /// Why it may not apply: a condition that is about what the request does.
    pub fn doubt(&self) -> Option<String> {
        let mut conditions = self.conditions.iter();
        let is_open = conditions.all(|condition| condition.limits() == Answer::No);
        (!is_open).then(|| "It allows this under a condition, which is not evaluated.".to_owned())
    }
}

/// A kind of principals, as the keys of `Principal` and the types of blocks `principals` name it.
enum PrincipalKind {
    /// Accounts of AWS and what is in them: the only ones that may be everyone.
    Account,
    /// Users for whom a provider of identities vouches.
    Federated,
    /// Services and canonical users.
    Other,
}

impl PrincipalKind {
    /// The kind with a name. `*` stands for every kind. Source: "Principal", the reference of policy elements of AWS.
    fn of(name: &str) -> Self {
        match name {
            "AWS" | "*" => Self::Account,
            "Federated" => Self::Federated,
            _ => Self::Other,
        }
    }
}

/// The statements of a policy; the reason in the place of one that is not known.
pub fn statements(built: &Built, value: &Value) -> Vec<Result<Statement, String>> {
    let mut found = Vec::new();
    read(built, value, MAX_DOCUMENTS, &mut found);
    found
}

/// Whether a policy lets everyone in.
pub fn policy(built: &Built, value: &Value) -> Answer {
    let all = statements(built, value);
    let lets_in = all.iter().map(|statement| {
        let statement = match statement {
            Ok(statement) => statement,
            Err(reason) => return Answer::Unknown(reason.clone()),
        };
        let everyone = statement
            .principals
            .iter()
            .map(|one| is_all("principals", one));
        let everyone = everyone.fold(statement.has_not_principals.into(), Answer::or);
        // All conditions have to hold.
        let limits = statement.conditions.iter().map(Condition::limits);
        let is_limited = limits.fold(Answer::No, Answer::or);
        statement.allows.clone().and(everyone).and(not(is_limited))
    });
    match lets_in.fold(Answer::No, Answer::or) {
        Answer::Yes => all
            .iter()
            .find_map(may_keep_out)
            .map_or(Answer::Yes, Answer::Unknown),
        answer => answer,
    }
}

/// Why a statement may keep out some of those whom another one lets in; `None` if it does not.
fn may_keep_out(statement: &Result<Statement, String>) -> Option<String> {
    let statement = match statement {
        Ok(statement) => statement,
        // It may deny.
        Err(reason) => return Some(reason.clone()),
    };
    let denies = statement.allows != Answer::Yes
        && (statement.has_not_principals
            || statement
                .principals
                .iter()
                .any(|one| is_all("principals", one) != Answer::No))
        && statement.conditions.iter().any(Condition::may_be_about_who);
    let reason =
        "Its policy lets everyone in, and may deny some under a condition, which is not evaluated.";
    denies.then(|| reason.to_owned())
}

type Found = Vec<Result<Statement, String>>;

fn read(built: &Built, value: &Value, steps: usize, found: &mut Found) {
    let mut stop =
        |value: &Value, wanted: &str| found.push(Err(why_unfit("policy", value, wanted)));
    let parsed;
    let policy = match value {
        Value::Null => return,
        Value::Text(text) | Value::Partial { known: text, .. } => {
            let Some(json) = decoded(text) else {
                return stop(value, "JSON");
            };
            parsed = json;
            &parsed
        }
        Value::Of { node, .. } => {
            let documents = built.instances(node);
            if !node.contains("aws_iam_policy_document.") || documents.is_empty() || steps == 0 {
                return stop(value, "a policy");
            }
            let mut read = Found::new();
            for document in documents.iter() {
                of_document(built, document, steps - 1, &mut read);
            }
            if !is_certain(built, node) {
                let statements = read.iter_mut().flatten();
                statements.for_each(|statement| statement.is_certain = false);
            }
            found.extend(read);
            return;
        }
        other => other,
    };
    let Value::Map(policy) = policy else {
        return stop(policy, "a policy");
    };
    match policy.get("Statement") {
        Some(Value::List(list)) => found.extend(list.iter().map(of_json)),
        Some(one) => found.push(of_json(one)),
        None => {}
    }
}

fn all(values: &Values, path: &str) -> Vec<Value> {
    at(values, path).into_iter().cloned().collect()
}

fn of_json(statement: &Value) -> Result<Statement, String> {
    let Value::Map(statement) = statement else {
        return Err(why_unfit("policy", statement, "a statement"));
    };
    let mut principals = Vec::new();
    let mut federated = Vec::new();
    match statement.get("Principal") {
        Some(Value::Map(by_kind)) => {
            for kind in by_kind.keys() {
                let identifiers = all(by_kind, kind);
                match PrincipalKind::of(kind) {
                    PrincipalKind::Account => principals.extend(identifiers),
                    PrincipalKind::Federated => federated.extend(identifiers),
                    PrincipalKind::Other => {}
                }
            }
        }
        Some(_) => principals = all(statement, "Principal"),
        None => {}
    }
    Ok(Statement {
        id: id(statement, "Sid"),
        is_certain: true,
        allows: is(statement.get("Effect"), "Effect", false),
        actions: all(statement, "Action"),
        not_actions: (statement.contains_key("NotAction")).then(|| all(statement, "NotAction")),
        resources: all(statement, "Resource"),
        has_not_resources: statement.contains_key("NotResource"),
        principals,
        has_not_principals: statement.contains_key("NotPrincipal"),
        federated,
        conditions: Condition::of_json(statement),
    })
}

/// Adds the statements of an `aws_iam_policy_document`.
pub fn of_document(built: &Built, document: &Values, steps: usize, found: &mut Found) {
    let statements = match document.get("statement") {
        Some(Value::List(list)) => list.as_slice(),
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    let mut own = Found::new();
    for statement in statements {
        let Value::Map(statement) = statement else {
            if *statement != Value::Null {
                own.push(Err(why_unfit("statement", statement, "a statement")));
            }
            continue;
        };
        let mut principals = Vec::new();
        let mut federated = Vec::new();
        for block in at(statement, "principals") {
            match block {
                Value::Map(block) => {
                    let identifiers = all(block, "identifiers");
                    let kind = match block.get("type") {
                        Some(Value::Text(kind)) => PrincipalKind::of(kind),
                        // A kind that is not known may be that of accounts.
                        _ => PrincipalKind::Account,
                    };
                    match kind {
                        PrincipalKind::Account => principals.extend(identifiers),
                        PrincipalKind::Federated => federated.extend(identifiers),
                        PrincipalKind::Other => {}
                    }
                }
                other => principals.push(other.clone()),
            }
        }
        own.push(Ok(Statement {
            id: id(statement, "sid"),
            is_certain: true,
            allows: is(statement.get("effect"), "effect", true),
            actions: all(statement, "actions"),
            not_actions: Some(all(statement, "not_actions")).filter(|all| !all.is_empty()),
            resources: all(statement, "resources"),
            has_not_resources: !at(statement, "not_resources").is_empty(),
            principals,
            has_not_principals: statement.contains_key("not_principals"),
            federated,
            conditions: Condition::of_document(statement),
        }));
    }
    let mut merged = Found::new();
    for source in SOURCES.iter().flat_map(|path| at(document, path)) {
        read(built, source, steps, &mut merged);
    }
    merge(&mut merged, own);
    for other in OVERRIDES.iter().flat_map(|path| at(document, path)) {
        let mut overrides = Found::new();
        read(built, other, steps, &mut overrides);
        merge(&mut merged, overrides);
    }
    found.extend(merged);
}

/// Adds statements, which replace those before with the same ids. Source: the documentation of `aws_iam_policy_document`.
fn merge(into: &mut Found, with: Found) {
    // What may not be there replaces nothing.
    let certain = with
        .iter()
        .flatten()
        .filter(|statement| statement.is_certain);
    let ids: BTreeSet<String> = certain
        .filter_map(|statement| statement.id.clone())
        .collect();
    into.retain(|there| match there {
        Ok(Statement { id: Some(id), .. }) => !ids.contains(id),
        _ => true,
    });
    into.extend(with);
}

/// The id of a statement. Without one, or with an empty one, it replaces nothing.
fn id(statement: &Values, path: &str) -> Option<String> {
    match statement.get(path) {
        Some(Value::Text(id)) if !id.is_empty() => Some(id.clone()),
        _ => None,
    }
}

/// Whether an effect is `Allow`.
fn is(effect: Option<&Value>, path: &str, default: bool) -> Answer {
    match effect {
        None | Some(Value::Null) => default.into(),
        Some(Value::Text(text)) => (text == "Allow").into(),
        Some(other) => unfit(path, other, "a text"),
    }
}
