//! What position a headline asks for: the one that people look for, not the one that they have.

use super::named::names_listed_occupation;
use super::position::names_occupation;

/// What stands before the position that someone wants to change to.
const BECOMING: [&str; 13] = [
    "into",
    "become",
    "becoming",
    "looking to switch to",
    "career change to",
    "to be a",
    "to be an",
    "to work as",
    "turned",
    "aspiring",
    "future",
    ", learning",
    "currently learning",
];

/// What stands before the position that someone looks for, or before words that name none: `looking for a job`.
const LOOKING: [&str; 32] = [
    "looking for",
    "searching for",
    "in search of",
    "seeking",
    "open to",
    "open for",
    "available",
    "available for",
    "available as",
    "opentowork",
    "moving to",
    "relocating to",
    "switching to",
    "changing to",
    "switch to",
    "transitioning to",
    "transitioning into",
    "transition to",
    "transition into",
    "returning to",
    "return to",
    "going back to",
    "getting back into",
    "back to",
    "interested in",
    "applying for",
    "want to work in",
    "wanting",
    "needing",
    "need a",
    "want a",
    "hoping for",
];

/// What stands after a position and is about the person.
const AFTER: [&str; 9] = [
    " that ",
    " which ",
    " whose ",
    " with ",
    " who ",
    " after ",
    " using ",
    " because ",
    " where ",
];

/// Words for a position that do not say which one.
const POSITIONS: &str = "job jobs role roles position positions opportunity opportunities challenge challenges opening openings \
                         employment gig gigs vacancy vacancies";

/// Words before or after a position that do not say which one it is.
const EMPTY: &str = "a an the and or as in at for of to my new next another other any some great good exciting interesting now asap \
                     immediate immediately currently actively soon work working job-offers offers remote remotely hybrid onsite \
                     on-site full-time fulltime full part-time parttime part time permanent temporary contract contracts freelance \
                     paid relocation relocate relocating career hire hiring";

/// Words at the end of what stands before a search: `Nurse, currently looking for a job`.
const JOINTS: &str = "and but am is i'm i currently actively now also presently moving move looking hoping wants wanting to";

/// The part of a headline that names the position; empty if it only says that some position is wanted.
pub fn sought(headline: &str) -> String {
    let lower = headline.to_lowercase();
    if lower.len() != headline.len() {
        return headline.to_owned();
    }
    let becoming = last(&lower, &BECOMING).map(|found| (found, false));
    let looking = last(&lower, &LOOKING).map(|found| (found, true));
    // The one that ends last, and of two that end there, the longer one.
    let found = becoming
        .into_iter()
        .chain(looking)
        .max_by_key(|((start, end), _)| (*end, std::cmp::Reverse(*start)));
    let Some(((start, end), is_search)) = found else {
        return without_person(headline).to_owned();
    };
    let rest = headline.get(end..).unwrap_or_default();
    let before = without_joints(headline.get(..start).unwrap_or_default());
    if rest.trim().is_empty() && before.is_empty() {
        return headline.to_owned();
    }
    let rest = without_person(rest);
    let wanted = without_empty(rest);
    match is_search {
        false if !wanted.is_empty() => return rest.to_owned(),
        true if names_occupation(wanted) || names_listed_occupation(wanted) => {
            return wanted.to_owned();
        }
        _ => {}
    }
    // The text before is shorter.
    match sought(before) {
        position if position.is_empty() => wanted.to_owned(),
        position => position,
    }
}

/// The last of some phrases in a text in lower case: where it starts and ends.
fn last(text: &str, phrases: &[&str]) -> Option<(usize, usize)> {
    let inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let found = phrases.iter().flat_map(|phrase| {
        text.match_indices(phrase).filter_map(|(at, phrase)| {
            let end = at + phrase.len();
            let before = text.get(..at)?.chars().next_back();
            let after = text.get(end..)?.chars().next();
            let is_word = phrase.starts_with(',') || !inside(before);
            (is_word && !inside(after)).then_some((at, end))
        })
    });
    found.max_by_key(|(start, end)| (*end, std::cmp::Reverse(*start)))
}

/// The text without what follows about the person; all of it if nothing else is there.
fn without_person(text: &str) -> &str {
    let lower = text.to_lowercase();
    let end = AFTER.iter().filter_map(|phrase| lower.find(phrase)).min();
    let position = end.and_then(|end| text.get(..end)).map(str::trim);
    position
        .filter(|text| !text.is_empty())
        .unwrap_or(text.trim())
}

fn is_one_of(words: &str, word: &str) -> bool {
    let word = word.trim_matches(is_mark).to_lowercase();
    word.is_empty() || words.split_whitespace().any(|other| other == word)
}

fn is_mark(c: char) -> bool {
    !c.is_alphanumeric() && !matches!(c, '+' | '#')
}

/// `my next opportunity as a project manager`: the project manager; `data analyst roles in Boston`: the data analyst.
fn without_empty(text: &str) -> &str {
    let is_empty = |word: &str| is_one_of(EMPTY, word) || is_one_of(POSITIONS, word);
    let mut rest = text.trim();
    while let Some(first) = rest.split_whitespace().next().filter(|word| is_empty(word)) {
        rest = rest.get(first.len()..).unwrap_or_default().trim_start();
    }
    let cut = rest
        .split_whitespace()
        .find(|word| is_one_of(POSITIONS, word));
    // The word is a part of the text.
    let end = cut.map(|word| word.as_ptr().addr() - rest.as_ptr().addr());
    let position = end.and_then(|end| rest.get(..end)).unwrap_or(rest);
    position.trim_matches(|c: char| c.is_whitespace() || ",;:-–—|/(".contains(c))
}

fn without_joints(text: &str) -> &str {
    let mut rest = text.trim();
    while let Some(last) = rest
        .split_whitespace()
        .next_back()
        .filter(|word| is_one_of(JOINTS, word))
    {
        rest = rest.strip_suffix(last).unwrap_or_default().trim_end();
    }
    rest.trim_matches(|c: char| c.is_whitespace() || ",;:-–—|/(#".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_headline_names_the_position_that_is_looked_for() {
        for (headline, position) in [
            ("Data engineer", "Data engineer"),
            ("Teacher looking to move into UX design", "UX design"),
            ("Nurse, learning to code", "to code"),
            ("Machine learning engineer", "Machine learning engineer"),
            ("Chef turned front-end developer", "front-end developer"),
            ("Accountant with 10 years in audit", "Accountant"),
            ("Aspiring product manager", "product manager"),
            (
                "I want to leave teaching and become a data analyst",
                "a data analyst",
            ),
            ("I would like to be a nurse because I like people", "nurse"),
            (
                "Hoping to break into product management",
                "product management",
            ),
            ("Seeking ", "Seeking "),
            ("Refuturing lead", "Refuturing lead"),
        ] {
            assert_eq!(sought(headline), position, "{headline}");
        }
    }

    #[test]
    fn words_about_a_search_name_no_position() {
        for (headline, position) in [
            (
                "Software engineer looking for remote opportunities",
                "Software engineer",
            ),
            ("Software engineer looking for a job", "Software engineer"),
            (
                "Registered nurse seeking full-time position",
                "Registered nurse",
            ),
            ("Accountant open to new opportunities", "Accountant"),
            (
                "Experienced accountant seeking new challenges",
                "Experienced accountant",
            ),
            (
                "Product manager seeking my next challenge",
                "Product manager",
            ),
            ("Data scientist, looking for a new role", "Data scientist"),
            (
                "Data scientist seeking opportunities in San Francisco",
                "Data scientist",
            ),
            ("Chef available immediately", "Chef"),
            ("Chef, available", "Chef"),
            ("Chef (open to work)", "Chef"),
            ("Chef #OpenToWork", "Chef"),
            ("Teacher looking for a job", "Teacher"),
            ("Open to work: software engineer", "software engineer"),
            (
                "Software engineer seeking a new role in fintech",
                "Software engineer",
            ),
            (
                "Looking for my next opportunity as a project manager",
                "project manager",
            ),
            ("Actively seeking project manager roles", "project manager"),
            ("Teacher transitioning to a new school", "Teacher"),
            ("Teacher transitioning to data analyst", "data analyst"),
            ("Nurse moving into a new role", "Nurse"),
            (
                "Nurse currently seeking a job and open to relocation",
                "Nurse",
            ),
            (
                "Engineer in test seeking a management role",
                "Engineer in test",
            ),
            ("Teacher seeking UX designer jobs in Austin", "UX designer"),
            ("Social worker seeking work", "Social worker"),
            ("Seeking supply chain roles", "supply chain"),
            ("Looking for a job", ""),
            ("Open to work", ""),
        ] {
            assert_eq!(sought(headline), position, "{headline}");
        }
    }
}
