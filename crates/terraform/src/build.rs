//! From modules to a graph: resources, data sources and modules as nodes, their references as edges.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use hcl::expr::Expression;
use serde_json::Value as Json;

use super::address::plain;
use super::attributes;
use super::comments;
use super::connect::{Connected, Locals, connect, order};
use super::evaluate::{Evaluator, Reads, Scope};
use super::graph::{Built, Node, Values, check_id};
use super::hash_key::HashKey;
use super::instances::{Instance, Instances, instances};
use super::module::Modules;
use super::names::folder;
use super::providers::Providers;
use super::quote::quote;
use super::rules;
use super::rules::types::Completed;
use super::secret;
use super::terraform::{Block, Configuration, Kind};
use super::unusable::Unusable;
use super::value::{Budget, Limit, Value};

/// How deep modules call each other.
const MAX_MODULES: usize = 16;
/// Why a root module is not tried.
const TOGETHER: &str =
    "The values of several root modules take too much. Analyze them one by one with `--root`.";

struct Builder<'c> {
    modules: &'c Modules,
    budget: &'c Budget,
    built: Built,
    /// Where each block is declared.
    declared: BTreeMap<String, String>,
    /// The folders of the modules that are used.
    folders: BTreeSet<String>,
    /// The folder of the root module, and what ids in it begin with.
    root: &'c str,
    prefix: String,
}

/// What is built of one root module.
struct Analyzed {
    built: Built,
    /// The folders of the modules that are used.
    folders: BTreeSet<String>,
}

/// Builds the graph of the root modules and those that they call. Of several root modules, one that cannot be analyzed is
/// refused alone.
///
/// # Errors
/// No root module can be analyzed.
pub fn build(modules: &Modules) -> Result<Built, Unusable> {
    let mut built = Built::default();
    let mut folders = BTreeSet::new();
    let mut refused = modules.refused.clone();
    let mut left = Limit::ALL;
    let share = left.shared_by(modules.roots.len());
    let mut large = Vec::new();
    let whole = modules
        .roots
        .iter()
        .filter(|root| !refused.contains_key(*root));
    for root in whole.cloned().collect::<Vec<_>>() {
        let budget = match modules.roots.len() {
            1 => Budget::of(share),
            _ => Budget::of_share(share),
        };
        match Builder::root(modules, &budget, &root) {
            Ok(one) => {
                left = left.without(budget.taken());
                built.absorb(one.built);
                folders.extend(one.folders);
            }
            // It gets what the others leave: whatever their order, none of these takes anything from them.
            Err(_) if budget.is_used_up() && modules.roots.len() > 1 => large.push(root),
            Err(Unusable(reason)) => drop(refused.insert(root, reason)),
        }
    }
    let mut wasted = 0;
    for root in large {
        // What one needed that failed is spent as well.
        if wasted > Limit::ALL.bytes {
            refused.insert(root, TOGETHER.to_owned());
            continue;
        }
        let budget = Budget::of(left);
        match Builder::root(modules, &budget, &root) {
            Ok(one) => {
                left = left.without(budget.taken());
                built.absorb(one.built);
                folders.extend(one.folders);
            }
            Err(Unusable(reason)) => {
                wasted += budget.taken().bytes;
                refused.insert(root, reason);
            }
        }
    }
    let analyzed = modules.roots.iter();
    let analyzed = analyzed.filter(|root| !refused.contains_key(*root));
    built.roots = analyzed.cloned().collect();
    built.refused = refused.keys().cloned().collect();
    let is_alone = modules.roots.len() == 1;
    for (root, reason) in refused {
        if is_alone {
            return Err(Unusable(reason));
        }
        let reason = format!("{root} is not analyzed: {reason}");
        built.unread.insert(root, reason);
    }
    if built.roots.is_empty() {
        return Err(Unusable(match built.unread.into_values().next() {
            Some(reason) => reason,
            None => "There is no root module.".to_owned(),
        }));
    }
    built.value_files = modules.value_files.clone();
    built.warnings = modules.warnings.clone();
    let unread = modules.unread.iter();
    let unread = unread.filter(|(path, _)| folders.contains(folder(path)));
    let unread = unread.chain(&modules.outside);
    built
        .unread
        .extend(unread.map(|(path, reason)| (path.clone(), reason.clone())));
    let used = folders.iter().filter_map(|of| modules.get(of));
    let elsewhere: Vec<_> = used.flat_map(|module| &module.ignores).collect();
    rules::classify(&mut built);
    comments::by_comments(&mut built, &elsewhere);
    Ok(built)
}

impl<'c> Builder<'c> {
    /// Builds the graph of a root module, and of those that it calls.
    fn root(modules: &'c Modules, budget: &'c Budget, root: &'c str) -> Result<Analyzed, Unusable> {
        let (folder, module) = modules
            .root(root)
            .ok_or_else(|| Unusable("The root module is missing.".to_owned()))?;
        let empty = Configuration::default();
        // Values of variables refer to nothing, so they need no module.
        let constants = Evaluator::new(&empty, String::new(), BTreeMap::new(), budget);
        // Terragrunt gives its values as the environment does, which files and arguments override.
        let mut given = modules.given_outside(root);
        for (name, expression) in modules.values.get(root).into_iter().flatten() {
            given.insert(name.clone(), constants.value(expression, &Scope::default()));
        }
        // Several roots are told apart by their folders.
        let prefix = match modules.roots.len() {
            1 => String::new(),
            _ => format!("{root}/"),
        };
        let providers = Providers::default().in_module(module, &prefix);
        let reads = Reads {
            texts: Some(&modules.texts),
            module: folder,
            root: folder,
            workspace: modules.workspaces.get(root).map(String::as_str),
        };
        let evaluator = Evaluator::new(module, prefix.clone(), given, budget).reading(reads);
        let evaluator = Rc::new(evaluator);
        let mut builder = Self {
            modules,
            budget,
            built: Built::default(),
            declared: BTreeMap::new(),
            folders: BTreeSet::from([root.to_owned()]),
            root,
            prefix,
        };
        builder.module(folder, module, &evaluator, &providers, 0)?;
        budget.check()?;
        Ok(Analyzed {
            built: builder.built,
            folders: builder.folders,
        })
    }

    fn module(
        &mut self,
        folder: &str,
        module: &'c Configuration,
        evaluator: &Rc<Evaluator<'c>>,
        providers: &Providers,
        depth: usize,
    ) -> Result<(), Unusable> {
        if depth > MAX_MODULES {
            return Err(Unusable(format!(
                "Modules call each other more than {MAX_MODULES} levels deep."
            )));
        }
        self.folders.insert(folder.to_owned());
        let prefix = &evaluator.prefix;
        let moved = module.moved.iter();
        let moved = moved.map(|(from, to)| (format!("{prefix}{from}"), format!("{prefix}{to}")));
        self.built.moved.extend(moved);
        let mut locals = Locals::new(module, self.budget);
        let mut connected = Vec::new();
        // First the modules, because others refer to their outputs.
        for block in order(module, &mut locals) {
            let found = self.call(folder, block, evaluator, providers, depth)?;
            self.budget.check()?;
            connected.push((block, self.nodes(block, evaluator, providers, found)?));
        }
        for block in module.blocks.iter().filter(|b| b.kind != Kind::Module) {
            let found = instances(evaluator, self.budget, block, 1);
            connected.push((block, self.nodes(block, evaluator, providers, found)?));
            self.budget.check()?;
        }
        for (block, instances) in connected {
            let from = Connected {
                block,
                evaluator,
                instances: &instances,
            };
            connect(&mut self.built, &from, &mut locals);
            self.budget.check()?;
        }
        Ok(())
    }

    fn nodes(
        &mut self,
        block: &Block,
        evaluator: &Evaluator<'_>,
        providers: &Providers,
        found: Instances,
    ) -> Result<Vec<String>, Unusable> {
        let address = format!("{}{}", evaluator.prefix, block.address());
        check_id(&address)?;
        let mut shown = Shown::default();
        let key = &self.modules.hash_key;
        let mut ids = Vec::with_capacity(found.all.len());
        let provider = Providers::name_of(block);
        let versions = self.modules.versions.get(self.root);
        let mut completed = Completed::default();
        for mut instance in found.all {
            let id = format!("{address}{}", instance.end);
            check_id(&id)?;
            if block.kind == Kind::Resource {
                completed = completed.of(&block.type_name, &instance.values, |since| {
                    versions?.default_of(&provider, since)
                });
                instance.values = Arc::clone(&completed.values);
            }
            shown = shown.of(&block.type_name, &instance, key);
            let node = Node {
                id: id.clone(),
                key: instance.end,
                kind: block.kind,
                type_name: block.type_name.clone(),
                name: block.name.clone(),
                provider_name: if block.kind == Kind::Module {
                    String::new()
                } else {
                    provider.clone()
                },
                file: Some(block.file.to_string()),
                line: block.line,
                last_line: block.last_line,
                ignores: Arc::clone(&block.ignores),
                instances: instance.count,
                repeated_by: found.repeated_by.clone(),
                provider: Some(providers.of(block)),
                attributes: Arc::clone(&shown.attributes),
                redacted: shown.redacted,
                instances_hash: attributes::of_all(&block.type_name, &instance.values, key),
                values: instance.values,
                internet_exposed: false,
                datastore: false,
            };
            self.built.nodes.insert(id.clone(), node);
            if let Some(unknown) = &found.unknown {
                let message = format!("The number of instances is not known: {unknown}.");
                self.built.note(&id, message);
            }
            ids.push(id);
        }
        if self
            .built
            .blocks
            .insert(address.clone(), ids.clone())
            .is_some()
        {
            // Terraform refuses this, and the second block would replace the first one's instances.
            let first = self.declared.get(&address).cloned().unwrap_or_default();
            return Err(Unusable(format!(
                "{address} is declared twice: in {first} and in {}.",
                place(block)
            )));
        }
        self.declared.insert(address, place(block));
        Ok(ids)
    }

    fn call(
        &mut self,
        folder: &str,
        block: &Block,
        evaluator: &Rc<Evaluator<'c>>,
        providers: &Providers,
        depth: usize,
    ) -> Result<Instances, Unusable> {
        let id = format!("{}{}", evaluator.prefix, block.address());
        let source = match block.body.attribute("source") {
            Some(Expression::String(source)) => source.as_str(),
            _ => "",
        };
        let key = installed_key(id.strip_prefix(&self.prefix).unwrap_or(&id));
        let called = self.modules.called(folder, source);
        let called = called.or_else(|| self.modules.installed(self.root, &key));
        let Some((folder, module)) = called else {
            let source = secret::source(source);
            let message = format!("The module's source `{source}` is not part of the upload.");
            let found = instances(evaluator, self.budget, block, 1);
            for instance in &found.all {
                let id = format!("{id}{}", instance.end);
                self.built.undecided(&id, message.clone());
                self.built.absent.insert(plain(&id));
            }
            return Ok(found);
        };
        // Each instance of the call has all blocks of the module.
        let found = instances(evaluator, self.budget, block, module.blocks.len().max(1));
        for instance in &found.all {
            let prefix = format!("{id}{}.", instance.end);
            let given = shared(&instance.values, block);
            let providers = providers.given_to(block).in_module(module, &prefix);
            let reads = Reads {
                texts: Some(&self.modules.texts),
                module: folder,
                root: self
                    .modules
                    .root(self.root)
                    .map_or(self.root, |(folder, _)| folder),
                workspace: self.modules.workspaces.get(self.root).map(String::as_str),
            };
            let child = Evaluator::new(module, prefix, given, self.budget).reading(reads);
            let child = Rc::new(child);
            let address = format!("{}{}", block.address(), instance.end);
            let mut children = evaluator.children.borrow_mut();
            children.insert(address, Rc::clone(&child));
            drop(children);
            self.module(folder, module, &child, &providers, depth + 1)?;
            self.budget.check()?;
        }
        Ok(found)
    }
}

/// What is stored of attributes; the same for instances that are equal.
#[derive(Default)]
struct Shown {
    of: Option<Arc<Vec<Values>>>,
    attributes: Arc<Json>,
    redacted: usize,
}

impl Shown {
    fn of(self, type_name: &str, instance: &Instance, key: &HashKey) -> Self {
        if self
            .of
            .as_ref()
            .is_some_and(|of| Arc::ptr_eq(of, &instance.values))
        {
            return self;
        }
        let first = instance.values.first();
        let shown = first.map(|values| attributes::redact(type_name, values, key));
        let (attributes, redacted) = shown.unwrap_or_default();
        Self {
            of: Some(Arc::clone(&instance.values)),
            attributes: Arc::new(attributes),
            redacted,
        }
    }
}

/// The file of a block, and its line as far as that is known.
fn place(block: &Block) -> String {
    match block.line {
        Some(line) => format!("{}:{line}", block.file),
        None => block.file.to_string(),
    }
}

/// The arguments of a module. If several instances are one node, an argument in which they differ is not known.
fn shared(instances: &[Values], block: &Block) -> Values {
    let Some((first, others)) = instances.split_first() else {
        return Values::new();
    };
    let names = instances.iter().flat_map(Values::keys);
    let names: BTreeSet<_> = names.collect();
    let mut shared = Values::new();
    for name in names {
        let value = match first.get(name) {
            Some(value) if others.iter().all(|other| other.get(name) == Some(value)) => {
                value.clone()
            }
            _ => {
                let expression = block.body.attribute(name);
                Value::Unknown(expression.map_or_else(|| name.clone(), quote))
            }
        };
        shared.insert(name.clone(), value);
    }
    shared
}

/// The calls that lead to a module, as `terraform init` names them: `network.subnets`.
fn installed_key(id: &str) -> String {
    let plain = plain(id);
    let parts = plain.split('.').filter(|part| *part != "module");
    parts.collect::<Vec<_>>().join(".")
}
