//! Every mutation of job-board.

use serde_json::json;
use trestle_service::Registered;
use trestle_testing::odd::item;

use super::story::{Indexes, Story};
use crate::promises::strangers::create::ulid;

const AT: &str = "2026-02-20T10:00:00.000Z";

/// A suggestion, as the matching writes it.
async fn suggest(story: &Story) {
    let job = "01KHYQ2Y00000000000000002R";
    let place = format!("j#2026-02-20#H2X1Y4#{job}");
    let named = json!({ "jobId": job, "city": "montreal", "zip": "H2X1Y4" });
    let items = [
        json!({
            "pk": "job#montreal#", "sk": place, "GSI1PK": "employer#erin", "GSI1SK": place, "entityType": "job",
            "createdAt": AT, "updatedAt": AT, "jobId": job, "employerId": "erin", "city": "montreal", "zip": "H2X1Y4",
            "company": "Acme", "title": "Junior engineer", "description": "x", "skills": ["rust"], "isRemote": false,
            "lastDay": "9999-12-31", "places": [{ "city": "Montréal", "country": "CA", "zip": "H2X1Y4" }],
        }),
        json!({
            "pk": "suggestion#montreal#", "sk": format!("s#R1#2026-02-20#H2X1Y4#{job}#ann"), "GSI1PK": "seeker#ann",
            "GSI1SK": format!("j#R1#2026-02-20#H2X1Y4#{job}"), "entityType": "suggestion", "createdAt": AT,
            "updatedAt": AT, "seekerId": "ann", "employerId": "erin", "job": named, "relevance": "R1", "score": 90,
            "reasons": [{ "rule": "SKILLS", "points": 90, "text": "two skills" }],
            "ttl": trestle_testing::hosted::START + 600_000,
        }),
    ];
    for written in items {
        let put = story
            .plain
            .put_item()
            .table_name(story.service.tables[0].default_name);
        put.set_item(Some(item(&written))).send().await.unwrap();
    }
}

pub async fn story(service: &'static Registered, indexes: Indexes) -> Story {
    let mut story = Story::start(service, indexes, &["--job-board-suggestions=none"]).await;
    let (ann, erin) = ("ann write seeker", "erin write employer");
    let place = json!([{ "city": "Montréal", "country": "CA", "zip": "H2X 1Y4" }]);
    let profile = json!({ "name": "Ann", "places": place });
    story.step(ann, "saveSeekerProfile", profile).await;
    let moved = json!({ "name": "Ann B", "places": [{ "city": "Laval", "country": "CA" }] });
    story.step(ann, "saveSeekerProfile", moved).await;
    story
        .step(erin, "saveEmployerProfile", json!({ "company": "Acme" }))
        .await;
    story
        .step(
            erin,
            "saveEmployerProfile",
            json!({ "company": "Acme Ltd" }),
        )
        .await;
    suggest(&story).await;
    let suggestion = story.first(ann, "suggestions").await;
    let input = json!({ "suggestionId": suggestion, "direction": "RIGHT" });
    let swiped = story.step(ann, "swipe", input).await;
    story
        .step(ann, "undoSwipe", json!({ "id": swiped["interest"]["id"] }))
        .await;
    let job = |title: &str| json!({ "company": "Acme", "title": title, "places": place });
    let first = story.step(erin, "createJob", job("Engineer")).await["job"]["id"].clone();
    let mut with_id = job("Baker");
    with_id["requestId"] = json!(ulid(&story.server));
    let second = story.step(erin, "createJob", with_id).await["job"]["id"].clone();
    story
        .step(
            erin,
            "updateJob",
            json!({ "id": first, "title": "Staff engineer" }),
        )
        .await;
    story.step(erin, "closeJob", json!({ "id": second })).await;
    story.step(erin, "reopenJob", json!({ "id": second })).await;
    let interest = story
        .step(ann, "expressInterest", json!({ "jobId": first }))
        .await;
    let interest = interest["interest"]["id"].clone();
    story
        .step(erin, "declineInterest", json!({ "id": interest }))
        .await;
    story
        .step(erin, "undoDecline", json!({ "id": interest }))
        .await;
    story
        .step(erin, "approveInterest", json!({ "id": interest }))
        .await;
    story
        .step(erin, "undoApproval", json!({ "id": interest }))
        .await;
    story
        .step(erin, "approveInterest", json!({ "id": interest }))
        .await;
    let of = story.first(erin, "matches").await;
    story
        .step(
            erin,
            "moveMatch",
            json!({ "id": of, "stage": "OFFER", "note": "soon" }),
        )
        .await;
    let message = json!({ "matchId": of, "text": "hello" });
    story.step(ann, "sendMessage", message).await;
    let message = json!({ "matchId": of, "text": "again", "messageId": ulid(&story.server) });
    let message = story.step(ann, "sendMessage", message).await["message"]["id"].clone();
    story
        .step(erin, "markRead", json!({ "messageId": message }))
        .await;
    let search = json!({ "name": "mine", "places": ["montreal"] });
    let search = story.step(ann, "saveSearch", search).await["search"]["id"].clone();
    story
        .step(ann, "markSearchSeen", json!({ "id": search }))
        .await;
    story
        .step(ann, "deleteSearch", json!({ "id": search }))
        .await;
    story.step(ann, "deleteSeekerProfile", json!({})).await;
    story.step(erin, "deleteEmployerProfile", json!({})).await;
    story
}
