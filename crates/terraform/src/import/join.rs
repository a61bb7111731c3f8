//! Which resources a finding of another program is about: by its address, or by its file and line.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::address::plain;
use crate::graph::{Built, Node};
use crate::imported::Imported;

/// The nodes of an analysis, by what other programs name them by.
pub struct Joiner<'b> {
    /// By their addresses in their root modules, with the keys of instances and without them.
    by_address: BTreeMap<String, Vec<&'b Node>>,
    by_file: BTreeMap<&'b str, Vec<&'b Node>>,
    /// The files, each with its path from the root of the file system.
    wholes: Vec<(String, &'b str)>,
    /// The folder that was analyzed.
    base: Option<String>,
}

impl<'b> Joiner<'b> {
    pub fn of(built: &'b Built, base: Option<&Path>) -> Self {
        let mut by_address: BTreeMap<String, Vec<&Node>> = BTreeMap::new();
        let mut by_file: BTreeMap<&str, Vec<&Node>> = BTreeMap::new();
        for node in built.nodes.values() {
            let address = built.place_of(&node.id).1;
            let block = plain(address);
            if block != address {
                by_address.entry(block).or_default().push(node);
            }
            by_address.entry(address.to_owned()).or_default().push(node);
            if let Some(file) = &node.file {
                by_file.entry(file).or_default().push(node);
            }
        }
        let base = base.map(|base| base.to_string_lossy().replace('\\', "/"));
        let from = base.as_deref().unwrap_or_default();
        let wholes = by_file.keys().map(|file| (whole(from, file), *file));
        Self {
            wholes: wholes.collect(),
            by_address,
            by_file,
            base,
        }
    }

    /// The finding for each resource that it is about; if there is none, the finding with the reason.
    pub fn joined(&self, finding: Imported) -> Vec<Imported> {
        match self.nodes(&finding) {
            Ok(nodes) => {
                let all = nodes.into_iter().map(|node| Imported {
                    node: Some(node.id.clone()),
                    ..finding.clone()
                });
                all.collect()
            }
            Err(reason) => vec![Imported {
                not_joined: Some(reason.to_owned()),
                ..finding
            }],
        }
    }

    fn nodes(&self, finding: &Imported) -> Result<Vec<&'b Node>, &'static str> {
        let files = finding.file.as_deref().map(|file| self.files(file));
        if let Some(address) = &finding.address {
            let own = self.at(address, files.as_ref());
            let of_files: BTreeSet<_> = own.iter().map(|node| node.file.as_deref()).collect();
            // A module that several root modules call is one file.
            if own.len() > 1 && of_files.len() > 1 {
                return Err("Several resources of the analysis have its address.");
            }
            if !own.is_empty() {
                return Ok(own);
            }
        }
        let Some(files) = files else {
            return Err("No resource of the analysis has its address.");
        };
        if files.len() > 1 {
            return Err("Several files of the analysis have its name.");
        }
        let file = files
            .first()
            .ok_or("Its file has no resource of the analysis.")?;
        let line = finding
            .line
            .ok_or("No resource of the analysis has its address.")?;
        let own = self.by_file.get(file).into_iter().flatten();
        let own = own.filter(|node| is_in(node, line));
        let own: Vec<_> = own.copied().collect();
        if own.is_empty() {
            return Err("No resource of the analysis is at its line.");
        }
        Ok(own)
    }

    /// The nodes with an address, in one of these files if they are known.
    fn at(&self, address: &str, files: Option<&BTreeSet<&str>>) -> Vec<&'b Node> {
        let mut found = self.by_address.get(address).cloned().unwrap_or_default();
        if found.is_empty() {
            // One node may stand for all instances.
            let block = self.by_address.get(&plain(address)).into_iter().flatten();
            found = block.copied().collect();
            found.retain(|node| plain(&node.id) == node.id);
        }
        let in_files = found.into_iter().filter(|node| match (&node.file, files) {
            (Some(file), Some(files)) => files.contains(file.as_str()),
            _ => true,
        });
        in_files.collect()
    }

    /// The files of the analysis that a path may be: the one from the folder that was analyzed, else those whose whole paths
    /// end with it.
    fn files(&self, path: &str) -> BTreeSet<&'b str> {
        let path = cleaned(path);
        let own = self.base.as_ref().and_then(|base| {
            let rest = path.strip_prefix(base.trim_start_matches('/'))?;
            rest.strip_prefix('/')
        });
        let exact = self.by_file.get_key_value(own.unwrap_or(&path));
        if let Some((file, _)) = exact {
            return BTreeSet::from([*file]);
        }
        let end = format!("/{path}");
        let all = self.wholes.iter();
        let all = all.filter(|(whole, _)| whole.ends_with(&end));
        all.map(|(_, file)| *file).collect()
    }
}

/// Whether a line is one of a node.
fn is_in(node: &Node, line: usize) -> bool {
    let (Some(first), Some(last)) = (node.line, node.last_line) else {
        return false;
    };
    (first..=last).contains(&line)
}

/// A path from the root of the file system, without parts that lead upwards.
fn whole(base: &str, file: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in base.split('/').chain(file.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// A path as programs write it, without what stands before its first folder.
fn cleaned(path: &str) -> String {
    let path = path.replace('\\', "/");
    let parts = path.split('/');
    let parts = parts.filter(|part| !part.is_empty() && *part != ".");
    parts.collect::<Vec<_>>().join("/")
}
