//! The modules of an upload: which files belong to which, and which of them is the root.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hcl::expr::Expression;

use super::archive::{Files, is_terraform};
use super::terraform::{Configuration, Kind, read_hcl, read_json, read_json_values, read_values};
use super::unusable::Unusable;

/// Every module of an upload, by its folder.
#[derive(Debug, Default)]
pub struct Modules {
    modules: BTreeMap<String, Configuration>,
    /// The folder of the root module.
    pub root: String,
    /// Values of the root module's variables.
    pub values: BTreeMap<String, Expression>,
}

impl Modules {
    /// The modules in these files.
    ///
    /// # Errors
    /// A file is not Terraform, there is none, or no folder is the root.
    pub fn read(files: &Files) -> Result<Self, Unusable> {
        let mut read = Self::default();
        // Terraform merges override files into the others, after those.
        let mut sorted: Vec<_> = files.iter().collect();
        sorted.sort_by_key(|(path, _)| is_override(path));
        for (path, bytes) in sorted {
            let is_override = is_override(path);
            let text = std::str::from_utf8(bytes)
                .map_err(|_| Unusable(format!("{path} is not text in UTF-8.")))?;
            let text = text.strip_prefix('\u{feff}').unwrap_or(text);
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
        read.root = read.find_root()?;
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
        if !source.starts_with("./") && !source.starts_with("../") {
            return None;
        }
        let mut parts: Vec<_> = from.split('/').filter(|part| !part.is_empty()).collect();
        for part in source.split('/').filter(|part| !part.is_empty()) {
            match part {
                "." => {}
                ".." => drop(parts.pop()?),
                part => parts.push(part),
            }
        }
        let folder = parts.join("/");
        self.modules.contains_key(&folder).then_some(folder)
    }

    /// The one folder closest to the top that no other module calls.
    fn find_root(&self) -> Result<String, Unusable> {
        let mut called = BTreeSet::new();
        for (folder, module) in &self.modules {
            let calls = module.blocks.iter().filter(|b| b.kind == Kind::Module);
            for call in calls {
                if let Some(Expression::String(source)) = call.body.attribute("source") {
                    called.extend(self.called(folder, source));
                }
            }
        }
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
        let own: Vec<_> = files
            .iter()
            .filter(|(path, _)| folder(path) == self.root)
            .filter(|(path, _)| path.ends_with(".tfvars") || path.ends_with(".tfvars.json"))
            .collect();
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
        let mut values = BTreeMap::new();
        for (_, path, bytes) in ranked {
            let text = std::str::from_utf8(bytes)
                .map_err(|_| Unusable(format!("{path} is not text in UTF-8.")))?;
            let text = text.strip_prefix('\u{feff}').unwrap_or(text);
            values.extend(match path.ends_with(".json") {
                true => read_json_values(path, text)?,
                false => read_values(path, text)?,
            });
        }
        self.values = values;
        Ok(())
    }
}

/// The folder of a file: `modules/network`; empty at the top.
/// Whether a file changes what others declare: `override.tf`, `prod_override.tf.json`. Source: "Override Files", the
/// Terraform language documentation.
fn is_override(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = name
        .strip_suffix(".tf.json")
        .or_else(|| name.strip_suffix(".tf"));
    stem.is_some_and(|stem| stem == "override" || stem.ends_with("_override"))
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The Terraform files below a folder of this machine.
///
/// # Errors
/// A file cannot be read, or there are too many.
pub fn in_folder(root: &std::path::Path) -> Result<Files, Unusable> {
    let unreadable = |path: &std::path::Path, error: std::io::Error| {
        Unusable(format!("{} cannot be read: {error}.", path.display()))
    };
    let (mut files, mut folders) = (Files::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).map_err(|error| unreadable(&folder, error))?;
        for entry in entries {
            let entry = entry.map_err(|error| unreadable(&folder, error))?;
            let (path, kind) = (entry.path(), entry.file_type());
            let kind = kind.map_err(|error| unreadable(&path, error))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with('.') {
                continue;
            }
            if kind.is_dir() {
                folders.push(path);
            } else if is_terraform(&name) {
                let bytes = std::fs::read(&path).map_err(|error| unreadable(&path, error))?;
                let short = path.strip_prefix(root).unwrap_or(&path);
                files.insert(short.to_string_lossy().replace('\\', "/"), bytes);
            }
        }
        if files.len() > 10_000 {
            return Err(Unusable(
                "The folder has more than 10,000 Terraform files.".to_owned(),
            ));
        }
    }
    Ok(files)
}
