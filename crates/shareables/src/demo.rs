//! Sample data: a packing list that friends tick, and a poll for the day of their trip.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use trestle_service::{Demo, Failure, Sample};

/// Without characters that a link would have to encode.
const VIEW: &str = "walnut-harbor-kettle";
const ADMIN: &str = "copper-saddle-brook-lantern";

/// Makes both.
pub async fn fill(demo: &Demo<'_>) -> Result<Vec<Sample>, Failure> {
    Ok(vec![packing_list(demo).await?, poll(demo).await?])
}

/// Each of three people ticks some items.
async fn packing_list(demo: &Demo<'_>) -> Result<Sample, Failure> {
    let items = json!([
        { "name": "Tent", "person": "Ann" },
        { "name": "Sleeping bags", "quantity": "3", "person": "Cleo" },
        { "name": "Stove", "note": "With gas" },
        { "name": "Lamp", "person": "Bob" },
        { "name": "First-aid kit" },
        { "name": "Map" },
        { "name": "Rope", "quantity": "20 m" },
    ]);
    let input = json!({
        "name": "Packing for the lake", "viewPasscode": VIEW, "adminPasscode": ADMIN, "voterName": "Ann",
        "checklist": { "items": items },
    });
    let selection = "shareable { shortId ... on Checklist { items { id } } } token { token }";
    let local = demo.local();
    let created = local.mutate(demo.ago(6, 0), "createShareable", selection, input);
    let created = created.await?;
    let list = &created["shareable"];
    let mut token = created["token"]["token"].clone();
    let people: [(&str, i64, &[usize]); 3] =
        [("Ann", 6, &[0, 4]), ("Bob", 4, &[3]), ("Cleo", 2, &[5])];
    for (name, days, items) in people {
        let at = demo.ago(days, 0);
        if name != "Ann" {
            token = open(demo, at, &list["shortId"], name).await?;
        }
        for item in items {
            let input = json!({ "id": list["items"][item]["id"] });
            let friend = demo.bearer(&token);
            friend.mutate(at, "tickChecklistItem", "", input).await?;
        }
    }
    Ok(sample("a packing list", &list["shortId"]))
}

/// Three people vote; one day suits most of them.
async fn poll(demo: &Demo<'_>) -> Result<Sample, Failure> {
    let made = demo.ago(1, 0);
    let days = [12, 13, 19].map(|days| json!({ "day": demo.ago(-days, 0).date_naive() }));
    let input = json!({
        "name": "Trip to the lake", "viewPasscode": VIEW, "adminPasscode": ADMIN, "voterName": "Ann",
        "poll": {
            "question": "Which day suits you?", "times": days, "allowsSeveral": true, "allowsMaybe": true,
            "closesAt": demo.ago(-7, 0),
        },
    });
    let selection = "shareable { shortId ... on Poll { options { id } } } token { token }";
    let local = demo.local();
    let created = local.mutate(made, "createShareable", selection, input);
    let created = created.await?;
    let poll = &created["shareable"];
    let mut token = created["token"]["token"].clone();
    let votes: [(&str, &[usize], &[usize], _); 3] = [
        ("Ann", &[0, 1], &[2], None),
        ("Bob", &[1], &[], Some("The 1:30 train, please.")),
        ("Cleo", &[1, 2], &[0], None),
    ];
    for (hours, (name, yes, maybe, comment)) in (0_i64..).zip(votes) {
        let at = made + TimeDelta::hours(hours);
        if name != "Ann" {
            token = open(demo, at, &poll["shortId"], name).await?;
        }
        let [yes, maybe] = [yes, maybe].map(|chosen| {
            let ids = chosen.iter().map(|option| &poll["options"][*option]["id"]);
            json!(ids.collect::<Vec<_>>())
        });
        let input = json!({
            "shortId": poll["shortId"], "optionIds": yes, "maybeOptionIds": maybe, "comment": comment,
        });
        let friend = demo.bearer(&token);
        friend.mutate(at, "vote", "", input).await?;
    }
    Ok(sample("a poll of days", &poll["shortId"]))
}

/// The token of somebody who opens a shareable.
async fn open(
    demo: &Demo<'_>,
    at: DateTime<Utc>,
    short_id: &Value,
    name: &str,
) -> Result<Value, Failure> {
    let input = json!({ "shortId": short_id, "passcode": VIEW, "voterName": name });
    let friend = demo.other(name, &[]);
    let opened = friend.mutate(at, "openShareable", "token { token }", input);
    Ok(opened.await?["token"]["token"].take())
}

fn sample(name: &str, short_id: &Value) -> Sample {
    let short_id = short_id.as_str().unwrap_or_default();
    Sample {
        name: name.to_owned(),
        fragment: format!("#/s/{short_id}/{VIEW}"),
        needs: format!("short id {short_id}, view passcode {VIEW}, admin passcode {ADMIN}"),
    }
}
