//! What people write into cells, understood, and what to say where it is not.

use trestle_applications::{CompanyCategory, JobSource, Status};
pub use trestle_rows::cells::{
    DATES, MONEY, YES, date, date_format, money, money_range, plain, whole, yes,
};

/// A status, by its own word or one that people use for it.
pub fn status(text: &str) -> Option<Status> {
    let word = plain(text);
    let own = Status::ALL
        .iter()
        .copied()
        .find(|status| plain(status.word()) == word);
    own.or(match word.as_str() {
        "toapply" | "notapplied" | "notstarted" | "wishlist" | "saved" | "bookmarked" | "draft"
        | "todo" | "interested" | "new" => Some(Status::Unsubmitted),
        "submitted" | "sent" | "pending" | "inreview" | "underreview" | "waiting" | "active"
        | "applicationsent" => Some(Status::Applied),
        "rejection" | "denied" | "no" | "closed" | "notselected" | "turneddownbycompany" => {
            Some(Status::Rejected)
        }
        "interview" | "interviews" | "phonescreen" | "phoneinterview" | "screening" | "onsite"
        | "inprogress" | "assessment" | "technicalinterview" | "finalround" => {
            Some(Status::Interviewing)
        }
        "offer" | "offered" | "offerreceived" | "receivedoffer" => Some(Status::GivenOffer),
        "accepted" | "offeraccepted" | "hired" | "signed" => Some(Status::AcceptedOffer),
        "declined" | "offerdeclined" | "withdrawn" | "withdrew" => Some(Status::DeclinedOffer),
        "ghosted" | "noresponse" | "noreply" => Some(Status::NoOffer),
        _ => None,
    })
}

/// What is understood as a status.
pub fn statuses() -> String {
    let words = joined(Status::ALL.iter().map(|status| status.word()));
    format!("{words} are, and words such as sent, phone screen or offer received")
}

/// What is understood as a category.
pub fn company_categories() -> String {
    let words = CompanyCategory::ALL.iter().map(|category| category.word());
    joined(words) + " are"
}

/// What is understood as a source.
pub fn job_sources() -> String {
    let words = JobSource::ALL.iter().map(|source| source.word());
    joined(words) + " are"
}

/// What is understood as remote or not.
pub const REMOTE: &str = "yes, no, remote and on-site are";

/// Whether a job can be done remotely. Hybrid is neither.
pub fn remote(text: &str) -> Option<bool> {
    match plain(text).as_str() {
        "remote" | "fullyremote" | "remotefirst" => Some(true),
        "onsite" | "inoffice" | "office" | "inperson" => Some(false),
        _ => yes(text),
    }
}

/// The tags of a cell, separated by commas or semicolons.
pub fn tags(text: &str) -> Vec<String> {
    let tags = text.split([',', ';']).map(str::trim);
    tags.filter(|tag| !tag.is_empty())
        .map(str::to_owned)
        .collect()
}

fn joined(words: impl Iterator<Item = &'static str>) -> String {
    words.collect::<Vec<_>>().join(", ")
}

/// A category, by its own word.
pub fn company_category(text: &str) -> Option<CompanyCategory> {
    let word = plain(text);
    CompanyCategory::ALL
        .iter()
        .copied()
        .find(|category| plain(category.word()) == word)
}

/// A source, by its own word or one that people use for it.
pub fn job_source(text: &str) -> Option<JobSource> {
    let word = plain(text);
    let own = JobSource::ALL
        .iter()
        .copied()
        .find(|source| plain(source.word()) == word);
    own.or(match word.as_str() {
        "website" | "careerspage" | "careerpage" | "company" => Some(JobSource::CompanyWebsite),
        "referral" | "friends" => Some(JobSource::Friend),
        "coworker" | "formercolleague" => Some(JobSource::Colleague),
        "headhunter" | "agency" => Some(JobSource::Recruiter),
        _ => None,
    })
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
}
