//! The enums of the schema, with the words of the table as their values' names in capitals.

use async_graphql::Enum;

use crate::applications::model;
use crate::applications::store;

/// Where an application stands. Any may follow any other: people correct mistakes.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "model::Status")]
pub enum ApplicationStatus {
    /// Not sent yet.
    Unsubmitted,
    /// Sent, no answer yet.
    Applied,
    /// Turned down before an offer.
    Rejected,
    /// In interviews.
    Interviewing,
    /// The company made an offer.
    GivenOffer,
    /// The offer was accepted.
    AcceptedOffer,
    /// The offer was declined.
    DeclinedOffer,
    /// Interviews ended without an offer.
    NoOffer,
}

/// What a company does.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "model::CompanyCategory")]
pub enum CompanyCategory {
    /// Schools, universities, learning.
    Education,
    /// Medicine and care.
    Health,
    /// Climate and environment.
    Climate,
    /// Artificial intelligence.
    Ai,
    /// Energy.
    Energy,
    /// Banks, insurance, payments.
    Finance,
    /// Software for companies.
    EnterpriseSoftware,
    /// Technology for consumers.
    ConsumerTech,
    /// Selling over the internet.
    ECommerce,
    /// Security of computers and networks.
    Cybersecurity,
    /// Games.
    Gaming,
    /// Media and entertainment.
    MediaEntertainment,
    /// Advice to other companies.
    Consulting,
    /// Public administration.
    Government,
    /// Organisations that do not work for profit.
    Nonprofit,
    /// Shops.
    Retail,
    /// Restaurants.
    Restaurant,
    /// Hotels and travel.
    Hospitality,
    /// Anything else.
    Other,
}

/// How someone came to know of a job.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "model::JobSource")]
pub enum JobSource {
    /// A recruiter wrote or called.
    Recruiter,
    /// LinkedIn.
    Linkedin,
    /// Indeed.
    Indeed,
    /// A friend.
    Friend,
    /// A colleague.
    Colleague,
    /// The company's own website.
    CompanyWebsite,
    /// Anything else.
    Other,
}

/// Whether a list has the archived applications.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "store::ArchivedFilter")]
pub enum ArchivedFilter {
    /// Only what is not archived.
    Exclude,
    /// Only what is archived.
    Only,
    /// Both.
    Include,
}

/// The order of a list of applications.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApplicationOrder {
    /// The newest update first.
    UpdatedAtDesc,
    /// The oldest update first.
    UpdatedAtAsc,
}

impl From<ApplicationOrder> for store::ListOrder {
    fn from(order: ApplicationOrder) -> Self {
        match order {
            ApplicationOrder::UpdatedAtDesc => store::ListOrder::NewestFirst,
            ApplicationOrder::UpdatedAtAsc => store::ListOrder::OldestFirst,
        }
    }
}

/// The name in the schema of what the table and people call by `word`.
pub fn enum_name(word: &str) -> String {
    word.to_uppercase().replace([' ', '-'], "_")
}

#[cfg(test)]
mod tests {
    use async_graphql::resolver_utils::{EnumType, enum_value};

    use super::*;

    fn name<T: EnumType>(value: T) -> String {
        enum_value(value).to_string()
    }

    #[test]
    fn every_word_becomes_its_name_in_the_schema() {
        for status in model::Status::ALL {
            assert_eq!(
                enum_name(status.word()),
                name(ApplicationStatus::from(*status))
            );
        }
        for category in model::CompanyCategory::ALL {
            assert_eq!(
                enum_name(category.word()),
                name(CompanyCategory::from(*category))
            );
        }
        for source in model::JobSource::ALL {
            assert_eq!(enum_name(source.word()), name(JobSource::from(*source)));
        }
    }
}
