//! The words of a text in the form in which names of occupations are compared.

use super::skill::written;

/// As `to` between what someone changes from and to.
const ARROWS: [&str; 4] = ["->", "=>", "→", ">"];

/// How a word is connected to the word before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Joint {
    /// As words of one name are.
    Blank,
    /// With `and`, `or` or a slash. Names can go on after it.
    And,
    /// With marks.
    Mark,
}

/// A word of a text.
pub struct Token<'t> {
    /// In the form in which it is compared as a part of a longer name.
    pub word: String,
    /// In the singular, in lower case.
    pub singular: String,
    /// As it is written.
    pub written: &'t str,
    /// How it follows the word before it.
    pub joint: Joint,
}

impl Token<'_> {
    /// As an arrow between two occupations is read.
    fn to() -> Self {
        Self {
            word: "to".to_owned(),
            singular: "to".to_owned(),
            written: "to",
            joint: Joint::Blank,
        }
    }
}

/// The words of a text. `form` has the form in which a word in the singular is compared as a part of a longer name.
pub fn tokens<'t>(text: &'t str, form: impl Fn(&str) -> String) -> Vec<Token<'t>> {
    let mut found = Vec::new();
    let (mut end, mut is_after_and) = (0, false);
    for (start, word) in written(text) {
        let gap = text.get(end..start).unwrap_or_default();
        end = start + word.len();
        let lower = word.trim_start_matches('#').to_lowercase();
        // "nurse's"
        if lower == "s" && matches!(gap, "'" | "’") {
            continue;
        }
        if matches!(lower.as_str(), "and" | "or") && !gap.contains(',') {
            is_after_and = true;
            continue;
        }
        let joint = match gap.trim() {
            "" if is_after_and => Joint::And,
            "" | "'" | "’" => Joint::Blank,
            "-" if gap == "-" => Joint::Blank,
            arrow if ARROWS.contains(&arrow) => Joint::Blank,
            "/" | "&" | "+" => Joint::And,
            _ => Joint::Mark,
        };
        is_after_and = false;
        if ARROWS.iter().any(|arrow| gap.contains(arrow)) {
            found.push(Token::to());
        }
        let singular = singular(&lower);
        found.push(Token {
            word: form(&singular),
            singular,
            written: text.get(start..end).unwrap_or_default(),
            joint,
        });
    }
    found
}

/// A word in lower case in the singular.
fn singular(word: &str) -> String {
    let letters = word.replace('.', "");
    // "R.N.", but "node.js"
    let word = if word.split('.').all(|part| part.chars().count() < 2) {
        letters.as_str()
    } else {
        word
    };
    // The German form for women: "Buchhalterin".
    let word = match word.strip_suffix("in") {
        Some(form) if form.ends_with("er") && form.len() > 5 => form,
        _ => word,
    };
    let is_plural = word.len() > 3
        && word.ends_with('s')
        && !["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    let singular = if is_plural {
        word.trim_end_matches('s')
    } else {
        word
    };
    singular.to_owned()
}
