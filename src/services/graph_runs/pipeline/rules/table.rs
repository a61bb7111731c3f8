//! The rules as data.

/// A test of a resource's values. Paths go through blocks: `vpc_config.endpoint_public_access`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// Always holds.
    Always,
    /// The flag has this value; the default if it is left out. Without a default it depends on the provider's version.
    Is(&'static str, bool, Option<bool>),
    /// The text is not this one, also if it is left out.
    IsNot(&'static str, &'static str),
    /// The text is this one.
    Equals(&'static str, &'static str),
    /// The argument or block is left out.
    Lacks(&'static str),
}

/// A rule of exposure: a service of this type is exposed if the test holds, and every other rule of the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exposure {
    /// The type of resource.
    pub kind: &'static str,
    /// When it is exposed.
    pub when: Test,
}

const fn row(kind: &'static str, when: Test) -> Exposure {
    Exposure { kind, when }
}

const PUBLIC: Test = Test::Is("publicly_accessible", true, Some(false));
const ENDPOINT: Test = Test::Is("disable_execute_api_endpoint", false, Some(false));

/// Services whose own arguments decide whether the internet reaches them.
pub const EXPOSURE: [Exposure; 27] = [
    row("aws_alb", Test::Is("internal", false, Some(false))),
    row("aws_amplify_app", Test::Always),
    row(
        "aws_api_gateway_rest_api",
        Test::IsNot("endpoint_configuration.types", "PRIVATE"),
    ),
    row("aws_api_gateway_rest_api", ENDPOINT),
    row("aws_apigatewayv2_api", ENDPOINT),
    row(
        "aws_apprunner_service",
        Test::Is(
            "network_configuration.ingress_configuration.is_publicly_accessible",
            true,
            Some(true),
        ),
    ),
    row(
        "aws_appsync_graphql_api",
        Test::IsNot("visibility", "PRIVATE"),
    ),
    row(
        "aws_cloudfront_distribution",
        Test::Is("enabled", true, None),
    ),
    row("aws_db_instance", PUBLIC),
    row("aws_dms_replication_instance", PUBLIC),
    row("aws_docdb_cluster_instance", PUBLIC),
    row(
        "aws_eks_cluster",
        Test::Is("vpc_config.endpoint_public_access", true, Some(true)),
    ),
    row("aws_elasticsearch_domain", Test::Lacks("vpc_options")),
    row("aws_elb", Test::Is("internal", false, Some(false))),
    row(
        "aws_globalaccelerator_accelerator",
        Test::Is("enabled", true, Some(true)),
    ),
    row(
        "aws_lambda_function_url",
        Test::Equals("authorization_type", "NONE"),
    ),
    row("aws_lb", Test::Is("internal", false, Some(false))),
    row("aws_lightsail_instance", Test::Always),
    row("aws_mq_broker", PUBLIC),
    row(
        "aws_msk_cluster",
        Test::Equals(
            "broker_node_group_info.connectivity_info.public_access.type",
            "SERVICE_PROVIDED_EIPS",
        ),
    ),
    row("aws_neptune_cluster_instance", PUBLIC),
    row("aws_opensearch_domain", Test::Lacks("vpc_options")),
    row("aws_rds_cluster_instance", PUBLIC),
    row(
        "aws_redshift_cluster",
        Test::Is("publicly_accessible", true, None),
    ),
    row("aws_redshiftserverless_workgroup", PUBLIC),
    row(
        "aws_sagemaker_notebook_instance",
        Test::Equals("direct_internet_access", "Enabled"),
    ),
    row("aws_transfer_server", Test::Lacks("endpoint_details")),
];

/// A service that its own arguments put on the internet, if its security groups let the internet in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guarded {
    /// The type of resource.
    pub kind: &'static str,
    /// Its security groups, or its cluster's.
    pub groups: &'static str,
    /// The argument that names its cluster, if that has the groups.
    pub cluster: Option<&'static str>,
}

const fn guarded(kind: &'static str, groups: &'static str) -> Guarded {
    Guarded {
        kind,
        groups,
        cluster: None,
    }
}

const fn clustered(kind: &'static str) -> Guarded {
    Guarded {
        kind,
        groups: "vpc_security_group_ids",
        cluster: Some("cluster_identifier"),
    }
}

/// Services behind security groups.
pub const GUARDED: [Guarded; 10] = [
    guarded("aws_alb", "security_groups"),
    guarded("aws_db_instance", "vpc_security_group_ids"),
    guarded("aws_dms_replication_instance", "vpc_security_group_ids"),
    clustered("aws_docdb_cluster_instance"),
    guarded("aws_elb", "security_groups"),
    guarded("aws_lb", "security_groups"),
    guarded("aws_mq_broker", "security_groups"),
    clustered("aws_neptune_cluster_instance"),
    clustered("aws_rds_cluster_instance"),
    guarded("aws_redshift_cluster", "vpc_security_group_ids"),
];

/// Types that store data.
pub const DATASTORES: [&str; 30] = [
    "aws_backup_vault",
    "aws_dax_cluster",
    "aws_db_instance",
    "aws_docdb_cluster",
    "aws_docdbelastic_cluster",
    "aws_dynamodb_global_table",
    "aws_dynamodb_table",
    "aws_ebs_volume",
    "aws_efs_file_system",
    "aws_elasticache_cluster",
    "aws_elasticache_replication_group",
    "aws_elasticache_serverless_cache",
    "aws_elasticsearch_domain",
    "aws_fsx_lustre_file_system",
    "aws_fsx_ontap_file_system",
    "aws_fsx_openzfs_file_system",
    "aws_fsx_windows_file_system",
    "aws_glacier_vault",
    "aws_keyspaces_table",
    "aws_memorydb_cluster",
    "aws_neptune_cluster",
    "aws_opensearch_domain",
    "aws_opensearchserverless_collection",
    "aws_qldb_ledger",
    "aws_rds_cluster",
    "aws_rds_global_cluster",
    "aws_redshift_cluster",
    "aws_s3_bucket",
    "aws_s3_directory_bucket",
    "aws_timestreamwrite_table",
];

/// Datastores that are encrypted only if a flag is true.
pub const ENCRYPTION: [(&str, &str); 6] = [
    ("aws_db_instance", "storage_encrypted"),
    ("aws_docdb_cluster", "storage_encrypted"),
    ("aws_efs_file_system", "encrypted"),
    (
        "aws_elasticache_replication_group",
        "at_rest_encryption_enabled",
    ),
    ("aws_neptune_cluster", "storage_encrypted"),
    ("aws_rds_cluster", "storage_encrypted"),
];

/// Arguments that name a source from which a datastore inherits its encryption.
pub const INHERITS: [&str; 3] = [
    "replicate_source_db",
    "replication_source_identifier",
    "snapshot_identifier",
];

/// Providers whose resources are nothing in a network.
pub const HARMLESS: [&str; 8] = [
    "archive",
    "local",
    "null",
    "random",
    "template",
    "terraform",
    "time",
    "tls",
];
