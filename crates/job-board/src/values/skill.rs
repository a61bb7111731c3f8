//! Skills: an open vocabulary with synonyms.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::synonyms::Synonyms;

static SKILLS: LazyLock<Synonyms> = LazyLock::new(|| Synonyms::read(include_str!("skills.txt")));
static IN_TEXTS: LazyLock<Synonyms> =
    LazyLock::new(|| Synonyms::read(include_str!("skills.txt")).in_texts());
static KINDS: LazyLock<Synonyms> =
    LazyLock::new(|| Synonyms::read(include_str!("skill_kinds.txt")));

/// The most words of a skill in the vocabulary.
const LONGEST: usize = 4;

/// The skills that one entry of a list names, in the form in which they are compared: two for `C/C++`, one for `CI/CD`.
pub fn named_in(entry: &str) -> Vec<String> {
    let plain = spaced(entry);
    if let Some(name) = named(&plain) {
        return vec![skill_of(name).to_owned()];
    }
    let listed = parts(&plain, &[",", ";", "|"]);
    if listed.len() > 1 {
        return listed.into_iter().flat_map(named_in).collect();
    }
    let by_marks = parts(&plain, &["(", ")", "/"]);
    if by_marks.is_empty() {
        return vec![plain];
    }
    let by_words = parts(&plain, &["(", ")", "/", " and ", " & ", " or "]);
    // The letters of `A/B testing` are no skills, and neither is the health of `Health and safety`.
    let is_word = |part: &str| part.chars().filter(|c| c.is_alphanumeric()).count() > 2;
    let is_skill = |part: &&str| spelled(part).is_some();
    let parts = match () {
        () if by_words.iter().all(is_skill) => by_words,
        () if by_marks.len() == 1
            || by_marks.iter().all(|part| is_skill(part) || is_word(part)) =>
        {
            by_marks
        }
        () => vec![plain.as_str()],
    };
    let name = |part: &str| {
        spelled(part).map_or_else(|| part.to_owned(), |name| skill_of(name).to_owned())
    };
    parts.into_iter().map(name).collect()
}

/// The parts of a text between any of some marks.
fn parts<'t>(text: &'t str, marks: &[&str]) -> Vec<&'t str> {
    let parts = split_at(text, marks).into_iter();
    parts
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect()
}

/// The name of a skill in the vocabulary, in whichever spelling: `Node JS`, `Spring-Boot`, `C ++`, `Python 3.12`, `C++17`,
/// `Kubernetes (K8s)`, `Go/Golang`.
pub(super) fn named(plain: &str) -> Option<&'static str> {
    if let Some(name) = spelled(plain) {
        return Some(name);
    }
    let parts = parts(plain, &["(", ")", "/", ",", "|"]);
    let mut names = parts.into_iter().map(spelled);
    let first = names.next()??;
    // Two skills in one entry have no common name.
    names.all(|name| name == Some(first)).then_some(first)
}

/// The skill of which this is a kind, or itself.
pub(super) fn skill_of(name: &'static str) -> &'static str {
    KINDS.name(name).unwrap_or(name)
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
        .or_else(|| SKILLS.name(&spaced(&marked.replace('/', " "))))
        .or_else(|| SKILLS.name(&joined))
        .or_else(|| SKILLS.name(older?.0))
        .or_else(|| SKILLS.name(standard?))
}

/// The name of the skill that words of a search name, in whichever spelling.
pub fn searched(words: &str) -> Option<&'static str> {
    named(&spaced(words)).map(skill_of)
}

/// The words of a search, with adjacent words that name one skill together: `CI/CD pipelines` is `ci cd` and `pipelines`.
pub fn searched_phrases(words: &[String]) -> Vec<&[String]> {
    let (mut phrases, mut rest) = (Vec::new(), words);
    while !rest.is_empty() {
        let lengths = (2..=LONGEST.min(rest.len())).rev();
        let mut lengths = lengths.filter(|length| {
            let phrase = rest.get(..*length).map(|words| words.join(" "));
            phrase.is_some_and(|phrase| searched(&phrase).is_some())
        });
        let length = lengths.next().unwrap_or(1);
        let (phrase, after) = rest.split_at_checked(length).unwrap_or((rest, &[]));
        phrases.push(phrase);
        rest = after;
    }
    phrases
}

/// The skills of the vocabulary that a text mentions, by their names. Names that mean other things in a text, such as
/// `go` or `security`, count in lists of skills alone.
pub fn mentioned(text: &str) -> BTreeSet<&'static str> {
    mentioned_as(text).into_keys().collect()
}

/// As [`mentioned`], each with the words that name it first, as they are written.
pub fn mentioned_as(text: &str) -> BTreeMap<&'static str, &str> {
    let written = written(text);
    let lower: Vec<_> = written
        .iter()
        .map(|(_, word)| word.to_lowercase())
        .collect();
    let mut found = BTreeMap::new();
    for (at, (start, _)) in written.iter().enumerate() {
        for (length, (last, word)) in (1..).zip(written.iter().skip(at).take(LONGEST)) {
            let plain = lower.get(at..at + length).unwrap_or_default().join(" ");
            let phrase = text.get(*start..last + word.len());
            if let Some((name, phrase)) = IN_TEXTS.name(&plain).zip(phrase) {
                found.entry(skill_of(name)).or_insert(phrase);
            }
        }
    }
    found
}

/// The parts of a text between any of some separators.
pub fn split_at<'t>(text: &'t str, separators: &[&str]) -> Vec<&'t str> {
    separators.iter().fold(vec![text], |parts, separator| {
        let parts = parts.iter();
        parts.flat_map(|part| part.split(separator)).collect()
    })
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

pub(super) fn spaced(text: &str) -> String {
    let lower = text.to_lowercase();
    lower.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_skill_is_one_skill() {
        let name = |text: &str| searched(text).unwrap_or("none");
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
    fn an_entry_with_marks_names_one_skill_or_several() {
        for (entry, skills) in [
            ("C/C++", &["c", "c++"][..]),
            ("C, C++", &["c", "c++"]),
            ("C and C++", &["c", "c++"]),
            ("C++ & Python", &["c++", "python"]),
            ("C#/.NET", &["c#", ".net"]),
            ("Java/Kotlin", &["java", "kotlin"]),
            ("HTML/CSS", &["html", "css"]),
            ("UI/UX", &["user interface", "user experience"]),
            ("React/Redux", &["react", "redux"]),
            ("Amazon Web Services (EC2, S3)", &["aws", "ec2", "s3"]),
            ("TCP/IP, HTTP", &["tcp/ip", "http"]),
            ("SAP S/4HANA", &["sap s/4hana"]),
            ("CI/CD", &["continuous integration"]),
            ("ci / cd", &["continuous integration"]),
            ("TCP/IP", &["tcp/ip"]),
            ("TCP-IP", &["tcp/ip"]),
            ("PL/SQL", &["sql"]),
            ("A/B testing", &["a/b testing"]),
            ("AB testing", &["a/b testing"]),
            ("Objective-C", &["objective-c"]),
            ("F#", &["f#"]),
            ("VB.NET", &["vb.net"]),
            ("Health and safety", &["health and safety"]),
            ("R/3", &["r/3"]),
        ] {
            let mut found = named_in(entry);
            found.sort_unstable();
            let mut skills = skills.to_vec();
            skills.sort_unstable();
            assert_eq!(found, skills, "{entry}");
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
