//! What only one of two analyses has because the other one cannot read it. It is neither new nor gone.

use crate::address::plain;
use crate::finding::Finding;
use crate::graph::Built;

/// What an analysis cannot read, and the other one can.
pub struct Unreadable<'b> {
    /// The other analysis.
    readable: &'b Built,
    /// Files and root modules, each with the reason.
    pub files: Vec<(&'b str, &'b str)>,
    /// The addresses of the module blocks whose modules are absent.
    modules: Vec<&'b str>,
}

impl<'b> Unreadable<'b> {
    /// What one analysis cannot read, unless it is a file that the other one cannot read either. A root module that is not
    /// analyzed may have changed nevertheless.
    pub fn only_in(built: &'b Built, readable: &'b Built) -> Self {
        let files = built.unread.iter().filter(|(file, _)| {
            built.refused.contains(*file) || !readable.unread.contains_key(*file)
        });
        Self {
            files: files
                .map(|(file, reason)| (file.as_str(), reason.as_str()))
                .collect(),
            ..Self::absent_only_in(built, readable)
        }
    }

    /// The modules that are absent in one analysis alone.
    pub fn absent_only_in(built: &'b Built, readable: &'b Built) -> Self {
        let modules = built.absent.iter();
        let modules = modules.filter(|module| !readable.absent.contains(*module));
        Self {
            readable,
            files: Vec::new(),
            modules: modules.map(String::as_str).collect(),
        }
    }

    /// Whether a node is of a file, a root module or a module that cannot be read.
    pub fn has(&self, node: &str) -> bool {
        let file = self.readable.nodes.get(node);
        let file = file.and_then(|node| node.file.as_deref());
        let is_in_file = self.files.iter().any(|(one, _)| {
            let rest = node.strip_prefix(one);
            file == Some(*one) || rest.is_some_and(|rest| rest.starts_with('/'))
        });
        is_in_file || self.is_in_module(node)
    }

    fn is_in_module(&self, node: &str) -> bool {
        // Another version may repeat the module in another way.
        let address = plain(node);
        self.modules.iter().any(|module| {
            let rest = address.strip_prefix(module);
            rest.is_some_and(|rest| rest.starts_with('.'))
        })
    }

    /// Whether a finding is about what cannot be read, or comes from there.
    pub fn explains(&self, finding: &Finding) -> bool {
        let Finding { node, message, .. } = finding;
        let said = (finding.rule, node.clone(), message.clone());
        let mut through = self.readable.through.get(&said).into_iter().flatten();
        self.has(node) || through.any(|by| self.has(by))
    }

    /// Whether a node refers to something that cannot be read, or is referred to from there.
    pub fn touches(&self, node: &str) -> bool {
        let mut edges = self.readable.edges.iter();
        edges.any(|(from, to, _)| from == node && self.has(to) || to == node && self.has(from))
    }
}
