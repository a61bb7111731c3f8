//! Looking at the values of a resource.

use std::net::Ipv4Addr;

pub use super::answer::{Answer, not, same};
use super::cidr;
use super::table::Test;
use crate::choices::{alternatives, chooses};
use crate::graph::Values;
use crate::quote::without_literals;
use crate::value::{Value, may_be};

/// The values at a path, with those of repeated blocks and of lists one by one. What is null is left out.
pub fn at<'v>(values: &'v Values, path: &str) -> Vec<&'v Value> {
    let (first, rest) = match path.split_once('.') {
        Some((first, rest)) => (first, Some(rest)),
        None => (path, None),
    };
    let mut found = Vec::new();
    let mut left: Vec<_> = values.get(first).into_iter().collect();
    while let Some(value) = left.pop() {
        match (value, rest) {
            (Value::Null, _) => {}
            // Reversed, because the last one is taken first: the order stays that of the file.
            (Value::List(list), _) => left.extend(list.iter().rev()),
            (Value::Map(map), Some(rest)) => found.extend(at(map, rest)),
            (value, _) => found.push(value),
        }
    }
    found
}

/// The answer for every value that an argument may have; unknown if the answers differ.
pub fn each_way(values: &Values, path: &str, judge: &dyn Fn(&Values) -> Answer) -> Answer {
    let first = path.split_once('.').map_or(path, |(first, _)| first);
    let chosen = values.get(first);
    let Some((value, text)) = chosen.and_then(|value| Some((value, chooses(value)?))) else {
        return judge(values);
    };
    let answers = alternatives(value).into_iter().flatten().map(|value| {
        let mut values = values.clone();
        values.insert(first.to_owned(), value);
        judge(&values)
    });
    // Which alternative applies does not matter if all have the same answer.
    same(answers).unwrap_or_else(|| unknown(path, text))
}

/// Whether certainly none of the blocks that a dynamic block may make lets the internet in.
pub fn closed(blocks: &[Value], lets_in: &dyn Fn(&Values) -> Answer) -> bool {
    blocks.iter().all(|block| match block {
        Value::Null => true,
        Value::List(blocks) => closed(blocks, lets_in),
        Value::Map(rule) => lets_in(rule) == Answer::No,
        _ => false,
    })
}

/// Whether all tests hold of a resource's values.
pub fn holds(values: &Values, tests: &[Test]) -> Answer {
    let answers = tests.iter().map(|test| look(values, *test));
    answers.fold(Answer::Yes, Answer::and)
}

/// Whether a test holds of a resource's values.
pub fn look(values: &Values, test: Test) -> Answer {
    match test {
        Test::Always | Test::Undecided(_) => plainly(values, test),
        Test::Span(from, to) => each_way(values, from, &|values| {
            each_way(values, to, &|values| plainly(values, test))
        }),
        Test::Admits(action, word, ranges) => not(look(values, Test::Equals(action, word)))
            .or(look(values, Test::Internet(ranges, false))),
        Test::Unlimited(block, ranges) => {
            look(values, Test::Lacks(block)).or(look(values, Test::Internet(ranges, false)))
        }
        Test::Any(tests) => {
            let answers = tests.iter().map(|test| look(values, *test));
            answers.fold(Answer::No, Answer::or)
        }
        Test::All(tests) => holds(values, tests),
        Test::Not(test) => not(look(values, *test)),
        Test::Entry(path, ..)
        | Test::Is(path, ..)
        | Test::IsNot(path, _)
        | Test::Equals(path, _)
        | Test::Lacks(path)
        | Test::Internet(path, _)
        | Test::Listed(path, _)
        | Test::OneOf(path, ..)
        | Test::Absent(path)
        | Test::Has(path) => each_way(values, path, &|values| plainly(values, test)),
    }
}

/// Whether a test holds of values none of which is a choice.
fn plainly(values: &Values, test: Test) -> Answer {
    match test {
        Test::Always => Answer::Yes,
        Test::Lacks(path) => match values.get(path) {
            None | Some(Value::Null) => Answer::Yes,
            Some(Value::List(list)) => {
                // A dynamic block may make none.
                let mut unknowns = list.iter().map(Value::unknown);
                match (list.is_empty(), unknowns.clone().all(|u| u.is_some())) {
                    (false, true) => {
                        let text = unknowns.next().flatten();
                        unknown(path, text.unwrap_or_default())
                    }
                    (is_empty, _) => is_empty.into(),
                }
            }
            Some(value) => match value.unknown() {
                Some(text) => unknown(path, text),
                None => Answer::No,
            },
        },
        Test::Undecided(reason) => Answer::Unknown(reason.to_owned()),
        Test::Admits(..) | Test::Unlimited(..) | Test::Any(_) | Test::All(_) | Test::Not(_) => {
            look(values, test)
        }
        Test::Absent(path) => absent(values, path),
        Test::Has(path) => match absent(values, path) {
            Answer::Yes => Answer::No,
            Answer::No => Answer::Yes,
            unknown => unknown,
        },
        Test::Internet(path, default) => internet(values, path, default),
        Test::Listed(path, address) => {
            let found = addresses(values, path);
            one_of(&found.iter().collect::<Vec<_>>(), path, &[address], false)
        }
        Test::OneOf(path, words, default) => one_of(&at(values, path), path, words, default),
        Test::Entry(path, key, words, default) => {
            let mut entries = Vec::new();
            for map in at(values, path) {
                match map {
                    Value::Map(map) => {
                        entries.extend(map.get(key).filter(|one| **one != Value::Null))
                    }
                    other => entries.push(other),
                }
            }
            one_of(&entries, path, words, default)
        }
        Test::Is(path, wanted, default) => flag(values, path, default, wanted),
        Test::Equals(path, text) => has_text(values, path, text),
        Test::IsNot(path, text) => not(has_text(values, path, text)),
        Test::Span(from, to) => span(values, from, to),
    }
}

/// Whether one of these texts is one of the words; the default if there is none.
fn one_of(found: &[&Value], path: &str, words: &[&str], default: bool) -> Answer {
    if found.is_empty() {
        return default.into();
    }
    let mut answer = Answer::No;
    for value in found.iter() {
        answer = answer.or(match value {
            Value::Text(text) => words.contains(&text.as_str()).into(),
            Value::Partial { known, .. } if !words.iter().any(|word| may_be(known, word)) => {
                Answer::No
            }
            // None of the words is one.
            value if value.is_account() => Answer::No,
            value => unfit(path, value, "a text"),
        });
    }
    answer
}

fn absent(values: &Values, path: &str) -> Answer {
    let found = at(values, path);
    match found.iter().find_map(|value| value.unknown()) {
        // What is of a resource is something.
        Some(_) if found.iter().any(|value| matches!(value, Value::Of { .. })) => Answer::No,
        Some(text) => unknown(path, text),
        None => found.is_empty().into(),
    }
}

fn internet(values: &Values, path: &str, default: bool) -> Answer {
    let found = addresses(values, path);
    // A list that is empty is as if it were left out.
    if found.is_empty() {
        return default.into();
    }
    found
        .iter()
        .map(|value| is_range_of_internet(path, value))
        .fold(Answer::No, Answer::or)
}

/// The addresses or ranges at a path, each by itself: some providers take a text with commas between them.
fn addresses(values: &Values, path: &str) -> Vec<Value> {
    let mut found = Vec::new();
    for value in at(values, path) {
        match value {
            Value::Text(text) => {
                let each = text.split(',').map(str::trim);
                let each = each.filter(|address| !address.is_empty());
                found.extend(each.map(|address| Value::Text(address.to_owned())));
            }
            other => found.push(other.clone()),
        }
    }
    found
}

/// Whether a range of addresses is the internet.
pub fn is_range_of_internet(path: &str, value: &Value) -> Answer {
    let text = match value {
        Value::Text(text) => text,
        // The length of the prefix may be known, and decides.
        Value::Partial { text, known } => {
            let bits = known
                .rsplit_once('/')
                .and_then(|(_, bits)| bits.parse::<u8>().ok());
            return match bits {
                // With commas there are others before the last one.
                Some(bits) if bits >= cidr::WIDE && !known.contains(',') => Answer::No,
                _ => unknown(path, text),
            };
        }
        other => return unfit(path, other, "a text"),
    };
    match cidr::is_internet(text) {
        Some(is) => is.into(),
        None => unfit(path, value, "a range of addresses"),
    }
}

/// Whether there are more addresses from one to another than in the widest range that is not the internet.
fn span(values: &Values, from: &str, to: &str) -> Answer {
    match (address(values, from), address(values, to)) {
        (Ok(from), Ok(to)) => (to.saturating_sub(from) >= 1 << (32 - cidr::WIDE)).into(),
        (Err(answer), _) | (_, Err(answer)) => answer,
    }
}

/// An address of IPv4 as a number; without one, the answer that follows from that.
fn address(values: &Values, path: &str) -> Result<u32, Answer> {
    let found = at(values, path);
    let value = found.first().ok_or(Answer::No)?;
    let address = value
        .as_text()
        .and_then(|text| text.parse::<Ipv4Addr>().ok());
    let address = address.ok_or_else(|| unfit(path, value, "an address"))?;
    Ok(address.into())
}

fn flag(values: &Values, path: &str, default: Option<bool>, wanted: bool) -> Answer {
    let found = at(values, path);
    if found.is_empty() {
        return match default {
            Some(default) => (default == wanted).into(),
            None => Answer::Unknown(format!(
                "`{path}` is left out, and its default depends on the provider's version."
            )),
        };
    }
    let mut answer = Answer::No;
    for value in found {
        answer = answer.or(match value {
            Value::Bool(flag) => (*flag == wanted).into(),
            // Terraform converts these texts to booleans.
            Value::Text(text) if text == "true" || text == "false" => {
                ((text == "true") == wanted).into()
            }
            value => unfit(path, value, "a boolean"),
        });
    }
    answer
}

/// Whether one of the texts at a path is this one.
fn has_text(values: &Values, path: &str, text: &str) -> Answer {
    let mut answer = Answer::No;
    for value in at(values, path) {
        answer = answer.or(match value {
            Value::Text(found) => (found == text).into(),
            Value::Partial { known, .. } if !may_be(known, text) => Answer::No,
            value => unfit(path, value, "a text"),
        });
    }
    answer
}

/// An argument with a value that only Terraform knows, or that is not what it has to be.
pub fn unfit(path: &str, value: &Value, wanted: &str) -> Answer {
    Answer::Unknown(why_unfit(path, value, wanted))
}

/// Why an argument decides nothing. The value is not in the message, because it may be a secret.
pub fn why_unfit(path: &str, value: &Value, wanted: &str) -> String {
    match value.unknown() {
        Some(text) => why_unknown(path, text),
        None => format!("`{path}` is not {wanted}."),
    }
}

/// An argument with a value that only Terraform knows.
pub fn unknown(path: &str, text: &str) -> Answer {
    Answer::Unknown(why_unknown(path, text))
}

fn why_unknown(path: &str, text: &str) -> String {
    format!("`{path}` is not known: it is `{}`.", without_literals(text))
}

#[cfg(test)]
mod tests {
    use super::super::types;
    use super::*;

    /// Values with one at a path, through blocks.
    fn with(path: &str, value: Value) -> Values {
        match path.split_once('.') {
            Some((first, rest)) => {
                let inner = Value::List(vec![Value::Map(with(rest, value))]);
                Values::from([(first.to_owned(), inner)])
            }
            None => Values::from([(path.to_owned(), value)]),
        }
    }

    #[test]
    fn every_row_of_exposure_decides_both_ways_and_admits_what_it_does_not_know() {
        let tests = types::all().flat_map(|row| row.exposed.iter().map(|when| (row.name, *when)));
        for (kind, when) in tests {
            let unknown = Value::Unknown("var.x".to_owned());
            let (path, yes, no, missing) = match when {
                Test::Always => {
                    assert_eq!(look(&Values::new(), when), Answer::Yes, "{kind}");
                    continue;
                }
                Test::Undecided(_) => {
                    let answer = look(&Values::new(), when);
                    assert!(matches!(answer, Answer::Unknown(_)), "{kind}");
                    continue;
                }
                Test::Is(path, wanted, default) => (
                    path,
                    Value::Bool(wanted),
                    Value::Bool(!wanted),
                    default.map(|default| default == wanted),
                ),
                Test::Equals(path, text) => (
                    path,
                    Value::Text(text.to_owned()),
                    Value::Text("OTHER".to_owned()),
                    Some(false),
                ),
                Test::IsNot(path, text) => (
                    path,
                    Value::Text("OTHER".to_owned()),
                    Value::Text(text.to_owned()),
                    Some(true),
                ),
                Test::Unlimited(_, path) => (
                    path,
                    Value::Text("0.0.0.0/0".to_owned()),
                    Value::Text("10.0.0.0/8".to_owned()),
                    Some(true),
                ),
                Test::Span(..)
                | Test::Any(_)
                | Test::All(_)
                | Test::Not(_)
                | Test::Entry(..)
                | Test::Listed(..) => continue,
                Test::Admits(path, word, _) => (
                    path,
                    Value::Text("OTHER".to_owned()),
                    Value::Text(word.to_owned()),
                    Some(true),
                ),
                Test::Internet(path, default) => (
                    path,
                    Value::Text("0.0.0.0/0".to_owned()),
                    Value::Text("10.0.0.0/8".to_owned()),
                    Some(default),
                ),
                Test::OneOf(path, words, default) => (
                    path,
                    Value::Text(words.first().unwrap().to_string()),
                    Value::Text("OTHER".to_owned()),
                    Some(default),
                ),
                Test::Has(path) => (
                    path,
                    Value::List(vec![Value::Map(Values::new())]),
                    Value::Null,
                    Some(false),
                ),
                Test::Lacks(path) | Test::Absent(path) => (
                    path,
                    Value::Null,
                    Value::List(vec![Value::Map(Values::new())]),
                    Some(true),
                ),
            };
            assert_eq!(look(&with(path, yes), when), Answer::Yes, "{kind}");
            assert_eq!(look(&with(path, no), when), Answer::No, "{kind}");
            let asked = look(&with(path, unknown), when);
            assert!(matches!(asked, Answer::Unknown(_)), "{kind}: {asked:?}");
            match missing {
                Some(missing) => {
                    assert_eq!(look(&Values::new(), when), missing.into(), "{kind}")
                }
                None => assert!(
                    matches!(look(&Values::new(), when), Answer::Unknown(_)),
                    "{kind}"
                ),
            }
        }
    }
}
