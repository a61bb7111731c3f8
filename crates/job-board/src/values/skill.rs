//! Skills: an open vocabulary with synonyms.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use trestle_domain::{List, Text};

use super::synonyms::Synonyms;

static SKILLS: LazyLock<Synonyms> = LazyLock::new(|| Synonyms::read(include_str!("skills.txt")));
static IN_TEXTS: LazyLock<Synonyms> =
    LazyLock::new(|| Synonyms::read(include_str!("skills.txt")).in_texts());

/// The most words of a skill in the vocabulary.
const LONGEST: usize = 4;

/// Skills, each in the form in which skills are compared.
pub type Skills = List<Text<1, 50>, 30>;

/// Each skill by its name in the vocabulary, or else in lower case; each once, in their order.
pub fn canonical(given: &Skills) -> Skills {
    let mut seen = BTreeSet::new();
    let names = given.as_slice().iter().map(|skill| {
        let plain = spaced(skill.as_str());
        named(&plain).map_or(plain, str::to_owned)
    });
    let names: Vec<_> = names.filter(|name| seen.insert(name.clone())).collect();
    List::parse(names.iter().map(|name| Text::parse(name))).unwrap_or_default()
}

/// The name of a skill in the vocabulary, in whichever spelling: `Node JS`, `Spring-Boot`, `C ++`, `Python 3.12`, `C++17`,
/// `Kubernetes (K8s)`, `Go/Golang`.
fn named(plain: &str) -> Option<&'static str> {
    if let Some(name) = spelled(plain) {
        return Some(name);
    }
    let parts = plain.split(['(', ')', '/', ',', '|']).map(str::trim);
    let mut names = parts.filter(|part| !part.is_empty()).map(spelled);
    let first = names.next()??;
    // Two skills in one are none of the two.
    names.all(|name| name == Some(first)).then_some(first)
}

/// The name of a skill that is written with other marks and blanks, or with its version.
fn spelled(part: &str) -> Option<&'static str> {
    let marked = spaced(&part.replace(['-', '_'], " "));
    let joined = marked.replace(' ', "");
    let is_version = |word: &str| {
        let digits = word.trim_start_matches('v');
        digits.starts_with(|c: char| c.is_ascii_digit())
            && digits
                .chars()
                .all(|c| c.is_ascii_digit() || matches!(c, '.' | 'x' | '+'))
    };
    let older = marked.rsplit_once(' ');
    let older = older.filter(|(_, version)| is_version(version));
    let standard = joined.trim_end_matches(|c: char| c.is_ascii_digit());
    let standard = Some(standard).filter(|name| name.ends_with(['+', '#']));
    SKILLS
        .name(part)
        .or_else(|| SKILLS.name(&marked))
        .or_else(|| SKILLS.name(&joined))
        .or_else(|| SKILLS.name(older?.0))
        .or_else(|| SKILLS.name(standard?))
}

/// The one word by which the vocabulary names what a text calls a tool or a language: `k8s` is `kubernetes`.
pub fn tool(phrase: &str) -> Option<&'static str> {
    IN_TEXTS.name(phrase).filter(|name| !name.contains(' '))
}

/// The names of a word of a search: of the skill, if it is one, in whichever spelling.
pub fn searched(word: &str) -> Option<&'static str> {
    named(&spaced(word))
}

/// The skills of the vocabulary that a text mentions, by their names. Names that mean other things in a text, such as
/// `go` or `security`, count in lists of skills alone.
pub fn mentioned(text: &str) -> BTreeSet<&'static str> {
    let words = words(text);
    let mut found = BTreeSet::new();
    for at in 0..words.len() {
        for length in 1..=LONGEST.min(words.len() - at) {
            let phrase = words.get(at..at + length).unwrap_or_default().join(" ");
            let named = IN_TEXTS.name(&phrase);
            found.extend(named);
        }
    }
    found
}

/// The words of a text in lower case. Marks that belong to names of skills stay: `c++`, `c#`, `node.js`.
pub fn words(text: &str) -> Vec<String> {
    written(text)
        .into_iter()
        .map(|(_, word)| word.to_lowercase())
        .collect()
}

/// The same as they are written, each with its place in the text.
pub fn written(text: &str) -> Vec<(usize, &str)> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '+' | '#' | '.');
    let mut at = 0;
    let words = text.split(|c: char| !is_part(c)).map(|word| {
        let start = at;
        // What separates words is one character.
        at += word.len();
        at += text
            .get(at..)
            .and_then(|rest| rest.chars().next())
            .map_or(0, char::len_utf8);
        (start, word.trim_end_matches('.'))
    });
    words.filter(|(_, word)| !word.is_empty()).collect()
}

fn spaced(text: &str) -> String {
    let lower = text.to_lowercase();
    lower.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn synonyms_are_one_skill() {
        let given = [
            "JS",
            "javascript",
            "Java  Script",
            "C++",
            "cpp",
            "Basket weaving",
        ];
        let given = List::parse(given.iter().map(|skill| Text::parse(skill))).unwrap();
        let skills = canonical(&given);
        let names: Vec<_> = skills.as_slice().iter().map(Text::as_str).collect();
        assert_eq!(names, ["javascript", "c++", "basket weaving"]);
        assert_eq!(canonical(&skills), skills);
    }

    #[test]
    fn every_spelling_of_a_skill_is_one_skill() {
        let name = |text: &str| named(&spaced(text)).unwrap_or("none");
        for (spellings, skill) in [
            (
                &[
                    "Go",
                    "golang",
                    "GoLang",
                    "Go lang",
                    "Go/Golang",
                    "Golang (Go)",
                    "Go 1.22",
                ][..],
                "golang",
            ),
            (
                &[
                    "k8s",
                    "Kubernetes",
                    "Kube",
                    "Kubernetes (K8s)",
                    "K8S/Kubernetes",
                ],
                "kubernetes",
            ),
            (
                &[
                    "JS",
                    "JavaScript",
                    "Java Script",
                    "ES6",
                    "JavaScript (ES6+)",
                    "JavaScript/ES6",
                ],
                "javascript",
            ),
            (
                &[
                    "postgres",
                    "PostgreSQL",
                    "Postgre SQL",
                    "PostgresSQL",
                    "psql",
                    "PostgreSQL 16",
                ],
                "postgresql",
            ),
            (
                &[
                    "node",
                    "Node.js",
                    "NodeJS",
                    "node js",
                    "Node-JS",
                    "Node.js 20",
                ],
                "node.js",
            ),
            (
                &[
                    "react", "React.js", "ReactJS", "React JS", "react-js", "React 18",
                ],
                "react",
            ),
            (
                &["C#", "csharp", "C Sharp", "C-Sharp", "c #", "C# 12"],
                "c#",
            ),
            (
                &["C++", "cpp", "C ++", "C++17", "c++20", "C plus plus"],
                "c++",
            ),
            (
                &[
                    ".NET",
                    "dotnet",
                    "Dot-Net",
                    "ASP.NET",
                    ".NET Core",
                    ".NET 8",
                    "ASP.NET Core",
                ],
                ".net",
            ),
            (&["TS", "Type Script", "typescript 5.x"], "typescript"),
            (
                &["Spring-Boot", "Spring Boot 3", "springboot"],
                "spring boot",
            ),
            (&["C", "c"], "c"),
            (&["Java/Kotlin", "R2", "S3", "basket weaving"], "none"),
        ] {
            for spelling in spellings {
                assert_eq!(name(spelling), skill, "{spelling}");
            }
        }
    }

    #[test]
    fn a_text_mentions_whole_words() {
        let found = mentioned("Software Engineer, C++/Python (Front-End), K8s.");
        assert!(found.contains("kubernetes"));
        let found = mentioned("Software Engineer - C++ and Machine Learning");
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            ["c++", "machine learning"]
        );
        assert!(mentioned("Javanese dancer").is_empty());
        assert!(mentioned("Security Guard, go to market").is_empty());
        let found = mentioned("C/C++, AI/ML");
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            ["artificial intelligence", "c++", "machine learning"]
        );
    }
}
