//! What people and other trackers write for a status.

use crate::model::Status;

use super::words::value;

/// A status, by its own word or one that people and other trackers use for it.
pub fn status(text: &str) -> Option<Status> {
    value("status", text, Status::ALL, Status::word).or_else(|| nearest(text))
}

/// Whether the word says something that its status does not.
pub fn is_lost(text: &str) -> bool {
    value("status", text, Status::ALL, Status::word).is_none() && nearest(text).is_some()
}

fn nearest(text: &str) -> Option<Status> {
    value("status, kept", text, Status::ALL, Status::word)
}

/// What is understood as a status.
pub fn statuses() -> String {
    let words: Vec<_> = Status::ALL.iter().map(|status| status.word()).collect();
    let words = words.join(", ");
    format!("{words} are, and words such as sent, phone screen or offer received")
}

#[cfg(test)]
mod tests {
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
