//! Names that stand for several occupations: `PM` is a product manager, a project manager or a program manager.

use std::sync::LazyLock;

use super::skill::words;
use super::synonyms::{entries, listed};
use super::terms::{Position, Term, phrases};

static READINGS: LazyLock<Vec<Reading>> =
    LazyLock::new(|| Reading::all(include_str!("readings.txt")));

/// A name and the occupations that it also stands for.
struct Reading {
    name: Vec<&'static str>,
    others: Vec<&'static str>,
    /// Whether it stands for them only at the end, and only if nothing before it says what the position is.
    is_only_last: bool,
}

impl Reading {
    /// The readings of a list with entries such as `?pm = product manager, project manager`.
    fn all(text: &'static str) -> Vec<Self> {
        let readings = entries(text).flat_map(|(names, others)| {
            listed(names).map(move |name| Self {
                name: name.trim_start_matches('?').split(' ').collect(),
                others: listed(others).collect(),
                is_only_last: name.starts_with('?'),
            })
        });
        readings.collect()
    }
}

/// A part of a title or a headline, once for each other occupation that a name in it stands for.
pub fn other_readings(part: &str) -> Vec<Position> {
    let words = words(part);
    for reading in READINGS.iter() {
        let length = reading.name.len();
        let Some(at) = words
            .windows(length)
            .position(|words| words == reading.name)
        else {
            continue;
        };
        let joined = |words: Option<&[String]>| words.unwrap_or_default().join(" ");
        let before = phrases(&joined(words.get(..at)));
        let own = joined(words.get(at..at + length));
        let after = phrases(&joined(words.get(at + length..)));
        // `Engineering PM` is one; `Server Engineer` says that it is an engineer.
        let is_other = |(term, phrase): &(Term, String)| term.is_head() && !phrase.ends_with("ing");
        if reading.is_only_last && (at + length < words.len() || before.iter().any(is_other)) {
            continue;
        }
        let read = |other: &&str| {
            let own = phrases(other)
                .into_iter()
                .map(|(term, _)| (term, own.clone()));
            let parts = before.iter().cloned().chain(own);
            parts.chain(after.iter().cloned()).collect()
        };
        return reading.others.iter().map(read).collect();
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::super::terms::terms;
    use super::*;

    #[test]
    fn a_name_is_read_as_each_occupation_that_it_stands_for() {
        for (part, readings) in [
            (
                "Senior PM",
                &["Product Manager", "Project Manager", "Program Manager"][..],
            ),
            (
                "Construction PM",
                &[
                    "Construction Product Manager",
                    "Construction Project Manager",
                    "Construction Program Manager",
                ],
            ),
            ("Account Executive", &["Sales Representative"]),
            ("Enterprise AE", &["Enterprise Sales Representative"]),
            ("Business Development Manager", &["Sales Manager"]),
            ("Business Development", &["Sales Representative"]),
            ("Server", &["Waiter"]),
            ("Server Engineer", &[]),
            ("Nurse PT", &[]),
            ("Software Engineer", &[]),
        ] {
            let found = other_readings(part).into_iter();
            let found = found.map(|position| position.into_iter().map(|(term, _)| term));
            let found: Vec<Vec<_>> = found.map(Iterator::collect).collect();
            let readings: Vec<_> = readings.iter().map(|reading| terms(reading)).collect();
            assert_eq!(found, readings, "{part}");
        }
    }
}
