//! Resource policies of what only a private network reaches, and of what blocks public policies.

use crate::unclear::assert_outcome;

const OPEN: &str = "jsonencode({ Statement = [{ Effect = \"Allow\", Principal = \"*\", Action = \"*\", Resource = \"*\" }] })";

/// A resource with a policy, and what keeps everyone out of it.
struct Confined {
    kind: &'static str,
    /// The argument with the policy, and the type that has it apart with what that names.
    policy: &'static str,
    apart: &'static str,
    by: &'static str,
    name: &'static str,
    /// What keeps everyone out: nothing, for certain, and perhaps.
    none: &'static str,
    certain: &'static [&'static str],
    perhaps: &'static str,
}

const ALL: [Confined; 3] = [
    Confined {
        kind: "aws_opensearch_domain",
        policy: "access_policies",
        apart: "aws_opensearch_domain_policy",
        by: "domain_name",
        name: "domain_name",
        none: "",
        certain: &["vpc_options { subnet_ids = [\"subnet-1\"] }"],
        perhaps: "dynamic \"vpc_options\" {\n  for_each = var.x\n  content { subnet_ids = [\"subnet-1\"] }\n}",
    },
    Confined {
        kind: "aws_elasticsearch_domain",
        policy: "access_policies",
        apart: "aws_elasticsearch_domain_policy",
        by: "domain_name",
        name: "domain_name",
        none: "",
        certain: &["vpc_options { subnet_ids = [\"subnet-1\"] }"],
        perhaps: "dynamic \"vpc_options\" {\n  for_each = var.x\n  content { subnet_ids = [\"subnet-1\"] }\n}",
    },
    Confined {
        kind: "aws_s3_access_point",
        policy: "policy",
        apart: "aws_s3control_access_point_policy",
        by: "access_point_arn",
        name: "arn",
        none: "public_access_block_configuration {\n  block_public_policy = false\n  restrict_public_buckets = false\n}",
        certain: &[
            "",
            "public_access_block_configuration { block_public_policy = false }",
            "public_access_block_configuration { restrict_public_buckets = false }",
            "vpc_configuration { vpc_id = \"vpc-1\" }\npublic_access_block_configuration {\n  block_public_policy = false\n  restrict_public_buckets = false\n}",
        ],
        perhaps: "public_access_block_configuration {\n  block_public_policy = var.x\n  restrict_public_buckets = false\n}",
    },
];

#[test]
fn a_policy_that_lets_everyone_in_does_not_if_something_else_keeps_them_out() {
    for one in &ALL {
        let Confined {
            kind,
            policy,
            apart,
            by,
            name,
            ..
        } = one;
        let mut cases = vec![(one.none, "found"), (one.perhaps, "undecided")];
        cases.extend(one.certain.iter().map(|body| (*body, "clear")));
        for (body, expected) in cases {
            let own = format!(
                "variable \"x\" {{}}\nresource \"{kind}\" \"a\" {{\n{body}\n{policy} = {OPEN}\n}}\n"
            );
            assert_outcome(&own, ("public-policy", &format!("{kind}.a")), expected);
            let of = format!(
                "variable \"x\" {{}}\nresource \"{kind}\" \"a\" {{\n{body}\n}}\nresource \"{apart}\" \"p\" {{\n  {by} = {kind}.a.{name}\n  {policy} = {OPEN}\n}}\n"
            );
            assert_outcome(&of, ("public-policy", &format!("{apart}.p")), expected);
        }
        let elsewhere =
            format!("resource \"{apart}\" \"p\" {{\n  {by} = \"x\"\n  {policy} = {OPEN}\n}}\n");
        assert_outcome(
            &elsewhere,
            ("public-policy", &format!("{apart}.p")),
            "found",
        );
    }
}
