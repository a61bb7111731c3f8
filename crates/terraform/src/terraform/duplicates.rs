//! Keys that an object has twice. Terraform takes the last one; the parser refuses them.

use std::collections::HashSet;

/// The source with each repeated key of an object in a form of its own that has the same value, so that the parser
/// takes it; `None` if no key is repeated. Lines stay where they are. `a` becomes `(true ? "a" : 1)`.
pub fn with_distinct_keys(text: &str, begins: Begins) -> Option<String> {
    let mut reader = Reader::new(text, begins);
    while reader.at < text.len() {
        reader.step();
    }
    (reader.renamed > 0).then(|| {
        reader
            .out
            .push_str(text.get(reader.copied..).unwrap_or_default());
        reader.out
    })
}

/// A position in a source, and the text to insert there.
pub type Mark = (usize, &'static str);

/// The most keys of an object that is not split.
pub const MANY: usize = 256;

/// The texts that split large objects: each object becomes a call of `merge` with smaller ones.
pub fn splits(text: &str) -> Vec<Mark> {
    let mut reader = Reader::new(text, Begins::WithBlocks);
    reader.splits = Some(Vec::new());
    while reader.at < text.len() {
        reader.step();
    }
    reader.splits.unwrap_or_default()
}

/// What a source begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begins {
    /// Blocks and arguments: a file.
    WithBlocks,
    /// The text of a template.
    InText,
}

/// What the reader is inside of.
#[derive(Debug)]
enum Inside {
    /// The body of a block, and whether in an argument's value.
    Block {
        in_value: bool,
    },
    Object(Keys),
    /// Parentheses, brackets, or an object that a `for` makes.
    Brackets,
    /// `${...}` or `%{...}`.
    Interpolation,
    /// A quoted template.
    Quoted,
    /// A heredoc, up to a line with this word. The empty word ends nothing.
    Heredoc(String),
}

/// The keys of an object so far.
#[derive(Debug, Default)]
struct Keys {
    seen: HashSet<String>,
    place: KeyPlace,
    /// Where the object begins; `None` if it is a type and not a value.
    start: Option<usize>,
    /// The number of keys so far.
    count: usize,
}

impl Keys {
    /// Begins a key. The first one after [`MANY`] begins another object, with the text to insert before it.
    fn begin(&mut self, at: usize) -> Option<Mark> {
        self.place = KeyPlace::In(at);
        self.count += 1;
        let is_first = self.count > 1 && self.count % MANY == 1;
        (self.start.is_some() && is_first).then_some((at, "}, {"))
    }
}

#[derive(Clone, Copy, Debug, Default)]
enum KeyPlace {
    /// Before a key.
    #[default]
    Before,
    /// In the key that begins here.
    In(usize),
    /// In the value.
    After,
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    inside: Vec<Inside>,
    copied: usize,
    out: String,
    renamed: usize,
    /// The texts that split large objects; `None` while looking for repeated keys.
    splits: Option<Vec<Mark>>,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, begins: Begins) -> Self {
        let inside = match begins {
            Begins::WithBlocks => Inside::Block { in_value: false },
            Begins::InText => Inside::Heredoc(String::new()),
        };
        Self {
            text,
            at: 0,
            inside: vec![inside],
            copied: 0,
            out: String::new(),
            renamed: 0,
            splits: None,
        }
    }
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn byte(&self) -> u8 {
        self.text
            .as_bytes()
            .get(self.at)
            .copied()
            .unwrap_or_default()
    }

    fn step(&mut self) {
        match self.inside.last() {
            Some(Inside::Quoted) => self.quoted(),
            Some(Inside::Heredoc(word)) => {
                let word = word.clone();
                self.heredoc(&word);
            }
            _ => self.code(),
        }
    }

    fn quoted(&mut self) {
        match self.byte() {
            b'\\' => self.at += 2,
            b'"' => self.leave(),
            _ => self.text_byte(),
        }
    }

    fn heredoc(&mut self, word: &str) {
        let begins_line = self.at == 0 || self.text.as_bytes().get(self.at - 1) == Some(&b'\n');
        if begins_line && !word.is_empty() {
            let line = self.rest().split('\n').next().unwrap_or_default();
            if line.trim() == word {
                self.at += line.trim_end().len();
                self.inside.pop();
                return;
            }
        }
        self.text_byte();
    }

    /// A byte of a template's text.
    fn text_byte(&mut self) {
        let rest = self.rest().as_bytes();
        if rest.starts_with(b"$${") || rest.starts_with(b"%%{") {
            self.at += 3;
        } else if rest.starts_with(b"${") || rest.starts_with(b"%{") {
            self.at += 2;
            self.inside.push(Inside::Interpolation);
        } else {
            self.at += 1;
        }
    }

    fn code(&mut self) {
        let rest = self.rest().as_bytes();
        match self.byte() {
            b'#' => self.skip_line(),
            b'/' if rest.starts_with(b"//") => self.skip_line(),
            b'/' if rest.starts_with(b"/*") => {
                let length = self.rest().find("*/").map_or(rest.len(), |end| end + 2);
                self.at += length;
            }
            b'<' if rest.starts_with(b"<<") => self.begin_heredoc(),
            b'{' => self.begin_braces(),
            b'(' | b'[' => self.begin(Inside::Brackets),
            b'"' => self.begin(Inside::Quoted),
            b'}' | b')' | b']' => self.leave(),
            other => self.plain(other),
        }
    }

    fn skip_line(&mut self) {
        let rest = self.rest();
        self.at += rest.find('\n').unwrap_or(rest.len());
    }

    /// Anything else: what separates keys, values and arguments.
    fn plain(&mut self, byte: u8) {
        let (at, next) = (self.at, self.text.as_bytes().get(self.at + 1).copied());
        self.at += 1;
        match self.inside.last_mut() {
            Some(Inside::Block { in_value }) => match byte {
                b'\n' => *in_value = false,
                b'=' => *in_value = true,
                _ => {}
            },
            Some(Inside::Object(keys)) => match (keys.place, byte) {
                (KeyPlace::After, b'\n' | b',') => keys.place = KeyPlace::Before,
                (KeyPlace::In(_), b'=') if next == Some(b'=') => self.at += 1,
                (KeyPlace::In(start), b'=' | b':') => {
                    keys.place = KeyPlace::After;
                    self.end_key(start, at);
                }
                (KeyPlace::Before, byte) if !byte.is_ascii_whitespace() && byte != b',' => {
                    let mark = keys.begin(at);
                    self.split(mark);
                }
                _ => {}
            },
            _ => {}
        }
    }

    /// A key goes from `start` to before `end`.
    fn end_key(&mut self, start: usize, end: usize) {
        let key = self.text.get(start..end).unwrap_or_default().trim_end();
        let plain: String = key.split_whitespace().collect();
        let Some(Inside::Object(keys)) = self.inside.last_mut() else {
            return;
        };
        if self.splits.is_some() {
            return;
        }
        if keys.seen.insert(plain) || start < self.copied {
            return;
        }
        self.renamed += 1;
        let is_name = key
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte) || byte >= 0x80);
        let quote = if is_name { "\"" } else { "" };
        let before = self.text.get(self.copied..start).unwrap_or_default();
        self.out.push_str(before);
        let number = self.renamed;
        let other = format!("(true ? {quote}{key}{quote} : {number})");
        self.out.push_str(&other);
        self.copied = start + key.len();
    }

    fn begin(&mut self, inside: Inside) {
        self.begin_key();
        self.at += 1;
        self.inside.push(inside);
    }

    /// A key may begin with a bracket or a quote.
    fn begin_key(&mut self) {
        if let Some(Inside::Object(keys)) = self.inside.last_mut()
            && let KeyPlace::Before = keys.place
        {
            let mark = keys.begin(self.at);
            self.split(mark);
        }
    }

    fn split(&mut self, at: Option<Mark>) {
        if let Some(splits) = &mut self.splits {
            splits.extend(at);
        }
    }

    fn begin_braces(&mut self) {
        let is_block = matches!(self.inside.last(), Some(Inside::Block { in_value: false }));
        let inside = self.rest().get(1..).unwrap_or_default().trim_start();
        let for_what = inside.strip_prefix("for").map(str::trim_start);
        let is_for = for_what.is_some_and(|what| {
            let gap = inside.len() > 3 + what.len();
            gap && what.starts_with(|c: char| c.is_alphabetic() || c == '_')
        });
        let before = self.text.get(..self.at).unwrap_or_default();
        let is_type = before.trim_end().ends_with("object(");
        self.begin(match (is_block, is_for) {
            (true, _) => Inside::Block { in_value: false },
            (false, true) => Inside::Brackets,
            (false, false) => Inside::Object(Keys {
                start: (!is_type).then_some(self.at),
                ..Keys::default()
            }),
        });
    }

    fn begin_heredoc(&mut self) {
        let rest = self.rest();
        let line = rest.split('\n').next().unwrap_or_default();
        let word = line.trim_start_matches('<').trim_start_matches('-').trim();
        if word.is_empty()
            || !word
                .chars()
                .all(|c: char| c.is_alphanumeric() || c == '_' || c == '-')
        {
            self.at += 2;
            return;
        }
        let word = word.to_owned();
        // The newline belongs to the heredoc's head: it ends no value.
        self.at += (line.len() + 1).min(rest.len());
        self.inside.push(Inside::Heredoc(word));
    }

    /// Leaves what the present byte closes. What closes too much is the parser's to report.
    fn leave(&mut self) {
        self.at += 1;
        if self.inside.len() > 1
            && let Some(Inside::Object(keys)) = self.inside.pop()
            && keys.count > MANY
            && let Some(start) = keys.start
        {
            self.split(Some((start, "merge(")));
            self.split(Some((self.at, ")")));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn distinct(text: &str) -> Option<String> {
        with_distinct_keys(text, Begins::WithBlocks)
    }

    #[test]
    fn repeated_keys_of_objects_get_a_form_of_their_own() {
        for (text, expected) in [
            ("x = {a = 1, a = 2}", "x = {a = 1, (true ? \"a\" : 1) = 2}"),
            (
                "x = {\n  \"a\" : 1 # a\n  \"a\" : 2\n}",
                "x = {\n  \"a\" : 1 # a\n  (true ? \"a\" : 1) : 2\n}",
            ),
            (
                "x = f({(a.b) = {c = 1}, (a.b) = {c = 2, c = 3}})",
                "x = f({(a.b) = {c = 1}, (true ? (a.b) : 1) = {c = 2, (true ? \"c\" : 2) = 3}})",
            ),
            (
                "x = {t = <<-E\n  a = \"\n  E\n t = 2}",
                "x = {t = <<-E\n  a = \"\n  E\n (true ? \"t\" : 1) = 2}",
            ),
            (
                "b \"l\" {\n x = \"${{ a = 1, a = \"}\" }.a}\"\n}",
                "b \"l\" {\n x = \"${{ a = 1, (true ? \"a\" : 1) = \"}\" }.a}\"\n}",
            ),
        ] {
            let found = distinct(text);
            assert_eq!(found.as_deref(), Some(expected));
            let parsed = hcl::edit::parser::parse_body(expected);
            assert!(parsed.is_ok(), "{expected}: {parsed:?}");
        }
    }

    #[test]
    fn what_is_no_repeated_key_stays() {
        for text in [
            "b {\n  c {\n    a = 1\n  }\n  c {\n    a = 1\n  }\n}",
            "x = {a = 1, b = {a = 1}, c = \"a = 1, a = 2\"}",
            "x = {for a, b in c : a => b if a == b}",
            "x = { for k in y : k => { a = 1 } }\nz = [{a = 1}, {a = 2}]",
            "x = {a = b == c ? 1 : 2, b = 2}",
            "x = {a = 1 /* a = 2 */, b = 2 // a = 3\n}",
            "x = <<E\n{a = 1, a = 2}\nE\n",
            "x = \"$${{a = 1, a = 2}}\"",
        ] {
            assert_eq!(distinct(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_ends(text in "[a-c{}()\\[\\]=:,\"$<E#/*\n é\\\\]{0,80}") {
            let _ = distinct(&text);
            let _ = splits(&text);
            let _ = with_distinct_keys(&text, Begins::InText);
        }
    }
}
