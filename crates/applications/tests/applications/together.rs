//! One update of fields, status and stages: every combination of its parts, valid and not.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::ask::{Hands, named, start, with};
use crate::support::Api;

/// What an update can do at once, and the mutation that does it alone.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    Fields,
    Status,
    Complete,
    Add,
}

const PARTS: [Part; 4] = [Part::Fields, Part::Status, Part::Complete, Part::Add];

/// Two stages, the second without a date.
const STAGES: [&str; 2] = [
    "11111111-2222-4333-8444-000000000001",
    "11111111-2222-4333-8444-000000000002",
];
const ADDED: &str = "11111111-2222-4333-8444-000000000003";

impl Part {
    /// The fields of the update.
    fn input(self) -> Value {
        match self {
            Part::Fields => json!({ "notes": "The recruiter called", "nextAction": "Prepare" }),
            Part::Status => json!({ "status": "INTERVIEWING" }),
            Part::Complete => {
                let first = json!({ "id": STAGES[0], "performanceRating": 4 });
                json!({ "completeInterviewStages": [first, { "id": STAGES[1], "completedDate": "2026-11-19" }] })
            }
            Part::Add => {
                let added = json!({ "stageId": ADDED, "name": "On site", "order": 1,
                    "scheduledAt": "2026-12-01T09:30:00+01:00" });
                json!({ "addInterviewStages": [added] })
            }
        }
    }

    /// The same with rules that are broken, and their fields in the order of the answer.
    fn broken(self) -> (Value, Vec<&'static str>) {
        match self {
            Part::Fields => (
                json!({ "skillsMatch": 6, "companyName": " " }),
                vec!["companyName", "skillsMatch"],
            ),
            Part::Status => (json!({ "dateApplied": "0000-00-00" }), vec!["dateApplied"]),
            Part::Complete => (
                json!({ "completeInterviewStages": [{ "id": STAGES[0] }, { "id": "nothing" },
                    { "id": STAGES[1], "performanceRating": 9 }] }),
                vec![
                    "completeInterviewStages.1.id",
                    "completeInterviewStages.2.performanceRating",
                ],
            ),
            Part::Add => (
                json!({ "addInterviewStages": [{ "name": "Talk" }, { "name": "" },
                    { "stageId": STAGES[0], "name": "Other" }] }),
                vec!["addInterviewStages.1.name", "addInterviewStages.2.stageId"],
            ),
        }
    }

    /// Does it with mutations of their own.
    async fn alone(self, api: &Api, id: &str) {
        let application = json!({ "applicationId": id });
        let input = self.input();
        match self {
            Part::Fields | Part::Status => {
                api.update(id, input).await;
            }
            Part::Complete => {
                for stage in input["completeInterviewStages"].as_array().unwrap() {
                    let stage = with(stage.clone(), application.clone());
                    api.done("completeInterviewStage", stage).await;
                }
            }
            Part::Add => {
                api.add_stage(id, input["addInterviewStages"][0].clone())
                    .await;
            }
        }
    }
}

/// Every combination of the parts but none.
fn combinations() -> Vec<Vec<Part>> {
    let chosen = |set: usize| {
        let parts = PARTS.iter().enumerate();
        let parts = parts.filter(move |(at, _)| set & (1 << at) != 0);
        parts.map(|(_, part)| *part).collect()
    };
    (1..1 << PARTS.len()).map(chosen).collect()
}

fn merged(id: &str, inputs: impl IntoIterator<Item = Value>) -> Value {
    inputs.into_iter().fold(json!({ "id": id }), with)
}

async fn application(api: &Api) -> String {
    let made = api
        .create(with(named("Visa"), json!({ "status": "APPLIED" })))
        .await;
    let id = made["id"].as_str().unwrap().to_owned();
    for (stage, name) in STAGES.iter().zip(["Phone screen", "Talk"]) {
        api.add_stage(&id, json!({ "stageId": stage, "name": name }))
            .await;
    }
    id
}

/// An application without what differs between two of them: its ids, its version and its times.
async fn content(api: &Api, id: &str) -> Value {
    let mut read = api.read(id).await;
    let fields = read.as_object_mut().unwrap();
    for field in [
        "id",
        "version",
        "updatedAt",
        "createdAt",
        "statusSince",
        "history",
    ] {
        fields.remove(field);
    }
    for stage in fields["interviewStages"].as_array_mut().unwrap() {
        stage.as_object_mut().unwrap().remove("id");
    }
    read
}

fn paths(payload: &Value) -> Vec<String> {
    let errors = payload["userErrors"].as_array().unwrap().iter();
    let path = |error: &Value| {
        let parts = error["field"].as_array().unwrap().iter();
        let parts: Vec<_> = parts.map(|part| part.as_str().unwrap()).collect();
        parts.join(".")
    };
    errors.map(path).collect()
}

async fn started() -> (Api, Hands) {
    let (api, hands) = start().await;
    api.create(named("The first")).await;
    (api, hands)
}

#[tokio::test]
async fn an_update_with_stages_is_one_version_of_all_of_it() {
    for parts in combinations() {
        let (api, hands) = started().await;
        let (id, other) = (application(&api).await, application(&api).await);
        hands.go(7_200_000);
        for part in &parts {
            part.alone(&api, &other).await;
        }
        let version = api.read(&id).await["version"].clone();
        let inputs = parts.iter().map(|part| part.input());
        let input = with(merged(&id, inputs), json!({ "expectedVersion": version }));
        api.calls.reset();
        let done = api.done("updateApplication", input.clone()).await;
        assert_eq!(api.calls.counts()["TransactWriteItems"], 1, "{parts:?}");
        assert_eq!(
            done["application"]["version"],
            version.as_i64().unwrap() + 1
        );
        let read = api.read(&id).await;
        assert_eq!(
            content(&api, &id).await,
            content(&api, &other).await,
            "{parts:?}"
        );
        assert_eq!(
            done["application"]["interviewStages"], read["interviewStages"],
            "{parts:?}"
        );
        // The snapshot has the stages of this version.
        const SNAPSHOT: &str =
            "query($id: ID!) { application(id: $id) { history(first: 1) { edges { node {
            snapshot { notes status interviewStages { stageId name isCompleted } } } } } } }";
        let entry = api.data(SNAPSHOT, json!({ "id": id })).await;
        let snapshot = &entry["application"]["history"]["edges"][0]["node"]["snapshot"];
        assert_eq!(snapshot["notes"], read["notes"], "{parts:?}");
        assert_eq!(snapshot["status"], read["status"], "{parts:?}");
        let stage_ids = |of: &Value| -> Vec<Value> {
            let stages = of["interviewStages"].as_array().unwrap().iter();
            stages
                .map(|stage| json!([stage["stageId"], stage["isCompleted"]]))
                .collect()
        };
        assert_eq!(stage_ids(snapshot), stage_ids(&read), "{parts:?}");

        // The counters are those of both.
        let stats = api.stats().await;
        assert_eq!(stats.0, 3, "{parts:?}");
        // Sent again, it is refused by its version, unless all of it is there and a stage identifies it.
        let again = api.mutate("updateApplication", input.clone()).await.data();
        let errors = &again["updateApplication"]["userErrors"];
        if parts.contains(&Part::Add) {
            assert_eq!(*errors, json!([]), "{parts:?}");
        } else {
            assert_eq!(errors[0]["code"], "CONFLICT", "{parts:?}");
        }
        // A batch does the same, and nothing changes.
        let mut single = input;
        single.as_object_mut().unwrap().remove("expectedVersion");
        let document =
            "mutation($input: UpdateApplicationsInput!) { updateApplications(input: $input) {
            results { application { version } userErrors { field } } } }";
        let batch = json!({ "input": { "applications": [single] } });
        let batch = api.data(document, batch).await;
        let result = &batch["updateApplications"]["results"][0];
        assert_eq!(result["userErrors"], json!([]), "{parts:?}");
        assert_eq!(
            result["application"]["version"], read["version"],
            "{parts:?}"
        );
    }
}

#[tokio::test]
async fn an_update_with_a_broken_part_changes_nothing_and_names_every_rule() {
    let (api, _) = started().await;
    for parts in combinations() {
        for broken in combinations() {
            if !broken.iter().all(|part| parts.contains(part)) {
                continue;
            }
            let id = application(&api).await;
            let before = api.read(&id).await;
            let inputs = parts.iter().map(|part| {
                if broken.contains(part) {
                    part.broken().0
                } else {
                    part.input()
                }
            });
            let input = merged(&id, inputs);
            let answer = api.mutate("updateApplication", input).await.data();
            let mut expected: Vec<_> = broken.iter().flat_map(|part| part.broken().1).collect();
            let mut found = paths(&answer["updateApplication"]);
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected, "{parts:?} {broken:?}");
            assert_eq!(api.read(&id).await, before, "{parts:?} {broken:?}");
        }
    }
}

#[tokio::test]
async fn stages_of_updates_are_as_many_as_an_application_can_have() {
    let (api, _) = started().await;
    let id = application(&api).await;
    let stage = |_| json!({ "stageId": Uuid::new_v4(), "name": "Talk" });
    let stages: Vec<_> = (0..31).map(stage).collect();
    for (count, refused) in [(31, "addInterviewStages"), (29, "addInterviewStages.28")] {
        let input = json!({ "id": id, "addInterviewStages": stages[..count] });
        let answer = api.mutate("updateApplication", input).await.data();
        assert_eq!(paths(&answer["updateApplication"]), [refused]);
        assert_eq!(
            answer["updateApplication"]["userErrors"][0]["code"],
            "LIMIT_REACHED"
        );
    }
    let all: Vec<_> = STAGES.iter().map(|stage| json!({ "id": stage })).collect();
    let input = json!({ "id": id, "status": "INTERVIEWING", "addInterviewStages": stages[..28],
        "completeInterviewStages": all });
    let done = api.done("updateApplication", input).await;
    let stages = done["application"]["interviewStages"].as_array().unwrap();
    assert_eq!(stages.len(), 30);
}
