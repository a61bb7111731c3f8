//! What an answer claims is so: a mutation that is answered as refused, unavailable or broken has changed nothing, or can be
//! repeated; one that is answered as done is done; and the outcome is unknown only if a request may have arrived.
//!
//! Every mutation of every service, each of its writes, the first try of it done or not and answered or not, and then every
//! later answer. That is more than a test has time for: it takes [`CASES`] of each service, spread over all;
//! `TRESTLE_CLAIMS` says how many else.

mod applications;
mod behind;
mod graph_runs;
mod hub;
mod job_board;
mod killed;
mod shareables;
mod story;
mod thrown_out;

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::Value;
use trestle::services::SERVICES;
use trestle_testing::answers::is_refused;
use trestle_testing::faults::{FIRST, Fault, LATER, Persists};

use story::{Indexes, Item, Items, Step, Story};

const CASES: usize = 250;
/// A prime, so that the cases that are taken are of all steps, first tries and later answers.
const SPREAD: usize = 7919;
/// How often the SDK sends a request.
const TRIES: usize = 3;
/// Mutations that need a program beside the service.
const ALONE: [&str; 1] = ["completeRun"];
/// Mutations whose work goes on in the background, where it would change the items of the next case.
const GOING_ON: [&str; 2] = ["deleteSeekerProfile", "deleteEmployerProfile"];

/// A mutation, which of its writes fails, and how.
struct Case {
    step: usize,
    write: u64,
    first: Option<Fault>,
    later: Fault,
    persists: Persists,
}

impl Case {
    /// Whether the failing write may have arrived, as far as its answers say.
    fn may_have_arrived(&self) -> bool {
        let unclear = |fault: Fault| {
            matches!(
                fault,
                Fault::Refused(500.., _)
                    | Fault::Refused(_, "TransactionInProgressException")
                    | Fault::Garbled(_)
                    | Fault::Reset
                    | Fault::LostRequest
                    | Fault::LostAnswer
            )
        };
        self.first.is_some() || unclear(self.later)
    }
}

/// What a service calls what an item is.
fn kind(item: &Item) -> &str {
    let names = ["entityType", "entity"].iter();
    let mut kinds = names.filter_map(|name| item.get(*name)?.as_s().ok());
    kinds.next().map_or("item", String::as_str)
}

/// An attribute without ids and moments: its name, and its value if that is a small number.
fn outline((name, value): (&String, &AttributeValue)) -> String {
    let number = value.as_n().ok().filter(|n| n.len() < 6);
    number.map_or_else(|| name.clone(), |number| format!("{name}={number}"))
}

/// The changes of the items: a line for each one added or deleted, and for each attribute changed.
fn difference(before: &Items, after: &Items) -> Vec<String> {
    let whole = |item: &Item| {
        let outlines: BTreeSet<_> = item.iter().map(outline).collect();
        format!("{} {outlines:?}", kind(item))
    };
    let mut lines = Vec::new();
    let keys: BTreeSet<_> = before.keys().chain(after.keys()).collect();
    for key in keys {
        match (before.get(key), after.get(key)) {
            (None, Some(item)) => lines.push(format!("added {}", whole(item))),
            (Some(item), None) => lines.push(format!("deleted {}", whole(item))),
            (Some(was), Some(is)) => {
                let changed = is
                    .iter()
                    .filter(|(name, value)| was.get(*name) != Some(value));
                lines.extend(changed.map(|each| format!("changed {} {}", kind(is), outline(each))));
            }
            _ => {}
        }
    }
    lines.sort();
    lines
}

/// The lines of one list that another one does not have as often.
fn without<'l>(lines: &'l [String], others: &[String]) -> Vec<&'l String> {
    let mut others = others.to_vec();
    let mut left = Vec::new();
    for line in lines {
        match others.iter().position(|other| other == line) {
            Some(at) => drop(others.swap_remove(at)),
            None => left.push(line),
        }
    }
    left
}

/// Whether a line is of what is written beside a change: collab-hub's notifications, and that those are read of messages which
/// the mutation takes from their reader. A failure of them is logged.
fn is_beside(mutation: &str, line: &str) -> bool {
    const BESIDE: [&str; 3] = [
        "added NOTIFICATION ",
        "added REPORT_NOTICE ",
        "changed USER unreadNotifications=",
    ];
    const TAKE_MESSAGES: [&str; 3] = ["blockUser", "deleteMessage", "leaveConversation"];
    is_limit(line)
        || BESIDE.iter().any(|kind| line.starts_with(kind))
        || (TAKE_MESSAGES.contains(&mutation) && line.starts_with("changed NOTIFICATION "))
}

/// Whether a line is of the counters that limit guesses.
fn is_limit(line: &str) -> bool {
    line.contains(" guesses ") || line.contains(" USAGE ")
}

/// Whether a line may stand there once more after an answer that was lost: an audit log has each action at least once.
fn is_repeatable(line: &str) -> bool {
    line.starts_with("added AUDIT_LOG ")
}

/// The codes of an answer: those of its errors, or of user errors in it.
fn codes(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let errors = value.as_array().into_iter().flatten();
                match name.as_str() {
                    "errors" => found.extend(
                        errors
                            .map(|error| error["extensions"]["code"].as_str().unwrap().to_owned()),
                    ),
                    "userErrors" => {
                        found.extend(errors.map(|error| format!("user error {}", error["code"])))
                    }
                    _ => codes(value, found),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| codes(value, found)),
        _ => {}
    }
}

fn codes_of(answer: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    codes(answer, &mut found);
    found
}

/// Creates, with the fields of the ids that clients make for them.
const CLIENT_IDS: [(&str, &str); 12] = [
    ("createApplication", "id"),
    ("addInterviewStage", "stageId"),
    ("addContact", "contactId"),
    ("createJob", "requestId"),
    ("sendMessage", "messageId"),
    ("createStartup", "startupId"),
    ("createRole", "roleId"),
    ("applyForRole", "applicationId"),
    ("addChecklistItem", "itemId"),
    ("addChecklistItems", "batchId"),
    ("duplicateChecklistItem", "itemId"),
    ("addPollOption", "optionId"),
];

fn has_client_id(step: &Step) -> bool {
    CLIENT_IDS
        .iter()
        .any(|(mutation, id)| step.mutation == *mutation && step.input[*id].is_string())
}

impl Story {
    async fn hold(&self, case: &Case, done: &[String], broken: &mut Vec<String>) {
        let step = &self.steps[case.step];
        self.back_to(step).await;
        let tries = case.first.into_iter().chain([case.later; TRIES]).collect();
        self.faults.write(case.write, tries, case.persists);
        let answer = self.ask(&step.who, &step.mutation, &step.input).await;
        let has_met = self.faults.has_met_write();
        self.faults.stop();
        let what = difference(&step.before, &self.items().await);
        let codes = codes_of(&answer);
        let mut say = |why: &str| {
            broken.push(format!(
                "{} write {} {:?} then {:?} {:?}: {codes:?} and {why}",
                step.mutation, case.write, case.first, case.later, case.persists
            ));
        };
        if !has_met {
            return;
        }
        if codes.is_empty() {
            // What belonged to something that is deleted, the next start deletes at the latest.
            self.server.service.finish_deletes().await.unwrap();
            let what = difference(&step.before, &self.items().await);
            let mut lacks = without(done, &what);
            lacks.retain(|line| !is_beside(&step.mutation, line));
            let mut has = without(&what, done);
            has.retain(|line| !is_limit(line) && !is_repeatable(line));
            if !lacks.is_empty() || !has.is_empty() {
                say(&format!("it lacks {lacks:?} and has {has:?}"));
            }
            return;
        }
        if codes.contains("OUTCOME_UNKNOWN") {
            if what.is_empty() && !case.may_have_arrived() {
                say("nothing arrived");
            }
            if has_client_id(step) {
                let again = self.ask(&step.who, &step.mutation, &step.input).await;
                let now = difference(&step.before, &self.items().await);
                if is_refused(&again) || now.len() != done.len() {
                    say(&format!(
                        "repeated with its id: {:?} {now:#?} and not {done:#?}",
                        codes_of(&again)
                    ));
                }
            }
            return;
        }
        if what.is_empty() {
            return;
        }
        if codes.contains("SERVICE_UNAVAILABLE") {
            let again = self.ask(&step.who, &step.mutation, &step.input).await;
            let now = difference(&step.before, &self.items().await);
            if is_refused(&again) || now != *done {
                say(&format!(
                    "repeated: {:?} {now:#?} and not {done:#?}",
                    codes_of(&again)
                ));
            }
            return;
        }
        say(&format!("something was changed: {what:#?}"));
    }

    /// What a mutation does without faults, and how many writes it takes.
    async fn done(&self, step: &Step) -> (Vec<String>, u64) {
        self.back_to(step).await;
        let sent = || {
            let writes = trestle_testing::faults::WRITES;
            writes
                .iter()
                .map(|write| self.faults.attempts(write))
                .sum::<u64>()
        };
        let before = sent();
        let answer = self.ask(&step.who, &step.mutation, &step.input).await;
        assert!(!is_refused(&answer), "{} again: {answer:#}", step.mutation);
        let writes = sent() - before;
        (difference(&step.before, &self.items().await), writes)
    }

    async fn hold_all(&self) {
        let mutations = &self.schema.get_object("Mutation").unwrap().fields;
        for name in mutations.keys() {
            let has_step = self.steps.iter().any(|step| step.mutation == name.as_str());
            assert!(
                has_step || ALONE.contains(&name.as_str()),
                "{name} has no step here"
            );
        }
        let mut done = Vec::new();
        let mut cases = Vec::new();
        for (at, step) in self.steps.iter().enumerate() {
            let (does, writes) = if GOING_ON.contains(&step.mutation.as_str()) {
                (Vec::new(), 0)
            } else {
                self.done(step).await
            };
            done.push(does);
            for write in 0..writes {
                for first in FIRST {
                    for later in LATER {
                        // Without another try, credentials are missing for reads as well.
                        if first.is_none() && later == Fault::NoCredentials {
                            continue;
                        }
                        let is_cancel = matches!(later, Fault::CanceledFor(_));
                        let persists = [Persists::No, Persists::Yes];
                        for persists in &persists[..if is_cancel { 1 } else { 2 }] {
                            cases.push(Case {
                                step: at,
                                write,
                                first,
                                later,
                                persists: *persists,
                            });
                        }
                    }
                }
            }
        }
        let wanted = std::env::var("TRESTLE_CLAIMS").map_or(CASES, |cases| cases.parse().unwrap());
        let mut broken = Vec::new();
        let mut asked = 0;
        for nth in 0..wanted.min(cases.len()) {
            let case = &cases[nth * SPREAD % cases.len()];
            self.hold(case, &done[case.step], &mut broken).await;
            asked += 1;
        }
        eprintln!(
            "{asked} of {} cases, {} contradictions",
            cases.len(),
            broken.len()
        );
        let shown: Vec<_> = broken
            .iter()
            .take(40)
            .map(|text| text.chars().take(1200).collect::<String>())
            .collect();
        assert!(
            broken.is_empty(),
            "{} contradictions:\n{}",
            broken.len(),
            shown.join("\n")
        );
    }
}

async fn hold(service: &str) {
    story_of(service, Indexes::Current).await.hold_all().await;
}

/// All mutations of a service.
async fn story_of(service: &str, indexes: Indexes) -> Story {
    let service = SERVICES.iter().find(|one| one.name == service).unwrap();
    match service.name {
        "applications" => applications::story(service, indexes).await,
        "graph-runs" => graph_runs::story(service, indexes).await,
        "job-board" => job_board::story(service, indexes).await,
        "collab-hub" => hub::story(service, indexes).await,
        "shareables" => shareables::story(service, indexes).await,
        other => panic!("{other} has no story here"),
    }
}

macro_rules! services {
    ($($test:ident $service:literal)+) => {
        $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $test() {
            hold($service).await;
        })+

        #[test]
        fn every_service_of_the_registry_has_a_story() {
            let held = [$($service),+];
            let registered: Vec<_> = SERVICES.iter().map(|service| service.name).collect();
            assert_eq!(registered, held);
        }
    };
}

services! {
    answers_of_applications_claim_what_is_so "applications"
    answers_of_graph_runs_claim_what_is_so "graph-runs"
    answers_of_job_board_claim_what_is_so "job-board"
    answers_of_collab_hub_claim_what_is_so "collab-hub"
    answers_of_shareables_claim_what_is_so "shareables"
}
