//! Expressions as the report quotes them.

use hcl::expr::Expression;

use super::printable::printable;

/// The longest text that an unknown value is quoted with, in characters.
const QUOTED: usize = 120;
/// The most digits of a number that is shown as an index.
const INDEX_DIGITS: usize = 3;

/// An expression on one line, shortened.
pub fn quote(expression: &Expression) -> String {
    let whole = printable(expression).to_string();
    let mut short = String::new();
    // One line, whatever white space the source has.
    for word in whole.split_whitespace() {
        if !short.is_empty() {
            short.push(' ');
        }
        short.push_str(word);
        if let Some((end, _)) = short.char_indices().nth(QUOTED) {
            short.truncate(end);
            short.push('…');
            break;
        }
    }
    short
}

/// A quoted expression without its literals, any of which may be a secret: texts, keys of maps and of objects, and numbers
/// that are no index. References, the names of functions and of attributes stay.
pub fn without_literals(text: &str) -> String {
    let mut shown = Shown::default();
    let mut rest = text;
    while !rest.is_empty() {
        let length = match shown.open.last() {
            Some('"') => shown.literal(rest),
            // On one line, the end of a heredoc cannot be found: the rest may be its text.
            _ if rest.starts_with("<<") => {
                shown.text.push_str("<<…");
                break;
            }
            _ => shown.code(rest),
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    shown.text
}

/// What is shown of an expression.
#[derive(Default)]
struct Shown {
    text: String,
    /// Ends of what is open: of a literal, or of an interpolation in one.
    open: Vec<char>,
}

impl Shown {
    fn hide(&mut self) {
        if !self.text.ends_with('…') {
            self.text.push('…');
        }
    }

    /// Reads on in a literal, and returns how many bytes that are.
    fn literal(&mut self, rest: &str) -> usize {
        let mut chars = rest.chars();
        let (first, second) = (chars.next().unwrap_or_default(), chars.next());
        match (first, second) {
            ('"', _) => {
                self.text.push('"');
                self.open.pop();
                1
            }
            ('$' | '%', Some('{')) => {
                self.text.push_str(rest.get(..2).unwrap_or_default());
                self.open.push('}');
                2
            }
            _ => {
                self.hide();
                // An escaped `${` begins no interpolation.
                if rest.starts_with("$${") || rest.starts_with("%%{") {
                    3
                } else if first == '\\' {
                    1 + second.map_or(0, char::len_utf8)
                } else {
                    first.len_utf8()
                }
            }
        }
    }

    /// Reads on outside of literals, and returns how many bytes that are.
    fn code(&mut self, rest: &str) -> usize {
        let first = rest.chars().next().unwrap_or_default();
        if is_word(first) && first != '-' {
            let is_number = first.is_ascii_digit() && !self.text.ends_with('.');
            let length = rest
                .find(|c| !(is_word(c) || is_number && c == '.'))
                .unwrap_or(rest.len());
            let (word, after) = rest.split_at(length);
            if first.is_ascii_digit() {
                self.number(word, after);
            } else if is_assigned(after) || after.trim_start() == "…" {
                self.hide();
            } else {
                self.text.push_str(word);
            }
            return length;
        }
        match first {
            '…' => self.hide(),
            first => self.text.push(first),
        }
        match first {
            '"' | '{' => self.open.push(if first == '{' { '}' } else { '"' }),
            '}' => drop(self.open.pop()),
            _ => {}
        }
        first.len_utf8()
    }

    /// Only what counts instances or elements is shown of numbers.
    fn number(&mut self, word: &str, after: &str) {
        let is_index = self.text.ends_with('.')
            || self.text.ends_with('[') && after.trim_start().starts_with(']');
        if is_index && word.len() <= INDEX_DIGITS && word.bytes().all(|b| b.is_ascii_digit()) {
            self.text.push_str(word)
        } else {
            self.hide()
        }
    }
}

/// Whether a character is part of a name or a number.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

/// Whether a name before this text is the key of an object: `name = value`.
fn is_assigned(after: &str) -> bool {
    let after = after.trim_start().strip_prefix('=');
    after.is_some_and(|after| !after.starts_with(['=', '>']))
}

/// The message of a parser of JSON without the values that it quotes. Where they are stays.
pub fn without_values(message: &str) -> String {
    let mut shown = Shown::default();
    let mut rest = message;
    while let Some(first) = rest.chars().next() {
        let length = match shown.open.last() {
            Some('"') => shown.literal(rest),
            _ => {
                let after = rest.get(first.len_utf8()..).unwrap_or_default();
                let number = after.split_once('`').map(|(inside, _)| inside);
                let number = number.filter(|inside| first == '`' && inside.parse::<f64>().is_ok());
                shown.text.push(first);
                match number {
                    Some(number) => {
                        shown.hide();
                        shown.text.push('`');
                        number.len() + 2
                    }
                    None => {
                        shown.open.extend((first == '"').then_some('"'));
                        first.len_utf8()
                    }
                }
            }
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    shown.text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_not_quoted() {
        for (text, quoted) in [
            (r#"upper("hunter2")"#, r#"upper("…")"#),
            (
                r#""a-${var.b["k"]}-${f("c")}-d""#,
                r#""…${var.b["…"]}…${f("…")}…""#,
            ),
            (r#"{ a-b = x, "c" = 5 }["d"]"#, r#"{ … = x, "…" = … }["…"]"#),
            (
                r#"{for k, v in a : k => v == b}"#,
                r#"{for k, v in a : k => v == b}"#,
            ),
            (r#"a ? 12 : -1.5"#, "a ? … : -…"),
            ("a.0.b[12][12345]", "a.0.b[12][…]"),
            (r#""a\"b" == var.c"#, r#""…" == var.c"#),
            (r#"["a", { b = "c" }]"#, r#"["…", { … = "…" }]"#),
            // Cut off before it shows whether it is a key.
            ("f({ hunter2…", "f({ …"),
            ("f({ hunter2 …", "f({ … …"),
            (r#""$${a}" "b"#, r#""…" "…"#),
            ("<<EOT hunter2 EOT", "<<…"),
            ("var.a[0].b", "var.a[0].b"),
        ] {
            assert_eq!(without_literals(text), quoted);
        }
    }

    #[test]
    fn values_in_messages_of_parsers_are_not_quoted() {
        for (text, quoted) in [
            (
                r#"invalid type: string "a\"b", expected a map at line 1 column 29"#,
                r#"invalid type: string "…", expected a map at line 1 column 29"#,
            ),
            (
                "invalid type: integer `1234`, expected a map",
                "invalid type: integer `…`, expected a map",
            ),
            (
                "missing field `mode` at line 3",
                "missing field `mode` at line 3",
            ),
        ] {
            assert_eq!(without_values(text), quoted);
        }
    }

    #[test]
    fn what_is_sensitive_is_not_quoted() {
        for (text, quoted) in [
            (r#"upper(sensitive("a)\"b"))"#, "upper(sensitive(…))"),
            (r#""x${sensitive(f("a"))}-y""#, r#""x${sensitive(…)}-y""#),
            (r#"[sensitive("${f(")b")}"), c]"#, "[ sensitive(…), c ]"),
            ("var.a", "var.a"),
        ] {
            assert_eq!(quote(&text.parse().unwrap()), quoted);
        }
    }

    #[test]
    fn texts_of_templates_with_quotes_are_not_quoted() {
        for (text, quoted) in [
            (
                r#""{\"Sid\":\"hunter2\",\"P\":${var.x}}""#,
                r#""…${var.x}…""#,
            ),
            (
                r#"f(["\\\"hunter2\"${a["\"hunter2${b}"]}"])"#,
                r#"f(["…${a["…${b}"]}"])"#,
            ),
            (
                r#""%{ if a == "\"hunter2${b}" }\"hunter2%{ else }\"b%{ endif }""#,
                r#""%{ if a == "…${b}" }…%{ else }…%{ endif }""#,
            ),
        ] {
            let shown = without_literals(&quote(&text.parse().unwrap()));
            assert_eq!(shown, quoted);
        }
    }
}
