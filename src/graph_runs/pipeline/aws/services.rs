//! Services that are exposed, or not encrypted, by arguments of their own.

use crate::graph_runs::pipeline::build::Built;

use super::Severity;
use super::values::{Values, blocks, flag, text, texts};

/// Types that store data.
pub const DATASTORES: [&str; 30] = [
    "aws_backup_vault",
    "aws_db_instance",
    "aws_dax_cluster",
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

/// Types that have an address on the internet whatever their arguments say.
const ALWAYS_EXPOSED: [&str; 8] = [
    "aws_amplify_app",
    "aws_apigatewayv2_api",
    "aws_cloudfront_distribution",
    "aws_eip",
    "aws_globalaccelerator_accelerator",
    "aws_internet_gateway",
    "aws_lambda_function_url",
    "aws_lightsail_instance",
];

/// Types that one flag exposes: the flag, the value that does, and its default where there is one.
const EXPOSED_BY: [(&str, &str, bool, Option<bool>); 9] = [
    ("aws_alb", "internal", false, Some(false)),
    ("aws_db_instance", "publicly_accessible", true, Some(false)),
    (
        "aws_dms_replication_instance",
        "publicly_accessible",
        true,
        Some(false),
    ),
    ("aws_elb", "internal", false, Some(false)),
    ("aws_lb", "internal", false, Some(false)),
    ("aws_mq_broker", "publicly_accessible", true, Some(false)),
    (
        "aws_rds_cluster_instance",
        "publicly_accessible",
        true,
        Some(false),
    ),
    ("aws_redshift_cluster", "publicly_accessible", true, None),
    (
        "aws_redshiftserverless_workgroup",
        "publicly_accessible",
        true,
        Some(false),
    ),
];

/// Types that are not encrypted unless a flag says so.
const ENCRYPTED_BY: [(&str, &str); 6] = [
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

/// Looks at one instance of a resource.
pub fn look(built: &mut Built, id: &str, type_name: &str, values: &Values) {
    if ALWAYS_EXPOSED.contains(&type_name) {
        built.expose(id);
    }
    for (_, name, exposing, default) in EXPOSED_BY.iter().filter(|rule| rule.0 == type_name) {
        if flag(built, id, values, (name, *default)) == Some(*exposing) {
            built.expose(id);
        }
    }
    for (_, name) in ENCRYPTED_BY.iter().filter(|rule| rule.0 == type_name) {
        // What is restored from a snapshot, or a replica, takes this from its source.
        let inherits = [
            "snapshot_identifier",
            "replicate_source_db",
            "replication_source_identifier",
        ];
        let inherits = inherits.iter().any(|source| values.contains_key(*source));
        let left_out = !values.contains_key(*name);
        if left_out && inherits {
            let message =
                format!("`{name}` is left out, and taken over from a source that is not known.");
            built.note(id, message);
        } else if flag(built, id, values, (name, Some(false))) == Some(false) {
            let message = format!("What it stores is not encrypted: `{name}` is not true.");
            built.find(Severity::Medium, "unencrypted-datastore", id, message);
        }
    }
    match type_name {
        "aws_api_gateway_rest_api" => {
            let endpoints = blocks(built, id, values, "endpoint_configuration");
            let mut is_private = false;
            for endpoint in endpoints {
                is_private |= texts(built, id, endpoint, "types").contains(&"PRIVATE");
            }
            if !is_private {
                built.expose(id);
            }
        }
        "aws_apprunner_service" => app_runner(built, id, values),
        "aws_eks_cluster" => {
            for network in blocks(built, id, values, "vpc_config") {
                let public = ("endpoint_public_access", Some(true));
                if flag(built, id, network, public) == Some(true) {
                    built.expose(id);
                }
            }
        }
        "aws_elasticsearch_domain" | "aws_opensearch_domain"
            if !values.contains_key("vpc_options") =>
        {
            built.expose(id);
        }
        "aws_transfer_server"
            if !values.contains_key("endpoint_type")
                || text(built, id, values, "endpoint_type") == Some("PUBLIC") =>
        {
            built.expose(id);
        }
        _ => {}
    }
}

fn app_runner(built: &mut Built, id: &str, values: &Values) {
    let mut is_public = Some(true);
    for network in blocks(built, id, values, "network_configuration") {
        for ingress in blocks(built, id, network, "ingress_configuration") {
            is_public = flag(built, id, ingress, ("is_publicly_accessible", Some(true)));
        }
    }
    if is_public == Some(true) {
        built.expose(id);
    }
}
