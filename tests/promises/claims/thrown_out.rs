//! A passcode that changes while a mutation is at work: who is answered that their token opens nothing any more has changed
//! nothing.
//!
//! Every mutation of shareables that a token is for, and every one of its calls: the passcodes change before it.

use super::story::{Indexes, Step, Story};
use super::{codes_of, difference, is_limit, story_of};

const OPERATIONS: [&str; 8] = [
    "GetItem",
    "BatchGetItem",
    "Query",
    "PutItem",
    "UpdateItem",
    "DeleteItem",
    "BatchWriteItem",
    "TransactWriteItems",
];
/// The attributes of the passcodes.
const PASSCODES: [&str; 2] = ["viewPasscode", "adminPasscode"];

impl Story {
    /// Exchanges the passcodes of every shareable, so that no token opens it any more.
    async fn change_passcodes(&self) {
        for mut item in self.items().await.into_values() {
            let [view, admin] = PASSCODES.map(|passcode| item.get(passcode).cloned());
            let (Some(view), Some(admin)) = (view, admin) else {
                continue;
            };
            item.insert("viewPasscode".to_owned(), admin);
            item.insert("adminPasscode".to_owned(), view);
            let put = self.plain.put_item();
            let put = put.table_name(self.service.tables[0].default_name);
            put.set_item(Some(item)).send().await.unwrap();
        }
    }

    fn attempts_of_all(&self) -> [u64; OPERATIONS.len()] {
        OPERATIONS.map(|operation| self.faults.attempts(operation))
    }

    /// The answer's codes, and what a mutation has changed beside the passcodes, which change before one of its calls.
    async fn meddled(
        &self,
        step: &Step,
        operation: &str,
        passing: u64,
    ) -> (Vec<String>, Vec<String>) {
        self.back_to(step).await;
        self.faults.hold_after(operation, passing);
        let meddling = async {
            self.faults.held().await;
            self.change_passcodes().await;
            self.faults.release();
            std::future::pending::<()>().await;
        };
        let answer = tokio::select! {
            answer = self.ask(&step.who, &step.mutation, &step.input) => answer,
            () = meddling => unreachable!("it goes on for good"),
        };
        let mut lines = difference(&step.before, &self.items().await);
        lines.retain(|line| {
            let is_passcode = PASSCODES.iter().any(|passcode| line.ends_with(passcode));
            // How long parts are kept is extended before their shareable is; the API does not show it.
            let is_kept = line.ends_with(" ttl");
            let is_change = is_passcode && line.starts_with("changed ");
            !(is_limit(line) || is_kept || is_change)
        });
        // An error below a result is of a field that is not shown any more.
        if !answer["data"][&step.mutation].is_null() {
            return (Vec::new(), lines);
        }
        (codes_of(&answer).into_iter().collect(), lines)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_thrown_out_meanwhile_has_changed_nothing() {
    let story = story_of("shareables", Indexes::Current).await;
    let with_token = story.steps.iter().filter(|step| !step.who.is_empty());
    let (mut asked, mut thrown_out) = (0, 0);
    let mut broken = Vec::new();
    for step in with_token {
        story.back_to(step).await;
        let before = story.attempts_of_all();
        story.ask(&step.who, &step.mutation, &step.input).await;
        let after = story.attempts_of_all();
        for (at, operation) in OPERATIONS.iter().enumerate() {
            for passing in 0..after[at] - before[at] {
                let (codes, changed) = story.meddled(step, operation, passing).await;
                asked += 1;
                if !codes.contains(&"UNAUTHENTICATED".to_owned()) {
                    continue;
                }
                thrown_out += 1;
                if !changed.is_empty() {
                    let mutation = &step.mutation;
                    broken.push(format!("{mutation} {operation} {passing}: {changed:#?}"));
                }
            }
        }
    }
    eprintln!(
        "{asked} calls, {thrown_out} thrown out, {} contradictions",
        broken.len()
    );
    assert!(thrown_out > 0);
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
