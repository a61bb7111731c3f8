//! Buckets that anyone may read or write.

use std::collections::BTreeSet;

use crate::graph_runs::pipeline::build::Built;

use super::values::{Values, flag, pointed, text};
use super::{AllInstances, Severity};

const BUCKET: &str = "aws_s3_bucket";

/// Looks at the blocks on public access first, then at what would give it.
pub fn look(built: &mut Built, instances: &AllInstances, resources: &[(String, String)]) {
    let of_type = |type_name: &'static str| {
        resources
            .iter()
            .filter(move |resource| resource.1 == type_name)
            .flat_map(|(id, _)| {
                let values = instances.get(id).map_or(&[][..], |found| &found.values);
                values.iter().map(move |values| (id.as_str(), values))
            })
            .collect::<Vec<_>>()
    };
    let (blocks, acls) = (
        of_type("aws_s3_bucket_public_access_block"),
        of_type("aws_s3_bucket_acl"),
    );
    let (policies, buckets) = (of_type("aws_s3_bucket_policy"), of_type(BUCKET));
    let mut blocked = BTreeSet::new();
    for (id, values) in blocks {
        let names = ["block_public_acls", "ignore_public_acls"];
        let on = names.map(|name| flag(built, id, values, (name, Some(false))) == Some(true));
        if let Some(bucket) = pointed_bucket(built, id, values)
            && on.contains(&true)
        {
            blocked.insert(bucket);
        }
    }
    for (id, values) in buckets {
        if text(built, id, values, "acl").is_some_and(is_public) && !blocked.contains(id) {
            open(built, id);
        }
    }
    for (id, values) in acls {
        if text(built, id, values, "acl").is_some_and(is_public)
            && let Some(bucket) = pointed_bucket(built, id, values)
            && !blocked.contains(&bucket)
        {
            open(built, &bucket);
        }
    }
    for (id, values) in policies {
        let about = pointed_bucket(built, id, values).unwrap_or_else(|| id.to_owned());
        let message = "Whom its bucket policy lets in is not evaluated.".to_owned();
        built.note(&about, message);
    }
}

fn is_public(acl: &str) -> bool {
    matches!(acl, "public-read" | "public-read-write" | "website")
}

/// The bucket that a resource is about; a note where that is not known.
fn pointed_bucket(built: &mut Built, id: &str, values: &Values) -> Option<String> {
    let found = pointed(values, "bucket", BUCKET).filter(|to| built.nodes.contains_key(to));
    if found.is_none() {
        built.note(id, "Which bucket it is about is not known.".to_owned());
    }
    found
}

fn open(built: &mut Built, bucket: &str) {
    built.expose(bucket);
    let message = "Its ACL lets everyone on the internet in.".to_owned();
    built.find(Severity::High, "public-bucket", bucket, message);
}
