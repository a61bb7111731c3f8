//! Lists of skills, as they are stored and as they are compared.

use std::collections::{BTreeMap, BTreeSet};

use trestle_domain::{List, Text};

use super::one_line::parse_line;
use super::skill::{named, named_in, skill_of, spaced};

/// Skills.
pub type Skills = List<Text<1, 50>, 30>;

/// The skills as they are written, those of one entry apart, each once, whichever of its spellings comes first.
pub fn each_once(given: &Skills) -> Skills {
    let mut seen = BTreeSet::new();
    let entries = given.as_slice().iter();
    let written = entries.flat_map(|entry| separate(entry.as_str()));
    let written = written.filter(|entry| {
        let plain = spaced(entry.as_str());
        seen.insert(named(&plain).map_or(plain, str::to_owned))
    });
    let written: Vec<_> = written.collect();
    List::parse(written.into_iter().map(Ok)).unwrap_or_else(|_| given.clone())
}

/// The entries that someone wrote as one: `Java, SQL, Python`.
fn separate(entry: &str) -> Vec<Text<1, 50>> {
    let is_one = named(&spaced(entry)).is_some();
    let parts = if is_one {
        vec![entry]
    } else {
        entry.split([',', ';']).collect()
    };
    parts
        .into_iter()
        .filter_map(|part| parse_line(part).ok())
        .collect()
}

/// Each skill by its name in the vocabulary, kinds of skills as the skills, or else in lower case: `PL/SQL` is `sql`. What a
/// filter is called in cursors.
pub fn general(given: &Skills) -> Skills {
    let mut seen = BTreeSet::new();
    let names = given.as_slice().iter().map(|skill| {
        let plain = spaced(skill.as_str());
        named(&plain).map(skill_of).map_or(plain, str::to_owned)
    });
    let names: Vec<_> = names.filter(|name| seen.insert(name.clone())).collect();
    List::parse(names.iter().map(|name| Text::parse(name))).unwrap_or_default()
}

/// The skills that a list names, in the form in which they are compared: of `C/C++` both.
pub fn compared(given: &Skills) -> BTreeSet<String> {
    compared_with_names(given).into_keys().collect()
}

/// As [`compared`], each with the entry that names it.
pub fn compared_with_names(given: &Skills) -> BTreeMap<String, String> {
    let entries = given.as_slice().iter().map(Text::as_str);
    let named = entries.flat_map(|entry| {
        let names = named_in(entry).into_iter();
        names.map(move |name| (name, entry.to_owned()))
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skill_is_kept_once_as_it_is_written() {
        let given = [
            "JS",
            "javascript",
            "Java  Script",
            "C++",
            "cpp",
            "Basket weaving",
            "PL/SQL",
            "plsql",
            "Rust, sql;  Go",
        ];
        let given = List::parse(given.iter().map(|skill| Text::parse(skill))).unwrap();
        let skills = each_once(&given);
        let names: Vec<_> = skills.as_slice().iter().map(Text::as_str).collect();
        assert_eq!(
            names,
            ["JS", "C++", "Basket weaving", "PL/SQL", "Rust", "sql", "Go"]
        );
        assert_eq!(each_once(&skills), skills);
        assert!(compared(&skills).contains("sql"));
    }
}
