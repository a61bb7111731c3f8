//! What may be about any resource of its kind, because it is not known which it names.

use std::collections::BTreeMap;

use crate::graph::Built;

/// Why resources may be about any other one of their own root module: one of another root module has other values.
#[derive(Debug, Default)]
pub struct Strays(BTreeMap<String, String>);

impl Strays {
    /// Adds the reason of one.
    pub fn add(&mut self, built: &Built, by: &str, reason: String) {
        let root = built.place_of(by).0.to_owned();
        self.0.entry(root).or_insert(reason);
    }

    /// The reason that counts for a node, if there is one.
    pub fn about(&self, built: &Built, id: &str) -> Option<&String> {
        self.0.get(built.place_of(id).0)
    }
}
