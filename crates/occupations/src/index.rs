//! The names that are nearest to a text: tf-idf of stems, and of letters.

use crate::hash::{ByHash, Features};

/// Rows of weighted features, each with the length 1, found by the features.
#[derive(Default)]
pub struct TfIdf {
    rows: usize,
    columns: ByHash<Column>,
}

#[derive(Default)]
struct Column {
    rarity: f32,
    /// Rows with their weights.
    entries: Vec<(u32, f32)>,
}

impl TfIdf {
    /// Of the features of each row.
    pub fn new(rows: &[Features]) -> Self {
        let mut index = Self {
            rows: rows.len(),
            ..Self::default()
        };
        for (row, features) in (0..).zip(rows) {
            for (feature, weight) in features {
                let column = index.columns.entry(*feature).or_default();
                column.entries.push((row, *weight));
            }
        }
        for column in index.columns.values_mut() {
            column.rarity = rarity(rows.len(), column.entries.len());
        }
        let norms: Vec<f32> = rows.iter().map(|row| index.norm(row)).collect();
        for column in index.columns.values_mut() {
            for (row, weight) in &mut column.entries {
                let norm = usize::try_from(*row).ok().and_then(|row| norms.get(row));
                *weight *= column.rarity / norm.unwrap_or(&1.0);
            }
            column.entries.shrink_to_fit();
        }
        index
    }

    /// The weights of features by how rare they are, with the length 1. A feature that no row has is the rarest.
    pub fn weighted(&self, features: &Features) -> Features {
        let weighted = features.iter().map(|(feature, weight)| {
            let rarity = self.columns.get(feature).map(|column| column.rarity);
            (
                *feature,
                weight * rarity.unwrap_or_else(|| rarity_of_unknown(self.rows)),
            )
        });
        let mut weighted: Features = weighted.collect();
        let squares: f32 = weighted.iter().map(|(_, weight)| weight * weight).sum();
        for (_, weight) in &mut weighted {
            *weight /= squares.sqrt().max(f32::MIN_POSITIVE);
        }
        weighted
    }

    /// Adds the cosine of features and each row, times a share, to the sums of the rows. Features that no row has do not count.
    pub fn add_cosines(&self, features: &Features, share: f32, sums: &mut [f32]) {
        let norm = self.norm(features);
        for (feature, weight) in features {
            let Some(column) = self.columns.get(feature) else {
                continue;
            };
            let factor = share * weight * column.rarity / norm;
            for (row, weight) in &column.entries {
                if let Some(sum) = usize::try_from(*row).ok().and_then(|row| sums.get_mut(row)) {
                    *sum += factor * weight;
                }
            }
        }
    }

    fn norm(&self, features: &Features) -> f32 {
        let known = features.iter().filter_map(|(feature, weight)| {
            let column = self.columns.get(feature)?;
            Some((weight * column.rarity).powi(2))
        });
        known.sum::<f32>().sqrt().max(f32::MIN_POSITIVE)
    }
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^24")]
fn rarity(rows: usize, count: usize) -> f32 {
    ((1 + rows) as f32 / (1 + count) as f32).ln() + 1.0
}

fn rarity_of_unknown(rows: usize) -> f32 {
    rarity(rows, 0)
}
