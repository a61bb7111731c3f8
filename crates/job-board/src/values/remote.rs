//! Work from home in places as people write them: `Austin, TX (Remote)`, `Anywhere in the US`.

use trestle_places::Country;

use super::city::plain;

/// Words for work from home, the longer ones first.
const REMOTE: [&str; 16] = [
    "work from anywhere",
    "from anywhere",
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

/// What a text says of work from home.
pub struct Remote {
    /// The text without its words: `Remote, anywhere in the US` is `the US`.
    pub rest: String,
    /// Whether it is possible.
    pub is_remote: bool,
    /// Whether it is possible in every country: `Work from anywhere`, `Remote worldwide`.
    pub is_worldwide: bool,
}

impl Remote {
    /// Reads a text.
    pub fn read(text: &str) -> Self {
        let (mut rest, is_remote) = without_one(text);
        // Each has at least one letter less.
        while let (shorter, true) = without_one(&rest) {
            rest = shorter;
        }
        let lower = rest.to_lowercase();
        if is_remote && lower.len() == rest.len() && lower.ends_with(" only") {
            rest.truncate(rest.len() - " only".len());
        }
        let is_everywhere = EVERYWHERE.contains(&plain(&rest).as_str());
        let is_from_anywhere = rest.is_empty() && plain(text).contains("from anywhere");
        if is_remote && is_everywhere {
            rest.clear();
        }
        Self {
            rest,
            is_remote,
            is_worldwide: is_remote && (is_everywhere || is_from_anywhere),
        }
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
    let country = city.strip_prefix("the ").and_then(Country::named);
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
