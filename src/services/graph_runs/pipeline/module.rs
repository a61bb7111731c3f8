//! The modules of an upload: which files belong to which, and which of them is the root.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hcl::expr::Expression;

use super::archive::Files;
use super::terraform::{Configuration, Kind, read_hcl, read_json, read_json_values, read_values};
use super::text::text;
use super::unusable::Unusable;

/// Every module of an upload, by its folder.
#[derive(Debug, Default)]
pub struct Modules {
    modules: BTreeMap<String, Configuration>,
    /// The folder of the root module.
    pub root: String,
    /// Values of the root module's variables.
    pub values: BTreeMap<String, Expression>,
    /// The files with values that count, and those that do not.
    pub value_files: ValueFiles,
}

/// The files with values of variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueFiles {
    /// Those that count, the later ones more.
    pub used: Vec<String>,
    /// Those that do not.
    pub ignored: Vec<String>,
}

impl Modules {
    /// The modules in these files. The root is `top`, if that has a configuration.
    ///
    /// # Errors
    /// A file is not Terraform, there is none, or no folder is the root.
    pub fn read(files: &Files, top: Option<&str>) -> Result<Self, Unusable> {
        let mut read = Self::default();
        // Terraform merges override files into the others, after those.
        let mut sorted: Vec<_> = files.iter().collect();
        sorted.sort_by_key(|(path, _)| is_override(path));
        for (path, bytes) in sorted {
            let is_override = is_override(path);
            let text = text(path, bytes)?;
            let (file, module) = (Arc::from(path.as_str()), folder(path));
            let mut configuration = Configuration::default();
            let into = match is_override {
                true => &mut configuration,
                false => read.module(module),
            };
            if path.ends_with(".tf") {
                read_hcl(into, &file, text)?;
            } else if path.ends_with(".tf.json") {
                read_json(into, &file, text)?;
            }
            if is_override {
                read.module(module).merge(configuration);
            }
        }
        if read.modules.values().all(|module| module.count == 0) {
            return Err(Unusable(
                "There is no Terraform configuration in the file. Expected are blocks such as `resource` and `module`."
                    .to_owned(),
            ));
        }
        let top = top.filter(|top| read.modules.get(*top).is_some_and(|top| top.count > 0));
        read.root = match top {
            Some(top) => top.to_owned(),
            None => read.find_root()?,
        };
        read.read_values(files)?;
        Ok(read)
    }

    fn module(&mut self, folder: &str) -> &mut Configuration {
        self.modules.entry(folder.to_owned()).or_default()
    }

    /// The module in a folder.
    pub fn get(&self, folder: &str) -> Option<&Configuration> {
        self.modules.get(folder)
    }

    /// The folder of the module that a block calls, if it is in the upload.
    pub fn called(&self, from: &str, source: &str) -> Option<String> {
        path(from, source).filter(|folder| self.modules.contains_key(folder))
    }

    /// The folders of modules that are called and not there.
    pub fn missing(&self) -> BTreeSet<String> {
        let called = self.calls().into_iter();
        let missing = called.filter(|folder| !self.modules.contains_key(folder));
        missing.collect()
    }

    /// The folders of all modules that others call by a path.
    fn calls(&self) -> BTreeSet<String> {
        let mut called = BTreeSet::new();
        for (folder, module) in &self.modules {
            let calls = module.blocks.iter().filter(|b| b.kind == Kind::Module);
            for call in calls {
                if let Some(Expression::String(source)) = call.body.attribute("source") {
                    called.extend(path(folder, source));
                }
            }
        }
        called
    }

    /// The one folder closest to the top that no other module calls.
    fn find_root(&self) -> Result<String, Unusable> {
        let called = self.calls();
        let depth = |folder: &str| folder.split('/').filter(|part| !part.is_empty()).count();
        let tops = self
            .modules
            .keys()
            .filter(|folder| !called.contains(*folder));
        let least = tops
            .clone()
            .map(|folder| depth(folder))
            .min()
            .unwrap_or_default();
        let tops: Vec<_> = tops.filter(|folder| depth(folder) == least).collect();
        match tops.as_slice() {
            [root] => Ok((*root).clone()),
            [] => Err(Unusable(
                "The modules of the archive call each other in a circle.".to_owned(),
            )),
            several => {
                let names: Vec<_> = several
                    .iter()
                    .take(5)
                    .map(|name| format!("{name:?}"))
                    .collect();
                Err(Unusable(format!(
                    "The archive has several root modules ({}). Upload one of them.",
                    names.join(", ")
                )))
            }
        }
    }

    /// The values that Terraform loads by itself, in its order; a single file of another name counts, too.
    /// Source: "Variable Definition Precedence", the Terraform language documentation.
    fn read_values(&mut self, files: &Files) -> Result<(), Unusable> {
        let all = files
            .iter()
            .filter(|(path, _)| path.ends_with(".tfvars") || path.ends_with(".tfvars.json"));
        let (own, elsewhere): (Vec<_>, Vec<_>) =
            all.partition(|(path, _)| folder(path) == self.root);
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let rank = |path: &str| match name(path).as_str() {
            "terraform.tfvars" => Some(0),
            "terraform.tfvars.json" => Some(1),
            name if name.contains(".auto.tfvars") => Some(2),
            _ if own.len() == 1 => Some(3),
            _ => None,
        };
        let mut ranked: Vec<_> = own
            .iter()
            .filter_map(|(path, text)| Some((rank(path)?, path, text)))
            .collect();
        ranked.sort();
        let used: Vec<_> = ranked.iter().map(|(_, path, _)| (**path).clone()).collect();
        let ignored = own
            .iter()
            .chain(&elsewhere)
            .map(|(path, _)| (*path).clone());
        self.value_files = ValueFiles {
            ignored: ignored.filter(|path| !used.contains(path)).collect(),
            used,
        };
        let mut values = BTreeMap::new();
        for (_, path, bytes) in ranked {
            let text = text(path, bytes)?;
            values.extend(match path.ends_with(".json") {
                true => read_json_values(path, text)?,
                false => read_values(path, text)?,
            });
        }
        self.values = values;
        Ok(())
    }
}

/// The folder that a module's source names, if it is a path.
fn path(from: &str, source: &str) -> Option<String> {
    if !source.starts_with("./") && !source.starts_with("../") {
        return None;
    }
    let mut parts: Vec<_> = from.split('/').filter(|part| !part.is_empty()).collect();
    for part in source.split('/').filter(|part| !part.is_empty()) {
        match part {
            "." => {}
            // Only a folder of this machine has anything above its root.
            ".." if parts.last().is_none_or(|last| *last == "..") => parts.push(".."),
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Whether a file changes what others declare: `override.tf`, `prod_override.tf.json`. Source: "Override Files", the
/// Terraform language documentation.
fn is_override(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = name
        .strip_suffix(".tf.json")
        .or_else(|| name.strip_suffix(".tf"));
    stem.is_some_and(|stem| stem == "override" || stem.ends_with("_override"))
}

/// The folder of a file: `modules/network`; empty at the top.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
