//! Mutations right after everything that they work on was written, when no index has it yet: they do what they do later.
//!
//! Every mutation of every service, on what those before it made.

use std::collections::BTreeSet;
use std::time::Duration;

use super::story::{Indexes, Items, Step, Story};
use super::{ALONE, GOING_ON, codes_of, difference, is_beside, story_of};

/// How far the indexes are behind, and how far the service is told that they may be.
const LAG: Duration = Duration::from_millis(200);
const MOST: Duration = Duration::from_millis(400);

impl Story {
    /// The codes of a mutation's answer, and what it has changed, with indexes that are so far behind everything.
    async fn behind(&self, step: &Step, lag: Duration) -> (BTreeSet<String>, Vec<String>) {
        let indexes = self.lagging.as_ref().unwrap();
        self.reset(&Items::new()).await;
        indexes.set(Duration::MAX).await;
        self.back_to(step).await;
        indexes.set(lag).await;
        let answer = self.ask(&step.who, &step.mutation, &step.input).await;
        self.server.service.finish_deletes().await.unwrap();
        let mut lines = difference(&step.before, &self.items().await);
        lines.retain(|line| !is_beside(&step.mutation, line));
        indexes.set(Duration::ZERO).await;
        (codes_of(&answer), lines)
    }

    async fn hold_behind(&self) {
        let (mut held, mut broken) = (0, Vec::new());
        for step in &self.steps {
            let mutation = step.mutation.as_str();
            if ALONE.contains(&mutation) || GOING_ON.contains(&mutation) {
                continue;
            }
            let current = self.behind(step, Duration::ZERO).await;
            let behind = self.behind(step, LAG).await;
            held += 1;
            if behind != current {
                broken.push(format!("{mutation}: {behind:#?} and not {current:#?}"));
            }
        }
        eprintln!("{held} mutations, {} differ", broken.len());
        assert!(held > 0);
        assert!(broken.is_empty(), "{}", broken.join("\n"));
    }
}

// One test for each service, because a story takes its time. The registry's are those of the module above.
macro_rules! services {
    ($($test:ident $service:literal)+) => {
        $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $test() {
            story_of($service, Indexes::Behind(MOST)).await.hold_behind().await;
        })+

        #[test]
        fn every_service_is_asked_beside_indexes_that_lag() {
            let asked = [$($service),+];
            let registered = trestle::services::names();
            assert_eq!(registered.collect::<Vec<_>>(), asked);
        }
    };
}

services! {
    applications_does_beside_indexes_that_lag_what_it_does_later "applications"
    graph_runs_does_beside_indexes_that_lag_what_it_does_later "graph-runs"
    job_board_does_beside_indexes_that_lag_what_it_does_later "job-board"
    collab_hub_does_beside_indexes_that_lag_what_it_does_later "collab-hub"
    shareables_does_beside_indexes_that_lag_what_it_does_later "shareables"
}
