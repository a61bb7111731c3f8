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
    /// The ranges of addresses have the internet; also if they are left out, if so by default.
    Internet(&'static str, bool),
    /// The text is one of these; also if it is left out, if so by default.
    OneOf(&'static str, &'static [&'static str], bool),
    /// The argument, which may be in a block, is left out.
    Absent(&'static str),
    /// There is such an argument or block.
    Has(&'static str),
    /// The firewall has another default than this word, or its ranges of addresses have the internet: its action, the word
    /// and the ranges.
    Admits(&'static str, &'static str, &'static str),
    /// The block that limits the sources is left out, or its ranges of addresses have the internet.
    Unlimited(&'static str, &'static str),
    /// There are as many addresses from one argument to another as in the internet.
    Span(&'static str, &'static str),
    /// Something else decides, which is not looked at: the reason.
    Undecided(&'static str),
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
/// Why what has a public address of Azure is not decided.
pub const GROUPS: &str = "The network security groups decide whether the internet gets in.";
/// The restrictions of an app of Azure. Without a default action, what they do not name depends on the provider's version.
const RESTRICTIONS: Test = Test::Admits(
    "site_config.ip_restriction_default_action",
    "Deny",
    "site_config.ip_restriction.ip_address",
);
const ENDPOINT: Test = Test::Is("disable_execute_api_endpoint", false, Some(false));

/// Services whose own arguments decide whether the internet reaches them.
pub const EXPOSURE: [Exposure; 90] = [
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
    row("aws_ec2_client_vpn_endpoint", Test::Always),
    row(
        "aws_eks_cluster",
        Test::Is("vpc_config.endpoint_public_access", true, Some(true)),
    ),
    row(
        "aws_eks_cluster",
        Test::Internet("vpc_config.public_access_cidrs", true),
    ),
    row("aws_elastic_beanstalk_environment", Test::Always),
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
    row("aws_lightsail_container_service", Test::Always),
    row("aws_lightsail_database", PUBLIC),
    row("aws_lightsail_distribution", Test::Always),
    row("aws_lightsail_instance", Test::Always),
    row("aws_lightsail_lb", Test::Always),
    row("aws_mq_broker", PUBLIC),
    row(
        "aws_msk_cluster",
        Test::Equals(
            "broker_node_group_info.connectivity_info.public_access.type",
            "SERVICE_PROVIDED_EIPS",
        ),
    ),
    row(
        "aws_mwaa_environment",
        Test::Equals("webserver_access_mode", "PUBLIC_ONLY"),
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
    row("aws_transfer_server", Test::IsNot("endpoint_type", "VPC")),
    row(
        "aws_transfer_server",
        Test::IsNot("endpoint_type", "VPC_ENDPOINT"),
    ),
    row(
        "azurerm_app_service",
        Test::Absent("site_config.ip_restriction"),
    ),
    row("azurerm_application_gateway", Test::Always),
    row(
        "azurerm_container_group",
        Test::OneOf("ip_address_type", &["Public"], true),
    ),
    row(
        "azurerm_container_registry",
        Test::Is("public_network_access_enabled", true, Some(true)),
    ),
    row(
        "azurerm_container_registry",
        Test::Admits(
            "network_rule_set.default_action",
            "Deny",
            "network_rule_set.ip_rule.ip_range",
        ),
    ),
    row(
        "azurerm_cosmosdb_account",
        Test::Is("public_network_access_enabled", true, Some(true)),
    ),
    row("azurerm_cosmosdb_account", Test::Absent("ip_range_filter")),
    row(
        "azurerm_cosmosdb_account",
        Test::Is("is_virtual_network_filter_enabled", false, Some(false)),
    ),
    row(
        "azurerm_function_app",
        Test::Absent("site_config.ip_restriction"),
    ),
    row(
        "azurerm_key_vault",
        Test::Is("public_network_access_enabled", true, Some(true)),
    ),
    row(
        "azurerm_key_vault",
        Test::Admits(
            "network_acls.default_action",
            "Deny",
            "network_acls.ip_rules",
        ),
    ),
    row(
        "azurerm_kubernetes_cluster",
        Test::Is("private_cluster_enabled", false, Some(false)),
    ),
    row(
        "azurerm_kubernetes_cluster",
        Test::Internet("api_server_access_profile.authorized_ip_ranges", true),
    ),
    row(
        "azurerm_kubernetes_cluster",
        Test::Internet("api_server_authorized_ip_ranges", true),
    ),
    row(
        "azurerm_lb",
        Test::Has("frontend_ip_configuration.public_ip_address_id"),
    ),
    row(
        "azurerm_linux_function_app",
        Test::Is("public_network_access_enabled", true, Some(true)),
    ),
    row("azurerm_linux_function_app", RESTRICTIONS),
    row(
        "azurerm_linux_virtual_machine_scale_set",
        Test::Has("network_interface.ip_configuration.public_ip_address"),
    ),
    row(
        "azurerm_linux_virtual_machine_scale_set",
        Test::Undecided(GROUPS),
    ),
    row(
        "azurerm_linux_web_app",
        Test::Is("public_network_access_enabled", true, Some(true)),
    ),
    row("azurerm_linux_web_app", RESTRICTIONS),
    row(
        "azurerm_mssql_managed_instance",
        Test::Is("public_data_endpoint_enabled", true, Some(false)),
    ),
    row("azurerm_mssql_managed_instance", Test::Undecided(GROUPS)),
    row(
        "azurerm_mssql_server",
        Test::Is("public_network_access_enabled", true, Some(true)),
    ),
    row(
        "azurerm_mysql_flexible_server",
        Test::Absent("delegated_subnet_id"),
    ),
    row(
        "azurerm_mysql_flexible_server",
        Test::IsNot("public_network_access", "Disabled"),
    ),
    row(
        "azurerm_mysql_flexible_server",
        Test::Is("public_network_access_enabled", true, Some(true)),
    ),
    row(
        "azurerm_mysql_server",
        Test::Is("public_network_access_enabled", true, Some(true)),
    ),
    row(
        "azurerm_network_interface",
        Test::Has("ip_configuration.public_ip_address_id"),
    ),
    row(
        "azurerm_postgresql_flexible_server",
        Test::Absent("delegated_subnet_id"),
    ),
    row(
        "azurerm_postgresql_flexible_server",
        Test::Is("public_network_access_enabled", true, Some(true)),
    ),
    row(
        "azurerm_postgresql_server",
        Test::Is("public_network_access_enabled", true, Some(true)),
    ),
    row(
        "azurerm_redis_cache",
        Test::Is("public_network_access_enabled", true, Some(true)),
    ),
    row("azurerm_redis_cache", Test::Absent("subnet_id")),
    row("azurerm_sql_server", Test::Always),
    row(
        "azurerm_windows_function_app",
        Test::Is("public_network_access_enabled", true, Some(true)),
    ),
    row("azurerm_windows_function_app", RESTRICTIONS),
    row(
        "azurerm_windows_virtual_machine_scale_set",
        Test::Has("network_interface.ip_configuration.public_ip_address"),
    ),
    row(
        "azurerm_windows_virtual_machine_scale_set",
        Test::Undecided(GROUPS),
    ),
    row(
        "azurerm_windows_web_app",
        Test::Is("public_network_access_enabled", true, Some(true)),
    ),
    row("azurerm_windows_web_app", RESTRICTIONS),
    row(
        "google_cloud_run_service",
        Test::Undecided(
            "Its annotation `run.googleapis.com/ingress` and the members of its role decide.",
        ),
    ),
    row(
        "google_cloud_run_v2_service",
        Test::OneOf("ingress", &["INGRESS_TRAFFIC_ALL"], true),
    ),
    row(
        "google_cloudfunctions2_function",
        Test::OneOf("service_config.ingress_settings", &["ALLOW_ALL"], true),
    ),
    row(
        "google_cloudfunctions_function",
        Test::Is("trigger_http", true, Some(false)),
    ),
    row(
        "google_cloudfunctions_function",
        Test::OneOf("ingress_settings", &["ALLOW_ALL"], true),
    ),
    row(
        "google_compute_forwarding_rule",
        Test::OneOf(
            "load_balancing_scheme",
            &["EXTERNAL", "EXTERNAL_MANAGED"],
            true,
        ),
    ),
    row(
        "google_compute_global_forwarding_rule",
        Test::OneOf(
            "load_balancing_scheme",
            &["EXTERNAL", "EXTERNAL_MANAGED"],
            true,
        ),
    ),
    row(
        "google_compute_instance",
        Test::Has("network_interface.access_config"),
    ),
    row(
        "google_compute_instance",
        Test::Undecided("The firewalls of its network decide whether the internet gets in."),
    ),
    row(
        "google_container_cluster",
        Test::Is(
            "private_cluster_config.enable_private_endpoint",
            false,
            Some(false),
        ),
    ),
    row(
        "google_container_cluster",
        Test::Unlimited(
            "master_authorized_networks_config",
            "master_authorized_networks_config.cidr_blocks.cidr_block",
        ),
    ),
    row(
        "google_sql_database_instance",
        Test::Is("settings.ip_configuration.ipv4_enabled", true, Some(true)),
    ),
    row(
        "google_sql_database_instance",
        Test::Internet("settings.ip_configuration.authorized_networks.value", false),
    ),
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
pub const GUARDED: [Guarded; 11] = [
    guarded("aws_alb", "security_groups"),
    guarded("aws_db_instance", "vpc_security_group_ids"),
    guarded("aws_dms_replication_instance", "vpc_security_group_ids"),
    clustered("aws_docdb_cluster_instance"),
    guarded("aws_elb", "security_groups"),
    guarded("aws_lb", "security_groups"),
    guarded("aws_mq_broker", "security_groups"),
    guarded("aws_msk_cluster", "broker_node_group_info.security_groups"),
    clustered("aws_neptune_cluster_instance"),
    clustered("aws_rds_cluster_instance"),
    guarded("aws_redshift_cluster", "vpc_security_group_ids"),
];
