//! Functions of texts and of ranges of addresses.

use std::net::Ipv4Addr;

use crate::pipeline::value::Value;

/// The value of a call; `None` if it is not known.
pub fn call(name: &str, arguments: &[Value]) -> Option<Value> {
    let text = |at: usize| match arguments.get(at)? {
        Value::Text(text) => Some(text.as_str()),
        _ => None,
    };
    let number = |at: usize| match arguments.get(at)? {
        Value::Number(number) if number.fract() == 0.0 => Some(*number as i64),
        _ => None,
    };
    let shown = match name {
        "trimprefix" => text(0)?
            .strip_prefix(text(1)?)
            .unwrap_or(text(0)?)
            .to_owned(),
        "trimsuffix" => text(0)?
            .strip_suffix(text(1)?)
            .unwrap_or(text(0)?)
            .to_owned(),
        "trim" => {
            let cut: Vec<char> = text(1)?.chars().collect();
            text(0)?.trim_matches(cut.as_slice()).to_owned()
        }
        // A pattern in slashes is a regular expression.
        "replace" if !text(1)?.starts_with('/') => text(0)?.replace(text(1)?, text(2)?),
        "substr" => {
            let from = usize::try_from(number(1)?).ok()?;
            let rest = text(0)?.chars().skip(from);
            match number(2)? {
                -1 => rest.collect(),
                length => rest.take(usize::try_from(length).ok()?).collect(),
            }
        }
        "title" => {
            let words = text(0)?.split(' ').map(|word| {
                let mut rest = word.chars();
                let first = rest.next().map(|first| first.to_uppercase().to_string());
                first.unwrap_or_default() + rest.as_str()
            });
            words.collect::<Vec<_>>().join(" ")
        }
        "cidrsubnet" => subnet(text(0)?, number(1)?, number(2)?)?,
        "cidrhost" => {
            let (start, _) = range(text(0)?)?;
            let host = u32::try_from(number(1)?).ok()?;
            Ipv4Addr::from(start.checked_add(host)?).to_string()
        }
        _ => return None,
    };
    Some(Value::Text(shown))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subnets_are_those_that_terraform_computes() {
        assert_eq!(subnet("10.0.0.0/16", 8, 2).as_deref(), Some("10.0.2.0/24"));
        assert_eq!(subnet("10.0.7.9/8", 0, 0).as_deref(), Some("10.0.0.0/8"));
        assert_eq!(subnet("10.0.0.0/30", 8, 0), None);
    }
}
