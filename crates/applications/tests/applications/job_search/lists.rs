//! What a person moves in with: an export of LinkedIn and a spreadsheet, written as these programs write them, and what they mean.

use chrono::{Datelike as _, NaiveDate};
use serde_json::{Value, json};
use trestle_testing::faults::Seeded;

use super::model::{Facts, Job};

/// A list with a header.
pub struct List {
    pub columns: Vec<&'static str>,
    pub rows: Vec<Row>,
}

/// A row of a list.
pub struct Row {
    pub cells: Vec<String>,
    pub company: String,
    pub position: String,
    pub link: Option<String>,
    /// What it says of its application.
    pub says: Says,
}

/// What the cells of a row say. `None` of a cell that is empty, or is not understood.
#[derive(Clone, Debug)]
pub struct Says {
    pub status: Option<&'static str>,
    pub applied: Option<NaiveDate>,
    /// Whether there is a cell with a date, which may not be understood.
    pub has_date: bool,
    pub next_action: Option<String>,
    pub next_action_on: Option<NaiveDate>,
    pub notes: Option<String>,
}

impl Row {
    /// Whether it is this application.
    pub fn is(&self, job: &Job) -> bool {
        match &self.link {
            Some(link) => job.link.as_ref() == Some(link),
            None => self.company == job.company && self.position == job.position,
        }
    }
}

impl Says {
    /// What a new application of the row is.
    pub fn facts(&self, today: NaiveDate) -> Facts {
        let default = if self.has_date {
            "APPLIED"
        } else {
            "UNSUBMITTED"
        };
        let status = self.status.unwrap_or(default);
        let sent_on = Some(today).filter(|_| !self.has_date && status != "UNSUBMITTED");
        let mut facts = Facts::new(status, self.applied.or(sent_on));
        self.change(&mut facts, today);
        facts
    }

    /// What it changes of an application that only imports have changed.
    pub fn change(&self, facts: &mut Facts, today: NaiveDate) {
        if let Some(status) = self.status {
            facts.set_status(status, today);
        }
        facts.applied = self.applied.or(facts.applied);
        facts.next_action = self.next_action.clone().or(facts.next_action.take());
        facts.next_action_on = self.next_action_on.or(facts.next_action_on);
        facts.notes = self.notes.clone().or(facts.notes.take());
    }
}

/// How people write a status, what it is, and whether the word says more than that.
const WORDS: [(&str, &str, bool); 14] = [
    ("Wishlist", "UNSUBMITTED", false),
    ("to apply", "UNSUBMITTED", false),
    ("Applied", "APPLIED", false),
    ("sent", "APPLIED", false),
    ("Applied via referral", "APPLIED", false),
    ("Phone screen", "INTERVIEWING", false),
    ("Interview on Monday", "INTERVIEWING", true),
    ("Rejected", "REJECTED", false),
    ("Position filled", "REJECTED", true),
    ("Offer received", "GIVEN_OFFER", false),
    ("Accepted", "ACCEPTED_OFFER", false),
    ("I withdrew", "DECLINED_OFFER", true),
    ("Ghosted", "NO_OFFER", true),
    ("No offer", "NO_OFFER", false),
];

/// How a column writes its dates.
#[derive(Clone, Copy)]
enum Form {
    Iso,
    Named,
    DayFirst,
    Dotted,
}

impl Form {
    const ALL: [Self; 4] = [Self::Iso, Self::Named, Self::DayFirst, Self::Dotted];

    fn write(self, day: NaiveDate) -> String {
        let format = match self {
            Self::Iso => "%Y-%m-%d",
            Self::Named => "%b %-d, %Y",
            Self::DayFirst => "%-d/%-m/%Y",
            Self::Dotted => "%d.%m.%Y",
        };
        day.format(format).to_string()
    }
}

/// A company's name that no other one resembles.
pub fn company(random: &mut Seeded, number: usize) -> String {
    const FIRST: [&str; 6] = [
        "Aster",
        "Brisk, Son &",
        "Čapek",
        "Dröge",
        "Élan \"Vital\"",
        "Fjord",
    ];
    const LAST: [&str; 4] = ["Labs", "GmbH", "Systems", "& Co. KG"];
    let first = FIRST[random.below(6) as usize];
    format!(
        "{first} {} {}",
        words(number),
        LAST[random.below(4) as usize]
    )
}

/// A number as a word of letters.
fn words(number: usize) -> String {
    let letters = number.to_string().into_bytes();
    let letters = letters.iter().map(|digit| char::from(b'K' + digit - b'0'));
    letters.collect()
}

fn before(today: NaiveDate, days: u64) -> NaiveDate {
    today - chrono::TimeDelta::days(days as i64)
}

/// `Job Applications.csv` of LinkedIn's export. Its dates are of America.
pub fn linkedin(random: &mut Seeded, today: NaiveDate, numbers: std::ops::Range<usize>) -> List {
    let columns = vec![
        "Application Date",
        "Contact Email",
        "Contact Phone Number",
        "Company Name",
        "Job Title",
        "Job Url",
        "Resume Name",
        "Question And Answers",
    ];
    let mut rows = Vec::new();
    for number in numbers {
        // One day after the 12th says which number is the month.
        let sent = if rows.is_empty() {
            before(today, 30).with_day(20).unwrap()
        } else {
            before(today, random.below(60))
        };
        let written = sent.format("%-m/%-d/%y").to_string();
        let (hour, half) = (1 + random.below(12), ["AM", "PM"][random.below(2) as usize]);
        let company = company(random, number);
        let position = format!("Engineer {}", words(number));
        let link = format!("https://www.linkedin.com/jobs/view/38{number:05}");
        rows.push(Row {
            cells: vec![
                format!("{written}, {hour}:{:02} {half}", random.below(60)),
                "ada@example.com".to_owned(),
                "+49 30 1234".to_owned(),
                company.clone(),
                position.clone(),
                link.clone(),
                "cv.pdf".to_owned(),
                "Are you allowed to work here?:Yes".to_owned(),
            ],
            company,
            position,
            link: Some(link),
            says: Says {
                status: None,
                applied: Some(sent),
                has_date: true,
                next_action: None,
                next_action_on: None,
                notes: None,
            },
        });
    }
    List { columns, rows }
}

/// A spreadsheet of the person's own, which names some jobs of LinkedIn again.
pub fn spreadsheet(
    random: &mut Seeded,
    today: NaiveDate,
    numbers: std::ops::Range<usize>,
    known: &List,
) -> List {
    let columns = vec![
        "Employer",
        "Job title",
        "Status",
        "Date applied",
        "Next step",
        "Follow up",
        "Link",
        "Notes",
        "Mood",
    ];
    let form = Form::ALL[random.below(4) as usize];
    let mut rows = Vec::new();
    let first = numbers.start;
    for number in numbers {
        // The first ones are jobs that LinkedIn's export has, too.
        let same = known
            .rows
            .get(3 * (number - first))
            .filter(|_| number - first < 4);
        let (word, status, says_more) = WORDS[random.below(WORDS.len() as u64) as usize];
        let word = if random.below(10) == 0 { "" } else { word };
        let status = Some(status).filter(|_| !word.is_empty());
        let sent = if rows.is_empty() {
            before(today, 30).with_day(19).unwrap()
        } else {
            before(today, random.below(70))
        };
        let is_sent = status != Some("UNSUBMITTED");
        let (date, applied) = match random.below(6) {
            // Only a date that can be read decides how the others are read.
            0 if !rows.is_empty() => (String::new(), None),
            1 if !rows.is_empty() && is_sent => ("some day".to_owned(), None),
            _ if is_sent => (form.write(sent), Some(sent)),
            _ => (String::new(), None),
        };
        let is_first = rows.is_empty();
        let has_next = is_first || random.below(3) == 0;
        let next_on = today + chrono::TimeDelta::days(random.below(20) as i64 - 5);
        let next_on = if is_first {
            today.with_day(19).unwrap()
        } else {
            next_on
        };
        let notes = (random.below(3) == 0).then(|| format!("Heard of it from {number}"));
        let company = same.map_or_else(|| company(random, number), |row| row.company.clone());
        let position = same.map_or_else(
            || format!("Clerk {}", words(number)),
            |row| row.position.clone(),
        );
        let link = same.and_then(|row| row.link.clone());
        let link = link
            .or_else(|| (random.below(2) == 0).then(|| format!("https://jobs.example/{number}")));
        let next = has_next.then(|| format!("call {number}"));
        let mut kept: Vec<_> = notes.clone().into_iter().collect();
        if says_more && status.is_some() {
            kept.push(format!("Status: {word}"));
        }
        rows.push(Row {
            cells: vec![
                company.clone(),
                position.clone(),
                word.to_owned(),
                date.clone(),
                next.clone().unwrap_or_default(),
                if has_next {
                    form.write(next_on)
                } else {
                    String::new()
                },
                link.clone()
                    .map(|link| link.replace("https://", ""))
                    .unwrap_or_default(),
                notes.unwrap_or_default(),
                "fine".to_owned(),
            ],
            company,
            position,
            link,
            says: Says {
                status,
                applied,
                has_date: !date.is_empty(),
                next_action: next,
                next_action_on: has_next.then_some(next_on),
                notes: (!kept.is_empty()).then(|| kept.join("\n")),
            },
        });
    }
    List { columns, rows }
}

impl List {
    /// What comes first in its dates, as the server reads the whole columns: the query's variables.
    pub fn texts(&self) -> Value {
        let columns = self.columns.iter().enumerate().map(|(at, header)| {
            let texts: Vec<_> = self.rows.iter().map(|row| &row.cells[at]).collect();
            json!({ "header": header, "texts": texts })
        });
        json!({ "columns": columns.collect::<Vec<_>>() })
    }
}
