//! Public ACLs and policies that AWS refuses, because public access to their bucket is blocked before they are put.
//! Source: "Blocking public access to your Amazon S3 storage", the documentation of AWS.

use super::look::{Answer, at, look};
use super::protects::{Of, doubt, may_be_missing, together};
use super::table::Test;
use crate::graph::Built;
use crate::value::Value;

/// It blocks public access to a bucket.
pub const BLOCK: &str = "aws_s3_bucket_public_access_block";
/// It blocks access to every bucket of the account.
pub const ACCOUNT_BLOCK: &str = "aws_s3_account_public_access_block";
/// The flags with which a block refuses what is public.
pub const REFUSES_ACLS: &str = "block_public_acls";
pub const REFUSES_POLICIES: &str = "block_public_policy";

/// Whether an ACL or a policy depends on a block of its own bucket, or of the account, that refuses it.
pub fn is_refused(built: &Built, id: &str, refuses: &'static str) -> bool {
    let start = (id.to_owned(), String::new(), "");
    let edges = built
        .edges
        .range(start..)
        .take_while(|(from, ..)| from == id);
    let mut needed = edges.map(|(_, to, _)| to.as_str());
    needed.any(|to| {
        let kind = built.nodes.get(to).map(|node| node.type_name.as_str());
        let is_there = match kind {
            Some(BLOCK) => {
                is_of_same_bucket(built, id, to) && may_be_missing(built, to, id).is_none()
            }
            Some(ACCOUNT_BLOCK) => doubt(built, to, id, Of::Account).is_none(),
            _ => false,
        };
        let refuses = Test::Is(refuses, true, Some(false));
        is_there && together(built, to, |values| look(values, refuses)) == Answer::Yes
    })
}

/// Whether both name the same bucket, or one names it by the other.
fn is_of_same_bucket(built: &Built, id: &str, block: &str) -> bool {
    let own = buckets(built, id);
    let blocked = buckets(built, block);
    if own.is_empty() {
        return false;
    }
    own.iter().all(|bucket| match bucket {
        Value::Text(text) => text == block || blocked.contains(bucket),
        _ => false,
    })
}

/// The buckets that the instances of a node name.
fn buckets(built: &Built, id: &str) -> Vec<Value> {
    let instances = built.instances(id);
    let all = instances.iter().flat_map(|values| at(values, "bucket"));
    let all = all.map(|value| match value {
        // Any of the attributes of the bucket.
        Value::Of { node, .. } => Value::Text(node.clone()),
        other => other.clone(),
    });
    all.collect()
}
