//! What is known of each type of resource of Azure. Source: the documentation of the Terraform provider `hashicorp/azurerm`.

use super::super::encryption::Encryption::{Always, Flag};
use super::super::facts::{BUCKET, Fact, GROUP, POLICY, fact};
use super::super::named::{CACHE, SERVER};
use super::super::table::Test;
use super::links::reads;
use super::row::{Network, Opener, Opens, ResourceType, row, since};
use crate::finding::Severity::{High, Medium};

/// Why what has a public address of Azure is not decided.
pub const GROUPS: &str = "The network security groups decide whether the internet gets in.";
/// The restrictions of an app of Azure. Without a default action, what they do not name depends on the provider's version.
const RESTRICTIONS: Test = Test::Admits(
    "site_config.ip_restriction_default_action",
    "Deny",
    "site_config.ip_restriction.ip_address",
);
/// Whether containers of a storage account may be public. Source of its defaults: the guides to upgrade to versions 3.0 and 5.0.
pub const NESTED: &str = "allow_nested_items_to_be_public";
/// Whether public networks have access, by the flag of earlier versions or the word of later ones.
pub const PUBLIC_NETWORK: Test = Test::All(&[
    Test::Is("public_network_access_enabled", true, Some(true)),
    Test::OneOf("public_network_access", &["Enabled"], true),
]);
const ADDRESSES: &[Test] = &[Test::Span("start_ip_address", "end_ip_address")];
const OPEN: &str = "It lets in everyone on the internet.";
/// The address that firewalls of servers take for all of Azure, and what it lets in.
const OF_AZURE: &str = "0.0.0.0";
const LETS_AZURE: &str =
    "It lets in every service and machine of Azure, also those of other customers.";
/// The addresses that an account of Cosmos DB lets in: a list, or a text with commas between them.
const FILTER: &str = "ip_range_filter";
/// A firewall rule of a database server that lets in the internet.
const LETS_EVERYONE_IN: Fact = fact(GROUP, High, ADDRESSES, OPEN);
/// One that lets in all of Azure, as the firewalls of database servers call it.
const LETS_AZURE_IN: Fact = fact(
    GROUP,
    Medium,
    &[
        Test::Equals("start_ip_address", OF_AZURE),
        Test::Equals("end_ip_address", OF_AZURE),
    ],
    LETS_AZURE,
);
const RULE_BAD: &str = r#"start_ip_address = "0.0.0.0"
end_ip_address   = "255.255.255.255""#;
const RULE_GOOD: &str = r#"start_ip_address = "198.51.100.1"
end_ip_address   = "198.51.100.9""#;

/// Every type, sorted by its name.
pub const TYPES: &[ResourceType] = &[
    row("azurerm_app_service")
        .exposed(&[Test::Absent("site_config.ip_restriction")])
        .links(&[
            reads("app_settings"),
            reads("connection_string"),
            reads("storage_account"),
        ])
        .examples(
            r#"name = "shop""#,
            r#"site_config {
  ip_restriction { ip_address = "198.51.100.0/24" }
}"#,
        ),
    row("azurerm_app_service_plan"),
    row("azurerm_application_gateway")
        .exposed(&[Test::Has("frontend_ip_configuration.public_ip_address_id")])
        .examples(
            r#"frontend_ip_configuration { public_ip_address_id = azurerm_public_ip.a.id }
}
resource "azurerm_public_ip" "a" {
  name = "shop""#,
            r#"frontend_ip_configuration { private_ip_address = "10.0.0.4" }"#,
        ),
    row("azurerm_application_insights"),
    row("azurerm_container_group")
        .exposed(&[Test::OneOf("ip_address_type", &["Public"], true)])
        .examples(
            r#"ip_address_type = "Public""#,
            r#"ip_address_type = "Private""#,
        ),
    row("azurerm_container_registry")
        .exposed(&[
            PUBLIC_NETWORK,
            Test::Admits(
                "network_rule_set.default_action",
                "Deny",
                "network_rule_set.ip_rule.ip_range",
            ),
        ])
        .encrypted(Always)
        .facts(&[fact(
            POLICY,
            High,
            &[
                Test::Is("anonymous_pull_enabled", true, Some(false)),
                PUBLIC_NETWORK,
                Test::Admits(
                    "network_rule_set.default_action",
                    "Deny",
                    "network_rule_set.ip_rule.ip_range",
                ),
            ],
            "Anyone can pull its images: `anonymous_pull_enabled` is true.",
        )])
        .examples(
            "anonymous_pull_enabled = true",
            "public_network_access_enabled = false",
        ),
    row("azurerm_cosmosdb_account")
        .exposed(&[
            PUBLIC_NETWORK,
            Test::Internet(FILTER, true),
            Test::Is("is_virtual_network_filter_enabled", false, Some(false)),
        ])
        .stores()
        .encrypted(Always)
        .facts(&[fact(
            GROUP,
            Medium,
            &[Test::Listed(FILTER, OF_AZURE), PUBLIC_NETWORK],
            LETS_AZURE,
        )])
        .examples(
            r#"ip_range_filter = ["0.0.0.0", "0.0.0.0/0"]"#,
            "public_network_access_enabled = false",
        ),
    row("azurerm_cosmosdb_postgresql_firewall_rule")
        .facts(&[LETS_AZURE_IN, LETS_EVERYONE_IN])
        .examples(RULE_BAD, RULE_GOOD),
    row("azurerm_dns_a_record"),
    row("azurerm_dns_zone"),
    row("azurerm_function_app")
        .exposed(&[Test::Absent("site_config.ip_restriction")])
        .links(&[
            reads("app_settings"),
            reads("connection_string"),
            reads("storage_account"),
        ])
        .examples(
            r#"name = "shop""#,
            r#"site_config {
  ip_restriction { ip_address = "198.51.100.0/24" }
}"#,
        ),
    row("azurerm_key_vault")
        .exposed(&[
            PUBLIC_NETWORK,
            Test::Admits(
                "network_acls.default_action",
                "Deny",
                "network_acls.ip_rules",
            ),
        ])
        .examples(r#"name = "shop""#, "public_network_access_enabled = false"),
    row("azurerm_key_vault_access_policy"),
    row("azurerm_key_vault_key"),
    row("azurerm_key_vault_secret").encrypted(Always),
    row("azurerm_kubernetes_cluster")
        .exposed(&[
            Test::Is("private_cluster_enabled", false, Some(false)),
            Test::Internet("api_server_access_profile.authorized_ip_ranges", true),
            Test::Internet("api_server_authorized_ip_ranges", true),
        ])
        .examples(r#"name = "shop""#, "private_cluster_enabled = true"),
    row("azurerm_kubernetes_cluster_node_pool"),
    row("azurerm_lb")
        .exposed(&[Test::Has("frontend_ip_configuration.public_ip_address_id")])
        .examples(
            r#"frontend_ip_configuration { public_ip_address_id = azurerm_public_ip.a.id }
}
resource "azurerm_public_ip" "a" {
  name = "shop""#,
            r#"frontend_ip_configuration { private_ip_address = "10.0.0.4" }"#,
        ),
    row("azurerm_linux_function_app")
        .exposed(&[PUBLIC_NETWORK, RESTRICTIONS])
        .links(&[
            reads("app_settings"),
            reads("connection_string"),
            reads("storage_account"),
        ])
        .examples(
            r#"site_config { ip_restriction_default_action = "Allow" }"#,
            "public_network_access_enabled = false",
        ),
    row("azurerm_linux_virtual_machine"),
    row("azurerm_linux_virtual_machine_scale_set")
        .exposed(&[
            Test::Has("network_interface.ip_configuration.public_ip_address"),
            Test::Undecided(GROUPS),
        ])
        .examples(
            r#"network_interface {
  ip_configuration {
    public_ip_address { name = "shop" }
  }
}"#,
            r#"network_interface {
  ip_configuration { primary = true }
}"#,
        ),
    row("azurerm_linux_web_app")
        .exposed(&[PUBLIC_NETWORK, RESTRICTIONS])
        .links(&[
            reads("app_settings"),
            reads("connection_string"),
            reads("storage_account"),
        ])
        .examples(
            r#"site_config { ip_restriction_default_action = "Allow" }"#,
            "public_network_access_enabled = false",
        ),
    row("azurerm_log_analytics_solution"),
    row("azurerm_log_analytics_workspace"),
    row("azurerm_managed_disk").stores().encrypted(Always),
    row("azurerm_mariadb_firewall_rule")
        .facts(&[LETS_AZURE_IN, LETS_EVERYONE_IN])
        .examples(RULE_BAD, RULE_GOOD),
    row("azurerm_mongo_cluster_firewall_rule")
        .facts(&[LETS_AZURE_IN, LETS_EVERYONE_IN])
        .examples(RULE_BAD, RULE_GOOD),
    row("azurerm_monitor_action_group"),
    row("azurerm_monitor_diagnostic_setting"),
    row("azurerm_monitor_log_profile"),
    row("azurerm_monitor_metric_alert"),
    row("azurerm_mssql_database")
        .stores()
        .encrypted(Flag("transparent_data_encryption_enabled", Some(true)))
        .examples(
            "transparent_data_encryption_enabled = false",
            "transparent_data_encryption_enabled = true",
        ),
    row("azurerm_mssql_firewall_rule")
        .facts(&[LETS_AZURE_IN, LETS_EVERYONE_IN])
        .examples(RULE_BAD, RULE_GOOD),
    row("azurerm_mssql_managed_instance")
        .exposed(&[
            Test::Is("public_data_endpoint_enabled", true, Some(false)),
            Test::Undecided(GROUPS),
        ])
        .stores()
        .encrypted(Always)
        .examples(
            "public_data_endpoint_enabled = true",
            "public_data_endpoint_enabled = false",
        ),
    row("azurerm_mssql_server")
        .exposed(&[PUBLIC_NETWORK])
        .opened_by(&[Opener {
            kind: "azurerm_mssql_firewall_rule",
            path: "server_id",
            subject: SERVER,
            opens: Opens::If(ADDRESSES),
        }])
        .stores()
        .encrypted(Always)
        .examples(
            r#"public_network_access_enabled = true
}
resource "azurerm_mssql_firewall_rule" "a" {
  server_id        = azurerm_mssql_server.a.id
  start_ip_address = "0.0.0.0"
  end_ip_address   = "255.255.255.255""#,
            "public_network_access_enabled = false",
        ),
    row("azurerm_mssql_server_security_alert_policy"),
    row("azurerm_mysql_firewall_rule")
        .facts(&[LETS_AZURE_IN, LETS_EVERYONE_IN])
        .examples(RULE_BAD, RULE_GOOD),
    row("azurerm_mysql_flexible_server")
        .exposed(&[Test::Absent("delegated_subnet_id"), PUBLIC_NETWORK])
        .opened_by(&[Opener {
            kind: "azurerm_mysql_flexible_server_firewall_rule",
            path: "server_name",
            subject: SERVER,
            opens: Opens::If(ADDRESSES),
        }])
        .stores()
        .encrypted(Always)
        .examples(
            r#"public_network_access_enabled = true
}
resource "azurerm_mysql_flexible_server_firewall_rule" "a" {
  server_name        = azurerm_mysql_flexible_server.a.name
  start_ip_address = "0.0.0.0"
  end_ip_address   = "255.255.255.255""#,
            "public_network_access_enabled = false",
        ),
    row("azurerm_mysql_flexible_server_firewall_rule")
        .facts(&[LETS_AZURE_IN, LETS_EVERYONE_IN])
        .examples(RULE_BAD, RULE_GOOD),
    row("azurerm_mysql_server")
        .exposed(&[PUBLIC_NETWORK])
        .opened_by(&[Opener {
            kind: "azurerm_mysql_firewall_rule",
            path: "server_name",
            subject: SERVER,
            opens: Opens::If(ADDRESSES),
        }])
        .stores()
        .encrypted(Always)
        .examples(
            r#"public_network_access_enabled = true
}
resource "azurerm_mysql_firewall_rule" "a" {
  server_name        = azurerm_mysql_server.a.name
  start_ip_address = "0.0.0.0"
  end_ip_address   = "255.255.255.255""#,
            "public_network_access_enabled = false",
        ),
    row("azurerm_network_interface")
        .network(Network::Part)
        .exposed(&[Test::Has("ip_configuration.public_ip_address_id")])
        .examples(
            r#"ip_configuration { public_ip_address_id = azurerm_public_ip.a.id }
}
resource "azurerm_public_ip" "a" { name = "shop" }
resource "azurerm_network_interface_security_group_association" "a" {
  network_interface_id      = azurerm_network_interface.a.id
  network_security_group_id = azurerm_network_security_group.a.id
}
resource "azurerm_network_security_group" "a" {
  security_rule {
    priority                   = 100
    direction                  = "Inbound"
    access                     = "Allow"
    protocol                   = "Tcp"
    source_address_prefix      = "*"
    source_port_range          = "*"
    destination_address_prefix = "*"
    destination_port_range     = "443"
  }"#,
            r#"ip_configuration { private_ip_address_allocation = "Dynamic" }"#,
        ),
    row("azurerm_network_interface_security_group_association")
        .decides(&["network_interface_id", "network_security_group_id"]),
    row("azurerm_network_security_group")
        .decides(&[
            "security_rule.access",
            "security_rule.destination_address_prefix",
            "security_rule.destination_address_prefixes",
            "security_rule.destination_port_range",
            "security_rule.destination_port_ranges",
            "security_rule.direction",
            "security_rule.priority",
            "security_rule.protocol",
            "security_rule.source_address_prefix",
            "security_rule.source_address_prefixes",
        ])
        .examples(
            r#"security_rule {
  priority                    = 100
  direction                   = "Inbound"
  access                      = "Allow"
  protocol                    = "Tcp"
  source_address_prefix       = "*"
  source_port_range           = "*"
  destination_address_prefix  = "*"
  destination_port_range      = "22"
}"#,
            r#"security_rule {
  priority                    = 100
  direction                   = "Inbound"
  access                      = "Allow"
  protocol                    = "Tcp"
  source_address_prefix       = "10.0.0.0/8"
  source_port_range           = "*"
  destination_address_prefix  = "*"
  destination_port_range      = "22"
}"#,
        ),
    row("azurerm_network_security_rule")
        .decides(&[
            "access",
            "destination_address_prefix",
            "destination_address_prefixes",
            "destination_port_range",
            "destination_port_ranges",
            "direction",
            "network_security_group_name",
            "priority",
            "protocol",
            "source_address_prefix",
            "source_address_prefixes",
        ])
        .examples(
            r#"priority                    = 100
direction                   = "Inbound"
access                      = "Allow"
protocol                    = "Tcp"
source_address_prefix       = "*"
source_port_range           = "*"
destination_address_prefix  = "*"
destination_port_range      = "22""#,
            r#"priority                    = 100
direction                   = "Inbound"
access                      = "Deny"
protocol                    = "Tcp"
source_address_prefix       = "*"
source_port_range           = "*"
destination_address_prefix  = "*"
destination_port_range      = "22""#,
        ),
    row("azurerm_network_watcher"),
    row("azurerm_network_watcher_flow_log"),
    row("azurerm_policy_assignment"),
    row("azurerm_policy_definition"),
    row("azurerm_postgresql_configuration"),
    row("azurerm_postgresql_database"),
    row("azurerm_postgresql_firewall_rule")
        .facts(&[LETS_AZURE_IN, LETS_EVERYONE_IN])
        .examples(RULE_BAD, RULE_GOOD),
    row("azurerm_postgresql_flexible_server")
        .exposed(&[Test::Absent("delegated_subnet_id"), PUBLIC_NETWORK])
        .opened_by(&[Opener {
            kind: "azurerm_postgresql_flexible_server_firewall_rule",
            path: "server_id",
            subject: SERVER,
            opens: Opens::If(ADDRESSES),
        }])
        .stores()
        .encrypted(Always)
        .examples(
            r#"public_network_access_enabled = true
}
resource "azurerm_postgresql_flexible_server_firewall_rule" "a" {
  server_id        = azurerm_postgresql_flexible_server.a.id
  start_ip_address = "0.0.0.0"
  end_ip_address   = "255.255.255.255""#,
            "public_network_access_enabled = false",
        ),
    row("azurerm_postgresql_flexible_server_firewall_rule")
        .facts(&[LETS_AZURE_IN, LETS_EVERYONE_IN])
        .examples(RULE_BAD, RULE_GOOD),
    row("azurerm_postgresql_server")
        .exposed(&[PUBLIC_NETWORK])
        .opened_by(&[Opener {
            kind: "azurerm_postgresql_firewall_rule",
            path: "server_name",
            subject: SERVER,
            opens: Opens::If(ADDRESSES),
        }])
        .stores()
        .encrypted(Always)
        .examples(
            r#"public_network_access_enabled = true
}
resource "azurerm_postgresql_firewall_rule" "a" {
  server_name        = azurerm_postgresql_server.a.name
  start_ip_address = "0.0.0.0"
  end_ip_address   = "255.255.255.255""#,
            "public_network_access_enabled = false",
        ),
    row("azurerm_private_dns_zone"),
    row("azurerm_private_dns_zone_virtual_network_link"),
    row("azurerm_private_endpoint"),
    row("azurerm_public_ip"),
    row("azurerm_redis_cache")
        .narrowed_by(&[Opener {
            kind: "azurerm_redis_firewall_rule",
            path: "redis_cache_name",
            subject: CACHE,
            opens: Opens::If(&[Test::Span("start_ip", "end_ip")]),
        }])
        .exposed(&[PUBLIC_NETWORK, Test::Absent("subnet_id")])
        .stores()
        .encrypted(Always)
        .examples(r#"name = "shop""#, "public_network_access_enabled = false"),
    row("azurerm_redis_firewall_rule")
        .facts(&[fact(GROUP, High, &[Test::Span("start_ip", "end_ip")], OPEN)])
        .examples(
            r#"start_ip = "0.0.0.0"
end_ip   = "255.255.255.255""#,
            r#"start_ip = "198.51.100.1"
end_ip   = "198.51.100.9""#,
        ),
    row("azurerm_resource_group"),
    row("azurerm_role_assignment")
        .decides(&["role_definition_id", "role_definition_name", "scope"])
        .examples(
            r#"role_definition_name = "Owner""#,
            r#"role_definition_name = "Reader""#,
        ),
    row("azurerm_role_definition")
        .decides(&[
            "permissions.actions",
            "permissions.data_actions",
            "permissions.not_actions",
            "permissions.not_data_actions",
        ])
        .examples(
            r#"permissions { actions = ["*"] }"#,
            r#"permissions { actions = ["Microsoft.Compute/virtualMachines/read"] }"#,
        ),
    row("azurerm_route_table"),
    row("azurerm_security_center_contact"),
    row("azurerm_security_center_subscription_pricing"),
    row("azurerm_service_plan"),
    row("azurerm_sql_firewall_rule")
        .facts(&[LETS_AZURE_IN, LETS_EVERYONE_IN])
        .examples(RULE_BAD, RULE_GOOD),
    row("azurerm_sql_server")
        .exposed(&[Test::Always])
        .opened_by(&[Opener {
            kind: "azurerm_sql_firewall_rule",
            path: "server_name",
            subject: SERVER,
            opens: Opens::If(ADDRESSES),
        }])
        .stores()
        .encrypted(Always)
        .examples(
            r#"public_network_access_enabled = true
}
resource "azurerm_sql_firewall_rule" "a" {
  server_name        = azurerm_sql_server.a.name
  start_ip_address = "0.0.0.0"
  end_ip_address   = "255.255.255.255""#,
            r#"name = "shop""#,
        ),
    row("azurerm_storage_account")
        .decides(&["network_rules.default_action", "network_rules.ip_rules"])
        .stores()
        .encrypted(Always)
        .facts(&[fact(
            BUCKET,
            Medium,
            &[Test::Is(NESTED, true, None), PUBLIC_NETWORK],
            "Its containers may be made public: `allow_nested_items_to_be_public` is true.",
        )])
        .renamed(&[("allow_blob_public_access", NESTED)])
        .defaults(&[since(
            NESTED,
            &[((2, 30, 0), false), ((3, 0, 0), true), ((5, 0, 0), false)],
        )])
        .examples(
            "allow_nested_items_to_be_public = true",
            "allow_nested_items_to_be_public = false",
        ),
    row("azurerm_storage_account_network_rules").decides(&["default_action", "ip_rules"]),
    row("azurerm_storage_container")
        .facts(&[fact(
            BUCKET,
            High,
            &[Test::OneOf(
                "container_access_type",
                &["blob", "container"],
                false,
            )],
            "Everyone on the internet can read it.",
        )])
        .examples(
            r#"container_access_type = "blob""#,
            r#"container_access_type = "private""#,
        ),
    row("azurerm_subnet")
        .network(Network::Part)
        .decides(&["name"]),
    row("azurerm_subnet_network_security_group_association")
        .decides(&["network_security_group_id", "subnet_id"]),
    row("azurerm_subnet_route_table_association"),
    row("azurerm_synapse_firewall_rule")
        .facts(&[LETS_AZURE_IN, LETS_EVERYONE_IN])
        .examples(RULE_BAD, RULE_GOOD),
    row("azurerm_user_assigned_identity"),
    row("azurerm_virtual_machine"),
    row("azurerm_virtual_network").network(Network::Whole),
    row("azurerm_windows_function_app")
        .exposed(&[PUBLIC_NETWORK, RESTRICTIONS])
        .links(&[
            reads("app_settings"),
            reads("connection_string"),
            reads("storage_account"),
        ])
        .examples(
            r#"site_config { ip_restriction_default_action = "Allow" }"#,
            "public_network_access_enabled = false",
        ),
    row("azurerm_windows_virtual_machine"),
    row("azurerm_windows_virtual_machine_scale_set")
        .exposed(&[
            Test::Has("network_interface.ip_configuration.public_ip_address"),
            Test::Undecided(GROUPS),
        ])
        .examples(
            r#"network_interface {
  ip_configuration {
    public_ip_address { name = "shop" }
  }
}"#,
            r#"network_interface {
  ip_configuration { primary = true }
}"#,
        ),
    row("azurerm_windows_web_app")
        .exposed(&[PUBLIC_NETWORK, RESTRICTIONS])
        .links(&[
            reads("app_settings"),
            reads("connection_string"),
            reads("storage_account"),
        ])
        .examples(
            r#"site_config { ip_restriction_default_action = "Allow" }"#,
            "public_network_access_enabled = false",
        ),
];
