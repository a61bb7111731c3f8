//! The positions that a title names: `Software Engineer - Security` is a software engineer, and a security engineer.

use super::city::CityKey;
use super::readings::other_readings;
use super::region::Region;
use super::skill::{searched, split_at};
use super::terms::{Position, Term, phrases, terms};

/// What separates the parts of a title.
pub const SEPARATORS: [&str; 8] = [" - ", " – ", " — ", " | ", ", ", " (", ": ", "; "];
/// Parts of a title that are read.
const PARTS: usize = 6;

/// What a position is that a qualifier makes a specific one: the engineer of `Software Engineer`.
fn broad_role(position: &Position) -> Option<String> {
    let mut terms = position.iter();
    let is_broad = terms.all(|(term, _)| term.is_generic() || term.is_broad());
    let heads = position.iter().filter(|(term, _)| term.is_head());
    let words: Vec<_> = heads.map(|(_, word)| word.as_str()).collect();
    (is_broad && !words.is_empty()).then(|| words.join(" "))
}

/// As [`broad_role`], of a part of a title.
pub fn broad_role_of(part: &str) -> Option<String> {
    broad_role(&phrases(part))
}

/// The positions that a title names: what its first part says, and what this is with each of the parts after it.
pub fn positions(title: &str) -> Vec<Position> {
    let parts = split_at(title, &SEPARATORS);
    let mut parts = parts.into_iter().filter(|part| !terms(part).is_empty());
    let Some(first) = parts.next() else {
        return Vec::new();
    };
    let main = phrases(first);
    let heads = |terms: &Position| -> Position {
        let heads = terms.iter().filter(|(term, _)| term.is_head());
        heads.cloned().collect()
    };
    let own = heads(&main);
    let is_open = main
        .iter()
        .all(|(term, _)| term.is_open() || term.is_broad());
    let role = broad_role(&main);
    let mut found = vec![main];
    found.extend(other_readings(first));
    for part in parts.take(PARTS - 1) {
        let other = phrases(part);
        let named = heads(&other);
        let is_own = |(term, _): &(Term, String)| own.iter().any(|(head, _)| head == term);
        if named.is_empty() {
            found.push(phrases(&format!("{part} {first}")));
            // `Software Engineer - Security`
            if let Some(role) = &role {
                found.push(phrases(&format!("{part} {role}")));
            }
        } else if is_open || named.iter().all(is_own) {
            found.push(other);
        }
    }
    found
}

/// Whether a text names an occupation: a `nurse`, or a `project manager`, but no `manager` alone.
pub fn names_occupation(text: &str) -> bool {
    let terms = terms(text);
    let is_occupation = |term: &Term| term.is_head() && (terms.len() > 1 || !term.is_generic());
    terms.iter().any(is_occupation)
}

/// What a headline names one beside the other: `DevOps / SRE`, and `SDR/BDR manager` as it is and with each of the two.
pub fn alternatives(headline: &str) -> Vec<String> {
    let parts = split_at(headline, &[" / ", " | ", "; ", " or "]);
    parts.into_iter().flat_map(with_each_side).collect()
}

/// A part of a headline, and what it is with either side of a slash in it alone.
fn with_each_side(part: &str) -> Vec<String> {
    let mut found = vec![part.to_owned()];
    let mut words = part.split_whitespace();
    if let Some(word) = words.find(|word| word.contains('/')) {
        let sides: Vec<_> = word.split('/').collect();
        // "A/V technician", "24/7 support"
        let is_word = |side: &str| side.chars().filter(|c| c.is_alphabetic()).count() > 1;
        let is_named = |side: &&str| is_word(side) || searched(side).is_some();
        if sides.len() > 1 && sides.iter().all(is_named) {
            // The C of `C/C++` is also a letter of other words.
            let sides = sides.iter().filter(|side| side.chars().count() > 1);
            let parts = sides.map(|side| part.replacen(word, side, 1));
            found.extend(parts.filter(|part| terms(part).iter().any(|term| !term.is_generic())));
        }
    }
    found
}

/// The occupations that are listed in a part of a headline, beside the part itself: `Accountant, controller`.
pub fn listed_occupations(part: &str) -> Vec<&str> {
    let by_commas = split_at(part, &[", "]);
    let (first, others) = by_commas.split_first().unwrap_or((&part, &[]));
    let others = others.iter().copied();
    let mut found: Vec<_> = others.filter(|other| names_occupation(other)).collect();
    // `Scrum master, project manager`; `Austin, data engineer` has one occupation, and so has `Python, data engineer`.
    let is_city = || CityKey::parse(first).is_ok_and(|key| Region::of_city(&key).is_some());
    if !found.is_empty() && (names_occupation(first) || (terms(first).len() > 1 && !is_city())) {
        found.push(first);
    }
    let joined = split_at(part, &[" and ", " & "]);
    if joined.len() > 1 && joined.iter().all(|part| names_occupation(part)) {
        found.extend(joined);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn occupations_are_listed_side_by_side() {
        for (part, occupations) in [
            (
                "Scrum master, project manager",
                &["project manager", "Scrum master"][..],
            ),
            ("Accountant, controller", &["controller", "Accountant"]),
            (
                "Data scientist, ML engineer",
                &["ML engineer", "Data scientist"],
            ),
            ("Teacher and tutor", &["Teacher", "tutor"]),
            ("Python, data engineer", &["data engineer"]),
            ("San Francisco, data engineer", &["data engineer"]),
            ("Software Engineer, Payments", &[]),
            ("Manager, Product", &[]),
            ("Research and development engineer", &[]),
            ("Software engineer", &[]),
        ] {
            assert_eq!(listed_occupations(part), occupations, "{part}");
        }
    }

    #[test]
    fn what_is_on_either_side_of_a_slash_is_an_alternative() {
        for (headline, others) in [
            ("DevOps / SRE", &["DevOps", "SRE"][..]),
            (
                "DevOps/SRE engineer",
                &["DevOps/SRE engineer", "DevOps engineer", "SRE engineer"],
            ),
            ("C/C++ developer", &["C/C++ developer", "C++ developer"]),
            ("A/V technician", &["A/V technician"]),
            ("24/7 support", &["24/7 support"]),
            ("Nurse", &["Nurse"]),
        ] {
            assert_eq!(alternatives(headline), others, "{headline}");
        }
    }

    #[test]
    fn a_qualifier_makes_a_generic_position_a_specific_one() {
        for (title, position) in [
            ("Software Engineer - Security", "Security Engineer"),
            ("Software Engineer II, Backend (NYC)", "Backend Engineer"),
            ("Senior Software Engineer (iOS)", "iOS Engineer"),
            (
                "Software Engineer: Machine Learning",
                "Machine Learning Engineer",
            ),
            ("Manager, Product", "Product Manager"),
            (
                "Campaign Manager - Programmatic",
                "Programmatic Campaign Manager",
            ),
            (
                "Member of Technical Staff: Research Scientist - Post-Training",
                "Research Scientist",
            ),
            ("Intern - Data Analyst", "Data Analyst"),
        ] {
            let found = positions(title).into_iter();
            let mut found =
                found.map(|terms| terms.into_iter().map(|(term, _)| term).collect::<Vec<_>>());
            assert!(found.any(|found| found == terms(position)), "{title}");
        }
        let found = positions("Technical Recruiter - Software Engineer");
        assert_eq!(found.len(), 1);
        assert_eq!(positions("Account Manager - Sales").len(), 2);
        assert!(positions("").is_empty());
    }
}
