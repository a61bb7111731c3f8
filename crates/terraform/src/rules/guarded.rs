//! Services that their own arguments put on the internet, if their security groups let the internet in by their ports.

use super::datastores::INHERITS;
use super::ingress::Port;
use super::look::{Answer, at, look, why_unfit};
use super::named::{CLUSTER, not_named};
use super::network::Network;
use super::table::Test;
use super::types::{self, Behind, Port as ListensOn};
use crate::graph::{Built, Values};
use crate::value::Value;

/// The ports of databases by how the names of their engines begin. Source: the documentation of Amazon RDS.
const ENGINES: [(&str, u16); 10] = [
    ("aurora-postgresql", 5432),
    ("aurora", 3306),
    ("db2", 50000),
    ("docdb", 27017),
    ("mariadb", 3306),
    ("mysql", 3306),
    ("neptune", 8182),
    ("oracle", 1521),
    ("postgres", 5432),
    ("sqlserver", 1433),
];
/// A block that creates a datastore from another one, whose port it inherits.
const IMPORT: &str = "s3_import";

impl Network<'_> {
    /// Whether the security groups of a service let the internet in; `None` if the type has none.
    pub fn guarded(
        &self,
        built: &Built,
        id: &str,
        type_name: &str,
        values: &Values,
    ) -> Option<Answer> {
        let guarded = types::of(type_name)?.behind?;
        let Some(path) = guarded.cluster else {
            return Some(self.guard(built, &guarded, id, values));
        };
        let clusters = self.names.at(built, id, values, path, CLUSTER);
        let mut answer = match clusters.other {
            Some(text) => not_named(path, &text),
            // No group is known that closes it.
            None if clusters.nodes.is_empty() => Answer::Yes,
            None => Answer::No,
        };
        for cluster in clusters.nodes {
            for values in built.instances(&cluster).iter() {
                answer = answer.or(self.guard(built, &guarded, &cluster, values));
            }
        }
        Some(answer)
    }

    fn guard(&self, built: &Built, guarded: &Behind, id: &str, values: &Values) -> Answer {
        let path = guarded.groups;
        match argument(values, path) {
            // Not managed here: its own arguments decide.
            None | Some(Value::Null) => Answer::Yes,
            // A network load balancer without groups takes everything; all others get the default group.
            Some(Value::List(list)) if list.is_empty() => {
                let takes_all = look(values, Test::Equals("load_balancer_type", "network"));
                takes_all.or(Answer::Unknown(format!(
                    "`{path}` is empty: it has the default security group of its network, which is not known."
                )))
            }
            Some(_) => {
                let port = port(guarded.port, values);
                self.groups(built, &[path], id, values, &port).any
            }
        }
    }
}

/// The argument at a path, through blocks that are there at most once.
fn argument<'v>(values: &'v Values, path: &str) -> Option<&'v Value> {
    let Some((first, rest)) = path.split_once('.') else {
        return values.get(path);
    };
    match values.get(first)? {
        Value::Map(block) => argument(block, rest),
        Value::List(blocks) => match blocks.first()? {
            Value::Map(block) => argument(block, rest),
            unknown => Some(unknown),
        },
        unknown => Some(unknown),
    }
}

/// The port that a datastore listens on. The values are its own or its cluster's.
fn port(listens_on: ListensOn, values: &Values) -> Port {
    let default = match listens_on {
        ListensOn::Any => return Port::Any,
        ListensOn::Default(port) => Some(port),
        ListensOn::OfEngine => None,
    };
    match (at(values, "port").first(), default) {
        (Some(value), _) => {
            let number = value.as_text().and_then(|text| text.parse().ok());
            number.map_or_else(|| not_known("port", value), Port::Known)
        }
        (None, Some(port)) => Port::Known(port),
        (None, None) if is_inherited(values) => {
            Port::Unknown("`port` is inherited from a source that is not known.".to_owned())
        }
        (None, None) => match at(values, "engine").first() {
            Some(Value::Text(engine)) => {
                // The longer name comes first: `aurora-postgresql` begins with `aurora`.
                let found = ENGINES.iter().find(|(start, _)| engine.starts_with(start));
                found.map_or(Port::Any, |(_, port)| Port::Known(*port))
            }
            Some(value) => not_known("engine", value),
            None => Port::Any,
        },
    }
}

/// Whether a datastore without `port` inherits that of another one.
fn is_inherited(values: &Values) -> bool {
    let mut sources = INHERITS.iter().chain(&[IMPORT]);
    sources.any(|path| !at(values, path).is_empty())
}

fn not_known(path: &str, value: &Value) -> Port {
    Port::Unknown(why_unfit(path, value, "known"))
}
