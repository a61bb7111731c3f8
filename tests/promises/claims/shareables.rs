//! Every mutation of shareables.

use serde_json::{Value, json};
use trestle_service::Registered;
use uuid::Uuid;

use super::story::{Indexes, Story};

const VIEW: &str = "view-walnut-harbor";
const ADMIN: &str = "admin-copper-lantern";

fn bearer(payload: &Value) -> String {
    format!("Bearer {}", payload["token"]["token"].as_str().unwrap())
}

async fn shared(story: &mut Story, content: Value) -> (String, Value) {
    let mut input = json!({ "name": "N", "viewPasscode": VIEW, "adminPasscode": ADMIN });
    let content = content.as_object().unwrap().clone();
    input.as_object_mut().unwrap().extend(content);
    let made = story.step("", "createShareable", input).await;
    (bearer(&made), made["shareable"]["shortId"].clone())
}

pub async fn story(service: &'static Registered, indexes: Indexes) -> Story {
    let options = [
        "--shareables-pool=0",
        "--shareables-creates-per-minute=1000000",
        "--shareables-guesses-per-minute=1000000",
        "--shareables-opens-per-minute=1000000",
        "--shareables-hash-memory=8",
    ];
    let mut story = Story::start(service, indexes, &options).await;
    let items = json!({ "checklist": { "items": [{ "name": "a" }] } });
    let (owner, list) = shared(&mut story, items).await;
    let of = |more: Value| {
        let mut input = json!({ "shortId": list });
        input
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        input
    };
    let item = story
        .step(&owner, "addChecklistItem", of(json!({ "name": "b" })))
        .await;
    let item = item["item"]["id"].clone();
    let input = of(json!({ "name": "c", "itemId": Uuid::new_v4() }));
    story.step(&owner, "addChecklistItem", input).await;
    story
        .step(&owner, "addChecklistItems", of(json!({ "text": "d\ne" })))
        .await;
    let input = of(json!({ "text": "f\ng", "batchId": Uuid::new_v4() }));
    story.step(&owner, "addChecklistItems", input).await;
    story
        .step(&owner, "duplicateChecklistItem", json!({ "id": item }))
        .await;
    let input = json!({ "id": item, "itemId": Uuid::new_v4() });
    story.step(&owner, "duplicateChecklistItem", input).await;
    story
        .step(
            &owner,
            "updateChecklistItem",
            json!({ "id": item, "note": "x" }),
        )
        .await;
    story
        .step(
            &owner,
            "moveChecklistItem",
            json!({ "id": item, "afterId": null }),
        )
        .await;
    story
        .step(&owner, "tickChecklistItem", json!({ "id": item }))
        .await;
    story.step(&owner, "untickChecklist", of(json!({}))).await;
    story
        .step(&owner, "updateChecklist", of(json!({ "note": "x" })))
        .await;
    let until = "2026-09-01T00:00:00Z";
    story
        .step(&owner, "extendShareable", of(json!({ "expiresAt": until })))
        .await;
    story.step(&owner, "cloneShareable", of(json!({}))).await;
    story.step(&owner, "issueTicket", of(json!({}))).await;
    story.step(&owner, "renewToken", of(json!({}))).await;
    let input = of(json!({ "passcode": VIEW, "staysSignedIn": true, "voterId": Uuid::new_v4() }));
    let opened = story.step("", "openShareable", input).await;
    let refresh = json!({ "refreshToken": opened["refreshToken"]["token"] });
    story.step("", "useRefreshToken", refresh).await;
    let out = json!({ "id": opened["token"]["deviceId"] });
    story.step(&bearer(&opened), "signOut", out).await;
    story
        .step(&owner, "deleteChecklistItem", json!({ "id": item }))
        .await;
    story
        .step(&owner, "restoreChecklistItem", json!({ "id": item }))
        .await;
    story
        .step(&owner, "tickChecklistItem", json!({ "id": item }))
        .await;
    story.step(&owner, "removeTickedItems", of(json!({}))).await;
    let changed = of(json!({ "passcode": ADMIN, "viewPasscode": "another-turnip-brook" }));
    story.step(&owner, "changePasscodes", changed).await;
    let opened = story
        .step("", "openShareable", of(json!({ "passcode": ADMIN })))
        .await;
    let input = of(json!({ "passcode": ADMIN }));
    story.step(&bearer(&opened), "deleteShareable", input).await;

    let question = json!({ "poll": { "question": "Q?", "options": ["a", "b", "c"] } });
    let (asker, poll) = shared(&mut story, question).await;
    let of = |more: Value| {
        let mut input = json!({ "shortId": poll });
        input
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        input
    };
    let option = story
        .step(&asker, "addPollOption", of(json!({ "text": "d" })))
        .await;
    let option = option["option"]["id"].clone();
    let input = of(json!({ "text": "e", "optionId": Uuid::new_v4() }));
    let other = story.step(&asker, "addPollOption", input).await["option"]["id"].clone();
    story
        .step(
            &asker,
            "updatePollOption",
            json!({ "id": option, "text": "dd" }),
        )
        .await;
    story
        .step(
            &asker,
            "movePollOption",
            json!({ "id": option, "afterId": null }),
        )
        .await;
    story
        .step(&asker, "deletePollOption", json!({ "id": other }))
        .await;
    story
        .step(&asker, "updatePoll", of(json!({ "question": "R?" })))
        .await;
    let invited = story
        .step(
            &asker,
            "inviteVoters",
            of(json!({ "names": ["Bob", "Eve"] })),
        )
        .await;
    let [bob, eve] = [0, 1].map(|at| invited["invitations"][at].clone());
    let input = of(json!({ "secret": bob["secret"] }));
    let opened = story.step("", "openInvitation", input).await;
    let voter = bearer(&opened);
    story
        .step(&voter, "vote", of(json!({ "optionIds": [option] })))
        .await;
    story
        .step(&voter, "vote", of(json!({ "optionIds": [] })))
        .await;
    story
        .step(&voter, "vote", of(json!({ "optionIds": [option] })))
        .await;
    let query = "query($id: String!) { shareable(shortId: $id) { ... on Poll { votes { edges { node { id } } } } } }";
    let data = story
        .server
        .data(&asker, query, json!({ "id": poll }))
        .await;
    let vote = data["shareable"]["votes"]["edges"][0]["node"]["id"].clone();
    story
        .step(&asker, "removeVote", json!({ "id": vote }))
        .await;
    story
        .step(
            &asker,
            "renewInvitation",
            json!({ "id": bob["invitation"]["id"] }),
        )
        .await;
    story
        .step(
            &asker,
            "removeInvitation",
            json!({ "id": eve["invitation"]["id"] }),
        )
        .await;
    story.step(&asker, "closePoll", of(json!({}))).await;
    story
}
