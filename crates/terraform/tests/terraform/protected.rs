//! What protects a resource counts only if it is certainly there, and certainly about it.

use serde_json::Value;

use crate::analyze::analyze;

/// What a rule answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    Found,
    Undecided,
    Clear,
}
use Says::{Clear, Found, Undecided};

/// What a rule says of a node of some files.
fn says(files: &[(&str, &str)], rule: &str, node: &str) -> Says {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let options = ["--root", ".", "--format", "json", "--fail-on", "never"];
    let (code, text) = analyze(folder.path(), &options);
    assert_eq!(code, Some(0), "{text}");
    let report: Value = serde_json::from_str(&text).unwrap();
    let has = |list: &str| {
        let list = report[list].as_array().unwrap();
        list.iter()
            .any(|one| one["rule"] == rule && one["node"] == node)
    };
    match (has("findings"), has("unresolved") || has("notes")) {
        (true, _) => Found,
        (false, true) => Undecided,
        (false, false) => Clear,
    }
}

const BLOCKED: &str = "ignore_public_acls = true";

#[test]
fn what_is_in_a_module_that_may_be_missing_protects_nothing_for_certain() {
    let bucket = "resource \"aws_s3_bucket\" \"a\" { acl = \"public-read\" }\n";
    let volume = "resource \"aws_ebs_volume\" \"a\" {}\n";
    let of_bucket = format!(
        "variable \"bucket\" {{}}\nresource \"aws_s3_bucket_public_access_block\" \"a\" {{\n  bucket = var.bucket\n  {BLOCKED}\n}}\n"
    );
    let of_account =
        format!("resource \"aws_s3_account_public_access_block\" \"a\" {{\n  {BLOCKED}\n}}\n");
    let of_volumes = "resource \"aws_ebs_encryption_by_default\" \"a\" {}\n".to_owned();
    for (own, inner, rule, node) in [
        (bucket, &of_bucket, "public-bucket", "aws_s3_bucket.a"),
        (bucket, &of_account, "public-bucket", "aws_s3_bucket.a"),
        (
            volume,
            &of_volumes,
            "unencrypted-datastore",
            "aws_ebs_volume.a",
        ),
    ] {
        let gives = if inner == &of_bucket {
            "bucket = aws_s3_bucket.a.id"
        } else {
            ""
        };
        let outer = if inner == &of_bucket {
            "variable \"bucket\" {}\nmodule \"i\" {\n  source = \"../i\"\n  bucket = var.bucket\n}\n"
        } else {
            "module \"i\" { source = \"../i\" }\n"
        };
        for (count, expected) in [
            ("", Clear),
            ("count = 1", Clear),
            ("count = var.n", Undecided),
            ("for_each = var.n", Undecided),
        ] {
            let main = format!(
                "variable \"n\" {{}}\n{own}module \"o\" {{\n  source = \"./o\"\n  {count}\n  {gives}\n}}\n"
            );
            let files = [
                ("main.tf", main.as_str()),
                ("o/o.tf", outer),
                ("i/i.tf", inner.as_str()),
            ];
            assert_eq!(says(&files, rule, node), expected, "{count}: {inner}");
        }
    }
    // What is in the same module is there as often as the block.
    let inner = format!(
        "{bucket}{}",
        of_bucket.replace("var.bucket", "aws_s3_bucket.a.id")
    );
    let main = "variable \"n\" {}\nmodule \"i\" {\n  source = \"./i\"\n  count = var.n\n  bucket = \"b\"\n}\n";
    let files = [("main.tf", main), ("i/i.tf", inner.as_str())];
    assert_eq!(
        says(&files, "public-bucket", "module.i.aws_s3_bucket.a"),
        Clear
    );
}

#[test]
fn a_number_of_instances_that_is_not_known_is_only_the_same_by_the_same_expression() {
    for (of_block, expected) in [("var.n", Clear), ("var.m", Undecided)] {
        let main = format!(
            "variable \"n\" {{}}\nvariable \"m\" {{}}\nresource \"aws_s3_bucket\" \"a\" {{\n  count = var.n\n  acl = \"public-read\"\n}}\nresource \"aws_s3_bucket_public_access_block\" \"a\" {{\n  count = {of_block}\n  bucket = aws_s3_bucket.a[count.index].id\n  {BLOCKED}\n}}\n"
        );
        let files = [("main.tf", main.as_str())];
        assert_eq!(
            says(&files, "public-bucket", "aws_s3_bucket.a"),
            expected,
            "{of_block}"
        );
    }
    for (count, expected) in [("count = var.n", Undecided), ("", Clear)] {
        let main = format!(
            "variable \"n\" {{}}\nresource \"aws_ebs_volume\" \"a\" {{}}\nresource \"aws_ebs_encryption_by_default\" \"a\" {{\n  {count}\n}}\n"
        );
        let files = [("main.tf", main.as_str())];
        assert_eq!(
            says(&files, "unencrypted-datastore", "aws_ebs_volume.a"),
            expected
        );
    }
}

#[test]
fn what_is_of_another_account_or_region_protects_nothing_for_certain() {
    let providers = "provider \"aws\" { region = \"eu-west-1\" }\nprovider \"aws\" {\n  alias = \"same\"\n  region = \"eu-west-1\"\n}\nprovider \"aws\" {\n  alias = \"other\"\n  region = \"us-east-1\"\n}\ndata \"aws_caller_identity\" \"own\" {}\n";
    let volume = "resource \"aws_ebs_volume\" \"a\" {}\n";
    let bucket = "resource \"aws_s3_bucket\" \"a\" { acl = \"public-read\" }\n";
    let own = "account_id = data.aws_caller_identity.own.account_id";
    for (argument, of_volume, of_bucket) in [
        ("", Clear, Clear),
        ("provider = aws.same", Clear, Clear),
        ("provider = aws.other", Undecided, Undecided),
        ("region = \"us-east-1\"", Undecided, Clear),
        ("account_id = \"111122223333\"", Undecided, Undecided),
        (own, Clear, Clear),
    ] {
        for (kind, flag, protected, rule, node, expected) in [
            (
                "aws_ebs_encryption_by_default",
                "enabled = true",
                volume,
                "unencrypted-datastore",
                "aws_ebs_volume.a",
                of_volume,
            ),
            (
                "aws_s3_account_public_access_block",
                BLOCKED,
                bucket,
                "public-bucket",
                "aws_s3_bucket.a",
                of_bucket,
            ),
        ] {
            let guard = format!("resource \"{kind}\" \"a\" {{\n  {flag}\n  {argument}\n}}\n");
            let main = format!("{providers}{protected}{guard}");
            let files = [("main.tf", main.as_str())];
            assert_eq!(says(&files, rule, node), expected, "{argument}: {kind}");
        }
    }
    for (given, expected) in [
        ("", Clear),
        ("providers = { aws = aws.same }", Clear),
        ("providers = { aws = aws.other }", Undecided),
    ] {
        let main =
            format!("{providers}{volume}module \"m\" {{\n  source = \"./m\"\n  {given}\n}}\n");
        let files = [
            ("main.tf", main.as_str()),
            (
                "m/m.tf",
                "resource \"aws_ebs_encryption_by_default\" \"a\" {}\n",
            ),
        ];
        assert_eq!(
            says(&files, "unencrypted-datastore", "aws_ebs_volume.a"),
            expected,
            "{given}"
        );
    }
}

#[test]
fn a_role_that_a_provider_of_identities_vouches_for_names_who_may_assume_it() {
    let github = "arn:aws:iam::1:oidc-provider/token.actions.githubusercontent.com";
    let sub = |test: &str, value: &str| {
        format!("{{ \"{test}\": {{ \"token.actions.githubusercontent.com:sub\": \"{value}\" }} }}")
    };
    let aud =
        |of: &str, value: &str| format!("{{ \"StringEquals\": {{ \"{of}:aud\": \"{value}\" }} }}");
    let cognito = "cognito-identity.amazonaws.com";
    let saml = "arn:aws:iam::1:saml-provider/own";
    for (provider, condition, expected) in [
        ("*", String::new(), Found),
        (cognito, String::new(), Found),
        (github, String::new(), Found),
        (github, sub("StringLike", "*"), Found),
        (github, sub("StringLike", "repo:*"), Found),
        (github, sub("StringLike", "repo:*/shop:*"), Found),
        (github, sub("StringLike", "repo:acme/shop:*"), Clear),
        (
            github,
            sub("StringEquals", "repo:acme/shop:ref:refs/heads/main"),
            Clear,
        ),
        (github, sub("StringNotEquals", "repo:acme/shop"), Undecided),
        (
            github,
            sub("StringLikeIfExists", "repo:acme/shop:*"),
            Undecided,
        ),
        (
            github,
            aud("token.actions.githubusercontent.com", "sts.amazonaws.com"),
            Found,
        ),
        (cognito, aud(cognito, "eu-west-1:pool"), Clear),
        (cognito, aud(cognito, "*"), Found),
        (
            saml,
            aud("SAML", "https://signin.aws.amazon.com/saml"),
            Clear,
        ),
        (saml, String::new(), Undecided),
    ] {
        let condition = if condition.is_empty() {
            condition
        } else {
            format!(", \"Condition\": {condition}")
        };
        let main = format!(
            "resource \"aws_iam_role\" \"a\" {{\n  assume_role_policy = <<-EOT\n    {{ \"Statement\": [{{ \"Effect\": \"Allow\", \"Principal\": {{ \"Federated\": \"{provider}\" }}{condition} }}] }}\n  EOT\n}}\n"
        );
        let files = [("main.tf", main.as_str())];
        assert_eq!(
            says(&files, "iam-open-trust", "aws_iam_role.a"),
            expected,
            "{main}"
        );
    }
    for (condition, expected) in [
        ("", Found),
        (
            "condition {\n test = \"StringEquals\"\n variable = \"token.actions.githubusercontent.com:sub\"\n values = [\"repo:acme/shop\"]\n}",
            Clear,
        ),
        (
            "condition {\n test = \"StringEquals\"\n variable = \"token.actions.githubusercontent.com:sub\"\n values = [var.sub]\n}",
            Undecided,
        ),
    ] {
        let main = format!(
            "variable \"sub\" {{}}\nresource \"aws_iam_openid_connect_provider\" \"a\" {{}}\ndata \"aws_iam_policy_document\" \"a\" {{\n  statement {{\n    principals {{\n      type = \"Federated\"\n      identifiers = [aws_iam_openid_connect_provider.a.arn]\n    }}\n    {condition}\n  }}\n}}\nresource \"aws_iam_role\" \"a\" {{ assume_role_policy = data.aws_iam_policy_document.a.json }}\n"
        );
        let files = [("main.tf", main.as_str())];
        assert_eq!(
            says(&files, "iam-open-trust", "aws_iam_role.a"),
            expected,
            "{main}"
        );
    }
}

#[test]
fn an_acl_or_a_container_that_counts_for_nothing_is_not_public() {
    for (ownership, expected) in [
        ("BucketOwnerEnforced", Clear),
        ("BucketOwnerPreferred", Found),
    ] {
        let main = format!(
            "resource \"aws_s3_bucket\" \"a\" {{ acl = \"public-read\" }}\nresource \"aws_s3_bucket_ownership_controls\" \"a\" {{\n  bucket = aws_s3_bucket.a.id\n  rule {{ object_ownership = \"{ownership}\" }}\n}}\n"
        );
        let files = [("main.tf", main.as_str())];
        assert_eq!(
            says(&files, "public-bucket", "aws_s3_bucket.a"),
            expected,
            "{ownership}"
        );
    }
    for (flag, expected) in [
        ("", Undecided),
        ("allow_nested_items_to_be_public = true", Found),
        ("public_network_access_enabled = false", Clear),
        ("allow_nested_items_to_be_public = false", Clear),
        ("public_network_access_enabled = var.n", Undecided),
    ] {
        let main = format!(
            "variable \"n\" {{}}\nresource \"azurerm_storage_account\" \"a\" {{\n  {flag}\n}}\nresource \"azurerm_storage_container\" \"a\" {{\n  storage_account_id = azurerm_storage_account.a.id\n  container_access_type = \"blob\"\n}}\n"
        );
        let files = [("main.tf", main.as_str())];
        assert_eq!(
            says(&files, "public-bucket", "azurerm_storage_container.a"),
            expected,
            "{flag}"
        );
    }
}

#[test]
fn what_a_plan_defers_is_undecided_by_every_rule_that_looks_at_it() {
    for (kind, rule) in [
        ("aws_ebs_volume", "unencrypted-datastore"),
        ("aws_iam_role", "iam-open-trust"),
        ("aws_kms_key", "public-policy"),
        ("aws_s3_bucket", "public-bucket"),
        ("aws_sqs_queue", "public-queue"),
    ] {
        let address = format!("{kind}.a");
        let plan = serde_json::json!({
            "planned_values": { "root_module": {} },
            "deferred_changes": [{
                "reason": "instance_count_unknown",
                "resource_change": { "address": address, "mode": "managed", "type": kind, "name": "a" },
            }],
        });
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plan.json");
        std::fs::write(&path, plan.to_string()).unwrap();
        let (_, text) = analyze(&path, &["--format", "json", "--fail-on", "never"]);
        let report: Value = serde_json::from_str(&text).unwrap();
        let notes = ["unresolved", "notes"].map(|name| report[name].as_array().unwrap().clone());
        let mut notes = notes.concat().into_iter();
        assert!(
            notes.any(|note| note["rule"] == rule && note["node"] == address),
            "{text}"
        );
        assert_eq!(report["findings"], serde_json::json!([]), "{text}");
    }
}

#[test]
fn a_value_that_is_ephemeral_is_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let text = "variable \"n\" {\n  ephemeral = true\n  default = \"CANARY\"\n}\nresource \"aws_db_instance\" \"a\" { engine = var.n }\n";
    std::fs::write(folder.path().join("main.tf"), text).unwrap();
    let (_, text) = analyze(folder.path(), &["--format", "graph", "--fail-on", "never"]);
    assert!(!text.contains("CANARY"), "{text}");
}
