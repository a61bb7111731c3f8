//! Policy documents in their three forms (JSON text, an object, `aws_iam_policy_document`), read into statements.

use super::look::{Answer, at, unfit, unknown, why_unfit};
use crate::pipeline::graph::{Built, Values};
use crate::pipeline::value::{HOLE, Value};

/// Other documents that a document has the statements of.
const DOCUMENTS: [&str; 4] = [
    "override_json",
    "override_policy_documents",
    "source_json",
    "source_policy_documents",
];
/// How deep documents have the statements of others.
const MAX_DOCUMENTS: usize = 8;
/// Keys of conditions about who makes a request, or from where.
const WHO: [&str; 11] = [
    "aws:PrincipalAccount",
    "aws:PrincipalArn",
    "aws:PrincipalOrgID",
    "aws:PrincipalOrgPaths",
    "aws:SourceAccount",
    "aws:SourceArn",
    "aws:SourceIp",
    "aws:SourceOrgID",
    "aws:SourceVpc",
    "aws:SourceVpce",
    "aws:VpcSourceIp",
];
/// Attributes of resources that are never `*`.
const IDENTIFIERS: [&str; 7] = [
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

/// A statement of a policy.
#[derive(Debug)]
pub struct Statement {
    /// Whether it allows something.
    pub allows: Answer,
    /// Its actions.
    pub actions: Vec<Value>,
    /// The only actions that it is not about, if it is about every other one.
    pub not_actions: Option<Vec<Value>>,
    /// Its resources.
    pub resources: Vec<Value>,
    /// Whether it is about every resource but some.
    pub has_not_resources: bool,
    /// Its principals that may be everyone.
    pub principals: Vec<Value>,
    /// Whether it is about everyone but some.
    pub has_not_principals: bool,
    /// Providers of identities whose users it lets in.
    pub federated: Vec<Value>,
    /// Whether it has a condition.
    pub is_conditional: bool,
    /// Its conditions, all of which have to hold.
    pub conditions: Vec<Condition>,
}

/// A condition of a statement.
#[derive(Debug)]
pub struct Condition {
    /// How it compares: `StringEquals`; empty if that is not known.
    pub test: String,
    /// What it compares; empty if that is not known.
    pub variable: String,
    /// With what.
    pub values: Vec<Value>,
}

impl Condition {
    /// Those of a statement in JSON: tests with variables with values.
    fn of_json(statement: &Values) -> Vec<Self> {
        let mut found = Vec::new();
        let unknown = |values: Vec<Value>, test: &str| Self {
            test: test.to_owned(),
            variable: String::new(),
            values,
        };
        match statement.get("Condition") {
            None | Some(Value::Null) => {}
            Some(Value::Map(tests)) => {
                for (test, variables) in tests {
                    let Value::Map(variables) = variables else {
                        found.push(unknown(vec![variables.clone()], test));
                        continue;
                    };
                    found.extend(variables.keys().map(|variable| Self {
                        test: test.clone(),
                        variable: variable.clone(),
                        values: match variables.get(variable) {
                            Some(Value::List(list)) => list.clone(),
                            one => one.into_iter().cloned().collect(),
                        },
                    }));
                }
            }
            Some(other) => found.push(unknown(vec![other.clone()], "")),
        }
        found
    }

    /// Those of a statement of an `aws_iam_policy_document`.
    fn of_document(statement: &Values) -> Vec<Self> {
        let blocks = at(statement, "condition").into_iter();
        let blocks = blocks.map(|block| {
            let text = |name: &str| match block {
                Value::Map(block) => match block.get(name) {
                    Some(Value::Text(text) | Value::Partial { known: text, .. }) => text.clone(),
                    _ => String::new(),
                },
                _ => String::new(),
            };
            Self {
                test: text("test"),
                variable: text("variable"),
                values: match block {
                    Value::Map(block) => all(block, "values"),
                    other => vec![other.clone()],
                },
            }
        });
        blocks.collect()
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
        match (
            statement.allows.clone().and(everyone),
            statement.is_conditional,
        ) {
            (Answer::Yes, true) => Answer::Unknown(
                "Its policy lets everyone in under a condition, which is not evaluated.".to_owned(),
            ),
            (answer, _) => answer,
        }
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
    let may_be_everyone = |one: &Value| is_all("principals", one) != Answer::No;
    let may_be_about_who = |condition: &Condition| {
        let variable = condition.variable.as_str();
        variable.is_empty() || WHO.iter().any(|who| variable.eq_ignore_ascii_case(who))
    };
    let denies = statement.allows != Answer::Yes
        && (statement.has_not_principals || statement.principals.iter().any(may_be_everyone))
        && statement.conditions.iter().any(may_be_about_who);
    let reason =
        "Its policy lets everyone in, and may deny some under a condition, which is not evaluated.";
    denies.then(|| reason.to_owned())
}

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

/// A text that is known in part, without the parts that may be empty.
pub fn shortest(text: &str, known: &str) -> String {
    let parts: Vec<_> = interpolations(text).collect();
    // Otherwise it is not known which of them stand in the text.
    let is_each = parts.len() == known.matches(HOLE).count();
    let mut parts = parts.into_iter().filter(|_| is_each);
    let stays = |c: &char| *c != HOLE || parts.next().is_some_and(is_identifier);
    known.chars().filter(stays).collect()
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
        .all(|c| c.is_alphanumeric() || "._-[]".contains(c));
    let is_of_value = VALUES.iter().any(|start| of.starts_with(start));
    is_reference && !is_of_value && IDENTIFIERS.iter().any(|end| of.ends_with(end))
}

type Found = Vec<Result<Statement, String>>;

fn read(built: &Built, value: &Value, steps: usize, found: &mut Found) {
    let mut stop =
        |value: &Value, wanted: &str| found.push(Err(why_unfit("policy", value, wanted)));
    let parsed;
    let policy = match value {
        Value::Null => return,
        Value::Text(text) | Value::Partial { known: text, .. } => {
            let Ok(json) = serde_json::from_str::<serde_json::Value>(text) else {
                return stop(value, "JSON");
            };
            parsed = with_holes(json.into());
            &parsed
        }
        Value::Of { node, .. } => {
            let documents = built.instances(node);
            if !node.contains("aws_iam_policy_document.") || documents.is_empty() || steps == 0 {
                return stop(value, "a policy");
            }
            for document in documents.iter() {
                of_document(built, document, steps - 1, found);
            }
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

/// Texts with holes as values that are known in part.
fn with_holes(value: Value) -> Value {
    match value {
        Value::Text(known) if known.contains(HOLE) => Value::Partial {
            // Even what is known of it may be a secret.
            text: "\"…\"".to_owned(),
            known,
        },
        Value::List(list) => Value::List(list.into_iter().map(with_holes).collect()),
        Value::Map(map) => {
            let map = map.into_iter();
            Value::Map(map.map(|(name, value)| (name, with_holes(value))).collect())
        }
        other => other,
    }
}

fn all(values: &Values, path: &str) -> Vec<Value> {
    at(values, path).into_iter().cloned().collect()
}

fn of_json(statement: &Value) -> Result<Statement, String> {
    let Value::Map(statement) = statement else {
        return Err(why_unfit("policy", statement, "a statement"));
    };
    let principals = match statement.get("Principal") {
        Some(Value::Map(_)) => all(statement, "Principal.AWS"),
        Some(_) => all(statement, "Principal"),
        None => Vec::new(),
    };
    Ok(Statement {
        allows: is(statement.get("Effect"), "Effect", false),
        actions: all(statement, "Action"),
        not_actions: (statement.contains_key("NotAction")).then(|| all(statement, "NotAction")),
        resources: all(statement, "Resource"),
        has_not_resources: statement.contains_key("NotResource"),
        principals,
        has_not_principals: statement.contains_key("NotPrincipal"),
        federated: match statement.get("Principal") {
            Some(Value::Map(_)) => all(statement, "Principal.Federated"),
            _ => Vec::new(),
        },
        is_conditional: statement.contains_key("Condition"),
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
    for statement in statements {
        let Value::Map(statement) = statement else {
            if *statement != Value::Null {
                found.push(Err(why_unfit("statement", statement, "a statement")));
            }
            continue;
        };
        let mut principals = Vec::new();
        let mut federated = Vec::new();
        for block in at(statement, "principals") {
            match block {
                Value::Map(block) => {
                    let is_of_aws = match block.get("type") {
                        Some(Value::Text(kind)) => matches!(kind.as_str(), "AWS" | "*"),
                        _ => true,
                    };
                    let identifiers = all(block, "identifiers");
                    match block.get("type") {
                        Some(Value::Text(kind)) if kind == "Federated" => {
                            federated.extend(identifiers);
                        }
                        _ => principals.extend(identifiers.into_iter().filter(|_| is_of_aws)),
                    }
                }
                other => principals.push(other.clone()),
            }
        }
        found.push(Ok(Statement {
            allows: is(statement.get("effect"), "effect", true),
            actions: all(statement, "actions"),
            not_actions: Some(all(statement, "not_actions")).filter(|all| !all.is_empty()),
            resources: all(statement, "resources"),
            has_not_resources: !at(statement, "not_resources").is_empty(),
            principals,
            has_not_principals: statement.contains_key("not_principals"),
            federated,
            is_conditional: statement.contains_key("condition"),
            conditions: Condition::of_document(statement),
        }));
    }
    for other in DOCUMENTS.iter().flat_map(|path| at(document, path)) {
        read(built, other, steps, found);
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
