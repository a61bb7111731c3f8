//! When two applications are for one job, if their links do not say it: by company and position as people write them.

use super::list::fold;

/// What stands after the name of a company. Source: abbreviations of ISO 20275, the list of legal forms that GLEIF publishes.
const LEGAL_FORMS: &str = "ab ag aps as asa bv bvba cic co company corp corporation cv doo eg ehf eirl eood ev gbr gesmbh ggmbh \
    gmbh hf inc incorporated kft kg kgaa kk ks lda limited llc llp lp ltd ltda mbh nv ohg oo ood oy oyj plc pte pty pvt sa sarl \
    sas sasu sca scs se sia sl slu snc sp spa spzoo srl sro uab ug zoo zrt";

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
        while company.len() > 1 && company.last().is_some_and(|word| is_legal_form(word)) {
            company.pop();
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

/// The words of a text, without case and accents. Dots do not divide a word.
fn words(text: &str) -> Vec<String> {
    let text = fold(text).replace('.', "");
    let words = text.split(|c: char| !c.is_alphanumeric());
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
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
