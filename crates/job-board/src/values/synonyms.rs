//! Lists of names with their synonyms.

use std::collections::{HashMap, HashSet};

/// Names by their synonyms, and by themselves.
pub struct Synonyms {
    names: HashMap<&'static str, &'static str>,
    /// Those that mean other things in a text.
    ambiguous: HashSet<&'static str>,
}

impl Synonyms {
    /// Reads lines such as `javascript = js, ecmascript`; lines that start with # are comments. `~go` is a name that means
    /// other things in a text.
    pub fn read(text: &'static str) -> Self {
        let (mut names, mut ambiguous) = (HashMap::new(), HashSet::new());
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        for (name, others) in lines.filter_map(|line| line.split_once('=')) {
            let canonical = name.trim().trim_start_matches('~');
            let others = others.split(',').map(str::trim);
            for other in others
                .chain([name.trim()])
                .filter(|other| !other.is_empty())
            {
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
