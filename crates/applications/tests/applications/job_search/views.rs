//! Every view of a search, against the model.

use std::collections::BTreeMap;

use chrono::{DateTime, FixedOffset, NaiveDate, SecondsFormat, TimeDelta};
use icalendar::{Calendar, CalendarDateTime, Component as _, DatePerhapsTime};
use serde_json::{Value, json};
use trestle_applications::{Activity, Applications, Event, Scope, TABLE};
use trestle_table::{Meter, Table};

use super::Search;
use super::model::{DAY, Due, Facts, Job, Line, counted, day_of, midnight, moment};

const STATUSES: [&str; 8] = [
    "UNSUBMITTED",
    "APPLIED",
    "REJECTED",
    "INTERVIEWING",
    "GIVEN_OFFER",
    "ACCEPTED_OFFER",
    "DECLINED_OFFER",
    "NO_OFFER",
];
/// The bounds of the lengths of stays, in days.
const BOUNDS: [i64; 7] = [1, 3, 7, 14, 30, 60, 90];
const FACTS: &str = "status dateApplied nextAction nextActionDate offerDueDate notes isArchived";
const STAGES: &str =
    "interviewStages { stageId name order isCompleted completedDate scheduledAt durationMinutes }";

/// A moment as the API writes it.
fn written(at: i64) -> String {
    moment(at).to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Facts as the API answers them.
fn facts(facts: &Facts) -> Value {
    let mut stages = facts.stages.clone();
    stages.sort_by_key(|stage| stage.order);
    let stages = stages.iter().map(|stage| {
        json!({
            "stageId": stage.id, "name": stage.name, "order": stage.order, "isCompleted": stage.is_completed,
            "completedDate": stage.completed_on, "scheduledAt": stage.scheduled.map(offset), "durationMinutes": stage.minutes,
        })
    });
    json!({
        "status": facts.status, "dateApplied": facts.applied, "nextAction": facts.next_action,
        "nextActionDate": facts.next_action_on, "offerDueDate": facts.offer_due, "notes": facts.notes,
        "isArchived": facts.is_archived, "interviewStages": stages.collect::<Vec<_>>(),
    })
}

fn offset(at: DateTime<FixedOffset>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

fn nodes(connection: &Value) -> Vec<Value> {
    assert_eq!(connection["pageInfo"]["hasNextPage"], false, "{connection}");
    let edges = connection["edges"].as_array().unwrap().iter();
    edges.map(|edge| edge["node"].clone()).collect()
}

fn sorted<T: Ord>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut items: Vec<_> = items.into_iter().collect();
    items.sort();
    items
}

fn ids<'j>(jobs: impl Iterator<Item = &'j Job>) -> Vec<String> {
    sorted(jobs.map(|job| job.id.clone()))
}

impl Search {
    /// All views.
    pub async fn check(&mut self) {
        self.check_details().await;
        self.check_lists().await;
        self.check_stale().await;
        self.check_agenda().await;
        self.check_calendar().await;
        self.check_statistics().await;
        self.check_record().await;
    }

    async fn check_details(&self) {
        let document = format!(
            "query($ids: [ID!]!) {{ nodes(ids: $ids) {{ ... on Application {{ id version companyName positionTitle createdAt updatedAt
               statusSince {FACTS} {STAGES} history(first: 100) {{ edges {{ node {{ sequence snapshot {{ {FACTS} {STAGES} }} }} }}
               pageInfo {{ hasNextPage }} }} }} }} }}"
        );
        // Those that were changed on this day, with their histories.
        let changed: Vec<_> = self
            .jobs
            .iter()
            .filter(|job| self.now() - job.changed < DAY)
            .collect();
        for jobs in changed.chunks(5) {
            let ids: Vec<_> = jobs.iter().map(|job| &job.id).collect();
            let read = self.api.data(&document, json!({ "ids": ids })).await;
            for (job, read) in jobs.iter().zip(read["nodes"].as_array().unwrap()) {
                let mut read = read.clone();
                let history = read.as_object_mut().unwrap().remove("history").unwrap();
                let mut expected = facts(&job.facts);
                expected["id"] = json!(job.id);
                expected["version"] = json!(job.versions.len());
                expected["companyName"] = json!(job.company);
                expected["positionTitle"] = json!(job.position);
                expected["createdAt"] = json!(written(job.created));
                expected["updatedAt"] = json!(written(job.changed));
                expected["statusSince"] = json!(written(job.since()));
                assert_eq!(read, expected, "{job:#?}");
                let entries = nodes(&history);
                let versions = job.versions.iter().enumerate().rev();
                let expected: Vec<_> = versions
                    .map(|(at, version)| json!({ "sequence": at + 1, "snapshot": facts(version) }))
                    .collect();
                assert_eq!(entries, expected, "{job:#?}");
            }
        }
    }

    async fn check_lists(&self) {
        const LIST: &str = "query($filter: ApplicationFilter, $sort: ApplicationSort) {
          applications(first: 100, filter: $filter, sortBy: $sort) { totalCount edges { node { id statusSince updatedAt } }
            pageInfo { hasNextPage } } }";
        let list = async |filter: Value, field: &str| {
            let variables =
                json!({ "filter": filter, "sort": { "field": field, "direction": "ASC" } });
            let data = self.api.data(LIST, variables).await["applications"].clone();
            let nodes = nodes(&data);
            assert_eq!(data["totalCount"], nodes.len(), "{filter}");
            nodes
        };
        let found = |nodes: &[Value]| {
            sorted(
                nodes
                    .iter()
                    .map(|node| node["id"].as_str().unwrap().to_owned()),
            )
        };
        for (archived, is_archived) in [("EXCLUDE", false), ("ONLY", true)] {
            let of = self
                .jobs
                .iter()
                .filter(|job| job.facts.is_archived == is_archived);
            let nodes = list(json!({ "archived": archived }), "STATUS_SINCE").await;
            assert_eq!(found(&nodes), ids(of));
            let since: Vec<_> = nodes
                .iter()
                .map(|node| node["statusSince"].to_string())
                .collect();
            assert!(since.is_sorted(), "{since:?}");
            for node in &nodes {
                let job = self
                    .jobs
                    .iter()
                    .find(|job| json!(job.id) == node["id"])
                    .unwrap();
                assert_eq!(node["statusSince"], written(job.since()), "{job:#?}");
                assert_eq!(node["updatedAt"], written(job.changed), "{job:#?}");
            }
        }
        for status in STATUSES {
            let of = self
                .jobs
                .iter()
                .filter(|job| job.facts.status == status && !job.facts.is_archived);
            let nodes = list(json!({ "statuses": [status] }), "UPDATED_AT").await;
            assert_eq!(found(&nodes), ids(of), "{status}");
        }
        let (from, to) = (
            self.today() - TimeDelta::days(20),
            self.today() - TimeDelta::days(3),
        );
        let range = json!({ "from": from, "to": to });
        let is_in = |day: Option<NaiveDate>| day.is_some_and(|day| from <= day && day <= to);
        let of = self.jobs.iter().filter(|job| is_in(job.facts.applied));
        let nodes = list(
            json!({ "dateApplied": range, "archived": "INCLUDE" }),
            "DATE_APPLIED",
        )
        .await;
        assert_eq!(found(&nodes), ids(of));
        let of = self
            .jobs
            .iter()
            .filter(|job| is_in(Some(day_of(job.since()))));
        let until = written(midnight(to) + DAY - 1);
        let range = json!({ "from": written(midnight(from)), "to": until });
        let nodes = list(
            json!({ "statusSince": range, "archived": "INCLUDE" }),
            "STATUS_SINCE",
        )
        .await;
        assert_eq!(found(&nodes), ids(of));
    }

    async fn check_stale(&self) {
        const STALE: &str =
            "query($days: Int!, $on: Date) { stale(days: $days, on: $on, first: 100) { totalCount
          edges { node { id statusSince } } pageInfo { hasNextPage } } }";
        for (days, ahead) in [(14, None), (3, None), (7, Some(1)), (30, Some(5))] {
            let on = ahead.map(|ahead| self.today() + TimeDelta::days(ahead));
            let data = self
                .api
                .data(STALE, json!({ "days": days, "on": on }))
                .await["stale"]
                .clone();
            let nodes = nodes(&data);
            let today = on.unwrap_or(self.today());
            let of = self.jobs.iter().filter(|job| job.is_stale(days, today));
            let found = sorted(
                nodes
                    .iter()
                    .map(|node| node["id"].as_str().unwrap().to_owned()),
            );
            assert_eq!(found, ids(of), "{days} {today}");
            assert_eq!(data["totalCount"], nodes.len());
            let since: Vec<_> = nodes
                .iter()
                .map(|node| node["statusSince"].to_string())
                .collect();
            assert!(since.is_sorted(), "{since:?}");
        }
    }

    /// What is due on these days, sorted.
    fn due(&self, from: NaiveDate, to: NaiveDate) -> Vec<Due> {
        let due = self.jobs.iter().flat_map(Job::due);
        sorted(due.filter(|due| from <= due.date && due.date <= to))
    }

    async fn check_agenda(&self) {
        const AGENDA: &str = "query($from: Date!, $to: Date!) { agenda(from: $from, to: $to) { kind date scheduledAt } }";
        for (before, after) in [(30, 60), (0, 6), (-1, 1)] {
            let (from, to) = (
                self.today() - TimeDelta::days(before),
                self.today() + TimeDelta::days(after),
            );
            let data = self
                .api
                .data(AGENDA, json!({ "from": from, "to": to }))
                .await;
            let entries = data["agenda"].as_array().unwrap();
            let entry = |due: Due| json!({ "kind": due.kind, "date": due.date, "scheduledAt": due.at.map(offset) });
            let expected: Vec<_> = self.due(from, to).into_iter().map(entry).collect();
            let text = |entries: &[Value]| sorted(entries.iter().map(Value::to_string));
            assert_eq!(text(entries), text(&expected));
            let places: Vec<_> = entries
                .iter()
                .map(|entry| {
                    let at = entry["scheduledAt"].as_str();
                    let at = at.map(|at| DateTime::parse_from_rfc3339(at).unwrap());
                    (entry["date"].to_string(), at)
                })
                .collect();
            assert!(places.is_sorted(), "{places:?}");
        }
    }

    /// The events of a calendar: what, from when, and until when.
    async fn events(&self, path: &str) -> Vec<(String, String, String)> {
        let answer = self.api.get(path).await;
        assert_eq!(answer.status(), 200, "{path}");
        let calendar: Calendar = answer.text().await.unwrap().parse().unwrap();
        let events = calendar
            .components
            .iter()
            .filter_map(|component| component.as_event());
        let of = |event: &icalendar::Event| {
            let [start, end] = [event.get_start(), event.get_end()].map(|at| instant(at.unwrap()));
            (event.get_summary().unwrap().to_owned(), start, end)
        };
        sorted(events.map(of))
    }

    async fn check_calendar(&self) {
        let (from, to) = (
            self.today() - TimeDelta::days(30),
            self.today() + TimeDelta::days(335),
        );
        let expected = sorted(self.due(from, to).into_iter().map(|due| {
            let of = |at: Option<DateTime<FixedOffset>>, day: NaiveDate| {
                at.map_or(day.to_string(), |at| at.to_utc().to_rfc3339())
            };
            let next = due.date + TimeDelta::days(1);
            (due.summary, of(due.at, due.date), of(due.until, next))
        }));
        assert_eq!(self.events("/applications/agenda.ics").await, expected);
        assert_eq!(self.events(&self.calendar).await, expected);
    }

    async fn check_statistics(&self) {
        const STATISTICS: &str = "{ applicationStats { active archived byStatus { status active archived reached } }
          applicationInsight { stays { status buckets { lessThanDays count } } weeks(last: 30) { monday applied } } }";
        let data = self.api.data(STATISTICS, Value::Null).await;
        let stats = &data["applicationStats"];
        let by_status = counted(
            self.jobs
                .iter()
                .map(|job| (job.facts.status, job.facts.is_archived)),
        );
        let reached = counted(self.jobs.iter().flat_map(Job::reached));
        let mut all = [0, 0];
        for row in stats["byStatus"].as_array().unwrap() {
            let status = row["status"].as_str().unwrap();
            let [active, archived] =
                [false, true].map(|is| by_status.get(&(status, is)).copied().unwrap_or(0));
            let expected = json!({ "status": status, "active": active, "archived": archived,
                "reached": reached.get(status).copied().unwrap_or(0) });
            assert_eq!(*row, expected, "{:#?}", self.jobs);
            all = [all[0] + active, all[1] + archived];
        }
        assert_eq!(json!([stats["active"], stats["archived"]]), json!(all));

        let mut found = BTreeMap::new();
        for of in data["applicationInsight"]["stays"].as_array().unwrap() {
            let status = of["status"].as_str().unwrap().to_owned();
            for bucket in of["buckets"].as_array().unwrap() {
                let count = bucket["count"].as_i64().unwrap();
                if count != 0 {
                    found.insert((status.clone(), bucket["lessThanDays"].as_i64()), count);
                }
            }
        }
        let stays = self
            .jobs
            .iter()
            .flat_map(Job::stays)
            .chain(self.gone.iter().copied());
        let bound = |lasted: i64| BOUNDS.into_iter().find(|bound| lasted < bound * DAY);
        let expected = counted(stays.map(|(status, lasted)| (status.to_owned(), bound(lasted))));
        assert_eq!(found, expected, "{:#?}", self.jobs);

        let days: Vec<_> = self
            .jobs
            .iter()
            .filter_map(|job| job.facts.applied)
            .collect();
        for week in data["applicationInsight"]["weeks"].as_array().unwrap() {
            let monday: NaiveDate = week["monday"].as_str().unwrap().parse().unwrap();
            let next = monday + TimeDelta::days(7);
            let count = days
                .iter()
                .filter(|day| monday <= **day && **day < next)
                .count();
            assert_eq!(week["applied"], count, "{week}");
        }
    }

    /// The record of all applications, by which `trestle export` writes that of a range of days.
    async fn check_record(&self) {
        let table = Table::new(self.api.dynamodb.clone(), &TABLE, &self.api.table);
        let clock = self.hands.clock();
        let store = Applications::new(table, Scope::Single, Meter::default(), clock);
        let exported = store.export(100, None).await.unwrap();
        let mut found: BTreeMap<String, Vec<Line>> = BTreeMap::new();
        for (_, record) in exported {
            let record = record.unwrap().unwrap();
            let activities = record.activities();
            let lines = activities.iter().map(line);
            let lines = sorted(lines);
            found.insert(record.id().to_string(), lines);
        }
        assert_eq!(found.len(), self.jobs.len());
        for job in &self.jobs {
            assert_eq!(found[&job.id], sorted(job.record()), "{job:#?}");
        }
    }
}

/// A line of the record.
fn line(activity: &Activity) -> Line {
    let (event, stage, is_completed) = match &activity.event {
        Event::Status(status) => (status.word(), None, None),
        Event::Stage { name, is_completed } => ("interview stage", name.clone(), *is_completed),
    };
    Line {
        day: activity.day,
        event: event.to_owned(),
        stage,
        is_completed,
    }
}

/// A day, or a moment in UTC.
fn instant(at: DatePerhapsTime) -> String {
    match at {
        DatePerhapsTime::Date(day) => day.to_string(),
        DatePerhapsTime::DateTime(CalendarDateTime::Utc(at)) => at.to_rfc3339(),
        DatePerhapsTime::DateTime(CalendarDateTime::WithTimezone { date_time, tzid }) => {
            let offset: FixedOffset = tzid.trim_start_matches("UTC").parse().unwrap();
            let at = date_time.and_local_timezone(offset).unwrap();
            at.to_utc().to_rfc3339()
        }
        DatePerhapsTime::DateTime(CalendarDateTime::Floating(at)) => panic!("{at} of no zone"),
    }
}
