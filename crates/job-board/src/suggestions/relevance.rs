//! How well a job fits a seeker: how near its title is to the headline, and skills in common. Place and pay are conditions,
//! and give no points.

use std::collections::HashSet;

use crate::jobs::{Job, JobRef};
use crate::seekers::Seeker;
use crate::values::Seniority;
use trestle_domain::Day;
use trestle_occupations::{Occupations, Title};

use super::content::{Offered, Wanted, skills_in_text};
use super::reason::{Reason, Relevance, RelevanceRule, TITLE_FITS};

/// The most points of a job.
const ALL: u32 = 100;

/// What is left, in percent, of a position that leads others for someone who begins.
const LEADS: u32 = 60;

/// The least that another seniority leaves of a title that fits, in percent: it stays before another occupation.
const LEAST_FIT: u32 = 86;

/// What is left, in percent, of a title that names a seniority where the headline names none.
const UNASKED: u32 = 97;

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

impl Assessment {
    /// Whether the job is suggested only if there is hardly anything better.
    pub fn is_weak(&self) -> bool {
        self.score < Relevance::LEAST
    }
}

/// Leaves the suggestions of a seeker, the best first: those that fit well, at most 200, or else three that fit at all.
pub fn rank(found: &mut Vec<(JobRef, Assessment)>) {
    const BEST: usize = 200;
    const FEWEST: usize = 3;
    found.sort_by(|(a, one), (b, other)| {
        let newest = || b.job_id.raw().cmp(&a.job_id.raw());
        let level = one.relevance.word().cmp(other.relevance.word());
        level.then(other.score.cmp(&one.score)).then_with(newest)
    });
    let strong = found.iter().filter(|(_, fit)| !fit.is_weak()).count();
    found.truncate(strong.clamp(FEWEST, BEST));
}

/// How well a job fits a seeker on a day; `None` if it is not suggested: it is closed, expired, elsewhere, pays too
/// little, or has nothing to do with what the seeker looks for.
pub fn assess(
    seeker: &Seeker,
    wanted: &Wanted,
    job: &Job,
    offered: &Offered,
    today: Day,
) -> Option<Assessment> {
    let is_possible =
        job.is_open(today) && is_in_reach(seeker, wanted, job, offered) && pays_enough(seeker, job);
    if is_possible {
        weigh(wanted, job, offered)
    } else {
        None
    }
}

/// Whether the job is in a city of the seeker or near it, or can be done from home in a country of the seeker, as wanted.
fn is_in_reach(seeker: &Seeker, wanted: &Wanted, job: &Job, offered: &Offered) -> bool {
    let mut places = offered.places.iter();
    let is_remote = job.is_remote || places.any(|located| located.place.is_remote());
    let from_home = seeker.wants_remote && is_remote;
    let radius = seeker.radius_km();
    offered.places.iter().any(|one| {
        let is_worldwide = from_home && one.place.is_worldwide;
        is_worldwide
            || wanted.places.iter().any(|other| {
                let is_from_home = from_home && one.place.country == other.place.country;
                let is_near = one.is_in_city_of(other) || one.is_near(other, radius);
                is_from_home || (!one.place.is_remote() && is_near)
            })
    })
}

/// Whether the job pays what the seeker accepts, as far as that is known: in one currency.
fn pays_enough(seeker: &Seeker, job: &Job) -> bool {
    let (Some(least), Some(pays)) = (seeker.min_pay, job.yearly_pay()) else {
        return true;
    };
    let currencies = seeker.currency().zip(job.currency());
    currencies.is_none_or(|(one, other)| one != other) || pays >= i64::from(least.get())
}

/// The points of a job's content, seniority taken into account.
fn weigh(wanted: &Wanted, job: &Job, offered: &Offered) -> Option<Assessment> {
    // Nobody else looks for an internship.
    if offered.seniority == Some(Seniority::Intern) && !wanted.is_for_beginners {
        return None;
    }
    let title = wanted.title.as_ref();
    let title = title.and_then(|headline| title_reason(headline, wanted, offered));
    let has_title = title.is_some();
    let skills = skills(wanted, job, offered, has_title);
    let is_missing = title.is_none() && skills.is_none();
    if is_missing {
        return None;
    }
    let reasons = [title, skills, seniority(wanted, offered)];
    let reasons = limited(reasons.into_iter().flatten().collect());
    let score: u32 = reasons.iter().map(|reason| reason.points).sum();
    let serves_beginner = wanted.seniority != Some(Seniority::Intern)
        || matches!(
            offered.seniority,
            Some(Seniority::Intern | Seniority::Entry)
        );
    // Skills alone do not make another profession relevant, and who looks for an internship is not served by a position for
    // people who have done theirs.
    let is_limited = (wanted.title.is_some() && !has_title) || !serves_beginner;
    let relevance = match Relevance::of(score)? {
        Relevance::R1 | Relevance::R2 if is_limited => Relevance::R3,
        level => level,
    };
    let found = Assessment {
        relevance,
        score,
        reasons,
    };
    // Whoever says nothing but skills is suggested nothing for a few of them.
    Some(found).filter(|found| wanted.title.is_some() || !found.is_weak())
}

/// The reasons with no more than 100 points together. What comes last is cut.
fn limited(reasons: Vec<Reason>) -> Vec<Reason> {
    let mut left = ALL;
    let mut kept = Vec::new();
    for mut reason in reasons {
        reason.points = reason.points.min(left);
        left -= reason.points;
        if reason.points > 0 {
            kept.push(reason);
        }
    }
    kept
}

/// In steps of one point: small changes are not worth a write.
fn reason(rule: RelevanceRule, points: f64, text: String) -> Option<Reason> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 to 100"
    )]
    let points = points.round().clamp(0.0, 100.0) as u32;
    (points > 0).then_some(Reason { rule, points, text })
}

/// Points for a title that is near to the headline. The thresholds of the crate of occupations, 7, 5 and 3, are 55, 38 and
/// 20 points; below 1, titles have nothing in common.
fn title_reason(headline: &Title, wanted: &Wanted, offered: &Offered) -> Option<Reason> {
    const POINTS: f64 = 8.75;
    const LEAST: f64 = 1.0;
    /// The most points of a manager of nurses for a nurse, and the other way round.
    const OTHER_RANK: f64 = 46.0;
    let occupations = Occupations::built_in();
    let score = f64::from(headline.compare(&offered.title, occupations).score());
    if score < LEAST {
        return None;
    }
    let points = (20.0 + (score - 3.0) * POINTS).clamp(1.0, 100.0);
    let points = if wanted.leads == offered.leads {
        points
    } else {
        points.min(OTHER_RANK)
    };
    let points = points * f64::from(seniority_fit(wanted, offered)) / 100.0;
    let words = offered.title.words_in_common(headline).join(" ");
    let both = occupations.nearest_to_both(headline.meaning(), offered.title.meaning());
    let text = match (words.as_str(), both) {
        ("", Some(occupation)) => format!("Occupation fits: {occupation}"),
        ("", None) => "The title is like the headline".to_owned(),
        (words, Some(occupation)) => format!("{TITLE_FITS}{words}; occupation: {occupation}"),
        (words, None) => format!("{TITLE_FITS}{words}"),
    };
    reason(RelevanceRule::Title, points, text)
}

/// What seniority leaves of a title that fits, in percent.
fn seniority_fit(wanted: &Wanted, offered: &Offered) -> u32 {
    let fit = Seniority::fit(wanted.seniority, offered.seniority);
    let is_above = offered.leads
        && !wanted.leads
        && matches!(wanted.seniority, Some(Seniority::Intern | Seniority::Entry));
    let fit = if is_above { fit * LEADS / 100 } else { fit };
    let is_unasked = wanted.seniority.is_none() && offered.seniority.is_some();
    let fit = if is_unasked { fit.min(UNASKED) } else { fit };
    fit.max(LEAST_FIT)
}

/// Points for the skills that the job requires and the seeker has.
fn skills(wanted: &Wanted, job: &Job, offered: &Offered, has_title: bool) -> Option<Reason> {
    /// Whoever has so many of a long list has enough.
    const ENOUGH: usize = 4;
    /// Beside a title that fits, skills in common change little more than the order.
    const BESIDE_TITLE: f64 = 8.0;
    const WITHOUT_TITLE: f64 = 30.0;
    let lists_skills = !offered.skills.is_empty();
    let has_headline = wanted.title.is_some();
    // Descriptions count only for those who say nothing but skills.
    let in_text = if lists_skills || has_headline {
        Default::default()
    } else {
        skills_in_text(job)
    };
    let required = if lists_skills {
        &offered.skills
    } else {
        &in_text
    };
    let common = required
        .iter()
        .filter(|(skill, _)| wanted.skills.contains(*skill));
    let common: Vec<_> = common.map(|(_, written)| written.as_str()).collect();
    if common.is_empty() {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "at most 30")]
    let share_of = |needed: usize| (common.len() as f64 / needed as f64).min(1.0);
    let points = if has_headline {
        let most = if has_title {
            BESIDE_TITLE
        } else {
            WITHOUT_TITLE
        };
        // Who has all of several skills has enough, however short the list is.
        let has_all = common.len() > 1 && common.len() == required.len();
        most * if has_all { 1.0 } else { share_of(ENOUGH) }
    } else {
        let fewest = if lists_skills { 1 } else { 2 };
        let most = match common.len() {
            1 => 50.0,
            2 => 56.0,
            _ => 70.0,
        };
        most * share_of(required.len().clamp(fewest, ENOUGH))
    };
    let names = each_once(&common);
    let text = if lists_skills {
        format!("{} of {} skills: {names}", common.len(), required.len())
    } else {
        format!("Mentions your skills: {names}")
    };
    reason(RelevanceRule::Skills, points, text)
}

/// The names, each once, in whichever case.
fn each_once(names: &[&str]) -> String {
    let mut seen = HashSet::new();
    let names = names.iter().filter(|name| seen.insert(name.to_lowercase()));
    names.copied().collect::<Vec<_>>().join(", ")
}

fn seniority(wanted: &Wanted, offered: &Offered) -> Option<Reason> {
    let same = wanted
        .seniority
        .filter(|wanted| Some(*wanted) == offered.seniority)?;
    let text = format!("Seniority fits: {same:?}");
    reason(RelevanceRule::Seniority, 5.0, text)
}
