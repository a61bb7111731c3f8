//! Lists of names with their synonyms.

use std::collections::HashMap;

/// Names by their synonyms, and by themselves.
pub struct Synonyms(HashMap<&'static str, &'static str>);

impl Synonyms {
    /// Reads lines such as `javascript = js, ecmascript`; lines that start with # are comments.
    pub fn read(text: &'static str) -> Self {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let entries = lines.filter_map(|line| line.split_once('='));
        let named = entries.flat_map(|(name, others)| {
            let name = name.trim();
            let others = others.split(',').map(str::trim);
            let others = others.filter(|other| !other.is_empty());
            others.chain([name]).map(move |other| (other, name))
        });
        Self(named.collect())
    }

    /// The name for a synonym of it, or for itself.
    pub fn name(&self, text: &str) -> Option<&'static str> {
        self.0.get(text).copied()
    }

    /// Every name and synonym, with its name.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.0.iter().map(|(other, name)| (*other, *name))
    }
}
