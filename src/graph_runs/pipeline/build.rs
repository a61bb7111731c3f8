//! From what a file declares to a graph: resources, data sources and modules as nodes, their references as
//! edges, and a note for everything that stays open.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};

use super::aws::{self, Classified, Finding};
use super::evaluate::{Evaluator, Scope, Value, elements};
use super::references::{References, Target};
use super::terraform::{Block, Configuration, Kind};

/// How many instances of one block are looked at: those beyond are alike but for their values.
const MAX_INSTANCES: usize = 100;

/// A node of the graph.
#[derive(Debug)]
pub struct Node {
    /// The block's address.
    pub id: String,
    /// What it is.
    pub kind: Kind,
    /// Its type.
    pub type_name: String,
    /// Its name.
    pub name: String,
    /// How many of it there are, where the file tells.
    pub instances: Option<usize>,
    /// What the rules say of it.
    pub classified: Classified,
}

/// Something that the file alone does not tell.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unresolved {
    /// The node that it is about.
    pub node: String,
    /// What, for a person to read.
    pub message: String,
}

/// A graph, and what there is to say of it.
#[derive(Debug, Default)]
pub struct Built {
    /// The nodes by their ids.
    pub nodes: BTreeMap<String, Node>,
    /// The edges: from, to, kind.
    pub edges: BTreeSet<(String, String, &'static str)>,
    /// What is risky.
    pub findings: Vec<Finding>,
    /// What is not known.
    pub unresolved: BTreeSet<Unresolved>,
}

/// The instances of one block, each with its values.
pub struct Instances {
    /// The values of each instance that is looked at; one with everything that depends on it unknown, where
    /// their number is not known.
    pub values: Vec<BTreeMap<String, Value>>,
    /// How many there are, where that is known.
    pub count: Option<usize>,
}

/// Builds the graph of what a file declares.
pub fn build(configuration: &Configuration) -> Built {
    let evaluator = Evaluator::new(configuration);
    let mut built = Built::default();
    let mut instances = BTreeMap::new();
    for block in &configuration.blocks {
        let id = block.address();
        let found = built.instances(&evaluator, block);
        built.about_module(block);
        let node = Node {
            id: id.clone(),
            kind: block.kind,
            type_name: block.type_name.clone(),
            name: block.name.clone(),
            instances: found.count,
            classified: Classified::default(),
        };
        built.nodes.insert(id.clone(), node);
        instances.insert(id, found);
    }
    for block in &configuration.blocks {
        built.connect(configuration, block);
    }
    aws::classify(&mut built, &instances);
    built
}

impl Built {
    /// Notes what is not known of a node.
    pub fn note(&mut self, node: &str, message: String) {
        self.unresolved.insert(Unresolved {
            node: node.to_owned(),
            message,
        });
    }

    fn instances(&mut self, evaluator: &Evaluator<'_>, block: &Block) -> Instances {
        let scope = Scope::default();
        let one = |scope: &Scope| evaluator.body(&block.body, scope);
        if let Some(count) = block.body.attribute("count") {
            return match evaluator.value(count, &scope) {
                Value::Number(count) if count >= 0.0 => {
                    let count = count as usize;
                    let index = |place: usize| {
                        BTreeMap::from([("index".to_owned(), Value::Number(place as f64))])
                    };
                    let scopes = (0..count.min(MAX_INSTANCES))
                        .map(|i| scope.with("count", Value::Map(index(i))));
                    Instances {
                        values: scopes.map(|scope| one(&scope)).collect(),
                        count: Some(count),
                    }
                }
                other => self.uncounted(block, "count", &other, one(&scope)),
            };
        }
        if let Some(each) = block.body.attribute("for_each") {
            let each = evaluator.value(each, &scope);
            return match elements(each) {
                Ok(elements) => Instances {
                    count: Some(elements.len()),
                    values: elements
                        .into_iter()
                        .take(MAX_INSTANCES)
                        .map(|element| one(&scope.each("each", element)))
                        .collect(),
                },
                Err(unknown) => {
                    self.uncounted(block, "for_each", &Value::Unknown(unknown), one(&scope))
                }
            };
        }
        Instances {
            values: vec![one(&scope)],
            count: Some(1),
        }
    }

    fn uncounted(
        &mut self,
        block: &Block,
        argument: &str,
        value: &Value,
        values: BTreeMap<String, Value>,
    ) -> Instances {
        let value = match value {
            Value::Unknown(text) => format!("`{text}`"),
            other => format!("{other:?}"),
        };
        let message = format!("How many there are is not known: `{argument}` is {value}.");
        self.note(&block.address(), message);
        Instances {
            values: vec![values],
            count: None,
        }
    }

    fn about_module(&mut self, block: &Block) {
        if block.kind == Kind::Module {
            let source = match block.body.attribute("source") {
                Some(hcl::Expression::String(source)) => format!("`{source}`"),
                _ => "its source".to_owned(),
            };
            let message =
                format!("What the module creates is not known: {source} is not part of the file.");
            self.note(&block.address(), message);
        }
    }

    fn connect(&mut self, configuration: &Configuration, block: &Block) {
        let from = block.address();
        let references = References::of(&block.body);
        for (targets, kind) in [
            (references.used, "reference"),
            (references.depends_on, "depends_on"),
        ] {
            for target in through_locals(configuration, targets) {
                self.connect_to(configuration, &from, &target, kind);
            }
        }
    }

    fn connect_to(
        &mut self,
        configuration: &Configuration,
        from: &str,
        target: &Target,
        kind: &'static str,
    ) {
        let to = match target {
            Target::Resource(type_name, name) => format!("{type_name}.{name}"),
            Target::Data(type_name, name) => format!("data.{type_name}.{name}"),
            Target::Module(name) => format!("module.{name}"),
            Target::Variable(name) if configuration.variables.contains_key(name) => return,
            Target::Variable(name) => format!("var.{name}"),
            Target::Local(name) => format!("local.{name}"),
        };
        if self.nodes.contains_key(&to) {
            if from != to {
                self.edges.insert((from.to_owned(), to, kind));
            }
            return;
        }
        let message = format!("It refers to `{to}`, which the file does not declare.");
        self.note(from, message);
    }

    /// The graph as JSON.
    pub fn graph(&self) -> Json {
        let node = |node: &Node| {
            json!({
                "id": node.id,
                "kind": match node.kind {
                    Kind::Resource => "resource",
                    Kind::Data => "data",
                    Kind::Module => "module",
                },
                "type": node.type_name,
                "name": node.name,
                "instances": node.instances,
                "internetExposed": node.classified.internet_exposed,
                "datastore": node.classified.datastore,
            })
        };
        let edge = |(from, to, kind): &(String, String, &str)| json!({ "from": from, "to": to, "kind": kind });
        json!({
            "version": 1,
            "nodes": self.nodes.values().map(node).collect::<Vec<_>>(),
            "edges": self.edges.iter().map(edge).collect::<Vec<_>>(),
        })
    }
}

/// The targets, with local values replaced by what these refer to.
fn through_locals(configuration: &Configuration, targets: Vec<Target>) -> BTreeSet<Target> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut left = targets;
    while let Some(target) = left.pop() {
        let Target::Local(name) = &target else {
            found.insert(target);
            continue;
        };
        match configuration.locals.get(name) {
            Some(expression) if seen.insert(name.clone()) => {
                left.extend(References::of_expression(expression).used);
            }
            Some(_) => {}
            None => {
                found.insert(target);
            }
        }
    }
    found
}
