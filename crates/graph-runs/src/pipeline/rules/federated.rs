//! Whom a role trusts that a provider of identities vouches for. Without a condition, these are all of the provider's
//! users, and of a public one that is anyone.
//! Source: "Creating a role for OpenID Connect federation", the documentation of AWS.

use super::documents::{Condition, Statement, statements};
use super::look::{Answer, unfit};
use crate::pipeline::graph::Built;
use crate::pipeline::value::{HOLE, Value};

/// Parts of the names of providers in which anyone can have an account.
const OPEN: [&str; 7] = [
    "accounts.google.com",
    "aws_iam_openid_connect_provider.",
    "cognito-identity.amazonaws.com",
    "graph.facebook.com",
    "oidc",
    "token.actions.githubusercontent.com",
    "www.amazon.com",
];
/// Parts of the names of providers that an organization has for itself.
const OWN: [&str; 2] = ["aws_iam_saml_provider.", "saml-provider"];
const COGNITO: &str = "cognito-identity.amazonaws.com";
/// Tests that let in only what they name.
const PINS: [&str; 3] = ["StringEquals", "StringEqualsIgnoreCase", "StringLike"];

/// Whether a policy of trust lets everyone in whom a provider of identities vouches for.
pub fn trust(built: &Built, policy: &Value) -> Answer {
    let all = statements(built, policy).into_iter().flatten();
    let answers = all.map(|statement| {
        let each = statement.federated.iter();
        let open = each.map(|provider| is_open(provider, &statement));
        open.fold(Answer::No, Answer::or)
            .and(statement.allows.clone())
    });
    answers.fold(Answer::No, Answer::or)
}

fn is_open(provider: &Value, statement: &Statement) -> Answer {
    let name = match provider {
        Value::Text(name) | Value::Partial { known: name, .. } => name.as_str(),
        Value::Of { node, .. } => node.as_str(),
        other => return unfit("principals", other, "a text"),
    };
    let name = name.to_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    let conditions = &statement.conditions;
    let is_pinned = |end: &str| {
        let pins = conditions.iter().filter(|one| one.is_of(end));
        pins.map(Condition::pins).fold(Answer::No, Answer::or)
    };
    if has(&OWN) && !has(&OPEN) {
        return match is_pinned(":aud") {
            Answer::Yes => Answer::No,
            _ => Answer::Unknown(
                "It trusts everyone whom a provider of SAML knows: `SAML:aud` is not tested."
                    .to_owned(),
            ),
        };
    }
    let by = match name.contains(COGNITO) {
        true => is_pinned(":sub").or(is_pinned(":aud")),
        false => is_pinned(":sub"),
    };
    let is_public = has(&OPEN) || name == "*";
    match by {
        Answer::Yes => Answer::No,
        Answer::Unknown(reason) => Answer::Unknown(reason),
        Answer::No if is_public && conditions.iter().all(Condition::is_wide) => Answer::Yes,
        Answer::No => Answer::Unknown(
            "It trusts users of a provider of identities under a condition that names none of them, or the provider is not known."
                .to_owned(),
        ),
    }
}

impl Condition {
    /// Whether its variable is the subject or the audience of a token.
    fn is_of(&self, end: &str) -> bool {
        self.variable.to_lowercase().ends_with(end)
    }

    /// Whether it tests a subject or an audience, and lets in every one.
    fn is_wide(&self) -> bool {
        let known = |value: &Value| matches!(value, Value::Text(text) if is_any(text));
        (self.is_of(":sub") || self.is_of(":aud")) && self.values.iter().any(known)
    }

    /// Whether it lets in only what it names.
    fn pins(&self) -> Answer {
        let test = self.test.trim_start_matches("ForAnyValue:");
        if !PINS.contains(&test) {
            return Answer::No;
        }
        let one = |value: &Value| match value {
            Value::Text(text) => (!is_any(text)).into(),
            Value::Of { .. } => Answer::Yes,
            Value::Partial { known, .. } if !is_any(&known.replace(HOLE, "")) => Answer::Yes,
            other => unfit("condition", other, "a text"),
        };
        let all = self.values.iter().map(one);
        all.fold(Answer::from(!self.values.is_empty()), Answer::and)
    }
}

/// Whether a pattern is every subject, also every repository of every owner.
fn is_any(pattern: &str) -> bool {
    let rest = pattern.strip_prefix("repo:").unwrap_or(pattern);
    rest.chars().all(|c| matches!(c, '*' | '?' | ':' | '/'))
}
