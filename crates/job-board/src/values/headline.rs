//! What position a headline asks for: the one that people look for, not the one that they have.

/// What stands before the position that someone looks for.
const BEFORE: [&str; 36] = [
    "looking to move into ",
    "looking to switch to ",
    "looking to become ",
    "looking to work as ",
    "looking for ",
    "moving into ",
    "moving to ",
    "switching to ",
    "switching into ",
    "transitioning to ",
    "transitioning into ",
    "career change to ",
    "career change into ",
    "changing to ",
    "hoping to become ",
    "wants to become ",
    "want to become ",
    "training to become ",
    "turned ",
    "seeking ",
    "aspiring ",
    "future ",
    ", learning ",
    "currently learning ",
    "become ",
    "becoming ",
    "to be a ",
    "to be an ",
    "to work as ",
    "move into ",
    "get into ",
    "break into ",
    "switch to ",
    "switch into ",
    "transition to ",
    "transition into ",
];

/// What stands after a position and is about the person.
const AFTER: [&str; 6] = [
    " with ",
    " who ",
    " after ",
    " using ",
    " because ",
    " where ",
];

/// The part of a headline that names the position.
pub fn sought(headline: &str) -> &str {
    let lower = headline.to_lowercase();
    if lower.len() != headline.len() {
        return headline;
    }
    let ends = BEFORE.iter().filter_map(|phrase| {
        let at = lower.rfind(phrase)?;
        let before = lower.get(..at)?.chars().next_back();
        let is_word = phrase.starts_with(',') || !before.is_some_and(char::is_alphanumeric);
        is_word.then_some(at + phrase.len())
    });
    let start = ends.max().unwrap_or_default();
    let rest = lower.get(start..).unwrap_or_default();
    let end = AFTER.iter().filter_map(|phrase| rest.find(phrase)).min();
    let end = end.map_or(headline.len(), |end| start + end);
    match headline.get(start..end).map(str::trim) {
        Some(position) if !position.is_empty() => position,
        _ => headline,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_headline_names_the_position_that_is_looked_for() {
        for (headline, position) in [
            ("Data engineer", "Data engineer"),
            ("Teacher looking to move into UX design", "UX design"),
            ("Nurse, learning to code", "to code"),
            ("Machine learning engineer", "Machine learning engineer"),
            ("Chef turned front-end developer", "front-end developer"),
            ("Accountant with 10 years in audit", "Accountant"),
            ("Aspiring product manager", "product manager"),
            (
                "I want to leave teaching and become a data analyst",
                "a data analyst",
            ),
            ("I would like to be a nurse because I like people", "nurse"),
            (
                "Hoping to break into product management",
                "product management",
            ),
            ("Seeking ", "Seeking "),
            ("Refuturing lead", "Refuturing lead"),
        ] {
            assert_eq!(sought(headline), position, "{headline}");
        }
    }
}
