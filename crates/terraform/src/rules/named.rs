//! What an argument names: by a reference first, by a value that the files tell second. Where neither tells, it is not known.

use std::collections::{HashMap, HashSet};

use super::look::{Answer, at};
use crate::graph::{Built, Node, Values};
use crate::quote::without_literals;
use crate::value::Value;

/// The argument that is followed, and what it may name.
#[derive(Clone, Copy)]
struct Wanted<'a> {
    path: &'a str,
    subject: Subject,
}

/// What an argument may name: types of resources, and the arguments that identify one of them.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    kinds: &'static [&'static str],
    by: &'static [&'static str],
}

const fn subject(kinds: &'static [&'static str], by: &'static [&'static str]) -> Subject {
    Subject { kinds, by }
}

pub const BUCKET: Subject = subject(&["aws_s3_bucket"], &["bucket", "id"]);
pub const GROUP: Subject = subject(
    &["aws_default_security_group", "aws_security_group"],
    &["id"],
);
pub const SUBNET: Subject = subject(&["aws_default_subnet", "aws_subnet"], &["id"]);
pub const TEMPLATE: Subject = subject(
    &["aws_launch_configuration", "aws_launch_template"],
    &["id", "name"],
);
pub const MACHINE: Subject = subject(
    &[
        "aws_instance",
        "aws_network_interface",
        "aws_spot_instance_request",
    ],
    &["id"],
);
pub const CLUSTER: Subject = subject(
    &[
        "aws_docdb_cluster",
        "aws_neptune_cluster",
        "aws_rds_cluster",
    ],
    &["cluster_identifier", "id"],
);
pub const PREFIXES: Subject = subject(&["aws_ec2_managed_prefix_list"], &["id"]);
pub const QUEUE: Subject = subject(&["aws_sqs_queue"], &["url", "id", "arn"]);
pub const TOPIC: Subject = subject(&["aws_sns_topic"], &["arn", "id"]);
pub const ROLE: Subject = subject(&["aws_iam_role"], &["name", "arn", "id"]);
pub const API: Subject = subject(&["aws_apigatewayv2_api"], &["id"]);
pub const REST_API: Subject = subject(&["aws_api_gateway_rest_api"], &["id"]);
pub const FUNCTION: Subject = subject(&["aws_lambda_function"], &["function_name", "arn", "id"]);

pub const ACCOUNT: Subject = subject(&["azurerm_storage_account"], &["name", "id"]);
pub const NETWORK_GROUP: Subject = subject(&["azurerm_network_security_group"], &["name", "id"]);
pub const SERVER: Subject = subject(
    &[
        "azurerm_mssql_server",
        "azurerm_mysql_flexible_server",
        "azurerm_mysql_server",
        "azurerm_postgresql_flexible_server",
        "azurerm_postgresql_server",
        "azurerm_sql_server",
    ],
    &["name", "id"],
);
pub const CACHE: Subject = subject(&["azurerm_redis_cache"], &["name", "id"]);
/// Services of Cloud Run. A function of the second generation is one as well.
pub const RUN: Subject = subject(
    &[
        "google_cloud_run_service",
        "google_cloud_run_v2_service",
        "google_cloudfunctions2_function",
    ],
    &["name", "id"],
);
pub const FUNCTION_OF_GOOGLE: Subject =
    subject(&["google_cloudfunctions_function"], &["name", "id"]);
pub const NETWORK_OF_GOOGLE: Subject =
    subject(&["google_compute_network"], &["name", "id", "self_link"]);
pub const SUBNET_OF_GOOGLE: Subject =
    subject(&["google_compute_subnetwork"], &["name", "id", "self_link"]);
pub const INTERFACE: Subject = subject(&["azurerm_network_interface"], &["name", "id"]);
pub const AZURE_SUBNET: Subject = subject(&["azurerm_subnet"], &["name", "id"]);
pub const GOOGLE_BUCKET: Subject = subject(&["google_storage_bucket"], &["name", "id"]);

const SUBJECTS: [Subject; 24] = [
    FUNCTION_OF_GOOGLE,
    NETWORK_OF_GOOGLE,
    SUBNET_OF_GOOGLE,
    API,
    REST_API,
    CACHE,
    RUN,
    INTERFACE,
    AZURE_SUBNET,
    NETWORK_GROUP,
    SERVER,
    ACCOUNT,
    GOOGLE_BUCKET,
    BUCKET,
    GROUP,
    SUBNET,
    TEMPLATE,
    MACHINE,
    CLUSTER,
    PREFIXES,
    QUEUE,
    TOPIC,
    ROLE,
    FUNCTION,
];
/// How many resources may repeat each other's argument.
const MAX_STEPS: usize = 8;
/// How many resources are followed for one argument. Beyond them, what it names is not known.
const MAX_FOLLOWED: usize = 32;

/// The resources that may be named, by what identifies them.
#[derive(Debug, Default)]
pub struct Names(HashMap<(&'static str, String), Vec<String>>);

/// How messages describe a literal that names nothing in the files. The literal may be a secret.
const ELSEWHERE: &str = "names nothing that is in the files";

/// How messages describe an expression.
fn expression(text: &str) -> String {
    format!("is `{}`", without_literals(text))
}

/// An argument that names something that is not known.
pub fn not_named(path: &str, other: &str) -> Answer {
    Answer::Unknown(why_not_named(path, other))
}

/// Why it is not known what an argument names.
pub fn why_not_named(path: &str, other: &str) -> String {
    format!("`{path}` is not known: it {other}.")
}

/// What an argument names.
#[derive(Debug, Default)]
pub struct Named {
    pub nodes: Vec<String>,
    /// Whether it names some of these, and it is not known which.
    pub is_any: bool,
    /// How messages describe another one that is not known: `is ...`, `names ...`.
    pub other: Option<String>,
    /// Whether all that it names are blocks without instances: then what names them is not there either.
    pub is_absent: bool,
    /// The nodes whose own arguments were followed.
    followed: HashSet<String>,
}

impl Named {
    /// The node, if it certainly names this one and no other.
    pub fn only(&self) -> Option<&str> {
        match self.nodes.as_slice() {
            [node] if !self.is_any && self.other.is_none() => Some(node),
            _ => None,
        }
    }
}

impl Names {
    /// Every resource that may be named.
    pub fn of(built: &Built) -> Self {
        let mut names = Self::default();
        for (id, node) in &built.nodes {
            for subject in SUBJECTS {
                let kinds = subject.kinds.iter().copied();
                for kind in kinds.filter(|kind| *kind == node.type_name) {
                    for path in subject.by {
                        names.add(kind, id, node, path);
                    }
                }
            }
        }
        names
    }

    fn add(&mut self, kind: &'static str, id: &str, node: &Node, path: &str) {
        for value in node.values.iter().filter_map(|values| values.get(path)) {
            if let Some(name) = name_of(id, node, value) {
                let nodes = self.0.entry((kind, name)).or_default();
                // One node may have several of these arguments, and instances, with the same name.
                if nodes.last().is_none_or(|last| last != id) {
                    nodes.push(id.to_owned());
                }
            }
        }
    }

    /// The nodes that an argument of a node names.
    pub fn at(
        &self,
        built: &Built,
        id: &str,
        values: &Values,
        path: &str,
        subject: Subject,
    ) -> Named {
        let found = at(values, path);
        let mut named = Named {
            is_absent: !found.is_empty() && found.iter().all(|one| is_of_none(built, id, one)),
            ..Named::default()
        };
        for value in found {
            self.one(
                built,
                id,
                value,
                Wanted { path, subject },
                &mut named,
                MAX_STEPS,
            );
            if named.nodes.is_empty() && named.other.is_none() {
                // It leads back to itself.
                named.other = value.unknown().map(expression);
            }
        }
        named
    }

    fn one(
        &self,
        built: &Built,
        id: &str,
        value: &Value,
        wanted: Wanted<'_>,
        named: &mut Named,
        steps: usize,
    ) {
        let Wanted { path, subject } = wanted;
        let of = match value {
            Value::Of { node, .. } => built.at(node),
            _ => Vec::new(),
        };
        // An address without a key stands for all instances, and the argument names one of them.
        named.is_any |= of.len() > 1;
        let mut is_named = false;
        for node in &of {
            let Some(found) = built.nodes.get(*node) else {
                continue;
            };
            is_named = true;
            if subject.kinds.contains(&found.type_name.as_str()) && found.kind.word() == "resource"
            {
                named.nodes.push((*node).to_owned());
                continue;
            }
            // Another resource about the same one, or a data source that looks it up. Each is followed once.
            if !named.followed.insert((*node).to_owned()) {
                continue;
            }
            if named.followed.len() > MAX_FOLLOWED {
                named.other = Some(why_unknown(value));
                break;
            }
            // The other one names the subject in the same argument, or by what identifies it.
            let paths = [path].into_iter().chain(subject.by.iter().copied());
            let values = paths.map(|path| {
                let values = found.values.iter().flat_map(|values| at(values, path));
                (path, values.take(steps).collect::<Vec<_>>())
            });
            let mut values = values.filter(|(_, values)| !values.is_empty());
            match values.next().filter(|_| steps > 0) {
                Some((path, values)) => {
                    for value in values {
                        self.one(
                            built,
                            node,
                            value,
                            Wanted { path, subject },
                            named,
                            steps - 1,
                        );
                    }
                }
                None => named.other = Some(why_unknown(value)),
            }
        }
        if is_named {
            return;
        }
        let Some(node) = built.nodes.get(id) else {
            return named.other = Some(why_unknown(value));
        };
        let name = name_of(id, node, value);
        let kinds = subject.kinds.iter().filter_map(|kind| {
            let name = name.clone()?;
            self.0.get(&(*kind, name))
        });
        let before = named.nodes.len();
        named.nodes.extend(kinds.flatten().cloned());
        if named.nodes.len() == before {
            named.other = Some(why_unknown(value));
        }
    }
}

/// Whether a value is an attribute of a block of the same module that has no instances.
fn is_of_none(built: &Built, id: &str, value: &Value) -> bool {
    let (Some(text), Some(node)) = (value.unknown(), built.nodes.get(id)) else {
        return false;
    };
    let is_plain = text
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '[' | ']'));
    let mut names = text.split(['.', '[']);
    let (Some(kind), Some(name), true) = (names.next(), names.next(), is_plain) else {
        return false;
    };
    let address = format!("{}{kind}.{name}", module_of(id, node));
    built.blocks.get(&address).is_some_and(Vec::is_empty)
}

/// What the addresses of a node's module begin with.
fn module_of<'i>(id: &'i str, node: &Node) -> &'i str {
    let own = format!("{}.{}{}", node.type_name, node.name, node.key);
    let module = id.strip_suffix(&own).unwrap_or(id);
    module.strip_suffix("data.").unwrap_or(module)
}

/// A value as a name: its text, or the expression, which has the same value wherever a module has it.
fn name_of(id: &str, node: &Node, value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.clone()),
        Value::Unknown(text) if text.starts_with("var.") || text.starts_with("local.") => {
            // Two modules may each have a variable with this name: the address keeps them apart.
            Some(format!("{}${{{text}}}", module_of(id, node)))
        }
        _ => None,
    }
}

fn why_unknown(value: &Value) -> String {
    match value.unknown() {
        Some(text) => expression(text),
        None => ELSEWHERE.to_owned(),
    }
}
