//! When two applications are for one job, if their links do not say it: by company and position as people write them.

use super::list::fold;

/// What stands after the name of a company. Source: abbreviations of ISO 20275, the list of legal forms that GLEIF publishes.
const LEGAL_FORMS: &str = "ab ag aps as asa bhd bv bvba cic co company corp corporation cv doo eg ehf eirl ek eood ev gbr gesmbh ggmbh \
    gmbh haftungsbeschrankt hf inc incorporated kft kg kgaa kk ks lda limited llc llp lp ltd ltda mbh nv ohg oo ood oy oyj plc pte \
    pty pvt sa sadecv sarl sas sasu sca scs sderldecv sdn se sia sl slu snc sp spa spj spk spolsro spzoo srl sro uab ug zoo zrt";
/// The most words of which a form is written, as `S. de R.L. de C.V.`.
const WORDS_OF_A_FORM: usize = 5;
/// What stands between two forms, as in `GmbH and Co. KG`.
const CONNECTORS: [&str; 4] = ["and", "und", "et", "y"];

/// A company and a position in a form that is the same for all spellings.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Job {
    company: String,
    position: String,
}

impl Job {
    /// `None` if nothing of one of them can be compared.
    pub(super) fn of(company: &str, position: &str) -> Option<Self> {
        let mut company = words(company);
        while let Some(length) = name_before_legal_form(&company) {
            company.truncate(length);
        }
        // As in "Engineer (m/f/d)".
        let position = words(position).into_iter().filter(|word| !is_gender(word));
        let job = Self {
            company: company.concat(),
            position: position.collect(),
        };
        (!job.company.is_empty() && !job.position.is_empty()).then_some(job)
    }
}

/// How many words stand before the legal form at the end of a name, and before what connects it to the one before.
fn name_before_legal_form(name: &[String]) -> Option<usize> {
    for length in (1..=WORDS_OF_A_FORM).rev() {
        // It is a name if nothing else is.
        let Some(begin) = name.len().checked_sub(length).filter(|begin| *begin > 0) else {
            continue;
        };
        if !is_legal_form(&name[begin..].concat()) {
            continue;
        }
        let is_connected = begin > 1 && CONNECTORS.contains(&name[begin - 1].as_str());
        let before = begin - usize::from(is_connected);
        let has_form_before = name_before_legal_form(&name[..before]).is_some();
        return Some(if has_form_before { before } else { begin });
    }
    None
}

/// The words of a text, without case and accents. Dots do not divide a word. Signs are part of it if they make it another one, as in
/// `C++`, `C#` and `.NET`.
fn words(text: &str) -> Vec<String> {
    let text: Vec<char> = fold(text).chars().collect();
    let mut words = Vec::new();
    let mut word = String::new();
    for (at, c) in text.iter().copied().enumerate() {
        let is_before_letter = text.get(at + 1).is_some_and(|next| next.is_alphabetic());
        let is_part = match c {
            '+' | '#' => !word.is_empty(),
            '.' => word.is_empty() && is_before_letter,
            c => c.is_alphanumeric(),
        };
        if is_part {
            word.push(c);
        } else if c != '.' {
            words.push(std::mem::take(&mut word));
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

fn is_legal_form(word: &str) -> bool {
    LEGAL_FORMS.split_whitespace().any(|form| form == word)
}

fn is_gender(word: &str) -> bool {
    word.len() == 1 && "mfwdxhi".contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_legal_form_is_one_however_it_is_divided_and_connected() {
        let job = Job::of("Zknown", "Clerk");
        for form in LEGAL_FORMS.split_whitespace() {
            let letters: Vec<_> = form.chars().collect();
            for first in 1..letters.len() {
                for second in first..letters.len() {
                    let parts = [
                        &letters[..first],
                        &letters[first..second],
                        &letters[second..],
                    ];
                    let parts = parts.map(|part| part.iter().collect::<String>());
                    for joint in [" ", ". "] {
                        let company = format!("Zknown {}", parts.join(joint));
                        assert_eq!(Job::of(&company, "Clerk"), job, "{company}");
                    }
                }
            }
            for connector in CONNECTORS.into_iter().chain(["&", "+", "(", ","]) {
                let company = format!("Zknown {form} {connector} Co KG");
                assert_eq!(Job::of(&company, "Clerk"), job, "{company}");
                // It connects names, too.
                let names = Job::of(&format!("Known {connector} Zknown {form}"), "Clerk");
                assert_ne!(names, job);
            }
        }
        for company in [
            "Zknown S.à r.l.",
            "Zknown Sp. z o.o.",
            "Zknown UG (haftungsbeschränkt)",
        ] {
            assert_eq!(Job::of(company, "Clerk"), job, "{company}");
        }
    }

    #[test]
    fn signs_that_make_another_word_are_compared() {
        let names = ["C", "C++", "C#", "F#", "F", "Net", ".NET", "Go", "Go+"];
        for one in names {
            for other in names {
                for (before, after) in [
                    ("", " Developer"),
                    ("Senior ", " (m/w/d)"),
                    ("(", ") Engineer"),
                ] {
                    let of = |name: &str| Job::of("Zknown", &format!("{before}{name}{after}"));
                    assert_eq!(of(one) == of(other), one == other, "{one} {other}");
                    assert_eq!(of(one), of(&one.to_lowercase()));
                }
            }
        }
        assert_eq!(Job::of("A", "Node.js Dev."), Job::of("A", "Nodejs dev"));
    }

    #[test]
    fn spellings_of_one_job_are_equal() {
        let job = Job::of("Zknown", "Software Engineer");
        for form in LEGAL_FORMS.split_whitespace() {
            let capital = form.to_uppercase();
            let dotted: String = form.chars().map(|c| format!("{c}.")).collect();
            for company in [
                format!("Zknown {form}"),
                format!("ZKNOWN {capital}"),
                format!("Zknown, {dotted}"),
                format!("zknown ({capital})"),
            ] {
                for position in [
                    "Software Engineer",
                    "software-engineer",
                    "Software Engineer (m/w/d)",
                    "SOFTWARE  ENGINEER",
                ] {
                    assert_eq!(Job::of(&company, position), job, "{company}, {position}");
                }
            }
            // It is a name if nothing else is.
            assert!(Job::of(form, "Clerk").is_some());
        }
        assert_eq!(
            Job::of("Zürich AG", "Ingénieur"),
            Job::of("Zurich", "ingenieur")
        );
        assert_eq!(Job::of("Zknown GmbH & Co. KG", "Software Engineer"), job);
        for (company, position) in [
            ("Zknown Labs", "Software Engineer"),
            ("Zknown", "Engineer"),
            ("Known", "Software Engineer"),
        ] {
            assert_ne!(Job::of(company, position), job);
        }
        assert_eq!((Job::of("??", "x1"), Job::of("A", "-")), (None, None));
    }
}
