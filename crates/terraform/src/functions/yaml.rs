//! Documents in YAML, as `yamldecode` of Terraform reads them. What is not certain is not known: words that only some versions
//! of YAML take as flags, numbers in other forms than decimal ones, and tags.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScalarStyle};

use crate::value::Value;

/// How deep a document nests.
const MAX_DEPTH: usize = 64;
/// The most bytes that all values of a document have, with those that aliases repeat.
const MAX_SIZE: usize = 4 * 1024 * 1024;
/// What merges another map into one.
const MERGE: &str = "<<";
/// Words that are flags in some versions of YAML.
const FLAGS: [&str; 6] = ["n", "no", "off", "on", "y", "yes"];
const NULLS: [&str; 5] = ["", "NULL", "Null", "null", "~"];

/// The value of a document; `None` if it is not known.
pub fn decoded(text: &str) -> Option<Value> {
    let mut reader = Reader {
        parser: Parser::new_from_str(text),
        anchors: BTreeMap::new(),
        left: MAX_SIZE,
    };
    let mut value = None;
    loop {
        match reader.next()? {
            Event::StreamEnd => return value,
            Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing => {}
            // Terraform reads a single document.
            _ if value.is_some() => return None,
            event => value = Some(reader.value(event, MAX_DEPTH)?),
        }
    }
}

struct Reader<'t> {
    parser: Parser<'t, saphyr_parser::StrInput<'t>>,
    /// Values that aliases repeat.
    anchors: BTreeMap<usize, Value>,
    left: usize,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Option<Event<'t>> {
        Some(self.parser.next()?.ok()?.0)
    }

    fn value(&mut self, event: Event<'t>, depth: usize) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        let (value, anchor) = match event {
            Event::Alias(anchor) => (self.anchors.get(&anchor)?.clone(), 0),
            Event::Scalar(text, style, anchor, None) => {
                let value = match style {
                    ScalarStyle::Plain => plain(&text)?,
                    _ => Value::Text(text.into_owned()),
                };
                (value, anchor)
            }
            Event::SequenceStart(anchor, None) => {
                let mut list = Vec::new();
                loop {
                    match self.next()? {
                        Event::SequenceEnd => break,
                        event => list.push(self.value(event, depth)?),
                    }
                }
                return self.kept(Value::List(list), anchor);
            }
            Event::MappingStart(anchor, None) => {
                let map = self.map(depth)?;
                return self.kept(Value::Map(map), anchor);
            }
            _ => return None,
        };
        // What lists and maps have has been counted with their elements.
        self.left = self.left.checked_sub(value.size())?;
        self.kept(value, anchor)
    }

    fn map(&mut self, depth: usize) -> Option<BTreeMap<String, Value>> {
        let (mut map, mut merged) = (BTreeMap::new(), Vec::new());
        loop {
            let (key, is_plain) = match self.next()? {
                Event::MappingEnd => break,
                Event::Scalar(text, style, _, None) => {
                    (text.into_owned(), style == ScalarStyle::Plain)
                }
                _ => return None,
            };
            let event = self.next()?;
            let value = self.value(event, depth)?;
            if is_plain && key == MERGE {
                merged.push(value);
            } else if map.insert(key, value).is_some() {
                return None;
            }
        }
        // What the map has itself counts, then what is merged first.
        for of in merged {
            let all = match of {
                Value::List(list) => list,
                one => vec![one],
            };
            for one in all {
                let Value::Map(one) = one else { return None };
                for (key, value) in one {
                    map.entry(key).or_insert(value);
                }
            }
        }
        Some(map)
    }

    fn kept(&mut self, value: Value, anchor: usize) -> Option<Value> {
        if anchor > 0 {
            self.left = self.left.checked_sub(value.size())?;
            self.anchors.insert(anchor, value.clone());
        }
        Some(value)
    }
}

/// A text without quotes; `None` if versions of YAML differ in what it is.
fn plain(text: &str) -> Option<Value> {
    if NULLS.contains(&text) {
        return Some(Value::Null);
    }
    match text {
        "true" | "True" | "TRUE" => return Some(Value::Bool(true)),
        "false" | "False" | "FALSE" => return Some(Value::Bool(false)),
        _ => {}
    }
    let lower = text.to_lowercase();
    if FLAGS.contains(&lower.as_str()) {
        return None;
    }
    let digits = lower.trim_start_matches(['-', '+']);
    let is_decimal = digits
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.')
        && digits.bytes().filter(|byte| *byte == b'.').count() <= 1
        && digits.starts_with(|c: char| c.is_ascii_digit());
    let has_zero = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
    if is_decimal && !has_zero {
        return text.parse().ok().map(Value::Number);
    }
    // Octal, hexadecimal, with exponents or underscores.
    let is_odd =
        |c: char| !(c.is_ascii_hexdigit() || matches!(c, '_' | 'x' | 'o' | '.' | '+' | '-'));
    let may_be_number = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && !digits.contains(is_odd)
        && !is_address_or_date(digits);
    if may_be_number || matches!(digits, ".inf" | ".nan") {
        None
    } else {
        Some(Value::Text(text.to_owned()))
    }
}

/// Whether a text has more points or dashes than a number, such as `10.0.0.1` and `2030-01-31`.
fn is_address_or_date(text: &str) -> bool {
    text.matches('.').count() > 1 || text.matches('-').count() > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Option<serde_json::Value> {
        decoded(text).map(|value| super::super::json(&value))
    }

    #[test]
    fn documents_have_the_values_that_terraform_reads() {
        let text = "a: &a\n  cidr: 0.0.0.0/0\n  ports: [22, 443]\nb:\n  <<: *a\n  cidr: \"10.0.0.0/8\"\nc: ~\nd: true\ne: '1'\nf: 10.0.0.1\ng: |\n  x\n";
        let expected = serde_json::json!({
            "a": { "cidr": "0.0.0.0/0", "ports": [22, 443] },
            "b": { "cidr": "10.0.0.0/8", "ports": [22, 443] },
            "c": null,
            "d": true,
            "e": "1",
            "f": "10.0.0.1",
            "g": "x\n",
        });
        assert_eq!(json(text), Some(expected));
    }

    #[test]
    fn what_is_not_certain_is_not_known() {
        for text in [
            "a: yes",
            "a: 0x1f",
            "a: 010",
            "a: 1_000",
            "a: !x b",
            "a: [",
            "--- 1\n--- 2\n",
            "a: 1\na: 2",
            "? [a]\n: b",
            "a: *b",
        ] {
            assert_eq!(json(text), None, "{text}");
        }
    }

    #[test]
    fn aliases_and_depth_are_bounded() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for at in 1..12 {
            let one = format!("*a{}", at - 1);
            let all = vec![one; 10].join(", ");
            text.push_str(&format!("a{at}: &a{at} [{all}]\n"));
        }
        assert_eq!(json(&text), None);
        assert_eq!(
            json(&format!("{}{}", "[".repeat(100), "]".repeat(100))),
            None
        );
        assert!(json(&format!("{}{}", "[".repeat(60), "]".repeat(60))).is_some());
    }
}
