//! What people and other trackers write for a status.

use trestle_rows::cells::plain;

use crate::model::Status;

/// A status, by its own word or one that people and other trackers use for it.
pub fn status(text: &str) -> Option<Status> {
    let word = plain(text);
    let own = Status::ALL
        .iter()
        .copied()
        .find(|status| plain(status.word()) == word);
    own.or(match word.as_str() {
        "toapply" | "notapplied" | "notstarted" | "wishlist" | "saved" | "bookmarked" | "draft"
        | "todo" | "interested" | "new" | "list" | "applying" | "readytoapply" | "planned"
        | "considering" | "researching" => Some(Status::Unsubmitted),
        "submitted"
        | "sent"
        | "pending"
        | "inreview"
        | "underreview"
        | "waiting"
        | "active"
        | "applicationsent"
        | "applicationsubmitted"
        | "awaitingresponse"
        | "awaitingreply" => Some(Status::Applied),
        "rejection"
        | "denied"
        | "no"
        | "closed"
        | "notselected"
        | "turneddownbycompany"
        | "iwasrejected"
        | "unsuccessful"
        | "positionfilled"
        | "positionclosed" => Some(Status::Rejected),
        "interview" | "interviews" | "phonescreen" | "phoneinterview" | "screening" | "onsite"
        | "inprogress" | "assessment" | "technicalinterview" | "finalround" | "recruiterscreen"
        | "takehome" | "takehometest" | "takehomeassignment" | "firstinterview"
        | "1stinterview" | "secondinterview" | "2ndinterview" | "thirdinterview"
        | "3rdinterview" | "finalinterview" | "onsiteinterview" | "technicalscreen" => {
            Some(Status::Interviewing)
        }
        "offer" | "offers" | "offered" | "offerreceived" | "receivedoffer" | "offerextended"
        | "negotiating" | "negotiation" => Some(Status::GivenOffer),
        "accepted" | "offeraccepted" | "hired" | "signed" | "iaccepted" => {
            Some(Status::AcceptedOffer)
        }
        "declined"
        | "offerdeclined"
        | "withdrawn"
        | "withdrew"
        | "iwithdrew"
        | "ideclined"
        | "applicationwithdrawn"
        | "withdrewapplication" => Some(Status::DeclinedOffer),
        "ghosted" | "noresponse" | "noreply" => Some(Status::NoOffer),
        _ => None,
    })
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
