//! What is known of each type of resource of AWS. Source: the documentation of the Terraform provider `hashicorp/aws`.

use super::super::encryption::Encryption::{Always, Blocks, Flag, FlagUnless, Flags, Never, Word};
use super::super::facts::{POLICY, fact};
use super::super::table::Test;
use super::links::{comes_from, configured_by, reads, routes_to, writes};
use super::row::{Behind, EVERY, Network, Placed, Port, ResourceType, row, since};
use crate::finding::Severity::{High, Medium};

const PUBLIC: Test = Test::Is("publicly_accessible", true, Some(false));
const ENDPOINT: Test = Test::Is("disable_execute_api_endpoint", false, Some(false));
const SHARED: &[Test] = &[Test::OneOf("group", &["all"], false)];
const SHARED_WITH: &[Test] = &[Test::OneOf("shared_accounts", &["all"], false)];
const MACHINE: Placed = Placed {
    address: "associate_public_ip_address",
    groups: &["vpc_security_group_ids", "security_groups"],
    subnet: Some("subnet_id"),
};
const POLICY_BAD: &str = r#"policy = jsonencode({ Statement = [{ Effect = "Allow", Principal = "*", Action = "*", Resource = "*" }] })"#;
const POLICY_GOOD: &str = r#"policy = jsonencode({ Statement = [{ Effect = "Allow", Principal = { AWS = "arn:aws:iam::123456789012:root" }, Action = "*", Resource = "*" }] })"#;

/// Every type, sorted by its name.
pub const TYPES: &[ResourceType] = &[
    row("aws_acm_certificate"),
    row("aws_acm_certificate_validation"),
    row("aws_acmpca_policy")
        .policy("policy")
        .examples(POLICY_BAD, POLICY_GOOD),
    row("aws_alb")
        .exposed(&[Test::Is("internal", false, Some(false))])
        .behind(Behind { groups: "security_groups", cluster: None, port: Port::Any })
        .examples(r#"name = "shop""#, "internal = true"),
    row("aws_alb_listener")
        .links(&[comes_from("load_balancer_arn"), routes_to("default_action")]),
    row("aws_alb_target_group"),
    row("aws_alb_target_group_attachment")
        .links(&[comes_from("target_group_arn"), routes_to("target_id")]),
    row("aws_ami")
        .encrypted(Blocks(&["ebs_block_device"], false))
        .examples(r#"ebs_block_device {
  device_name = "/dev/sda1"
  encrypted   = false
}"#, r#"ebs_block_device {
  device_name = "/dev/sda1"
  encrypted   = true
}"#),
    row("aws_ami_copy")
        .encrypted(Flag("encrypted", Some(false)))
        .examples("encrypted = false", "encrypted = true"),
    row("aws_ami_launch_permission")
        .facts(&[fact(POLICY, High, SHARED, "The image is shared with every account of AWS.")])
        .examples(r#"group = "all""#, r#"account_id = "123456789012""#),
    row("aws_amplify_app")
        .exposed(&[Test::Always])
        .examples(r#"name = "shop""#, ""),
    row("aws_api_gateway_deployment"),
    row("aws_api_gateway_integration")
        .links(&[comes_from("rest_api_id"), routes_to("connection_id"), routes_to("uri"), reads("request_parameters"), reads("request_templates")]),
    row("aws_api_gateway_method")
        .decides(&["api_key_required", "authorization", "http_method", "rest_api_id"])
        .examples(r#"http_method   = "POST"
authorization = "NONE""#, r#"http_method   = "POST"
authorization = "AWS_IAM""#),
    row("aws_api_gateway_resource"),
    row("aws_api_gateway_rest_api")
        .exposed(&[Test::IsNot("endpoint_configuration.types", "PRIVATE"), ENDPOINT])
        .policy("policy")
        .examples(r#"name = "shop"
policy = jsonencode({ Statement = [{ Effect = "Allow", Principal = "*", Action = "execute-api:Invoke", Resource = "*" }] })"#, r#"endpoint_configuration { types = ["PRIVATE"] }"#),
    row("aws_api_gateway_rest_api_policy")
        .policy("policy")
        .examples(POLICY_BAD, POLICY_GOOD),
    row("aws_api_gateway_stage"),
    row("aws_apigatewayv2_api")
        .exposed(&[ENDPOINT])
        .examples(r#"protocol_type = "HTTP""#, "disable_execute_api_endpoint = true"),
    row("aws_apigatewayv2_integration")
        .links(&[comes_from("api_id"), routes_to("connection_id"), routes_to("integration_uri"), writes("request_parameters")]),
    row("aws_apigatewayv2_route")
        .decides(&["api_id", "authorization_type", "route_key"])
        .examples(r#"route_key = "POST /admin""#, r#"route_key          = "POST /admin"
authorization_type = "AWS_IAM""#),
    row("aws_apigatewayv2_stage"),
    row("aws_appautoscaling_policy"),
    row("aws_appautoscaling_target"),
    row("aws_apprunner_service")
        .exposed(&[Test::Is( "network_configuration.ingress_configuration.is_publicly_accessible", true, Some(true), )])
        .runs_as("instance_configuration.instance_role_arn")
        .links(&[reads("source_configuration"), configured_by("source_configuration.authentication_configuration"), configured_by("source_configuration.image_repository.image_identifier")])
        .examples(r#"service_name = "shop""#, r#"network_configuration {
  ingress_configuration { is_publicly_accessible = false }
}"#),
    row("aws_appsync_datasource")
        .runs_as("service_role_arn")
        .links(&[comes_from("api_id"), reads("dynamodb_config"), reads("elasticsearch_config"), reads("http_config"), reads("lambda_config"), reads("opensearchservice_config"), reads("relational_database_config"), writes("event_bridge_config")]),
    row("aws_appsync_graphql_api")
        .exposed(&[Test::IsNot("visibility", "PRIVATE")])
        .examples(r#"name = "shop""#, r#"visibility = "PRIVATE""#),
    row("aws_appsync_resolver")
        .links(&[comes_from("api_id"), reads("data_source"), reads("pipeline_config"), reads("request_template"), reads("code")]),
    row("aws_autoscaling_attachment")
        .links(&[comes_from("alb_target_group_arn"), comes_from("elb"), comes_from("lb_target_group_arn"), routes_to("autoscaling_group_name")]),
    row("aws_autoscaling_group")
        .links(&[comes_from("load_balancers"), comes_from("target_group_arns"), comes_from("traffic_source"), routes_to("launch_configuration"), routes_to("launch_template"), routes_to("mixed_instances_policy")]),
    row("aws_autoscaling_policy"),
    row("aws_backup_vault")
        .stores()
        .encrypted(Always),
    row("aws_backup_vault_policy")
        .policy("policy")
        .examples(POLICY_BAD, POLICY_GOOD),
    row("aws_batch_job_definition")
        .links(&[reads("container_properties"), reads("ecs_properties"), reads("node_properties"), reads("parameters")]),
    row("aws_cloudfront_distribution")
        .exposed(&[Test::Is("enabled", true, None)])
        .links(&[routes_to("default_cache_behavior"), routes_to("ordered_cache_behavior"), routes_to("origin")])
        .examples("enabled = true", "enabled = false"),
    row("aws_cloudwatch_event_bus_policy")
        .policy("policy")
        .examples(POLICY_BAD, POLICY_GOOD),
    row("aws_cloudwatch_event_permission")
        .facts(&[fact(POLICY, High, &[Test::Equals("principal", "*"), Test::Lacks("condition")], "Every account of AWS can send events.")])
        .examples(r#"principal = "*""#, r#"principal = "123456789012""#),
    row("aws_cloudwatch_event_rule"),
    row("aws_cloudwatch_event_target"),
    row("aws_cloudwatch_log_destination_policy")
        .policy("access_policy")
        .examples(r#"access_policy = jsonencode({ Statement = [{ Effect = "Allow", Principal = "*", Action = "*", Resource = "*" }] })"#, r#"access_policy = jsonencode({ Statement = [{ Effect = "Allow", Principal = { AWS = "arn:aws:iam::123456789012:root" }, Action = "*", Resource = "*" }] })"#),
    row("aws_cloudwatch_log_group"),
    row("aws_cloudwatch_log_resource_policy")
        .policy("policy_document")
        .examples(r#"policy_document = jsonencode({ Statement = [{ Effect = "Allow", Principal = "*", Action = "*", Resource = "*" }] })"#, r#"policy_document = jsonencode({ Statement = [{ Effect = "Allow", Principal = { AWS = "arn:aws:iam::123456789012:root" }, Action = "*", Resource = "*" }] })"#),
    row("aws_cloudwatch_metric_alarm"),
    row("aws_codeartifact_domain_permissions_policy")
        .policy("policy_document")
        .examples(r#"policy_document = jsonencode({ Statement = [{ Effect = "Allow", Principal = "*", Action = "*", Resource = "*" }] })"#, r#"policy_document = jsonencode({ Statement = [{ Effect = "Allow", Principal = { AWS = "arn:aws:iam::123456789012:root" }, Action = "*", Resource = "*" }] })"#),
    row("aws_codeartifact_repository_permissions_policy")
        .policy("policy_document")
        .examples(r#"policy_document = jsonencode({ Statement = [{ Effect = "Allow", Principal = "*", Action = "*", Resource = "*" }] })"#, r#"policy_document = jsonencode({ Statement = [{ Effect = "Allow", Principal = { AWS = "arn:aws:iam::123456789012:root" }, Action = "*", Resource = "*" }] })"#),
    row("aws_codebuild_project")
        .facts(&[fact(POLICY, Medium, &[Test::Equals("project_visibility", "PUBLIC_READ")], "Everyone on the internet can read its builds and logs.")])
        .runs_as("service_role")
        .examples(r#"project_visibility = "PUBLIC_READ""#, r#"project_visibility = "PRIVATE""#),
    row("aws_dax_cluster")
        .stores()
        .encrypted(Flag("server_side_encryption.enabled", Some(false)))
        .examples(r#"cluster_name = "shop""#, "server_side_encryption { enabled = true }"),
    row("aws_db_cluster_snapshot")
        .facts(&[fact(POLICY, High, SHARED_WITH, "The snapshot is shared with every account of AWS.")])
        .examples(r#"shared_accounts = ["all"]"#, r#"shared_accounts = ["123456789012"]"#),
    row("aws_db_instance")
        .exposed(&[PUBLIC])
        .behind(Behind { groups: "vpc_security_group_ids", cluster: None, port: Port::OfEngine })
        .stores()
        .encrypted(Flag("storage_encrypted", Some(false)))
        .examples(r#"publicly_accessible = true
storage_encrypted = false"#, r#"publicly_accessible = false
storage_encrypted = true"#),
    row("aws_db_option_group"),
    row("aws_db_parameter_group"),
    row("aws_db_snapshot")
        .facts(&[fact(POLICY, High, SHARED_WITH, "The snapshot is shared with every account of AWS.")])
        .examples(r#"shared_accounts = ["all"]"#, r#"shared_accounts = ["123456789012"]"#),
    row("aws_db_snapshot_copy")
        .facts(&[fact(POLICY, High, SHARED_WITH, "The snapshot is shared with every account of AWS.")])
        .examples(r#"shared_accounts = ["all"]"#, r#"shared_accounts = ["123456789012"]"#),
    row("aws_db_subnet_group").network(Network::Part),
    row("aws_default_route_table"),
    row("aws_default_security_group").network(Network::Part)
        .decides(&["ingress.cidr_blocks", "ingress.from_port", "ingress.ipv6_cidr_blocks", "ingress.prefix_list_ids", "ingress.protocol", "ingress.to_port"]),
    row("aws_default_subnet").network(Network::Part).decides(&["map_public_ip_on_launch"]),
    row("aws_default_vpc").network(Network::Whole),
    row("aws_dms_replication_instance")
        .exposed(&[PUBLIC])
        .behind(Behind { groups: "vpc_security_group_ids", cluster: None, port: Port::Any })
        .examples("publicly_accessible = true", "publicly_accessible = false"),
    row("aws_docdb_cluster")
        .stores()
        .encrypted(Flag("storage_encrypted", Some(false)))
        .examples("storage_encrypted = false", "storage_encrypted = true"),
    row("aws_docdb_cluster_instance")
        .exposed(&[PUBLIC])
        .behind(Behind { groups: "vpc_security_group_ids", cluster: Some("cluster_identifier"), port: Port::Default(27017) })
        .examples("publicly_accessible = true", "publicly_accessible = false"),
    row("aws_docdb_subnet_group").network(Network::Part),
    row("aws_docdbelastic_cluster")
        .stores()
        .encrypted(Always),
    row("aws_dynamodb_global_table")
        .stores()
        .encrypted(Always),
    row("aws_dynamodb_resource_policy")
        .policy("policy")
        .examples(POLICY_BAD, POLICY_GOOD),
    row("aws_dynamodb_table")
        .stores()
        .encrypted(Always),
    row("aws_ebs_encryption_by_default").decides(&["enabled"]),
    row("aws_ebs_snapshot_copy")
        .encrypted(Flag("encrypted", Some(false)))
        .examples("encrypted = false", "encrypted = true"),
    row("aws_ebs_volume")
        .stores()
        .encrypted(Flag("encrypted", Some(false)))
        .examples("encrypted = false", "encrypted = true"),
    row("aws_ec2_client_vpn_endpoint")
        .exposed(&[Test::Always])
        .examples(r#"description = "office""#, ""),
    row("aws_ec2_managed_prefix_list").decides(&["entry.cidr"]),
    row("aws_ec2_managed_prefix_list_entry").decides(&["cidr", "prefix_list_id"]),
    row("aws_ecr_registry_policy")
        .policy("policy")
        .examples(POLICY_BAD, POLICY_GOOD),
    row("aws_ecr_repository")
        .encrypted(Always),
    row("aws_ecr_repository_policy")
        .policy("policy")
        .examples(POLICY_BAD, POLICY_GOOD),
    row("aws_ecrpublic_repository_policy")
        .policy("policy")
        .examples(POLICY_BAD, POLICY_GOOD),
    row("aws_ecs_cluster"),
    row("aws_ecs_service")
        .placed(Placed { address: "network_configuration.assign_public_ip", groups: &["network_configuration.security_groups"], subnet: None })
        .links(&[comes_from("load_balancer"), routes_to("task_definition")])
        .examples(r#"network_configuration {
  assign_public_ip = true
  security_groups  = [aws_security_group.a.id]
}
}
resource "aws_security_group" "a" {
  ingress {
    from_port   = 443
    to_port     = 443
    protocol    = "tcp"
    cidr_blocks = ["0.0.0.0/0"]
  }"#, "network_configuration { assign_public_ip = false }"),
    row("aws_ecs_task_definition")
        .runs_as("task_role_arn")
        .links(&[reads("container_definitions"), reads("volume")]),
    row("aws_efs_file_system")
        .stores()
        .encrypted(Flag("encrypted", Some(false)))
        .examples("encrypted = false", "encrypted = true"),
    row("aws_efs_file_system_policy")
        .policy("policy")
        .examples(POLICY_BAD, POLICY_GOOD),
    row("aws_egress_only_internet_gateway"),
    row("aws_eip").decides(&["instance", "network_interface"]),
    row("aws_eip_association").decides(&["instance_id", "network_interface_id"]),
    row("aws_eks_cluster")
        .exposed(&[Test::Is("vpc_config.endpoint_public_access", true, Some(true)), Test::Internet("vpc_config.public_access_cidrs", true)])
        .examples("vpc_config { endpoint_public_access = true }", r#"vpc_config {
  endpoint_public_access = true
  public_access_cidrs    = ["198.51.100.0/24"]
}"#),
    row("aws_elastic_beanstalk_environment")
        .exposed(&[Test::Always])
        .links(&[reads("setting")])
        .examples(r#"tier = "WebServer""#, r#"tier = "Worker""#),
    row("aws_elasticache_cluster")
        .stores()
        .encrypted(Never("engine", "memcached"))
        .examples(r#"engine = "redis""#, r#"engine = "memcached""#),
    row("aws_elasticache_parameter_group"),
    row("aws_elasticache_replication_group")
        .stores()
        .encrypted(FlagUnless("at_rest_encryption_enabled", "engine", "valkey"))
        .examples(r#"engine = "redis""#, "at_rest_encryption_enabled = true"),
    row("aws_elasticache_serverless_cache")
        .stores()
        .encrypted(Always),
    row("aws_elasticache_subnet_group").network(Network::Part),
    row("aws_elasticsearch_domain")
        .exposed(&[Test::Lacks("vpc_options")])
        .stores()
        .encrypted(Flag("encrypt_at_rest.enabled", Some(false)))
        .policy("access_policies")
        .confined(&[Test::Has("vpc_options")])
        .examples(r#"encrypt_at_rest { enabled = false }
access_policies = jsonencode({ Statement = [{ Effect = "Allow", Principal = "*", Action = "es:*", Resource = "*" }] })"#, r#"encrypt_at_rest { enabled = true }
vpc_options { subnet_ids = ["subnet-1"] }"#),
    row("aws_elasticsearch_domain_policy")
        .policy("access_policies")
        .examples(r#"access_policies = jsonencode({ Statement = [{ Effect = "Allow", Principal = "*", Action = "*", Resource = "*" }] })"#, r#"access_policies = jsonencode({ Statement = [{ Effect = "Allow", Principal = { AWS = "arn:aws:iam::123456789012:root" }, Action = "*", Resource = "*" }] })"#),
    row("aws_elb")
        .exposed(&[Test::Is("internal", false, Some(false))])
        .behind(Behind { groups: "security_groups", cluster: None, port: Port::Any })
        .links(&[routes_to("instances")])
        .examples(r#"name = "shop""#, "internal = true"),
    row("aws_elb_attachment")
        .links(&[comes_from("elb"), routes_to("instance")]),
    row("aws_flow_log"),
    row("aws_fsx_lustre_file_system")
        .stores()
        .encrypted(Always),
    row("aws_fsx_ontap_file_system")
        .stores()
        .encrypted(Always),
    row("aws_fsx_openzfs_file_system")
        .stores()
        .encrypted(Always),
    row("aws_fsx_windows_file_system")
        .stores()
        .encrypted(Always),
    row("aws_glacier_vault")
        .stores()
        .encrypted(Always)
        .policy("access_policy")
        .examples(r#"access_policy = jsonencode({ Statement = [{ Effect = "Allow", Principal = "*", Action = "*", Resource = "*" }] })"#, r#"access_policy = jsonencode({ Statement = [{ Effect = "Allow", Principal = { AWS = "arn:aws:iam::123456789012:root" }, Action = "*", Resource = "*" }] })"#),
    row("aws_globalaccelerator_accelerator")
        .exposed(&[Test::Is("enabled", true, Some(true))])
        .examples("enabled = true", "enabled = false"),
    row("aws_globalaccelerator_endpoint_group")
        .links(&[comes_from("listener_arn"), routes_to("endpoint_configuration")]),
    row("aws_globalaccelerator_listener")
        .links(&[comes_from("accelerator_arn")]),
    row("aws_glue_resource_policy")
        .policy("policy")
        .examples(POLICY_BAD, POLICY_GOOD),
    row("aws_iam_group"),
    row("aws_iam_group_membership"),
    row("aws_iam_group_policy")
        .grants("policy")
        .examples(r#"policy = jsonencode({ Statement = [{ Effect = "Allow", Action = "*", Resource = "*" }] })"#, r#"policy = jsonencode({ Statement = [{ Effect = "Allow", Action = "s3:GetObject", Resource = "arn:aws:s3:::shop/*" }] })"#),
    row("aws_iam_group_policy_attachment")
        .attaches("policy_arn")
        .examples(r#"policy_arn = "arn:aws:iam::aws:policy/AdministratorAccess""#, r#"policy_arn = "arn:aws:iam::aws:policy/ReadOnlyAccess""#),
    row("aws_iam_instance_profile"),
    row("aws_iam_openid_connect_provider")
        .decides(&["client_id_list", "url"]),
    row("aws_iam_policy")
        .grants("policy")
        .examples(r#"policy = jsonencode({ Statement = [{ Effect = "Allow", Action = "*", Resource = "*" }] })"#, r#"policy = jsonencode({ Statement = [{ Effect = "Allow", Action = "s3:GetObject", Resource = "arn:aws:s3:::shop/*" }] })"#),
    row("aws_iam_policy_attachment")
        .attaches("policy_arn")
        .examples(r#"policy_arn = "arn:aws:iam::aws:policy/AdministratorAccess""#, r#"policy_arn = "arn:aws:iam::aws:policy/ReadOnlyAccess""#),
    row("aws_iam_role")
        .grants("inline_policy.policy")
        .attaches("managed_policy_arns")
        .examples(r#"assume_role_policy = jsonencode({ Statement = [{ Effect = "Allow", Action = "sts:AssumeRole", Principal = "*" }] })
managed_policy_arns = ["arn:aws:iam::aws:policy/AdministratorAccess"]"#, r#"assume_role_policy = jsonencode({ Statement = [{ Effect = "Allow", Action = "sts:AssumeRole", Principal = { Service = "ec2.amazonaws.com" } }] })"#),
    row("aws_iam_role_policy")
        .grants("policy")
        .examples(r#"policy = jsonencode({ Statement = [{ Effect = "Allow", Action = "*", Resource = "*" }] })"#, r#"policy = jsonencode({ Statement = [{ Effect = "Allow", Action = "s3:GetObject", Resource = "arn:aws:s3:::shop/*" }] })"#),
    row("aws_iam_role_policy_attachment")
        .attaches("policy_arn")
        .examples(r#"policy_arn = "arn:aws:iam::aws:policy/AdministratorAccess""#, r#"policy_arn = "arn:aws:iam::aws:policy/ReadOnlyAccess""#),
    row("aws_iam_role_policy_attachments_exclusive")
        .attaches("policy_arns")
        .examples(r#"policy_arns = ["arn:aws:iam::aws:policy/AdministratorAccess"]"#, r#"policy_arns = ["arn:aws:iam::aws:policy/ReadOnlyAccess"]"#),
    row("aws_iam_service_linked_role"),
    row("aws_iam_user"),
    row("aws_iam_user_group_membership"),
    row("aws_iam_user_inline_policy")
        .grants("policy")
        .examples(r#"policy = jsonencode({ Statement = [{ Effect = "Allow", Action = "*", Resource = "*" }] })"#, r#"policy = jsonencode({ Statement = [{ Effect = "Allow", Action = "s3:GetObject", Resource = "arn:aws:s3:::shop/*" }] })"#),
    row("aws_iam_user_policy")
        .grants("policy")
        .examples(r#"policy = jsonencode({ Statement = [{ Effect = "Allow", Action = "*", Resource = "*" }] })"#, r#"policy = jsonencode({ Statement = [{ Effect = "Allow", Action = "s3:GetObject", Resource = "arn:aws:s3:::shop/*" }] })"#),
    row("aws_iam_user_policy_attachment")
        .attaches("policy_arn")
        .examples(r#"policy_arn = "arn:aws:iam::aws:policy/AdministratorAccess""#, r#"policy_arn = "arn:aws:iam::aws:policy/ReadOnlyAccess""#),
    row("aws_instance")
        .placed(MACHINE)
        .encrypted(Blocks(&["root_block_device", "ebs_block_device"], true))
        .links(&[reads("launch_template"), reads("provisioner"), reads("user_data"), reads("user_data_base64")])
        .examples(r#"root_block_device { encrypted = false }
associate_public_ip_address = false"#, r#"root_block_device { encrypted = true }
associate_public_ip_address = false"#),
    row("aws_internet_gateway"),
    row("aws_key_pair"),
    row("aws_keyspaces_table")
        .stores()
        .encrypted(Always),
    row("aws_kinesis_firehose_delivery_stream")
        .encrypted(Flag("server_side_encryption.enabled", Some(false)))
        .examples("server_side_encryption { enabled = false }", "server_side_encryption { enabled = true }"),
    row("aws_kinesis_resource_policy")
        .policy("policy")
        .examples(POLICY_BAD, POLICY_GOOD),
    row("aws_kinesis_stream")
        .encrypted(Word("encryption_type", "KMS"))
        .examples(r#"encryption_type = "NONE""#, r#"encryption_type = "KMS""#),
    row("aws_kms_alias"),
    row("aws_kms_external_key")
        .policy("policy")
        .examples(POLICY_BAD, POLICY_GOOD),
    row("aws_kms_key")
        .policy("policy")
        .examples(POLICY_BAD, POLICY_GOOD),
    row("aws_kms_key_policy")
        .policy("policy")
        .examples(POLICY_BAD, POLICY_GOOD),
    row("aws_kms_replica_key")
        .policy("policy")
        .examples(POLICY_BAD, POLICY_GOOD),
    row("aws_lambda_alias")
        .links(&[routes_to("function_name")]),
    row("aws_lambda_event_source_mapping"),
    row("aws_lambda_function")
        .runs_as("role")
        .links(&[reads("environment"), reads("file_system_config"), writes("dead_letter_config")]),
    row("aws_lambda_function_url")
        .exposed(&[Test::Equals("authorization_type", "NONE")])
        .links(&[routes_to("function_name")])
        .examples(r#"authorization_type = "NONE""#, r#"authorization_type = "AWS_IAM""#),
    row("aws_lambda_layer_version"),
    row("aws_lambda_layer_version_permission")
        .facts(&[fact(POLICY, High, &[ Test::Equals("principal", "*"), Test::Absent("organization_id"), ], "Every account of AWS can use the layer.")])
        .examples(r#"principal = "*""#, r#"principal = "*"
organization_id = "o-1""#),
    row("aws_lambda_permission")
        .facts(&[fact(POLICY, High, &[ Test::Equals("principal", "*"), Test::Absent("source_arn"), Test::Absent("source_account"), Test::Absent("principal_org_id"), ], "Anyone can invoke the function.")])
        .examples(r#"principal = "*""#, r#"principal = "*"
source_account = "123456789012""#),
    row("aws_launch_configuration")
        .encrypted(Blocks(&["root_block_device", "ebs_block_device"], true))
        .links(&[reads("user_data"), reads("user_data_base64")])
        .examples("root_block_device { encrypted = false }", "root_block_device { encrypted = true }"),
    row("aws_launch_template")
        .encrypted(Blocks(&["block_device_mappings.ebs"], true))
        .links(&[reads("user_data"), reads("user_data_base64")])
        .examples(r#"block_device_mappings {
  ebs { encrypted = false }
}"#, r#"block_device_mappings {
  ebs { encrypted = true }
}"#),
    row("aws_lb")
        .exposed(&[Test::Is("internal", false, Some(false))])
        .behind(Behind { groups: "security_groups", cluster: None, port: Port::Any })
        .examples(r#"name = "shop""#, "internal = true"),
    row("aws_lb_listener")
        .links(&[comes_from("load_balancer_arn"), routes_to("default_action")]),
    row("aws_lb_listener_rule")
        .links(&[comes_from("listener_arn"), routes_to("action")]),
    row("aws_lb_target_group"),
    row("aws_lb_target_group_attachment")
        .links(&[comes_from("target_group_arn"), routes_to("target_id")]),
    row("aws_lightsail_container_service")
        .exposed(&[Test::Always])
        .examples(r#"name = "shop""#, ""),
    row("aws_lightsail_database")
        .exposed(&[PUBLIC])
        .stores()
        .encrypted(Always)
        .examples("publicly_accessible = true", "publicly_accessible = false"),
    row("aws_lightsail_distribution")
        .exposed(&[Test::Always])
        .examples(r#"name = "shop""#, ""),
    row("aws_lightsail_instance")
        .exposed(&[Test::Always])
        .links(&[reads("user_data")])
        .examples(r#"name = "shop""#, ""),
    row("aws_lightsail_lb")
        .exposed(&[Test::Always])
        .examples(r#"name = "shop""#, ""),
    row("aws_media_store_container_policy")
        .policy("policy")
        .examples(POLICY_BAD, POLICY_GOOD),
    row("aws_memorydb_cluster")
        .stores()
        .encrypted(Always),
    row("aws_mq_broker")
        .exposed(&[PUBLIC])
        .behind(Behind { groups: "security_groups", cluster: None, port: Port::Any })
        .encrypted(Always)
        .examples("publicly_accessible = true", "publicly_accessible = false"),
    row("aws_msk_cluster")
        .exposed(&[Test::Equals( "broker_node_group_info.connectivity_info.public_access.type", "SERVICE_PROVIDED_EIPS", )])
        .behind(Behind { groups: "broker_node_group_info.security_groups", cluster: None, port: Port::Any })
        .stores()
        .encrypted(Always)
        .examples(r#"broker_node_group_info {
  connectivity_info {
    public_access { type = "SERVICE_PROVIDED_EIPS" }
  }
}"#, r#"broker_node_group_info {
  connectivity_info {
    public_access { type = "DISABLED" }
  }
}"#),
    row("aws_msk_cluster_policy")
        .policy("policy")
        .examples(POLICY_BAD, POLICY_GOOD),
    row("aws_mwaa_environment")
        .exposed(&[Test::Equals("webserver_access_mode", "PUBLIC_ONLY")])
        .examples(r#"webserver_access_mode = "PUBLIC_ONLY""#, r#"webserver_access_mode = "PRIVATE_ONLY""#),
    row("aws_nat_gateway"),
    row("aws_neptune_cluster")
        .stores()
        .encrypted(Flag("storage_encrypted", Some(false)))
        .examples("storage_encrypted = false", "storage_encrypted = true"),
    row("aws_neptune_cluster_instance")
        .exposed(&[PUBLIC])
        .behind(Behind { groups: "vpc_security_group_ids", cluster: Some("cluster_identifier"), port: Port::Default(8182) })
        .examples("publicly_accessible = true", "publicly_accessible = false"),
    row("aws_neptune_subnet_group"),
    row("aws_network_interface").network(Network::Part),
    row("aws_network_interface_sg_attachment").decides(&["network_interface_id", "security_group_id"]),
    row("aws_networkfirewall_resource_policy")
        .policy("policy")
        .examples(POLICY_BAD, POLICY_GOOD),
    row("aws_opensearch_domain")
        .exposed(&[Test::Lacks("vpc_options")])
        .stores()
        .encrypted(Flag("encrypt_at_rest.enabled", Some(false)))
        .policy("access_policies")
        .confined(&[Test::Has("vpc_options")])
        .examples(r#"encrypt_at_rest { enabled = false }
access_policies = jsonencode({ Statement = [{ Effect = "Allow", Principal = "*", Action = "es:*", Resource = "*" }] })"#, r#"encrypt_at_rest { enabled = true }
vpc_options { subnet_ids = ["subnet-1"] }"#),
    row("aws_opensearch_domain_policy")
        .policy("access_policies")
        .examples(r#"access_policies = jsonencode({ Statement = [{ Effect = "Allow", Principal = "*", Action = "*", Resource = "*" }] })"#, r#"access_policies = jsonencode({ Statement = [{ Effect = "Allow", Principal = { AWS = "arn:aws:iam::123456789012:root" }, Action = "*", Resource = "*" }] })"#),
    row("aws_opensearchserverless_collection")
        .stores()
        .encrypted(Always),
    row("aws_organizations_resource_policy")
        .policy("content")
        .examples(r#"content = jsonencode({ Statement = [{ Effect = "Allow", Principal = "*", Action = "*", Resource = "*" }] })"#, r#"content = jsonencode({ Statement = [{ Effect = "Allow", Principal = { AWS = "arn:aws:iam::123456789012:root" }, Action = "*", Resource = "*" }] })"#),
    row("aws_placement_group"),
    row("aws_qldb_ledger")
        .stores()
        .encrypted(Always),
    row("aws_rds_cluster")
        .stores()
        .encrypted(FlagUnless("storage_encrypted", "engine_mode", "serverless"))
        .examples("storage_encrypted = false", "storage_encrypted = true"),
    row("aws_rds_cluster_instance")
        .exposed(&[PUBLIC])
        .behind(Behind { groups: "vpc_security_group_ids", cluster: Some("cluster_identifier"), port: Port::OfEngine })
        .examples("publicly_accessible = true", "publicly_accessible = false"),
    row("aws_rds_cluster_parameter_group"),
    row("aws_rds_global_cluster")
        .stores()
        .encrypted(Flag("storage_encrypted", Some(false)))
        .examples("storage_encrypted = false", "storage_encrypted = true"),
    row("aws_redshift_cluster")
        .exposed(&[Test::Is("publicly_accessible", true, None)])
        .behind(Behind { groups: "vpc_security_group_ids", cluster: None, port: Port::Default(5439) })
        .stores()
        .encrypted(Flag("encrypted", None))
        .defaults(&[since("publicly_accessible", &[(EVERY, true), ((6, 0, 0), false)]), since("encrypted", &[(EVERY, false), ((6, 0, 0), true)])])
        .examples(r#"publicly_accessible = true
encrypted = false"#, r#"publicly_accessible = false
encrypted = true"#),
    row("aws_redshift_resource_policy")
        .policy("policy")
        .examples(POLICY_BAD, POLICY_GOOD),
    row("aws_redshift_subnet_group").network(Network::Part),
    row("aws_redshiftserverless_namespace")
        .stores()
        .encrypted(Always),
    row("aws_redshiftserverless_workgroup")
        .exposed(&[PUBLIC])
        .examples("publicly_accessible = true", "publicly_accessible = false"),
    row("aws_route"),
    row("aws_route53_record"),
    row("aws_route53_zone"),
    row("aws_route_table"),
    row("aws_route_table_association"),
    row("aws_s3_access_point")
        .policy("policy")
        .confined(&[Test::Has("vpc_configuration"), Test::Is("public_access_block_configuration.block_public_policy", true, Some(true)), Test::Is("public_access_block_configuration.restrict_public_buckets", true, Some(true))])
        .examples(r#"policy = jsonencode({ Statement = [{ Effect = "Allow", Principal = "*", Action = "*", Resource = "*" }] })
public_access_block_configuration {
  block_public_policy     = false
  restrict_public_buckets = false
}"#, POLICY_GOOD),
    row("aws_s3_account_public_access_block").decides(&["block_public_acls", "block_public_policy", "ignore_public_acls", "restrict_public_buckets"]),
    row("aws_s3_bucket")
        .decides(&["acl", "grant.permissions", "grant.uri"])
        .stores()
        .encrypted(Always),
    row("aws_s3_bucket_accelerate_configuration"),
    row("aws_s3_bucket_acl")
        .decides(&["access_control_policy.grant.grantee.uri", "access_control_policy.grant.permission", "acl"]),
    row("aws_s3_bucket_cors_configuration"),
    row("aws_s3_bucket_lifecycle_configuration"),
    row("aws_s3_bucket_logging"),
    row("aws_s3_bucket_metric"),
    row("aws_s3_bucket_notification"),
    row("aws_s3_bucket_ownership_controls")
        .decides(&["rule.object_ownership"]),
    row("aws_s3_bucket_policy").decides(&["bucket"]),
    row("aws_s3_bucket_public_access_block").decides(&["block_public_acls", "block_public_policy", "ignore_public_acls", "restrict_public_buckets"]),
    row("aws_s3_bucket_server_side_encryption_configuration"),
    row("aws_s3_bucket_versioning"),
    row("aws_s3_bucket_website_configuration"),
    row("aws_s3_directory_bucket")
        .stores()
        .encrypted(Always),
    row("aws_s3control_access_point_policy")
        .policy("policy")
        .examples(POLICY_BAD, POLICY_GOOD),
    row("aws_s3control_bucket_policy")
        .policy("policy")
        .examples(POLICY_BAD, POLICY_GOOD),
    row("aws_s3control_multi_region_access_point_policy")
        .policy("details.policy")
        .examples(r#"details { policy = jsonencode({ Statement = [{ Effect = "Allow", Principal = "*", Action = "*", Resource = "*" }] }) }"#, r#"details { policy = jsonencode({ Statement = [{ Effect = "Allow", Principal = { AWS = "arn:aws:iam::123456789012:root" }, Action = "*", Resource = "*" }] }) }"#),
    row("aws_s3control_object_lambda_access_point_policy")
        .policy("policy")
        .examples(POLICY_BAD, POLICY_GOOD),
    row("aws_s3tables_table_bucket_policy")
        .policy("resource_policy")
        .examples(r#"resource_policy = jsonencode({ Statement = [{ Effect = "Allow", Principal = "*", Action = "*", Resource = "*" }] })"#, r#"resource_policy = jsonencode({ Statement = [{ Effect = "Allow", Principal = { AWS = "arn:aws:iam::123456789012:root" }, Action = "*", Resource = "*" }] })"#),
    row("aws_s3tables_table_policy")
        .policy("resource_policy")
        .examples(r#"resource_policy = jsonencode({ Statement = [{ Effect = "Allow", Principal = "*", Action = "*", Resource = "*" }] })"#, r#"resource_policy = jsonencode({ Statement = [{ Effect = "Allow", Principal = { AWS = "arn:aws:iam::123456789012:root" }, Action = "*", Resource = "*" }] })"#),
    row("aws_sagemaker_notebook_instance")
        .exposed(&[Test::OneOf("direct_internet_access", &["Enabled"], true)])
        .examples(r#"direct_internet_access = "Enabled""#, r#"direct_internet_access = "Disabled""#),
    row("aws_schemas_registry_policy")
        .policy("policy")
        .examples(POLICY_BAD, POLICY_GOOD),
    row("aws_secretsmanager_secret")
        .encrypted(Always)
        .policy("policy")
        .examples(POLICY_BAD, POLICY_GOOD),
    row("aws_secretsmanager_secret_policy")
        .policy("policy")
        .examples(POLICY_BAD, POLICY_GOOD),
    row("aws_secretsmanager_secret_version"),
    row("aws_security_group").network(Network::Part)
        .decides(&["ingress.cidr_blocks", "ingress.from_port", "ingress.ipv6_cidr_blocks", "ingress.prefix_list_ids", "ingress.protocol", "ingress.to_port"]),
    row("aws_security_group_rule")
        .decides(&["prefix_list_ids"]),
    row("aws_ses_identity_policy")
        .policy("policy")
        .examples(POLICY_BAD, POLICY_GOOD),
    row("aws_sesv2_email_identity_policy")
        .policy("policy")
        .examples(POLICY_BAD, POLICY_GOOD),
    row("aws_sfn_state_machine")
        .runs_as("role_arn")
        .links(&[reads("definition")]),
    row("aws_snapshot_create_volume_permission")
        .facts(&[fact(POLICY, High, &[Test::Equals("account_id", "all")], "The snapshot is shared with every account of AWS.")])
        .examples(r#"account_id = "all""#, r#"account_id = "123456789012""#),
    row("aws_sns_topic")
        .encrypted(Always),
    row("aws_sns_topic_policy").decides(&["arn"]),
    row("aws_spot_instance_request")
        .placed(MACHINE)
        .encrypted(Blocks(&["root_block_device", "ebs_block_device"], true))
        .links(&[reads("launch_template"), reads("provisioner"), reads("user_data"), reads("user_data_base64")])
        .examples(r#"root_block_device { encrypted = false }
associate_public_ip_address = false"#, r#"root_block_device { encrypted = true }
associate_public_ip_address = false"#),
    row("aws_sqs_queue")
        .encrypted(Flag("sqs_managed_sse_enabled", Some(true)))
        .examples("sqs_managed_sse_enabled = false", "sqs_managed_sse_enabled = true"),
    row("aws_sqs_queue_policy").decides(&["queue_url"]),
    row("aws_ssm_document")
        .facts(&[fact(POLICY, High, &[Test::OneOf( "permissions.account_ids", &["All", "all"], false, )], "The document is shared with every account of AWS.")])
        .examples(r#"permissions = {
  type        = "Share"
  account_ids = "All"
}"#, r#"permissions = {
  type        = "Share"
  account_ids = "123456789012"
}"#),
    row("aws_ssoadmin_managed_policy_attachment")
        .attaches("managed_policy_arn")
        .examples(r#"managed_policy_arn = "arn:aws:iam::aws:policy/AdministratorAccess""#, r#"managed_policy_arn = "arn:aws:iam::aws:policy/ReadOnlyAccess""#),
    row("aws_ssoadmin_permission_set_inline_policy")
        .grants("inline_policy")
        .examples(r#"inline_policy = jsonencode({ Statement = [{ Effect = "Allow", Action = "*", Resource = "*" }] })"#, r#"inline_policy = jsonencode({ Statement = [{ Effect = "Allow", Action = "s3:GetObject", Resource = "arn:aws:s3:::shop/*" }] })"#),
    row("aws_subnet").network(Network::Part).decides(&["map_public_ip_on_launch"]),
    row("aws_timestreamwrite_table")
        .stores()
        .encrypted(Always),
    row("aws_transfer_server").exposed(&[Test::Any(&[Test::OneOf("endpoint_type", &["PUBLIC"], true), Test::Has("endpoint_details.address_allocation_ids")])])
        .examples(r#"endpoint_type = "PUBLIC""#, r#"endpoint_type = "VPC""#),
    row("aws_volume_attachment"),
    row("aws_vpc").network(Network::Whole),
    row("aws_vpc_dhcp_options"),
    row("aws_vpc_endpoint_service")
        .facts(&[fact(POLICY, Medium, &[ Test::OneOf("allowed_principals", &["*"], false), Test::Is("acceptance_required", false, Some(false)), ], "Every account of AWS can connect to it.")])
        .examples(r#"allowed_principals = ["*"]"#, r#"allowed_principals = ["arn:aws:iam::123456789012:root"]"#),
    row("aws_vpc_endpoint_service_allowed_principal")
        .facts(&[fact(POLICY, Medium, &[Test::Equals("principal_arn", "*")], "Every account of AWS may ask to connect to the service.")])
        .examples(r#"principal_arn = "*""#, r#"principal_arn = "arn:aws:iam::123456789012:root""#),
    row("aws_vpc_peering_connection"),
    row("aws_vpc_security_group_egress_rule"),
    row("aws_vpc_security_group_ingress_rule")
        .decides(&["prefix_list_id"]),
    row("aws_vpclattice_resource_policy")
        .policy("policy")
        .examples(POLICY_BAD, POLICY_GOOD),
    row("aws_workspaces_workspace")
        .encrypted(Flags(&[ "root_volume_encryption_enabled", "user_volume_encryption_enabled", ]))
        .examples("root_volume_encryption_enabled = true", r#"root_volume_encryption_enabled = true
user_volume_encryption_enabled = true"#),
];
