//! What a source file says, as far as the rules of the tree need to know.

/// A file's code: without comments and what stands in `#[cfg(test)]` modules, line by line.
pub fn code(text: &str) -> Vec<(usize, String)> {
    let product = text
        .lines()
        .take_while(|line| line.trim() != "#[cfg(test)]");
    let numbered = product.enumerate();
    numbered
        .map(|(i, line)| (i + 1, without_comment(line).to_owned()))
        .collect()
}

/// A line up to its comment; `//` in a string is none.
fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    let mut earlier = ' ';
    for (i, c) in line.char_indices() {
        match c {
            '"' if earlier != '\\' => quoted = !quoted,
            '/' if !quoted && line[i..].starts_with("//") => return &line[..i],
            _ => {}
        }
        earlier = c;
    }
    line
}

/// Every path that a file writes, by its line, `use` trees spread out: `crate::a::{b, c::d}` is two. Paths
/// that begin with `super` or `self` are told from `crate` on.
pub fn paths(path: &str, text: &str) -> Vec<(usize, Vec<String>)> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at = match token.is_name() {
            true if is_visibility(&tokens[at..]) => tokens[at..]
                .iter()
                .position(|token| token.text == ")")
                .map_or(tokens.len(), |end| at + end),
            true => tree(&tokens, at, &[], &mut found),
            false => at + 1,
        };
    }
    for (_, segments) in &mut found {
        absolute(path, segments);
    }
    found
}

/// Whether these tokens begin with `pub(in`: its path says who may use an item, and uses nothing itself.
fn is_visibility(tokens: &[Token]) -> bool {
    let texts = tokens.iter().map(|token| token.text.as_str());
    texts.take(3).eq(["pub", "(", "in"])
}

/// A name or a sign, with its line.
struct Token {
    line: usize,
    text: String,
}

impl Token {
    fn is_name(&self) -> bool {
        self.text
            .starts_with(|c: char| c.is_alphabetic() || c == '_')
    }
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    for (line, code) in code(text) {
        let mut earlier = ' ';
        for c in code.chars() {
            let part_of_name = |c: char| c.is_alphanumeric() || c == '_';
            let goes_on = part_of_name(c) && part_of_name(earlier) || c == ':' && earlier == ':';
            match tokens.last_mut().filter(|_| goes_on) {
                Some(token) => token.text.push(c),
                None if c.is_whitespace() => {}
                None => tokens.push(Token {
                    line,
                    text: c.to_string(),
                }),
            }
            earlier = c;
        }
    }
    tokens
}

/// Reads the path or `use` tree whose name is at `at`, behind `prefix`. Answers where it ends.
fn tree(
    tokens: &[Token],
    mut at: usize,
    prefix: &[String],
    found: &mut Vec<(usize, Vec<String>)>,
) -> usize {
    let mut segments = prefix.to_vec();
    segments.push(tokens[at].text.clone());
    let mut line = tokens[at].line;
    at += 1;
    while let [colons, next, ..] = &tokens[at..] {
        if colons.text != "::" {
            break;
        }
        if next.is_name() {
            segments.push(next.text.clone());
            line = next.line;
            at += 2;
        } else if next.text == "{" {
            at += 2;
            while let Some(token) = tokens.get(at).filter(|token| token.text != "}") {
                at = if token.is_name() {
                    tree(tokens, at, &segments, found)
                } else {
                    at + 1
                };
            }
            return at + 1;
        } else {
            break;
        }
    }
    if segments.len() > 1 {
        found.push((line, segments));
    }
    at
}

/// Tells a path from `crate` on.
fn absolute(path: &str, segments: &mut Vec<String>) {
    if !matches!(segments[0].as_str(), "super" | "self") {
        return;
    }
    let mut module: Vec<_> = path
        .trim_end_matches(".rs")
        .split('/')
        .map(str::to_owned)
        .collect();
    if matches!(
        module.last().map(String::as_str),
        Some("mod" | "lib" | "main")
    ) {
        module.pop();
    }
    let ups = segments
        .iter()
        .take_while(|segment| *segment == "super")
        .count();
    module.truncate(module.len().saturating_sub(ups));
    let rest = segments.split_off(ups.max(1));
    *segments = ["crate".to_owned()]
        .into_iter()
        .chain(module)
        .chain(rest)
        .collect();
}

#[test]
fn paths_are_read_as_they_are_meant() {
    let found = |path: &str, text: &str| -> Vec<(usize, String)> {
        let paths = paths(path, text).into_iter();
        paths
            .map(|(line, segments)| (line, segments.join("::")))
            .collect()
    };
    let text = "use crate::a::{\n    b,\n    c::{d, e},\n};\nlet x: Vec<f::G> = h::<i::J>();\n";
    let expected = [
        (2, "crate::a::b".to_owned()),
        (3, "crate::a::c::d".to_owned()),
        (3, "crate::a::c::e".to_owned()),
        (5, "f::G".to_owned()),
        (5, "i::J".to_owned()),
    ];
    assert_eq!(found("x.rs", text), expected);
    let relative = "use super::super::{a, b};\nself::c::d();";
    let expected = [
        (1, "crate::x::a"),
        (1, "crate::x::b"),
        (2, "crate::x::y::z::c::d"),
    ];
    assert_eq!(
        found("x/y/z.rs", relative),
        expected.map(|(line, path)| (line, path.to_owned()))
    );
    assert_eq!(
        found("x/mod.rs", "use super::a; // b::c"),
        [(1, "crate::a".to_owned())]
    );
    assert_eq!(
        found("x.rs", "pub(in crate::a) struct B(c::D);"),
        [(1, "c::D".to_owned())]
    );
}
