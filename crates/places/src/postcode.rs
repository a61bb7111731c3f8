//! Postcodes and streets around a city.

use crate::city::City;
use crate::country::Country;

/// Takes the postcode out of the parts of a place: words with digits before or after a city, or in a part of their own. `100 Mile House`
/// stays as it is.
pub fn take_postcode(parts: &mut Vec<String>) -> Option<String> {
    let mut found = None;
    let has_more = parts.len() > 1;
    for (at, part) in parts.iter_mut().enumerate() {
        let words: Vec<&str> = part.split(' ').collect();
        let Some((start, end)) = code_in(&words) else {
            continue;
        };
        let (before, after) = (words.get(..start), words.get(end..));
        let rest = [before, after].map(Option::unwrap_or_default).concat();
        let code = words.get(start..end).unwrap_or_default().concat();
        let digits = code.chars().filter(char::is_ascii_digit).count();
        let is_long = digits >= 4 || end > start + 1;
        let rest = rest.join(" ");
        let is_known = !City::named(&rest).is_empty()
            || (has_more && before.is_some_and(|before| !before.is_empty()));
        if at > 0 || is_known || is_long && !rest.is_empty() {
            // What is shorter is a district: Paris 15.
            found = Some(code).filter(|code| code.len() >= 3).or(found);
            *part = rest;
        }
    }
    parts.retain(|part| !part.is_empty());
    found
}

/// Where the code begins and ends that stands at the beginning or the end of words, or alone: `SW1A 1AA`, `1012 AB`, `D-80331`.
fn code_in(words: &[&str]) -> Option<(usize, usize)> {
    let first = words.iter().position(|word| has_digit(word))?;
    let more = words.get(first..).unwrap_or_default();
    let mut end = first + more.iter().take_while(|word| has_digit(word)).count();
    // "1012 AB Amsterdam"
    let is_four_digits = words
        .get(first)
        .is_some_and(|word| word.len() == 4 && word.bytes().all(|b| b.is_ascii_digit()));
    let is_letters = words
        .get(end)
        .is_some_and(|word| word.len() == 2 && word.bytes().all(|b| b.is_ascii_uppercase()));
    if is_four_digits && is_letters && end == first + 1 {
        end += 1;
    }
    let after = words.get(end..).unwrap_or_default().join(" ");
    let is_at_an_end = first == 0 || after.is_empty() || Country::written(&after).is_some();
    is_at_an_end.then_some((first, end))
}

/// Whether this is a street with its number, or a part of a building: `123 Main St`. `100 Mile House` is a city.
pub fn is_street(part: &str) -> bool {
    const STREETS: &str = "street st avenue ave av road rd boulevard blvd drive dr lane ln way court ct plaza square sq highway hwy \
                           parkway pkwy broadway terrace place pl";
    const PARTS: &str = "suite ste unit apt apartment floor building bldg";
    let name = crate::plain::plain(part);
    let words: Vec<&str> = name.split(' ').collect();
    match words.as_slice() {
        [first, rest @ ..] if begins_with_digit(first) => rest
            .iter()
            .any(|word| is_one_of(STREETS, word) || is_one_of(PARTS, word)),
        [first, rest @ ..] => {
            is_one_of(PARTS, first) && rest.iter().any(|word| begins_with_digit(word))
        }
        [] => false,
    }
}

fn has_digit(word: &str) -> bool {
    word.bytes().any(|b| b.is_ascii_digit())
}

/// Whether a word begins as a number does.
pub fn begins_with_digit(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

fn is_one_of(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|other| other == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_street_has_a_number() {
        for part in ["9 Elm Street", "123 Main St.", "Suite 20", "Apt 3B"] {
            assert!(is_street(part), "{part}");
        }
        for part in ["100 Mile House", "29 Palms", "St Louis", "Floor", "Austin"] {
            assert!(!is_street(part), "{part}");
        }
    }
}
