//! Languages and platforms of software that a text or a list of skills names. Whoever works with one of them does not do the
//! work of another, whatever both positions are called.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use super::position::SEPARATORS;
use super::skill::{mentioned, named_in, split_at};
use super::synonyms::{entries, listed};
use super::terms::{Term, terms};

static PLATFORMS: LazyLock<Platforms> =
    LazyLock::new(|| Platforms::read(include_str!("platforms.txt")));

/// Platforms by their names in the list.
pub type PlatformNames = BTreeSet<&'static str>;

struct Platforms {
    /// By names of skills.
    of_skills: HashMap<&'static str, Vec<&'static str>>,
    /// By terms of texts.
    of_terms: HashMap<Term, Vec<&'static str>>,
}

impl Platforms {
    fn read(text: &'static str) -> Self {
        let mut of_skills: HashMap<_, Vec<_>> = HashMap::new();
        for (platform, names) in entries(text) {
            for name in listed(names) {
                of_skills.entry(name).or_default().push(platform);
            }
        }
        // A letter alone is also a grade or an initial.
        let words = of_skills.iter().filter(|(name, _)| name.len() > 1);
        let of_terms = words.filter_map(|(name, platforms)| {
            let terms = terms(name);
            let [term] = terms.as_slice() else {
                return None;
            };
            Some((term.clone(), platforms.clone()))
        });
        Self {
            of_terms: of_terms.collect(),
            of_skills,
        }
    }
}

/// The platforms of some skills, in the form in which they are compared.
pub fn of_skills<'s>(skills: impl Iterator<Item = &'s str>) -> PlatformNames {
    let found = skills.filter_map(|skill| PLATFORMS.of_skills.get(skill));
    found.flatten().copied().collect()
}

/// The platforms that a title or a headline names.
pub fn of_text(text: &str) -> PlatformNames {
    let terms = terms(text);
    let by_terms = terms
        .iter()
        .filter_map(|term| PLATFORMS.of_terms.get(term))
        .flatten()
        .copied();
    let mut found: PlatformNames = by_terms.collect();
    found.extend(of_skills(mentioned(text).into_iter()));
    // `Go` alone between marks is a language.
    let parts = split_at(text, &SEPARATORS);
    let parts = parts
        .iter()
        .flat_map(|part| split_at(part, &["(", ")", "/"]));
    for part in parts {
        let skills = named_in(part);
        found.extend(of_skills(skills.iter().map(String::as_str)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_names_languages_and_platforms() {
        for (title, platforms) in [
            ("Senior Backend Engineer (Java)", &["java"][..]),
            ("Software Engineer, Go", &["golang"]),
            ("Go Developer", &["golang"]),
            ("iOS Engineer", &["ios"]),
            ("Swift Developer", &["ios"]),
            ("C/C++ Developer", &["c++"]),
            (".NET Developer", &[".net"]),
            ("Node Developer", &["node.js"]),
            ("Rails Engineer (Ruby)", &["ruby"]),
            ("WordPress Developer", &["php"]),
            ("Software Engineer", &[]),
            ("Manager, Go to Market", &[]),
            ("Vitamin C Chemist", &[]),
        ] {
            let found: Vec<_> = of_text(title).into_iter().collect();
            assert_eq!(found, platforms, "{title}");
        }
    }
}
