//! Names of files: what belongs to a configuration, and where it is.

use super::format::{is_configuration, stem};
use super::value_files::is_values;

/// Where `terraform init` lists the modules that it has installed, below a root.
pub const MANIFEST: &str = ".terraform/modules/modules.json";
/// Where Terraform keeps the name of the selected workspace, below a root.
pub const SELECTED: &str = ".terraform/environment";
/// Where Terraform keeps the versions of providers that it has selected, below a root.
pub const LOCK: &str = ".terraform.lock.hcl";
/// The file of a unit of Terragrunt.
const UNIT: &str = "terragrunt.hcl";
/// Files of Terragrunt that give values as well, and are not read.
const OTHERS: [&str; 2] = ["terragrunt.hcl.json", "terragrunt.stack.hcl"];

/// A path below a folder.
pub fn join(folder: &str, path: &str) -> String {
    match folder {
        "" => path.to_owned(),
        folder => format!("{folder}/{path}"),
    }
}

/// The folder that a module's source names, if it is a path.
pub fn path(from: &str, source: &str) -> Option<String> {
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
pub fn is_override(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    stem(name).is_some_and(|stem| stem == "override" || stem.ends_with("_override"))
}

/// The folder of a file: `modules/network`; empty at the top.
pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Whether a path is passed over: what begins with a dot, except the modules that `terraform init` has put there, and the
/// workspace and the versions of providers that are selected.
pub fn is_hidden(path: &str) -> bool {
    let parts: Vec<_> = path.split('/').collect();
    for (at, part) in parts.iter().enumerate() {
        if !part.starts_with('.') || *part == ".." {
            continue;
        }
        let next = parts.get(at + 1);
        let is_installed = *part == ".terraform"
            && next.is_none_or(|next| matches!(*next, "modules" | "environment"));
        if !is_installed && (*part, next) != (LOCK, None) {
            return true;
        }
    }
    false
}

/// Whether a file is a part of a Terraform configuration by its name.
pub fn is_terraform(name: &str) -> bool {
    is_configuration(name)
        || is_values(name)
        || is_terragrunt(name)
        || name.ends_with(MANIFEST)
        || name.ends_with(SELECTED)
        || name.ends_with(LOCK)
}

/// Whether a file configures Terragrunt.
pub fn is_terragrunt(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    name == UNIT || OTHERS.contains(&name)
}

/// Whether a file is one of a unit of Terragrunt.
pub fn is_unit(path: &str) -> bool {
    path.rsplit('/').next() == Some(UNIT)
}
