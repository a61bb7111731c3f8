//! Stages, snapshots and counters of other programs that cannot be read, beside applications that can.

use aws_sdk_dynamodb::types::AttributeValue::M;
use serde_json::json;

use crate::ask::{STAGE, start, text};
use crate::history::with_entries;
use crate::malformed::{one_unreadable, spoil_item};

#[tokio::test]
async fn an_update_keeps_attributes_of_other_programs_on_stages() {
    let (api, _) = start().await;
    let id = with_entries(&api, 1).await;
    let stage = api.add_stage(&id, json!({ "name": "Onsite" })).await;
    let sort_key = format!("STAGE#{}", stage["stageId"].as_str().unwrap());
    spoil_item(&api, &id, &sort_key, ("theirs", Some(text("kept")))).await;
    let patch = json!({ "id": stage["id"], "notes": "papers" });
    api.done("updateInterviewStage", patch).await;
    let stored = api.stored(&id).await[&sort_key].clone();
    assert_eq!(
        (&stored["theirs"], &stored["notes"]),
        (&text("kept"), &text("papers"))
    );
}

#[tokio::test]
async fn a_stage_that_cannot_be_read_fails_where_it_is() {
    for (odd, path) in [
        (("name", None), json!(["application", "interviewStages"])),
        (
            ("order", Some(text("first"))),
            json!(["application", "interviewStages"]),
        ),
        (
            ("completedDate", Some(text("soon"))),
            json!(["application", "interviewStages", 0, "completedDate"]),
        ),
        (
            ("scheduledAt", Some(text("2026-01-01"))),
            json!(["application", "interviewStages", 0, "scheduledAt"]),
        ),
    ] {
        let (api, _) = start().await;
        let id = with_entries(&api, 2).await;
        let stage = api.add_stage(&id, json!({ "name": "Onsite" })).await;
        let sort_key = format!("STAGE#{}", stage["stageId"].as_str().unwrap());
        spoil_item(&api, &id, &sort_key, odd).await;
        for more in ["", "history { edges { node { sequence } } }"] {
            let document = format!(
                "query($id: ID!) {{ application(id: $id) {{ companyName interviewStages {{ {STAGE} scheduledAt }} {more} }} }}"
            );
            let answer = api.run(&document, json!({ "id": id })).await;
            one_unreadable(&answer, &path);
            assert_eq!(answer.body["data"]["application"]["companyName"], "Visa");
        }
    }
}

#[tokio::test]
async fn a_snapshot_that_cannot_be_read_fails_alone() {
    for odd in [
        ("snapshot", None),
        ("snapshot", Some(M(Default::default()))),
        ("snapshot", Some(text("all"))),
    ] {
        let (api, _) = start().await;
        let id = with_entries(&api, 4).await;
        spoil_item(&api, &id, "HIST#00000004", odd.clone()).await;
        const HISTORY: &str = "query($id: ID!) { application(id: $id) { history {
          edges { node { sequence description snapshot { notes } } } } } }";
        let answer = api.run(HISTORY, json!({ "id": id })).await;
        let path = json!(["application", "history", "edges", 0, "node", "snapshot"]);
        one_unreadable(&answer, &path);
        let edges = answer.body["data"]["application"]["history"]["edges"]
            .as_array()
            .unwrap();
        assert_eq!((edges.len(), &edges[0]["node"]["sequence"]), (4, &json!(4)));
        let updated = api.update(&id, json!({ "notes": "it goes on" })).await;
        assert_eq!(updated["version"], 5, "{odd:?}");
    }
}

#[tokio::test]
async fn counters_are_unknown_until_a_recount() {
    let (api, _) = start().await;
    let id = with_entries(&api, 1).await;
    let mut meta = api.stored_meta().await;
    meta.remove("countersComplete");
    api.put(meta).await;
    const STATS: &str =
        "{ applicationStats { active archived byStatus { active } } applications { totalCount } }";
    let data = api.data(STATS, json!({})).await;
    let unknown = json!({ "active": null, "archived": null, "byStatus": null });
    assert_eq!(data["applicationStats"], unknown);
    assert_eq!(data["applications"]["totalCount"], json!(null));
    drop(id);
}
