//! Words of titles and descriptions, in the form in which they are compared.

use std::collections::HashSet;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

use super::skill::{tool, words, written};
use super::synonyms::{Synonyms, entries, listed};

static TITLES: LazyLock<Synonyms> = LazyLock::new(|| Synonyms::read(include_str!("titles.txt")));
static HEADS: LazyLock<Heads> = LazyLock::new(|| Heads::read(include_str!("heads.txt")));

/// The most words of a synonym in the list.
const LONGEST: usize = 5;
/// Words without meaning in a title.
const EMPTY: &str = "a an and any are as at be by for from in is it of on or our position job role opening the to we with you your \
                     remote hybrid onsite full time part contract temporary permanent new hiring phd msc bsc mba degree experienced \
                     req requisition passionate motivated certified freelance year years experience am m me my want wants would like love";

static IS_EMPTY: LazyLock<HashSet<&str>> = LazyLock::new(|| EMPTY.split_whitespace().collect());

/// A word's stem. Words of one stem are the same: `engineer` and `engineering`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(String);

/// The stem of a word in lower case.
pub fn stem(word: &str) -> String {
    Stemmer::create(Algorithm::English).stem(word).into_owned()
}

impl Term {
    fn new(word: &str) -> Self {
        match word.strip_suffix('!') {
            Some(word) => Self(format!("{word}!")),
            None => Self(stem(word)),
        }
    }

    /// Whether it says what a position is, such as `nurse` or `engineer`.
    pub fn is_head(&self) -> bool {
        self.is_generic() || HEADS.occupations.contains(self)
    }

    /// Whether it says little without the words before it: `engineer`.
    pub fn is_generic(&self) -> bool {
        HEADS.generic.contains(self)
    }

    /// Whether a qualifier replaces it before a word that says little: `software`.
    pub fn is_broad(&self) -> bool {
        HEADS.broad.contains(self)
    }

    /// Whether the position stands after it: `member`.
    pub fn is_open(&self) -> bool {
        HEADS.open.contains(self)
    }
}

struct Heads {
    generic: HashSet<Term>,
    occupations: HashSet<Term>,
    broad: HashSet<Term>,
    open: HashSet<Term>,
}

impl Heads {
    fn read(text: &'static str) -> Self {
        let line = |name: &str| -> HashSet<Term> {
            let words = entries(text).filter(|(other, _)| *other == name);
            let words = words.flat_map(|(_, words)| listed(words));
            words
                .flat_map(|word| [Term::new(word), Term(format!("{word}!"))])
                .collect()
        };
        Self {
            generic: line("generic"),
            occupations: line("occupation"),
            broad: line("broad"),
            open: line("open"),
        }
    }
}

/// The terms of a position in their order, with the words that they stand for.
pub type Position = Vec<(Term, String)>;

/// The terms of a text in their order: synonyms replaced, words without meaning and words of seniority left out.
pub fn terms(text: &str) -> Vec<Term> {
    phrases(text).into_iter().map(|(term, _)| term).collect()
}

/// As [`terms`], each with the words of the text that it stands for.
pub fn phrases(text: &str) -> Position {
    let words = words(&without_codes(text));
    let mut terms = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        let longest = LONGEST.min(words.len() - at);
        let named = (1..=longest).rev().find_map(|length| {
            let phrase = words.get(at..at + length)?.join(" ");
            let name = TITLES.name(&phrase).or_else(|| tool_in(&phrase));
            name.map(|name| (name, length))
        });
        let (name, length) = match (named, words.get(at)) {
            (Some((name, length)), _) => (name, length),
            (None, Some(word)) => (word.as_str(), 1),
            (None, None) => break,
        };
        let phrase = words.get(at..at + length).unwrap_or_default().join(" ");
        at += length;
        let meaning = |word: &&str| {
            !IS_EMPTY.contains(word)
                && !super::seniority::is_word(word)
                && !word.chars().all(|c| c.is_ascii_digit())
        };
        // A name of several words with a mark is one term.
        if name.ends_with('!') {
            terms.push((Term::new(name), phrase))
        } else {
            // Word by word where it can be: `engineer` stands for the engineer of `data engineer`.
            let own: Vec<_> = phrase.split(' ').collect();
            let is_paired = own.len() == name.split(' ').count();
            let words = name.split(' ').enumerate();
            let words = words.filter(|(_, word)| meaning(word));
            terms.extend(words.map(|(at, word)| {
                let own = own.get(at).filter(|_| is_paired).copied();
                (Term::new(word), own.unwrap_or(&phrase).to_owned())
            }));
        }
    }
    terms
}

/// A tool or a language by its name among the skills, unless the phrase says what a position is: a `forklift operator`.
fn tool_in(phrase: &str) -> Option<&'static str> {
    let says_position = || phrase.split(' ').any(|word| Term::new(word).is_head());
    tool(phrase).filter(|_| !says_position())
}

/// Words of letters and digits that are no codes of requisitions.
const NO_CODES: [&str; 9] = [
    "s3", "ec2", "web3", "mp3", "co2", "m365", "d365", "o365", "f1",
];

/// The text without codes of requisitions: `R2`, `JR-10234`, `(REQ_4711)`, `#1234`. They say nothing about the position, and
/// are rarer than anything that does.
fn without_codes(text: &str) -> String {
    let words = text.split_whitespace();
    words
        .filter(|word| !is_code(word))
        .collect::<Vec<_>>()
        .join(" ")
}

/// `(m/w/d)`: the title is for men and women.
fn is_for_everyone(word: &str) -> bool {
    let mut parts = word.split('/');
    word.contains('/') && parts.all(|part| matches!(part, "m" | "w" | "d" | "f" | "h" | "x" | "i"))
}

fn is_code(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '#');
    let lower = word.to_lowercase();
    if is_for_everyone(&lower) {
        return true;
    }
    let digits = lower.trim_start_matches(|c: char| c.is_ascii_lowercase());
    let letters = lower.get(..lower.len() - digits.len()).unwrap_or_default();
    let number = digits.trim_start_matches(['-', '_', '#', '.']);
    let is_number = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit() || c == '-');
    match (letters.len(), digits.len() - number.len()) {
        _ if !is_number => false,
        (0, 0) => false,
        (0, _) => lower.starts_with('#'),
        (1..=4, 1..) => number.len() > 2,
        // "SWE2" is a position with its grade.
        (1..=3, 0) => {
            let is_known = |text: &str| TITLES.name(text).is_some() || tool(text).is_some();
            !NO_CODES.contains(&lower.as_str()) && !is_known(&lower) && !is_known(letters)
        }
        _ => false,
    }
}

/// The words of a text that are among these, which are in lower case, as they are written: `Software Engineer, Payments`.
pub fn quoted(text: &str, fitting: &HashSet<String>) -> String {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for (start, word) in written(text) {
        if !fitting.contains(&word.to_lowercase()) {
            continue;
        }
        let end = start + word.len();
        match parts.last_mut() {
            // Side by side, as in the text.
            Some((_, last))
                if text
                    .get(*last..start)
                    .is_some_and(|gap| matches!(gap, " " | "-" | "/")) =>
            {
                *last = end;
            }
            _ => parts.push((start, end)),
        }
    }
    let parts = parts
        .into_iter()
        .filter_map(|(start, end)| text.get(start..end));
    parts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_meaning_are_one_term() {
        for (one, other) in [
            ("Software Engineer", "Software Engineering Intern"),
            ("Software Engineer", "SWE II"),
            ("Software Developer", "Software Engineer"),
            ("Data Scientist", "Data Science Internship"),
            ("Nurse", "Nursing"),
            ("Front-End Developer", "Frontend Engineer"),
            ("Machine Learning", "ML"),
            (
                "AI/ML Engineer",
                "Artificial Intelligence, Machine Learning Engineer",
            ),
            ("Accountant", "Accounting"),
            ("Ingénieur logiciel", "Software Engineer"),
            ("Product Manager", "Product Management"),
            ("Go developer", "Golang Engineer"),
            ("JS developer", "JavaScript Engineer"),
            ("AI Engineer", "Machine Learning Engineer"),
            ("BI Analyst", "Data Analyst"),
            ("iOS developer", "Swift Developer"),
            ("SDET", "Software Development Engineer in Test"),
            ("K8s Engineer", "Kubernetes Engineer"),
            ("React.js Developer", "React Engineer"),
            ("NodeJS developer", "Node.js Developer"),
            ("Postgres DBA", "PostgreSQL Database Administrator"),
            ("C# Developer", "CSharp Engineer"),
            ("Dotnet developer", ".NET Engineer"),
            (
                "Robotics Software Engineer Intern R2",
                "Robotics Software Engineer",
            ),
            ("Software Engineer II (REQ-10234)", "Software Engineer"),
            ("JR00123 Data Analyst #4711", "Data Analyst"),
            ("Nurse, Requisition 99", "Nurse"),
        ] {
            assert_eq!(terms(one), terms(other), "{one} | {other}");
        }
        let spelled: Vec<_> = phrases("Senior Data Science SWE")
            .into_iter()
            .map(|(_, text)| text)
            .collect();
        assert_eq!(spelled, ["data", "science", "swe", "swe"]);
        for kept in ["S3 Engineer", "B2B Sales", "3D Artist", "Forklift Operator"] {
            assert_eq!(terms(kept).len(), 2, "{kept}");
        }
        assert_ne!(terms("Account Manager"), terms("Accounting Manager"));
        assert_ne!(terms("Security Guard"), terms("Security Engineer"));
        assert_ne!(terms("Product Manager"), terms("Production Manager"));
        assert_ne!(terms("Market Manager"), terms("Marketing Manager"));
        assert_ne!(terms("Operations"), terms("Operator"));
        assert_ne!(terms("Engine"), terms("Engineer"));
        let fitting = ["software", "engineer", "payments"].map(str::to_owned);
        let text = quoted(
            "Senior Software Engineer, Forms Engine (Payments)",
            &fitting.into(),
        );
        assert_eq!(text, "Software Engineer, Payments");
    }
}
