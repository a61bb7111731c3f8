//! What people and other trackers write for a status.

use crate::model::Status;

use trestle_rows::cells::plain;

use super::words::value;

/// A status, by its own word or one that people and other trackers use for it.
pub fn status(text: &str) -> Option<Status> {
    exact(text)
        .or_else(|| nearest(text))
        .or_else(|| in_phrase(text))
}

/// Whether the text says something that its status, if it has one, does not.
pub fn is_lost(text: &str) -> bool {
    exact(text).is_none()
}

fn exact(text: &str) -> Option<Status> {
    value("status", text, Status::ALL, Status::word)
}

fn nearest(text: &str) -> Option<Status> {
    value("status, kept", text, Status::ALL, Status::word)
}

/// Words that say that something is not, or not yet, the case.
const NEGATIONS: [&str; 7] = ["no", "not", "never", "without", "before", "until", "unless"];

/// The most words of a phrase: whoever writes more, tells a story.
const LONGEST_PHRASE: usize = 12;

/// The status of a phrase of which one part is known, such as "Interview on Monday"; `None` if another part is of another status,
/// or the phrase says that something is not the case.
fn in_phrase(text: &str) -> Option<Status> {
    let words = text.split(|c: char| !c.is_alphanumeric()).map(plain);
    let words = words.filter(|word| !word.is_empty());
    let words: Vec<_> = words.take(LONGEST_PHRASE + 1).collect();
    if words.len() > LONGEST_PHRASE {
        return None;
    }
    let mut found = None;
    let mut rest = words.as_slice();
    while let [first, others @ ..] = rest {
        let known = (1..=rest.len()).rev().find_map(|length| {
            let part = rest[..length].concat();
            let status = exact(&part).or_else(|| nearest(&part))?;
            Some((status, length))
        });
        match known {
            Some((_, 1)) | None if NEGATIONS.contains(&first.as_str()) => return None,
            Some((status, _)) if found.is_some_and(|found| found != status) => return None,
            Some((status, length)) => {
                found = Some(status);
                rest = &rest[length..];
            }
            None => rest = others,
        }
    }
    found
}

/// What is understood as a status.
pub fn statuses() -> String {
    let words: Vec<_> = Status::ALL.iter().map(|status| status.word()).collect();
    let words = words.join(", ");
    format!("{words} are, and words such as sent, phone screen or offer received")
}

#[cfg(test)]
mod tests {
    use super::super::words::all;
    use super::*;

    #[test]
    fn every_status_is_understood_in_every_spelling() {
        for status in Status::ALL {
            let word = status.word();
            assert_eq!(super::status(word), Some(*status));
            assert_eq!(
                super::status(&word.to_uppercase().replace(' ', "_")),
                Some(*status)
            );
        }
        assert_eq!(super::status("Offer received!"), Some(Status::GivenOffer));
        assert_eq!(super::status("maybe"), None);
    }

    #[test]
    fn a_phrase_with_one_known_word_is_read_by_it() {
        let mut words = Vec::new();
        for section in ["status", "status, kept"] {
            for (_, word) in all(section) {
                words.push(word);
            }
        }
        for word in &words {
            let status = super::status(word);
            // A negation alone says nothing.
            let expected = status.filter(|_| !NEGATIONS.contains(word));
            for phrase in [
                format!("{word} on Monday"),
                format!("Their answer: {word}!"),
                format!("Acme - {word} ({word})"),
            ] {
                assert_eq!(super::status(&phrase), expected, "{phrase}");
                assert!(is_lost(&phrase));
            }
            for negation in NEGATIONS {
                let phrase = format!("It is {negation} yet {word}");
                assert_eq!(super::status(&phrase), None, "{phrase}");
            }
            for other in &words {
                let phrase = format!("{word} after {other}");
                let expected = expected
                    .filter(|_| status == super::status(other) && !NEGATIONS.contains(other));
                assert_eq!(super::status(&phrase), expected, "{phrase}");
            }
        }
        for (phrase, status) in [
            ("Not applied yet", Some(Status::Unsubmitted)),
            ("Rejected - position filled", Some(Status::Rejected)),
            ("Rejected after interview", None),
            ("No longer under consideration", None),
            ("Turned down", None),
        ] {
            assert_eq!(super::status(phrase), status, "{phrase}");
            assert!(is_lost(phrase));
        }
    }

    #[test]
    fn the_words_of_other_trackers_are_understood() {
        for (word, status) in [
            ("Wishlist", Status::Unsubmitted),
            ("Bookmarked", Status::Unsubmitted),
            ("Applying", Status::Unsubmitted),
            ("Negotiating", Status::GivenOffer),
            ("Offers", Status::GivenOffer),
            ("Accepted", Status::AcceptedOffer),
            ("I Withdrew", Status::DeclinedOffer),
            ("Not Selected", Status::Rejected),
            ("No Response", Status::NoOffer),
            ("Not started", Status::Unsubmitted),
            ("1st Interview", Status::Interviewing),
            ("Take-home", Status::Interviewing),
        ] {
            assert_eq!(super::status(word), Some(status), "{word}");
        }
    }
}
