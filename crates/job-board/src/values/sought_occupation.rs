//! The occupations that a headline looks for, those that a title names, and how close they come.

use super::headline::sought;
use super::named::{Named, read, read_as_typed};
use super::occupation::{Kinship, occupations};
use super::position::{SEPARATORS, broad_role_of};
use super::skill::split_at;
use super::terms::terms;

/// Parts of words of someone who changes to another occupation.
const CHANGES: [&str; 8] = [
    "transition",
    "into",
    "becom",
    "aspiring",
    "switch",
    "chang",
    "moving to",
    "going to",
];

/// Kinds of general occupations in the place of these, if fields and tools of such kinds are mentioned.
fn specific(named: Vec<Named>, hinted: &[Named]) -> Vec<Named> {
    let all = occupations();
    // `Therapist, LPC` is no massage therapist.
    let is_said = |general: &Named| {
        let kinds = all.kinds(general.occupation);
        kinds.len() > 1 && named.iter().any(|one| kinds.contains(&one.occupation))
    };
    let general: Vec<_> = named.iter().filter(|one| is_said(one)).cloned().collect();
    let mut named = named;
    named.retain(|one| !general.contains(one));
    let kinds = |named: Named| -> Vec<Named> {
        let kinds_of = all.kinds_if_hinted(named.occupation, &named.words);
        let kinds = hinted.iter();
        let kinds = kinds.filter(|hint| kinds_of.contains(&hint.occupation));
        let kinds: Vec<_> = kinds.cloned().collect();
        if kinds.is_empty() { vec![named] } else { kinds }
    };
    named.into_iter().flat_map(kinds).collect()
}

/// The occupations of which a headline looks for one: those that it asks for, or else those that it names, or those whose
/// fields it mentions, or those of the past.
pub fn of_headline(headline: &str) -> Vec<Named> {
    let all = occupations();
    let whole = read_as_typed(headline);
    let position = sought(headline);
    let asked = read_as_typed(&position);
    let hinted = whole.hinted();
    let is_role = says_role(headline);
    let of_occupation = |named: Vec<Named>| -> Vec<Named> {
        let named = named_beside_tools(headline, named).into_iter();
        named.filter(|_| !is_role).collect()
    };
    let named = of_occupation(whole.named(false));
    let named = [named, whole.inverted(), of_title(headline)];
    let named = named.into_iter().find(|found| !found.is_empty());
    let named = named.unwrap_or_default();
    let (asked, field) = (of_occupation(asked.named(false)), asked.hinted());
    let is_related = |one: &Named, others: &[Named]| {
        let mut others = others.iter();
        others.any(|other| all.kinship(other.occupation, one.occupation).is_some())
    };
    let is_asked = position.len() < headline.len();
    let lower = headline.to_lowercase();
    let is_change = CHANGES.iter().any(|word| lower.contains(word));
    // `Teacher seeking a job in retail`, but not `nurse seeking a job in a hospital`.
    let is_elsewhere = is_change || !field.iter().any(|one| is_related(one, &named));
    let lists = if is_asked && is_elsewhere {
        [asked, field, named, hinted.clone(), whole.named(true)]
    } else {
        [asked, named, field, hinted.clone(), whole.named(true)]
    };
    let found = lists.into_iter().find(|list| !list.is_empty());
    // `Recruiter, tech`
    let mut kinds = hinted;
    for one in of_title(headline) {
        if !kinds.iter().any(|kind| kind.occupation == one.occupation) {
            kinds.push(one);
        }
    }
    specific(found.unwrap_or_default(), &kinds)
}

/// Without short names in brackets that are tools of another occupation: the AE of `Film editor (Premiere, AE)`.
fn named_beside_tools(headline: &str, named: Vec<Named>) -> Vec<Named> {
    const SHORT: usize = 3;
    let bracketed = headline.split('(').skip(1);
    let bracketed = bracketed.filter_map(|text| text.split_once(')').map(|(inside, _)| inside));
    let bracketed: Vec<_> = bracketed.flat_map(super::skill::words).collect();
    let is_short = |one: &Named| match one.words.as_slice() {
        [word] => word.chars().count() <= SHORT && bracketed.contains(word),
        _ => false,
    };
    let is_akin = |one: &Named, other: &Named| {
        let kinship = occupations().kinship(one.occupation, other.occupation);
        one.occupation != other.occupation && kinship.is_some()
    };
    let others: Vec<_> = named.iter().filter(|one| !is_short(one)).cloned().collect();
    let mut named = named;
    named.retain(|one| {
        !is_short(one) || others.is_empty() || others.iter().any(|other| is_akin(one, other))
    });
    named
}

/// Whether the first part of a headline is a position of its own that is not in the list: what follows is about the person.
fn says_role(headline: &str) -> bool {
    let parts = split_at(headline, &SEPARATORS);
    let (Some(first), true) = (parts.first(), parts.len() > 1) else {
        return false;
    };
    let own = read_as_typed(first);
    let is_listed = !own.named(false).is_empty() || !own.inverted().is_empty();
    let says_what = || terms(first).iter().any(|term| !term.is_generic());
    !is_listed && own.ends_with_role() && says_what()
}

/// The occupations that a title names: in its first part, and in what this is with each of the parts after it.
pub fn of_title(title: &str) -> Vec<Named> {
    let parts = split_at(title, &SEPARATORS);
    let Some((first, rest)) = parts.split_first() else {
        return Vec::new();
    };
    let own = read(first);
    let mut found = specific(own.named(false), &read(title).hinted());
    let role = broad_role_of(first);
    for part in rest {
        let part = part.trim_matches(|c: char| !c.is_alphanumeric());
        let with = |role: &str| read(&format!("{part} {role}")).named(false);
        // `Software Engineer - Security`
        let of_part = role.as_deref().map(with).unwrap_or_default();
        if !of_part.is_empty() && read(part).named(false).is_empty() {
            return of_part;
        }
        let more = with(first).into_iter();
        let more = more.filter(|more| !found.iter().any(|one| one.occupation == more.occupation));
        let more: Vec<_> = more.collect();
        found.extend(more);
    }
    if found.is_empty() {
        let says_other = own.says_other();
        let mut rest = rest
            .iter()
            .filter(|_| !says_other)
            .map(|part| read(part).named(false));
        found = rest.find(|found| !found.is_empty()).unwrap_or_default();
    }
    // `Housekeeping`
    if found.is_empty() && own.is_one_name() {
        found = own.hinted();
    }
    found
}

/// How close what is offered comes to what is wanted: the kinship, which of the wanted ones it is, and the words of the title.
/// `is_by_platform` if both name the same language or platform.
pub fn closest<'n>(
    wanted: &[Named],
    offered: &'n [Named],
    is_by_platform: bool,
) -> Option<(Kinship, usize, &'n [String])> {
    let pairs = wanted.iter().enumerate().flat_map(|(at, wanted)| {
        offered.iter().filter_map(move |offered| {
            let pair = (wanted.occupation, offered.occupation);
            let kinship = if is_by_platform && occupations().are_one_by_platform(pair) {
                Kinship::Same
            } else {
                occupations().kinship(pair.0, pair.1)?
            };
            Some((kinship, at, offered.words.as_slice()))
        })
    });
    pairs.min_by_key(|(kinship, at, _)| (*kinship, *at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(found: &[Named]) -> Vec<&str> {
        found.iter().map(|named| named.occupation).collect()
    }

    #[test]
    fn a_headline_names_an_occupation_whatever_stands_around_it() {
        for (headline, occupations) in [
            (
                "Registered nurse with 8 years in ICU, relocating",
                &["registered nurse"][..],
            ),
            ("Looking for a line cook position", &["line cook"]),
            (
                "Bilingual customer service rep open to remote",
                &["customer service representative"],
            ),
            (
                "Motivated recent grad seeking entry-level accounting job",
                &["accountant"],
            ),
            (
                "Full-time mom returning to office administration",
                &["administrative assistant"],
            ),
            ("Truck driver (CDL A)", &["truck driver"]),
            ("Driver with CDL and hazmat", &["truck driver"]),
            ("warehouse work", &["warehouse worker"]),
            ("Electrician apprentice", &["electrician apprentice"]),
            ("electrican with 20 yrs exp", &["electrician"]),
            ("Carpenter, Boston, MA", &["carpenter"]),
            ("Bartender/server", &["bartender", "waiter"]),
            ("Yoga teacher", &["yoga teacher"]),
            ("Therapist", &["therapist"]),
            ("Supervisor in a warehouse", &["warehouse manager"]),
            ("Assistant manager, retail", &["store manager"]),
            ("Hard worker, open to anything", &[]),
        ] {
            assert_eq!(names(&of_headline(headline)), occupations, "{headline}");
        }
    }

    #[test]
    fn what_is_asked_for_counts_rather_than_what_is_over() {
        for (headline, occupations) in [
            ("Ex-barista, now junior data analyst", &["data analyst"][..]),
            ("Former bouncer now security guard", &["security guard"]),
            (
                "Line cook turned software developer",
                &["software engineer"],
            ),
            ("Chef to software engineer", &["software engineer"]),
            ("aspiring paralegal", &["paralegal"]),
            ("CPA looking for tax work", &["tax accountant"]),
            ("Teacher looking to move into UX design", &["ux designer"]),
            (
                "Teacher seeking a job in retail",
                &["retail sales associate"],
            ),
            (
                "Nurse seeking a job in a doctor's office",
                &["registered nurse"],
            ),
            ("Former teacher", &["teacher"]),
            ("Nurse -> UX designer", &["ux designer"]),
            ("Career change from retail to HR", &["hr generalist"]),
            ("Left nursing for UX design", &["ux designer"]),
        ] {
            assert_eq!(names(&of_headline(headline)), occupations, "{headline}");
        }
    }

    #[test]
    fn the_last_words_of_a_name_say_what_it_is() {
        for (title, occupations) in [
            (
                "Executive Assistant to the CEO",
                &["executive assistant"][..],
            ),
            (
                "Assistant to the Regional Director",
                &["executive assistant"],
            ),
            ("Nurse Recruiter", &["healthcare recruiter"]),
            (
                "Physical Therapist Assistant",
                &["physical therapist assistant"],
            ),
            ("Roofing Safety Inspector", &[]),
            ("Server - Fine Dining", &["waiter"]),
            ("Windows Server Administrator", &["system administrator"]),
            ("Linux Device Driver Engineer", &["driver engineer"]),
            (
                "Manager, Software Engineering",
                &["software engineering manager"],
            ),
            ("Software Engineer - Security", &["cybersecurity engineer"]),
            ("Class A CDL Company Driver", &["truck driver"]),
            ("Night Shift - Barista", &["barista"]),
            ("Housekeeping", &["housekeeper"]),
            ("Sanitation Engineer", &[]),
        ] {
            assert_eq!(names(&of_title(title)), occupations, "{title}");
        }
    }
}
