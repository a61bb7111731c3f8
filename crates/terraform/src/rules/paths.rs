//! Paths from what the internet reaches to what stores data, over what carries traffic or access.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::address::split;
use crate::finding::Severity;
use crate::graph::Built;
use crate::value::Value;

const RULE: &str = "exposed-uses-datastore";
/// Types that run code: traffic goes on to what their arguments name.
const RUNS: [&str; 29] = [
    "aws_apprunner_service",
    "aws_appsync_datasource",
    "aws_appsync_resolver",
    "aws_autoscaling_group",
    "aws_batch_job_definition",
    "aws_dms_replication_instance",
    "aws_ecs_service",
    "aws_ecs_task_definition",
    "aws_elastic_beanstalk_environment",
    "aws_instance",
    "aws_lambda_alias",
    "aws_lambda_function",
    "aws_lambda_function_url",
    "aws_launch_configuration",
    "aws_launch_template",
    "aws_lightsail_instance",
    "aws_sfn_state_machine",
    "aws_spot_instance_request",
    "azurerm_app_service",
    "azurerm_function_app",
    "azurerm_linux_function_app",
    "azurerm_linux_web_app",
    "azurerm_windows_function_app",
    "azurerm_windows_web_app",
    "google_cloud_run_service",
    "google_cloud_run_v2_service",
    "google_cloudfunctions2_function",
    "google_cloudfunctions_function",
    "google_compute_instance",
];
/// Entries: they hand requests on to what they refer to.
const ENTRIES: [&str; 4] = [
    "aws_cloudfront_distribution",
    "aws_globalaccelerator_endpoint_group",
    "aws_globalaccelerator_listener",
    "aws_elb",
];
/// Types between two others: requests come from the first they refer to, and go to the second.
const BETWEEN: [(&str, &[&str]); 14] = [
    ("aws_alb_listener", &["aws_lb", "aws_alb"]),
    (
        "aws_alb_target_group_attachment",
        &["aws_alb_target_group", "aws_lb_target_group"],
    ),
    ("aws_api_gateway_integration", &["aws_api_gateway_rest_api"]),
    ("aws_apigatewayv2_integration", &["aws_apigatewayv2_api"]),
    ("aws_appsync_datasource", &["aws_appsync_graphql_api"]),
    (
        "aws_autoscaling_attachment",
        &["aws_lb_target_group", "aws_alb_target_group", "aws_elb"],
    ),
    (
        "aws_autoscaling_group",
        &["aws_lb_target_group", "aws_alb_target_group", "aws_elb"],
    ),
    (
        "aws_ecs_service",
        &["aws_lb_target_group", "aws_alb_target_group", "aws_elb"],
    ),
    ("aws_elb_attachment", &["aws_elb"]),
    (
        "aws_globalaccelerator_endpoint_group",
        &["aws_globalaccelerator_listener"],
    ),
    (
        "aws_globalaccelerator_listener",
        &["aws_globalaccelerator_accelerator"],
    ),
    ("aws_lb_listener", &["aws_lb", "aws_alb"]),
    (
        "aws_lb_listener_rule",
        &["aws_lb_listener", "aws_alb_listener"],
    ),
    (
        "aws_lb_target_group_attachment",
        &["aws_lb_target_group", "aws_alb_target_group"],
    ),
];
/// Types that only describe, and lead nowhere.
const DEAD_ENDS: [&str; 4] = ["aws_iam_", "aws_security_group", "aws_subnet", "aws_vpc"];
/// Arguments with what a service knows of others, which may be a datastore's address.
const KNOWS: [&str; 5] = [
    "app_settings",
    "env",
    "environment",
    "environment_variables",
    "runtime_environment_variables",
];
/// Blocks in which these may be.
const MAX_DEPTH: usize = 16;

/// Finds the datastores that each exposed service reaches.
pub fn classify(built: &mut Built) {
    let next = carries(built);
    let traffic = next
        .iter()
        .flat_map(|(from, to)| to.iter().map(|to| (from.clone(), to.clone())));
    built.traffic = traffic.collect();
    let exposed: Vec<String> = built
        .nodes
        .values()
        .filter(|node| node.internet_exposed && !node.datastore)
        .map(|node| node.id.clone())
        .collect();
    for id in exposed {
        built.looked(RULE, &id);
        for path in reached(built, &next, &id) {
            let message = format!(
                "The internet reaches a datastore through it: {}.",
                path.join(" → ")
            );
            built.find(Severity::Medium, RULE, &id, message);
        }
    }
}

/// The shortest path to each datastore.
fn reached(
    built: &Built,
    next: &BTreeMap<String, BTreeSet<String>>,
    from: &str,
) -> Vec<Vec<String>> {
    let mut before: BTreeMap<&str, &str> = BTreeMap::new();
    let mut left = VecDeque::from([from]);
    let mut found = Vec::new();
    while let Some(id) = left.pop_front() {
        for to in next.get(id).into_iter().flatten() {
            if to == from || before.contains_key(to.as_str()) {
                continue;
            }
            before.insert(to, id);
            if !built.nodes.get(to).is_some_and(|node| node.datastore) {
                left.push_back(to);
                continue;
            }
            let mut path = vec![to.clone()];
            let mut at = to.as_str();
            while let Some(previous) = before.get(at) {
                path.push((*previous).to_owned());
                at = previous;
            }
            path.reverse();
            found.push(path);
        }
    }
    found
}

/// Where traffic goes from each node.
fn carries(built: &Built) -> BTreeMap<String, BTreeSet<String>> {
    let kind = |id: &str| {
        built
            .nodes
            .get(id)
            .map_or("", |node| node.type_name.as_str())
    };
    let mut next: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut add = |from: &str, to: &str| {
        next.entry(from.to_owned())
            .or_default()
            .insert(to.to_owned());
    };
    for (from, to, edge) in &built.edges {
        let (of, at) = (kind(from), kind(to));
        if DEAD_ENDS.iter().any(|dead| at.starts_with(dead)) || *edge == "depends_on" {
            continue;
        }
        let source = BETWEEN.iter().find(|(between, _)| *between == of);
        let is_source = source.is_some_and(|(_, sources)| sources.contains(&at));
        let is_bucket_behind = ENTRIES.contains(&of) && at == "aws_s3_bucket";
        let is_log = is_log_bucket(built, from, to);
        if is_source {
            add(to, from);
        } else if *edge == "access"
            || (source.is_some() || RUNS.contains(&of) || ENTRIES.contains(&of))
                && !is_bucket_behind
                && !is_log
        {
            add(from, to);
        }
    }
    next
}

/// Whether a node names a bucket only for its logs.
fn is_log_bucket(built: &Built, from: &str, to: &str) -> bool {
    let mut names = Vec::new();
    for values in built.instances(from).iter() {
        for (name, value) in values {
            if mentions(value, to, MAX_DEPTH) {
                names.push(name.clone());
            }
        }
    }
    !names.is_empty() && names.iter().all(|name| name.contains("log"))
}

fn mentions(value: &Value, node: &str, depth: usize) -> bool {
    match value {
        Value::Of { node: of, .. } => of == node || of == split(node).0,
        Value::List(list) | Value::Choice { of: list, .. } if depth > 0 => {
            list.iter().any(|one| mentions(one, node, depth - 1))
        }
        Value::Map(map) if depth > 0 => map.values().any(|one| mentions(one, node, depth - 1)),
        _ => false,
    }
}

/// Notes for exposed services what they may reach, because their environment is not known.
pub fn note_unknown(built: &mut Built) {
    let mut found = Vec::new();
    for node in built.nodes.values() {
        if !node.internet_exposed || !RUNS.contains(&node.type_name.as_str()) {
            continue;
        }
        for values in node.values.iter() {
            if let Some(text) = unknown_environment(values.iter(), MAX_DEPTH) {
                found.push((node.id.clone(), text));
            }
        }
    }
    for (id, text) in found {
        let text = crate::quote::without_literals(&text);
        built.unsure(
            RULE,
            &id,
            format!("Its environment is not known: it is `{text}`."),
        );
    }
}

fn unknown_environment<'v>(
    values: impl Iterator<Item = (&'v String, &'v Value)>,
    depth: usize,
) -> Option<String> {
    let mut values = values;
    values.find_map(|(name, value)| inside(name, value, depth))
}

fn inside(name: &str, value: &Value, depth: usize) -> Option<String> {
    match value {
        Value::Unknown(text) | Value::Several(text) if KNOWS.contains(&name) || is_block(name) => {
            Some(text.clone())
        }
        Value::List(list) | Value::Choice { of: list, .. } if depth > 0 => {
            list.iter().find_map(|one| inside(name, one, depth - 1))
        }
        Value::Map(map) if depth > 0 => {
            let is_known = KNOWS.contains(&name);
            map.iter().find_map(|(member, value)| match value {
                Value::Unknown(text) if is_known => Some(text.clone()),
                value => inside(member, value, depth - 1),
            })
        }
        _ => None,
    }
}

/// Whether a block has an environment in it.
fn is_block(name: &str) -> bool {
    let ends = ["_configuration", "_repository"];
    ends.iter().any(|end| name.ends_with(end)) && !name.starts_with("network")
}
