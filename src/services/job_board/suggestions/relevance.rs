//! How well a job fits a seeker: points by rules, explained, and cut into three levels.

use async_graphql::SimpleObject;
use serde::{Deserialize, Serialize};

use crate::domain::{Day, Text};
use crate::services::job_board::jobs::{Job, day_of};
use crate::services::job_board::seekers::Seeker;
use crate::services::job_board::values::{Place, mentioned, words};
use crate::words;

words! {
    /// How relevant a suggestion is.
    Relevance {
        /// The most relevant: 55 points or more.
        R1 = "R1",
        /// 30 to 54 points.
        R2 = "R2",
        /// 10 to 29 points.
        R3 = "R3",
    }

    /// A rule that gives points to a suggestion.
    RelevanceRule {
        /// Skills in common: up to 40 points.
        Skills = "SKILLS",
        /// Words of the headline in the title: up to 15 points.
        Title = "TITLE",
        /// A city in common: 15 points.
        City = "CITY",
        /// A neighbouring zip code: 5 points.
        Zip = "ZIP",
        /// The pay is acceptable: 10 points.
        Pay = "PAY",
        /// The job can be done from home, as wanted: 10 points.
        Remote = "REMOTE",
        /// Posted in the last week: 5 points; in the last month: 2 points.
        Recency = "RECENCY",
    }
}

/// Why a suggestion has points. The points of all reasons add up to the score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
pub struct Reason {
    /// The rule that gives the points.
    pub rule: RelevanceRule,
    /// The points: more than 0.
    pub points: u32,
    /// Explanation for people.
    pub text: String,
}

/// How well a job fits a seeker.
#[derive(Clone, Debug, PartialEq)]
pub struct Assessment {
    /// The level.
    pub relevance: Relevance,
    /// Points of 100.
    pub score: u32,
    /// Where the points come from.
    pub reasons: Vec<Reason>,
}

impl Relevance {
    /// The level of a score; `None` for a job that is not suggested.
    fn of(score: u32) -> Option<Self> {
        match score {
            55.. => Some(Relevance::R1),
            30..55 => Some(Relevance::R2),
            10..30 => Some(Relevance::R3),
            0..10 => None,
        }
    }
}

/// How well a job fits a seeker on a day; `None` if it is not suggested: it has no place in common, is closed or
/// expired, pays too little, or has too few points.
pub fn assess(seeker: &Seeker, job: &Job, today: Day) -> Option<Assessment> {
    let pays = job.pay_max.or(job.pay_min);
    let too_little = pays
        .zip(seeker.min_pay)
        .is_some_and(|(pays, least)| pays < least);
    if !job.is_open(today) || too_little {
        return None;
    }
    let near = meeting(seeker, job)?;
    let rules = [
        skills(seeker, job),
        title(seeker, job),
        near.city,
        near.zip,
        pays.map(|pays| {
            let text = format!("Pays up to {} a year", pays.get());
            reason(RelevanceRule::Pay, 10, text)
        }),
        (job.is_remote && seeker.wants_remote).then(|| {
            let text = "Can be done from home".to_owned();
            reason(RelevanceRule::Remote, 10, text)
        }),
        recency(job, today),
    ];
    let reasons: Vec<_> = rules
        .into_iter()
        .flatten()
        .filter(|r| r.points > 0)
        .collect();
    let score = reasons.iter().map(|reason| reason.points).sum();
    Some(Assessment {
        relevance: Relevance::of(score)?,
        score,
        reasons,
    })
}

fn reason(rule: RelevanceRule, points: u32, text: String) -> Reason {
    Reason { rule, points, text }
}

/// What a seeker and a job have in common of places.
struct Meeting {
    city: Option<Reason>,
    zip: Option<Reason>,
}

/// `None` if they have no place in common. A job without an office meets seekers in its country.
fn meeting(seeker: &Seeker, job: &Job) -> Option<Meeting> {
    let wanted = seeker.places.as_slice();
    let pairs = || {
        let places = job.places.as_slice().iter();
        places.flat_map(|place| wanted.iter().map(move |other| (place, other)))
    };
    let shared = || pairs().filter(|(place, other)| place.is_in_city_of(other));
    let Some((place, _)) = shared().next() else {
        let same_country =
            |(place, other): (&Place, &Place)| place.is_remote() && place.country == other.country;
        let from_home = seeker.wants_remote && pairs().any(same_country);
        return from_home.then_some(Meeting {
            city: None,
            zip: None,
        });
    };
    let near = shared().find(|(place, other)| place.zip.is_near(&other.zip));
    Some(Meeting {
        city: Some(reason(
            RelevanceRule::City,
            15,
            format!("In {}", place.city),
        )),
        zip: near.map(|(place, _)| {
            let text = format!("Near you: {}", place.zip);
            reason(RelevanceRule::Zip, 5, text)
        }),
    })
}

/// Of the skills that the job requires, or else mentions in its title, those that the seeker has.
fn skills(seeker: &Seeker, job: &Job) -> Option<Reason> {
    let mentioned = mentioned(job.title.as_str());
    let required: Vec<&str> = match job.skills.as_slice() {
        [] => mentioned.into_iter().collect(),
        skills => skills.iter().map(Text::as_str).collect(),
    };
    let has = |skill: &&&str| {
        let mut own = seeker.skills.as_slice().iter();
        own.any(|other| other.as_str() == **skill)
    };
    let common: Vec<_> = required.iter().filter(has).copied().collect();
    let share = 40 * common.len() / required.len().max(1);
    let text = format!(
        "{} of {} skills: {}",
        common.len(),
        required.len(),
        common.join(", ")
    );
    let points = u32::try_from(share).unwrap_or(40);
    (points > 0).then(|| reason(RelevanceRule::Skills, points, text))
}

fn title(seeker: &Seeker, job: &Job) -> Option<Reason> {
    let wanted = words(seeker.headline.as_ref()?.as_str());
    let title = words(job.title.as_str());
    let common: Vec<_> = wanted.iter().filter(|word| title.contains(word)).collect();
    let points = u32::try_from(15 * common.len() / wanted.len().max(1)).unwrap_or(15);
    let common: Vec<_> = common.into_iter().map(String::as_str).collect();
    let text = format!("Title has: {}", common.join(", "));
    (points > 0).then(|| reason(RelevanceRule::Title, points, text))
}

fn recency(job: &Job, today: Day) -> Option<Reason> {
    let posted = day_of(job.job_id.raw())?;
    let (points, text) = match today.days_since(posted) {
        ..=7 => (5, "Posted in the last week"),
        8..=30 => (2, "Posted in the last month"),
        _ => return None,
    };
    Some(reason(RelevanceRule::Recency, points, text.to_owned()))
}
