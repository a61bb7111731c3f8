//! Functions of texts and of ranges of addresses.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::made::{in_text, integer_at, text_at, text_of};
use crate::value::Value;

/// The value of a call; `None` if it is not known.
pub fn call(name: &str, arguments: &[Value]) -> Option<Value> {
    let shown = match name {
        "strcontains" => {
            return Some(Value::Bool(
                text_at(arguments, 0)?.contains(text_at(arguments, 1)?),
            ));
        }
        "cidrsubnets" => return subnets(text_at(arguments, 0)?, arguments.get(1..)?),
        "trimprefix" => text_at(arguments, 0)?
            .strip_prefix(text_at(arguments, 1)?)
            .unwrap_or(text_at(arguments, 0)?)
            .to_owned(),
        "trimsuffix" => text_at(arguments, 0)?
            .strip_suffix(text_at(arguments, 1)?)
            .unwrap_or(text_at(arguments, 0)?)
            .to_owned(),
        "trim" => {
            let cut: Vec<char> = text_at(arguments, 1)?.chars().collect();
            text_at(arguments, 0)?
                .trim_matches(cut.as_slice())
                .to_owned()
        }
        "replace" if !super::patterns::is_pattern(text_at(arguments, 1)?) => {
            let by = in_text(arguments.get(2)?)?;
            return Some(text_of(
                text_at(arguments, 0)?.replace(text_at(arguments, 1)?, &by),
            ));
        }
        "substr" => {
            let from = usize::try_from(integer_at(arguments, 1)?).ok()?;
            let rest = text_at(arguments, 0)?.chars().skip(from);
            match integer_at(arguments, 2)? {
                -1 => rest.collect(),
                length => rest.take(usize::try_from(length).ok()?).collect(),
            }
        }
        "title" => {
            let words = text_at(arguments, 0)?.split(' ').map(|word| {
                let mut rest = word.chars();
                let first = rest.next().map(|first| first.to_uppercase().to_string());
                first.unwrap_or_default() + rest.as_str()
            });
            words.collect::<Vec<_>>().join(" ")
        }
        "chomp" => text_at(arguments, 0)?
            .trim_end_matches(['\r', '\n'])
            .to_owned(),
        "strrev" => text_at(arguments, 0)?.chars().rev().collect(),
        "cidrsubnet" => subnet(
            text_at(arguments, 0)?,
            integer_at(arguments, 1)?,
            integer_at(arguments, 2)?,
        )?,
        "cidrhost" => {
            let (start, bits) = range(text_at(arguments, 0)?)?;
            let size = 1_i64 << (32 - bits);
            // A negative number counts from the end.
            let host = match integer_at(arguments, 1)? {
                host if host < 0 => size.checked_add(host)?,
                host => host,
            };
            let host = u32::try_from(host)
                .ok()
                .filter(|host| i64::from(*host) < size)?;
            Ipv4Addr::from(start.checked_add(host)?).to_string()
        }
        "cidrnetmask" => {
            let (_, bits) = range(text_at(arguments, 0)?)?;
            Ipv4Addr::from(u32::MAX.checked_shl(32 - bits).unwrap_or(0)).to_string()
        }
        "basename" => base_name(text_at(arguments, 0)?).to_owned(),
        "base64decode" => {
            let bytes = STANDARD.decode(text_at(arguments, 0)?).ok()?;
            String::from_utf8(bytes).ok()?
        }
        "urlencode" => text_at(arguments, 0)?.bytes().map(url_encoded).collect(),
        "csvdecode" => return csv(text_at(arguments, 0)?),
        _ => return None,
    };
    Some(Value::Text(shown))
}

/// A byte as Go has it in queries.
fn url_encoded(byte: u8) -> String {
    match byte {
        b' ' => "+".to_owned(),
        byte if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) => {
            char::from(byte).to_string()
        }
        byte => format!("%{byte:02X}"),
    }
}

/// The last part of a path, as Go has it.
fn base_name(path: &str) -> &str {
    match path.trim_end_matches('/') {
        "" if path.is_empty() => ".",
        "" => "/",
        path => path.rsplit('/').next().unwrap_or(path),
    }
}

/// The rows of a table, each as an object by the names in the first one.
fn csv(text: &str) -> Option<Value> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let names = reader.headers().ok()?.clone();
    let mut rows = Vec::new();
    for row in reader.records() {
        let row = row.ok()?;
        let cells = names.iter().zip(&row);
        let cells = cells.map(|(name, cell)| (name.to_owned(), Value::Text(cell.to_owned())));
        let cells: BTreeMap<_, _> = cells.collect();
        // Terraform refuses a name that stands twice.
        if cells.len() != names.len() {
            return None;
        }
        rows.push(Value::Map(cells));
    }
    Some(Value::List(rows))
}

/// The start of a range of IPv4, and the length of its prefix.
fn range(text: &str) -> Option<(u32, u32)> {
    let (address, bits) = text.split_once('/')?;
    let (address, bits) = (address.parse::<Ipv4Addr>().ok()?, bits.parse::<u32>().ok()?);
    let mask = u32::MAX.checked_shl(32_u32.checked_sub(bits)?).unwrap_or(0);
    Some((u32::from(address) & mask, bits))
}

fn subnet(text: &str, more: i64, number: i64) -> Option<String> {
    let (start, bits) = range(text)?;
    let bits = bits.checked_add(u32::try_from(more).ok()?)?;
    let shift = 32_u32.checked_sub(bits)?;
    let offset = u32::try_from(number).ok()?.checked_shl(shift).unwrap_or(0);
    let start = start.checked_add(offset)?;
    Some(format!("{}/{bits}", Ipv4Addr::from(start)))
}

/// Subnets one after the other, each with so many more bits.
fn subnets(text: &str, more: &[Value]) -> Option<Value> {
    let (start, bits) = range(text)?;
    let end = u64::from(start) + (1_u64 << (32 - bits));
    let mut next = u64::from(start);
    let subnets = more.iter().map(|one| {
        let Value::Number(more) = one else {
            return None;
        };
        let bits =
            bits.checked_add((more.fract() == 0.0 && *more > 0.0).then_some(*more as u32)?)?;
        let size = 1_u64 << 32_u32.checked_sub(bits)?;
        // A subnet begins at a multiple of its size.
        let from = next.next_multiple_of(size);
        next = from + size;
        let address = Ipv4Addr::from(u32::try_from(from).ok().filter(|_| next <= end)?);
        Some(Value::Text(format!("{address}/{bits}")))
    });
    subnets.collect::<Option<_>>().map(Value::List)
}

/// A text by a format that has nothing but `%s`, `%d`, `%v` and widths of numbers: `%02d`.
pub fn format(arguments: &[Value]) -> Option<Value> {
    let (Value::Text(form), values) = arguments.split_first()? else {
        return None;
    };
    let mut values = values.iter();
    let mut text = String::new();
    let mut rest = form.as_str();
    while let Some((before, after)) = rest.split_once('%') {
        text.push_str(before);
        let verb = after.find(|c: char| !c.is_ascii_digit())?;
        let (width, after) = after.split_at(verb);
        let verb = after.chars().next()?;
        rest = after.get(verb.len_utf8()..)?;
        if verb == '%' && width.is_empty() {
            text.push('%');
            continue;
        }
        let value = in_text(values.next()?)?;
        match (verb, width) {
            ('s' | 'd' | 'v', "") => text.push_str(&value),
            ('d', width) if width.starts_with('0') && width.len() <= 3 => {
                let width = width.parse().ok()?;
                text.push_str(&format!("{value:0>width$}"));
            }
            _ => return None,
        }
    }
    text.push_str(rest);
    Some(text_of(text))
}

/// Texts by a format: one for each element of the lists, which have the same length.
pub fn format_list(arguments: &[Value]) -> Option<Value> {
    let lists = arguments.iter().filter_map(|one| match one {
        Value::List(list) => Some(list.len()),
        _ => None,
    });
    let count = lists.max()?;
    let mut texts = Vec::new();
    for at in 0..count {
        let arguments = arguments.iter().map(|argument| match argument {
            Value::List(list) => list.get(at).filter(|one| is_single(one)).cloned(),
            one => Some(one.clone()),
        });
        texts.push(format(&arguments.collect::<Option<Vec<_>>>()?)?);
    }
    Some(Value::List(texts))
}

/// Whether an element stands for one. An unknown one may stand for several.
fn is_single(value: &Value) -> bool {
    !matches!(value, Value::Unknown(_) | Value::Several(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subnets_are_those_that_terraform_computes() {
        assert_eq!(subnet("10.0.0.0/16", 8, 2).as_deref(), Some("10.0.2.0/24"));
        assert_eq!(subnet("10.0.7.9/8", 0, 0).as_deref(), Some("10.0.0.0/8"));
        assert_eq!(subnet("10.0.0.0/30", 8, 0), None);
        let more = [4.0, 4.0, 8.0, 4.0].map(Value::Number);
        let expected = [
            "10.1.0.0/20",
            "10.1.16.0/20",
            "10.1.32.0/24",
            "10.1.48.0/20",
        ];
        let expected = expected.map(|text| Value::Text(text.to_owned()));
        assert_eq!(
            subnets("10.1.0.0/16", &more),
            Some(Value::List(expected.into()))
        );
        assert_eq!(
            subnets(
                "10.1.0.0/30",
                &[Value::Number(1.0), Value::Number(1.0), Value::Number(1.0)]
            ),
            None
        );
    }

    #[test]
    fn formats_have_the_verbs_that_configurations_use() {
        let text = |text: &str| Value::Text(text.to_owned());
        let made = format(&[
            text("%s-%02d-%d%%"),
            text("a"),
            Value::Number(3.0),
            Value::Number(5.0),
        ]);
        assert_eq!(made, Some(text("a-03-5%")));
        assert_eq!(format(&[text("%.2f"), Value::Number(3.0)]), None);
    }
}
