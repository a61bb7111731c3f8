//! Answers by node.

use std::collections::BTreeMap;

use super::look::Answer;

/// The answers of several resources about the same nodes: one that says yes is enough.
#[derive(Debug, Default)]
pub struct Answers(BTreeMap<String, Answer>);

impl Answers {
    /// Adds an answer about a node.
    pub fn add(&mut self, node: &str, answer: Answer) {
        let before = self.of(node);
        self.0.insert(node.to_owned(), before.or(answer));
    }

    /// The answer about a node; no if nothing is about it.
    pub fn of(&self, node: &str) -> Answer {
        self.0.get(node).cloned().unwrap_or(Answer::No)
    }
}
