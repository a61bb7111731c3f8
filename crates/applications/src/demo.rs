//! A made-up season of applications: the same each day, with all its moments told from that day.

use chrono::{DateTime, Datelike as _, NaiveDate, TimeDelta, Utc};
use serde_json::{Value, json};
use trestle_service::{Demo, Failure, Sample};
use uuid::Uuid;

const CREATE: &str = "createApplication";
const UPDATE: &str = "updateApplication";
const ARCHIVE: &str = "archiveApplication";
const ADD_STAGE: &str = "addInterviewStage";
const COMPLETE_STAGE: &str = "completeInterviewStage";
const UPDATE_STAGE: &str = "updateInterviewStage";
const ADD_CONTACT: &str = "addContact";

/// A mutation, at its moment.
#[derive(Clone, Debug)]
struct Step {
    at: DateTime<Utc>,
    mutation: &'static str,
    input: Value,
}

/// How many applications are sent in each week, the last of which is this one.
const WEEKS: [u32; 14] = [1, 2, 3, 4, 3, 5, 4, 6, 5, 3, 6, 5, 4, 2];
/// How many are not sent yet.
const UNSENT: u32 = 6;

const COMPANIES: [(&str, &str); 23] = [
    ("Northlight", "AI"),
    ("Bright Harbor Health", "HEALTH"),
    ("Cobalt Grid", "ENERGY"),
    ("Driftwood Games", "GAMING"),
    ("Evergreen Atlas", "CLIMATE"),
    ("Fathom Analytics", "ENTERPRISE_SOFTWARE"),
    ("Granite Bank", "FINANCE"),
    ("Hollow Oak", "MEDIA_ENTERTAINMENT"),
    ("Ionwave", "CONSUMER_TECH"),
    ("Juniper Lane", "E_COMMERCE"),
    ("Kestrel Security", "CYBERSECURITY"),
    ("Lantern Learning", "EDUCATION"),
    ("Meridian Transit", "GOVERNMENT"),
    ("Openfield", "NONPROFIT"),
    ("Paper Crane", "CONSUMER_TECH"),
    ("Quarry", "ENTERPRISE_SOFTWARE"),
    ("Riverbend Clinic", "HEALTH"),
    ("Saltbox", "RETAIL"),
    ("Tidewater Robotics", "AI"),
    ("Umber & Co", "CONSULTING"),
    ("Vantage Rail", "GOVERNMENT"),
    ("Wren Payments", "FINANCE"),
    ("Yonder", "HOSPITALITY"),
];
/// Positions, and thousands of dollars.
const POSITIONS: [(&str, u32); 9] = [
    ("Backend Engineer", 118),
    ("Platform Engineer", 132),
    ("Data Engineer", 124),
    ("Frontend Engineer", 112),
    ("Site Reliability Engineer", 138),
    ("Software Engineer", 108),
    ("Machine Learning Engineer", 152),
    ("Systems Engineer", 116),
    ("Full Stack Engineer", 114),
];
const STAGES: [&str; 4] = [
    "Recruiter call",
    "Technical interview",
    "System design",
    "Onsite",
];
const SOURCES: [&str; 6] = [
    "LINKEDIN",
    "COMPANY_WEBSITE",
    "RECRUITER",
    "FRIEND",
    "LINKEDIN",
    "COLLEAGUE",
];
const NEXT_ACTIONS: [(&str, u32); 3] = [
    ("Send the portfolio", 0),
    ("Ask about remote work", 1),
    ("Call the recruiter back", 3),
];

/// Makes the season.
pub(super) async fn fill(demo: &Demo<'_>) -> Result<Vec<Sample>, Failure> {
    let local = demo.local();
    for step in season(demo.now) {
        local.mutate(step.at, step.mutation, "", step.input).await?;
    }
    Ok(vec![Sample {
        name: "a season of applications".to_owned(),
        fragment: String::new(),
        needs: String::new(),
    }])
}

/// The mutations that make the season, in their order.
fn season(now: DateTime<Utc>) -> Vec<Step> {
    let mut season = Season {
        now,
        steps: Vec::new(),
        actions: 0,
    };
    season.offer();
    let weeks_ago = (0_u32..).zip(WEEKS.iter().rev());
    let weekday = now.weekday().num_days_from_monday();
    let mut index = 0;
    for (weeks, &count) in weeks_ago {
        let monday = now - days(7 * weeks + weekday);
        let room = if weeks == 0 { 24 * weekday } else { 24 * 5 };
        for nth in 0..count {
            let hour = room * (2 * nth + 1) / (2 * count);
            season.application(index, monday + hours(hour));
            index += 1;
        }
    }
    for nth in 0..UNSENT {
        let at = now - hours(31 * nth + 5);
        season.create(index, at);
        index += 1;
    }
    // What lies ahead has not happened yet.
    season.steps.retain(|step| step.at < now);
    season.steps.sort_by_key(|step| step.at);
    season.steps
}

struct Season {
    now: DateTime<Utc>,
    steps: Vec<Step>,
    /// How many next actions are planned.
    actions: usize,
}

impl Season {
    fn add(&mut self, at: DateTime<Utc>, mutation: &'static str, input: Value) {
        self.steps.push(Step {
            at,
            mutation,
            input,
        });
    }

    fn create(&mut self, index: u32, at: DateTime<Utc>) {
        let (company, category) = pick(&COMPANIES, index);
        let (position, thousands) = pick(&POSITIONS, index * 5 + index / 23);
        let least = 1000 * (thousands + chance(index, 1) / 100);
        let host: String = company.chars().filter(char::is_ascii_alphabetic).collect();
        let host = host.to_lowercase();
        let mut input = json!({
            "id": application_id(index),
            "companyName": company,
            "companyCategory": category,
            "positionTitle": position,
            "jobSource": pick(&SOURCES, index),
            "jobPostingUrl": format!("https://{host}.example/jobs/{}", 4000 + index * 37),
        });
        if index % 4 != 1 {
            input["salaryMin"] = least.into();
            input["salaryMax"] = (least + 1000 * (18 + index % 5 * 3)).into();
        }
        if index % 5 != 2 {
            input["skillsMatch"] = (2 + chance(index, 2) / 334).into();
        }
        if index.is_multiple_of(3) {
            input["isRemote"] = index.is_multiple_of(2).into();
        }
        self.add(at, CREATE, input);
    }

    fn status(&mut self, index: u32, at: DateTime<Utc>, status: &str) {
        let id = application_id(index);
        self.add(at, UPDATE, json!({ "id": id, "status": status }));
    }

    /// Everything that happens to an application that is sent at this moment.
    fn application(&mut self, index: u32, sent: DateTime<Utc>) {
        self.create(index, sent - later(index, 3, 0, 9));
        let id = application_id(index);
        let applied = json!({ "id": id, "status": "APPLIED", "dateApplied": day(sent) });
        self.add(sent, UPDATE, applied);
        let luck = chance(index, 4);
        if luck < 380 {
            self.status(index, sent + later(index, 5, 2, 45), "REJECTED");
            return;
        }
        if luck < 560 {
            // Nobody answers, and the person archives it.
            self.add(sent + days(56), ARCHIVE, json!({ "id": id }));
            return;
        }
        let asked = sent + later(index, 6, 3, 26);
        let ended = asked + later(index, 7, 9, 48);
        self.interviews(index, asked, ended);
        let end = chance(index, 8);
        if end < 620 {
            let status = if end < 400 { "NO_OFFER" } else { "REJECTED" };
            self.status(index, ended, status);
            return;
        }
        let answered = ended + later(index, 9, 3, 11);
        let due = day(answered + days(3));
        let offer = json!({ "id": id, "status": "GIVEN_OFFER", "offerDueDate": due });
        self.add(ended, UPDATE, offer);
        let answer = if end > 900 {
            "ACCEPTED_OFFER"
        } else {
            "DECLINED_OFFER"
        };
        self.status(index, answered, answer);
    }

    /// The stages are planned when interviews begin, and held one after the other. The next one has a time.
    fn interviews(&mut self, index: u32, begin: DateTime<Utc>, end: DateTime<Utc>) {
        self.status(index, begin, "INTERVIEWING");
        let stages = [2, 3, 4].map(|count| &STAGES[..count]);
        let stages = pick(&stages, index);
        let between = (end - begin) / stages.len() as i32;
        let mut held = begin + between / 2;
        let mut is_next = true;
        for (number, name) in (0_u32..).zip(stages) {
            let added = begin + TimeDelta::seconds(i64::from(number) + 1);
            let stage = stage_id(index, number);
            self.add(
                added,
                ADD_STAGE,
                json!({ "applicationId": application_id(index), "stageId": stage, "name": name }),
            );
            if held < self.now {
                let rating = 3 + (index + number) % 3;
                let done = json!({ "applicationId": application_id(index), "id": stage, "completedDate": day(held), "performanceRating": rating });
                self.add(held, COMPLETE_STAGE, done);
            } else if is_next && begin < self.now {
                is_next = false;
                let ahead = self.now + days(1 + index % 4);
                let time = format!("{}T{:02}:30:00+00:00", day(ahead), 9 + index % 8);
                let input = json!({ "applicationId": application_id(index), "id": stage, "scheduledAt": time, "durationMinutes": 45 });
                let planned = added.max(self.now - hours(20));
                let planned = planned + TimeDelta::minutes(1);
                self.add(planned, UPDATE_STAGE, input);
                self.next_action(index, planned + TimeDelta::minutes(1));
            }
            held += between;
        }
    }

    fn next_action(&mut self, index: u32, at: DateTime<Utc>) {
        let Some((action, ahead)) = NEXT_ACTIONS.get(self.actions) else {
            return;
        };
        self.actions += 1;
        let due = day(self.now + days(*ahead));
        let id = application_id(index);
        let input = json!({ "id": id, "nextAction": action, "nextActionDate": due });
        self.add(at, UPDATE, input);
    }

    /// The application with a story, which has an offer.
    fn offer(&mut self) {
        const INDEX: u32 = 9_999;
        let id = application_id(INDEX);
        let now = self.now;
        let (created, applied, asked, noted, offered) = (
            now - days(47),
            now - days(45),
            now - days(38),
            now - days(33),
            now - days(5),
        );
        let held = [
            (now - days(34), "Recruiter call", 4, Value::Null),
            (
                now - days(24),
                "Technical interview",
                5,
                json!("A balancing robot in a simulator, then Kalman filters."),
            ),
            (now - days(11), "Onsite", 4, Value::Null),
        ];
        let due = day(now + days(7));
        self.add(
            created,
            CREATE,
            json!({
                "id": id,
                "companyName": "Aurelia Robotics",
                "companyCategory": "AI",
                "companyUrl": "https://aureliarobotics.example/",
                "positionTitle": "Controls Engineer",
                "jobSource": "FRIEND",
                "jobPostingUrl": "https://aureliarobotics.example/jobs/controls-engineer",
                "salaryMin": 145_000,
                "salaryMax": 175_000,
                "salaryCurrency": "USD",
                "salaryPeriod": "YEAR",
                "skillsMatch": 5,
                "coverLetterRequired": false,
                "location": "Boston",
                "tags": ["robotics", "c++"],
            }),
        );
        let input = json!({ "id": id, "status": "APPLIED", "dateApplied": day(applied) });
        self.add(applied, UPDATE, input);
        self.status(INDEX, asked, "INTERVIEWING");
        let contact = json!({
            "applicationId": id,
            "contactId": stage_id(INDEX, 99),
            "name": "Kim Larsen",
            "role": "Motion planning lead",
            "email": "kim@aureliarobotics.example",
            "lastContact": day(noted),
        });
        self.add(noted, ADD_CONTACT, contact);
        let notes = "Talked to Kim, who leads motion planning: a small team that ships every week.\n\
             Ask about the on-call rota.";
        self.add(noted, UPDATE, json!({ "id": id, "notes": notes }));
        for ((at, name, rating, notes), number) in held.into_iter().zip(0_u32..) {
            let stage = stage_id(INDEX, number);
            self.add(
                asked + TimeDelta::minutes(i64::from(number) + 1),
                ADD_STAGE,
                json!({ "applicationId": id, "stageId": stage, "name": name, "notes": notes }),
            );
            self.add(
                at,
                COMPLETE_STAGE,
                json!({ "applicationId": id, "id": stage, "completedDate": day(at), "performanceRating": rating }),
            );
        }
        self.add(
            offered,
            UPDATE,
            json!({ "id": id, "status": "GIVEN_OFFER", "offerDueDate": due, "salaryMin": 150_000, "salaryMax": 182_000 }),
        );
    }
}

fn application_id(index: u32) -> Uuid {
    stage_id(index, 100)
}

/// One of the ids that belong to an application.
fn stage_id(index: u32, number: u32) -> Uuid {
    let name = format!("demo {index} {number}");
    Uuid::new_v5(&Uuid::NAMESPACE_OID, name.as_bytes())
}

fn day(at: DateTime<Utc>) -> NaiveDate {
    at.date_naive()
}

fn days(count: u32) -> TimeDelta {
    TimeDelta::days(count.into())
}

fn hours(count: u32) -> TimeDelta {
    TimeDelta::hours(count.into())
}

/// One of all, each in its turn.
fn pick<T: Copy>(all: &[T], index: u32) -> T {
    all[index as usize % all.len()]
}

/// A number below 1,000 that looks like chance, and is the same each time.
fn chance(index: u32, purpose: u32) -> u32 {
    let mut mixed = (index + 1).wrapping_mul(0x9e37_79b1) ^ (purpose + 1).wrapping_mul(0x85eb_ca6b);
    mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x2c1b_3c6d);
    mixed = (mixed ^ (mixed >> 12)).wrapping_mul(0x297a_2d39);
    (mixed ^ (mixed >> 15)) % 1_000
}

/// Days from the first to the second, more of them short than long.
fn later(index: u32, purpose: u32, from: u32, to: u32) -> TimeDelta {
    let square = chance(index, purpose) * chance(index, purpose);
    hours(24 * from + 24 * (to - from) * square / 1_000_000 + 1)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// The id that a step's input has under a name.
    fn id(step: &Step, name: &str) -> String {
        step.input[name].to_string()
    }

    #[test]
    fn on_every_day_and_hour_each_step_is_in_the_past_and_follows_what_it_needs() {
        let first = DateTime::from_timestamp(1_767_225_600, 0).unwrap();
        for hour in 0..400 * 24 / 7 {
            let now = first + TimeDelta::hours(7 * hour);
            let (mut applications, mut stages) = (HashSet::new(), HashSet::new());
            let mut before = DateTime::UNIX_EPOCH;
            for step in season(now) {
                assert!(before <= step.at && step.at < now, "{now}: {step:?}");
                before = step.at;
                let is_known = match step.mutation {
                    CREATE => applications.insert(id(&step, "id")),
                    ADD_STAGE => {
                        applications.contains(&id(&step, "applicationId"))
                            && stages.insert(id(&step, "stageId"))
                    }
                    ADD_CONTACT => applications.contains(&id(&step, "applicationId")),
                    COMPLETE_STAGE | UPDATE_STAGE => stages.contains(&id(&step, "id")),
                    _ => applications.contains(&id(&step, "id")),
                };
                assert!(is_known, "{now}: {step:?}");
            }
            assert!(applications.len() > 50, "{now}");
        }
    }
}
