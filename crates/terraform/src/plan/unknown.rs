//! Values that a plan does not have: those that are known after the apply, and those that are not to be shown. A plan marks
//! both by a copy of the values with `true` in their places.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value as Json;

use crate::graph::{Built, Node, Values};
use crate::value::Value;

/// By node, what is marked in each of its instances.
pub type Unknowns = BTreeMap<String, Vec<Json>>;

/// Blocks that rules look at, and that decide if they are there. The configuration in a plan leaves out dynamic blocks, so
/// that one of these that is marked is unknown, also if it is not configured there. Blocks without which a service is open
/// are not among them: left out is the answer that is not clear.
pub const BLOCKS: [&str; 28] = [
    "access",
    "access_control_policy",
    "allow",
    "api_server_access_profile",
    "block_device_mappings",
    "broker_node_group_info",
    "encrypt_at_rest",
    "entry",
    "frontend_ip_configuration",
    "grant",
    "ingress",
    "inline_policy",
    "ip_configuration",
    "kinesis_source_configuration",
    "launch_template",
    "mixed_instances_policy",
    "msk_source_configuration",
    "network_configuration",
    "network_interface",
    "network_interfaces",
    "permissions",
    "security_rule",
    "server_side_encryption",
    "setting",
    "settings",
    "statement",
    "vpc_config",
    "vpc_options",
];

/// Blocks that providers compute if they are left out: the type, the block, and the types that name such a resource only if
/// the block is left out, because the provider refuses or undoes one of the two.
pub const COMPUTED: [(&str, &str, &[&str]); 7] = [
    ("aws_default_security_group", "ingress", &SECURITY_RULES),
    (
        "aws_iam_role",
        "inline_policy",
        &["aws_iam_role_policy", "aws_iam_role_policy_attachment"],
    ),
    (
        "aws_s3_bucket",
        "grant",
        &[
            "aws_s3_bucket_acl",
            "aws_s3_bucket_ownership_controls",
            "aws_s3_bucket_public_access_block",
        ],
    ),
    ("aws_s3_bucket_acl", "access_control_policy", &[]),
    ("aws_security_group", "ingress", &SECURITY_RULES),
    (
        "azurerm_network_security_group",
        "security_rule",
        &["azurerm_network_security_rule"],
    ),
    (
        "google_bigquery_dataset",
        "access",
        &["google_bigquery_dataset_access"],
    ),
];
const SECURITY_RULES: [&str; 2] = [
    "aws_security_group_rule",
    "aws_vpc_security_group_ingress_rule",
];

/// Arguments of blocks that providers compute if they are left out, and whose defaults are known: the type, the block and the
/// argument.
const WITH_DEFAULTS: [(&str, &str, &str); 1] =
    [("aws_eks_cluster", "vpc_config", "public_access_cidrs")];

/// What stands for a block that the provider computes, or that is dynamic.
pub const MAY_BE_LEFT_OUT: &str = "known after apply, or left out";

/// What an argument is that is marked, and that the configuration does not have; `None` if it is left out. Only blocks can
/// be dynamic: every other argument is computed. A part of a block that is marked is of a dynamic one.
pub fn not_configured(type_name: &str, values: &Values, name: &str, mask: &Json) -> Option<Value> {
    if *mask != Json::Bool(true) {
        return Some(Value::Null);
    }
    // The other one is configured, and the provider takes only one of them.
    let excluded = match (type_name, name) {
        ("aws_s3_bucket_acl", "access_control_policy") => Some("acl"),
        // Nothing of a machine is decided without these, whatever its interfaces are.
        ("aws_instance", "network_interface") => return None,
        _ => None,
    };
    let is_excluded = excluded.is_some_and(|other| {
        let other = values.get(other);
        other.is_some_and(|value| !matches!(value, Value::Null))
    });
    if is_excluded || !BLOCKS.contains(&name) {
        return None;
    }
    let mut computed = COMPUTED.iter();
    let text = if computed.any(|(kind, block, _)| *kind == type_name && *block == name) {
        MAY_BE_LEFT_OUT
    } else {
        "known after apply"
    };
    Some(Value::Unknown(text.to_owned()))
}

/// Takes out the computed arguments of blocks that the configuration leaves out.
pub fn without_defaults(type_name: &str, values: &mut Values, configured: &BTreeMap<String, Json>) {
    for (_, block, argument) in WITH_DEFAULTS.iter().filter(|(kind, ..)| *kind == type_name) {
        let (Some(Value::List(there)), Some(Json::Array(blocks))) =
            (values.get_mut(*block), configured.get(*block))
        else {
            continue;
        };
        for (value, configured) in there.iter_mut().zip(blocks) {
            if let Value::Map(value) = value
                && configured.get(argument).is_none()
                && value
                    .get(*argument)
                    .is_some_and(|value| value.unknown().is_some())
            {
                value.remove(*argument);
            }
        }
    }
}

/// Takes out the computed blocks that are left out, because other resources take their place.
pub fn without_computed(built: &mut Built) {
    let mut replaced = BTreeSet::new();
    for (from, to, edge) in &built.edges {
        let (Some(from), Some(to)) = (built.nodes.get(from), built.nodes.get(to)) else {
            continue;
        };
        for (of, block, by) in COMPUTED {
            let is_by = to.type_name == of && by.contains(&from.type_name.as_str());
            if is_by && *edge == "reference" && is_about(built, from, &to.id) {
                replaced.insert((to.id.clone(), block));
            }
        }
    }
    let may_be = Value::Unknown(MAY_BE_LEFT_OUT.to_owned());
    for (id, block) in replaced {
        let Some(node) = built.nodes.get_mut(&id) else {
            continue;
        };
        for values in Arc::make_mut(&mut node.values) {
            if values.get(block) == Some(&may_be) {
                values.remove(block);
            }
        }
    }
}

/// Whether anything is marked.
pub fn marks(mask: &Json) -> bool {
    match mask {
        Json::Bool(flag) => *flag,
        Json::Array(list) => list.iter().any(marks),
        Json::Object(map) => map.values().any(marks),
        _ => false,
    }
}

/// What stands for a value that is marked: what the configuration refers to, if that says more than that it is not known.
fn known_after_apply(referred: Option<&Value>) -> Value {
    match referred {
        Some(value @ (Value::Of { .. } | Value::List(_) | Value::Unknown(_))) => value.clone(),
        _ => Value::Unknown("known after apply".to_owned()),
    }
}

/// Fills in what is marked as known after the apply, by what the configuration refers to.
pub fn fill(value: &mut Value, mask: &Json, referred: Option<&Value>) {
    match (mask, referred) {
        (Json::Bool(true), _) => *value = known_after_apply(referred),
        // Of a list of plain values it does not matter which of them is which.
        (Json::Array(masks), _) if masks.contains(&Json::Bool(true)) => {
            let there = match std::mem::replace(value, Value::Null) {
                Value::List(list) => list,
                other => vec![other],
            };
            let there = there.into_iter().filter(|one| *one != Value::Null);
            *value = Value::List(there.chain([known_after_apply(referred)]).collect());
        }
        (Json::Array(masks), _) => {
            let blocks = match referred {
                Some(Value::List(list)) => list.as_slice(),
                _ => &[],
            };
            if *value == Value::Null && masks.iter().any(marks) {
                *value = Value::List(Vec::new());
            }
            let Value::List(list) = value else { return };
            // A list may be shorter than its mask, whose further elements are not known.
            let last = masks.iter().rposition(marks).map_or(0, |last| last + 1);
            list.resize(list.len().max(last), Value::Null);
            for (place, (value, mask)) in list.iter_mut().zip(masks).enumerate() {
                // A dynamic block stands once in the configuration, and often in the values.
                let block = blocks.get(place).or_else(|| blocks.last());
                fill(value, mask, block);
            }
        }
        (Json::Object(masks), _) if marks(mask) => {
            if let Value::List(blocks) = value {
                for (place, block) in blocks.iter_mut().enumerate() {
                    let referred = match referred {
                        Some(Value::List(list)) => list.get(place).or_else(|| list.last()),
                        other => other,
                    };
                    fill(block, mask, referred);
                }
            }
            // Not even the other arguments of what is not there are known.
            if matches!(value, Value::Null) || *value == Value::List(Vec::new()) {
                *value = Value::Unknown("known after apply".to_owned());
            }
            let Value::Map(map) = value else { return };
            for (name, mask) in masks {
                let referred = match referred {
                    Some(Value::Map(map)) => map.get(name),
                    _ => None,
                };
                if marks(mask) {
                    let value = map.entry(name.clone()).or_insert(Value::Null);
                    fill(value, mask, referred);
                }
            }
        }
        _ => {}
    }
}

/// Hides what is marked as sensitive.
pub fn hide(value: &mut Value, mask: &Json) {
    match (mask, &mut *value) {
        (Json::Bool(true), _) => *value = Value::Sensitive,
        (Json::Array(masks), Value::List(list)) => {
            list.iter_mut().zip(masks).for_each(|(v, m)| hide(v, m));
        }
        (Json::Object(masks), Value::Map(map)) => {
            for (name, mask) in masks {
                map.get_mut(name).into_iter().for_each(|v| hide(v, mask));
            }
        }
        _ => {}
    }
}

/// Whether a resource is about another one. A rule of a security group may name one as its source only.
fn is_about(built: &Built, from: &Node, to: &str) -> bool {
    if !SECURITY_RULES.contains(&from.type_name.as_str()) {
        return true;
    }
    let groups = from
        .values
        .iter()
        .flat_map(|values| values.get("security_group_id"));
    let mut nodes = groups.filter_map(|group| match group {
        Value::Of { node, .. } => Some(node),
        _ => None,
    });
    nodes.any(|node| built.at(node).contains(&to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_that_is_computed_is_one_that_rules_look_at() {
        assert!(BLOCKS.is_sorted() && COMPUTED.is_sorted());
        for (_, block, _) in COMPUTED {
            assert!(BLOCKS.contains(&block), "{block}");
        }
    }
}
