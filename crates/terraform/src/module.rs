//! The modules of an upload: which files belong to which, and which of them is the root.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hcl::expr::Expression;

use super::archive::Files;
use super::format::{Format, of_tofu};
use super::hash_key::HashKey;
use super::names::{
    MANIFEST, SELECTED, folder, is_override, is_terraform, is_terragrunt, join, path,
};
use super::options::Options;
use super::terraform::{Configuration, Kind, read_hcl, read_json};
use super::text::text;
use super::unit::Unit;
use super::unusable::Unusable;
use super::value_files::{ValueFiles, is_values};
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
    /// Whether one of them may give values to any root module.
    pub is_given_outside: bool,
    /// The root modules that cannot be analyzed, each with the reason.
    pub refused: BTreeMap<String, String>,
    /// The workspaces that are known, by the folders of the root modules.
    pub workspaces: BTreeMap<String, String>,
}

impl Modules {
    /// The modules in these files.
    ///
    /// # Errors
    /// A file is not Terraform, there is none, or no folder is the root.
    pub fn read(files: &Files, options: &Options) -> Result<Self, Unusable> {
        let mut read = Self {
            hash_key: options.hash_key.clone(),
            ..Self::default()
        };
        // Terraform merges override files into the others, after those.
        let mut sorted: Vec<_> = files.iter().collect();
        sorted.sort_by_key(|(path, _)| is_override(path));
        for (path, bytes) in sorted {
            if path.ends_with(MANIFEST) || path.ends_with(SELECTED) || is_terragrunt(path) {
                continue;
            }
            if let Some(tofu) = of_tofu(path).filter(|tofu| files.contains_key(tofu)) {
                read.warnings.insert(Warning::of_replaced(path, &tofu));
                continue;
            }
            if !is_terraform(path) {
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
        let folders = read.modules.iter().filter(|(_, module)| module.count > 0);
        // Only if no folder can be read is the whole upload refused.
        let reasons: Option<Vec<_>> = folders.map(|(folder, _)| read.why_unread(folder)).collect();
        if let Some(reason) = reasons.and_then(|reasons| reasons.first().copied().cloned()) {
            return Err(Unusable(reason));
        }
        if read.modules.values().all(|module| module.count == 0) {
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
        read.read_units(files)?;
        read.roots = read.find_roots(options.root.as_deref())?;
        // Units of other roots do not matter for the one that is asked for.
        if options.root.is_some() && !read.is_given_outside {
            let roots = read.roots.clone();
            read.outside
                .retain(|path, _| roots.iter().any(|root| folder(path) == root));
        }
        read.read_workspaces(files, options);
        // The only root has to be readable; of several, one is refused alone.
        if let [root] = read.roots.as_slice()
            && let Some(reason) = read.why_unread(root)
        {
            return Err(Unusable(reason.clone()));
        }
        read.check_given(options)?;
        for root in read.roots.clone() {
            let known = read.read_installed(&root, files);
            let known = known.and_then(|()| read.read_values(&root, files, options));
            if let Err(Unusable(reason)) = known {
                read.refused.insert(root, reason);
            }
        }
        let used = read.value_files.used.clone();
        let all = files.keys().filter(|path| is_values(path));
        let ignored = all.filter(|path| !used.contains(path)).cloned();
        read.value_files.ignored = ignored.collect();
        Ok(read)
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
        if inside.contains(&top) && (is_alone || self.has_nodes(top)) && !run.contains(top) {
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
        let roots: Vec<String> = roots.into_iter().collect();
        if roots.is_empty() {
            Err(Unusable(
                "The modules of the archive call each other in a circle.".to_owned(),
            ))
        } else {
            Ok(roots)
        }
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
