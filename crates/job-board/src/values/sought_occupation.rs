//! The occupations that a headline looks for, those that a title names, and how close they come.

use super::headline::sought;
use super::named::{Named, read, read_as_typed};
use super::occupation::{Kinship, occupations};
use super::position::{SEPARATORS, broad_role_of};
use super::skill::split_at;

/// Parts of words of someone who changes to another occupation.
const CHANGES: [&str; 6] = ["transition", "into", "becom", "aspiring", "switch", "chang"];

/// Kinds of general occupations in the place of these, if fields and tools of such kinds are mentioned.
fn specific(named: Vec<Named>, hinted: &[Named]) -> Vec<Named> {
    let kinds = |named: Named| -> Vec<Named> {
        let kinds = occupations().kinds(named.occupation);
        let kinds = hinted
            .iter()
            .filter(|hint| kinds.contains(&hint.occupation));
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
    let named = [whole.named(false), whole.inverted(), of_title(headline)];
    let named = named.into_iter().find(|found| !found.is_empty());
    let named = named.unwrap_or_default();
    let (asked, field) = (asked.named(false), asked.hinted());
    let is_related = |one: &Named, others: &[Named]| {
        let mut others = others.iter();
        others.any(|other| all.kinship(other.occupation, one.occupation).is_some())
    };
    let is_asked = position.len() < headline.len();
    let lower = headline.to_lowercase();
    let is_change = CHANGES.iter().any(|word| lower.contains(word));
    // `Teacher seeking a job in retail`, but not `nurse seeking a job in a hospital`.
    let is_elsewhere = is_change || !field.iter().any(|one| is_related(one, &named));
    let lists = match is_asked && is_elsewhere {
        true => [asked, field, named, hinted.clone(), whole.named(true)],
        false => [asked, named, field, hinted.clone(), whole.named(true)],
    };
    let found = lists.into_iter().find(|list| !list.is_empty());
    specific(found.unwrap_or_default(), &hinted)
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
pub fn closest<'n>(
    wanted: &[Named],
    offered: &'n [Named],
) -> Option<(Kinship, usize, &'n [String])> {
    let pairs = wanted.iter().enumerate().flat_map(|(at, wanted)| {
        offered.iter().filter_map(move |offered| {
            let kinship = occupations().kinship(wanted.occupation, offered.occupation)?;
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
            ("Nurse Recruiter", &["recruiter"]),
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
