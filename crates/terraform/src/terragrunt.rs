//! Terragrunt: units, each of which runs a module with values of its own.
//! Source: "HCL Blocks" and "HCL Attributes", the Terragrunt documentation.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::archive::Files;
use super::evaluate::{Evaluator, Scope};
use super::module::Modules;
use super::names::{folder, is_override, is_terraform, is_terragrunt, is_unit, join, path};
use super::secret;
use super::terraform::{Body, Configuration, read_body, read_hcl};
use super::text::text;
use super::unit::Unit;
use super::unusable::Unusable;
use super::value::{Budget, Limit, Value};

/// Blocks and attributes of a unit that give its module neither values nor files.
const HARMLESS: [&str; 22] = [
    "catalog",
    "dependencies",
    "dependency",
    "download_dir",
    "engine",
    "errors",
    "exclude",
    "feature",
    "iam_assume_role_duration",
    "iam_assume_role_session_name",
    "iam_role",
    "iam_web_identity_token",
    "locals",
    "prevent_destroy",
    "remote_state",
    "retry_max_attempts",
    "retry_sleep_interval_sec",
    "retryable_errors",
    "skip",
    "terraform_binary",
    "terraform_version_constraint",
    "terragrunt_version_constraint",
];
/// The same in the block `terraform` of a unit.
const HARMLESS_IN_TERRAFORM: [&str; 4] = [
    "copy_terraform_lock_file",
    "exclude_from_copy",
    "include_in_copy",
    "source",
];
/// The arguments of `generate` that are read or decide nothing.
const OF_GENERATE: [&str; 6] = [
    "comment_prefix",
    "contents",
    "disable_signature",
    "hcl_fmt",
    "if_exists",
    "path",
];

/// Where the module of a unit is.
enum Source {
    /// The unit names none.
    Own,
    /// In a folder of the upload.
    Folder(String),
    /// Elsewhere: what the unit names.
    Elsewhere(String),
    /// Only Terragrunt knows.
    Unknown,
}

/// What a unit's file has.
struct Parsed {
    source: Source,
    inputs: BTreeMap<String, Value>,
    generated: BTreeMap<String, String>,
    /// What is not read, and may give values or files.
    unread: BTreeSet<String>,
}

impl Modules {
    /// Reads the units of Terragrunt among the files.
    pub fn read_units(&mut self, files: &Files) {
        let all: Vec<_> = files
            .iter()
            .filter(|(path, _)| is_terragrunt(path))
            .collect();
        let share = Limit::ALL.shared_by(all.len());
        for (file, bytes) in all {
            if !is_unit(file) {
                self.outside_all(file, "this file is not read");
                continue;
            }
            let budget = Budget::of(share);
            let read = text(file, bytes).and_then(|text| {
                let parsed = parsed(folder(file), &read_body(file, text)?, &budget);
                budget.check().map(|()| parsed)
            });
            match read {
                Ok(parsed) => self.unit(file, parsed, files),
                Err(Unusable(reason)) => self.outside_all(file, &reason),
            }
        }
    }

    /// Notes a file that may give values to any root module.
    fn outside_all(&mut self, file: &str, reason: &str) {
        self.giving.insert(file.to_owned());
        let reason = format!(
            "{file}: {reason}, and Terragrunt may give other values to the variables of each root module than their defaults."
        );
        self.outside.insert(file.to_owned(), reason);
    }

    fn unit(&mut self, file: &str, parsed: Parsed, files: &Files) {
        let own = folder(file);
        let has_own = self.modules.get(own).is_some_and(|module| module.count > 0);
        let includes = parsed.unread.contains("include");
        let module = match &parsed.source {
            Source::Folder(of) if self.modules.contains_key(of) => of.clone(),
            Source::Folder(of) => {
                self.wanted.insert(of.clone());
                return self.elsewhere(file, of, has_own);
            }
            Source::Elsewhere(of) => return self.elsewhere(file, of, has_own),
            Source::Own if has_own => own.to_owned(),
            // Others include it.
            Source::Own if !includes => return,
            Source::Own | Source::Unknown => {
                return self.outside_all(file, "the source of its module is not known");
            }
        };
        let mut unread = parsed.unread;
        let mut added = Configuration::default();
        for (name, contents) in &parsed.generated {
            // Which of two files with one name counts depends on `if_exists`, which is not read.
            let is_there = [own, module.as_str()]
                .iter()
                .any(|of| files.contains_key(&join(of, name)));
            let place = Arc::from(join(own, name));
            let is_read = !is_there && read_hcl(&mut added, &place, contents).is_ok();
            if !is_read {
                unread.insert("generate".to_owned());
            }
        }
        let is_override = parsed.generated.keys().any(|name| is_override(name));
        let own_module = self.modules.get(own).filter(|_| own != module);
        let whole = if added.count > 0 || own_module.is_some() {
            let mut whole = self.modules.get(&module).cloned().unwrap_or_default();
            if let Some(own) = own_module {
                whole.extend(own.clone());
            }
            if is_override {
                whole.merge(added);
            } else {
                whole.extend(added);
            }
            Some(whole)
        } else {
            None
        };
        if !unread.is_empty() {
            let names: Vec<_> = unread.iter().map(|name| format!("`{name}`")).collect();
            let reason = format!(
                "{file}: {} of Terragrunt is not read, so the values of the variables of its module are not known.",
                names.join(", ")
            );
            self.outside.insert(file.to_owned(), reason);
        }
        if !parsed.inputs.is_empty() {
            self.value_files.used.push(file.to_owned());
        }
        let unit = Unit {
            folder: module,
            module: whole,
            inputs: parsed.inputs,
            is_whole: unread.is_empty(),
        };
        self.units.insert(own.to_owned(), unit);
    }

    /// Notes a unit whose module is not part of the upload. What is beside its file is analyzed.
    fn elsewhere(&mut self, file: &str, source: &str, has_own: bool) {
        let source = secret::source(source);
        let reason = format!(
            "{file}: Terragrunt runs the module `{source}`, which is not part of the upload."
        );
        self.outside.insert(file.to_owned(), reason);
        if has_own {
            let own = folder(file).to_owned();
            let unit = Unit {
                folder: own.clone(),
                module: None,
                inputs: BTreeMap::new(),
                is_whole: false,
            };
            self.units.insert(own, unit);
        }
    }

    /// A root module with its folder.
    pub fn root(&self, root: &str) -> Option<(&str, &Configuration)> {
        let Some(unit) = self.units.get(root) else {
            return self.with_folder(root);
        };
        match &unit.module {
            Some(module) => Some((&unit.folder, module)),
            None => self.with_folder(&unit.folder),
        }
    }

    /// The values that Terragrunt gives to the variables of a root module, or may give: these are unknown.
    pub fn given_outside(&self, root: &str) -> BTreeMap<String, Value> {
        let unit = self.units.get(root);
        let mut given = unit.map(|unit| unit.inputs.clone()).unwrap_or_default();
        let is_whole = match unit {
            Some(unit) => unit.is_whole,
            None => self.giving.is_empty(),
        };
        if is_whole {
            return given;
        }
        let variables = self.root(root).map(|(_, module)| module.variables.keys());
        for name in variables.into_iter().flatten() {
            given
                .entry(name.clone())
                .or_insert_with(|| Value::Unknown(format!("var.{name}")));
        }
        given
    }
}

/// Reads the body of a unit's file.
fn parsed(own: &str, body: &Body, budget: &Budget) -> Parsed {
    let mut locals = Configuration::default();
    for (kind, block) in &body.blocks {
        if kind == "locals" {
            locals.locals.extend(block.attributes.iter().cloned());
        }
    }
    let evaluator = Evaluator::new(&locals, String::new(), BTreeMap::new(), budget);
    let mut parsed = Parsed {
        source: Source::Own,
        inputs: BTreeMap::new(),
        generated: BTreeMap::new(),
        unread: BTreeSet::new(),
    };
    for (name, expression) in &body.attributes {
        if name != "inputs" {
            parsed.note_unless(&HARMLESS, name);
            continue;
        }
        match evaluator.value(expression, &Scope::default()) {
            Value::Map(inputs) => {
                let inputs = inputs
                    .into_iter()
                    .map(|(name, value)| (name, without_others(value)));
                parsed.inputs = inputs.collect();
            }
            _ => parsed.note_unless(&[], name),
        }
    }
    for (kind, block) in &body.blocks {
        match kind.as_str() {
            "terraform" => parsed.terraform(own, block, &evaluator),
            "generate" => parsed.generate(block, &evaluator),
            kind => parsed.note_unless(&HARMLESS, kind),
        }
    }
    for dynamic in &body.dynamics {
        parsed.note_unless(&[], &dynamic.kind);
    }
    parsed
}

impl Parsed {
    /// Notes something that is not read, unless it is one of these.
    fn note_unless(&mut self, harmless: &[&str], name: &str) {
        if !harmless.contains(&name) {
            self.unread.insert(name.to_owned());
        }
    }

    fn terraform(&mut self, own: &str, block: &Body, evaluator: &Evaluator<'_>) {
        let attributes = block.attributes.iter().map(|(name, _)| name);
        for name in attributes.chain(block.blocks.iter().map(|(kind, _)| kind)) {
            self.note_unless(&HARMLESS_IN_TERRAFORM, name);
        }
        let Some(source) = block.attribute("source") else {
            return;
        };
        self.source = match evaluator.value(source, &Scope::default()) {
            Value::Text(source) => source_of(own, source),
            _ => Source::Unknown,
        };
    }

    fn generate(&mut self, block: &Body, evaluator: &Evaluator<'_>) {
        let text = |name: &str| {
            let value = evaluator.value(block.attribute(name)?, &Scope::default());
            value.as_text()
        };
        let attributes = block.attributes.iter().map(|(name, _)| name);
        let is_odd = attributes
            .chain(block.blocks.iter().map(|(kind, _)| kind))
            .any(|name| !OF_GENERATE.contains(&name.as_str()));
        let (Some(path), Some(contents), false) = (text("path"), text("contents"), is_odd) else {
            return self.note_unless(&[], "generate");
        };
        if path.ends_with(".tf") || path.ends_with(".tofu") {
            self.generated.insert(path, contents);
        } else if is_terraform(&path) {
            self.note_unless(&[], "generate");
        }
    }
}

fn source_of(own: &str, source: String) -> Source {
    // Two slashes mark what Terragrunt copies, and change no path.
    let is_path = matches!(source.as_str(), "." | "..")
        || source.starts_with("./")
        || source.starts_with("../");
    if !is_path {
        return Source::Elsewhere(source);
    }
    match path(own, &format!("{source}/")) {
        Some(folder) => Source::Folder(folder),
        None => Source::Unknown,
    }
}

/// A value of a unit. What is of other units, or of what Terragrunt includes, is not known.
fn without_others(value: Value) -> Value {
    match value {
        Value::Of { text, .. } => Value::Unknown(text),
        Value::List(list) => Value::List(list.into_iter().map(without_others).collect()),
        Value::Map(map) => {
            let map = map
                .into_iter()
                .map(|(name, value)| (name, without_others(value)));
            Value::Map(map.collect())
        }
        Value::Choice { text, .. } => Value::Unknown(text),
        value => value,
    }
}
