//! Facts that the arguments of one resource decide, as data.

use super::super::table::Test;
use super::fact::{Fact, fact};
use crate::finding::Severity::{High, Medium};

/// The rule about policies of resources.
pub const POLICY: &str = "public-policy";
const BUCKET: &str = "public-bucket";
const GROUP: &str = "open-security-group";

const EVERYONE: &[&str] = &["allUsers", "allAuthenticatedUsers"];
pub const MEMBER: &[Test] = &[Test::OneOf("member", EVERYONE, false)];
pub const MEMBERS: &[Test] = &[Test::OneOf("members", EVERYONE, false)];
pub const GRANTED: &str = "Everyone on the internet is a member of a role.";
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
const PUBLIC_ACLS: &[&str] = &["publicRead", "publicReadWrite", "authenticatedRead"];
const SHARED_WITH: &[Test] = &[Test::OneOf("shared_accounts", &["all"], false)];
const ADDRESSES: &[Test] = &[Test::Span("start_ip_address", "end_ip_address")];
const OPEN: &str = "It lets in everyone on the internet.";
/// What the firewalls of database servers of Azure call all of Azure.
const OF_AZURE: &[Test] = &[
    Test::Equals("start_ip_address", "0.0.0.0"),
    Test::Equals("end_ip_address", "0.0.0.0"),
];
const AZURE: &str = "It lets in every service and machine of Azure, also those of other customers.";

/// A firewall rule of a database server of Azure that lets in the internet.
const fn everyone(kind: &'static str) -> Fact {
    fact(kind, (GROUP, High), ADDRESSES, OPEN)
}

/// A firewall rule of a database server of Azure that lets in all of Azure.
const fn all_of_azure(kind: &'static str) -> Fact {
    fact(kind, (GROUP, Medium), OF_AZURE, AZURE)
}

/// Every fact.
pub const FACTS: &[Fact] = &[
    fact(
        "aws_ami_launch_permission",
        (POLICY, High),
        SHARED,
        "The image is shared with every account of AWS.",
    ),
    fact(
        "aws_cloudwatch_event_permission",
        (POLICY, High),
        &[Test::Equals("principal", "*"), Test::Lacks("condition")],
        "Every account of AWS can send events.",
    ),
    fact(
        "aws_codebuild_project",
        (POLICY, Medium),
        &[Test::Equals("project_visibility", "PUBLIC_READ")],
        "Everyone on the internet can read its builds and logs.",
    ),
    fact(
        "aws_db_cluster_snapshot",
        (POLICY, High),
        SHARED_WITH,
        "The snapshot is shared with every account of AWS.",
    ),
    fact(
        "aws_db_snapshot",
        (POLICY, High),
        SHARED_WITH,
        "The snapshot is shared with every account of AWS.",
    ),
    fact(
        "aws_db_snapshot_copy",
        (POLICY, High),
        SHARED_WITH,
        "The snapshot is shared with every account of AWS.",
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
        "aws_ssm_document",
        (POLICY, High),
        &[Test::OneOf(
            "permissions.account_ids",
            &["All", "all"],
            false,
        )],
        "The document is shared with every account of AWS.",
    ),
    fact(
        "aws_vpc_endpoint_service",
        (POLICY, Medium),
        &[
            Test::OneOf("allowed_principals", &["*"], false),
            Test::Is("acceptance_required", false, Some(false)),
        ],
        "Every account of AWS can connect to it.",
    ),
    fact(
        "aws_vpc_endpoint_service_allowed_principal",
        (POLICY, Medium),
        &[Test::Equals("principal_arn", "*")],
        "Every account of AWS may ask to connect to the service.",
    ),
    fact(
        "azurerm_container_registry",
        (POLICY, High),
        &[
            Test::Is("anonymous_pull_enabled", true, Some(false)),
            Test::Is("public_network_access_enabled", true, Some(true)),
            Test::Admits(
                "network_rule_set.default_action",
                "Deny",
                "network_rule_set.ip_rule.ip_range",
            ),
        ],
        "Anyone can pull its images: `anonymous_pull_enabled` is true.",
    ),
    all_of_azure("azurerm_mariadb_firewall_rule"),
    everyone("azurerm_mariadb_firewall_rule"),
    all_of_azure("azurerm_mssql_firewall_rule"),
    everyone("azurerm_mssql_firewall_rule"),
    all_of_azure("azurerm_mysql_firewall_rule"),
    everyone("azurerm_mysql_firewall_rule"),
    all_of_azure("azurerm_mysql_flexible_server_firewall_rule"),
    everyone("azurerm_mysql_flexible_server_firewall_rule"),
    all_of_azure("azurerm_postgresql_firewall_rule"),
    everyone("azurerm_postgresql_firewall_rule"),
    all_of_azure("azurerm_postgresql_flexible_server_firewall_rule"),
    everyone("azurerm_postgresql_flexible_server_firewall_rule"),
    fact(
        "azurerm_redis_firewall_rule",
        (GROUP, High),
        &[Test::Span("start_ip", "end_ip")],
        OPEN,
    ),
    all_of_azure("azurerm_sql_firewall_rule"),
    everyone("azurerm_sql_firewall_rule"),
    fact(
        "azurerm_storage_account",
        (BUCKET, Medium),
        &[
            Test::Is("allow_nested_items_to_be_public", true, None),
            Test::Is("public_network_access_enabled", true, Some(true)),
        ],
        "Its containers may be made public: `allow_nested_items_to_be_public` is true.",
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
    all_of_azure("azurerm_synapse_firewall_rule"),
    everyone("azurerm_synapse_firewall_rule"),
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
        "google_bigquery_dataset_access",
        (POLICY, High),
        &[Test::OneOf(
            "special_group",
            &["allAuthenticatedUsers", "allUsers"],
            false,
        )],
        "Everyone on the internet can use the dataset.",
    ),
    fact(
        "google_bigquery_dataset_access",
        (POLICY, High),
        &[Test::OneOf("iam_member", EVERYONE, false)],
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
        &[Test::OneOf("predefined_acl", PUBLIC_ACLS, false)],
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
    fact(
        "google_storage_default_object_access_control",
        (BUCKET, High),
        &[Test::OneOf("entity", EVERYONE, false)],
        GRANTED,
    ),
    fact(
        "google_storage_default_object_acl",
        (BUCKET, High),
        &[Test::OneOf("role_entity", ENTITIES, false)],
        "Everyone on the internet can use its objects.",
    ),
    fact(
        "google_storage_object_access_control",
        (BUCKET, High),
        &[Test::OneOf("entity", EVERYONE, false)],
        GRANTED,
    ),
    fact(
        "google_storage_object_acl",
        (BUCKET, High),
        &[Test::OneOf("predefined_acl", PUBLIC_ACLS, false)],
        "Everyone on the internet can read it.",
    ),
    fact(
        "google_storage_object_acl",
        (BUCKET, High),
        &[Test::OneOf("role_entity", ENTITIES, false)],
        "Everyone on the internet can use it.",
    ),
];
