//! The texts in which applications are searched.

use crate::model::{Application, Field};

/// The attributes of an application that filters and searches look into for words. Searches look into stages as well.
pub(in crate::store) const TEXTS: [&str; 11] = [
    "companyName",
    "positionTitle",
    "specialRequirements",
    "notes",
    "nextAction",
    "companyUrl",
    "jobPostingUrl",
    "companyCareerUrl",
    "tags",
    "location",
    "postingText",
];

/// The texts of an application by their attributes, also those that cannot be read otherwise.
pub(in crate::store) fn texts(
    application: &Application,
) -> impl Iterator<Item = (&'static str, String)> {
    fn text<T>(field: &Field<T>) -> String {
        field.text()
    }
    let details = &application.details;
    // In the order of `TEXTS`.
    let texts = [
        text(&details.company_name),
        text(&details.position_title),
        text(&details.special_requirements),
        text(&details.notes),
        text(&details.next_action),
        text(&details.company_url),
        text(&details.job_posting_url),
        text(&details.company_career_url),
        text(&details.tags),
        text(&details.location),
        text(&details.posting_text),
    ];
    TEXTS.into_iter().zip(texts)
}
