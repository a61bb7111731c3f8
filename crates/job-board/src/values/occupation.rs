//! Occupations: their names, and what they have to do with one another.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::synonyms::{entries, listed};
use super::tokens::tokens;

static OCCUPATIONS: LazyLock<Occupations> = LazyLock::new(Occupations::read);

/// An occupation by its name in the list.
pub type Occupation = &'static str;

/// What an occupation has to do with another one, the closest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kinship {
    /// The same, or a kind of it.
    Same,
    /// Almost the same: a waiter and a bartender.
    Close,
    /// Of the same field: a waiter and a line cook.
    Related,
}

/// What a name stands for.
#[derive(Clone, Debug, Default)]
pub struct Meaning {
    /// The occupations that it names.
    pub named: Vec<Occupation>,
    /// Those of which it is a field, a tool or a credential.
    pub hinted: Vec<Occupation>,
}

impl Meaning {
    /// The occupations that it names, or else those of which it is a field.
    pub fn all(&self) -> &[Occupation] {
        if self.named.is_empty() {
            &self.hinted
        } else {
            &self.named
        }
    }
}

/// The lists of names and relations.
pub struct Occupations {
    /// By the words of the names, in the form in which they are compared.
    meanings: HashMap<String, Meaning>,
    /// Words that are read as another one.
    forms: HashMap<&'static str, &'static str>,
    /// The words of all names.
    words: HashSet<String>,
    /// Words that make another occupation of the name before them.
    others: HashSet<String>,
    kinds: HashMap<Occupation, Vec<Occupation>>,
    /// Kinds of occupations that are so only if the name is this one and a field of the kind is mentioned.
    hinted_kinds: HashMap<Occupation, Vec<Occupation>>,
    /// Those that are one if both name the same language or platform; the first is the general one.
    by_platform: Vec<Occupation>,
    kinships: HashMap<(Occupation, Occupation), Kinship>,
    /// The most words of a name.
    pub longest: usize,
}

/// Each with each.
fn pairs(names: &[Occupation]) -> Vec<(Occupation, Occupation)> {
    let each = names.iter().copied();
    let pairs = each.flat_map(|one| names.iter().map(move |other| (one, *other)));
    pairs.collect()
}

/// The first with each, and each with the first.
fn around(hub: Occupation, names: &[Occupation]) -> Vec<(Occupation, Occupation)> {
    let both = names.iter().flat_map(|name| [(hub, *name), (*name, hub)]);
    both.collect()
}

/// The lists, which are read once.
pub fn occupations() -> &'static Occupations {
    &OCCUPATIONS
}

impl Occupations {
    fn read() -> Self {
        let forms = entries(include_str!("occupation_words.txt"));
        let forms = forms.flat_map(|(word, others)| listed(others).map(move |other| (other, word)));
        let mut found = Self {
            meanings: HashMap::new(),
            forms: forms.collect(),
            words: HashSet::new(),
            others: HashSet::new(),
            kinds: HashMap::new(),
            hinted_kinds: HashMap::new(),
            by_platform: Vec::new(),
            kinships: HashMap::new(),
            longest: 1,
        };
        for (occupation, names) in entries(include_str!("occupations.txt")) {
            for name in std::iter::once(occupation).chain(listed(names)) {
                let meaning = found.meaning_to_fill(name.trim_start_matches('~'));
                let list = if name.starts_with('~') {
                    &mut meaning.hinted
                } else {
                    &mut meaning.named
                };
                if !list.contains(&occupation) {
                    list.push(occupation);
                }
            }
        }
        for (relation, names) in entries(include_str!("occupation_relations.txt")) {
            found.relate(relation, &listed(names).collect::<Vec<_>>());
        }
        found.add_fields();
        found
    }

    /// Adds the fields of names: `analytics engineering` hints at what `analytics engineer` names.
    fn add_fields(&mut self) {
        const FIELDS: [(&str, &str); 8] = [
            ("engineer", "engineering"),
            ("engineer", "development"),
            ("designer", "design"),
            ("manager", "management"),
            ("analyst", "analysis"),
            ("analyst", "analytics"),
            ("administrator", "administration"),
            ("writer", "writing"),
        ];
        let fields = self.meanings.iter().flat_map(|(name, meaning)| {
            let split = name.rsplit_once(' ').into_iter();
            split.flat_map(|(rest, last)| {
                let fields = FIELDS.iter().filter(move |(agent, _)| *agent == last);
                let named = meaning.named.clone();
                fields.map(move |(_, field)| (format!("{rest} {field}"), named.clone()))
            })
        });
        let fields: Vec<_> = fields.collect();
        for (name, hinted) in fields {
            let meaning = Meaning {
                named: Vec::new(),
                hinted,
            };
            self.meanings.entry(name).or_insert(meaning);
        }
    }

    /// The meaning of a name, which is added if it is new.
    fn meaning_to_fill(&mut self, name: &str) -> &mut Meaning {
        let words = self.words_of(name);
        self.longest = self.longest.max(words.len());
        self.words.extend(words.iter().cloned());
        self.meanings.entry(words.join(" ")).or_default()
    }

    fn relate(&mut self, relation: &str, names: &[&'static str]) {
        match (relation, names) {
            ("nothing", names) => {
                for name in names {
                    self.meaning_to_fill(name);
                }
            }
            ("other", names) => {
                let words = names.iter().flat_map(|name| self.words_of(name));
                self.others = words.collect();
            }
            ("kinds", [general, kinds @ ..]) => {
                for kind in kinds {
                    self.kin((general, kind), Kinship::Same);
                    self.kin((kind, general), Kinship::Close);
                }
                self.kinds.entry(general).or_default().extend(kinds);
            }
            ("hinted", [general, kinds @ ..]) => {
                self.hinted_kinds.entry(general).or_default().extend(kinds);
            }
            ("by platform", names) => self.by_platform = names.to_vec(),
            ("close", names) => self.kin_all(&pairs(names), Kinship::Close),
            ("related", names) => self.kin_all(&pairs(names), Kinship::Related),
            ("close to", [hub, names @ ..]) => self.kin_all(&around(hub, names), Kinship::Close),
            ("related to", [hub, names @ ..]) => {
                self.kin_all(&around(hub, names), Kinship::Related)
            }
            _ => {}
        }
    }

    fn kin_all(&mut self, pairs: &[(Occupation, Occupation)], kinship: Kinship) {
        for pair in pairs {
            self.kin(*pair, kinship);
        }
    }

    /// The closest kinship counts.
    fn kin(&mut self, pair: (Occupation, Occupation), kinship: Kinship) {
        let known = self.kinships.entry(pair).or_insert(kinship);
        *known = kinship.min(*known);
    }

    /// What the occupation `offered` has to do with `wanted`.
    pub fn kinship(&self, wanted: Occupation, offered: Occupation) -> Option<Kinship> {
        if wanted == offered {
            Some(Kinship::Same)
        } else {
            self.kinships.get(&(wanted, offered)).copied()
        }
    }

    /// The kinds of a general occupation: a truck driver and a bus driver of `driver`.
    pub fn kinds(&self, general: Occupation) -> &[Occupation] {
        self.kinds.get(general).map_or(&[], Vec::as_slice)
    }

    /// The kinds of an occupation that fields of them make of it where these words name it.
    pub fn kinds_if_hinted(&self, general: Occupation, words: &[String]) -> &[Occupation] {
        let hinted = self.hinted_kinds.get(general);
        let hinted = hinted.filter(|_| matches!(words, [word] if word == general));
        hinted.map_or_else(|| self.kinds(general), Vec::as_slice)
    }

    /// Whether two occupations are one for people of the same language or platform.
    pub fn are_one_by_platform(&self, (one, other): (Occupation, Occupation)) -> bool {
        let is_general = |name| self.by_platform.first() == Some(name);
        let mut both = [one, other].into_iter();
        both.all(|name| self.by_platform.contains(&name))
            && (is_general(&one) || is_general(&other))
    }

    /// What words, in the form in which they are compared, stand for; nothing if they only look like a name.
    pub fn meaning(&self, words: &str) -> Option<&Meaning> {
        self.meanings.get(words)
    }

    /// Whether a word makes another occupation of the name before it: the supervisor of `plumber supervisor`.
    pub fn is_other(&self, word: &str) -> bool {
        self.others.contains(word)
    }

    /// A word in the singular in the form in which words of longer names are compared: read as another one.
    pub fn form(&self, singular: &str) -> String {
        (*self.forms.get(singular).unwrap_or(&singular)).to_owned()
    }

    fn words_of(&self, name: &str) -> Vec<String> {
        let tokens = tokens(name, |word| self.form(word));
        match tokens.as_slice() {
            // An engineer of some kind is no developer.
            [only] => vec![only.singular.clone()],
            tokens => tokens.iter().map(|token| token.word.clone()).collect(),
        }
    }

    /// The word of a name that a word with a wrong letter or two stands for: `electrican`.
    pub fn corrected(&self, word: &str) -> Option<&str> {
        const LONG: usize = 10;
        let length = word.chars().count();
        // "trained", "cleaning": words of other forms are no mistakes.
        let is_form = ["ed", "ing", "ly"].iter().any(|end| word.ends_with(end));
        if length < 7 || is_form || self.words.contains(word) || self.others.contains(word) {
            return None;
        }
        let most = if length < LONG { 1 } else { 2 };
        let near = self.words.iter().filter(|other| {
            other.chars().next() == word.chars().next() && other.len().abs_diff(word.len()) <= most
        });
        let near = near.map(|other| {
            // The electrician rather than what is electrical.
            let is_name = self
                .meanings
                .get(other)
                .is_some_and(|meaning| !meaning.named.is_empty());
            (strsim::osa_distance(word, other), !is_name, other)
        });
        let nearest = near.filter(|(distance, ..)| *distance <= most).min();
        nearest.map(|(.., other)| other.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_are_between_occupations_of_the_list() {
        let known: HashSet<_> = entries(include_str!("occupations.txt"))
            .map(|(name, _)| name)
            .collect();
        for (relation, names) in entries(include_str!("occupation_relations.txt")) {
            if !matches!(relation, "nothing" | "other") {
                for name in listed(names) {
                    assert!(known.contains(name), "{name}");
                }
            }
        }
    }

    #[test]
    fn a_name_names_one_occupation_unless_it_is_known_to_name_several() {
        let all = &OCCUPATIONS.meanings;
        let several = all.iter().filter(|(_, meaning)| meaning.named.len() > 1);
        let several: Vec<_> = several.map(|(name, _)| name.as_str()).collect();
        assert_eq!(several, ["pm"]);
    }

    #[test]
    fn a_general_occupation_has_its_kinds() {
        let all = occupations();
        assert_eq!(all.kinship("driver", "bus driver"), Some(Kinship::Same));
        assert_eq!(all.kinship("bus driver", "driver"), Some(Kinship::Close));
        assert_eq!(
            all.kinship("bus driver", "truck driver"),
            Some(Kinship::Related)
        );
        assert_eq!(all.kinship("teacher", "yoga teacher"), None);
    }
}
