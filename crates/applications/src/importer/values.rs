//! What people write into cells, understood, and what to say where it is not.

use crate::model::{CompanyCategory, JobSource};
pub(super) use trestle_rows::cells::{MONEY, YES, plain, yes};

use super::words::value;

/// What is understood as a category.
pub(super) fn company_categories() -> String {
    let words = CompanyCategory::ALL.iter().map(|category| category.word());
    joined(words) + " are"
}

/// What is understood as a source.
pub(super) fn job_sources() -> String {
    let words = JobSource::ALL.iter().map(|source| source.word());
    joined(words) + " are"
}

/// What is understood as remote or not.
pub(super) const REMOTE: &str = "yes, no, remote and on-site are";

/// Whether a job can be done remotely. Hybrid is neither.
pub(super) fn remote(text: &str) -> Option<bool> {
    value("remote", text, &[true, false], |is_remote| {
        if is_remote { "yes" } else { "no" }
    })
    .or_else(|| yes(text))
}

/// The tags of a cell, separated by commas or semicolons.
pub(super) fn tags(text: &str) -> Vec<String> {
    let tags = text.split([',', ';']).map(str::trim);
    tags.filter(|tag| !tag.is_empty())
        .map(str::to_owned)
        .collect()
}

/// What is understood as a rating.
pub(super) const RATING: &str = "a whole number is, such as 4 or 4/5";

/// A whole number, perhaps of five: `4`, `4/5`.
pub(super) fn rating(text: &str) -> Option<i64> {
    let (number, rest) = text.split_once('/').unwrap_or((text, "5"));
    let number = number.trim().parse().ok()?;
    (rest.trim() == "5").then_some(number)
}

fn joined(words: impl Iterator<Item = &'static str>) -> String {
    words.collect::<Vec<_>>().join(", ")
}

/// A category, by its own word.
pub(super) fn company_category(text: &str) -> Option<CompanyCategory> {
    value("", text, CompanyCategory::ALL, CompanyCategory::word)
}

/// A source, by its own word or one that people use for it.
pub(super) fn job_source(text: &str) -> Option<JobSource> {
    value("source", text, JobSource::ALL, JobSource::word)
}
