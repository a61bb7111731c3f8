//! The headers and words of lists, from the data file beside this one.

use std::collections::HashMap;
use std::sync::LazyLock;

use trestle_rows::cells::plain;
use trestle_rows::columns::Field;

/// Everything that is understood beside the words of our own.
static WORDS: LazyLock<Words> = LazyLock::new(|| Words::of(include_str!("words.txt")));

/// A line of the data file: what is meant, and the words for it, separated by spaces.
type Line = (&'static str, &'static str);

struct Words(HashMap<&'static str, Section>);

#[derive(Default)]
struct Section {
    lines: Vec<Line>,
    /// What each word means, in the order of the lines.
    meanings: HashMap<&'static str, Vec<&'static str>>,
}

impl Words {
    fn of(file: &'static str) -> Self {
        let mut sections: HashMap<_, Section> = HashMap::new();
        let mut section = "";
        for line in file.lines().map(str::trim) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let title = line.strip_prefix('[');
            if let Some(title) = title.and_then(|title| title.strip_suffix(']')) {
                section = title;
                continue;
            }
            let (meaning, words) = line.split_once(' ').unwrap_or((line, ""));
            let section = sections.entry(section).or_default();
            section.lines.push((meaning, words));
            for word in words.split_whitespace() {
                section.meanings.entry(word).or_default().push(meaning);
            }
        }
        Self(sections)
    }

    fn section(&self, title: &str) -> &[Line] {
        self.0.get(title).map_or(&[], |section| &section.lines)
    }

    fn meanings(&self, section: &str, word: &str) -> &[&'static str] {
        let section = self.0.get(section);
        let meanings = section.and_then(|section| section.meanings.get(word));
        meanings.map_or(&[], Vec::as_slice)
    }
}

/// The fields of the first releases, each with the headers that people give to it, in the order in which ids are made of them.
pub(super) fn first_fields() -> &'static [Field] {
    WORDS.section("columns")
}

/// Further fields and headers. A row's id does not depend on them.
pub(super) fn more_fields() -> &'static [Field] {
    WORDS.section("more columns")
}

/// Whether a word of a section has this meaning, perhaps among others.
pub(super) fn means(section: &str, word: &str, meant: &str) -> bool {
    WORDS.meanings(section, word).contains(&meant)
}

/// The value that a text means: by its own word, or by one of a section.
pub(super) fn value<T: Copy>(
    section: &str,
    text: &str,
    values: &[T],
    word_of: impl Fn(T) -> &'static str,
) -> Option<T> {
    let text = plain(text);
    let mut values = values.iter().copied();
    let own = values.clone().find(|value| plain(word_of(*value)) == text);
    own.or_else(|| {
        let meaning = WORDS.meanings(section, &text).first()?;
        values.find(|value| plain(word_of(*value)) == *meaning)
    })
}

/// Every word of a section with what it means.
#[cfg(test)]
pub(super) fn all(section: &str) -> Vec<(&'static str, &'static str)> {
    let mut all = Vec::new();
    for (meaning, words) in WORDS.section(section) {
        all.extend(
            words
                .split(' ')
                .filter(|word| !word.is_empty())
                .map(|word| (*meaning, word)),
        );
    }
    all
}
