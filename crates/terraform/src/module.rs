//! The modules of an upload: which files belong to which, and which of them is the root.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hcl::expr::Expression;

use super::archive::Files;
use super::format::{Format, of_tofu};
use super::hash_key::HashKey;
use super::names::{
    LOCK, MANIFEST, SELECTED, folder, is_override, is_terraform, is_terragrunt, join, path,
};
use super::options::Options;
use super::terraform::{Configuration, Kind, read_hcl, read_json};
use super::text::text;
use super::unit::Unit;
use super::unusable::Unusable;
use super::value_files::{ValueFiles, is_values};
use super::versions::Versions;
use super::warning::Warning;

/// Every module of an upload, by its folder.
#[derive(Debug, Default)]
pub struct Modules {
    pub(super) modules: BTreeMap<String, Configuration>,
    /// The folders of the root modules.
    pub roots: Vec<String>,
    /// Values of the root modules' variables, by folder.
    pub values: BTreeMap<String, BTreeMap<String, Expression>>,
    /// Where `terraform init` has put modules: by the folder of a root and the calls that lead to the module.
    installed: BTreeMap<(String, String), String>,
    /// The files with values that count, and those that do not.
    pub value_files: ValueFiles,
    /// The files of configurations that cannot be read, each with the reason.
    pub unread: BTreeMap<String, String>,
    /// The key of the hashes of values.
    pub hash_key: HashKey,
    /// The files that `file` and `templatefile` may read.
    pub texts: BTreeMap<String, String>,
    /// Values of names that are not variables, and files that others take the place of.
    pub warnings: BTreeSet<Warning>,
    /// The units of Terragrunt whose modules are there, by their folders.
    pub units: BTreeMap<String, Unit>,
    /// Files that give values and are not read as a whole, each with the reason.
    pub outside: BTreeMap<String, String>,
    /// Those of them that may give values to any root module that no unit runs.
    pub giving: BTreeSet<String>,
    /// The root modules that cannot be analyzed, each with the reason.
    pub refused: BTreeMap<String, String>,
    /// The workspaces that are known, by the folders of the root modules.
    pub workspaces: BTreeMap<String, String>,
    /// The versions of providers that are possible, by the folders of the root modules.
    pub versions: BTreeMap<String, Versions>,
    /// The folders of modules that units of Terragrunt run and that are not there.
    pub wanted: BTreeSet<String>,
}

impl Modules {
    /// The modules in these files.
    ///
    /// # Errors
    /// A file is not Terraform, there is none, or no folder is the root.
    pub fn read(files: &Files, options: &Options) -> Result<Self, Unusable> {
        let mut modules = Self::declared(files, options);
        modules.decide(files, options)?;
        Ok(modules)
    }

    /// What these files declare, as far as they can be read. Other files may still be missing.
    pub fn declared(files: &Files, options: &Options) -> Self {
        let mut read = Self {
            hash_key: options.hash_key.clone(),
            ..Self::default()
        };
        // Terraform merges override files into the others, after those.
        let mut sorted: Vec<_> = files.iter().collect();
        sorted.sort_by_key(|(path, _)| is_override(path));
        for (path, bytes) in sorted {
            let is_kept = [MANIFEST, SELECTED, LOCK]
                .iter()
                .any(|end| path.ends_with(end));
            if is_kept || is_terragrunt(path) {
                continue;
            }
            if let Some(tofu) = of_tofu(path).filter(|tofu| files.contains_key(tofu)) {
                read.warnings.insert(Warning::of_replaced(path, &tofu));
                continue;
            }
            // A path that ends with a slash is of a folder that cannot be read.
            if !is_terraform(path) && !path.ends_with('/') {
                if let Ok(text) = text(path, bytes) {
                    read.texts.insert(path.clone(), text.to_owned());
                }
                continue;
            }
            if let Err(Unusable(reason)) = read.file(path, bytes) {
                read.unread.insert(path.clone(), reason);
            }
        }
        for path in read.unread.keys() {
            // Its folder is a module nevertheless.
            read.modules
                .entry(folder(path).to_owned())
                .or_default()
                .count += 1;
        }
        read.read_units(files);
        read
    }

    /// Decides which modules are the roots, and what is given to them.
    ///
    /// # Errors
    /// There is nothing that can be analyzed, or what the options name is not there.
    pub fn decide(&mut self, files: &Files, options: &Options) -> Result<(), Unusable> {
        let folders = self.modules.iter().filter(|(_, module)| module.count > 0);
        // Only if no folder can be read is the whole upload refused.
        let reasons: Option<Vec<_>> = folders.map(|(folder, _)| self.why_unread(folder)).collect();
        if let Some(reason) = reasons.and_then(|reasons| reasons.first().copied().cloned()) {
            return Err(Unusable(reason));
        }
        if self.modules.values().all(|module| module.count == 0) {
            if let Some(unit) = files.keys().find(|path| is_terragrunt(path)) {
                return Err(Unusable(format!(
                    "There is no Terraform configuration, and the module that {unit} runs is not part of the upload."
                )));
            }
            return Err(Unusable(
                "There is no Terraform configuration in the file. Expected are blocks such as `resource` and `module`."
                    .to_owned(),
            ));
        }
        self.roots = self.find_roots(options.root.as_deref())?;
        // Units of other roots do not matter for the one that is asked for.
        if options.root.is_some() {
            let (roots, giving) = (&self.roots, &self.giving);
            let is_unit = roots.iter().all(|root| self.units.contains_key(root));
            self.outside.retain(|path, _| {
                let is_own = roots.iter().any(|root| folder(path) == root);
                is_own || !is_unit && giving.contains(path)
            });
        }
        self.read_workspaces(files, options);
        self.read_versions(files);
        self.check_given(options)?;
        for root in self.roots.clone() {
            let known = match self.why_unread(self.folder_of(&root)) {
                Some(reason) => Err(Unusable(reason.clone())),
                None => self.read_installed(&root, files),
            };
            let known = known.and_then(|()| self.read_values(&root, files, options));
            if let Err(Unusable(reason)) = known {
                self.refused.insert(root, reason);
            }
        }
        let used = self.value_files.used.clone();
        let all = files.keys().filter(|path| is_values(path));
        let ignored = all.filter(|path| !used.contains(path)).cloned();
        self.value_files.ignored = ignored.collect();
        Ok(())
    }

    /// The folder of the module that a root module is: a unit of Terragrunt may run one elsewhere.
    fn folder_of<'a>(&'a self, root: &'a str) -> &'a str {
        self.units.get(root).map_or(root, |unit| &unit.folder)
    }

    /// Why nothing of a module can be read.
    fn why_unread(&self, of: &str) -> Option<&String> {
        let unread = self.unread.iter().filter(|(path, _)| folder(path) == of);
        let unread: Vec<_> = unread.map(|(_, reason)| reason).collect();
        let module = self.modules.get(of)?;
        unread
            .first()
            .copied()
            // Each file that cannot be read counts as one: more than that is known of the module.
            .filter(|_| module.count <= unread.len())
    }

    fn file(&mut self, path: &str, bytes: &[u8]) -> Result<(), Unusable> {
        if is_values(path) {
            return Ok(());
        }
        let text = text(path, bytes)?;
        let file = Arc::from(path);
        let mut configuration = Configuration::default();
        if Format::of_name(path) == Format::Hcl {
            read_hcl(&mut configuration, &file, text)?;
        } else {
            read_json(&mut configuration, &file, text)?;
        }
        let module = self.module(folder(path));
        if is_override(path) {
            module.merge(configuration)
        } else {
            module.extend(configuration)
        }
        Ok(())
    }

    fn module(&mut self, folder: &str) -> &mut Configuration {
        self.modules.entry(folder.to_owned()).or_default()
    }

    pub fn get(&self, folder: &str) -> Option<&Configuration> {
        self.modules.get(folder)
    }

    /// The module that a block calls with its folder, if it is in the upload.
    pub fn called(&self, from: &str, source: &str) -> Option<(&str, &Configuration)> {
        self.with_folder(&path(from, source)?)
    }

    /// The module with its folder where `terraform init` has put it, by the calls that lead to it: `network.subnets`.
    pub fn installed(&self, root: &str, key: &str) -> Option<(&str, &Configuration)> {
        self.with_folder(self.installed.get(&(root.to_owned(), key.to_owned()))?)
    }

    /// The workspaces that are given or selected. Source: "Workspaces", the Terraform language documentation.
    fn read_workspaces(&mut self, files: &Files, options: &Options) {
        for root in &self.roots {
            let given = options.workspace.clone();
            let known = given.or_else(|| selected_workspace(files, root));
            if let Some(workspace) = known.filter(|workspace| !workspace.is_empty()) {
                self.workspaces.insert(root.clone(), workspace);
            }
        }
    }

    /// The versions of providers. All modules of a configuration run with the same ones.
    fn read_versions(&mut self, files: &Files) {
        for root in &self.roots {
            let mut reached = BTreeSet::new();
            self.reach(self.folder_of(root), &mut reached);
            let mut versions = Versions::default();
            let used = reached.iter().filter_map(|of| self.modules.get(of));
            used.flat_map(|module| &module.requirements)
                .for_each(|requirement| versions.require(requirement));
            let lock = files.get(&join(root, LOCK));
            if let Some(lock) = lock.and_then(|lock| std::str::from_utf8(lock).ok()) {
                versions.select(lock);
            }
            self.versions.insert(root.clone(), versions);
        }
    }

    pub(super) fn with_folder(&self, folder: &str) -> Option<(&str, &Configuration)> {
        let (folder, module) = self.modules.get_key_value(folder)?;
        Some((folder, module))
    }

    /// Source: `modules.json`, which `terraform init` writes.
    fn read_installed(&mut self, root: &str, files: &Files) -> Result<(), Unusable> {
        let place = join(root, MANIFEST);
        let Some(bytes) = files.get(&place) else {
            return Ok(());
        };
        let manifest: Manifest = serde_json::from_slice(bytes)
            .map_err(|error| Unusable(format!("{place} cannot be read: {error}.")))?;
        for module in manifest.modules {
            let folder = join(root, &module.dir);
            let at = (root.to_owned(), module.key);
            self.installed
                .insert(at, path("", &format!("./{folder}")).unwrap_or(folder));
        }
        Ok(())
    }

    /// The folders of modules that are called, or that units run, and that are not there.
    pub fn missing(&self) -> BTreeSet<String> {
        let called = self.calls().into_iter().chain(self.wanted.iter().cloned());
        let missing = called.filter(|folder| !self.modules.contains_key(folder));
        missing.collect()
    }

    /// The folders of all modules that others call by a path.
    fn calls(&self) -> BTreeSet<String> {
        let all = self.modules.keys();
        all.flat_map(|folder| self.calls_of(folder)).collect()
    }

    /// The folders of the modules that a module calls by a path.
    fn calls_of(&self, folder: &str) -> BTreeSet<String> {
        let blocks = self.modules.get(folder).map(|module| &module.blocks);
        let calls = blocks.into_iter().flatten();
        let calls = calls.filter(|block| block.kind == Kind::Module);
        let folders = calls.filter_map(|call| match call.body.attribute("source")? {
            Expression::String(source) => path(folder, source),
            _ => None,
        });
        folders.collect()
    }

    /// Adds the folder of a module and those of all modules that it leads to.
    fn reach(&self, folder: &str, reached: &mut BTreeSet<String>) {
        let mut left = vec![folder.to_owned()];
        while let Some(folder) = left.pop() {
            if reached.insert(folder.clone()) {
                left.extend(self.calls_of(&folder));
            }
        }
    }

    /// Whether a folder has blocks, or a file that cannot be read and may have some.
    fn has_nodes(&self, folder: &str) -> bool {
        let module = self.modules.get(folder);
        module.is_some_and(|module| !module.blocks.is_empty())
            || self.unread.keys().any(|path| self::folder(path) == folder)
    }

    /// The folder that is asked for; without one the top if it has a configuration, else every one that no other calls.
    fn find_roots(&self, wanted: Option<&str>) -> Result<Vec<String>, Unusable> {
        let declared = self.modules.iter().filter(|(_, module)| module.count > 0);
        let declared: Vec<&str> = declared.map(|(folder, _)| folder.as_str()).collect();
        if let Some(wanted) = wanted {
            let folder = path("", &format!("./{wanted}")).unwrap_or_default();
            return if declared.contains(&folder.as_str()) || self.units.contains_key(&folder) {
                Ok(vec![folder])
            } else {
                Err(Unusable(format!(
                    "There is no Terraform configuration in the root {wanted:?}. There is one in {}.",
                    some_names(&declared)
                )))
            };
        }
        let inside: Vec<&str> = declared
            .into_iter()
            .filter(|folder| is_inside(folder))
            .collect();
        // The deepest folder that has all of them in it.
        let mut top = inside.first().copied().unwrap_or_default();
        while !inside.iter().all(|folder| is_below(folder, top)) {
            top = folder(top);
        }
        // One with nothing but versions or variables is there for the others.
        let is_alone = !inside.iter().any(|folder| self.has_nodes(folder));
        // A module that a unit runs has the unit's values.
        let units = self.units.iter();
        let run: BTreeSet<&str> = units
            .filter(|(own, unit)| **own != unit.folder)
            .map(|(_, unit)| unit.folder.as_str())
            .collect();
        let is_top = inside.contains(&top) && self.units.keys().all(|own| is_below(own, top));
        if is_top && (is_alone || self.has_nodes(top)) && !run.contains(top) {
            return Ok(vec![top.to_owned()]);
        }
        let called = self.calls();
        let mut roots: BTreeSet<String> = inside
            .into_iter()
            .filter(|folder| !called.contains(*folder) && !run.contains(folder))
            .filter(|folder| *folder != top || is_alone)
            .map(str::to_owned)
            .collect();
        // Each unit is a root, whatever else calls its module.
        roots.extend(self.units.keys().cloned());
        let mut reached = BTreeSet::new();
        for root in &roots {
            self.reach(self.folder_of(root), &mut reached);
        }
        // No root leads to modules that call each other in a circle: one of these stands for the others.
        for folder in self.modules.keys() {
            let is_new = is_inside(folder) && self.has_nodes(folder) && !reached.contains(folder);
            if is_new && !run.contains(folder.as_str()) {
                self.reach(folder, &mut reached);
                roots.insert(folder.clone());
            }
        }
        Ok(roots.into_iter().collect())
    }
}

/// What `terraform init` writes about modules.
#[derive(serde::Deserialize)]
struct Manifest {
    #[serde(rename = "Modules", default)]
    modules: Vec<Installed>,
}

#[derive(serde::Deserialize)]
struct Installed {
    #[serde(rename = "Key", default)]
    key: String,
    #[serde(rename = "Dir", default)]
    dir: String,
}

fn is_below(folder: &str, top: &str) -> bool {
    let rest = folder.strip_prefix(top);
    top.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The workspace that `terraform workspace select` has chosen in a folder.
fn selected_workspace(files: &Files, root: &str) -> Option<String> {
    let bytes = files.get(&join(root, SELECTED))?;
    Some(std::str::from_utf8(bytes).ok()?.trim().to_owned())
}

/// Whether a folder belongs to the root folder, and is not a module that `terraform init` has put there.
fn is_inside(folder: &str) -> bool {
    let mut parts = folder.split('/');
    !parts.clone().any(|part| part == ".terraform") && parts.next() != Some("..")
}

/// The first names of a list, which may be very long.
fn some_names(folders: &[&str]) -> String {
    let names = folders.iter().take(5).map(|name| format!("{name:?}"));
    names.collect::<Vec<_>>().join(", ")
}
