//! What people and other trackers write for a status.

use crate::model::Status;

use trestle_rows::cells::plain;

use super::words::{means, value};

/// Signs that something is doubtful, or struck out: "Offer?", "~~Interview~~".
const DOUBTS: [char; 5] = ['?', '\u{bf}', '~', '%', '\u{336}'];
/// Signs that something is not the case: crosses, no entry, thumbs down.
const CROSSES: [char; 8] = ['✕', '✖', '✗', '✘', '❌', '⛔', '🚫', '👎'];

/// A status, by its own word or one that people and other trackers use for it.
pub fn status(text: &str) -> Option<Status> {
    let status = exact(text)
        .or_else(|| nearest(text))
        .or_else(|| in_phrase(text))?;
    let says_no = matches!(
        status,
        Status::Rejected | Status::NoOffer | Status::DeclinedOffer
    );
    let is_opposite = text.contains(CROSSES) && !says_no;
    (!is_opposite && !text.contains(DOUBTS)).then_some(status)
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

/// The most words of a phrase: whoever writes more, tells a story.
const LONGEST_PHRASE: usize = 12;
/// The word that a status has as a cell, and that negates others in a phrase.
const NEGATION: &str = "no";
const ARTICLES: [&str; 3] = ["a", "an", "the"];
/// A month, or what may happen.
const MAY: &str = "may";
/// The words that add nothing to a status, or to `any`.
const BESIDE: &str = "status, adds nothing";

/// The status of a phrase such as "Interview on Monday, 10 am"; `None` unless each of its words is one of the same status, or adds
/// nothing to it: what is not known may say the opposite.
fn in_phrase(text: &str) -> Option<Status> {
    let words = text.split(|c: char| !c.is_alphanumeric()).map(plain);
    let words = words.filter(|word| !word.is_empty() && !ARTICLES.contains(&word.as_str()));
    let mut words: Vec<_> = words.take(LONGEST_PHRASE + 1).collect();
    if words.len() > LONGEST_PHRASE {
        return None;
    }
    if has_date_in_may(&words) {
        words.retain(|word| word != MAY);
    }
    let mut found = None;
    let mut beside = Vec::new();
    let mut rest = words.as_slice();
    while let [first, others @ ..] = rest {
        let known = (1..=rest.len()).rev().find_map(|length| {
            let part = rest[..length].concat();
            let status = exact(&part).or_else(|| nearest(&part))?;
            Some((status, length))
        });
        match known {
            Some((_, 1)) if first == NEGATION => return None,
            Some((status, _)) if found.is_some_and(|found| found != status) => return None,
            Some((status, length)) => {
                found = Some(status);
                rest = &rest[length..];
            }
            None => {
                beside.push(first.as_str());
                rest = others;
            }
        }
    }
    found.filter(|status| add_nothing(&beside, *status))
}

/// Whether "may" stands beside a number, before or after it.
fn has_date_in_may(words: &[String]) -> bool {
    let mut pairs = words.windows(2);
    pairs.any(|pair| match pair {
        [first, second] if first == MAY => begins_with_digit(second),
        [first, second] if second == MAY => begins_with_digit(first),
        _ => false,
    })
}

fn begins_with_digit(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether words only say when or how a status began, or nothing: "Monday", "20th", "by email".
fn add_nothing(words: &[&str], status: Status) -> bool {
    // Who has accepted or declined something by email is not said.
    let may_say_how = ![Status::AcceptedOffer, Status::DeclinedOffer].contains(&status);
    let mut rest = words;
    while let [first, others @ ..] = rest {
        let is_how = may_say_how
            && means(BESIDE, first, "by")
            && others
                .first()
                .is_some_and(|medium| means(BESIDE, medium, "medium"));
        rest = match others {
            [_, others @ ..] if is_how => others,
            _ if is_time(first) => others,
            _ if means(BESIDE, first, "any") => others,
            _ if means(BESIDE, first, &plain(status.word())) => others,
            _ => return false,
        };
    }
    true
}

/// Whether a word is a part of a time or a number of something, such as 2026, 20th and 10am. There is nothing of which there are 0.
fn is_time(word: &str) -> bool {
    let number = word.trim_end_matches(char::is_alphabetic);
    let suffix = &word[number.len()..];
    let is_number = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
    is_number && word != "0" && (suffix.is_empty() || means(BESIDE, suffix, "any"))
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

    /// Every word that is understood as a status.
    fn known_words() -> Vec<&'static str> {
        let sections = ["status", "status, kept"];
        let words = sections.into_iter().flat_map(all).map(|(_, word)| word);
        words.collect()
    }

    #[test]
    fn a_phrase_is_read_by_its_known_words_if_the_others_add_nothing() {
        let words = known_words();
        for word in &words {
            let status = super::status(word);
            // A negation alone says nothing.
            let expected = status.filter(|_| *word != NEGATION);
            for phrase in [
                format!("{word} on Monday"),
                format!("Status: {word}!"),
                format!("{word} ({word})"),
                format!("{word} on 2026-11-20 at 10:30 am"),
                format!("the {word}, Nov 20th"),
                format!("{word} / 3"),
            ] {
                assert_eq!(super::status(&phrase), expected, "{phrase}");
                assert!(is_lost(&phrase));
            }
            for other in &words {
                let phrase = format!("{word} on {other}");
                let expected =
                    expected.filter(|_| status == super::status(other) && *other != NEGATION);
                assert_eq!(super::status(&phrase), expected, "{phrase}");
            }
        }
    }

    #[test]
    fn a_phrase_with_an_unknown_word_is_not_understood() {
        for word in known_words() {
            for around in [
                "not yet _",
                "_ not yet",
                "didn't get _",
                "don't want _",
                "never _",
                "no longer _",
                "no _ yet",
                "without _",
                "_ cancelled",
                "_ canceled",
                "_ rescinded",
                "_ expired",
                "_ revoked",
                "_ postponed",
                "someone else _",
                "_ someone else",
                "company _",
                "they _",
                "the recruiter _",
                "_ by the company",
                "expecting _",
                "hoping for _",
                "waiting for _",
                "almost _",
                "maybe _",
                "will be _",
                "if _",
                "before _",
                "after _",
                "until _",
                "kein _",
                "ще не _",
                "_ vielleicht",
                "_ xyzzy",
                "xyzzy _",
                "may be _",
                "0 _",
                "_: 0",
            ] {
                let phrase = around.replace('_', word);
                // The words together may be one that is known.
                let whole = phrase.replace("the ", "");
                let whole = exact(&whole).or_else(|| nearest(&whole));
                assert_eq!(super::status(&phrase), whole, "{phrase}");
                let dated = format!("{phrase}, on Monday 20 Nov");
                assert_eq!(super::status(&dated), whole, "{dated}");
            }
            for doubtful in [
                format!("{word}?"),
                format!("~~{word}~~"),
                format!("{word}: 50%"),
            ] {
                assert_eq!(super::status(&doubtful), None, "{doubtful}");
            }
        }
        for phrase in [
            "Hired someone else",
            "No offer yet",
            "Company declined",
            "Application accepted",
            "Offer rescinded",
            "Offer withdrawn",
            "Offer pending",
            "Offer sent",
            "Expecting an offer",
            "Not hired",
            "Hired: no",
            "No interview",
            "0 interviews",
            "Interviews: 0",
            "Interview cancelled",
            "Interviewed, waiting",
            "Waiting for interview",
            "Waiting for referral",
            "May interview",
            "Accepted 2nd round",
            "Accepted by email",
            "Declined by phone",
            "Accepted / Declined",
            "Rejected after interview",
            "Rejected offer",
            "No longer under consideration",
            "Turned down",
            "Sent email",
            "Offer ❌",
            "👎 Interview",
            "Hired?",
            "~~Applied~~",
            "Signed NDA",
        ] {
            assert_eq!(super::status(phrase), None, "{phrase}");
        }
    }

    #[test]
    fn phrases_of_real_lists_are_understood() {
        for (status, phrases) in [
            (
                Status::Unsubmitted,
                "Not applied yet; ⭐ Wishlist; To apply; 1. Saved",
            ),
            (
                Status::Applied,
                "Applied online; Applied via LinkedIn; Applied 11/20/2026; Applied on the company website; Resume sent; \
                 ✅ Applied; Applied on 3 May; Applied May 3rd, 2026; Applied with referral; Application in review; \
                 Applied - awaiting response; Waiting to hear back; No response yet; Submitted through the portal",
            ),
            (
                Status::Interviewing,
                "Interview on Monday; Interview scheduled on 20 Nov; Interview (2nd round); Round 2; Phone screen scheduled; \
                 Phone screen completed; Technical interview scheduled for Dec 1st at 10am; Hiring manager interview; \
                 HR interview; 1st round; Online assessment; Coding challenge; Interviewed; Video interview with HR; \
                 Final round scheduled; Recruiter call; Onsite (virtual)",
            ),
            (
                Status::Rejected,
                "Rejected - position filled; Rejected by email; Rejection received; Received a rejection letter; ❌ Rejected; \
                 Application rejected; Auto-rejected; Rejected by the company; 🚫 Closed",
            ),
            (
                Status::GivenOffer,
                "Got an offer; Received an offer; Verbal offer; Offer letter received; Job offer by phone; Offer! 🎉",
            ),
            (
                Status::AcceptedOffer,
                "Offer accepted on the 3rd; Accepted the offer; I accepted the offer; Job offer accepted; Signed the offer letter; Got hired",
            ),
            (
                Status::DeclinedOffer,
                "Declined the offer; I declined the offer; Job offer declined; Turned down the offer; I withdrew my application; Withdrawn on 11/20",
            ),
            (Status::NoOffer, "Ghosted 👻; 👎 Ghosted; No response"),
        ] {
            for phrase in phrases.split("; ") {
                assert_eq!(super::status(phrase), Some(status), "{phrase}");
            }
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
