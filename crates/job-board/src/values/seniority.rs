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

/// Positions that are no beginner's with `Associate` before them.
const ASSOCIATES: &str =
    "professor attorney lawyer counsel dentist veterinarian physician doctor principal";

/// Positions that are numbered, and have associates.
const GRADED: &str = "engineer engineering developer programmer swe sde mle sre analyst scientist designer architect tester manager \
                      accountant auditor actuary economist underwriter technician specialist administrator consultant coordinator \
                      representative recruiter planner buyer editor strategist researcher operator nurse";

/// Whether `entry` says how senior a position is. Data entry is work.
fn names_entry_level(words: &[String]) -> bool {
    const ENTERED: &str = "data order orders charge claim claims invoice invoices";
    let is_entered = |word: &String| ENTERED.split(' ').any(|entered| entered == word);
    let before = std::iter::once(None).chain(words.iter().map(Some));
    let mut pairs = before.zip(words);
    pairs.any(|(before, word)| word == "entry" && !before.is_some_and(is_entered))
}

/// The words before whom an assistant works for: an assistant to the CEO is no director.
fn own_words(words: &[String]) -> usize {
    const HELPERS: [&str; 4] = ["assistant", "secretary", "aide", "ea"];
    let helper = words
        .iter()
        .position(|word| HELPERS.contains(&word.as_str()));
    let to = words.iter().position(|word| word == "to" || word == "for");
    match (helper, to) {
        (Some(helper), Some(to)) if helper < to => to,
        _ => words.len(),
    }
}

/// Words before the principal of a school, who is no principal engineer.
const SCHOOLS: [&str; 5] = ["assistant", "vice", "school", "former", "deputy"];

impl Seniority {
    /// The seniority that a title names. Its first part that names one decides: an intern in the office of the CTO is no director.
    pub fn of(title: &str) -> Option<Self> {
        let mut parts = title.split([',', '(', ':', '|', '–', '—']);
        parts.find_map(|part| part.split(" - ").find_map(Self::of_part))
    }

    /// The seniority that a part of a title names.
    fn of_part(title: &str) -> Option<Self> {
        let mut words = words(title);
        words.truncate(own_words(&words));
        let has = |one: &str| words.iter().any(|word| word == one);
        let follows = |first: &str, second: &str| {
            words
                .windows(2)
                .any(|pair| matches!(pair, [a, b] if a == first && b == second))
        };
        if follows("co", "op") || follows("working", "student") {
            return Some(Self::Intern);
        }
        if follows("head", "of") {
            return Some(Self::Director);
        }
        let found = LEVELS.iter().find(|(level, names)| {
            names.split(' ').any(|name| match name {
                // A chief of staff or a staff nurse is not a staff engineer.
                "staff" => follows("staff", "engineer") || follows("staff", "software"),
                "entry" => names_entry_level(&words),
                "principal" => has(name) && !SCHOOLS.iter().any(|school| follows(school, name)),
                name => has(name),
            }) && (*level != Self::Entry || !has("early") || follows("early", "career"))
        });
        let found = found.map(|(level, _)| *level);
        found.or_else(|| Self::of_grade(title, &words))
    }

    /// The seniority that a number after the position says, or `Associate` before it: `Engineer I`, `SDE 3`.
    fn of_grade(title: &str, words: &[String]) -> Option<Self> {
        let is_position = |word: &str| GRADED.split(' ').any(|other| other == word);
        let grade = words.windows(2).find_map(|pair| match pair {
            [position, grade] if is_position(position) => match grade.as_str() {
                "i" | "1" => Some(Self::Entry),
                "3" | "4" => Some(Self::Senior),
                _ => None,
            },
            _ => None,
        });
        // An associate professor, attorney or dentist is no beginner, and neither is an associate of a bank.
        let rest = title
            .trim_start()
            .get(..10)
            .zip(title.trim_start().get(10..));
        let rest = rest.filter(|(first, _)| first.eq_ignore_ascii_case("associate "));
        let is_grade = rest.is_some_and(|(_, rest)| {
            let words = super::skill::words(rest);
            let is_other = |word: &String| ASSOCIATES.split(' ').any(|other| other == word);
            !words.iter().any(is_other) && words.iter().any(|word| is_position(word))
        });
        grade.or_else(|| is_grade.then_some(Self::Entry))
    }

    /// Whether a headline is of someone who looks for an internship or a position to begin with.
    pub fn is_beginner(headline: &str) -> bool {
        const LEARNERS: &str =
            "student students undergraduate undergrad trainee traineeship studentin alternance";
        let names = |word: &String| LEARNERS.split(' ').any(|other| other == word);
        let words = words(headline);
        let has = |one: &str| words.iter().any(|word| word == one);
        matches!(Self::of(headline), Some(Self::Intern | Self::Entry))
            || words.iter().any(names)
            || (has("learn") && (has("trade") || has("trades")))
    }

    /// Whether a position leads others.
    pub fn leads(title: &str) -> bool {
        const LEADERS: &str = "manager management supervisor foreman superintendent";
        let words = words(title);
        let own = words.get(..own_words(&words)).unwrap_or_default();
        own.iter()
            .any(|word| LEADERS.split(' ').any(|leader| leader == word))
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
            ("Software Engineer I", Some(Seniority::Entry)),
            ("Software Engineer 1, Payments", Some(Seniority::Entry)),
            ("SDE I", Some(Seniority::Entry)),
            ("Software Engineer II", None),
            ("SDE 3", Some(Seniority::Senior)),
            ("Associate Product Manager", Some(Seniority::Entry)),
            ("Associate Director, Data", Some(Seniority::Director)),
            ("Associate Attorney", None),
            ("Associate, Investment Banking", None),
            ("Sales Associate", None),
            ("Head of Engineering", Some(Seniority::Director)),
            ("Head Chef", None),
            ("Entry-Level Accountant", Some(Seniority::Entry)),
            ("Data Entry", None),
            ("Executive Assistant to the CEO", None),
            ("Assistant Principal", None),
            ("Principal Engineer", Some(Seniority::Lead)),
            ("Order Entry Clerk", None),
            ("Entry Level Data Entry Clerk", Some(Seniority::Entry)),
            ("Intern - Office of the CTO", Some(Seniority::Intern)),
            (
                "Senior Manager, Internship Programs",
                Some(Seniority::Senior),
            ),
            ("API Technical Lead, VP", Some(Seniority::Lead)),
            ("Software Engineer (Internship)", Some(Seniority::Intern)),
            ("Software Engineer - Intern", Some(Seniority::Intern)),
            ("Director, Graduate Programs", Some(Seniority::Director)),
        ] {
            assert_eq!(Seniority::of(title), seniority, "{title}");
        }
    }
}
