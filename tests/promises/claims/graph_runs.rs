//! Every mutation of graph-runs.

use serde_json::{Value, json};
use trestle_service::Registered;

use super::story::{Indexes, Story};

/// More seconds than those after which a run counts as stuck, and fewer than an upload may take.
const STUCK_AFTER: i64 = 31;

async fn uploaded(story: &mut Story) -> Value {
    let input = json!({ "environment": "DEV", "iacFormat": "HCL" });
    let made = story.step("ann write", "createRun", input).await;
    story.upload(&made["upload"], "x").await;
    made["run"]["runId"].clone()
}

pub async fn story(service: &'static Registered, indexes: Indexes) -> Story {
    let options = [
        "--graph-runs-pipeline=external",
        "--graph-runs-stuck-after=30s",
    ];
    let mut story = Story::start(service, indexes, &options).await;
    let (ann, worker) = ("ann write", "pipeline write graph-runs-worker");
    let first = uploaded(&mut story).await;
    story
        .step(
            worker,
            "startRun",
            json!({ "runId": first, "workerId": "w" }),
        )
        .await;
    let input = json!({ "runId": first, "attempt": 1, "reason": "a mistake" });
    story.step(worker, "failRun", input).await;
    story
        .step(ann, "deleteRun", json!({ "runId": first }))
        .await;
    let [second, third] = [uploaded(&mut story).await, uploaded(&mut story).await];
    let input = json!({ "runIds": [second, third] });
    story.step(ann, "deleteRuns", input).await;
    let stuck = uploaded(&mut story).await;
    story
        .step(worker, "startRun", json!({ "runId": stuck }))
        .await;
    story.server.clock.advance(STUCK_AFTER);
    story.step(ann, "retryRun", json!({ "runId": stuck })).await;
    story
}
