//! What people write into cells, understood, and what to say where it is not.

use trestle_applications::{CompanyCategory, JobSource};
pub use trestle_applications::{status, statuses};
pub use trestle_rows::cells::{
    DATES, MONEY, YES, date, date_format, money, money_range, plain, whole, yes,
};

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
