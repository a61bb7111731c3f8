//! How well a job fits a seeker: points for what the job is, explained, and cut into three levels. Place and pay are
//! conditions, and give no points.

use std::collections::{BTreeSet, HashSet};

use crate::jobs::Job;
use crate::seekers::Seeker;
use crate::values::{Place, Position, Seniority, Term, quoted, words};
use trestle_domain::Day;

use super::content::{Headline, Offered, Rarity, Wanted};
use super::occupation::{compare, limited};
use super::reason::{Reason, Relevance, RelevanceRule, TITLE_FITS};

/// What is left, in percent, of a position that leads others for someone who begins.
const LEADS: u32 = 60;

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

/// How well a job fits a seeker on a day; `None` if it is not suggested: it is closed, expired, elsewhere, pays too
/// little, or has too little to do with what the seeker looks for.
pub fn assess(
    (seeker, wanted): (&Seeker, &Wanted),
    (job, offered): (&Job, &Offered),
    rarity: &Rarity,
    today: Day,
) -> Option<Assessment> {
    if job.is_open(today)
        && is_in_reach((seeker, wanted), (job, offered))
        && pays_enough(seeker, job)
    {
        weigh(wanted, offered, rarity)
    } else {
        None
    }
}

/// Whether the job is in a city of the seeker, or can be done from home in a country of the seeker, as wanted.
fn is_in_reach((seeker, wanted): (&Seeker, &Wanted), (job, offered): (&Job, &Offered)) -> bool {
    let pairs = offered.places.iter();
    let mut pairs = pairs.flat_map(|place| wanted.places.iter().map(move |other| (place, other)));
    let is_remote = job.is_remote || offered.places.iter().any(Place::is_remote);
    let from_home = seeker.wants_remote && is_remote;
    pairs.any(|(place, other)| {
        place.country == other.country
            && (from_home || (!place.is_remote() && place.is_in_city_of(other)))
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
fn weigh(wanted: &Wanted, offered: &Offered, rarity: &Rarity) -> Option<Assessment> {
    // Nobody else looks for an internship.
    if offered.seniority == Some(Seniority::Intern) && !wanted.is_for_beginners {
        return None;
    }
    let fit = Seniority::fit(wanted.seniority, offered.seniority);
    let is_above = offered.leads
        && !wanted.leads
        && matches!(wanted.seniority, Some(Seniority::Intern | Seniority::Entry));
    let fit = if is_above { fit * LEADS / 100 } else { fit };
    let titles = wanted.headlines.iter().flat_map(|headline| {
        let positions = offered.positions.iter();
        positions.filter_map(|position| title((headline, wanted), (position, offered), rarity))
    });
    let by_words = titles.max_by_key(|reason| reason.points);
    let compared = compare(wanted, offered, by_words, fit);
    let (title, fit) = (compared.title, compared.fit);
    let skills = skills(wanted, offered);
    if title.is_none() && skills.is_none() {
        return None;
    }
    let has_title = title.is_some();
    let is_for_beginners = wanted.seniority != Some(Seniority::Intern)
        || matches!(
            offered.seniority,
            Some(Seniority::Intern | Seniority::Entry)
        );
    let reasons = [
        title,
        skills,
        described(wanted, offered),
        seniority(wanted, offered),
    ];
    let reasons = reasons.into_iter().flatten().map(|mut reason| {
        reason.points = reason.points * fit / 100;
        reason
    });
    let reasons = limited(reasons.collect(), compared.most);
    let score: u32 = reasons.iter().map(|reason| reason.points).sum();
    // Skills alone do not make another profession relevant.
    let relevance = match Relevance::of(score)? {
        Relevance::R1 | Relevance::R2 if wanted.has_headline && !has_title => Relevance::R3,
        // Who looks for an internship is not served by a position for people who have done theirs.
        Relevance::R1 | Relevance::R2 if !is_for_beginners => Relevance::R3,
        level => level,
    };
    Some(Assessment {
        relevance,
        score,
        reasons,
    })
}

fn reason(rule: RelevanceRule, points: f64, text: String) -> Option<Reason> {
    // In steps of one point: what is rare changes slowly, and small changes are not worth a write.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 to 100"
    )]
    let points = points.round().clamp(0.0, 100.0) as u32;
    (points > 0).then_some(Reason { rule, points, text })
}

/// The names, each once, in whichever case.
fn listed(names: &[&str]) -> String {
    let mut seen = HashSet::new();
    let names = names.iter().filter(|name| seen.insert(name.to_lowercase()));
    names.copied().collect::<Vec<_>>().join(", ")
}

/// The words for terms, as a text has them.
fn spelled<'s>(
    text: &str,
    words_of: impl Iterator<Item = &'s (Term, String)>,
    terms: &BTreeSet<Term>,
) -> String {
    let found = words_of.filter(|(term, _)| terms.contains(term));
    let found: HashSet<_> = found.flat_map(|(_, phrase)| words(phrase)).collect();
    quoted(text, &found)
}

/// Up to 55 points for a title that says what the headline says, as one of the positions that it names.
fn title(
    (sought, wanted): (&Headline, &Wanted),
    (position, offered): (&Position, &Offered),
    rarity: &Rarity,
) -> Option<Reason> {
    let headline = &sought.terms;
    let weight = |term: &Term| rarity.weight(term);
    let is_named = |term: &Term| position.iter().any(|(named, _)| named == term);
    // Words that say little without others count little beside them.
    let qualifiers: Vec<_> = headline.iter().filter(|term| !term.is_generic()).collect();
    let found = |term: &Term| match () {
        () if is_named(term) => 1.0,
        () if offered.title.contains(term) => 0.9,
        () if offered.skill_terms.contains(term) => 0.8,
        () => 0.0,
    };
    let all: f64 = qualifiers.iter().map(|term| weight(term)).sum();
    let common: f64 = qualifiers
        .iter()
        .map(|term| weight(term) * found(term))
        .sum();
    let is_generic = qualifiers.is_empty();
    let covered = if is_generic { 0.7 } else { common / all };
    let own = position.iter().map(|(term, _)| term);
    let own: Vec<_> = own.filter(|term| !term.is_generic()).collect();
    let of_title: f64 = own.iter().map(|term| weight(term)).sum();
    let shared = own.iter().filter(|term| headline.contains(term));
    let shared: f64 = shared.map(|term| weight(term)).sum();
    let focus = if own.is_empty() {
        1.0
    } else {
        shared / of_title
    };
    let head = head(sought, (position, offered), focus);
    if covered < 0.4 || (is_generic && head < 1.0) {
        return None;
    }
    let share = covered * head * (0.75 + 0.25 * focus);
    let fitting = spelled(
        &offered.written,
        position.iter().chain(&offered.spelled),
        headline,
    );
    let text = if fitting.is_empty() {
        let words = spelled(&wanted.written, wanted.spelled.iter(), &offered.skill_terms);
        format!("Skills fit the headline: {words}")
    } else {
        format!("{TITLE_FITS}{fitting}")
    };
    reason(RelevanceRule::Title, 55.0 * share, text)
}

/// How well what the title says the position is fits what the headline says it is.
fn head(sought: &Headline, (position, offered): (&Position, &Offered), focus: f64) -> f64 {
    let headline = &sought.terms;
    let own: Vec<_> = headline.iter().filter(|term| term.is_head()).collect();
    let is_own = |term: &Term| own.contains(&term);
    let heads = position.iter().filter(|(term, _)| term.is_head());
    let heads: Vec<_> = heads.map(|(term, _)| term).collect();
    // `Trading` of `Trading Compliance` is a field, and no position.
    let is_field = |at: usize, phrase: &str| phrase.ends_with("ing") && at + 1 < position.len();
    let mut positions = position.iter().enumerate().rev();
    let last = positions.find(|(at, (term, phrase))| term.is_head() && !is_field(*at, phrase));
    let Some((_, (last, _))) = last else {
        let named = |term: &Term| position.iter().any(|(named, _)| named == term);
        let elsewhere = offered
            .title
            .iter()
            .any(|term| is_own(term) && !named(term));
        return match position.last() {
            _ if own.is_empty() || elsewhere => 1.0,
            // `Data Labeler` is no data engineer.
            Some((term, _)) if !headline.contains(term) => 0.6,
            _ => 0.9,
        };
    };
    match () {
        // `Software` does not ask for a `Software Engineering Manager`.
        () if own.is_empty() && heads.len() > 1 => 0.55,
        // `Supply chain` does not say which position; `Supply Chain Analyst` is about nothing else.
        () if own.is_empty() => 0.85 + 0.15 * focus,
        () if is_own(last)
            && sought
                .role
                .as_ref()
                .is_none_or(|role| heads.contains(&role)) =>
        {
            1.0
        }
        // A nurse manager is not a nurse.
        () if is_own(last) => 0.6,
        // `Software Engineering Manager` is not a software engineer.
        () if heads.iter().any(|term| is_own(term)) => 0.55,
        () => 0.45,
    }
}

/// Points for the skills that the job requires and the seeker has.
fn skills(wanted: &Wanted, offered: &Offered) -> Option<Reason> {
    /// Whoever has so many of a long list has enough.
    const ENOUGH: usize = 4;
    // What the headline mentions and the title has is a reason already.
    let of_seeker = if offered.lists_skills {
        &wanted.skills
    } else {
        &wanted.listed
    };
    let common = offered
        .skills
        .iter()
        .filter(|(skill, _)| of_seeker.contains(*skill));
    let common: Vec<_> = common.map(|(_, written)| written.as_str()).collect();
    #[expect(clippy::cast_precision_loss, reason = "at most 30")]
    let of = |needed: usize| (common.len() as f64 / needed as f64).min(1.0);
    let points = match (wanted.has_headline, common.len()) {
        (_, 0) => return None,
        // Who has all of several skills has enough, however short the list is.
        (true, found) if found > 1 && found == offered.skills.len() => 30.0,
        // Beside a headline, one skill in common says little even if few are asked for: less than the title.
        (true, _) => 30.0 * of(ENOUGH),
        (false, found) => {
            let fewest = if offered.lists_skills { 1 } else { 2 };
            let share = of(offered.skills.len().clamp(fewest, ENOUGH));
            let most = match found {
                1 => 50.0,
                2 => 56.0,
                _ => 70.0,
            };
            most * share
        }
    };
    let text = if offered.lists_skills {
        format!(
            "{} of {} skills: {}",
            common.len(),
            offered.skills.len(),
            listed(&common)
        )
    } else {
        format!("Mentions your skills: {}", listed(&common))
    };
    reason(RelevanceRule::Skills, points, text)
}

/// Points for what the description says beside the title and the list of skills.
fn described(wanted: &Wanted, offered: &Offered) -> Option<Reason> {
    let headlines = wanted.headlines.iter();
    let terms = headlines.flat_map(|headline| &headline.terms);
    let terms = terms.filter(|term| !term.is_generic() && !offered.title.contains(term));
    let terms: BTreeSet<&Term> = terms.collect();
    let terms = terms
        .into_iter()
        .filter_map(|term| offered.description.get(term));
    let skills = wanted.skills.iter().filter(|_| offered.lists_skills);
    let skills = skills.filter_map(|skill| offered.described.get(skill));
    // As the description has them, because that is where the reader looks for them.
    let found: Vec<_> = terms.chain(skills).map(String::as_str).collect();
    #[expect(clippy::cast_precision_loss, reason = "at most 230")]
    let points = (3.0 * found.len() as f64).min(10.0);
    let text = format!("Description mentions: {}", listed(&found));
    reason(RelevanceRule::Description, points, text)
}

fn seniority(wanted: &Wanted, offered: &Offered) -> Option<Reason> {
    let same = wanted
        .seniority
        .filter(|wanted| Some(*wanted) == offered.seniority)?;
    let text = format!("Seniority fits: {same:?}");
    reason(RelevanceRule::Seniority, 5.0, text)
}
