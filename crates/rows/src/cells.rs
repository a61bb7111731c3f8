//! Common ways to write cells: dates, amounts, yes and no. Knows no field.

use std::fmt::Write;

use chrono::{Datelike as _, NaiveDate};

/// What is understood as a date.
pub const DATES: &str = "2026-11-20 and November 20, 2026 are, and what --date-format says, such as --date-format %m/%d/%Y";
/// What is understood as an amount.
pub const MONEY: &str =
    "an amount in whole units is, such as 120000, $120,000 or 120k, or a range such as 90k - 110k";
/// What is understood as yes or no.
pub const YES: &str = "yes and no are";

/// Text in lower case, letters and digits alone, for comparing words that people write each their own way.
pub fn plain(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// A date as `YYYY-MM-DD`: from that, from the start of a longer ISO moment, from `YYYY/MM/DD`, from a date with the name of
/// its month, or from what the caller says dates look like. A date such as 11/3/2026 has two readings, so it is not
/// understood.
pub fn date(text: &str, format: Option<&str>) -> Option<String> {
    let day = text.get(..10).unwrap_or(text);
    let date = format
        .and_then(|format| parse(text, format))
        .or_else(|| parse(day, "%Y-%m-%d"))
        .or_else(|| parse(text, "%Y/%m/%d"))
        .or_else(|| written(text))?;
    Some(date.to_string())
}

fn parse(text: &str, format: &str) -> Option<NaiveDate> {
    let date = NaiveDate::parse_from_str(text, format).ok()?;
    // %Y takes a year of any length, and 1/12/25 is not in the year 1.
    (date.year() >= 1000).then_some(date)
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

/// A date with the name of its month, perhaps with a weekday, a time or the end of a range: `November 3, 2026`, `3 Nov 2026`,
/// `Tue Nov 03 2026 09:30:00 GMT`, `November 3, 2026 → November 5, 2026`.
fn written(text: &str) -> Option<NaiveDate> {
    let text = text.to_lowercase();
    let from = text.split('→').next()?;
    let words = from.split(|c: char| c.is_whitespace() || matches!(c, ',' | '-' | '.' | '/'));
    let words = words.filter(|word| !word.is_empty() && *word != "of");
    let words: Vec<_> = words
        .filter(|word| named(word, &WEEKDAYS).is_none())
        .collect();
    let (date, time) = words.split_at_checked(3)?;
    // Whatever else stands there may belong to the date.
    if time.first().is_some_and(|word| !word.contains(':')) {
        return None;
    }
    let [first, second, last] = date else {
        return None;
    };
    let (month, day) = match (month(first), month(second)) {
        // In November 3, 10 the last number may be anything.
        (Some(month), None) if last.len() == 4 => (month, day(second)?),
        (None, Some(month)) => (month, day(first)?),
        _ => return None,
    };
    NaiveDate::from_ymd_opt(year(last)?, u32::try_from(month).ok()? + 1, day)
}

/// Which of the names a word begins, in at least three letters.
fn named(word: &str, names: &[&str]) -> Option<usize> {
    let letters = word.len() >= 3;
    names
        .iter()
        .position(|name| letters && name.starts_with(word))
}

fn month(word: &str) -> Option<usize> {
    match word {
        "sept" => Some(8),
        word => named(word, &MONTHS),
    }
}

fn day(word: &str) -> Option<u32> {
    let digits = word.trim_end_matches(char::is_alphabetic);
    let is_ordinal = ["", "st", "nd", "rd", "th"].contains(&&word[digits.len()..]);
    let day = digits.parse::<u32>().ok();
    day.filter(|_| digits.len() <= 2 && is_ordinal)
}

/// A year of four digits, or of two as POSIX reads them: 69 is 1969, 68 is 2068.
pub fn year(digits: &str) -> Option<i32> {
    let number = digits.parse::<u16>().ok()?;
    match (digits.len(), i32::from(number)) {
        (4, year) => Some(year),
        (2, year @ 0..=68) => Some(2000 + year),
        (2, year) => Some(1900 + year),
        _ => None,
    }
}

/// How dates are written, checked: what it writes of a day is read as that day.
///
/// # Errors
/// Why it is none.
pub fn date_format(format: &str) -> Result<String, String> {
    let day = NaiveDate::from_ymd_opt(2026, 11, 20).unwrap_or_default();
    let mut written = String::new();
    let is_one = write!(written, "{}", day.format(format)).is_ok()
        && NaiveDate::parse_from_str(&written, format) == Ok(day);
    if is_one {
        Ok(format.to_owned())
    } else {
        Err(
            "not a format of dates: say where the year, the month and the day stand, such as \
         %m/%d/%Y for 11/20/2026 or %d %b %Y for 20 Nov 2026"
                .to_owned(),
        )
    }
}

/// A whole number.
pub fn whole(text: &str) -> Option<i64> {
    text.trim().parse().ok()
}

/// An amount of money in whole units: `120000`, `$120,000`, `120k`, `120.5k`, `120 000 EUR`. A number that
/// could be read in two ways, or of parts of a unit, is not understood.
pub fn money(text: &str) -> Option<i64> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let number: String = text[start..]
        .chars()
        .take_while(|c| c.is_ascii_digit() || is_mark(*c))
        .collect();
    let rest = &text[start + number.len()..];
    if text[..start].contains('-') || rest.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let unit = rest
        .split(|c: char| !c.is_alphabetic())
        .next()
        .unwrap_or_default();
    let thousands =
        number.ends_with(|c: char| c.is_ascii_digit()) && unit.eq_ignore_ascii_case("k");
    let (whole, hundredths) = split(number.trim_end_matches(is_mark))?;
    let factor = if thousands { 1000 } else { 1 };
    let hundredths = hundredths * factor;
    (hundredths % 100 == 0)
        .then(|| whole.checked_mul(factor)?.checked_add(hundredths / 100))
        .flatten()
}

/// An amount, or the two amounts of a range: `90k - 110k`, `90-110k`, `90 000 to 110 000 EUR`.
pub fn money_range(text: &str) -> Option<(i64, Option<i64>)> {
    let spaced = text.replace(['–', '—'], "-").replace(" to ", "-");
    let Some((from, to)) = spaced.split_once('-') else {
        return Some((money(&spaced)?, None));
    };
    let (from, to) = (from.trim(), to.trim());
    let (low, high) = (money(from)?, money(to)?);
    // In 90-110k, both are thousands.
    let low = if is_thousands(to) && !is_thousands(from) && low < 1000 {
        low * 1000
    } else {
        low
    };
    (low <= high).then_some((low, Some(high)))
}

fn is_thousands(text: &str) -> bool {
    text.to_lowercase().ends_with('k')
}

fn is_mark(c: char) -> bool {
    matches!(c, ',' | '.' | ' ' | '\u{a0}' | '_' | '\'')
}

/// A number as its whole and its hundredths. Marks stand between groups of three digits, all but the first
/// whole; a last group of one or two digits behind a dot or a comma is a part.
fn split(number: &str) -> Option<(i64, i64)> {
    let (whole, parts) = match number.rfind(['.', ',']) {
        Some(at) if (1..=2).contains(&(number.len() - at - 1)) => {
            (&number[..at], format!("{:0<2}", &number[at + 1..]))
        }
        _ => (number, "0".to_owned()),
    };
    let groups: Vec<_> = whole.split(is_mark).collect();
    let (first, others) = groups.split_first()?;
    let grouped = others.is_empty() || (first.len() <= 3 && others.iter().all(|g| g.len() == 3));
    let whole = grouped.then(|| groups.concat().parse().ok()).flatten()?;
    Some((whole, parts.parse().ok()?))
}

/// Yes or no.
pub fn yes(text: &str) -> Option<bool> {
    match plain(text).as_str() {
        "yes" | "y" | "true" | "1" | "x" | "required" => Some(true),
        "no" | "n" | "false" | "0" | "notrequired" | "optional" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_read_as_people_write_it() {
        for text in [
            "120000",
            "$120,000",
            "120k",
            "120 000 EUR",
            "USD 120,000.00",
        ] {
            assert_eq!(money(text), Some(120_000), "{text}");
        }
        for text in ["", "competitive", "1.5.2", "99999999999999999999"] {
            assert_eq!(money(text), None, "{text}");
        }
    }

    #[test]
    fn a_range_of_amounts_is_read_as_two() {
        for (text, expected) in [
            ("150k", Some((150_000, None))),
            ("90k - 110k", Some((90_000, Some(110_000)))),
            ("$90-110k", Some((90_000, Some(110_000)))),
            ("100 000 EUR", Some((100_000, None))),
            ("90 000 to 110 000 EUR", Some((90_000, Some(110_000)))),
            ("110k - 90k", None),
            ("competitive - 90k", None),
        ] {
            assert_eq!(money_range(text), expected, "{text}");
        }
    }

    #[test]
    fn a_format_of_dates_has_a_year_a_month_and_a_day() {
        for format in ["%m/%d/%Y", "%d.%m.%y", "%d %b %Y", "%F", "%B %e, %Y"] {
            assert!(date_format(format).is_ok(), "{format}");
        }
        for format in ["", "date", "%Q", "%", "%m/%d", "%H:%M", "%Y-%m-%d %H:%M"] {
            assert!(date_format(format).is_err(), "{format}");
        }
    }

    #[test]
    fn dates_with_the_name_of_a_month_are_read() {
        for text in [
            "November 3, 2026",
            "Nov 3, 2026",
            "nov. 3rd 2026",
            "3 November 2026",
            "3rd of November, 2026",
            "03-Nov-2026",
            "Tuesday, November 3, 2026",
            "Tue Nov 03 2026 09:30:00 GMT+0100 (CET)",
            "November 3, 2026 9:00 AM",
            "November 3, 2026 9:00 AM (EST) → November 5, 2026",
        ] {
            assert_eq!(date(text, None).as_deref(), Some("2026-11-03"), "{text}");
        }
        assert_eq!(date("Sept 1, 2026", None).as_deref(), Some("2026-09-01"));
        for text in [
            "11/3/2026",
            "3.11.2026",
            "November 2026",
            "November 31, 2026",
            "Nov 3, 26",
            "Nov 3, 2026 or later",
            "no 3, 2026",
            "Nov Dec 2026",
            "Nov 333, 2026",
            "3x Nov 2026",
        ] {
            assert_eq!(date(text, None), None, "{text}");
        }
    }

    #[test]
    fn dates_are_iso_unless_told() {
        assert_eq!(
            date("2026-11-20T08:00:00Z", None).as_deref(),
            Some("2026-11-20")
        );
        assert_eq!(
            date("11/20/2026", Some("%m/%d/%Y")).as_deref(),
            Some("2026-11-20")
        );
        assert_eq!(date("11/20/2026", None), None);
        assert_eq!(date("2026-02-30", None), None);
    }
}
