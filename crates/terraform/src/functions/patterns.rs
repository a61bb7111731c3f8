//! Functions of regular expressions. Terraform's syntax is that of RE2.

use std::collections::BTreeMap;

use regex_lite::{Captures, Regex, RegexBuilder};

use crate::value::Value;

/// The most bytes that a compiled expression takes.
const MAX_SIZE: usize = 64 * 1024;
/// The most matches that are listed.
const MAX_MATCHES: usize = 10_000;

/// The value of a call; `None` if it is not known.
pub fn call(name: &str, arguments: &[Value]) -> Option<Value> {
    match name {
        "regex" => {
            let (pattern, text) = pattern(arguments)?;
            let found = pattern.captures(text)?;
            Some(found_of(&pattern, &found))
        }
        "regexall" => {
            let (pattern, text) = pattern(arguments)?;
            let all = pattern.captures_iter(text).take(MAX_MATCHES);
            Some(Value::List(
                all.map(|found| found_of(&pattern, &found)).collect(),
            ))
        }
        "replace" => {
            let [Value::Text(text), Value::Text(pattern), Value::Text(with)] = arguments else {
                return None;
            };
            if !is_pattern(pattern) {
                return None;
            }
            let pattern = compiled(pattern.strip_prefix('/')?.strip_suffix('/')?)?;
            // Both write groups as `$1` and `${name}`; after `$1`, only here a letter is part of the name.
            let is_plain = !with.contains('$') || with.contains("${");
            is_plain.then(|| Value::Text(pattern.replace_all(text, with.as_str()).into_owned()))
        }
        _ => None,
    }
}

/// Whether a call of `regex` certainly fails, because nothing matches.
pub fn fails(arguments: &[Value]) -> bool {
    pattern(arguments).is_some_and(|(pattern, text)| !pattern.is_match(text))
}

/// Whether what `replace` looks for is a regular expression: a text in slashes, of which a single one is none.
pub fn is_pattern(text: &str) -> bool {
    text.len() > 1 && text.starts_with('/') && text.ends_with('/')
}

fn compiled(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(pattern).size_limit(MAX_SIZE).build().ok()
}

fn pattern(arguments: &[Value]) -> Option<(Regex, &str)> {
    let [Value::Text(pattern), Value::Text(text)] = arguments else {
        return None;
    };
    Some((compiled(pattern)?, text))
}

/// What Terraform makes of a match: the text, or its groups as a list or by their names.
fn found_of(pattern: &Regex, found: &Captures<'_>) -> Value {
    let names: Vec<_> = pattern.capture_names().skip(1).collect();
    if names.is_empty() {
        return group_at(found, 0);
    }
    let named = names.iter().enumerate();
    let named = named.filter_map(|(at, name)| Some(((*name)?.to_owned(), group_at(found, at + 1))));
    let named: BTreeMap<_, _> = named.collect();
    if named.is_empty() {
        let groups = (1..=names.len()).map(|at| group_at(found, at));
        Value::List(groups.collect())
    } else {
        Value::Map(named)
    }
}

/// A group of a match, 0 for the whole; `null` for one that is not in it.
fn group_at(found: &Captures<'_>, place: usize) -> Value {
    match found.get(place) {
        Some(part) => Value::Text(part.as_str().to_owned()),
        None => Value::Null,
    }
}
