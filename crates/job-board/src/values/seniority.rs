//! How senior a position is, as its title says.

use async_graphql::Enum;

use super::skill::words;

/// How senior a position is.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Seniority {
    /// An internship, a working student's or a co-op position.
    Intern,
    /// For people who begin: junior, entry level, new graduates.
    Entry,
    /// Senior.
    Senior,
    /// Staff, principal or lead.
    Lead,
    /// Director, vice president, head or chief.
    Director,
}

const LEVELS: [(Seniority, &str); 5] = [
    (
        Seniority::Director,
        "director vp president chief cto ceo cfo coo",
    ),
    (
        Seniority::Intern,
        "intern interns internship internships coop apprentice apprenticeship werkstudent werkstudentin praktikant praktikum stagiaire stagiaires placement",
    ),
    (
        Seniority::Entry,
        "junior jr entry grad grads graduate graduates newgrad fresher early",
    ),
    (Seniority::Lead, "staff principal lead"),
    (Seniority::Senior, "senior sr snr iii iv"),
];

/// Words that say how senior a position is, or belong to such words, and nothing else.
const OTHERS: &str = "i ii mid midlevel level co op summer fall winter spring student program career university campus";

/// Whether a word says how senior a position is.
pub fn is_word(word: &str) -> bool {
    let levels = LEVELS.iter().map(|(_, words)| *words);
    // They also say what the position is.
    let is_other = |word: &str| matches!(word, "staff" | "president" | "placement" | "spring");
    levels
        .chain([OTHERS])
        .any(|words| words.split(' ').any(|other| other == word))
        && !is_other(word)
}

impl Seniority {
    /// The seniority that a title names.
    pub fn of(title: &str) -> Option<Self> {
        let words = words(title);
        let has = |one: &str| words.iter().any(|word| word == one);
        let follows = |first: &str, second: &str| {
            words
                .windows(2)
                .any(|pair| matches!(pair, [a, b] if a == first && b == second))
        };
        if follows("co", "op") || follows("working", "student") {
            return Some(Self::Intern);
        }
        // A chief of staff or a staff nurse is not a staff engineer.
        let found = LEVELS.iter().find(|(level, names)| {
            names.split(' ').any(|name| {
                has(name)
                    && (name != "staff"
                        || follows("staff", "engineer")
                        || follows("staff", "software"))
            }) && (*level != Self::Entry || !has("early") || follows("early", "career"))
        });
        found.map(|(level, _)| *level)
    }

    /// How well a position of seniority `offered` fits someone who looks for `wanted`, in percent.
    pub fn fit(wanted: Option<Self>, offered: Option<Self>) -> u32 {
        use Seniority::{Director, Entry, Intern, Lead, Senior};
        match (wanted, offered) {
            (None, None | Some(Intern | Entry | Senior)) => 100,
            (None, Some(Lead)) => 90,
            (None, Some(Director)) => 50,
            (Some(wanted), Some(offered)) if wanted == offered => 100,
            (Some(Intern), Some(Entry)) | (Some(Entry), Some(Intern)) => 90,
            (Some(Senior), Some(Lead)) | (Some(Lead), Some(Senior)) => 90,
            (Some(Entry), None) | (Some(Senior), None) => 90,
            (Some(Intern), None) => 75,
            (Some(Lead), None) => 75,
            (Some(Lead), Some(Director)) | (Some(Director), Some(Lead)) => 75,
            (Some(_), _) => 40,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_says_how_senior_a_position_is() {
        for (title, seniority) in [
            ("Software Engineer Intern", Some(Seniority::Intern)),
            ("Co-op, Data", Some(Seniority::Intern)),
            ("Sr. Accountant", Some(Seniority::Senior)),
            ("Director of Nursing", Some(Seniority::Director)),
            ("New Grad Software Engineer", Some(Seniority::Entry)),
            ("Staff Software Engineer", Some(Seniority::Lead)),
            ("Staff Nurse", None),
            ("Software Engineer", None),
        ] {
            assert_eq!(Seniority::of(title), seniority, "{title}");
        }
    }
}
