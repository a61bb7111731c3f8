//! Three weeks of a person who looks for a job and moves in with an export of LinkedIn and a spreadsheet: after each day, what waits, what
//! is due, what was reached, the calendar and the record for the employment office are what a plain model of the test says.
//!
//! `TRESTLE_SEED` says which days, `TRESTLE_SEARCHES` how many searches.

mod day;
mod lists;
mod model;
mod views;

use chrono::{DateTime, NaiveDate, Timelike as _, Utc};
use serde_json::{Value, json};
use trestle_testing::faults::Seeded;

use crate::ask::{Hands, start};
use crate::support::Api;
use lists::List;
use model::{Job, day_of};

/// A search: the server that knows of it, and what the person knows.
struct Search {
    api: Api,
    hands: Hands,
    random: Seeded,
    jobs: Vec<Job>,
    /// The stays in statuses of applications that were deleted.
    gone: Vec<(&'static str, i64)>,
    /// The path of the calendar to which a program subscribes.
    calendar: String,
    /// Counts, for names that differ.
    number: usize,
}

impl Search {
    async fn start(random: Seeded) -> Self {
        let (api, hands) = start().await;
        let mut search = Self {
            api,
            hands,
            random,
            jobs: Vec::new(),
            gone: Vec::new(),
            calendar: String::new(),
            number: 0,
        };
        let made = search
            .payload("createCalendarAddress", json!({}), "path")
            .await;
        search.calendar = made["path"].as_str().unwrap().to_owned();
        search
    }

    fn moment(&self) -> DateTime<Utc> {
        self.hands.clock().now()
    }

    fn now(&self) -> i64 {
        self.moment().timestamp_millis()
    }

    fn today(&self) -> NaiveDate {
        day_of(self.now())
    }

    fn pass(&self, seconds: i64) {
        self.hands.go(seconds * 1000);
    }

    /// Until the next morning.
    fn sleep(&self) {
        let passed = i64::from(self.moment().num_seconds_from_midnight());
        self.pass(24 * 3600 - passed + 7 * 3600);
    }

    /// The payload of a mutation that must succeed.
    async fn payload(&self, name: &str, input: Value, selected: &str) -> Value {
        let kind = format!("{}{}Input", name[..1].to_uppercase(), &name[1..]);
        let document = format!(
            "mutation($input: {kind}!) {{ {name}(input: $input) {{ {selected} userErrors {{ code field message }} }} }}"
        );
        let answer = self.api.run(&document, json!({ "input": input })).await;
        let payload = answer.data()[name].clone();
        assert_eq!(payload["userErrors"], json!([]), "{name} {input}");
        payload
    }

    async fn mutate(&self, name: &str, input: Value) -> Value {
        let selected = match name {
            "deleteApplication" => "deletedApplicationId",
            "updateApplications" => "results { userErrors { code field message } }",
            _ => "application { id }",
        };
        let payload = self.payload(name, input, selected).await;
        for result in payload["results"].as_array().into_iter().flatten() {
            assert_eq!(result["userErrors"], json!([]), "{name}");
        }
        payload
    }

    /// Imports a list as the board does: its columns as a whole, then its rows.
    async fn import(&mut self, list: &List, update: bool) {
        const COLUMNS: &str = "query($columns: [ImportColumnTextsInput!]!) { importColumns(columns: $columns) { header field dateOrder } }";
        let columns = self.api.data(COLUMNS, list.texts()).await["importColumns"].clone();
        let rows: Vec<_> = list
            .rows
            .iter()
            .map(|row| json!({ "cells": row.cells }))
            .collect();
        let input = json!({ "columns": columns, "rows": rows, "update": update });
        let selected = "rows { outcome application { id } userErrors { code field message } }";
        let payload = self.payload("importApplications", input, selected).await;
        let (now, today) = (self.now(), self.today());
        for (row, imported) in list.rows.iter().zip(payload["rows"].as_array().unwrap()) {
            assert_eq!(imported["userErrors"], json!([]), "{:?}", row.cells);
            let known = self.jobs.iter_mut().find(|job| row.is(job));
            let id = imported["application"]["id"].as_str().unwrap();
            let Some(known) = known else {
                assert_eq!(imported["outcome"], "NEW", "{:?}", row.cells);
                let facts = row.says.facts(today);
                let mut job = Job::new(
                    id.to_owned(),
                    row.company.clone(),
                    row.position.clone(),
                    facts,
                    now,
                );
                job.link = row.link.clone();
                self.jobs.push(job);
                continue;
            };
            assert_eq!(id, known.id);
            let mut facts = known.facts.clone();
            row.says.change(&mut facts, today);
            let outcome = match (facts == known.facts, update) {
                (true, _) => "UNCHANGED",
                (false, true) => "UPDATED",
                (false, false) => "CHANGED",
            };
            assert_eq!(
                imported["outcome"], outcome,
                "{:?} {:?}",
                row.cells, known.facts
            );
            if update {
                known.change(facts, now);
            }
        }
    }

    /// A day, with some things that happen.
    async fn live(&mut self) {
        self.sleep();
        for _ in 0..3 + self.random.below(5) {
            let at = self.random.below(self.jobs.len() as u64) as usize;
            match self.random.below(16) {
                0 | 1 => self.apply().await,
                2 => self.delete(at).await,
                _ => self.act(at).await,
            }
            // Longer than a mistake may last.
            let minutes = 65 + self.random.below(20) as i64;
            self.pass(60 * minutes);
        }
    }
}

async fn three_weeks(mut random: Seeded) {
    let days = random.split();
    let mut search = Search::start(days).await;
    let today = search.today();
    let linkedin = lists::linkedin(&mut random, today, 0..14);
    let spreadsheet = lists::spreadsheet(&mut random, today, 14..32, &linkedin);
    search.number = 32;
    search.import(&linkedin, false).await;
    search.check().await;
    search.pass(120);
    search.import(&spreadsheet, true).await;
    search.check().await;
    for day in 0..21 {
        search.live().await;
        search.check().await;
        if day % 8 == 4 {
            // The same lists again create what was deleted, and change nothing else.
            search.import(&linkedin, false).await;
            search.import(&spreadsheet, false).await;
            search.check().await;
        }
    }
}

#[tokio::test]
async fn after_each_day_of_a_search_every_view_is_what_the_person_knows() {
    let searches =
        std::env::var("TRESTLE_SEARCHES").map_or(1, |searches| searches.parse().unwrap());
    let mut random = Seeded::printed(20_261_120);
    for _ in 0..searches {
        three_weeks(random.split()).await;
    }
}
