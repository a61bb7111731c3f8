//! The headers and words of lists, from the data file beside this one.

use std::sync::LazyLock;

use trestle_rows::cells::plain;
use trestle_rows::columns::Field;

/// Everything that is understood beside the words of our own.
static WORDS: LazyLock<Words> = LazyLock::new(|| Words::of(include_str!("words.txt")));

/// A line of the data file: what is meant, and the words for it, separated by spaces.
type Line = (&'static str, &'static str);

/// The lines by their sections.
struct Words(Vec<(&'static str, Vec<Line>)>);

impl Words {
    fn of(file: &'static str) -> Self {
        let mut sections: Vec<(&str, Vec<Line>)> = Vec::new();
        for line in file.lines().map(str::trim) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let title = line
                .strip_prefix('[')
                .and_then(|line| line.strip_suffix(']'));
            match (title, sections.last_mut()) {
                (Some(title), _) => sections.push((title, Vec::new())),
                (None, Some((_, lines))) => lines.push(line.split_once(' ').unwrap_or((line, ""))),
                (None, None) => {}
            }
        }
        Self(sections)
    }

    fn section(&self, title: &str) -> &[Line] {
        let mut sections = self.0.iter();
        let found = sections.find(|(known, _)| *known == title);
        found.map_or(&[], |(_, lines)| lines)
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

/// What a word of a section means; `None` if it is not in it.
fn meaning(section: &str, word: &str) -> Option<&'static str> {
    let mut lines = WORDS.section(section).iter();
    let found = lines.find(|(_, words)| words.split_whitespace().any(|known| known == word));
    found.map(|(meaning, _)| *meaning)
}

/// Whether a word of a section has this meaning, perhaps among others.
pub(super) fn means(section: &str, word: &str, meant: &str) -> bool {
    let mut lines = WORDS.section(section).iter();
    lines.any(|(meaning, words)| {
        *meaning == meant && words.split_whitespace().any(|known| known == word)
    })
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
        let meaning = meaning(section, &text)?;
        values.find(|value| plain(word_of(*value)) == meaning)
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
