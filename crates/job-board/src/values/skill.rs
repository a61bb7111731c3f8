//! Skills: an open vocabulary with synonyms.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use trestle_domain::{List, Text};

use super::synonyms::Synonyms;

static SKILLS: LazyLock<Synonyms> = LazyLock::new(|| Synonyms::read(include_str!("skills.txt")));
static IN_TEXTS: LazyLock<Synonyms> =
    LazyLock::new(|| Synonyms::read(include_str!("skills.txt")).in_texts());

/// The most words of a skill in the vocabulary.
const LONGEST: usize = 4;

/// Skills, each in the form in which skills are compared.
pub type Skills = List<Text<1, 50>, 30>;

/// Each skill by its name in the vocabulary, or else in lower case; each once, in their order.
pub fn canonical(given: &Skills) -> Skills {
    let mut seen = BTreeSet::new();
    let names = given.as_slice().iter().map(|skill| {
        let plain = spaced(skill.as_str());
        SKILLS.name(&plain).map_or(plain, str::to_owned)
    });
    let names: Vec<_> = names.filter(|name| seen.insert(name.clone())).collect();
    List::parse(names.iter().map(|name| Text::parse(name))).unwrap_or_default()
}

/// The skills of the vocabulary that a text mentions, by their names. Names that mean other things in a text, such as
/// `go` or `security`, count in lists of skills alone.
pub fn mentioned(text: &str) -> BTreeSet<&'static str> {
    let words = words(text);
    let mut found = BTreeSet::new();
    for at in 0..words.len() {
        for length in 1..=LONGEST.min(words.len() - at) {
            let phrase = words.get(at..at + length).unwrap_or_default().join(" ");
            let named = IN_TEXTS.name(&phrase);
            found.extend(named);
        }
    }
    found
}

/// The words of a text in lower case. Marks that belong to names of skills stay: `c++`, `c#`, `node.js`.
pub fn words(text: &str) -> Vec<String> {
    written(text)
        .into_iter()
        .map(|(_, word)| word.to_lowercase())
        .collect()
}

/// The same as they are written, each with its place in the text.
pub fn written(text: &str) -> Vec<(usize, &str)> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '+' | '#' | '.');
    let mut at = 0;
    let words = text.split(|c: char| !is_part(c)).map(|word| {
        let start = at;
        // What separates words is one character.
        at += word.len();
        at += text
            .get(at..)
            .and_then(|rest| rest.chars().next())
            .map_or(0, char::len_utf8);
        (start, word.trim_end_matches('.'))
    });
    words.filter(|(_, word)| !word.is_empty()).collect()
}

fn spaced(text: &str) -> String {
    let lower = text.to_lowercase();
    lower.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn synonyms_are_one_skill() {
        let given = [
            "JS",
            "javascript",
            "Java  Script",
            "C++",
            "cpp",
            "Basket weaving",
        ];
        let given = List::parse(given.iter().map(|skill| Text::parse(skill))).unwrap();
        let skills = canonical(&given);
        let names: Vec<_> = skills.as_slice().iter().map(Text::as_str).collect();
        assert_eq!(names, ["javascript", "c++", "basket weaving"]);
        assert_eq!(canonical(&skills), skills);
    }

    #[test]
    fn a_text_mentions_whole_words() {
        let found = mentioned("Software Engineer, C++/Python (Front-End), K8s.");
        assert!(found.contains("kubernetes"));
        let found = mentioned("Software Engineer - C++ and Machine Learning");
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            ["c++", "machine learning"]
        );
        assert!(mentioned("Javanese dancer").is_empty());
        assert!(mentioned("Security Guard, go to market").is_empty());
        let found = mentioned("C/C++, AI/ML");
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            ["artificial intelligence", "c++", "machine learning"]
        );
    }
}
