//! Sample data: two runs of a small shop, the second of which has opened its database to the internet.

use clap::FromArgMatches as _;
use serde_json::json;

use trestle_service::{Demo, Failure, Sample};

use super::arguments::{Pipeline, Settings};

const SETUPS: [(i64, &str); 2] = [
    (2, include_str!("before.tf")),
    (1, include_str!("after.tf")),
];

/// Has both analyzed, one after the other.
pub async fn fill(demo: &Demo<'_>) -> Result<Vec<Sample>, Failure> {
    let pipeline = Settings::from_arg_matches(demo.arguments)?.pipeline;
    let local = demo.local();
    let mut runs = Vec::new();
    for (days, file) in SETUPS {
        let at = demo.ago(days, 0);
        let new = json!({ "environment": "PROD", "iacFormat": "HCL", "region": "eu-west-1" });
        let created = local.mutate(at, "createRun", "run { runId } upload { url }", new);
        let created = created.await?;
        demo.upload(&created["upload"]["url"], file).await?;
        let run = created["run"]["runId"].as_str().unwrap_or_default();
        let start = json!({ "runId": run });
        local.mutate(at, "startRun", "", start).await?;
        // Workers elsewhere take their time.
        if pipeline == Pipeline::InProcess {
            let query = format!("{{ run(runId: \"{run}\") {{ status failureReason }} }}");
            local
                .wait_for(&query, "/run/status", json!("COMPLETE"))
                .await?;
        }
        runs.push(run.to_owned());
    }
    let [before, after] = &runs[..] else {
        return Ok(Vec::new());
    };
    Ok(vec![
        Sample {
            name: "a run of a shop with findings".to_owned(),
            fragment: format!("#/runs/{after}"),
            needs: format!("run {after}"),
        },
        Sample {
            name: "a comparison with the run before".to_owned(),
            fragment: format!("#/compare/{before}/{after}"),
            needs: format!("since run {before}"),
        },
    ])
}
