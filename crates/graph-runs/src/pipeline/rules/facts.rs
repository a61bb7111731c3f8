//! Rules that one resource decides by its own arguments.

use super::documents::policy;
use super::look::{Answer, look, not};
use super::named::{ACCOUNT, GOOGLE_BUCKET, Names, Subject};
use super::protects::unless;
use super::table::Test;
use crate::pipeline::finding::Severity::{self, High, Medium};
use crate::pipeline::graph::{Built, Values};
use crate::pipeline::value::Value;

const POLICY: &str = "public-policy";
const BUCKET: &str = "public-bucket";
const GROUP: &str = "open-security-group";

/// A fact about a type: found if all tests hold.
pub struct Fact {
    /// The type.
    pub kind: &'static str,
    /// The rule that finds it.
    pub rule: &'static str,
    severity: Severity,
    tests: &'static [Test],
    message: &'static str,
}

const fn fact(
    kind: &'static str,
    (rule, severity): (&'static str, Severity),
    tests: &'static [Test],
    message: &'static str,
) -> Fact {
    Fact {
        kind,
        rule,
        severity,
        tests,
        message,
    }
}

const EVERYONE: &[&str] = &["allUsers", "allAuthenticatedUsers"];
const MEMBER: &[Test] = &[Test::OneOf("member", EVERYONE, false)];
const MEMBERS: &[Test] = &[Test::OneOf("members", EVERYONE, false)];
const GRANTED: &str = "Everyone on the internet is a member of a role.";
const SHARED: &[Test] = &[Test::OneOf("group", &["all"], false)];
/// Entries of an ACL of Google that let everyone in.
const ENTITIES: &[&str] = &[
    "OWNER:allAuthenticatedUsers",
    "OWNER:allUsers",
    "READER:allAuthenticatedUsers",
    "READER:allUsers",
    "WRITER:allAuthenticatedUsers",
    "WRITER:allUsers",
];
const ALL_ADDRESSES: &[Test] = &[
    Test::OneOf("start_ip_address", &["0.0.0.0"], false),
    Test::OneOf("end_ip_address", &["255.255.255.255"], false),
];

/// Every fact.
pub const FACTS: [Fact; 24] = [
    fact(
        "aws_ami_launch_permission",
        (POLICY, High),
        SHARED,
        "The image is shared with every account of AWS.",
    ),
    fact(
        "aws_lambda_layer_version_permission",
        (POLICY, High),
        &[
            Test::Equals("principal", "*"),
            Test::Absent("organization_id"),
        ],
        "Every account of AWS can use the layer.",
    ),
    fact(
        "aws_lambda_permission",
        (POLICY, High),
        &[
            Test::Equals("principal", "*"),
            Test::Absent("source_arn"),
            Test::Absent("source_account"),
            Test::Absent("principal_org_id"),
        ],
        "Anyone can invoke the function.",
    ),
    fact(
        "aws_snapshot_create_volume_permission",
        (POLICY, High),
        &[Test::Equals("account_id", "all")],
        "The snapshot is shared with every account of AWS.",
    ),
    fact(
        "azurerm_mssql_firewall_rule",
        (GROUP, High),
        ALL_ADDRESSES,
        "It lets in everyone on the internet.",
    ),
    fact(
        "azurerm_mysql_flexible_server_firewall_rule",
        (GROUP, High),
        ALL_ADDRESSES,
        "It lets in everyone on the internet.",
    ),
    fact(
        "azurerm_postgresql_firewall_rule",
        (GROUP, High),
        ALL_ADDRESSES,
        "It lets in everyone on the internet.",
    ),
    fact(
        "azurerm_postgresql_flexible_server_firewall_rule",
        (GROUP, High),
        ALL_ADDRESSES,
        "It lets in everyone on the internet.",
    ),
    fact(
        "azurerm_sql_firewall_rule",
        (GROUP, High),
        ALL_ADDRESSES,
        "It lets in everyone on the internet.",
    ),
    fact(
        "azurerm_storage_account",
        (BUCKET, Medium),
        &[
            Test::Is("allow_nested_items_to_be_public", true, Some(true)),
            Test::Is("public_network_access_enabled", true, Some(true)),
        ],
        "Its containers may be made public: `allow_nested_items_to_be_public` is not false.",
    ),
    fact(
        "azurerm_storage_container",
        (BUCKET, High),
        &[Test::OneOf(
            "container_access_type",
            &["blob", "container"],
            false,
        )],
        "Everyone on the internet can read it.",
    ),
    fact(
        "google_bigquery_dataset",
        (POLICY, High),
        &[Test::OneOf(
            "access.special_group",
            &["allAuthenticatedUsers", "allUsers"],
            false,
        )],
        "Everyone on the internet can use the dataset.",
    ),
    fact(
        "google_bigquery_dataset",
        (POLICY, High),
        &[Test::OneOf("access.iam_member", EVERYONE, false)],
        "Everyone on the internet can use the dataset.",
    ),
    fact(
        "google_cloud_run_service_iam_member",
        (POLICY, Medium),
        MEMBER,
        GRANTED,
    ),
    fact(
        "google_cloud_run_v2_service_iam_member",
        (POLICY, Medium),
        MEMBER,
        GRANTED,
    ),
    fact(
        "google_cloudfunctions_function_iam_member",
        (POLICY, Medium),
        MEMBER,
        GRANTED,
    ),
    fact(
        "google_kms_crypto_key_iam_member",
        (POLICY, High),
        MEMBER,
        GRANTED,
    ),
    fact("google_project_iam_member", (POLICY, High), MEMBER, GRANTED),
    fact(
        "google_pubsub_topic_iam_member",
        (POLICY, High),
        MEMBER,
        GRANTED,
    ),
    fact(
        "google_storage_bucket_acl",
        (BUCKET, High),
        &[Test::OneOf(
            "predefined_acl",
            &["publicRead", "publicReadWrite", "authenticatedRead"],
            false,
        )],
        "Everyone on the internet can read it.",
    ),
    fact(
        "google_storage_bucket_access_control",
        (BUCKET, High),
        &[Test::OneOf("entity", EVERYONE, false)],
        GRANTED,
    ),
    fact(
        "google_storage_bucket_acl",
        (BUCKET, High),
        &[Test::OneOf("role_entity", ENTITIES, false)],
        "Everyone on the internet can use it.",
    ),
    fact(
        "google_storage_bucket_iam_binding",
        (BUCKET, High),
        MEMBERS,
        GRANTED,
    ),
    fact(
        "google_storage_bucket_iam_member",
        (BUCKET, High),
        MEMBER,
        GRANTED,
    ),
];

/// What keeps everyone out of a resource.
struct Guard {
    /// The type of what is about it.
    kind: &'static str,
    /// The argument that names it.
    path: &'static str,
    subject: Subject,
    test: Test,
}

const fn of_account(path: &'static str, flag: &'static str) -> Guard {
    Guard {
        kind: "azurerm_storage_container",
        path,
        subject: ACCOUNT,
        test: Test::Is(flag, false, Some(true)),
    }
}

const fn of_bucket(kind: &'static str) -> Guard {
    Guard {
        kind,
        path: "bucket",
        subject: GOOGLE_BUCKET,
        test: Test::Equals("public_access_prevention", "enforced"),
    }
}

const NESTED: &str = "allow_nested_items_to_be_public";
const NETWORK: &str = "public_network_access_enabled";

const GUARDS: [Guard; 8] = [
    of_account("storage_account_id", NESTED),
    of_account("storage_account_id", NETWORK),
    of_account("storage_account_name", NESTED),
    of_account("storage_account_name", NETWORK),
    of_bucket("google_storage_bucket_access_control"),
    of_bucket("google_storage_bucket_acl"),
    of_bucket("google_storage_bucket_iam_binding"),
    of_bucket("google_storage_bucket_iam_member"),
];

/// Arguments that have policies of resources.
pub const POLICIES: [(&str, &str); 24] = [
    ("aws_backup_vault_policy", "policy"),
    ("aws_cloudwatch_event_bus_policy", "policy"),
    (
        "aws_codeartifact_domain_permissions_policy",
        "policy_document",
    ),
    (
        "aws_codeartifact_repository_permissions_policy",
        "policy_document",
    ),
    ("aws_dynamodb_resource_policy", "policy"),
    ("aws_ecr_registry_policy", "policy"),
    ("aws_ecr_repository_policy", "policy"),
    ("aws_efs_file_system_policy", "policy"),
    ("aws_elasticsearch_domain", "access_policies"),
    ("aws_elasticsearch_domain_policy", "access_policies"),
    ("aws_glacier_vault", "access_policy"),
    ("aws_glue_resource_policy", "policy"),
    ("aws_kinesis_resource_policy", "policy"),
    ("aws_kms_external_key", "policy"),
    ("aws_kms_key", "policy"),
    ("aws_kms_key_policy", "policy"),
    ("aws_kms_replica_key", "policy"),
    ("aws_media_store_container_policy", "policy"),
    ("aws_opensearch_domain", "access_policies"),
    ("aws_opensearch_domain_policy", "access_policies"),
    ("aws_s3_access_point", "policy"),
    ("aws_s3control_access_point_policy", "policy"),
    ("aws_secretsmanager_secret", "policy"),
    ("aws_secretsmanager_secret_policy", "policy"),
];

/// Types that give a role of Google to members, by how their names end.
const MEMBERSHIPS: [(&str, &[Test]); 2] = [("_iam_binding", MEMBERS), ("_iam_member", MEMBER)];

/// The members that a type gives a role to, if it has no fact of its own.
fn membership(kind: &str) -> Option<&'static [Test]> {
    let mut ends = MEMBERSHIPS.iter().filter(|_| kind.starts_with("google_"));
    let (_, tests) = ends.find(|(end, _)| kind.ends_with(end))?;
    (!FACTS.iter().any(|fact| fact.kind == kind)).then_some(tests)
}

/// Whether a type is looked at here.
pub fn is_about(kind: &str) -> bool {
    membership(kind).is_some()
        || FACTS.iter().any(|fact| fact.kind == kind)
        || POLICIES.iter().any(|(about, _)| *about == kind)
}

/// Looks at every resource that has facts.
pub fn classify(built: &mut Built, names: &Names, resources: &[(String, String)]) {
    for (id, kind) in resources.iter().filter(|(_, kind)| is_about(kind)) {
        for values in built.instances(id).iter() {
            for fact in FACTS.iter().filter(|fact| fact.kind == kind) {
                let answers = fact.tests.iter().map(|test| look(values, *test));
                let answer = answers.fold(Answer::Yes, Answer::and);
                let answer = answer.and(not(shut(built, names, (id, values), fact)));
                decide(built, (fact.rule, fact.severity), id, answer, fact.message);
            }
            if let Some(tests) = membership(kind) {
                let answers = tests.iter().map(|test| look(values, *test));
                let answer = answers.fold(Answer::Yes, Answer::and);
                decide(built, (POLICY, High), id, answer, GRANTED);
            }
            for (_, path) in POLICIES.iter().filter(|(about, _)| about == kind) {
                let value = values.get(*path).unwrap_or(&Value::Null);
                let answer = policy(built, value);
                let message = "Its policy lets everyone in.";
                decide(built, (POLICY, High), id, answer, message);
            }
        }
    }
}

/// Whether what a resource is about keeps everyone out, whatever its own arguments say.
fn shut(built: &Built, names: &Names, (id, values): (&str, &Values), fact: &Fact) -> Answer {
    let guards = GUARDS.iter().filter(|guard| guard.kind == fact.kind);
    let mut answer = Answer::No;
    for guard in guards {
        let named = names.at(built, (id, values), guard.path, guard.subject);
        let is_one = named.nodes.len() == 1 && !named.is_any && named.other.is_none();
        let doubt = || format!("What `{id}` is about is not known: `{}`.", guard.path);
        for target in &named.nodes {
            for values in built.instances(target).iter() {
                let shuts = look(values, guard.test);
                answer = answer.or(unless(shuts, (!is_one).then(doubt)));
            }
        }
    }
    answer
}

fn decide(
    built: &mut Built,
    (rule, severity): (&'static str, Severity),
    id: &str,
    answer: Answer,
    message: &str,
) {
    built.looked(rule, id);
    match answer {
        Answer::Yes => built.find(severity, rule, id, message.to_owned()),
        Answer::No => {}
        Answer::Unknown(reason) => built.undecided_by(rule, id, reason),
    }
}
