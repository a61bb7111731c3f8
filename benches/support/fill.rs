//! Fills tables: many applications as `trestle import` makes them, and long histories as it takes them back.

use serde_json::{Value, json};
use trestle_applications::{
    ApplicationId, Change, CompanyCategory, DetailsChange, Import, Imported, JobSource, NewRow,
    Record, Status,
};
use trestle_dynamodb::Embedded;
use trestle_table::Meter;
use uuid::Uuid;

use super::documents::{ADD_STAGE, CREATE, UPDATE, WALK};
use super::{Api, Question, stepping};

/// How many rows are handed on together.
const CHUNK: usize = 4900;
/// The statuses in turn: every 20 rows that follow each other have each of them five times.
const STATUSES: [Status; 4] = [
    Status::Applied,
    Status::Interviewing,
    Status::Rejected,
    Status::Unsubmitted,
];
/// How many of the newest applications get stages: more than a page.
const WITH_STAGES: usize = 40;
/// How many stages they get.
const STAGES: usize = 3;
/// How many stages an application with a history has.
const STAGES_OF_DETAIL: usize = 5;

/// The id of the application in row `number`: ids have no order that the rows have.
pub fn id(number: usize) -> Uuid {
    Uuid::new_v5(&Uuid::NAMESPACE_OID, &number.to_be_bytes())
}

/// The fields of row `number`. Every row is as long as the others of its status.
pub fn details(number: usize) -> DetailsChange {
    let text = |text: String| Change::Set(text);
    DetailsChange {
        company_name: text(format!("Company number {number:06}")),
        position_title: text("Senior Software Engineer, Platform".to_owned()),
        status: Change::Set(STATUSES[number % STATUSES.len()]),
        job_posting_url: text(format!("https://jobs.example.com/openings/{number:06}")),
        company_category: Change::Set(CompanyCategory::Health),
        job_source: Change::Set(JobSource::Colleague),
        skills_match: Change::Set(4),
        notes: text("What was said, and by whom, and what to ask next time. ".repeat(6)),
        salary_min: Change::Set(120_000),
        salary_max: Change::Set(150_000),
        ..DetailsChange::default()
    }
}

/// `count` applications, the newest with stages.
pub async fn applications(api: &Api, count: usize) {
    let store = api.store(&Meter::default());
    let mut last = None;
    for first in (0..count).step_by(CHUNK) {
        let rows = (first..count.min(first + CHUNK)).map(|number| NewRow {
            id: ApplicationId::new(id(number)),
            fields: details(number),
            is_archived: false,
        });
        let rows = rows.collect();
        let outcomes = store
            .import_rows(rows, Import::Write, None, &mut last)
            .await;
        let outcomes = outcomes.expect("the rows are taken");
        assert!(outcomes.iter().all(|made| *made == Imported::Created));
    }
    for number in count.saturating_sub(WITH_STAGES)..count {
        add_stages(api, &id(number).to_string(), STAGES).await;
    }
}

async fn add_stages(api: &Api, id: &str, count: usize) {
    for stage in 0..count {
        let input = json!({ "applicationId": id, "name": format!("Interview {stage}"),
            "notes": "Ask for the team, the plan and the hours." });
        api.done(ADD_STAGE, input).await;
    }
}

/// An application with stages and a long history, to be copied with a shorter one.
pub struct Template {
    id: String,
    record: Value,
}

impl Template {
    /// One with so many history entries, made change by change in a store of its own, in the year before
    /// that of [`applications`].
    pub async fn with_history(entries: usize) -> Self {
        let store = Embedded::memory().expect("a store in memory");
        let api = Api::new(store.client(), stepping(2025)).await;
        let input = json!({ "companyName": "Visa", "positionTitle": "Engineer", "status": "APPLIED",
            "companyUrl": "https://www.example.com", "notes": "What was said. ".repeat(20) });
        let made = api.done(CREATE, input).await;
        let id = made["application"]["id"].as_str().expect("an id");
        add_stages(&api, id, STAGES_OF_DETAIL).await;
        for change in STAGES_OF_DETAIL + 1..entries {
            let notes = format!("{change:05} {}", "What was said. ".repeat(20));
            api.done(UPDATE, json!({ "id": id, "notes": notes })).await;
        }
        let exported = api.store(&Meter::default()).export(1, None).await;
        let mut exported = exported.expect("the table is read");
        let (_, record) = exported.pop().expect("one application");
        let record = record.expect("it is read").expect("it is there");
        Self {
            id: id.to_owned(),
            record: serde_json::to_value(&record).expect("a record is JSON"),
        }
    }

    /// A copy of another id, with the newest so many entries for its whole history.
    fn copy(&self, id: Uuid, entries: usize) -> Record {
        let mut record = self.record.clone();
        let history = record["history"].as_array_mut().expect("a history");
        history.drain(..history.len() - entries);
        for (entry, sequence) in history.iter_mut().zip(1..) {
            entry["sequence"] = json!(sequence);
            entry["snapshot"]["historySequence"] = json!(sequence);
        }
        record["historySequence"] = json!(entries);
        let text = record.to_string().replace(&self.id, &id.to_string());
        let record: Record = serde_json::from_str(&text).expect("a copy of a record is a record");
        record.keyed().expect("its items belong together")
    }

    /// Puts copies with histories of `entries` into the table. Answers their ids.
    pub async fn put(&self, api: &Api, entries: usize, copies: usize) -> Vec<String> {
        let named = |copy: usize| Uuid::new_v5(&id(entries), &copy.to_be_bytes());
        let ids: Vec<_> = (0..copies).map(named).collect();
        let records = ids.iter().map(|id| self.copy(*id, entries)).collect();
        let store = api.store(&Meter::default());
        let outcomes = store.import_records(records, Import::Write).await;
        let outcomes = outcomes.expect("the records are taken");
        let made = outcomes.iter().all(|made| *made == Imported::Created);
        assert!(made, "{outcomes:?}");
        ids.iter().map(Uuid::to_string).collect()
    }
}

/// Cursors in the middle of a list of `count`: `pages` of them, a page of 20 from each other.
pub async fn middle(api: &Api, count: usize, pages: usize) -> Vec<Value> {
    let mut after = Value::Null;
    let mut passed = 0;
    let mut cursors = Vec::new();
    while cursors.len() < pages {
        let first = (count / 2).saturating_sub(passed).clamp(20, 100);
        let question = Question::new(WALK, &json!({ "first": first, "after": after }));
        let (data, _) = api.ask(&question).await;
        after = data["applications"]["pageInfo"]["endCursor"].clone();
        passed += first;
        if passed >= count / 2 {
            cursors.push(after.clone());
        }
    }
    cursors
}
