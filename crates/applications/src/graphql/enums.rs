//! The enums of the schema, whose values are named after the stored words, and the order of a list.

use async_graphql::{Enum, InputObject};

use crate::store::{self, ListOrder, SortField};

/// Whether a list has archived applications.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "store::ArchivedFilter")]
pub enum ArchivedFilter {
    /// Only applications that are not archived.
    Exclude,
    /// Only archived applications.
    Only,
    /// Both.
    Include,
}

/// The order of a list of applications. Applications without a value come last. Every order but that by the last
/// change reads all matching applications, at most 10,000.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApplicationOrder {
    /// By last change, newest first.
    UpdatedAtDesc,
    /// By last change, oldest first.
    UpdatedAtAsc,
    /// By creation, newest first.
    CreatedAtDesc,
    /// By creation, oldest first.
    CreatedAtAsc,
    /// By date of application, latest first.
    DateAppliedDesc,
    /// By date of application, earliest first.
    DateAppliedAsc,
    /// By the date by which an offer must be answered, latest first.
    OfferDueDateDesc,
    /// By the date by which an offer must be answered, earliest first.
    OfferDueDateAsc,
    /// By company, ignoring case and accents, Z first.
    CompanyNameDesc,
    /// By company, ignoring case and accents, A first.
    CompanyNameAsc,
    /// By skills match, best first.
    SkillsMatchDesc,
    /// By skills match, worst first.
    SkillsMatchAsc,
    /// By highest salary, highest first.
    SalaryMaxDesc,
    /// By highest salary, lowest first.
    SalaryMaxAsc,
    /// By the time since when the application has its status, newest first.
    StatusSinceDesc,
    /// By the time since when the application has its status, oldest first.
    StatusSinceAsc,
    /// By date of the next action, latest first.
    NextActionDateDesc,
    /// By date of the next action, earliest first.
    NextActionDateAsc,
}

impl From<ApplicationOrder> for ListOrder {
    fn from(order: ApplicationOrder) -> Self {
        let (by, is_descending) = match order {
            ApplicationOrder::UpdatedAtDesc => (SortField::UpdatedAt, true),
            ApplicationOrder::UpdatedAtAsc => (SortField::UpdatedAt, false),
            ApplicationOrder::CreatedAtDesc => (SortField::CreatedAt, true),
            ApplicationOrder::CreatedAtAsc => (SortField::CreatedAt, false),
            ApplicationOrder::DateAppliedDesc => (SortField::DateApplied, true),
            ApplicationOrder::DateAppliedAsc => (SortField::DateApplied, false),
            ApplicationOrder::OfferDueDateDesc => (SortField::OfferDueDate, true),
            ApplicationOrder::OfferDueDateAsc => (SortField::OfferDueDate, false),
            ApplicationOrder::CompanyNameDesc => (SortField::CompanyName, true),
            ApplicationOrder::CompanyNameAsc => (SortField::CompanyName, false),
            ApplicationOrder::SkillsMatchDesc => (SortField::SkillsMatch, true),
            ApplicationOrder::SkillsMatchAsc => (SortField::SkillsMatch, false),
            ApplicationOrder::SalaryMaxDesc => (SortField::SalaryMax, true),
            ApplicationOrder::SalaryMaxAsc => (SortField::SalaryMax, false),
            ApplicationOrder::StatusSinceDesc => (SortField::StatusSince, true),
            ApplicationOrder::StatusSinceAsc => (SortField::StatusSince, false),
            ApplicationOrder::NextActionDateDesc => (SortField::NextActionDate, true),
            ApplicationOrder::NextActionDateAsc => (SortField::NextActionDate, false),
        };
        Self { by, is_descending }
    }
}

/// A field by which applications are sorted.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "SortField")]
pub enum ApplicationSortField {
    /// The last change.
    UpdatedAt,
    /// The creation.
    CreatedAt,
    /// The date of application.
    DateApplied,
    /// The date by which an offer must be answered.
    OfferDueDate,
    /// The company, ignoring case and accents.
    CompanyName,
    /// The skills match.
    SkillsMatch,
    /// The highest salary.
    SalaryMax,
    /// The time since when the application has its status.
    StatusSince,
    /// The date of the next action.
    NextActionDate,
}

/// The direction of an order.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortDirection {
    /// Lowest, oldest, or A first.
    Asc,
    /// Highest, newest, or Z first.
    Desc,
}

/// The order of a list of applications. Applications without a value come last. Every order but that by the last
/// change reads all matching applications, at most 10,000.
#[derive(InputObject, Clone, Copy, Debug)]
pub struct ApplicationSort {
    /// The field.
    field: ApplicationSortField,
    /// The direction.
    direction: SortDirection,
}

impl From<ApplicationSort> for ListOrder {
    fn from(sort: ApplicationSort) -> Self {
        ListOrder {
            by: sort.field.into(),
            is_descending: sort.direction == SortDirection::Desc,
        }
    }
}

/// The name of an enum value, from its stored word.
pub fn enum_name(word: &str) -> String {
    word.to_uppercase().replace([' ', '-'], "_")
}

#[cfg(test)]
mod tests {
    use async_graphql::resolver_utils::{EnumType, enum_value};

    use crate::model::{CompanyCategory, JobSource, Status};

    use super::*;

    fn name<T: EnumType>(value: &T) -> String {
        enum_value(*value).to_string()
    }

    #[test]
    fn every_word_becomes_its_name_in_the_schema() {
        for status in Status::ALL {
            assert_eq!(enum_name(status.word()), name(status));
        }
        for category in CompanyCategory::ALL {
            assert_eq!(enum_name(category.word()), name(category));
        }
        for source in JobSource::ALL {
            assert_eq!(enum_name(source.word()), name(source));
        }
    }
}
