//! Points for the occupation that a title names: the same as the headline's, almost the same, or one of its field.

use crate::values::{Kinship, PlatformNames, closest_occupation, quoted};

use super::content::{Offered, Wanted};
use super::reason::{Reason, RelevanceRule, TITLE_FITS};

/// The most points of a job, by what its occupation has to do with the one that is looked for. What fits less cannot come
/// before what fits more.
const ALL: u32 = 100;
const OF_UNKNOWN: u32 = 54;
const OF_CLOSE: u32 = 46;
const OF_RELATED: u32 = 37;

/// The least that seniority leaves of the same occupation, in percent: more than [`OF_CLOSE`].
const LEAST_FIT: u32 = 86;
/// Another seniority where the headline names none.
const UNASKED: u32 = 97;

/// What is left, in percent, if the headline names a language or a platform and the title does not say which it is for.
const PLATFORM_UNSAID: u32 = 96;

/// How the languages and platforms of a job fit those that the seeker works with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Platforms {
    /// The title names one of the seeker's.
    Named,
    /// Neither says anything against the other.
    Open,
    /// The headline names one, and the title none or one of the seeker's others.
    Unsaid,
    /// The job lists others, or the title names one that is not among the seeker's skills.
    Others,
    /// The title names another one than the headline.
    Excluded,
}

impl Platforms {
    fn of(wanted: &Wanted, offered: &Offered) -> Self {
        let (named, listed) = (&wanted.platforms, &wanted.skill_platforms);
        let is_known = |of: &PlatformNames| !of.is_disjoint(named) || !of.is_disjoint(listed);
        let (title, skills) = (&offered.platforms, &offered.skill_platforms);
        let is_said = !named.is_empty();
        if !is_said && listed.is_empty() {
            return Self::Open;
        }
        if title.is_empty() {
            return if is_said && !skills.is_empty() && !is_known(skills) {
                Self::Others
            } else if is_said && skills.is_disjoint(named) {
                Self::Unsaid
            } else {
                Self::Open
            };
        }
        if is_known(title) {
            let is_named = !is_said || !title.is_disjoint(named);
            return if is_named { Self::Named } else { Self::Unsaid };
        }
        if is_said {
            Self::Excluded
        } else {
            Self::Others
        }
    }
}

/// What the occupations of a headline and a title have to do with each other.
pub struct Comparison {
    /// The points of the title.
    pub title: Option<Reason>,
    /// The most points of the job.
    pub most: u32,
    /// How well its seniority fits, in percent.
    pub fit: u32,
}

/// Compares the occupations, if both name one, and otherwise takes the points of the words in common. Languages and
/// platforms count as the occupation does.
pub fn compare(
    wanted: &Wanted,
    offered: &Offered,
    by_words: Option<Reason>,
    fit: u32,
) -> Comparison {
    let platforms = Platforms::of(wanted, offered);
    let mut found = compare_occupations((wanted, offered), by_words, fit, platforms);
    match platforms {
        Platforms::Named | Platforms::Open => {}
        Platforms::Unsaid => found.fit = found.fit * PLATFORM_UNSAID / 100,
        Platforms::Others => found.most = found.most.min(OF_UNKNOWN),
        Platforms::Excluded => found.most = found.most.min(OF_RELATED),
    }
    found
}

fn compare_occupations(
    (wanted, offered): (&Wanted, &Offered),
    by_words: Option<Reason>,
    fit: u32,
    platforms: Platforms,
) -> Comparison {
    let is_by_platform = platforms == Platforms::Named && !wanted.platforms.is_empty();
    let closest = closest_occupation(&wanted.occupations, &offered.occupations, is_by_platform);
    let Some((kinship, at, words)) = closest else {
        let (title, most) = match (
            wanted.occupations.is_empty(),
            offered.occupations.is_empty(),
        ) {
            // Two occupations that have nothing to do with each other.
            (false, false) => (None, ALL),
            (false, true) => (by_words, OF_UNKNOWN),
            (true, _) => (by_words, ALL),
        };
        return Comparison { title, most, fit };
    };
    // Up to 55 points are for words.
    let share = by_words.as_ref().map_or(0, |reason| reason.points);
    let is_first = u32::from(at == 0);
    let names = quoted(&offered.written, &words.iter().cloned().collect());
    let fits = || {
        let fits = by_words
            .as_ref()
            .filter(|reason| reason.text.starts_with(TITLE_FITS));
        fits.map_or_else(
            || format!("{TITLE_FITS}{names}"),
            |reason| reason.text.clone(),
        )
    };
    let kinship = match platforms {
        Platforms::Excluded => Kinship::Related,
        _ => kinship,
    };
    let (points, most, fit, text) = match kinship {
        Kinship::Same => {
            let is_unasked = wanted.seniority.is_none() && offered.seniority.is_some();
            let fit = if is_unasked { fit.min(UNASKED) } else { fit };
            (
                57 + share * 2 / 55 + is_first,
                ALL,
                fit.max(LEAST_FIT),
                fits(),
            )
        }
        Kinship::Close => (38 + share * 4 / 55 + is_first, OF_CLOSE, fit, fits()),
        Kinship::Related => {
            let text = format!("Related occupation: {names}");
            (26 + share * 8 / 55, OF_RELATED, fit, text)
        }
    };
    let title = Some(Reason {
        rule: RelevanceRule::Title,
        points,
        text,
    });
    Comparison { title, most, fit }
}

/// The reasons with no more points than this together. What comes last is cut.
pub fn limited(reasons: Vec<Reason>, most: u32) -> Vec<Reason> {
    let mut left = most;
    let cut = reasons.into_iter().map(|mut reason| {
        reason.points = reason.points.min(left);
        left -= reason.points;
        reason
    });
    cut.filter(|reason| reason.points > 0).collect()
}
