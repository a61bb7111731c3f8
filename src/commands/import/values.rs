//! What people write into cells, understood, and what to say where it is not.

use std::fmt::Write;

use chrono::NaiveDate;

use crate::applications::{CompanyCategory, JobSource, Status};

/// What is understood as a date.
pub const DATES: &str =
    "2026-11-20 is, and what --date-format says, such as --date-format %m/%d/%Y";
/// What is understood as an amount.
pub const MONEY: &str = "an amount in whole units is, such as 120000, $120,000 or 120k";
/// What is understood as yes or no.
pub const YES: &str = "yes and no are";

/// Text in lower case, letters and digits alone, for comparing words that people write each their own way.
pub fn plain(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

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

/// A date as `YYYY-MM-DD`: from that, from the start of a longer ISO moment, from `YYYY/MM/DD`, or from
/// what the caller says dates look like.
pub fn date(text: &str, format: Option<&str>) -> Option<String> {
    let parse = |text: &str, format: &str| NaiveDate::parse_from_str(text, format).ok();
    let day = text.get(..10).unwrap_or(text);
    let date = format
        .and_then(|format| parse(text, format))
        .or_else(|| parse(day, "%Y-%m-%d"))
        .or_else(|| parse(text, "%Y/%m/%d"))?;
    Some(date.to_string())
}

/// How dates are written, checked: what it writes of a day is read as that day.
///
/// # Errors
/// Why it is none.
pub fn date_format(format: &str) -> Result<String, String> {
    let day = NaiveDate::from_ymd_opt(2026, 11, 20).unwrap_or_default();
    let mut written = String::new();
    let is_one = write!(written, "{}", day.format(format)).is_ok()
        && NaiveDate::parse_from_str(&written, format) == Ok(day);
    match is_one {
        true => Ok(format.to_owned()),
        false => Err(
            "not a format of dates: say where the year, the month and the day stand, such as \
             %m/%d/%Y for 11/20/2026 or %d %b %Y for 20 Nov 2026"
                .to_owned(),
        ),
    }
}

/// A whole number.
pub fn whole(text: &str) -> Option<i64> {
    text.trim().parse().ok()
}

/// An amount of money in whole units: `120000`, `$120,000`, `120k`, `120.5k`, `120 000 EUR`. A number that
/// could be read in two ways, or of parts of a unit, is not understood.
pub fn money(text: &str) -> Option<i64> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let number: String = text[start..]
        .chars()
        .take_while(|c| c.is_ascii_digit() || is_mark(*c))
        .collect();
    let rest = &text[start + number.len()..];
    if text[..start].contains('-') || rest.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let unit = rest
        .split(|c: char| !c.is_alphabetic())
        .next()
        .unwrap_or_default();
    let thousands =
        number.ends_with(|c: char| c.is_ascii_digit()) && unit.eq_ignore_ascii_case("k");
    let (whole, hundredths) = split(number.trim_end_matches(is_mark))?;
    let factor = if thousands { 1000 } else { 1 };
    let hundredths = hundredths * factor;
    (hundredths % 100 == 0)
        .then(|| whole.checked_mul(factor)?.checked_add(hundredths / 100))
        .flatten()
}

fn is_mark(c: char) -> bool {
    matches!(c, ',' | '.' | ' ' | '\u{a0}' | '_' | '\'')
}

/// A number as its whole and its hundredths. Marks stand between groups of three digits, all but the first
/// whole; a last group of one or two digits behind a dot or a comma is a part.
fn split(number: &str) -> Option<(i64, i64)> {
    let (whole, parts) = match number.rfind(['.', ',']) {
        Some(at) if (1..=2).contains(&(number.len() - at - 1)) => {
            (&number[..at], format!("{:0<2}", &number[at + 1..]))
        }
        _ => (number, "0".to_owned()),
    };
    let groups: Vec<_> = whole.split(is_mark).collect();
    let (first, others) = groups.split_first()?;
    let grouped = others.is_empty() || (first.len() <= 3 && others.iter().all(|g| g.len() == 3));
    let whole = grouped.then(|| groups.concat().parse().ok()).flatten()?;
    Some((whole, parts.parse().ok()?))
}

/// Yes or no.
pub fn yes(text: &str) -> Option<bool> {
    match plain(text).as_str() {
        "yes" | "y" | "true" | "1" | "x" | "required" => Some(true),
        "no" | "n" | "false" | "0" | "notrequired" | "optional" => Some(false),
        _ => None,
    }
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
    fn money_is_read_as_people_write_it() {
        for text in [
            "120000",
            "$120,000",
            "120k",
            "120 000 EUR",
            "USD 120,000.00",
        ] {
            assert_eq!(money(text), Some(120_000), "{text}");
        }
        for text in ["", "competitive", "1.5.2", "99999999999999999999"] {
            assert_eq!(money(text), None, "{text}");
        }
    }

    #[test]
    fn a_format_of_dates_has_a_year_a_month_and_a_day() {
        for format in ["%m/%d/%Y", "%d.%m.%y", "%d %b %Y", "%F", "%B %e, %Y"] {
            assert!(date_format(format).is_ok(), "{format}");
        }
        for format in ["", "date", "%Q", "%", "%m/%d", "%H:%M", "%Y-%m-%d %H:%M"] {
            assert!(date_format(format).is_err(), "{format}");
        }
    }

    #[test]
    fn dates_are_iso_unless_told() {
        assert_eq!(
            date("2026-11-20T08:00:00Z", None).as_deref(),
            Some("2026-11-20")
        );
        assert_eq!(
            date("11/20/2026", Some("%m/%d/%Y")).as_deref(),
            Some("2026-11-20")
        );
        assert_eq!(date("11/20/2026", None), None);
        assert_eq!(date("2026-02-30", None), None);
    }
}
