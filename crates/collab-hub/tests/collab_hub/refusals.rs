//! What is refused says what is, and what can be done, whatever the state and the request are.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};

use crate::world::{Hub, codes, viewer};

/// A status that can be set, and who sets it of which item.
struct Subject {
    kind: &'static str,
    mutation: &'static str,
    actor: &'static str,
    id: String,
    first: Vec<HashMap<String, AttributeValue>>,
    /// The statuses that are stored.
    statuses: &'static [&'static str],
}

impl Subject {
    /// Makes everything as it was at first, but for the status of the subject.
    async fn store(&self, hub: &Hub, status: &str) {
        for mut item in self.first.clone() {
            let is_kind = item["entityType"].as_s().unwrap() == self.kind;
            if is_kind && (self.kind != "USER" || item["PK"].as_s().unwrap() == "USER#tom") {
                item.insert("status".to_owned(), AttributeValue::S(status.to_owned()));
            }
            let put = hub.0.dynamodb.put_item().table_name("collabhub-main");
            put.set_item(Some(item)).send().await.unwrap();
        }
    }

    async fn set(&self, hub: &Hub, status: &str) -> Value {
        let input = json!({ "id": self.id, "status": status });
        hub.mutate(self.actor, self.mutation, input, "__typename")
            .await
    }
}

async fn town() -> (Hub, Vec<Subject>) {
    let hub = Hub::start().await;
    hub.admin("root").await;
    hub.register("ada", "FOUNDER").await;
    let tom = hub.register("tom", "TALENT").await;
    hub.register("ida", "INVESTOR").await;
    let startup = hub.published("ada", "Sunny", "PUBLIC").await;
    let role = hub.role("ada", &startup, "Engineer").await;
    let (application, access) = (
        hub.apply("tom", &role).await,
        hub.access("ida", &startup, "VIEW_DECK").await,
    );
    let startups: &[_] = &["DRAFT", "PENDING_REVIEW", "ACTIVE", "SUSPENDED"];
    let applications = &[
        "PENDING",
        "REVIEWING",
        "SHORTLISTED",
        "ACCEPTED",
        "REJECTED",
        "WITHDRAWN",
    ];
    let accesses = &["PENDING", "APPROVED", "REJECTED", "REVOKED", "WITHDRAWN"];
    let users = &["ACTIVE", "BANNED", "PENDING_VERIFICATION"];
    let first = hub.items().await;
    let subject = |kind, mutation, actor, id: &String, statuses| Subject {
        kind,
        mutation,
        actor,
        id: id.clone(),
        first: first.clone(),
        statuses,
    };
    let subjects = vec![
        subject("STARTUP", "setStartupStatus", "ada", &startup, startups),
        subject("STARTUP", "setStartupStatus", "root", &startup, startups),
        subject(
            "APPLICATION",
            "reviewApplication",
            "ada",
            &application,
            applications,
        ),
        subject("ACCESS_REQUEST", "decideAccess", "ada", &access, accesses),
        subject("USER", "setUserStatus", "root", &tom, users),
    ];
    (hub, subjects)
}

/// Whether anybody who sets this status can change it.
async fn is_changed_by_anybody(hub: &Hub, subjects: &[Subject], kind: &str, from: &str) -> bool {
    for subject in subjects.iter().filter(|subject| subject.kind == kind) {
        for to in subject.statuses.iter().filter(|to| **to != from) {
            subject.store(hub, from).await;
            if subject.set(hub, to).await["userErrors"] == json!([]) {
                return true;
            }
        }
    }
    false
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_status_that_cannot_follow_is_refused_with_the_state_and_every_next_one() {
    let (hub, subjects) = town().await;
    let mut refused = 0;
    for subject in &subjects {
        for from in subject.statuses {
            for to in subject.statuses {
                subject.store(&hub, from).await;
                let payload = subject.set(&hub, to).await;
                let Some(message) = payload["userErrors"][0]["message"].as_str() else {
                    continue;
                };
                let about = format!(
                    "{} {} from {from} to {to}: {message}",
                    subject.actor, subject.mutation
                );
                if payload["userErrors"][0]["code"] == "INVALID" {
                    continue;
                }
                assert_eq!(codes(&payload), ["CONFLICT"], "{about}");
                assert!(message.contains(from), "{about}");
                refused += 1;
                let Some((_, next)) = message.split_once("must be ") else {
                    let is_changed = is_changed_by_anybody(&hub, &subjects, subject.kind, from);
                    let is_final = !is_changed.await;
                    assert_eq!(message.contains("is final, but"), is_final, "{about}");
                    let next_step = is_final || message.contains("an admin can");
                    assert!(next_step, "{about}");
                    continue;
                };
                let words = next.trim_end_matches('.').split([',', ' ']);
                for next in words.filter(|word| !["", "or"].contains(word)) {
                    subject.store(&hub, from).await;
                    let payload = subject.set(&hub, next).await;
                    assert_eq!(payload["userErrors"], json!([]), "{about}: {next}");
                }
            }
        }
    }
    assert!(refused > 30, "{refused}");
}

#[tokio::test]
async fn a_viewer_who_may_not_act_reads_why_and_what_to_do() {
    let (hub, subjects) = town().await;
    let user = subjects
        .iter()
        .find(|subject| subject.kind == "USER")
        .unwrap();
    for (status, step) in [
        ("PENDING_VERIFICATION", "verifyEmail"),
        ("BANNED", "statusReason"),
        ("", "registerUser"),
    ] {
        let name = if status.is_empty() { "nobody" } else { "tom" };
        if !status.is_empty() {
            user.store(&hub, status).await;
        }
        for document in [
            "{ inbox { edges { cursor } } }",
            "{ startups { edges { cursor } } }",
            "{ people(role: TALENT) { edges { cursor } } }",
            "mutation { createStartup(input: { name: \"x\", tagline: \"x\", description: \"x\", industry: \"x\", location: \"x\" }) { userErrors { code } } }",
            "mutation { markAllNotificationsRead(input: {}) { userErrors { code } } }",
        ] {
            let answer = hub.0.run(&viewer(name), document, Value::Null).await;
            let error = &answer.body["errors"][0];
            assert_eq!(
                error["extensions"]["code"], "FORBIDDEN",
                "{document}: {error}"
            );
            let message = error["message"].as_str().unwrap();
            assert!(
                message.contains(status) && message.contains(step),
                "{document}: {message}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_application_is_ended_in_every_status_by_what_its_refusal_names() {
    let (hub, subjects) = town().await;
    let application = subjects
        .iter()
        .find(|subject| subject.kind == "APPLICATION")
        .unwrap();
    for from in application.statuses {
        for mutation in ["withdrawApplication", "declineApplication"] {
            application.store(&hub, from).await;
            let ended = hub
                .mutate(
                    "tom",
                    mutation,
                    json!({ "id": application.id }),
                    "application { status }",
                )
                .await;
            let is_ended = ended["application"]["status"] == "WITHDRAWN";
            let expected = match *from {
                "REJECTED" => false,
                "ACCEPTED" => mutation == "declineApplication",
                _ => true,
            };
            assert_eq!(is_ended, expected, "{mutation} {from}: {ended}");
            if *from == "ACCEPTED" && !is_ended {
                assert!(ended.to_string().contains("declineApplication"), "{ended}");
            }
        }
    }
}
