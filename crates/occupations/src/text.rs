//! How titles are read: segments, words, stems and letters. make_data.py reads them in the same way.

use std::collections::HashMap;

use icu_normalizer::DecomposingNormalizerBorrowed;
use rust_stemmers::{Algorithm, Stemmer};

use crate::hash::{Features, hash};

/// Weight of the segments after the first one, which say where, when and with what.
const LATER_SEGMENT: f32 = 0.5;

/// Lucene's stop words of English.
const STOP_WORDS: &str = "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with";

/// Words that begin another segment.
const JOINTS: &str = "- / with for in at on by to from";

/// Numbers of grades: `Electrician II`.
const ROMAN: &str = "i ii iii iv v vi x";

/// A part of a text between marks or joints.
pub struct Segment<'t> {
    pub text: &'t str,
    /// Its words without stop words.
    pub words: Vec<String>,
    pub weight: f32,
}

fn is_one_of(list: &str, word: &str) -> bool {
    list.split(' ').any(|other| other == word)
}

/// The words of a text in lower case and without accents.
pub fn tokens(text: &str) -> Vec<String> {
    let text = text.to_lowercase().replace('&', " and ");
    let text = text.replace('’', "'").replace("'s ", " ").replace('\'', "");
    let plain = if text.is_ascii() {
        text
    } else {
        let decomposed = DecomposingNormalizerBorrowed::new_nfkd().normalize(&text);
        decomposed.chars().filter(|c| !is_accent(*c)).collect()
    };
    plain
        .split(|c: char| !c.is_alphanumeric() && c != '+' && c != '#')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn is_accent(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c)
}

/// The stem of a word, by Porter2.
pub fn stem(word: &str) -> String {
    Stemmer::create(Algorithm::English).stem(word).into_owned()
}

/// The segments of a text that have words.
pub fn segments(text: &str) -> Vec<Segment<'_>> {
    let mut found = Vec::new();
    for part in text.split([',', ';', ':', '(', ')', '[', ']', '|', '•', '–', '—']) {
        let mut start = 0;
        let mut at = 0;
        for word in part.split_inclusive(char::is_whitespace) {
            if is_one_of(JOINTS, &word.trim_end().to_lowercase()) {
                push_segment(&mut found, part.get(start..at));
                start = at + word.len();
            }
            at += word.len();
        }
        push_segment(&mut found, part.get(start..));
    }
    found
}

fn push_segment<'t>(found: &mut Vec<Segment<'t>>, text: Option<&'t str>) {
    let text = text.unwrap_or_default();
    let mut words = tokens(text);
    words.retain(|word| !is_one_of(STOP_WORDS, word));
    if words.is_empty() {
        return;
    }
    let weight = if found.is_empty() { 1.0 } else { LATER_SEGMENT };
    found.push(Segment {
        text,
        words,
        weight,
    });
}

/// The stems of a text with the weight of the first segment that has them.
pub fn stems(segments: &[Segment]) -> Features {
    let mut found = HashMap::new();
    for segment in segments {
        for word in &segment.words {
            found
                .entry(hash(stem(word).as_bytes()))
                .or_insert(segment.weight);
        }
    }
    found.into_iter().collect()
}

/// The sequences of three and of four letters of a text, blanks between words included, with the sum of their weights.
pub fn letters(segments: &[Segment]) -> Features {
    let mut found: HashMap<u64, f32> = HashMap::new();
    for segment in segments {
        let spaced = format!(" {} ", tokens(segment.text).join(" "));
        for length in [3, 4] {
            for gram in ngrams(&spaced, length) {
                *found.entry(gram).or_default() += segment.weight;
            }
        }
    }
    let mut found: Features = found.into_iter().collect();
    found.sort_unstable_by_key(|(gram, _)| *gram);
    found
}

/// The hashes of all sequences of so many letters.
fn ngrams(text: &str, length: usize) -> impl Iterator<Item = u64> {
    let mut bounds: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    bounds.push(text.len());
    let starts = bounds.len().saturating_sub(length);
    (0..starts).filter_map(move |at| {
        let (start, end) = (bounds.get(at)?, bounds.get(at + length)?);
        Some(hash(text.get(*start..*end)?.as_bytes()))
    })
}

/// The sequences of three to five letters of a word, its borders marked.
pub fn ngrams_of_word(word: &str) -> Vec<u64> {
    let marked = format!("<{word}>");
    [3, 4, 5]
        .into_iter()
        .flat_map(|length| ngrams(&marked, length).collect::<Vec<_>>())
        .collect()
}

/// The first letters of two to five words that follow each other. Two letters say half as much.
pub fn first_letters(segments: &[Segment]) -> Features {
    let mut found = Features::new();
    for segment in segments {
        let words = segment.words.iter();
        let named = words.filter(|word| !word.chars().all(|c| c.is_ascii_digit()));
        let firsts: String = named.filter_map(|word| word.chars().next()).collect();
        for length in 2..=5 {
            let share = if length == 2 { 0.5 } else { 1.0 };
            let weight = segment.weight * share;
            found.extend(ngrams(&firsts, length).map(|gram| (gram, weight)));
        }
    }
    found
}

/// The words of two to five capital letters; none of a text that is written in capitals.
pub fn abbreviations(text: &str, segments: &[Segment]) -> Features {
    let is_shouted = text.chars().count() > 5 && !text.chars().any(char::is_lowercase);
    if is_shouted {
        return Features::new();
    }
    let mut found = Features::new();
    for segment in segments {
        for word in segment.text.split(|c: char| !c.is_alphanumeric()) {
            let is_short = (2..=5).contains(&word.len());
            let lower = word.to_ascii_lowercase();
            if is_short && word.bytes().all(|c| c.is_ascii_uppercase()) && !is_one_of(ROMAN, &lower)
            {
                found.push((hash(lower.as_bytes()), segment.weight));
            }
        }
    }
    found
}

/// The stem of the word that says what someone is: the director of `Director of nursing, nights`.
pub fn head(text: &str) -> Option<u64> {
    let lower = text.to_lowercase();
    // Lower case may have another length, so that the text is not cut where it cannot be.
    let before = lower.find(" of ").and_then(|at| text.get(..at));
    let mut parts = segments(before.unwrap_or(text));
    if parts.is_empty() {
        parts = segments(text);
    }
    let words = parts.into_iter().next()?.words;
    let is_number =
        |word: &String| word.bytes().all(|c| c.is_ascii_digit()) || is_one_of(ROMAN, word);
    let last = words.into_iter().rev().find(|word| !is_number(word))?;
    Some(hash(stem(&last).as_bytes()))
}

/// A word as a text has it, and its stem.
#[derive(Clone, Debug)]
pub struct Word {
    pub written: String,
    pub stem: String,
}

/// The words of a text without stop words.
pub fn words(text: &str) -> Vec<Word> {
    let mut found = Vec::new();
    for written in text.split(|c: char| !c.is_alphanumeric() && !"+#'’".contains(c)) {
        let mut tokens = tokens(written);
        tokens.retain(|token| !is_one_of(STOP_WORDS, token));
        if !tokens.is_empty() {
            let stems: Vec<String> = tokens.iter().map(|token| stem(token)).collect();
            found.push(Word {
                written: written.to_owned(),
                stem: stems.join(" "),
            });
        }
    }
    found
}
