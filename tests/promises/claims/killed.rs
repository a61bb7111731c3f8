//! A process that is killed in a delete leaves nothing for good: what is deleted is there or gone with all that belongs to it
//! once the next process has started.
//!
//! Every delete of every service, and every one of its writes: with that write, all later ones are lost.

use serde_json::Value;
use trestle_service::ServiceContext;
use trestle_table::{Table, Tables};
use trestle_testing::faults::{Fault, Persists, WRITES};
use trestle_testing::hosted::NoStreams;

use super::story::{Indexes, Step, Story};
use super::{TRIES, difference, is_limit, is_refused, story_of};

/// How the names of mutations that delete something begin.
const DELETES: [&str; 2] = ["delete", "remove"];
/// When a seeker's suggestions are made again: which of the waiting runs comes first decides whether there is one.
const RENEWAL: &str = "added renewal ";
/// More seconds than a process that was killed holds what it works on.
const LEASE: i64 = 60;

/// The inputs of a delete: of one that names several things, also each part of them.
fn inputs(input: &Value) -> Vec<Value> {
    let lists = input.as_object().into_iter().flatten();
    let mut lists = lists.filter_map(|(name, value)| Some((name.as_str(), value.as_array()?)));
    let Some((name, list)) = lists.next() else {
        return vec![input.clone()];
    };
    let mut inputs = Vec::new();
    for chosen in 1..1_u32 << list.len() {
        let part = list.iter().enumerate();
        let part = part.filter(|(at, _)| chosen >> at & 1 == 1);
        let part: Vec<_> = part.map(|(_, value)| value.clone()).collect();
        let mut input = input.clone();
        input[name] = part.into();
        inputs.push(input);
    }
    inputs
}

/// Whether a line is of what users are told of a delete: as far as the process came.
fn is_told(line: &str) -> bool {
    line.starts_with("added NOTIFICATION ") || line.starts_with("changed USER unreadNotifications=")
}

impl Story {
    fn writes(&self) -> u64 {
        WRITES.iter().map(|write| self.faults.attempts(write)).sum()
    }

    /// What a process does when it starts, and the commands that go on with the work of others.
    async fn start_again(&self) -> bool {
        self.server.clock.advance(LEASE);
        let is_finished = self.server.service.finish_deletes().await.is_ok();
        let mut commands = self.service.commands.iter();
        let Some(suggest) = commands.find(|each| (each.command)().get_name() == "suggest") else {
            return is_finished;
        };
        let client = &self.server.dynamodb;
        let tables = self.service.tables.iter();
        let tables = tables.map(|table| Table::new(client.clone(), table, table.default_name));
        let clock = self.server.clock.clock();
        let context = ServiceContext {
            tables: Tables::new(tables, clock.clone()),
            arguments: &(suggest.command)().get_matches_from(["suggest"]),
            clock,
            folder: None,
            is_in_memory: true,
            streams: &NoStreams,
        };
        (suggest.run)(&context).await.is_ok() && is_finished
    }

    /// What a delete does that nothing interrupts, and how many writes it takes.
    async fn outcome(&self, step: &Step, input: &Value) -> (Vec<String>, u64) {
        self.back_to(step).await;
        let before = self.writes();
        let answer = self.ask(&step.who, &step.mutation, input).await;
        assert!(!is_refused(&answer), "{}: {answer:#}", step.mutation);
        assert!(self.start_again().await, "{}", step.mutation);
        (self.changes(step).await, self.writes() - before)
    }

    async fn changes(&self, step: &Step) -> Vec<String> {
        let mut lines = difference(&step.before, &self.items().await);
        lines.retain(|line| !is_limit(line) && !is_told(line) && !line.starts_with(RENEWAL));
        for line in &mut lines {
            // Whoever finishes a delete has no address and no program of a client.
            if line.starts_with("added AUDIT_LOG ") {
                "added AUDIT_LOG".clone_into(line);
            }
        }
        lines
    }

    async fn kill_in_deletes(&self) {
        let deletes = self.steps.iter().filter(|step| {
            let mut begins = DELETES.iter();
            begins.any(|begin| step.mutation.starts_with(begin))
        });
        let mut kills = 0;
        let mut broken = Vec::new();
        for step in deletes {
            self.back_to(step).await;
            assert!(self.start_again().await, "{}", step.mutation);
            let mut outcomes = vec![self.changes(step).await];
            let mut writes = 0;
            for input in inputs(&step.input) {
                let (outcome, taken) = self.outcome(step, &input).await;
                outcomes.push(outcome);
                writes = taken;
            }
            for write in 0..writes {
                self.back_to(step).await;
                let lost = vec![Fault::LostRequest; TRIES];
                self.faults.write(write, lost, Persists::Yes);
                self.ask(&step.who, &step.mutation, &step.input).await;
                let at_once = self.start_again().await;
                self.faults.stop();
                assert!(self.start_again().await, "{} {write}", step.mutation);
                kills += 1;
                let left = self.changes(step).await;
                if !outcomes.contains(&left) {
                    broken.push(format!(
                        "{} killed at write {write} (went on: {at_once}): {left:#?} and not one of {outcomes:#?}",
                        step.mutation
                    ));
                }
            }
        }
        eprintln!("{kills} kills, {} broken", broken.len());
        assert!(kills > 0, "no delete writes");
        assert!(broken.is_empty(), "{}", broken.join("\n"));
    }
}

// One test for each service, because a story takes its time. The registry's are those of the module above.
macro_rules! services {
    ($($test:ident $service:literal)+) => {
        $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $test() {
            story_of($service, Indexes::Current).await.kill_in_deletes().await;
        })+

        #[test]
        fn every_service_is_killed_in_its_deletes() {
            let killed = [$($service),+];
            let registered = trestle::services::names();
            assert_eq!(registered.collect::<Vec<_>>(), killed);
        }
    };
}

services! {
    a_killed_delete_of_applications_is_finished "applications"
    a_killed_delete_of_graph_runs_is_finished "graph-runs"
    a_killed_delete_of_job_board_is_finished "job-board"
    a_killed_delete_of_collab_hub_is_finished "collab-hub"
    a_killed_delete_of_shareables_is_finished "shareables"
}
