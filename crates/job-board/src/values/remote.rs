//! Work from home in places as people write them: `Austin, TX (Remote)`, `Anywhere in the US`.

use super::city::plain;
use super::region::Country;

/// Words for work from home, the longer ones first.
const REMOTE: [&str; 15] = [
    "work from anywhere",
    "work anywhere",
    "telecommuting",
    "telecommute",
    "teleworking",
    "telework",
    "working from home",
    "fully remote",
    "100% remote",
    "work from home",
    "home office",
    "remotely",
    "remote",
    "anywhere",
    "wfh",
];

/// Words between those for work from home and where it is possible.
const BETWEEN: [&str; 10] = [
    "in",
    "within",
    "across",
    "throughout",
    "from",
    "or",
    "and",
    "only",
    "-",
    "",
];
/// Where work is possible anywhere.
const EVERYWHERE: [&str; 6] = [
    "the world",
    "world",
    "worldwide",
    "global",
    "globally",
    "anywhere",
];

/// The text without words for work from home, and whether it had one: `Remote, anywhere in the US` is `US`.
pub fn without_remote(text: &str) -> (String, bool) {
    let (mut rest, is_remote) = without_one(text);
    // Each has at least one letter less.
    while let (shorter, true) = without_one(&rest) {
        rest = shorter;
    }
    if !is_remote {
        return (rest, false);
    }
    let lower = rest.to_lowercase();
    if lower.len() == rest.len() && lower.ends_with(" only") {
        rest.truncate(rest.len() - " only".len());
    }
    // The Hague is a city.
    let named = rest.get(4..).filter(|_| lower.starts_with("the "));
    if let Some(country) = named.filter(|named| Country::named(named).is_some()) {
        rest = country.to_owned();
    }
    if EVERYWHERE.contains(&plain(&rest).as_str()) {
        (String::new(), true)
    } else {
        (rest, true)
    }
}

/// Whether this is what earlier versions took for a city in places from which one works from home: the `the` of `Anywhere in
/// the US`, the `Work from` of `Work from anywhere`.
pub fn is_rest_of_remote(city: &str) -> bool {
    const WORDS: [&str; 12] = [
        "the",
        "work",
        "working",
        "from",
        "in",
        "within",
        "across",
        "throughout",
        "anywhere",
        "only",
        "and",
        "or",
    ];
    let name = plain(city);
    // `the United States`, as it stands inside a text.
    let country = city.strip_prefix("the ").and_then(Country::by_name);
    name.split(' ').all(|word| WORDS.contains(&word)) || country.is_some()
}

fn without_one(text: &str) -> (String, bool) {
    let lower = text.to_lowercase();
    let same_length = lower.len() == text.len();
    let is_word = |at: usize, length: usize| {
        let before = lower.get(..at).and_then(|text| text.chars().next_back());
        let after = lower
            .get(at + length..)
            .and_then(|text| text.chars().next());
        let inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        !inside(before) && !inside(after)
    };
    let found = REMOTE.iter().find_map(|words| {
        let at = lower.find(words)?;
        is_word(at, words.len()).then_some((at, words.len()))
    });
    let (Some((at, length)), true) = (found, same_length) else {
        return (text.trim().to_owned(), false);
    };
    let is_joint = |c: char| !c.is_alphanumeric() && c != '.';
    let before = text
        .get(..at)
        .unwrap_or_default()
        .trim_end_matches(is_joint);
    let after = text
        .get(at + length..)
        .unwrap_or_default()
        .trim_matches(is_joint);
    let mut words: Vec<_> = after.split(' ').collect();
    let is_between = |word: &&str| BETWEEN.contains(&word.to_lowercase().as_str());
    while words.first().is_some_and(is_between) {
        words.remove(0);
    }
    let after = words.join(" ");
    let mut rest = before.trim().to_owned();
    if let Some(first) = rest.strip_suffix(" or") {
        rest = first.to_owned();
    }
    if !after.is_empty() {
        rest = [rest, after]
            .iter()
            .filter(|part| !part.is_empty())
            .cloned()
            .collect::<Vec<_>>()
            .join(", ");
    }
    (rest, true)
}
