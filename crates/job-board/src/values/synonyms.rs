//! Lists of names with their synonyms.

use std::collections::{HashMap, HashSet};

/// The lines of a list. Lines that start with # are comments.
pub fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.starts_with('#'))
}

/// What is before and after the equals sign in the lines of a list: `javascript = js, ecmascript`.
pub fn entries(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let entries = lines(text).filter_map(|line| line.split_once('='));
    entries.map(|(name, others)| (name.trim(), others.trim()))
}

/// Names that are separated by commas.
pub fn listed(names: &'static str) -> impl Iterator<Item = &'static str> {
    let names = names.split(',').map(str::trim);
    names.filter(|name| !name.is_empty())
}

/// Names by their synonyms, and by themselves.
pub struct Synonyms {
    names: HashMap<&'static str, &'static str>,
    /// Those that mean other things in a text.
    ambiguous: HashSet<&'static str>,
}

impl Synonyms {
    /// Reads the [`entries`] of a list. `~go` is a name that means other things in a text.
    pub fn read(text: &'static str) -> Self {
        let (mut names, mut ambiguous) = (HashMap::new(), HashSet::new());
        for (name, others) in entries(text) {
            let canonical = name.trim_start_matches('~');
            for other in listed(others).chain([name]) {
                let plain = other.trim_start_matches('~');
                names.insert(plain, canonical);
                if plain != other {
                    ambiguous.insert(plain);
                }
            }
        }
        Self { names, ambiguous }
    }

    /// Without the names that mean other things in a text.
    pub fn in_texts(mut self) -> Self {
        self.names.retain(|name, _| !self.ambiguous.contains(name));
        self
    }

    /// All synonyms and names.
    pub fn synonyms(&self) -> impl Iterator<Item = &'static str> {
        self.names.keys().copied()
    }

    /// The name for a synonym of it, or for itself.
    pub fn name(&self, text: &str) -> Option<&'static str> {
        self.names.get(text).copied()
    }
}
