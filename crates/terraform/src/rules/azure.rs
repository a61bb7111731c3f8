//! Arguments of firewall rules. Their words may be in any case.

use super::look::{Answer, at, each_way, unfit};
use crate::graph::Values;
use crate::value::{HOLES, Value, may_be};

/// The type of a group of rules.
pub const GROUP: &str = "azurerm_network_security_group";
/// The type of a rule that is a resource of its own.
pub const OF_GROUP: &str = "azurerm_network_security_rule";

/// Whether one of the texts at a path is one of these words, in any case; the default if there is none.
pub fn word(values: &Values, path: &str, words: &[&str], default: bool) -> Answer {
    each_way(values, path, &|values| {
        plain_word(values, path, words, default)
    })
}

/// The same of values none of which is a choice.
pub fn plain_word(values: &Values, path: &str, words: &[&str], default: bool) -> Answer {
    let found = at(values, path);
    if found.is_empty() {
        return default.into();
    }
    let mut answer = Answer::No;
    for value in found {
        answer = answer.or(match value {
            Value::Text(text) => words.contains(&text.to_lowercase().as_str()).into(),
            Value::Partial { known, .. }
                if !words.iter().any(|word| may_be(&known.to_lowercase(), word)) =>
            {
                Answer::No
            }
            value => unfit(path, value, "a text"),
        });
    }
    answer
}

/// The ranges of ports of a rule of Azure. A range is `None` if it is not known.
pub fn ranges_of_azure(rule: &Values) -> Vec<Option<(u16, u16)>> {
    let paths = ["destination_port_range", "destination_port_ranges"];
    let ranges = paths.iter().flat_map(|path| at(rule, path));
    ranges.map(range).collect()
}

/// The ports of `22`, `8000-9000` or `*`; `None` if the value is unknown or not a range.
pub fn range(value: &Value) -> Option<(u16, u16)> {
    let text = value.as_text().filter(|text| !text.contains(HOLES))?;
    if text == "*" {
        return Some((0, u16::MAX));
    }
    let (from, to) = text.split_once('-').unwrap_or((&text, &text));
    Some((from.trim().parse().ok()?, to.trim().parse().ok()?))
}
