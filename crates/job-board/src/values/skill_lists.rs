//! Lists of skills, as they are stored and as they are compared.

use std::collections::{BTreeMap, BTreeSet};

use trestle_domain::{List, Text};

use super::skill::{named, named_in, skill_of, spaced};

/// Skills.
pub type Skills = List<Text<1, 50>, 30>;

/// The skills as they are written, each once, whichever of its spellings comes first.
pub fn each_once(given: &Skills) -> Skills {
    let mut seen = BTreeSet::new();
    let entries = given.as_slice().iter();
    let written = entries.filter_map(|entry| {
        let plain = spaced(entry.as_str());
        let name = named(&plain).map_or_else(|| plain.clone(), str::to_owned);
        let words: Vec<_> = entry.as_str().split_whitespace().collect();
        seen.insert(name).then(|| words.join(" "))
    });
    let written: Vec<_> = written.collect();
    List::parse(written.iter().map(|entry| Text::parse(entry))).unwrap_or_default()
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
        ];
        let given = List::parse(given.iter().map(|skill| Text::parse(skill))).unwrap();
        let skills = each_once(&given);
        let names: Vec<_> = skills.as_slice().iter().map(Text::as_str).collect();
        assert_eq!(names, ["JS", "C++", "Basket weaving", "PL/SQL"]);
        assert_eq!(each_once(&skills), skills);
        assert!(compared(&skills).contains("sql"));
    }
}
