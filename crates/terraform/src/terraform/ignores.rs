//! Comments that ignore a rule: `#trestle:ignore public-bucket It is a website.`

use std::ops::Range;
use std::sync::Arc;

use super::chains::{heredoc, length_to, quoted};

/// What such a comment begins with.
const MARK: &str = "trestle:";
/// The only word after that.
const WORD: &str = "ignore";

/// A comment that ignores a rule, as it is written. It may be wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ignore {
    pub file: Arc<str>,
    pub line: usize,
    /// The word after `trestle:`.
    pub word: String,
    /// The id of the rule; empty if it names none.
    pub rule: String,
    /// The reason; empty if it has none.
    pub reason: String,
}

impl Ignore {
    /// Whether it is one, with the word that it has to have.
    pub fn has_word(&self) -> bool {
        self.word == WORD
    }
}

/// A comment. One with several lines is one.
#[derive(Debug)]
struct Comment {
    range: Range<usize>,
    lines: Range<usize>,
    /// Whether nothing stands before it in its line.
    is_alone: bool,
    ignores: Vec<Ignore>,
}

/// The comments of a file, which are taken by the blocks that they are about.
#[derive(Debug)]
pub struct Comments(Vec<Comment>);

impl Comments {
    /// The comments of a file. What looks like one in a text or a heredoc is none.
    pub fn of(file: &Arc<str>, text: &str) -> Self {
        let bytes = text.as_bytes();
        let (mut found, mut at, mut line) = (Vec::new(), 0, 1);
        let mut is_alone = true;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let (first, second) = (rest.first().copied(), rest.get(1).copied());
            let (length, is_comment) = match (first.unwrap_or_default(), second) {
                (b'#', _) | (b'/', Some(b'/')) => (length_to(rest, b"\n"), true),
                (b'/', Some(b'*')) => {
                    let inside = rest.get(2..).unwrap_or_default();
                    ((length_to(inside, b"*/") + 4).min(rest.len()), true)
                }
                (b'"', _) => (quoted(rest), false),
                (b'<', Some(b'<')) => (heredoc(rest), false),
                _ => (1, false),
            };
            let range = at..(at + length.max(1)).min(text.len());
            let passed = bytes.get(range.clone()).unwrap_or_default();
            let breaks = passed.iter().filter(|byte| **byte == b'\n').count();
            if is_comment {
                let inside = text.get(range.clone()).unwrap_or_default();
                found.push(Comment {
                    lines: line..line + breaks + 1,
                    is_alone,
                    ignores: ignores(file, line, inside),
                    range: range.clone(),
                });
            }
            is_alone = match first {
                Some(b'\n') => true,
                Some(byte) if byte.is_ascii_whitespace() => is_alone,
                _ => is_alone && is_comment,
            };
            line += breaks;
            at = range.end;
        }
        Self(found)
    }

    /// Takes what the comments in a block, right above it and at its end ignore.
    pub fn take(&mut self, block: Range<usize>, lines: (usize, usize)) -> Vec<Ignore> {
        let (first, last) = lines;
        let start = self.0.partition_point(|one| one.range.start < block.start);
        let mut taken = Vec::new();
        let mut next = first;
        // Those right above it, up to the first gap.
        for comment in self.0.iter_mut().take(start).rev() {
            if !comment.is_alone || comment.lines.end != next {
                break;
            }
            next = comment.lines.start;
            taken.append(&mut comment.ignores);
        }
        for comment in self.0.iter_mut().skip(start) {
            let is_inside = comment.range.start < block.end;
            // One that follows the block in its last line is about it, too.
            if !is_inside && (comment.is_alone || comment.lines.start != last) {
                break;
            }
            taken.append(&mut comment.ignores);
        }
        taken
    }

    /// Those that no block has taken.
    pub fn left(self) -> impl Iterator<Item = Ignore> {
        self.0.into_iter().flat_map(|comment| comment.ignores)
    }
}

/// What a comment ignores, line by line.
fn ignores(file: &Arc<str>, first: usize, comment: &str) -> Vec<Ignore> {
    let comment = comment.strip_suffix("*/").unwrap_or(comment);
    let lines = comment.lines().enumerate().filter_map(|(at, text)| {
        let text = text.trim_start();
        let text = text.trim_start_matches(['#', '/', '*']).trim_start();
        let text = text.strip_prefix(MARK)?.trim_end();
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim_start();
        let (rule, reason) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        Some(Ignore {
            file: Arc::clone(file),
            line: first + at,
            word: word.to_owned(),
            rule: rule.to_owned(),
            reason: reason.trim().to_owned(),
        })
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_is_about_the_block_in_or_above_which_it_is() {
        let text = "#trestle:ignore a1 Far.\n\n# Why.\n// trestle:ignore a2 Above.\nb {\n  c = \"#trestle:ignore a3 Text.\"\n  d = <<E\n#trestle:ignore a4 Heredoc.\nE\n  /* trestle:ignore a5 Inside.\n   * trestle:ignore a6 Second. */\n} # trestle:ignore a7 End.\n#trestle:ignore a8\n";
        let mut comments = Comments::of(&Arc::from("main.tf"), text);
        let (start, end) = (text.find("b {").unwrap(), text.find("\n}").unwrap() + 2);
        let taken = comments.take(start..end, (5, 12));
        let found: Vec<_> = taken.iter().map(|one| (&*one.rule, one.line)).collect();
        assert_eq!(found, [("a2", 4), ("a5", 10), ("a6", 11), ("a7", 12)]);
        assert_eq!(taken[1].reason, "Inside.");
        let left: Vec<_> = comments.left().map(|one| (one.rule, one.reason)).collect();
        let far = ("a1".to_owned(), "Far.".to_owned());
        assert_eq!(left, [far, ("a8".to_owned(), String::new())]);
    }
}
