//! Zip codes in places as people write them: `Boston MA 02110`.

use super::city::CityKey;
use super::region::{Country, Region};

/// The text without the zip code after its city and region, with or without commas and a country after it.
pub fn without_zip(text: &str) -> (String, Option<String>) {
    let words: Vec<_> = text.split_whitespace().collect();
    let found = (1..words.len()).find_map(|at| {
        let (before, rest) = words.split_at_checked(at)?;
        let length = [1, 2].into_iter().find(|length| {
            let code = rest.get(..*length).map(|code| code.concat());
            code.is_some_and(|code| is_zip(code.trim_end_matches([',', '.'])))
        })?;
        let after = rest.get(length..)?;
        (ends_with_place(&before.join(" ")) && is_country(&after.join(" "))).then_some((at, length))
    });
    let Some((at, length)) = found else {
        return (text.trim().to_owned(), None);
    };
    let (before, rest) = words.split_at_checked(at).unwrap_or_default();
    let (code, after) = rest.split_at_checked(length).unwrap_or_default();
    let before = before.join(" ");
    let rest = match (after, before.ends_with(',')) {
        ([], _) => before.trim_end_matches(',').to_owned(),
        (after, true) => format!("{before} {}", after.join(" ")),
        (after, false) => format!("{before}, {}", after.join(" ")),
    };
    let code = code.concat();
    (rest, Some(code.trim_end_matches([',', '.']).to_owned()))
}

/// A zip code of the United States or Canada, without blanks: `78701`, `78701-1234`, `H2X1Y4`.
fn is_zip(code: &str) -> bool {
    let form: String = code
        .chars()
        .map(|c| match c {
            '0'..='9' => '9',
            'A'..='Z' | 'a'..='z' => 'A',
            other => other,
        })
        .collect();
    matches!(form.as_str(), "99999" | "99999-9999" | "A9A9A9" | "A9A-9A9")
}

/// Whether the text ends with a region or is a well-known city.
fn ends_with_place(text: &str) -> bool {
    let text = text.trim_end_matches(',');
    let part = text.rsplit_once(", ").map_or(text, |(_, part)| part);
    let words: Vec<_> = part.split(' ').collect();
    let mut countries = ["US", "CA"].map(Country::parse).into_iter().flatten();
    let is_region = countries.any(|country| {
        let ends = [1, 2, 3].into_iter();
        let mut ends = ends.filter_map(|length| words.get(words.len().checked_sub(length)?..));
        ends.any(|end| country.region(&end.join(" ")).is_some())
    });
    is_region || CityKey::parse(text).is_ok_and(|key| Region::of_city(&key).is_some())
}

fn is_country(text: &str) -> bool {
    text.is_empty() || Country::named(text).is_some()
}

/// The last part of a place without a zip code at its end: `TX 78701` is `TX`.
pub fn without_last_zip(text: &str) -> (&str, Option<String>) {
    let mut words = text.split_whitespace();
    let has_digit = |word: &str| word.chars().any(|c| c.is_ascii_digit());
    let Some(at) = words.find(|word| has_digit(word)) else {
        return (text, None);
    };
    // The word is a part of the text.
    let start = at.as_ptr().addr() - text.as_ptr().addr();
    let (before, zip) = text.split_at(start);
    (before.trim(), Some(zip.trim().to_owned()))
}
