//! When a status began, whenever it was stored: generated lives of applications against a plain model.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Days, NaiveDate, SecondsFormat, Utc};
use serde_json::{Value, json};

use crate::ask::{named, start, with};
use crate::insight::{DAY, HOUR, id};
use crate::support::Api;

const START: &str = "2026-11-20T09:30:00.000Z";
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
/// How many days before its creation an application was sent; `None` if the date is not given.
const SENT: [Option<u64>; 5] = [None, Some(0), Some(1), Some(14), Some(40)];
/// How long nothing happens between two changes.
const WAITS: [i64; 4] = [20 * 60 * 1000, HOUR, 3 * DAY, 20 * DAY];

/// A time in a status, as a person would note it.
#[derive(Clone, Debug)]
struct Spell {
    status: &'static str,
    /// The date of the application at its beginning.
    date: Option<NaiveDate>,
    began: i64,
    ended: Option<i64>,
}

/// One application as its person knows it.
#[derive(Debug)]
struct Life {
    id: String,
    status: &'static str,
    date: Option<NaiveDate>,
    /// What was not a mistake, and the status that it has.
    spells: Vec<Spell>,
    /// Status, date and version before the last change of the status.
    before: Option<(&'static str, Option<NaiveDate>, u64)>,
    version: u64,
}

fn day(at: i64) -> NaiveDate {
    moment(at).date_naive()
}

fn moment(at: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(at).unwrap()
}

fn midnight(day: NaiveDate) -> i64 {
    day.and_hms_opt(0, 0, 0)
        .unwrap()
        .and_utc()
        .timestamp_millis()
}

impl Life {
    /// It has a status from now on. Whoever goes back to it soon has undone a mistake, by restoring or by hand.
    fn turn(&mut self, to: &'static str, at: i64) {
        let mut answered = self.spells.clone();
        let last = self.spells.last().cloned();
        // The last one is left, and did not count if that is soon.
        let first_try = |spells: &[Spell]| {
            let mut spells = spells.iter();
            spells.all(|spell| ["UNSUBMITTED", "APPLIED"].contains(&spell.status))
        };
        if last.as_ref().is_some_and(|last| at - last.began < HOUR) {
            answered.pop();
        }
        let sent = self.date.filter(|date| *date < day(at));
        let sent = sent.filter(|_| to == "APPLIED" && first_try(&answered));
        let mut began = sent.map_or(at, midnight);
        if let Some(last) = last
            && began - last.began < HOUR
        {
            self.spells.pop();
            let date = self.date;
            let is_same = |earlier: &&Spell| to != "APPLIED" || earlier.date == date;
            let earlier = self.spells.last().filter(|earlier| earlier.status == to);
            if let Some(earlier) = earlier.filter(is_same) {
                began = earlier.began;
            }
        }
        match self.spells.last_mut() {
            Some(earlier) if earlier.status == to && earlier.began == began => earlier.ended = None,
            Some(earlier) => {
                earlier.ended = earlier.ended.or(Some(began));
                self.spells.push(Spell {
                    status: to,
                    date: self.date,
                    began,
                    ended: None,
                });
            }
            None => self.spells.push(Spell {
                status: to,
                date: self.date,
                began,
                ended: None,
            }),
        }
        self.status = to;
    }

    /// When it got its status. For an application that was sent, that is its date, also if it is back after an answer.
    fn since(&self) -> i64 {
        let began = self.spells.last().unwrap().began;
        let sent = self.date.filter(|_| self.status == "APPLIED");
        sent.filter(|date| *date < day(began))
            .map_or(began, midnight)
    }

    /// The statuses that it ever had, as far as they count.
    fn reached(&self) -> BTreeSet<&'static str> {
        let mut reached: BTreeSet<_> = self.spells.iter().map(|spell| spell.status).collect();
        if reached.iter().any(|status| *status != "UNSUBMITTED") {
            reached.insert("APPLIED");
        }
        if reached.contains("ACCEPTED_OFFER") {
            reached.insert("GIVEN_OFFER");
        }
        reached
    }
}

/// The bound of the bucket of a stay.
fn bucket(millis: i64) -> Value {
    let bounds = [1, 3, 7, 14, 30, 60, 90];
    let bound = bounds.into_iter().find(|bound| millis < bound * DAY);
    bound.map_or(Value::Null, Value::from)
}

/// Imports or creates an application.
async fn made(api: &Api, input: Value, imports: bool) -> Value {
    if !imports {
        return api.create(input).await;
    }
    const IMPORT: &str =
        "mutation($input: ImportApplicationsInput!) { importApplications(input: $input) {
      rows { application { id status dateApplied } } } }";
    let content = input["companyName"].clone();
    let row = json!({ "application": input, "content": content });
    let data = api
        .data(IMPORT, json!({ "input": { "rows": [row] } }))
        .await;
    data["importApplications"]["rows"][0]["application"].clone()
}

/// The lives as they are read, against what their people know.
async fn check(api: &Api, lives: &[Life], now: i64) {
    const LIST: &str = "query($after: String) { applications(first: 100, after: $after) {
      edges { node { id status dateApplied statusSince } } pageInfo { hasNextPage endCursor } } }";
    let mut read = BTreeMap::new();
    let mut after = Value::Null;
    loop {
        let page = api.data(LIST, json!({ "after": after })).await["applications"].clone();
        for edge in page["edges"].as_array().unwrap() {
            read.insert(id(&edge["node"]).to_owned(), edge["node"].clone());
        }
        if page["pageInfo"]["hasNextPage"] == false {
            break;
        }
        after = page["pageInfo"]["endCursor"].clone();
    }
    let mut reached: BTreeMap<&str, i64> = BTreeMap::new();
    let mut stays: BTreeMap<(String, String), i64> = BTreeMap::new();
    let mut waiting = BTreeSet::new();
    for life in lives {
        let date = life.date.map(|date| date.to_string());
        let since = moment(life.since()).to_rfc3339_opts(SecondsFormat::Millis, true);
        let expected = json!({ "id": life.id, "status": life.status, "dateApplied": date, "statusSince": since });
        assert_eq!(read[&life.id], expected, "{life:?}");
        let detail = api.read(&life.id).await;
        assert_eq!(detail["statusSince"], expected["statusSince"]);
        for status in life.reached() {
            *reached.entry(status).or_default() += 1;
        }
        for spell in &life.spells {
            if let Some(ended) = spell.ended {
                let bound = bucket(ended - spell.began).to_string();
                *stays.entry((spell.status.to_owned(), bound)).or_default() += 1;
            }
        }
        let is_old = day(life.since()) <= day(now) - Days::new(14);
        if ["APPLIED", "INTERVIEWING"].contains(&life.status) && is_old {
            waiting.insert(life.id.clone());
        }
    }
    const STATS: &str = "{ applicationStats { byStatus { status reached } } }";
    let stats = api.data(STATS, json!({})).await["applicationStats"]["byStatus"].clone();
    for row in stats.as_array().unwrap() {
        let expected = reached.get(row["status"].as_str().unwrap());
        assert_eq!(
            row["reached"],
            json!(expected.copied().unwrap_or(0)),
            "{row}"
        );
    }
    let mut counted = BTreeMap::new();
    for of in api.stays().await.as_array().unwrap() {
        for bucket in of["buckets"].as_array().unwrap() {
            let bound = bucket["lessThanDays"].to_string();
            let count = bucket["count"].as_i64().unwrap();
            counted.insert((of["status"].as_str().unwrap().to_owned(), bound), count);
        }
    }
    assert_eq!(counted, stays);
    const STALE: &str = "query($after: String) { stale(days: 14, first: 100, after: $after) {
      edges { node { id } } pageInfo { hasNextPage endCursor } } }";
    let (mut stale, mut after) = (BTreeSet::new(), Value::Null);
    loop {
        let page = api.data(STALE, json!({ "after": after })).await["stale"].clone();
        let edges = page["edges"].as_array().unwrap();
        stale.extend(edges.iter().map(|edge| id(&edge["node"]).to_owned()));
        if page["pageInfo"]["hasNextPage"] == false {
            break;
        }
        after = page["pageInfo"]["endCursor"].clone();
    }
    assert_eq!(stale, waiting);
}

#[tokio::test]
async fn a_status_began_when_it_happened_whenever_it_was_stored() {
    let (api, hands) = start().await;
    let mut now = START.parse::<DateTime<Utc>>().unwrap().timestamp_millis();
    let mut lives = Vec::new();
    for status in STATUSES {
        for sent in SENT {
            for imports in [false, true] {
                if status == "UNSUBMITTED" && sent.is_some() {
                    continue;
                }
                let date = sent.map(|days| day(now) - Days::new(days));
                let company = format!("{status} {sent:?} {imports}");
                let mut input = with(named(&company), json!({ "status": status }));
                if let Some(date) = date {
                    input = with(input, json!({ "dateApplied": date.to_string() }));
                }
                let made = made(&api, input, imports).await;
                let date = made["dateApplied"]
                    .as_str()
                    .map(|date| date.parse().unwrap());
                let mut life = Life {
                    id: id(&made).to_owned(),
                    status,
                    date,
                    spells: Vec::new(),
                    before: None,
                    version: 1,
                };
                life.turn(status, now);
                lives.push(life);
            }
        }
    }
    check(&api, &lives, now).await;
    // Each life goes its own way, the same in every run.
    for step in 0..8_usize {
        let wait = WAITS[(step * step + step / 2) % WAITS.len()];
        hands.go(wait);
        now += wait;
        for (at, life) in lives.iter_mut().enumerate() {
            let choice = (at * 31 + step * 17 + at * step) % 13;
            let soon = now - life.spells.last().unwrap().began < HOUR;
            if let (Some((status, date, version)), true) = (life.before, soon && choice % 2 == 0) {
                // The last change was a mistake.
                let input = json!({ "id": life.id, "sequence": version });
                api.done("restoreApplication", input).await;
                life.date = date;
                life.turn(status, now);
                life.before = None;
                life.version += 1;
            } else if choice < STATUSES.len() && STATUSES[choice] != life.status {
                life.before = Some((life.status, life.date, life.version));
                let (was, to) = (life.status, STATUSES[choice]);
                let changed = api.update(&life.id, json!({ "status": to })).await;
                assert_eq!(changed["status"], to);
                if to == "UNSUBMITTED" {
                    life.date = None;
                } else if was == "UNSUBMITTED" && life.date.is_none() {
                    life.date = Some(day(now));
                }
                life.turn(to, now);
                life.version += 1;
            } else {
                // Notes change nothing.
                api.update(&life.id, json!({ "notes": format!("{step}") }))
                    .await;
                life.version += 1;
            }
        }
        check(&api, &lives, now).await;
    }
}

/// How a person undoes a mistake.
#[derive(Clone, Copy, Debug)]
enum Undone {
    ByHand,
    InABatch,
    ByRestoring,
}

/// A status that is left by mistake, and how that is undone.
#[derive(Debug)]
struct Slip {
    id: String,
    status: &'static str,
    way: Undone,
    before: Value,
}

/// Undoes a mistake: by the fields of before, or by their entry.
async fn undo(api: &Api, way: Undone, back: Value, sequence: u32) {
    match way {
        Undone::ByHand => drop(api.done("updateApplication", back).await),
        Undone::InABatch => {
            let input = json!({ "applications": [back] });
            let done = api.run(UPDATE_ALL, json!({ "input": input })).await;
            let results = done.data()["updateApplications"]["results"].clone();
            assert_eq!(results[0]["userErrors"], json!([]), "{results}");
        }
        Undone::ByRestoring => {
            let input = json!({ "id": back["id"], "sequence": sequence });
            api.done("restoreApplication", input).await;
        }
    }
}

#[tokio::test]
async fn a_status_goes_on_if_its_end_is_undone_within_an_hour() {
    const SENT_ON: &str = "2026-10-11";
    let dated = |status: &str| match status {
        "UNSUBMITTED" => json!({ "status": status }),
        _ => json!({ "status": status, "dateApplied": SENT_ON }),
    };
    for wait in [HOUR - 1_000, 3 * HOUR] {
        let (api, hands) = start().await;
        let mut slips = Vec::new();
        for status in STATUSES {
            for mistake in STATUSES {
                for way in [Undone::ByHand, Undone::InABatch, Undone::ByRestoring] {
                    if status == mistake {
                        continue;
                    }
                    let company = format!("{status} {mistake} {way:?}");
                    let made = api.create(with(named(&company), dated(status))).await;
                    let slip = Slip {
                        id: id(&made).to_owned(),
                        status,
                        way,
                        before: made["statusSince"].clone(),
                    };
                    slips.push((slip, mistake));
                }
            }
        }
        hands.go(27 * DAY);
        for (slip, mistake) in &slips {
            api.update(&slip.id, json!({ "status": mistake })).await;
        }
        hands.go(wait);
        for (slip, mistake) in &slips {
            let back = with(json!({ "id": slip.id }), dated(slip.status));
            undo(&api, slip.way, back, 1).await;
            let read = api.read(&slip.id).await;
            let goes_on = wait < HOUR || slip.status == "APPLIED";
            let since = &read["statusSince"];
            assert_eq!(
                *since == slip.before,
                goes_on,
                "{slip:?} {mistake} {wait}: {since}"
            );
        }
        if wait < HOUR {
            for of in api.stays().await.as_array().unwrap() {
                assert_eq!(of["buckets"], json!([]), "{of}");
            }
        }
    }
}

const UPDATE_ALL: &str =
    "mutation($input: UpdateApplicationsInput!) { updateApplications(input: $input) {
  results { userErrors { code field } } userErrors { code field } } }";

#[tokio::test]
async fn a_corrected_date_moves_the_beginning_with_it() {
    let (api, hands) = start().await;
    let made = api
        .create(with(named("Visa"), json!({ "status": "APPLIED" })))
        .await;
    assert_eq!(made["statusSince"], made["createdAt"]);
    for days in [40, 3, 15, 1] {
        let date =
            day(START.parse::<DateTime<Utc>>().unwrap().timestamp_millis()) - Days::new(days);
        let date = date.to_string();
        let changed = api.update(id(&made), json!({ "dateApplied": date })).await;
        assert_eq!(changed["statusSince"], format!("{date}T00:00:00.000Z"));
    }
    hands.go(DAY);
    let cleared = api.update(id(&made), json!({ "dateApplied": null })).await;
    assert_eq!(cleared["statusSince"], made["createdAt"]);
}

#[tokio::test]
async fn interviews_began_with_the_first_completed_stage() {
    let (api, hands) = start().await;
    for (given, days) in [
        (
            json!({ "completedDate": "2026-11-02" }),
            "2026-11-02T00:00:00.000Z",
        ),
        (
            json!({ "isCompleted": true, "scheduledAt": "2026-11-03T23:00:00+01:00" }),
            "2026-11-03T00:00:00.000Z",
        ),
        (json!({ "isCompleted": true }), START),
        (json!({ "scheduledAt": "2026-11-03T23:00:00+01:00" }), START),
    ] {
        let made = api
            .create(with(named("Visa"), json!({ "status": "INTERVIEWING" })))
            .await;
        let stage = with(json!({ "name": "Phone" }), given);
        let stage = if stage.get("completedDate").is_some() {
            with(stage, json!({ "isCompleted": true }))
        } else {
            stage
        };
        api.add_stage(id(&made), stage).await;
        assert_eq!(api.read(id(&made)).await["statusSince"], days);
    }
    // It waited for a first answer until then.
    let sent = json!({ "status": "APPLIED", "dateApplied": "2026-11-01" });
    let made = api.create(with(named("Visa"), sent)).await;
    let stage = json!({ "name": "Phone", "isCompleted": true, "completedDate": "2026-11-11" });
    api.add_stage(id(&made), stage).await;
    hands.go(DAY);
    let changed = api
        .update(id(&made), json!({ "status": "INTERVIEWING" }))
        .await;
    assert_eq!(changed["statusSince"], "2026-11-11T00:00:00.000Z");
    let stays = api.stays().await;
    assert_eq!(stays[0]["status"], "APPLIED");
    assert_eq!(
        stays[0]["buckets"],
        json!([{ "lessThanDays": 14, "count": 1 }])
    );
}

#[tokio::test]
async fn interviews_begin_with_the_first_completed_stage_after_every_correction() {
    for came_with_status in [true, false] {
        let (api, hands) = start().await;
        let status = if came_with_status {
            json!({ "status": "INTERVIEWING" })
        } else {
            json!({ "status": "APPLIED", "dateApplied": "2026-11-01" })
        };
        let made = api.create(with(named("Visa"), status)).await;
        let id = id(&made);
        let completed = |name: &str, date: &str| json!({ "name": name, "isCompleted": true, "completedDate": date });
        let first = api.add_stage(id, completed("a", "2026-11-11")).await["id"].clone();
        hands.go(DAY);
        let changed = api.update(id, json!({ "status": "INTERVIEWING" })).await;
        let noted = if came_with_status {
            made["createdAt"].clone()
        } else {
            changed["updatedAt"].clone()
        };
        let noted = noted.as_str().unwrap().to_owned();
        let check = async |began: &str| {
            hands.go(20 * 60 * 1000);
            let began = if began == "noted" {
                noted.clone()
            } else {
                format!("{began}T00:00:00.000Z")
            };
            assert_eq!(
                api.read(id).await["statusSince"],
                began,
                "{came_with_status}"
            );
            let range = json!({ "statusSince": { "from": began, "to": began } });
            assert_eq!(api.listed(range).await.len(), 1, "{began}");
        };
        check("2026-11-11").await;
        for (patch, began) in [
            (json!({ "completedDate": "2026-11-15" }), "2026-11-15"),
            (json!({ "completedDate": "2026-11-05" }), "2026-11-05"),
            (json!({ "isCompleted": false }), "noted"),
            (
                json!({ "isCompleted": true, "completedDate": "2026-11-12" }),
                "2026-11-12",
            ),
            (json!({ "name": "b" }), "2026-11-12"),
        ] {
            let input = with(json!({ "id": first }), patch);
            api.done("updateInterviewStage", input).await;
            check(began).await;
        }
        let second = api.add_stage(id, completed("c", "2026-11-08")).await["id"].clone();
        check("2026-11-08").await;
        for (stage, began) in [(second, "2026-11-12"), (first, "noted")] {
            api.done("removeInterviewStage", json!({ "id": stage }))
                .await;
            check(began).await;
        }
        api.add_stage(id, completed("d", "2026-11-09")).await;
        check("2026-11-09").await;
        // A status that comes later begins when it comes.
        let rejected = api.update(id, json!({ "status": "REJECTED" })).await;
        assert_eq!(rejected["statusSince"], rejected["updatedAt"]);
    }
}

#[tokio::test]
async fn interviews_that_a_stage_dated_go_on_if_their_end_is_undone() {
    for way in [Undone::ByHand, Undone::InABatch, Undone::ByRestoring] {
        for came_with_status in [false, true] {
            let (api, hands) = start().await;
            let (status, versions) = if came_with_status {
                ("INTERVIEWING", 2)
            } else {
                ("APPLIED", 3)
            };
            let sent = json!({ "status": status, "dateApplied": "2026-11-01" });
            let made = api.create(with(named("Visa"), sent)).await;
            let id = id(&made);
            let stage = json!({ "name": "a", "isCompleted": true, "completedDate": "2026-11-11" });
            let stage = api.add_stage(id, stage).await["id"].clone();
            hands.go(DAY);
            if !came_with_status {
                api.update(id, json!({ "status": "INTERVIEWING" })).await;
            }
            for (mistake, sequence) in [("REJECTED", versions), ("GIVEN_OFFER", versions + 2)] {
                hands.go(3 * DAY);
                api.update(id, json!({ "status": mistake })).await;
                hands.go(20 * 60 * 1000);
                let back = json!({ "id": id, "status": "INTERVIEWING" });
                undo(&api, way, back, sequence).await;
                let since = api.read(id).await["statusSince"].clone();
                assert_eq!(
                    since, "2026-11-11T00:00:00.000Z",
                    "{way:?} {came_with_status}"
                );
            }
            // The stage dates them as before.
            let input = json!({ "id": stage, "completedDate": "2026-11-12" });
            api.done("updateInterviewStage", input).await;
            let since = api.read(id).await["statusSince"].clone();
            assert_eq!(
                since, "2026-11-12T00:00:00.000Z",
                "{way:?} {came_with_status}"
            );
        }
    }
}

#[tokio::test]
async fn a_stage_that_is_completed_late_is_dated_on_its_day() {
    let (api, hands) = start().await;
    let made = api.create(named("Visa")).await;
    let scheduled = json!({ "name": "Phone", "scheduledAt": "2026-11-23T23:30:00-05:00" });
    let added = api.add_stage(id(&made), scheduled).await;
    for (wait, date) in [(0, "2026-11-20"), (5 * DAY, "2026-11-23")] {
        hands.go(wait);
        let stage = &added["id"];
        let input = json!({ "id": stage, "isCompleted": true });
        let done = api.done("updateInterviewStage", input).await;
        assert_eq!(done["interviewStage"]["completedDate"], date);
        let input = json!({ "id": stage, "isCompleted": false });
        api.done("updateInterviewStage", input).await;
    }
}
