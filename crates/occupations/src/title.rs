//! Titles of jobs, and how near two of them are.

use crate::hash::{Features, hash};
use crate::meaning::Meaning;
use crate::occupations::Occupations;
use crate::text::{Word, abbreviations, first_letters, head, letters, segments, stem, words};

/// What each signal is worth.
const VECTORS: f32 = 7.0;
const OCCUPATIONS: f32 = 2.75;
const LETTERS: f32 = 1.0;
const INITIALS: f32 = 5.0;
const CONFLICT: f32 = -2.0;

/// What the same title is worth without its letters.
const SAME: f32 = VECTORS + OCCUPATIONS;

/// A title, prepared for comparison.
#[derive(Clone, Debug)]
pub struct Title {
    meaning: Meaning,
    letters: Features,
    first_letters: Features,
    abbreviations: Features,
    head: Option<u64>,
    /// The stems of each segment in their order.
    segments: Vec<Vec<String>>,
    words: Vec<Word>,
}

/// How near two titles are, by each signal: 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// By vectors, which were trained on what is written about occupations.
    pub vectors: f32,
    /// By the nearest occupations.
    pub occupations: f32,
    /// By the letters.
    pub letters: f32,
    /// Whether one has the initials of the other: `RN` and `Registered nurse`.
    pub initials: f32,
    /// How surely they say that someone is something else: a nurse and a recruiter.
    pub conflict: f32,
    /// Whether one is the other with words after it that name no other occupation: `Nurse` and `Nurse, nights`.
    pub is_same: bool,
}

impl Title {
    /// Of a text and its meaning, which may have been stored.
    pub fn new(occupations: &Occupations, text: &str, meaning: Meaning) -> Self {
        let segments = segments(text);
        let stems = segments.iter().map(|segment| {
            let words = segment.words.iter();
            words.map(|word| stem(word)).collect()
        });
        Self {
            meaning,
            letters: occupations.by_letters.weighted(&letters(&segments)),
            first_letters: first_letters(&segments),
            abbreviations: abbreviations(text, &segments),
            head: head(text),
            segments: stems.collect(),
            words: words(text),
        }
    }

    /// The meaning of its text.
    pub fn meaning(&self) -> &Meaning {
        &self.meaning
    }

    /// The words that another title has in some form, as this one has them and each once.
    pub fn words_in_common(&self, other: &Self) -> Vec<&str> {
        let mut found: Vec<&Word> = Vec::new();
        for word in &self.words {
            let is_shared = other.words.iter().any(|other| other.stem == word.stem);
            if is_shared && !found.iter().any(|seen| seen.stem == word.stem) {
                found.push(word);
            }
        }
        found.iter().map(|word| word.written.as_str()).collect()
    }

    /// Compares two titles.
    pub fn compare(&self, other: &Self, occupations: &Occupations) -> Comparison {
        let initials = initials(&self.abbreviations, &other.first_letters);
        let initials = initials.max(initials_of(other, self));
        Comparison {
            vectors: self.meaning.vector_similarity(&other.meaning),
            occupations: self.meaning.occupation_similarity(&other.meaning).sqrt(),
            letters: cosine(&self.letters, &other.letters),
            initials,
            conflict: occupations.heads.conflict(self.head, other.head),
            is_same: self.is_same(other, occupations),
        }
    }

    fn is_same(&self, other: &Self, occupations: &Occupations) -> bool {
        other.begins_with(self, occupations) || self.begins_with(other, occupations)
    }

    /// Whether it is another title, with words after it that name no other occupation.
    fn begins_with(&self, other: &Self, occupations: &Occupations) -> bool {
        let Some((last, others)) = other.segments.split_last() else {
            return false;
        };
        let own = self.segments.strip_prefix(others).unwrap_or_default();
        let rest = own
            .first()
            .and_then(|segment| segment.strip_prefix(last.as_slice()));
        let names_another = |stem: &String| occupations.heads.is_known(hash(stem.as_bytes()));
        rest.is_some_and(|rest| !rest.iter().any(names_another))
    }
}

impl Occupations {
    /// How near two texts are as titles of a job: about 1 for the same title, 0 and less for unrelated ones.
    pub fn similarity(&self, one: &str, other: &str) -> f32 {
        let title = |text| Title::new(self, text, self.meaning(text));
        title(one).compare(&title(other), self).similarity()
    }
}

impl Comparison {
    /// The weighted sum of the signals: from 7 on, the titles most likely name the same occupation, from 3 on a similar one.
    pub fn score(&self) -> f32 {
        let sum = VECTORS * self.vectors
            + OCCUPATIONS * self.occupations
            + LETTERS * self.letters
            + INITIALS * self.initials
            + CONFLICT * self.conflict;
        // Words beside the title change no more than the order of equals.
        if self.is_same {
            sum.max(SAME + self.letters)
        } else {
            sum
        }
    }

    /// The score as a share of the same title's.
    pub fn similarity(&self) -> f32 {
        self.score() / (SAME + LETTERS)
    }
}

fn initials_of(one: &Title, other: &Title) -> f32 {
    initials(&one.abbreviations, &other.first_letters)
}

fn initials(abbreviations: &Features, first_letters: &Features) -> f32 {
    let mut best = 0.0_f32;
    for (short, weight) in abbreviations {
        for (initials, other) in first_letters {
            if short == initials {
                best = best.max(weight * other);
            }
        }
    }
    best
}

/// Of features in their order, each with the length 1.
fn cosine(one: &Features, other: &Features) -> f32 {
    let mut sum = 0.0;
    let mut rest = other.iter().peekable();
    for (feature, weight) in one {
        while rest.next_if(|(next, _)| next < feature).is_some() {}
        if let Some((_, second)) = rest.next_if(|(next, _)| next == feature) {
            sum += weight * second;
        }
    }
    sum
}
