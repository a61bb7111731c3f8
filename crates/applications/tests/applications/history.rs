//! History: what changed, told in words, in fields and as the whole application; page by page.

use serde_json::{Value, json};

use crate::ask::{FIELDS, named, start, with};
use crate::support::Api;

/// An application with `entries` history entries: sequence `n` sets the notes to `note n`.
pub async fn with_entries(api: &Api, entries: usize) -> String {
    let id = api.create(named("Visa")).await["id"]
        .as_str()
        .unwrap()
        .to_owned();
    for i in 2..=entries {
        api.update(&id, json!({ "notes": format!("note {i}") }))
            .await;
    }
    id
}

/// A page of an application's history: its sequences, its page info and its cursors.
async fn page(api: &Api, id: &str, args: Value) -> (Vec<i64>, Value, Vec<Value>) {
    const PAGE: &str = "query($id: ID!, $first: Int, $after: String, $last: Int, $before: String) {
      application(id: $id) { history(first: $first, after: $after, last: $last, before: $before) {
        edges { cursor node { sequence } }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }";
    let data = api.data(PAGE, with(json!({ "id": id }), args)).await;
    let history = &data["application"]["history"];
    let edges = history["edges"].as_array().unwrap();
    let sequence = |edge: &Value| edge["node"]["sequence"].as_i64().unwrap();
    let cursors: Vec<_> = edges.iter().map(|edge| edge["cursor"].clone()).collect();
    let info = &history["pageInfo"];
    assert_eq!(
        info["startCursor"],
        cursors.first().cloned().unwrap_or_default()
    );
    assert_eq!(
        info["endCursor"],
        cursors.last().cloned().unwrap_or_default()
    );
    (edges.iter().map(sequence).collect(), info.clone(), cursors)
}

#[tokio::test]
async fn descriptions_read_like_a_persons_notes() {
    let (api, hands) = start().await;
    let first = json!({ "status": "APPLIED", "notes": "n", "salaryMin": 100_000 });
    let made = api.create(with(named("Visa"), first)).await;
    let id = made["id"].as_str().unwrap();
    let mut expected = vec!["Application created".to_owned()];
    for (changes, description) in [
        (
            json!({ "status": "INTERVIEWING" }),
            "Status changed from applied to interviewing",
        ),
        (
            json!({ "salaryMin": 120_000, "salaryMax": 150_000 }),
            "Salary range set to 120000-150000",
        ),
        (json!({ "salaryMin": null }), "Salary set to at most 150000"),
        (
            json!({ "salaryMin": 1, "salaryMax": null }),
            "Salary set to 1 or more",
        ),
        (json!({ "salaryMin": null }), "Salary range cleared"),
        (json!({ "notes": "other" }), "Notes changed"),
        (json!({ "notes": null }), "Notes cleared"),
        (json!({ "notes": "new" }), "Notes added"),
        (json!({ "skillsMatch": 4 }), "Skills match set to 4"),
        (
            json!({ "skillsMatch": 5 }),
            "Skills match changed from 4 to 5",
        ),
        (
            json!({ "companyCategory": "E_COMMERCE" }),
            "Company category set to e-commerce",
        ),
        (
            json!({ "jobSource": "COMPANY_WEBSITE" }),
            "Job source set to company-website",
        ),
        (
            json!({ "companyUrl": "https://a.example" }),
            "Company URL set to https://a.example",
        ),
        (json!({ "companyUrl": null }), "Company URL cleared"),
        (
            json!({ "companyName": "Visa Inc", "positionTitle": "Lead", "status": "GIVEN_OFFER" }),
            "Company changed from Visa to Visa Inc; Position changed from Engineer to Lead; \
             Status changed from interviewing to given offer",
        ),
        (
            json!({ "status": "UNSUBMITTED" }),
            "Status changed from given offer to unsubmitted; Date applied cleared",
        ),
        (
            json!({ "status": "APPLIED", "offerDueDate": "2026-12-01", "coverLetterRequired": true,
                    "specialRequirements": "none" }),
            "Status changed from unsubmitted to applied; Date applied set to 2026-11-20; Offer due \
             date set to 2026-12-01; Cover letter requirement set to true; Special requirements added",
        ),
    ] {
        hands.go(1000);
        api.update(id, changes).await;
        expected.push(description.to_owned());
    }
    assert_eq!(api.story(id).await, expected);
}

#[tokio::test]
async fn stages_are_told_of_too() {
    let (api, _) = start().await;
    let id = with_entries(&api, 1).await;
    let a = api.add_stage(&id, json!({ "name": "Phone screen" })).await["id"].clone();
    let b = api.add_stage(&id, json!({ "name": "Onsite" })).await["id"].clone();
    let patch = |changes: Value| with(json!({ "id": a }), changes);
    api.done("completeInterviewStage", patch(json!({}))).await;
    api.done(
        "updateInterviewStage",
        patch(json!({ "name": "Phone call", "notes": "went well" })),
    )
    .await;
    api.done(
        "updateInterviewStage",
        patch(json!({ "notes": null, "performanceRating": 4 })),
    )
    .await;
    api.done(
        "updateInterviewStage",
        patch(json!({ "performanceRating": null, "notes": "x" })),
    )
    .await;
    api.done("updateInterviewStage", patch(json!({ "notes": "y" })))
        .await;
    let order = json!({ "applicationId": id, "stageIds": [b, a] });
    api.done("reorderInterviewStages", order).await;
    api.done("removeInterviewStage", json!({ "id": b })).await;
    let expected = [
        "Interview stage \"Phone screen\" added",
        "Interview stage \"Onsite\" added",
        "Interview stage \"Phone screen\" completed",
        "Interview stage \"Phone screen\" renamed to \"Phone call\"; Notes added to interview stage \
         \"Phone call\"",
        "Notes of interview stage \"Phone call\" cleared; Interview stage \"Phone call\" rated 4",
        "Notes added to interview stage \"Phone call\"; Rating of interview stage \"Phone call\" cleared",
        "Notes of interview stage \"Phone call\" changed",
        "Interview stages reordered",
        "Interview stage \"Onsite\" removed",
    ];
    assert_eq!(api.story(&id).await[1..], expected);
}

#[tokio::test]
async fn changes_tell_each_field_before_and_after() {
    let (api, _) = start().await;
    let made = api
        .create(with(named("Visa"), json!({ "skillsMatch": 3 })))
        .await;
    let id = made["id"].as_str().unwrap();
    let changes = json!({ "status": "GIVEN_OFFER", "skillsMatch": null, "notes": "n" });
    api.update(id, changes).await;
    let stage = api.add_stage(id, json!({ "name": "Onsite" })).await["id"].clone();
    api.done("completeInterviewStage", json!({ "id": stage }))
        .await;
    api.done("removeInterviewStage", json!({ "id": stage }))
        .await;
    let read = api.read(id).await;
    let change = |field: &str, before: Value, after: Value, stage: &Value| json!({ "field": field, "before": before, "after": after, "interviewStageId": stage });
    let none = json!(null);
    let first = json!([
        change("companyName", json!(null), json!("Visa"), &none),
        change("positionTitle", json!(null), json!("Engineer"), &none),
        change("status", json!(null), json!("UNSUBMITTED"), &none),
        change("skillsMatch", json!(null), json!("3"), &none),
        change("isArchived", json!(null), json!("false"), &none),
    ]);
    let second = json!([
        change("status", json!("UNSUBMITTED"), json!("GIVEN_OFFER"), &none),
        change("dateApplied", json!(null), json!("2026-11-20"), &none),
        change("skillsMatch", json!("3"), json!(null), &none),
        change("notes", json!(null), json!("n"), &none),
    ]);
    let added = json!([
        change("name", json!(null), json!("Onsite"), &stage),
        change("order", json!(null), json!("0"), &stage),
        change("isCompleted", json!(null), json!("false"), &stage),
    ]);
    let completed = json!([
        change("isCompleted", json!("false"), json!("true"), &stage),
        change("completedDate", json!(null), json!("2026-11-20"), &stage),
    ]);
    let removed = json!([
        change("name", json!("Onsite"), json!(null), &stage),
        change("order", json!("0"), json!(null), &stage),
        change("isCompleted", json!("true"), json!(null), &stage),
        change("completedDate", json!("2026-11-20"), json!(null), &stage),
    ]);
    let edges = read["history"]["edges"].as_array().unwrap();
    let found: Vec<_> = edges
        .iter()
        .rev()
        .map(|edge| edge["node"]["changes"].clone())
        .collect();
    assert_eq!(found, [first, second, added, completed, removed]);
}

#[tokio::test]
async fn a_snapshot_is_the_whole_application_as_it_was() {
    let (api, hands) = start().await;
    let full = json!({ "status": "APPLIED", "salaryMin": 1, "companyCategory": "AI" });
    let mut states = vec![api.create(with(named("Visa"), full)).await];
    let id = states[0]["id"].as_str().unwrap().to_owned();
    hands.go(500);
    states.push(
        api.update(&id, json!({ "notes": "n", "companyCategory": null }))
            .await,
    );
    let input = json!({ "applicationId": id, "name": "Onsite", "performanceRating": 1 });
    states.push(api.done("addInterviewStage", input).await["application"].clone());
    states.push(api.done("archiveApplication", json!({ "id": id })).await["application"].clone());
    let fields = FIELDS.replacen("id ", "", 1);
    let document = format!(
        "query($id: ID!) {{ application(id: $id) {{ history {{ edges {{ node {{
           id entryId sequence createdAt snapshot {{ {fields} interviewStages {{
             stageId name order isCompleted completedDate notes performanceRating }} }} }} }} }} }} }}"
    );
    let data = api.data(&document, json!({ "id": id })).await;
    let edges = data["application"]["history"]["edges"].as_array().unwrap();
    assert_eq!(edges.len(), 4);
    for (edge, state) in edges.iter().rev().zip(&states) {
        let node = &edge["node"];
        assert_eq!(node["sequence"], state["version"]);
        assert_eq!(node["createdAt"], state["updatedAt"]);
        let mut expected = state.clone();
        expected.as_object_mut().unwrap().shift_remove("id");
        for stage in expected["interviewStages"].as_array_mut().unwrap() {
            stage.as_object_mut().unwrap().shift_remove("id");
        }
        assert_eq!(node["snapshot"], expected);
    }
}

#[tokio::test]
async fn a_history_pages_both_ways() {
    let (api, _) = start().await;
    let id = with_entries(&api, 7).await;
    let flags = |info: &Value| (info["hasPreviousPage"] == true, info["hasNextPage"] == true);
    let (sequences, info, _) = page(&api, &id, json!({})).await;
    assert_eq!(
        (sequences, flags(&info)),
        (vec![7, 6, 5, 4, 3, 2, 1], (false, false))
    );
    let (sequences, info, _) = page(&api, &id, json!({ "first": 7 })).await;
    assert_eq!((sequences.len(), flags(&info)), (7, (false, false)));

    let (sequences, info, first) = page(&api, &id, json!({ "first": 3 })).await;
    assert_eq!((sequences, flags(&info)), (vec![7, 6, 5], (false, true)));
    let (sequences, info, _) = page(&api, &id, json!({ "first": 3, "after": first[2] })).await;
    assert_eq!((sequences, flags(&info)), (vec![4, 3, 2], (true, true)));
    let end = json!({ "first": 3, "after": info["endCursor"] });
    let (sequences, info, last) = page(&api, &id, end).await;
    assert_eq!((sequences, flags(&info)), (vec![1], (true, false)));
    let (sequences, ..) = page(&api, &id, json!({ "first": 3, "after": last[0] })).await;
    assert_eq!(sequences, [0_i64; 0]);

    let (sequences, info, cursors) = page(&api, &id, json!({ "last": 3 })).await;
    assert_eq!((sequences, flags(&info)), (vec![3, 2, 1], (true, false)));
    let (sequences, info, _) = page(&api, &id, json!({ "last": 3, "before": cursors[0] })).await;
    assert_eq!((sequences, flags(&info)), (vec![6, 5, 4], (true, true)));
    let start = json!({ "last": 3, "before": info["startCursor"] });
    let (sequences, info, _) = page(&api, &id, start).await;
    assert_eq!((sequences, flags(&info)), (vec![7], (false, true)));
    let (sequences, ..) = page(&api, &id, json!({ "before": first[0] })).await;
    assert_eq!(sequences, [0_i64; 0]);
}

#[tokio::test]
async fn changes_are_right_at_the_edges_of_every_page() {
    let (api, _) = start().await;
    let id = with_entries(&api, 6).await;
    const PAGE: &str = "query($id: ID!, $first: Int, $after: String, $last: Int, $before: String) {
      application(id: $id) { history(first: $first, after: $after, last: $last, before: $before) {
        edges { cursor node { sequence changes { field before after } } } } } }";
    let (.., cursors) = page(&api, &id, json!({})).await;
    for args in [
        json!({ "first": 2 }),
        json!({ "first": 2, "after": cursors[0] }),
        json!({ "last": 2 }),
        json!({ "last": 2, "before": cursors[3] }),
        json!({ "first": 1, "after": cursors[4] }),
    ] {
        let data = api
            .data(PAGE, with(json!({ "id": id }), args.clone()))
            .await;
        let edges = data["application"]["history"]["edges"].as_array().unwrap();
        assert!(!edges.is_empty());
        for edge in edges {
            let sequence = edge["node"]["sequence"].as_i64().unwrap();
            let note = |n: i64| {
                if n > 1 {
                    json!(format!("note {n}"))
                } else {
                    json!(null)
                }
            };
            let changes = &edge["node"]["changes"];
            let expected = json!([{ "field": "notes", "before": note(sequence - 1), "after": note(sequence) }]);
            match sequence {
                1 => assert_eq!(changes.as_array().unwrap().len(), 4),
                _ => assert_eq!(*changes, expected, "{sequence} in {args}"),
            }
        }
    }
}

#[tokio::test]
async fn a_wrong_page_of_history_is_an_error_at_its_place() {
    let (api, _) = start().await;
    let id = with_entries(&api, 3).await;
    let other = with_entries(&api, 3).await;
    let (.., foreign) = page(&api, &other, json!({})).await;
    let (.., own) = page(&api, &id, json!({})).await;
    let own = own[1].as_str().unwrap();
    let mut altered: Vec<String> = (0..own.len())
        .map(|i| {
            let to = if &own[i..=i] == "A" { "B" } else { "A" };
            format!("{}{to}{}", &own[..i], &own[i + 1..])
        })
        .collect();
    altered.extend(["", "nonsense", &own[1..], &format!("{own}A")].map(str::to_owned));
    altered.push(foreign[1].as_str().unwrap().to_owned());
    const PAGE: &str = "query($id: ID!, $first: Int, $after: String, $last: Int, $before: String) {
      application(id: $id) { companyName
        history(first: $first, after: $after, last: $last, before: $before) { edges { cursor } } } }";
    let mut wrong = vec![
        json!({ "first": -1 }),
        json!({ "first": 101 }),
        json!({ "last": -1 }),
        json!({ "first": 1, "last": 1 }),
        json!({ "first": 1, "before": own }),
        json!({ "after": own, "before": own }),
    ];
    for cursor in altered {
        wrong.push(json!({ "after": cursor }));
        wrong.push(json!({ "before": cursor }));
    }
    for args in wrong {
        let answer = api.run(PAGE, with(json!({ "id": id }), args.clone())).await;
        assert_eq!(answer.code(), "BAD_USER_INPUT", "{args}");
        assert_eq!(
            answer.body["errors"][0]["path"],
            json!(["application", "history"])
        );
        let rest = json!({ "companyName": "Visa", "history": null });
        assert_eq!(answer.body["data"]["application"], rest, "{args}");
    }
}
