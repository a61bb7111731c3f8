//! The edges of a configuration: from each instance of a block to the instances that it refers to.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::address::{named, split};
use super::evaluate::Evaluator;
use super::graph::Built;
use super::references::{Reference, References, Target};
use super::rules::types;
use super::terraform::{Block, Configuration, Kind};
use super::value::{Budget, Value};

/// The most edges between all instances of two blocks. Beyond it, those to the first instance stand for the others.
const MAX_BETWEEN: usize = 100_000;
/// The most edges, beyond which those to all instances of a block are to the first one.
const MAX_EDGES: usize = 300_000;
/// What an edge costs besides its ends.
const OF_EDGE: usize = 128;

/// A block whose edges are added.
pub struct Connected<'c, 'e> {
    pub block: &'c Block,
    /// What evaluates it.
    pub evaluator: &'e Evaluator<'c>,
    /// The ids of its instances.
    pub instances: &'e [String],
}

pub fn connect(built: &mut Built, from: &Connected<'_, '_>, locals: &mut Locals<'_>) {
    let references = References::of(&from.block.body);
    let kinds = [
        (references.repeated, "reference", true),
        (references.used, "reference", false),
        (references.depends_on, "depends_on", false),
    ];
    let (ids, count) = (from.instances.iter(), from.instances.len());
    let given: Vec<_> = ids.map(|id| given(built, id, count)).collect();
    let has_links = types::has_links(&from.block.type_name);
    for (mut references, kind, is_repeated) in kinds {
        if !has_links {
            // Which argument it is does not matter: each local value is followed once.
            for reference in &mut references {
                reference.argument = Arc::default();
            }
        }
        for ((target, _), named) in locals.resolve(references) {
            let Some(address) = address(&target, locals.module) else {
                continue;
            };
            let to = format!("{}{address}", from.evaluator.prefix);
            let Some(nodes) = built.blocks.get(&to).cloned() else {
                for id in from.instances {
                    let message = format!("It refers to `{address}`, which is not declared.");
                    built.note(id, message);
                }
                continue;
            };
            let all = All {
                address: &to,
                nodes: &nodes,
                is_repeated,
                arguments: &named.arguments,
            };
            let index = named.index.as_ref();
            all.connect(built, from, index, kind, &given, locals.budget);
        }
    }
    // What a module is given reaches it through its variables.
    for (id, given) in from.instances.iter().zip(&given) {
        for (to, arguments) in given {
            built.refers_by(id, to, arguments);
            if add(built, locals.budget, id, to, "reference").is_none() {
                return;
            }
        }
    }
}

/// The instances of a block that is referred to.
struct All<'a> {
    address: &'a str,
    nodes: &'a [String],
    /// Whether the reference is in `count` or `for_each`.
    is_repeated: bool,
    arguments: &'a BTreeSet<Arc<str>>,
}

impl All<'_> {
    /// The instance whose address ends so.
    fn node(&self, built: &Built, end: &str) -> Option<String> {
        let id = format!("{}{end}", self.address);
        built.nodes.contains_key(&id).then_some(id)
    }

    fn connect(
        &self,
        built: &mut Built,
        from: &Connected<'_, '_>,
        index: Option<&hcl::Expression>,
        kind: &'static str,
        given: &[Given],
        budget: &Budget,
    ) {
        let is_many = self.nodes.len().saturating_mul(from.instances.len()) > MAX_BETWEEN
            || built.edges.len() > MAX_EDGES && self.nodes.len() > 1;
        let repeat = from.evaluator.repeat(from.block);
        let mut scopes = repeat.scopes();
        // One instance may stand for all.
        let is_one = from.instances.len() == 1 && repeat.count() != Some(1);
        for (id, given) in from.instances.iter().zip(given) {
            let scope = scopes.next().filter(|_| !is_one);
            let scope = scope.map(|(_, scope)| scope).unwrap_or_default();
            let key = index.map(|index| from.evaluator.value(index, &scope));
            let exact = match key.as_ref().map(Value::as_text) {
                Some(Some(key)) => [format!("[{key}]"), named(&key)]
                    .into_iter()
                    .find_map(|end| self.node(built, &end)),
                Some(None) => None,
                // Instances of one block for each instance of another have the same keys.
                None if self.is_repeated => built
                    .nodes
                    .get(id)
                    .and_then(|node| self.node(built, &node.key)),
                None => None,
            };
            let mut targets: Vec<&str> = exact.iter().map(String::as_str).collect();
            if targets.is_empty() && (index.is_some() || self.is_repeated) {
                let of_block = given.keys().filter(|node| split(node).0 == self.address);
                targets = of_block.map(String::as_str).collect();
            }
            if targets.is_empty() {
                let limit = if is_many { 1 } else { self.nodes.len() };
                let nodes = self.nodes.iter().map(String::as_str);
                targets = nodes.take(limit).collect();
            }
            for to in targets {
                built.refers_by(id, to, self.arguments);
                if add(built, budget, id, to, kind).is_none() {
                    return;
                }
            }
        }
        if is_many && index.is_none() {
            let (count, address) = (self.nodes.len(), self.address);
            let message = format!(
                "It refers to all {count} instances of `{address}`; the first one stands for them."
            );
            if let Some(id) = from.instances.first() {
                built.note(id, message);
            }
        }
    }
}

fn add(built: &mut Built, budget: &Budget, from: &str, to: &str, kind: &'static str) -> Option<()> {
    if from != to {
        let edge = (from.to_owned(), to.to_owned(), kind);
        if built.edges.insert(edge) {
            budget.take(from.len() + to.len() + OF_EDGE)?;
        }
    }
    Some(())
}

/// The address of what is referred to; `None` for a variable of the module.
fn address(target: &Target, module: &Configuration) -> Option<String> {
    Some(match target {
        Target::Resource(type_name, name) => format!("{type_name}.{name}"),
        Target::Data(type_name, name) => format!("data.{type_name}.{name}"),
        Target::Module(name) => format!("module.{name}"),
        Target::Variable(name) if module.variables.contains_key(name) => return None,
        Target::Variable(name) => format!("var.{name}"),
        Target::Local(name) => format!("local.{name}"),
    })
}

/// Nodes that values are of, each with the arguments that have such values.
type Given = BTreeMap<String, BTreeSet<Arc<str>>>;

/// The nodes that the values of one of `count` nodes are of.
fn given(built: &Built, id: &str, count: usize) -> Given {
    let mut addresses = Given::new();
    for values in built.instances(id).iter() {
        for (name, value) in values {
            nodes_in(name, value, &mut addresses);
        }
    }
    let mut given = Given::new();
    for (address, arguments) in addresses {
        let all = built.at(&address);
        let is_many = all.len().saturating_mul(count) > MAX_BETWEEN
            || built.edges.len() > MAX_EDGES && all.len() > 1;
        let limit = if is_many { 1 } else { all.len() };
        for node in all.into_iter().take(limit) {
            let of_node = given.entry(node.to_owned()).or_default();
            of_node.extend(arguments.iter().cloned());
        }
    }
    given
}

/// Adds the nodes that a value is of. `path` is the argument with the blocks and objects around it.
fn nodes_in(path: &str, value: &Value, found: &mut Given) {
    match value {
        Value::Of { node, .. } => {
            let arguments = found.entry(node.clone()).or_default();
            arguments.insert(path.into());
        }
        Value::List(list) => list.iter().for_each(|item| nodes_in(path, item, found)),
        Value::Map(map) => {
            for (name, item) in map {
                nodes_in(&format!("{path}.{name}"), item, found);
            }
        }
        _ => {}
    }
}

/// The calls of modules, each after those that it needs.
pub fn order<'c>(module: &'c Configuration, locals: &mut Locals<'c>) -> Vec<&'c Block> {
    let (mut ordered, mut seen) = (Vec::new(), BTreeSet::new());
    // Only calls are ordered, and other blocks lead from one to another.
    for block in module.blocks.iter().filter(|b| b.kind == Kind::Module) {
        // Depth first, without recursion: a call comes after everything that it leads to.
        let mut path = vec![(block, None::<Vec<&'c Block>>)];
        while let Some((block, next)) = path.last_mut() {
            let block = *block;
            // It was pushed just now: what it needs comes before it.
            if next.is_none() {
                let new = seen.insert(block.address());
                let needed = if new {
                    needs(block, module, locals)
                } else {
                    Vec::new()
                };
                *next = Some(needed);
                // It is in the order already, or needs itself, which Terraform refuses.
                if !new {
                    path.pop();
                    continue;
                }
            }
            match next.as_mut().and_then(Vec::pop) {
                Some(needed) => path.push((needed, None)),
                None => {
                    path.pop();
                    if block.kind == Kind::Module {
                        ordered.push(block);
                    }
                }
            }
        }
    }
    ordered
}

/// The blocks that a block refers to.
fn needs<'c>(
    block: &'c Block,
    module: &'c Configuration,
    locals: &mut Locals<'c>,
) -> Vec<&'c Block> {
    let References {
        mut used, repeated, ..
    } = References::of(&block.body);
    // `depends_on` is left out: it names no value.
    used.extend(repeated);
    let resolved = locals.resolve(used).into_keys();
    let addresses = resolved.filter_map(|(target, _)| address(&target, module));
    addresses
        .filter_map(|address| module.block(&address))
        .collect()
}

/// What local values refer to, each followed once.
pub struct Locals<'c> {
    module: &'c Configuration,
    budget: &'c Budget,
    direct: BTreeMap<&'c str, Vec<Reference>>,
}

/// References by their targets and the texts of their keys.
type Resolved = BTreeMap<(Target, String), Named>;

/// What names a target.
#[derive(Default)]
struct Named {
    index: Option<hcl::Expression>,
    arguments: BTreeSet<Arc<str>>,
}

impl<'c> Locals<'c> {
    pub fn new(module: &'c Configuration, budget: &'c Budget) -> Self {
        Self {
            module,
            budget,
            direct: BTreeMap::new(),
        }
    }

    /// The references, with local values replaced by what these refer to.
    fn resolve(&mut self, references: Vec<Reference>) -> Resolved {
        let (mut found, mut seen) = (Resolved::new(), BTreeSet::new());
        let mut left = references;
        while let Some(Reference {
            target,
            index,
            argument,
        }) = left.pop()
        {
            // The budget is checked after each block, and fails there.
            if self.budget.take(256).is_none() {
                return found;
            }
            let local = match &target {
                Target::Local(name) => self.module.locals.get_key_value(name),
                _ => None,
            };
            // A local value that is not declared stays a target, and is noted as missing.
            let Some((name, expression)) = local else {
                let text = index.as_ref().map(ToString::to_string).unwrap_or_default();
                let named = found.entry((target, text)).or_default();
                named.index = index;
                named.arguments.insert(argument);
                continue;
            };
            if seen.insert((name.as_str(), Arc::clone(&argument))) {
                let direct = self
                    .direct
                    .entry(name)
                    .or_insert_with(|| References::of_expression(expression).used);
                left.extend(direct.iter().map(|reference| Reference {
                    argument: Arc::clone(&argument),
                    ..reference.clone()
                }));
            }
        }
        found
    }
}
