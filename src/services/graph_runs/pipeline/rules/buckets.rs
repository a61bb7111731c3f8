//! Buckets that anyone may read or write, by an ACL or a policy, unless public access is blocked.

use std::collections::BTreeMap;

use super::finding::Severity;
use super::look::{Answer, at, look, named, unknown};
use super::table::Test;
use crate::services::graph_runs::pipeline::graph::{Built, Values};
use crate::services::graph_runs::pipeline::value::Value;

/// ACLs that let everyone in.
const PUBLIC: [&str; 3] = ["public-read", "public-read-write", "website"];

/// What is known of one bucket.
#[derive(Clone, Debug)]
struct Bucket {
    acl: Answer,
    acl_blocked: Answer,
    policy: Answer,
    policy_blocked: Answer,
}

/// Looks at everything that is about a bucket, then at the bucket.
pub fn classify(built: &mut Built, resources: &[(String, String)]) {
    let mut buckets: BTreeMap<String, Bucket> = BTreeMap::new();
    for (id, type_name) in resources {
        let about = match type_name.as_str() {
            "aws_s3_bucket" => None,
            "aws_s3_bucket_acl" | "aws_s3_bucket_policy" | "aws_s3_bucket_public_access_block" => {
                Some("bucket")
            }
            _ => continue,
        };
        for values in built.instances(id).iter() {
            let targets = match about {
                None => vec![id.clone()],
                Some(path) => {
                    let (targets, others) = named(values, path);
                    if let Some(text) = others {
                        built.note(id, format!("Its bucket is not known: it is `{text}`."));
                    }
                    targets
                }
            };
            for target in targets {
                let policy = policy(built, values);
                let bucket = buckets.entry(target).or_insert(Bucket {
                    acl: Answer::No,
                    acl_blocked: Answer::No,
                    policy: Answer::No,
                    policy_blocked: Answer::No,
                });
                bucket.add(type_name, values, policy);
            }
        }
    }
    for (id, bucket) in buckets {
        let acl = bucket.acl.and(not(bucket.acl_blocked));
        let policy = bucket.policy.and(not(bucket.policy_blocked));
        for (answer, what) in [(acl, "ACL"), (policy, "policy")] {
            match answer {
                Answer::Yes => {
                    built.expose(&id);
                    let message = format!("Its {what} lets everyone on the internet in.");
                    built.find(Severity::High, "public-bucket", &id, message);
                }
                Answer::No => {}
                Answer::Unknown(reason) => built.undecided(&id, reason),
            }
        }
    }
}

impl Bucket {
    fn add(&mut self, type_name: &str, values: &Values, policy: Answer) {
        let or = |before: &Answer, other: Answer| before.clone().or(other);
        if type_name == "aws_s3_bucket_public_access_block" {
            let is_on = |name| look(values, Test::Is(name, true, Some(false)));
            let acls = is_on("block_public_acls").or(is_on("ignore_public_acls"));
            let policies = is_on("block_public_policy").or(is_on("restrict_public_buckets"));
            self.acl_blocked = or(&self.acl_blocked, acls);
            self.policy_blocked = or(&self.policy_blocked, policies);
            return;
        }
        for value in at(values, "acl") {
            let is_public = match value {
                Value::Text(text) => PUBLIC.contains(&text.as_str()).into(),
                other => unknown("acl", other.unknown().unwrap_or("not a text")),
            };
            self.acl = or(&self.acl, is_public);
        }
        self.policy = or(&self.policy, policy);
    }
}

fn not(answer: Answer) -> Answer {
    match answer {
        Answer::Yes => Answer::No,
        Answer::No => Answer::Yes,
        unknown => unknown,
    }
}

/// Whether a policy lets everyone in.
fn policy(built: &Built, values: &Values) -> Answer {
    let statements = match values.get("policy") {
        None | Some(Value::Null) => return Answer::No,
        Some(Value::Text(text)) => match serde_json::from_str(text) {
            Ok::<serde_json::Value, _>(policy) => Value::from(policy),
            Err(_) => return unknown("policy", "not JSON"),
        },
        Some(Value::Of { node, text }) => match built.instances(node).first() {
            Some(document) if node.contains("aws_iam_policy_document.") => {
                return documented(document);
            }
            _ => return unknown("policy", text),
        },
        Some(Value::Map(policy)) => Value::Map(policy.clone()),
        Some(other) => return unknown("policy", other.unknown().unwrap_or("not a policy")),
    };
    let Value::Map(policy) = &statements else {
        return unknown("policy", "not a policy");
    };
    let statements = match policy.get("Statement") {
        Some(Value::List(list)) => list.iter().collect(),
        Some(one) => vec![one],
        None => Vec::new(),
    };
    let lets_in = statements.into_iter().map(|statement| match statement {
        Value::Map(statement) => {
            let allows = look(statement, Test::Equals("Effect", "Allow"));
            let everyone = match statement.get("Principal") {
                Some(Value::Map(_)) => look(statement, Test::Equals("Principal.AWS", "*")),
                Some(_) => look(statement, Test::Equals("Principal", "*")),
                None => Answer::No,
            };
            conditional(allows.and(everyone), statement.contains_key("Condition"))
        }
        other => unknown("policy", other.unknown().unwrap_or("not a statement")),
    });
    lets_in.fold(Answer::No, Answer::or)
}

/// Whether an `aws_iam_policy_document` lets everyone in.
fn documented(document: &Values) -> Answer {
    let statements = match document.get("statement") {
        Some(Value::List(list)) => list.as_slice(),
        _ => &[],
    };
    let lets_in = statements.iter().map(|statement| match statement {
        Value::Map(statement) => {
            let allows = look(statement, Test::IsNot("effect", "Deny"));
            let everyone = look(statement, Test::Equals("principals.identifiers", "*"));
            conditional(allows.and(everyone), statement.contains_key("condition"))
        }
        other => unknown("policy", other.unknown().unwrap_or("not a statement")),
    });
    lets_in.fold(Answer::No, Answer::or)
}

fn conditional(answer: Answer, has_condition: bool) -> Answer {
    match (answer, has_condition) {
        (Answer::Yes, true) => Answer::Unknown(
            "Its policy lets everyone in under a condition, which is not evaluated.".to_owned(),
        ),
        (answer, _) => answer,
    }
}
