//! What JSON cannot represent of stored values: sets, binary values, numbers of many digits.

use trestle_table::Item;

/// What an item has beside the JSON of its entity, as it is stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exact {
    /// Attributes of the entity whose values JSON cannot represent exactly.
    pub odd: Item,
    /// Attributes of other programs.
    pub others: Item,
}

impl Exact {
    /// Whether the JSON of the entity says everything.
    pub fn is_empty(&self) -> bool {
        self.odd.is_empty() && self.others.is_empty()
    }

    /// The same, with what `other` has of these attributes of the entity.
    pub fn with(&self, other: &Self, names: &[&str]) -> Self {
        let mut merged = self.clone();
        let newer = other.odd.iter();
        let newer = newer.filter(|(name, _)| names.contains(&name.as_str()));
        let newer = newer.map(|(name, value)| (name.clone(), value.clone()));
        merged.odd.extend(newer);
        merged
    }
}

/// What a snapshot has beside its JSON.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExactSnapshot {
    pub application: Exact,
    /// Those of the stages, in the order in which the snapshot has them.
    pub stages: Vec<Exact>,
}

impl ExactSnapshot {
    /// Those of the stage at this place.
    pub fn stage(&self, at: usize) -> Exact {
        self.stages.get(at).cloned().unwrap_or_default()
    }
}
