//! The occupations: which are nearest to a text, and the vector of a text.

use std::sync::LazyLock;

use crate::data::{DIMENSIONS, Data};
use crate::hash::Features;
use crate::heads::Heads;
use crate::index::TfIdf;
use crate::meaning::{Meaning, NEAREST};
use crate::text::{Segment, letters, ngrams_of_word, segments, stem, stems};

static BUILT_IN: LazyLock<Occupations> = LazyLock::new(|| Occupations::of(Data::read()));

/// Shares of stems and of letters in how near a name is.
const OF_STEMS: f32 = 0.6;
const OF_LETTERS: f32 = 0.4;

/// Occupations by their names, and vectors of texts.
pub struct Occupations {
    data: Data,
    /// The occupation of each name.
    owners: Vec<u16>,
    by_stems: TfIdf,
    pub(crate) by_letters: TfIdf,
    pub(crate) heads: Heads,
}

/// An occupation that is near to a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near<'o> {
    /// The most used name of the occupation.
    pub name: &'o str,
    /// How near the best of its names is: 0 to 1.
    pub similarity: f32,
}

impl Occupations {
    /// The occupations of ESCO, ISCO and O*NET. They are read when they are first needed, which takes less than a second.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Of names in their order: each with what finds it by its stems and by its letters.
    fn of(data: Data) -> Self {
        let mut owners = Vec::new();
        let mut of_stems: Vec<Features> = Vec::new();
        let mut of_letters: Vec<Features> = Vec::new();
        for (occupation, names) in (0..).zip(&data.names) {
            for name in names {
                let segments = segments(name);
                owners.push(occupation);
                of_stems.push(stems(&segments));
                of_letters.push(letters(&segments));
            }
        }
        Self {
            heads: Heads::new(&data.names),
            data,
            owners,
            by_stems: TfIdf::new(&of_stems),
            by_letters: TfIdf::new(&of_letters),
        }
    }

    /// All names of all occupations.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.data.names.iter().flatten().map(String::as_str)
    }

    /// The occupations that are nearest to a text, the nearest first; at most 40.
    pub fn nearest(&self, text: &str, count: usize) -> Vec<Near<'_>> {
        let nearest = self.nearest_to(&segments(text)).into_iter();
        let nearest = nearest.map(|(occupation, similarity)| Near {
            name: self.name(occupation),
            similarity,
        });
        nearest.take(count).collect()
    }

    /// The meaning of a text, to be kept and compared.
    pub fn meaning(&self, text: &str) -> Meaning {
        let segments = segments(text);
        let mut nearest = self.nearest_to(&segments);
        for (_, similarity) in &mut nearest {
            *similarity = similarity.powi(3);
        }
        Meaning::new(text, &self.vector(&segments), &nearest)
    }

    /// The occupation that is nearest to both of two texts.
    pub fn nearest_to_both(&self, one: &Meaning, other: &Meaning) -> Option<&str> {
        Some(self.name(one.nearest_to_both(other)?)).filter(|name| !name.is_empty())
    }

    fn name(&self, occupation: u16) -> &str {
        let names = self.data.names.get(usize::from(occupation));
        names
            .and_then(|names| names.first())
            .map_or("", String::as_str)
    }

    /// The 40 nearest occupations by their best names, the nearest first.
    fn nearest_to(&self, segments: &[Segment]) -> Vec<(u16, f32)> {
        let mut sums = vec![0.0; self.owners.len()];
        self.by_stems
            .add_cosines(&stems(segments), OF_STEMS, &mut sums);
        self.by_letters
            .add_cosines(&letters(segments), OF_LETTERS, &mut sums);
        let mut best = vec![0.0_f32; self.data.names.len()];
        for (owner, sum) in self.owners.iter().zip(&sums) {
            if let Some(best) = best.get_mut(usize::from(*owner)) {
                *best = best.max(*sum);
            }
        }
        let found = (0_u16..)
            .zip(best)
            .filter(|(_, similarity)| *similarity > 0.0);
        let mut found: Vec<_> = found.collect();
        found.sort_unstable_by(|(a, one), (b, other)| other.total_cmp(one).then(a.cmp(b)));
        found.truncate(NEAREST);
        found
    }

    fn vector(&self, segments: &[Segment]) -> [f32; DIMENSIONS] {
        let mut vector = [0.0; DIMENSIONS];
        for segment in segments {
            for word in &segment.words {
                self.data.add_stem(&mut vector, &stem(word), segment.weight);
                let ngrams = ngrams_of_word(word);
                #[expect(clippy::cast_precision_loss, reason = "letters of a word")]
                let weight = segment.weight / (ngrams.len().max(1) as f32).sqrt();
                for ngram in ngrams {
                    self.data.add_ngram(&mut vector, ngram, weight);
                }
            }
        }
        vector
    }
}
