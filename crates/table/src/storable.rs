//! What DynamoDB refuses to store, known before it is sent: one such item fails the whole request.
//! Source: "Constraints in Amazon DynamoDB", the DynamoDB Developer Guide.

use std::collections::HashSet;

use aws_sdk_dynamodb::types::AttributeValue;

use super::{Item, size};

/// The most bytes of an item.
const MAX_ITEM: usize = 400 * 1024;
/// The most bytes of an attribute's name.
const MAX_NAME: usize = 64 * 1024;
/// The most levels of an attribute: lists and maps inside each other, and the value in the innermost.
pub const MAX_DEPTH: usize = 32;
/// The most significant digits of a number.
const MAX_DIGITS: usize = 38;
/// The powers of ten of the first digits that a number other than 0 can have.
const MAGNITUDES: std::ops::RangeInclusive<i64> = -130..=125;

/// Checks that DynamoDB can store an item, whatever its attributes are.
///
/// # Errors
/// What it cannot store, to be said after "has".
pub fn check_storable(item: &Item) -> Result<(), &'static str> {
    check_map(item, 0)?;
    match size::bytes_of(item) {
        0..=MAX_ITEM => Ok(()),
        _ => Err("more than 400 KB"),
    }
}

fn check_map(attributes: &Item, depth: usize) -> Result<(), &'static str> {
    for (name, value) in attributes {
        match name.len() {
            0 => return Err("an attribute with an empty name"),
            1..MAX_NAME => check_value(value, depth)?,
            _ => return Err("an attribute with a name of more than 64 KB"),
        }
    }
    Ok(())
}

fn check_value(value: &AttributeValue, depth: usize) -> Result<(), &'static str> {
    if depth == MAX_DEPTH {
        return Err("an attribute with more than 32 levels of lists, maps and values");
    }
    match value {
        AttributeValue::N(digits) => check_number(digits),
        AttributeValue::Ns(numbers) => {
            check_set(numbers)?;
            numbers.iter().try_for_each(|digits| check_number(digits))
        }
        AttributeValue::Ss(texts) => check_set(texts),
        AttributeValue::Bs(blobs) => {
            check_set(&blobs.iter().map(AsRef::<[u8]>::as_ref).collect::<Vec<_>>())
        }
        AttributeValue::Null(false) => Err("an attribute of the type NULL that is false"),
        AttributeValue::L(values) => values
            .iter()
            .try_for_each(|value| check_value(value, depth + 1)),
        AttributeValue::M(map) => check_map(map, depth + 1),
        _ => Ok(()),
    }
}

fn check_set<T: Eq + std::hash::Hash>(values: &[T]) -> Result<(), &'static str> {
    let distinct: HashSet<_> = values.iter().collect();
    if values.is_empty() {
        return Err("a set without values");
    }
    if distinct.len() < values.len() {
        return Err("a set with a value twice");
    }
    Ok(())
}

fn check_number(digits: &str) -> Result<(), &'static str> {
    digits
        .parse::<f64>()
        .map_err(|_| "an attribute with a malformed number")?;
    let mantissa = digits.split(['e', 'E']).next().unwrap_or_default();
    let significant: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    if significant.trim_matches('0').len() > MAX_DIGITS {
        return Err("an attribute with a number of more than 38 digits");
    }
    match magnitude(digits) {
        Some(power) if !MAGNITUDES.contains(&power) => {
            Err("an attribute with a number that is out of range")
        }
        _ => Ok(()),
    }
}

/// The power of ten of the first digit other than 0; `None` of 0. A binary number would round 38 nines up.
fn magnitude(digits: &str) -> Option<i64> {
    let digits = digits.trim_start_matches(['-', '+']);
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let zeros = whole
        .chars()
        .chain(fraction.chars())
        .position(|c| c != '0')?;
    let exponent: i64 = exponent.parse().unwrap_or(i64::MAX);
    let places = i64::try_from(whole.len()).ok()? - i64::try_from(zeros).ok()?;
    Some(exponent.saturating_add(places).saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(value: AttributeValue) -> Result<(), &'static str> {
        check_storable(&Item::from([("odd".to_owned(), value)]))
    }

    fn map(name: &str) -> AttributeValue {
        AttributeValue::M(Item::from([(name.to_owned(), AttributeValue::Null(true))]))
    }

    fn nested(levels: usize) -> AttributeValue {
        (0..levels).fold(AttributeValue::Null(true), |inner, _| {
            AttributeValue::L(vec![inner])
        })
    }

    #[test]
    fn names_are_not_empty_at_any_level() {
        assert_eq!(holds(map("a")), Ok(()));
        holds(map("")).unwrap_err();
        holds(AttributeValue::L(vec![map("")])).unwrap_err();
    }

    #[test]
    fn numbers_are_in_range() {
        let number = |digits: &str| holds(AttributeValue::N(digits.to_owned()));
        let nines = format!("9.{}E+125", "9".repeat(37));
        for digits in [
            "0", "-1.5", "9e125", "-1e-130", "0.00", "0e999", "0.01e127", &nines,
        ] {
            assert_eq!(number(digits), Ok(()), "{digits}");
        }
        let long = [
            "1".repeat(39),
            format!("0.{}2", "0".repeat(60)),
            "1".repeat(38),
        ];
        assert!(number(&long[0]).is_err());
        assert_eq!((number(&long[1]), number(&long[2])), (Ok(()), Ok(())));
        for digits in [
            "1e126",
            "-1e300",
            "1e-131",
            "0.1e-130",
            "1e99999999999999999999",
            "none",
        ] {
            assert!(number(digits).is_err(), "{digits}");
        }
    }

    #[test]
    fn sets_have_distinct_values_and_null_is_true() {
        let set = |texts: &[&str]| {
            holds(AttributeValue::Ss(
                texts.iter().map(ToString::to_string).collect(),
            ))
        };
        assert_eq!(set(&["a", "b"]), Ok(()));
        set(&[]).unwrap_err();
        set(&["a", "a"]).unwrap_err();
        holds(AttributeValue::Null(false)).unwrap_err();
    }

    #[test]
    fn levels_and_bytes_are_bounded() {
        // NULL in the innermost list is a level, too.
        assert_eq!(holds(nested(31)), Ok(()));
        holds(nested(32)).unwrap_err();
        let text = |length| holds(AttributeValue::S("a".repeat(length)));
        assert_eq!(text(400_000), Ok(()));
        text(410_000).unwrap_err();
    }
}
