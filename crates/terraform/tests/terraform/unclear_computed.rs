//! What a provider computes in a plan, and the configuration leaves out, has the provider's default.

use serde_json::{Value as Json, json};

use crate::unclear::{outcome, report_of};
use trestle_terraform::Options;

/// A plan that creates a resource: its values, what is known after the apply, and its configuration.
fn report_of_created(address: &str, [values, unknown, configured]: [Json; 3]) -> Json {
    let (kind, name) = address.split_once('.').unwrap();
    let plan = json!({
        "planned_values": { "root_module": { "resources": [
            { "address": address, "mode": "managed", "type": kind, "name": name, "values": values },
        ] } },
        "resource_changes": [{ "address": address, "change": { "after_unknown": unknown } }],
        "configuration": { "root_module": { "resources": [
            { "address": address, "expressions": configured, "provider_config_key": "aws" },
        ] } },
    });
    report_of("plan.json", &plan.to_string(), &Options::default())
}

#[test]
fn a_new_database_is_not_encrypted_unless_it_is_restored() {
    for kind in ["aws_db_instance", "aws_rds_cluster", "aws_docdb_cluster"] {
        let address = format!("{kind}.a");
        for (restored, expected) in [
            (json!([]), "found"),
            (
                json!([{ "source_db_instance_identifier": "b" }]),
                "undecided",
            ),
        ] {
            let values = json!({
                "engine": "aurora-mysql",
                "restore_to_point_in_time": restored,
                "s3_import": [],
                "snapshot_identifier": null,
                "storage_encrypted": null,
            });
            let unknown =
                json!({ "id": true, "restore_to_point_in_time": [], "snapshot_identifier": true });
            let report = report_of_created(&address, [values, unknown, json!({})]);
            let said = outcome(&report, "unencrypted-datastore", &address);
            assert_eq!(said, expected, "{kind}: {restored}");
        }
    }
}

#[test]
fn a_cluster_whose_ranges_of_addresses_are_computed_has_those_of_the_internet() {
    let of = |block: Json| {
        let values =
            json!({ "vpc_config": [{ "endpoint_public_access": true, "subnet_ids": ["a"] }] });
        let unknown =
            json!({ "vpc_config": [{ "public_access_cidrs": true, "subnet_ids": [false] }] });
        let configured = json!({ "vpc_config": [block] });
        let report = report_of_created("aws_eks_cluster.a", [values, unknown, configured]);
        outcome(&report, "internet-exposed", "aws_eks_cluster.a")
    };
    let subnets = json!({ "constant_value": ["a"] });
    assert_eq!(of(json!({ "subnet_ids": subnets })), "found");
    let given = json!({ "references": ["data.http.a.body", "data.http.a"] });
    assert_eq!(
        of(json!({ "subnet_ids": subnets, "public_access_cidrs": given })),
        "undecided"
    );
}
