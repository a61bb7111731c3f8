//! Streets that people write before a city.

use super::city::plain;

/// Whether this is a street with its number, or a part of a building: `123 Main St`. `100 Mile House` is a city.
pub fn is_street(part: &str) -> bool {
    const STREETS: &str = "street st avenue ave av road rd boulevard blvd drive dr lane ln way court ct plaza square sq highway hwy \
                           parkway pkwy broadway terrace place pl";
    const PARTS: &str = "suite ste unit apt apartment floor building bldg";
    let is_in = |words: &str, word: &str| words.split_whitespace().any(|other| other == word);
    let name = plain(part);
    let words: Vec<&str> = name.split(' ').collect();
    let begins_with_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
    let has_number = |mut words: std::slice::Iter<'_, &str>| words.any(begins_with_number);
    match words.as_slice() {
        [first, rest @ ..] if begins_with_number(first) => rest
            .iter()
            .any(|word| is_in(STREETS, word) || is_in(PARTS, word)),
        [first, rest @ ..] => is_in(PARTS, first) && has_number(rest.iter()),
        [] => false,
    }
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
