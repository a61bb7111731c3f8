//! From modules to a graph: resources, data sources and modules as nodes, their references as edges.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use hcl::expr::Expression;

use super::attributes;
use super::elements::elements;
use super::evaluate::{Evaluator, Scope};
use super::graph::{Built, Node, Values, check_id};
use super::module::Modules;
use super::quote::without_literals;
use super::references::{References, Target};
use super::rules;
use super::secret;
use super::terraform::{Block, Configuration, Kind};
use super::unusable::Unusable;
use super::value::{Budget, Value};

/// How deep modules call each other.
const MAX_MODULES: usize = 16;

/// The instances of one block.
struct Instances {
    values: Vec<Values>,
    count: Option<usize>,
    unknown: Option<String>,
}

struct Builder<'c> {
    modules: &'c Modules,
    budget: &'c Budget,
    built: Built,
}

/// Builds the graph of the root module and those that it calls.
///
/// # Errors
/// The configuration takes too much to evaluate.
pub fn build(modules: &Modules) -> Result<Built, Unusable> {
    let budget = Budget::default();
    let mut builder = Builder {
        modules,
        budget: &budget,
        built: Built::default(),
    };
    let missing = || Unusable("The root module is missing.".to_owned());
    let root = modules.get(&modules.root).ok_or_else(missing)?;
    let empty = Configuration::default();
    let constants = Evaluator::new(&empty, String::new(), BTreeMap::new(), &budget);
    let given = modules.values.iter();
    let given = given.map(|(name, e)| (name.clone(), constants.value(e, &Scope::default())));
    let evaluator = Rc::new(Evaluator::new(
        root,
        String::new(),
        given.collect(),
        &budget,
    ));
    builder.module((&modules.root, root), &evaluator, 0)?;
    builder.built.value_files = modules.value_files.clone();
    rules::classify(&mut builder.built);
    Ok(builder.built)
}

impl<'c> Builder<'c> {
    fn module(
        &mut self,
        (folder, module): (&str, &'c Configuration),
        evaluator: &Rc<Evaluator<'c>>,
        depth: usize,
    ) -> Result<(), Unusable> {
        if depth > MAX_MODULES {
            return Err(Unusable(format!(
                "Modules call each other more than {MAX_MODULES} levels deep."
            )));
        }
        // First the modules, because others refer to their outputs.
        for block in module.blocks.iter().filter(|b| b.kind == Kind::Module) {
            self.call(folder, block, evaluator, depth)?;
            self.budget.check()?;
        }
        let mut through = Locals::new(module, self.budget);
        for block in &module.blocks {
            let id = format!("{}{}", evaluator.prefix, block.address());
            check_id(&id)?;
            let found = instances(evaluator, self.budget, block);
            let node = Node {
                id: id.clone(),
                kind: block.kind,
                type_name: block.type_name.clone(),
                name: block.name.clone(),
                file: Some(block.file.to_string()),
                line: block.line,
                instances: found.count,
                attributes: found
                    .values
                    .first()
                    .map_or(serde_json::Value::Null, |values| {
                        attributes::shown(&block.type_name, values)
                    }),
                instances_hash: attributes::of_all(&block.type_name, &found.values),
                values: Arc::new(found.values),
                internet_exposed: false,
                datastore: false,
            };
            if let Some(first) = self.built.nodes.insert(id.clone(), node) {
                let place = |file: Option<&str>, line: Option<usize>| {
                    let line = line.map(|line| format!(":{line}")).unwrap_or_default();
                    format!("{}{line}", file.unwrap_or("a file"))
                };
                return Err(Unusable(format!(
                    "{id} is declared twice: in {} and in {}.",
                    place(first.file.as_deref(), first.line),
                    place(Some(&*block.file), block.line)
                )));
            }
            if let Some(unknown) = found.unknown {
                let message = format!("The number of instances is not known: {unknown}.");
                self.built.note(&id, message);
            }
            self.budget.check()?;
        }
        for block in &module.blocks {
            self.connect(block, evaluator, &mut through);
            self.budget.check()?;
        }
        Ok(())
    }

    fn call(
        &mut self,
        folder: &str,
        block: &Block,
        evaluator: &Rc<Evaluator<'c>>,
        depth: usize,
    ) -> Result<(), Unusable> {
        let id = format!("{}{}", evaluator.prefix, block.address());
        let source = match block.body.attribute("source") {
            Some(Expression::String(source)) => source.as_str(),
            _ => "",
        };
        let called = self.modules.called(folder, source);
        let module = called
            .as_deref()
            .and_then(|folder| self.modules.get(folder));
        let (Some(folder), Some(module)) = (&called, module) else {
            let source = secret::source(source);
            let message = format!("The module's source `{source}` is not part of the upload.");
            self.built.undecided(&id, message);
            return Ok(());
        };
        let given = evaluator.body(&block.body, &Scope::default());
        let child = Evaluator::new(module, format!("{id}."), given, self.budget);
        let child = Rc::new(child);
        evaluator
            .children
            .borrow_mut()
            .insert(block.name.clone(), Rc::clone(&child));
        self.module((folder, module), &child, depth + 1)
    }

    fn connect(&mut self, block: &Block, evaluator: &Evaluator<'_>, through: &mut Locals<'_>) {
        let from = format!("{}{}", evaluator.prefix, block.address());
        let references = References::of(&block.body);
        let kinds = [
            (references.used, "reference"),
            (references.depends_on, "depends_on"),
        ];
        for (targets, kind) in kinds {
            for target in through.resolve(targets) {
                let to = match &target {
                    Target::Resource(type_name, name) => format!("{type_name}.{name}"),
                    Target::Data(type_name, name) => format!("data.{type_name}.{name}"),
                    Target::Module(name) => format!("module.{name}"),
                    Target::Variable(name) if through.module.variables.contains_key(name) => {
                        continue;
                    }
                    Target::Variable(name) => format!("var.{name}"),
                    Target::Local(name) => format!("local.{name}"),
                };
                let id = format!("{}{to}", evaluator.prefix);
                if !self.built.nodes.contains_key(&id) {
                    let message = format!("It refers to `{to}`, which is not declared.");
                    self.built.note(&from, message);
                } else if from != id {
                    self.built.edges.insert((from.clone(), id, kind));
                }
            }
        }
        // What a module is given reaches it through its variables.
        let values = self.built.nodes.get(&from).map(|node| &node.values);
        let mut given = BTreeSet::new();
        for values in values.into_iter().flat_map(|values| values.iter()) {
            values
                .values()
                .for_each(|value| nodes_in(value, &mut given));
        }
        for to in given {
            if from != to && self.built.nodes.contains_key(&to) {
                self.built.edges.insert((from.clone(), to, "reference"));
            }
        }
    }
}

/// The nodes that a value is of.
fn nodes_in(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Of { node, .. } => drop(found.insert(node.clone())),
        Value::List(list) => list.iter().for_each(|item| nodes_in(item, found)),
        Value::Map(map) => map.values().for_each(|item| nodes_in(item, found)),
        _ => {}
    }
}

fn instances(evaluator: &Evaluator<'_>, budget: &Budget, block: &Block) -> Instances {
    let plain = Scope::default();
    let uncounted = |argument: &str, text: String| Instances {
        values: vec![evaluator.body(&block.body, &plain)],
        count: None,
        unknown: Some(format!("`{argument}` is `{}`", without_literals(&text))),
    };
    if let Some(count) = block.body.attribute("count") {
        return match evaluator.value(count, &plain) {
            Value::Number(count) if count >= 0.0 => {
                let count = count as usize;
                let index = |at: usize| {
                    let index = BTreeMap::from([("index".to_owned(), Value::Number(at as f64))]);
                    plain.with("count", Value::Map(index))
                };
                repeated(evaluator, budget, block, (count, (0..count).map(index)))
            }
            value => uncounted("count", value.unknown().unwrap_or("no number").to_owned()),
        };
    }
    if let Some(each) = block.body.attribute("for_each") {
        let each = evaluator.value(each, &plain);
        let unnumbered = match &each {
            Value::List(list) => list.clone(),
            of => vec![of.clone()],
        };
        return match elements(each, false) {
            Ok(elements) => {
                let count = elements.len();
                let scopes = elements
                    .into_iter()
                    .map(|element| plain.each("each", element));
                repeated(evaluator, budget, block, (count, scopes))
            }
            // How many there are is not known, but what each of them is of may be.
            Err(unknown) => Instances {
                values: unnumbered
                    .into_iter()
                    .map(|value| {
                        let key = Value::Unknown("each.key".to_owned());
                        evaluator.body(&block.body, &plain.each("each", (key, value)))
                    })
                    .collect(),
                ..uncounted("for_each", unknown)
            },
        };
    }
    Instances {
        values: vec![evaluator.body(&block.body, &plain)],
        count: Some(1),
        unknown: None,
    }
}

/// The instances of a repeated block. If the first one does not use what differs between them, it stands for all.
fn repeated(
    evaluator: &Evaluator<'_>,
    budget: &Budget,
    block: &Block,
    (count, mut scopes): (usize, impl Iterator<Item = Scope>),
) -> Instances {
    let mut values = Vec::new();
    if let Some(scope) = scopes.next() {
        evaluator.has_used_instance.set(false);
        values.push(evaluator.body(&block.body, &scope));
    }
    if evaluator.has_used_instance.get() {
        for scope in scopes {
            if budget.take_instance().is_none() {
                break;
            }
            values.push(evaluator.body(&block.body, &scope));
        }
    }
    Instances {
        values,
        count: Some(count),
        unknown: None,
    }
}

/// What local values refer to, each followed once.
struct Locals<'c> {
    module: &'c Configuration,
    budget: &'c Budget,
    direct: BTreeMap<&'c str, Vec<Target>>,
}

impl<'c> Locals<'c> {
    fn new(module: &'c Configuration, budget: &'c Budget) -> Self {
        Self {
            module,
            budget,
            direct: BTreeMap::new(),
        }
    }

    /// The targets, with local values replaced by what these refer to.
    fn resolve(&mut self, targets: Vec<Target>) -> BTreeSet<Target> {
        let (mut found, mut seen) = (BTreeSet::new(), BTreeSet::new());
        let mut left = targets;
        while let Some(target) = left.pop() {
            if self.budget.take(256).is_none() {
                return found;
            }
            let Target::Local(name) = &target else {
                found.insert(target);
                continue;
            };
            match self.module.locals.get_key_value(name) {
                Some((name, expression)) => {
                    if seen.insert(name.as_str()) {
                        let direct = self
                            .direct
                            .entry(name)
                            .or_insert_with(|| References::of_expression(expression).used);
                        left.extend(direct.iter().cloned());
                    }
                }
                None => drop(found.insert(target)),
            }
        }
        found
    }
}
