//! Words that say what someone is, and which of them never name the same occupation: a nurse is not a recruiter.

use std::collections::{BTreeSet, HashMap};

use crate::hash::ByHash;
use crate::text::head;

/// Occupations that a word has to name before it says anything.
const FEWEST: u16 = 3;

/// How many occupations each word names, and each two words together.
#[derive(Default)]
pub struct Heads {
    one: ByHash<u16>,
    both: HashMap<(u64, u64), u16>,
}

impl Heads {
    pub fn new(names: &[Vec<String>]) -> Self {
        let all = names.iter().map(|names| {
            let heads = names.iter().filter_map(|name| head(name));
            heads.collect::<BTreeSet<_>>()
        });
        let all: Vec<_> = all.collect();
        let mut found = Self::default();
        for head in all.iter().flatten() {
            *found.one.entry(*head).or_default() += 1;
        }
        found.one.retain(|_, count| *count >= FEWEST);
        for heads in &all {
            let known: Vec<_> = heads.iter().filter(|head| found.is_known(**head)).collect();
            for (at, one) in known.iter().enumerate() {
                for other in known.iter().skip(at + 1) {
                    *found.both.entry((**one, **other)).or_default() += 1;
                }
            }
        }
        found
    }

    /// Whether the word names several occupations.
    pub fn is_known(&self, head: u64) -> bool {
        self.one.contains_key(&head)
    }

    /// How surely two words name different occupations, 0 to 1: both name many, and never the same.
    pub fn conflict(&self, one: Option<u64>, other: Option<u64>) -> f32 {
        let (Some(one), Some(other)) = (one, other) else {
            return 0.0;
        };
        let (Some(a), Some(b)) = (self.one.get(&one), self.one.get(&other)) else {
            return 0.0;
        };
        if one == other {
            return 0.0;
        }
        let pair = (one.min(other), one.max(other));
        let both = f32::from(self.both.get(&pair).copied().unwrap_or_default());
        let fewer = f32::from(*a.min(b));
        fewer / (fewer + 10.0) * (1.0 - 5.0 * both / fewer).max(0.0)
    }
}
