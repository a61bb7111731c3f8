//! What is known of each type of resource of Google. Source: the documentation of the Terraform provider `hashicorp/google`.

use super::super::encryption::Encryption::Always;
use super::super::facts::{BUCKET, POLICY, fact};
use super::super::named::{FUNCTION_OF_GOOGLE, RUN, Subject};
use super::super::table::Test;
use super::links::{configured_by, reads};
use super::row::{Network, Opener, Opens, ResourceType, row};
use crate::finding::Severity::{High, Medium};

const EVERYONE: &[&str] = &["allUsers", "allAuthenticatedUsers"];
/// A member that is everyone.
pub const MEMBER: &[Test] = &[Test::OneOf("member", EVERYONE, false)];
/// Members one of which is everyone.
pub const MEMBERS: &[Test] = &[Test::OneOf("members", EVERYONE, false)];
/// What both find.
pub const GRANTED: &str = "Everyone on the internet is a member of a role.";
/// Entries of an ACL that let everyone in.
const ENTITIES: &[&str] = &[
    "OWNER:allAuthenticatedUsers",
    "OWNER:allUsers",
    "READER:allAuthenticatedUsers",
    "READER:allUsers",
    "WRITER:allAuthenticatedUsers",
    "WRITER:allUsers",
];
const PUBLIC_ACLS: &[&str] = &["publicRead", "publicReadWrite", "authenticatedRead"];
const fn opener(kind: &'static str, path: &'static str, subject: Subject, opens: Opens) -> Opener {
    Opener {
        kind,
        path,
        subject,
        opens,
    }
}

const ONE: Opens = Opens::If(MEMBER);
const SEVERAL: Opens = Opens::If(MEMBERS);
const POLICIES: Opens = Opens::IfBinding(MEMBERS);

/// The three forms of a grant: to several members, to one, and by a policy.
const fn grants(kinds: [&'static str; 3], path: &'static str, subject: Subject) -> [Opener; 3] {
    let [binding, member, policy] = kinds;
    [
        opener(binding, path, subject, SEVERAL),
        opener(member, path, subject, ONE),
        opener(policy, path, subject, POLICIES),
    ]
}

/// Who may call a service of Cloud Run, which nobody may by default.
const RUN_INVOKERS: [Opener; 3] = grants(
    [
        "google_cloud_run_service_iam_binding",
        "google_cloud_run_service_iam_member",
        "google_cloud_run_service_iam_policy",
    ],
    "service",
    RUN,
);
const RUN_V2_GRANTS: [Opener; 3] = grants(
    [
        "google_cloud_run_v2_service_iam_binding",
        "google_cloud_run_v2_service_iam_member",
        "google_cloud_run_v2_service_iam_policy",
    ],
    "name",
    RUN,
);
const GEN2_GRANTS: [Opener; 3] = grants(
    [
        "google_cloudfunctions2_function_iam_binding",
        "google_cloudfunctions2_function_iam_member",
        "google_cloudfunctions2_function_iam_policy",
    ],
    "cloud_function",
    RUN,
);
/// The same of the second version, and of a function of the second generation, which is such a service.
const RUN_V2_INVOKERS: [Opener; 7] = {
    let [binding, member, policy] = RUN_INVOKERS;
    let [binding2, member2, policy2] = RUN_V2_GRANTS;
    let own = opener(
        "google_cloud_run_v2_service",
        "",
        RUN,
        Opens::If(&[Test::Is("invoker_iam_disabled", true, Some(false))]),
    );
    [own, binding, member, policy, binding2, member2, policy2]
};
const GEN2_INVOKERS: [Opener; 9] = {
    let [_, binding, member, policy, binding2, member2, policy2] = RUN_V2_INVOKERS;
    let [own_binding, own_member, own_policy] = GEN2_GRANTS;
    [
        binding,
        member,
        policy,
        binding2,
        member2,
        policy2,
        own_binding,
        own_member,
        own_policy,
    ]
};
const GEN1_INVOKERS: [Opener; 3] = grants(
    [
        "google_cloudfunctions_function_iam_binding",
        "google_cloudfunctions_function_iam_member",
        "google_cloudfunctions_function_iam_policy",
    ],
    "cloud_function",
    FUNCTION_OF_GOOGLE,
);

/// Every type, sorted by its name.
pub const TYPES: &[ResourceType] = &[
    row("google_artifact_registry_repository")
        .encrypted(Always),
    row("google_bigquery_dataset")
        .stores()
        .encrypted(Always)
        .facts(&[fact(POLICY, High, &[Test::OneOf( "access.special_group", &["allAuthenticatedUsers", "allUsers"], false, )], "Everyone on the internet can use the dataset."), fact(POLICY, High, &[Test::OneOf("access.iam_member", EVERYONE, false)], "Everyone on the internet can use the dataset.")])
        .examples(r#"access {
  role          = "READER"
  special_group = "allAuthenticatedUsers"
}"#, r#"access {
  role          = "READER"
  special_group = "projectReaders"
}"#),
    row("google_bigquery_dataset_access")
        .facts(&[fact(POLICY, High, &[Test::OneOf( "special_group", &["allAuthenticatedUsers", "allUsers"], false, )], "Everyone on the internet can use the dataset."), fact(POLICY, High, &[Test::OneOf("iam_member", EVERYONE, false)], "Everyone on the internet can use the dataset.")])
        .examples(r#"special_group = "allAuthenticatedUsers""#, r#"special_group = "projectReaders""#),
    row("google_bigquery_table"),
    row("google_bigtable_instance")
        .stores()
        .encrypted(Always),
    row("google_cloud_run_service")
        .exposed(&[Test::Entry("metadata.annotations", "run.googleapis.com/ingress", &["all"], true)])
        .opened_by(&RUN_INVOKERS)
        .links(&[reads("metadata"), reads("template"), configured_by("template.spec.containers.image"), configured_by("template.spec.service_account_name")])
        .examples(r#"name = "shop"
}
resource "google_cloud_run_service_iam_member" "a" {
  service = google_cloud_run_service.a.name
  role   = "roles/run.invoker"
  member = "allUsers""#, r#"name = "shop"
}
resource "google_cloud_run_service_iam_member" "a" {
  service = google_cloud_run_service.a.name
  role   = "roles/run.invoker"
  member = "user:ann@example.com""#),
    row("google_cloud_run_service_iam_member")
        .facts(&[fact(POLICY, Medium, MEMBER, GRANTED)])
        .examples(r#"member = "allUsers""#, r#"member = "user:ann@example.com""#),
    row("google_cloud_run_v2_service")
        .exposed(&[Test::OneOf("ingress", &["INGRESS_TRAFFIC_ALL"], true)])
        .opened_by(&RUN_V2_INVOKERS)
        .links(&[reads("template"), configured_by("template.containers.image"), configured_by("template.encryption_key"), configured_by("template.service_account"), configured_by("template.vpc_access")])
        .examples(r#"name = "shop"
}
resource "google_cloud_run_v2_service_iam_member" "a" {
  name = google_cloud_run_v2_service.a.name
  role   = "roles/run.invoker"
  member = "allUsers""#, r#"name = "shop"
}
resource "google_cloud_run_v2_service_iam_member" "a" {
  name = google_cloud_run_v2_service.a.name
  role   = "roles/run.invoker"
  member = "user:ann@example.com""#),
    row("google_cloud_run_v2_service_iam_member")
        .facts(&[fact(POLICY, Medium, MEMBER, GRANTED)])
        .examples(r#"member = "allUsers""#, r#"member = "user:ann@example.com""#),
    row("google_cloud_scheduler_job"),
    row("google_cloudfunctions2_function")
        .exposed(&[Test::OneOf("service_config.ingress_settings", &["ALLOW_ALL"], true)])
        .opened_by(&GEN2_INVOKERS)
        .links(&[reads("event_trigger"), reads("service_config"), configured_by("service_config.service_account_email"), configured_by("service_config.vpc_connector")])
        .examples(r#"service_config { ingress_settings = "ALLOW_ALL" }
}
resource "google_cloudfunctions2_function_iam_member" "a" {
  cloud_function = google_cloudfunctions2_function.a.name
  role   = "roles/cloudfunctions.invoker"
  member = "allUsers""#, r#"service_config { ingress_settings = "ALLOW_ALL" }
}
resource "google_cloudfunctions2_function_iam_member" "a" {
  cloud_function = google_cloudfunctions2_function.a.name
  role   = "roles/cloudfunctions.invoker"
  member = "user:ann@example.com""#),
    row("google_cloudfunctions2_function_iam_member")
        .facts(&[fact(POLICY, Medium, MEMBER, GRANTED)])
        .examples(r#"member = "allUsers""#, r#"member = "user:ann@example.com""#),
    row("google_cloudfunctions_function")
        .exposed(&[Test::Is("trigger_http", true, Some(false)), Test::OneOf("ingress_settings", &["ALLOW_ALL"], true)])
        .opened_by(&GEN1_INVOKERS)
        .links(&[reads("environment_variables"), reads("event_trigger"), reads("secret_environment_variables"), reads("secret_volumes")])
        .examples(r#"trigger_http = true
}
resource "google_cloudfunctions_function_iam_member" "a" {
  cloud_function = google_cloudfunctions_function.a.name
  role   = "roles/cloudfunctions.invoker"
  member = "allUsers""#, "trigger_http = true"),
    row("google_cloudfunctions_function_iam_member")
        .facts(&[fact(POLICY, Medium, MEMBER, GRANTED)])
        .examples(r#"member = "allUsers""#, r#"member = "user:ann@example.com""#),
    row("google_compute_address"),
    row("google_compute_backend_service"),
    row("google_compute_disk")
        .stores()
        .encrypted(Always),
    row("google_compute_firewall")
        .decides(&["allow.ports", "allow.protocol", "deny.ports", "deny.protocol", "destination_ranges", "direction", "network", "priority", "source_ranges", "source_service_accounts", "source_tags", "target_service_accounts", "target_tags"])
        .examples(r#"network = "main"
source_ranges = ["0.0.0.0/0"]
allow {
  protocol = "tcp"
  ports    = ["22"]
}"#, r#"network = "main"
source_ranges = ["10.0.0.0/8"]
allow {
  protocol = "tcp"
  ports    = ["22"]
}"#),
    row("google_compute_forwarding_rule")
        .exposed(&[Test::OneOf( "load_balancing_scheme", &["EXTERNAL", "EXTERNAL_MANAGED"], true, )])
        .examples(r#"load_balancing_scheme = "EXTERNAL""#, r#"load_balancing_scheme = "INTERNAL""#),
    row("google_compute_global_address"),
    row("google_compute_global_forwarding_rule")
        .exposed(&[Test::OneOf( "load_balancing_scheme", &["EXTERNAL", "EXTERNAL_MANAGED"], true, )])
        .examples(r#"load_balancing_scheme = "EXTERNAL""#, r#"load_balancing_scheme = "INTERNAL""#),
    row("google_compute_health_check"),
    row("google_compute_instance")
        .exposed(&[Test::Any(&[Test::Has("network_interface.access_config"), Test::Has("network_interface.ipv6_access_config")])])
        .decides(&["network_interface.network", "network_interface.subnetwork", "service_account.email", "tags"])
        .links(&[reads("attached_disk"), reads("metadata"), reads("metadata_startup_script")])
        .examples(r#"network_interface {
  network = google_compute_network.a.id
  access_config {}
}
}
resource "google_compute_network" "a" { name = "main" }
resource "google_compute_firewall" "a" {
  network       = google_compute_network.a.id
  source_ranges = ["0.0.0.0/0"]
  allow { protocol = "tcp" }"#, r#"network_interface { network = "main" }"#),
    row("google_compute_managed_ssl_certificate"),
    row("google_compute_network").network(Network::Whole).decides(&["name"]),
    row("google_compute_route"),
    row("google_compute_router"),
    row("google_compute_router_nat"),
    row("google_compute_subnetwork").network(Network::Part).decides(&["network"]),
    row("google_compute_target_http_proxy"),
    row("google_compute_target_https_proxy"),
    row("google_compute_url_map"),
    row("google_container_cluster")
        .exposed(&[Test::Is( "private_cluster_config.enable_private_endpoint", false, Some(false), ), Test::Unlimited( "master_authorized_networks_config", "master_authorized_networks_config.cidr_blocks.cidr_block", )])
        .examples(r#"name = "shop""#, "private_cluster_config { enable_private_endpoint = true }"),
    row("google_container_node_pool"),
    row("google_dns_managed_zone"),
    row("google_dns_record_set"),
    row("google_filestore_instance")
        .stores()
        .encrypted(Always),
    row("google_firestore_database")
        .stores()
        .encrypted(Always),
    row("google_folder_iam_binding")
        .examples(r#"role = "roles/editor"
members = ["user:ann@example.com"]"#, r#"role = "roles/viewer"
members = ["user:ann@example.com"]"#),
    row("google_folder_iam_member")
        .examples(r#"role = "roles/editor"
member = "user:ann@example.com""#, r#"role = "roles/viewer"
member = "user:ann@example.com""#),
    row("google_folder_iam_policy")
        .examples(r#"policy_data = jsonencode({ bindings = [{ role = "roles/editor", members = ["user:ann@example.com"] }] })"#, r#"policy_data = jsonencode({ bindings = [{ role = "roles/viewer", members = ["user:ann@example.com"] }] })"#),
    row("google_kms_crypto_key"),
    row("google_kms_crypto_key_iam_member")
        .facts(&[fact(POLICY, High, MEMBER, GRANTED)])
        .examples(r#"member = "allUsers""#, r#"member = "user:ann@example.com""#),
    row("google_kms_key_ring"),
    row("google_logging_project_sink"),
    row("google_monitoring_alert_policy"),
    row("google_organization_iam_binding")
        .examples(r#"role = "roles/editor"
members = ["user:ann@example.com"]"#, r#"role = "roles/viewer"
members = ["user:ann@example.com"]"#),
    row("google_organization_iam_custom_role")
        .decides(&["permissions"])
        .examples(r#"permissions = ["resourcemanager.projects.setIamPolicy"]"#, r#"permissions = ["compute.instances.get"]"#),
    row("google_organization_iam_member")
        .examples(r#"role = "roles/editor"
member = "user:ann@example.com""#, r#"role = "roles/viewer"
member = "user:ann@example.com""#),
    row("google_organization_iam_policy")
        .examples(r#"policy_data = jsonencode({ bindings = [{ role = "roles/editor", members = ["user:ann@example.com"] }] })"#, r#"policy_data = jsonencode({ bindings = [{ role = "roles/viewer", members = ["user:ann@example.com"] }] })"#),
    row("google_project"),
    row("google_project_iam_binding")
        .examples(r#"role = "roles/editor"
members = ["user:ann@example.com"]"#, r#"role = "roles/viewer"
members = ["user:ann@example.com"]"#),
    row("google_project_iam_custom_role")
        .decides(&["permissions"])
        .examples(r#"permissions = ["resourcemanager.projects.setIamPolicy"]"#, r#"permissions = ["compute.instances.get"]"#),
    row("google_project_iam_member")
        .facts(&[fact(POLICY, High, MEMBER, GRANTED)])
        .examples(r#"role   = "roles/editor"
member = "allUsers""#, r#"role   = "roles/viewer"
member = "user:ann@example.com""#),
    row("google_project_iam_policy")
        .examples(r#"policy_data = jsonencode({ bindings = [{ role = "roles/editor", members = ["user:ann@example.com"] }] })"#, r#"policy_data = jsonencode({ bindings = [{ role = "roles/viewer", members = ["user:ann@example.com"] }] })"#),
    row("google_project_service"),
    row("google_pubsub_subscription"),
    row("google_pubsub_topic")
        .encrypted(Always),
    row("google_pubsub_topic_iam_member")
        .facts(&[fact(POLICY, High, MEMBER, GRANTED)])
        .examples(r#"member = "allUsers""#, r#"member = "user:ann@example.com""#),
    row("google_redis_instance")
        .stores()
        .encrypted(Always),
    row("google_secret_manager_secret")
        .encrypted(Always),
    row("google_secret_manager_secret_version"),
    row("google_service_account"),
    row("google_service_account_key"),
    row("google_spanner_instance")
        .stores()
        .encrypted(Always),
    row("google_sql_database"),
    row("google_sql_database_instance")
        .exposed(&[Test::Is("settings.ip_configuration.ipv4_enabled", true, Some(true)), Test::Internet("settings.ip_configuration.authorized_networks.value", false)])
        .stores()
        .encrypted(Always)
        .examples(r#"settings {
  ip_configuration {
    authorized_networks { value = "0.0.0.0/0" }
  }
}"#, r#"settings {
  ip_configuration {
    authorized_networks { value = "198.51.100.0/24" }
  }
}"#),
    row("google_sql_user"),
    row("google_storage_bucket")
        .decides(&["public_access_prevention"])
        .stores()
        .encrypted(Always),
    row("google_storage_bucket_access_control")
        .facts(&[fact(BUCKET, High, &[Test::OneOf("entity", EVERYONE, false)], GRANTED)])
        .examples(r#"role   = "READER"
entity = "allUsers""#, r#"role   = "READER"
entity = "user-ann@example.com""#),
    row("google_storage_bucket_acl")
        .facts(&[fact(BUCKET, High, &[Test::OneOf("predefined_acl", PUBLIC_ACLS, false)], "Everyone on the internet can read it."), fact(BUCKET, High, &[Test::OneOf("role_entity", ENTITIES, false)], "Everyone on the internet can use it.")])
        .examples(r#"predefined_acl = "publicRead""#, r#"predefined_acl = "private""#),
    row("google_storage_bucket_iam_binding")
        .facts(&[fact(BUCKET, High, MEMBERS, GRANTED)])
        .examples(r#"members = ["allUsers"]"#, r#"members = ["user:ann@example.com"]"#),
    row("google_storage_bucket_iam_member")
        .facts(&[fact(BUCKET, High, MEMBER, GRANTED)])
        .examples(r#"member = "allUsers""#, r#"member = "user:ann@example.com""#),
    row("google_storage_default_object_access_control")
        .facts(&[fact(BUCKET, High, &[Test::OneOf("entity", EVERYONE, false)], GRANTED)])
        .examples(r#"role   = "READER"
entity = "allUsers""#, r#"role   = "READER"
entity = "user-ann@example.com""#),
    row("google_storage_default_object_acl")
        .facts(&[fact(BUCKET, High, &[Test::OneOf("role_entity", ENTITIES, false)], "Everyone on the internet can use its objects.")])
        .examples(r#"role_entity = ["READER:allUsers"]"#, r#"role_entity = ["READER:user-ann@example.com"]"#),
    row("google_storage_object_access_control")
        .facts(&[fact(BUCKET, High, &[Test::OneOf("entity", EVERYONE, false)], GRANTED)])
        .examples(r#"role   = "READER"
entity = "allUsers""#, r#"role   = "READER"
entity = "user-ann@example.com""#),
    row("google_storage_object_acl")
        .facts(&[fact(BUCKET, High, &[Test::OneOf("predefined_acl", PUBLIC_ACLS, false)], "Everyone on the internet can read it."), fact(BUCKET, High, &[Test::OneOf("role_entity", ENTITIES, false)], "Everyone on the internet can use it.")])
        .examples(r#"predefined_acl = "publicRead""#, r#"predefined_acl = "private""#),
    row("google_vpc_access_connector").network(Network::Part),
];
