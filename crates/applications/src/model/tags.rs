//! Tags: words of the person's own.

use std::collections::HashSet;

use serde_json::Value;

use super::values::text;
use super::{Rule, Stored};

/// The most tags of an application.
const MAX_TAGS: usize = 20;
/// The most characters of a tag.
const MAX_TAG: usize = 50;

/// The tags of an application, in the person's order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tags(Vec<String>);

impl Tags {
    /// Tags from outside. Of those that differ only in capital letters, the first is kept.
    ///
    /// # Errors
    /// [`Rule::Required`] for an empty list; [`Rule::TooMany`]; [`Rule::TooLong`]; [`Rule::Invalid`].
    pub(super) fn parse(tags: Vec<String>) -> Result<Self, Rule> {
        // In a cell of a table, they stand side by side.
        const FORM: Rule = Rule::Invalid(
            "a list of texts, none of them empty or with commas, semicolons or line breaks",
        );
        if tags.is_empty() {
            return Err(Rule::Required);
        }
        let mut seen = HashSet::new();
        let mut parsed = Vec::new();
        for tag in tags {
            let tag = match text(&tag, MAX_TAG) {
                Err(Rule::Required) => return Err(FORM),
                tag => tag?,
            };
            if tag.contains([',', ';', '\n', '\r', '\t']) {
                return Err(FORM);
            }
            if seen.insert(tag.to_lowercase()) {
                parsed.push(tag);
            }
        }
        if parsed.len() > MAX_TAGS {
            Err(Rule::TooMany(MAX_TAGS))
        } else {
            Ok(Self(parsed))
        }
    }

    /// Each tag.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// Another program may have stored a set, which is read as a list.
impl Stored for Tags {
    fn read(stored: &Value) -> Option<Self> {
        let tags = stored.as_array()?.iter();
        let tags = tags.map(|tag| tag.as_str().map(str::to_owned));
        tags.collect::<Option<_>>().map(Self)
    }

    fn store(&self) -> Value {
        self.iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(tags: &[&str]) -> Result<Vec<String>, Rule> {
        let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        Tags::parse(tags).map(|tags| tags.0)
    }

    #[test]
    fn tags_are_trimmed_and_each_is_there_once() {
        assert_eq!(
            parse(&[" Rust ", "rust", "on call"]).unwrap(),
            ["Rust", "on call"]
        );
        assert_eq!(parse(&[]), Err(Rule::Required));
        for bad in ["", "\u{200b}", "a,b", "a;b", "a\nb", "a\u{0}b"] {
            assert!(matches!(parse(&["a", bad]), Err(Rule::Invalid(_))), "{bad}");
        }
        assert_eq!(parse(&[&"é".repeat(51)]), Err(Rule::TooLong(50)));
        let many: Vec<_> = (0..21).map(|at| at.to_string()).collect();
        let many: Vec<_> = many.iter().map(String::as_str).collect();
        assert_eq!(parse(&many), Err(Rule::TooMany(20)));
        assert_eq!(parse(&many[..20]).unwrap().len(), 20);
    }
}
