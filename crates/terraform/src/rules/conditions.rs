//! Conditions of statements, and whether they restrict who makes a request, or from where.
//! Source: "AWS global condition context keys" and "The meaning of public", the documentation of AWS.

use super::cidr;
use super::look::{Answer, at, is_range_of_internet, not, unfit, unknown};
use super::wildcard::shortest;
use crate::graph::Values;
use crate::value::{HOLES, NAMED, Value};

/// What a key of a condition has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Has {
    /// An id that AWS gives out: of an account, an organization, a network or its endpoint.
    Id,
    Arn,
    /// A range of addresses.
    Address,
    /// A flag that is true for requests of the own network.
    Flag,
}

/// Keys about who makes a request, or from where.
const WHO: [(&str, Has); 17] = [
    ("aws:principalaccount", Has::Id),
    ("aws:principalarn", Has::Arn),
    ("aws:principalorgid", Has::Id),
    ("aws:principalorgpaths", Has::Id),
    ("aws:sourceaccount", Has::Id),
    ("aws:sourcearn", Has::Arn),
    ("aws:sourceip", Has::Address),
    ("aws:sourceorgid", Has::Id),
    ("aws:sourceorgpaths", Has::Id),
    ("aws:sourceowner", Has::Id),
    ("aws:sourcevpc", Has::Id),
    ("aws:sourcevpce", Has::Id),
    ("aws:vpcsourceip", Has::Address),
    ("elasticfilesystem:accessedviamounttarget", Has::Flag),
    ("kms:calleraccount", Has::Id),
    ("s3:dataaccesspointaccount", Has::Id),
    ("s3:dataaccesspointarn", Has::Arn),
];
/// Keys whose values everyone can have.
const OF_EVERYONE: [&str; 14] = [
    "aws:currenttime",
    "aws:epochtime",
    "aws:multifactorauthage",
    "aws:multifactorauthpresent",
    "aws:referer",
    "aws:requestedregion",
    "aws:securetransport",
    "aws:useragent",
    "kms:viaservice",
    "s3:delimiter",
    "s3:max-keys",
    "s3:prefix",
    "s3:tlsversion",
    "s3:x-amz-acl",
];
/// Tests that hold only for what they name.
const NAMING: [&str; 6] = [
    "ArnEquals",
    "ArnLike",
    "IpAddress",
    "StringEquals",
    "StringEqualsIgnoreCase",
    "StringLike",
];
const NOT_EVALUATED: &str =
    "Its policy lets everyone in under a condition, which is not evaluated.";

/// How keys end that say who has a token, and for whom it is.
const OF_TOKENS: [&str; 2] = [":aud", ":sub"];

/// Whether the values of a key decide who gets in. Those of others, such as `aws:Referer`, may be shared secrets.
pub fn decides(variable: &str) -> bool {
    let variable = variable.to_lowercase();
    WHO.iter().any(|(who, _)| *who == variable)
        || OF_TOKENS.iter().any(|end| variable.ends_with(end))
}

/// A condition of a statement.
#[derive(Debug)]
pub struct Condition {
    /// How it compares: `StringEquals`; empty if that is not known.
    pub test: String,
    /// What it compares; empty if that is not known.
    pub variable: String,
    pub values: Vec<Value>,
}

impl Condition {
    /// One whose variable is not known.
    fn without_variable(test: &str, value: &Value) -> Self {
        Self {
            test: test.to_owned(),
            variable: String::new(),
            values: vec![value.clone()],
        }
    }

    /// Those of a statement in JSON: tests with variables with values.
    pub fn of_json(statement: &Values) -> Vec<Self> {
        let mut found = Vec::new();
        match statement.get("Condition") {
            None | Some(Value::Null) => {}
            Some(Value::Map(tests)) => {
                for (test, variables) in tests {
                    let Value::Map(variables) = variables else {
                        found.push(Self::without_variable(test, variables));
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
            Some(other) => found.push(Self::without_variable("", other)),
        }
        found
    }

    /// Those of a statement of an `aws_iam_policy_document`.
    pub fn of_document(statement: &Values) -> Vec<Self> {
        let blocks = at(statement, "condition").into_iter();
        let blocks = blocks.map(|block| {
            let Value::Map(block) = block else {
                return Self::without_variable("", block);
            };
            Self {
                test: text_of(block, "test"),
                variable: text_of(block, "variable"),
                values: at(block, "values").into_iter().cloned().collect(),
            }
        });
        blocks.collect()
    }

    /// Whether it may be about who makes a request, or from where.
    pub fn may_be_about_who(&self) -> bool {
        self.variable.is_empty() || self.variable.contains(HOLES) || self.who().is_some()
    }

    fn who(&self) -> Option<Has> {
        let variable = self.variable.to_lowercase();
        let mut all = WHO.iter();
        all.find(|(who, _)| *who == variable).map(|(_, has)| *has)
    }

    /// Whether it lets in only those whom it names, of everyone.
    pub fn limits(&self) -> Answer {
        let variable = self.variable.to_lowercase();
        if OF_EVERYONE.contains(&variable.as_str()) {
            return Answer::No;
        }
        let Some(has) = self.who() else {
            return Answer::Unknown(NOT_EVALUATED.to_owned());
        };
        let test = self.test.trim_start_matches("ForAnyValue:");
        if has == Has::Flag {
            return match (test, self.values.as_slice()) {
                ("Bool", [value]) if value.as_text().as_deref() == Some("true") => Answer::Yes,
                _ => Answer::Unknown(NOT_EVALUATED.to_owned()),
            };
        }
        // Both hold for a request without such a key. One from the internet always has an address.
        let is_optional = test.ends_with("IfExists") || test.starts_with("ForAllValues:");
        if test.contains("Not") || test == "Null" || (is_optional && has != Has::Address) {
            // It holds for all others, or for those without such a key.
            return Answer::No;
        }
        if !NAMING.contains(&test) || self.values.is_empty() {
            return Answer::Unknown(NOT_EVALUATED.to_owned());
        }
        // One of the values is enough.
        let values = self.values.iter().map(|value| is_someone(has, value));
        values.fold(Answer::Yes, Answer::and)
    }
}

/// Whether a value of a condition names some and not everyone.
fn is_someone(has: Has, value: &Value) -> Answer {
    let path = "condition";
    match (has, value) {
        (Has::Address, value) => not(is_range_of_internet(path, value)),
        (_, value) if value.is_identifier() => Answer::Yes,
        (_, Value::Text(text)) => names(has, text).into(),
        // What is left out may be empty, or a wildcard.
        (_, Value::Partial { text, known }) => {
            if names(has, &shortest(known)) {
                Answer::Yes
            } else {
                unknown(path, text)
            }
        }
        (_, other) => unfit(path, other, "a text"),
    }
}

fn names(has: Has, text: &str) -> bool {
    match has {
        Has::Id => {
            // A path in an organization begins with the organization's id.
            let first = text.split('/').next().unwrap_or_default();
            // The prefix is the same for all, and `o-*` names everyone.
            let prefixes = ["o-", "vpc-", "vpce-"].iter();
            let id = prefixes.fold(first, |id, prefix| id.strip_prefix(prefix).unwrap_or(id));
            has_name(id)
        }
        // Anyone can give a resource of an own account any name, unless names are unique, as those of buckets are.
        Has::Arn => {
            let parts: Vec<_> = text.splitn(6, ':').collect();
            match parts.as_slice() {
                [_, _, _, _, "", resource] => starts_with_name(resource),
                [_, _, "s3", _, "*", resource] if !resource.contains(['/', ':']) => {
                    starts_with_name(resource)
                }
                [_, _, _, _, account, _] => has_name(account),
                // The whole ARN of a resource.
                _ => text.starts_with(NAMED),
            }
        }
        Has::Address => cidr::is_internet(text) == Some(false),
        Has::Flag => false,
    }
}

fn starts_with_name(resource: &str) -> bool {
    let first = resource.chars().next();
    first.is_some_and(|c| c.is_alphanumeric() || c == NAMED)
}

/// Whether a part of a name is more than wildcards and separators.
fn has_name(part: &str) -> bool {
    part.chars().any(|c| c.is_alphanumeric() || c == NAMED)
}

/// What is known of a text in a block.
fn text_of(block: &Values, name: &str) -> String {
    match block.get(name) {
        Some(Value::Text(text) | Value::Partial { known: text, .. }) => text.clone(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(test: &str, variable: &str, value: &str) -> Answer {
        let condition = Condition {
            test: test.to_owned(),
            variable: variable.to_owned(),
            values: vec![Value::Text(value.to_owned())],
        };
        match condition.limits() {
            Answer::Unknown(_) => Answer::Unknown(String::new()),
            answer => answer,
        }
    }

    #[test]
    fn a_condition_limits_only_if_it_names_who_or_from_where() {
        let unknown = Answer::Unknown(String::new());
        for (test, variable, value, expected) in [
            (
                "StringEquals",
                "aws:PrincipalOrgID",
                "o-a1b2c3",
                Answer::Yes,
            ),
            ("StringLike", "aws:PrincipalOrgID", "o-*", Answer::No),
            (
                "StringEquals",
                "AWS:SourceOwner",
                "123456789012",
                Answer::Yes,
            ),
            (
                "StringEqualsIfExists",
                "aws:SourceVpce",
                "vpce-1",
                Answer::No,
            ),
            ("StringNotEquals", "aws:SourceVpce", "vpce-1", Answer::No),
            (
                "ForAllValues:StringEquals",
                "aws:PrincipalOrgPaths",
                "o-a/*",
                Answer::No,
            ),
            (
                "ForAnyValue:StringLike",
                "aws:PrincipalOrgPaths",
                "o-a/*",
                Answer::Yes,
            ),
            ("ArnLike", "aws:SourceArn", "arn:aws:sns:*:*:*", Answer::No),
            (
                "ArnLike",
                "aws:SourceArn",
                "arn:aws:sns:*:*:alarms",
                Answer::No,
            ),
            (
                "ArnLike",
                "aws:SourceArn",
                "arn:aws:sns:*:123456789012:*",
                Answer::Yes,
            ),
            ("ArnLike", "aws:SourceArn", "arn:aws:s3:::shop", Answer::Yes),
            ("ArnLike", "aws:SourceArn", "arn:aws:s3:::*", Answer::No),
            (
                "ArnLike",
                "aws:SourceArn",
                "arn:aws:s3:*:*:shop",
                Answer::Yes,
            ),
            ("ArnLike", "aws:SourceArn", "arn:aws:s3:*:*:*", Answer::No),
            (
                "ArnLike",
                "aws:SourceArn",
                "arn:aws:s3:*:*:accesspoint/shop",
                Answer::No,
            ),
            ("StringLike", "aws:PrincipalArn", "*", Answer::No),
            ("IpAddress", "aws:SourceIp", "198.51.100.0/24", Answer::Yes),
            ("IpAddress", "aws:SourceIp", "0.0.0.0/0", Answer::No),
            ("Bool", "aws:SecureTransport", "true", Answer::No),
            (
                "StringLike",
                "aws:Referer",
                "https://shop.example/*",
                Answer::No,
            ),
            ("StringEquals", "sts:ExternalId", "1", unknown.clone()),
            ("NumericEquals", "aws:SourceAccount", "1", unknown),
        ] {
            assert_eq!(
                limits(test, variable, value),
                expected,
                "{test} {variable} {value}"
            );
        }
    }
}
