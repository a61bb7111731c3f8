//! Buckets, queues and topics that anyone may use, by an ACL or a policy, unless public access is blocked.

use std::collections::BTreeMap;

use super::documents::policy;
use super::look::{Answer, at, each_way, look, not, unfit};
use super::named::{BUCKET, Names, QUEUE, Subject, TOPIC};
use super::protects::{Of, doubt, may_be_missing, together};
use super::refused::{self, ACCOUNT_BLOCK, BLOCK, REFUSES_ACLS, REFUSES_POLICIES};
use super::table::Test;
use crate::finding::Severity;
use crate::graph::{Built, Values};
use crate::value::Value;

/// ACLs that let everyone in.
const PUBLIC: [&str; 4] = [
    "authenticated-read",
    "public-read",
    "public-read-write",
    "website",
];
/// Groups of everyone, as a grant names them: by how their URIs end. Anyone can have an account.
const EVERYONE: [&str; 2] = ["/global/AllUsers", "/global/AuthenticatedUsers"];
/// Where grants name groups.
const GRANTS: [&str; 2] = ["access_control_policy.grant.grantee.uri", "grant.uri"];

/// A type of resource that has a policy.
struct Shared {
    kind: &'static str,
    subject: Subject,
    /// Types about it, each with the argument that names it.
    about: &'static [(&'static str, &'static str)],
    rule: &'static str,
}

const SHARED: [Shared; 3] = [
    Shared {
        kind: "aws_s3_bucket",
        subject: BUCKET,
        about: &[
            ("aws_s3_bucket_acl", "bucket"),
            ("aws_s3_bucket_policy", "bucket"),
            (BLOCK, "bucket"),
            (OWNERSHIP, "bucket"),
        ],
        rule: "public-bucket",
    },
    Shared {
        kind: "aws_sqs_queue",
        subject: QUEUE,
        about: &[("aws_sqs_queue_policy", "queue_url")],
        rule: "public-queue",
    },
    Shared {
        kind: "aws_sns_topic",
        subject: TOPIC,
        about: &[("aws_sns_topic_policy", "arn")],
        rule: "public-queue",
    },
];
/// It may turn off ACLs.
const OWNERSHIP: &str = "aws_s3_bucket_ownership_controls";

/// What is known of the access to one resource.
#[derive(Clone, Debug)]
struct Access {
    acl: Answer,
    acl_blocked: Answer,
    policy: Answer,
    policy_blocked: Answer,
}

/// What an instance decides about the nodes that one of its arguments names.
struct Decision<'a> {
    id: &'a str,
    values: &'a Values,
    path: &'static str,
    access: Access,
}

/// What is about resources that are not known.
#[derive(Debug, Default)]
struct Stray {
    /// About any of them.
    all: Access,
    /// About one whose name is known, and which none of them has that has a known name.
    other_names: Access,
}

/// Looks at everything that is about a bucket, a queue or a topic, then at these.
pub fn classify(built: &mut Built, names: &Names, resources: &[(String, String)]) {
    for shared in SHARED {
        let of_kind = resources.iter().filter(|(_, kind)| kind == shared.kind);
        let mut found: BTreeMap<String, Access> = of_kind
            .map(|(id, _)| (id.clone(), Access::default()))
            .collect();
        let mut strays: BTreeMap<String, Stray> = BTreeMap::new();
        let mut accounts = Vec::new();
        for (id, kind) in resources {
            let about = shared.about.iter().find(|(about, _)| about == kind);
            if about.is_none() && kind != shared.kind && kind != ACCOUNT_BLOCK {
                continue;
            }
            let is_block = [BLOCK, OWNERSHIP, ACCOUNT_BLOCK].contains(&kind.as_str());
            let every = is_block.then(|| Access::of_every(built, kind, id));
            if let (ACCOUNT_BLOCK, Some(every)) = (kind.as_str(), &every) {
                accounts.push((id, every.clone()));
                continue;
            }
            for values in built.instances(id).iter() {
                let access = match &every {
                    Some(every) => every.clone(),
                    None => Access::of(built, kind, values).unless_refused(built, id),
                };
                match about {
                    None if kind == shared.kind => shared.add(&mut found, id, access),
                    None => {}
                    Some((_, path)) => {
                        let decision = Decision {
                            id,
                            values,
                            path,
                            access,
                        };
                        let root = built.place_of(id).0.to_owned();
                        let stray = strays.entry(root).or_default();
                        shared.apply(built, names, &mut found, stray, decision);
                    }
                }
            }
        }
        for (id, mut access) in found {
            // One of another root module has other values.
            let stray = strays.entry(built.place_of(&id).0.to_owned()).or_default();
            access.add(stray.all.clone());
            // A block of an account counts for each bucket that is certainly in it.
            for (by, of_account) in &accounts {
                let of_account = of_account.clone();
                access.add(match doubt(built, by, &id, Of::Account) {
                    Some(reason) => of_account.of_some(&reason),
                    None => of_account,
                });
            }
            if !shared.has_literal_name(built, &id) {
                access.add(stray.other_names.clone());
            }
            shared.conclude(built, &id, access);
        }
    }
}

impl Shared {
    /// Whether what names it elsewhere is a literal of its own: then it is not named by another literal.
    fn has_literal_name(&self, built: &Built, id: &str) -> bool {
        let instances = built.instances(id);
        let Some((_, path)) = self.about.first() else {
            return instances.is_empty();
        };
        let mut instances = instances.iter();
        instances.all(|values| matches!(values.get(*path), Some(Value::Text(_))))
    }

    fn add(&self, found: &mut BTreeMap<String, Access>, id: &str, access: Access) {
        if let Some(there) = found.get_mut(id) {
            there.add(access);
        }
    }

    /// Adds what a resource decides about others, as far as it is known which.
    fn apply(
        &self,
        built: &mut Built,
        names: &Names,
        found: &mut BTreeMap<String, Access>,
        stray: &mut Stray,
        decision: Decision<'_>,
    ) {
        let Decision {
            id,
            values,
            path,
            access,
        } = decision;
        let named = names.at(built, id, values, path, self.subject);
        for target in &named.nodes {
            // A literal name makes no edge by itself.
            let edge = (id.to_owned(), target.clone(), "reference");
            built.edges.insert(edge);
            let reason = format!("Which instance `{id}` is about is not known.");
            let access = match may_be_missing(built, id, target) {
                _ if named.is_any => access.clone().of_any(&reason),
                Some(reason) => access.clone().of_any(&reason),
                None if instance_count(built, id) == instance_count(built, target) => {
                    access.clone()
                }
                // It is about some of the instances, and not known which.
                None => access.clone().of_some(&format!(
                    "`{id}` blocks public access to some of its instances."
                )),
            };
            self.add(found, target, access);
        }
        let other = match named.other {
            _ if named.is_absent => return,
            None if named.nodes.is_empty() => "is left out".to_owned(),
            None => return,
            Some(other) => other,
        };
        let is_literal = at(values, path)
            .iter()
            .all(|value| matches!(value, Value::Text(_)));
        let reason = format!("What `{id}` is about is not known: `{path}` {other}.");
        // What can only block access opens nothing, wherever it belongs: a note is enough.
        if access.acl != Answer::No || access.policy != Answer::No {
            built.undecided_by(self.rule, id, reason.clone());
        } else {
            built.note(id, reason.clone());
        }
        let access = access.of_any(&reason);
        if is_literal {
            stray.other_names.add(access)
        } else {
            stray.all.add(access)
        }
    }

    fn conclude(&self, built: &mut Built, id: &str, access: Access) {
        // AWS applies the most restrictive of them: what is blocked is closed, whatever opens it.
        let acl = access.acl.and(not(access.acl_blocked));
        let policy = access.policy.and(not(access.policy_blocked));
        for (answer, what) in [(acl, "ACL"), (policy, "policy")] {
            match answer {
                Answer::Yes => {
                    built.expose(id);
                    let message = format!("Its {what} lets everyone on the internet in.");
                    built.find(Severity::High, self.rule, id, message);
                }
                Answer::No => built.looked(self.rule, id),
                Answer::Unknown(reason) => built.undecided_by(self.rule, id, reason),
            }
        }
    }
}

fn grants(values: &Values, path: &str) -> Answer {
    let mut answer = Answer::No;
    for value in at(values, path) {
        answer = answer.or(match value {
            Value::Text(uri) => EVERYONE.iter().any(|group| uri.ends_with(group)).into(),
            other => unfit(path, other, "a text"),
        });
    }
    answer
}

/// Whether access is blocked by what is ignored, or by what is refused, which stays public if it is older than the block.
fn blocked_by(values: &Values, ignores: &'static str, refuses: &'static str) -> Answer {
    let refused = match look(values, Test::Is(refuses, true, Some(false))) {
        Answer::Yes => Answer::Unknown(format!(
            "`{refuses}` refuses only what is put later, and no dependency orders the two. Set `{ignores}`, too."
        )),
        answer => answer,
    };
    look(values, Test::Is(ignores, true, Some(false))).or(refused)
}

impl Default for Access {
    fn default() -> Self {
        Self {
            acl: Answer::No,
            acl_blocked: Answer::No,
            policy: Answer::No,
            policy_blocked: Answer::No,
        }
    }
}

impl Access {
    /// What a resource's own arguments tell.
    fn of(built: &Built, kind: &str, values: &Values) -> Self {
        let mut access = Self::default();
        if kind == BLOCK || kind == ACCOUNT_BLOCK {
            access.acl_blocked = blocked_by(values, "ignore_public_acls", REFUSES_ACLS);
            access.policy_blocked = blocked_by(values, "restrict_public_buckets", REFUSES_POLICIES);
            return access;
        }
        if kind == OWNERSHIP {
            let test = Test::Equals("rule.object_ownership", "BucketOwnerEnforced");
            access.acl_blocked = look(values, test);
            return access;
        }
        access.acl = look(values, Test::OneOf("acl", &PUBLIC, false));
        for path in GRANTS {
            let is_public = each_way(values, path, &|values| grants(values, path));
            access.acl = access.acl.or(is_public);
        }
        access.policy = each_way(values, "policy", &|values| match values.get("policy") {
            None => Answer::No,
            Some(value) => policy(built, value),
        });
        access
    }

    /// What all instances of a block of public access decide, because it is not known which of them counts.
    fn of_every(built: &Built, kind: &str, id: &str) -> Self {
        Access {
            acl_blocked: together(built, id, |values| {
                Access::of(built, kind, values).acl_blocked
            }),
            policy_blocked: together(built, id, |values| {
                Access::of(built, kind, values).policy_blocked
            }),
            ..Access::default()
        }
    }

    /// Without what AWS refuses, because a block of public access is there before.
    fn unless_refused(mut self, built: &Built, id: &str) -> Self {
        for (answer, refuses) in [
            (&mut self.acl, REFUSES_ACLS),
            (&mut self.policy, REFUSES_POLICIES),
        ] {
            if *answer != Answer::No && refused::is_refused(built, id, refuses) {
                *answer = Answer::No;
            }
        }
        self
    }

    fn add(&mut self, other: Self) {
        let before = std::mem::take(self);
        *self = Self {
            acl: before.acl.or(other.acl),
            acl_blocked: before.acl_blocked.or(other.acl_blocked),
            policy: before.policy.or(other.policy),
            policy_blocked: before.policy_blocked.or(other.policy_blocked),
        };
    }

    /// The same where it is not known whether access is blocked.
    fn of_some(mut self, reason: &str) -> Self {
        for answer in [&mut self.acl_blocked, &mut self.policy_blocked] {
            if *answer != Answer::No {
                *answer = Answer::Unknown(reason.to_owned());
            }
        }
        self
    }

    /// The same where nothing of it is known to apply.
    fn of_any(self, reason: &str) -> Self {
        let mut any = self.of_some(reason);
        for answer in [&mut any.acl, &mut any.policy] {
            if *answer != Answer::No {
                *answer = Answer::Unknown(reason.to_owned());
            }
        }
        any
    }
}

/// How many instances a node stands for, if that is known.
fn instance_count(built: &Built, id: &str) -> Option<usize> {
    built.nodes.get(id)?.instances
}
