//! Whom a role trusts that a provider of identities vouches for. Without a condition, these are all of the provider's
//! users, and of a public one that is anyone.
//! Source: "Creating a role for OpenID Connect federation", the documentation of AWS.

use super::conditions::Condition;
use super::documents::{Statement, statements};
use super::look::{Answer, at, unfit};
use crate::graph::Built;
use crate::value::{HOLE, Value};

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
/// Providers from which everyone gets tokens, for an audience that they choose.
const FOR_ANY_AUDIENCE: [&str; 3] = [
    "app.terraform.io",
    "gitlab.com",
    "token.actions.githubusercontent.com",
];
/// The action of those who have a token of OpenID Connect.
const WITH_TOKEN: &str = "sts:assumerolewithwebidentity";
const CONNECT: &str = "aws_iam_openid_connect_provider.";
/// How subjects begin that go on with their owner, whose name everyone can choose.
const OWNERS: [&str; 4] = [
    "organization:",
    "project_path:",
    "repo:",
    "repository_owner:",
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
        let open = each.map(|provider| is_open(built, provider, &statement));
        open.fold(Answer::No, Answer::or)
            .and(statement.allows.clone())
    });
    answers.fold(Answer::No, Answer::or)
}

/// The name of a provider, with what else says which one it is: its address on the internet, and the statement.
fn name_of(built: &Built, provider: &Value, statement: &Statement) -> Option<String> {
    let mut name = match provider {
        Value::Text(name) | Value::Partial { known: name, .. } => name.clone(),
        Value::Of { node, .. } => node.clone(),
        _ => return None,
    };
    if name.contains(CONNECT) {
        let instances = built.instances(&name);
        let urls = instances.iter().flat_map(|values| at(values, "url"));
        let urls: Vec<_> = urls.filter_map(Value::as_text).collect();
        name.extend(urls);
    }
    // In a text, the provider may be a hole.
    let variables = statement.conditions.iter().map(|one| one.variable.as_str());
    name.extend(variables);
    let actions = statement.actions.iter().filter_map(Value::as_text);
    if actions
        .map(|action| action.to_lowercase())
        .any(|action| action == WITH_TOKEN)
    {
        name.push_str(CONNECT);
    }
    Some(name.to_lowercase())
}

fn is_open(built: &Built, provider: &Value, statement: &Statement) -> Answer {
    let Some(name) = name_of(built, provider, statement) else {
        return unfit("principals", provider, "a text");
    };
    let conditions = &statement.conditions;
    if has_any(&name, &OWN) && !has_any(&name, &OPEN) {
        return match is_pinned(conditions, ":aud") {
            Answer::Yes => Answer::No,
            _ => Answer::Unknown(
                "It trusts everyone whom a provider of SAML knows: `SAML:aud` is not tested."
                    .to_owned(),
            ),
        };
    }
    // A token of Cognito has the pool of identities as its audience.
    let by = if name.contains(COGNITO) {
        is_pinned(conditions, ":sub").or(is_pinned(conditions, ":aud"))
    } else {
        is_pinned(conditions, ":sub")
    };
    let is_public = has_any(&name, &OPEN) || matches!(provider, Value::Text(text) if text == "*");
    let has_any_audience = has_any(&name, &FOR_ANY_AUDIENCE);
    let are_wide = conditions
        .iter()
        .all(|one| one.is_wide() || (has_any_audience && one.is_of(":aud")));
    match by {
        Answer::Yes => Answer::No,
        Answer::Unknown(reason) => Answer::Unknown(reason),
        Answer::No if is_public && are_wide => Answer::Yes,
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
        (self.is_of(":sub") || self.is_of(":aud"))
            && self
                .values
                .iter()
                .any(|value| matches!(value, Value::Text(text) if is_any(text)))
    }

    /// Whether it lets in only what it names.
    fn pins(&self) -> Answer {
        let test = self.test.trim_start_matches("ForAnyValue:");
        if !PINS.contains(&test) {
            return Answer::No;
        }
        let mut answer = Answer::from(!self.values.is_empty());
        for value in self.values.iter() {
            answer = answer.and(match value {
                Value::Text(text) => (!is_any(text)).into(),
                Value::Of { .. } => Answer::Yes,
                Value::Partial { known, .. } if !is_any(&known.replace(HOLE, "")) => Answer::Yes,
                other => unfit("condition", other, "a text"),
            });
        }
        answer
    }
}

/// Whether a pattern is every subject, or those of every owner. Anyone can have a name that begins or ends as another one.
fn is_any(pattern: &str) -> bool {
    let owned = OWNERS.iter().find_map(|start| pattern.strip_prefix(start));
    match owned {
        Some(owned) => {
            let owner = owned.split(['/', ':']).next().unwrap_or_default();
            owner.is_empty() || owner.contains(is_wildcard)
        }
        None => {
            pattern.starts_with(is_wildcard)
                || pattern
                    .chars()
                    .all(|c| is_wildcard(c) || matches!(c, ':' | '/'))
        }
    }
}

fn has_any(name: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| name.contains(part))
}

/// Whether a condition lets in only what it names, of the variables with this end.
fn is_pinned(conditions: &[Condition], end: &str) -> Answer {
    let pins = conditions.iter().filter(|one| one.is_of(end));
    pins.map(Condition::pins).fold(Answer::No, Answer::or)
}

fn is_wildcard(c: char) -> bool {
    matches!(c, '*' | '?')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_with_a_wildcard_for_the_owner_is_anyone() {
        for (pattern, is) in [
            ("*", true),
            ("repo:*", true),
            ("repo:*/*:ref:refs/heads/main", true),
            ("repo:*/shop:*", true),
            ("repo:acme*", true),
            ("*/shop:*", true),
            ("repo:acme/*", false),
            ("repo:acme/shop:*", false),
            ("project_path:*/shop:*", true),
            ("project_path:acme/shop:ref_type:branch:ref:*", false),
            ("system:serviceaccount:shop:*", false),
        ] {
            assert_eq!(is_any(pattern), is, "{pattern}");
        }
    }
}
