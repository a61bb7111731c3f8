//! What is asked, of Trestle and plain in GraphQL and of raw by a path.

use serde_json::{Value, json};

use crate::measure::{Kind, Target};

/// An operation of all servers.
pub struct Operation {
    pub name: &'static str,
    /// The path of raw.
    path: &'static str,
    /// Whether all requests are about one application.
    pub is_contended: bool,
    document: &'static str,
    variables: fn(&str) -> Value,
}

/// The operations, in the order they are measured.
pub const OPERATIONS: [Operation; 6] = [
    Operation {
        name: "detail",
        path: "detail",
        is_contended: false,
        document: "query Detail($id: ID!) { application(id: $id) {
          id version companyName positionTitle status dateApplied jobPostingUrl companyCategory notes
          salaryMin salaryMax isArchived createdAt updatedAt
          interviewStages { name order isCompleted completedDate notes performanceRating }
          history(first: 20) {
            edges { node { sequence description createdAt } }
            pageInfo { hasNextPage }
          }
        } }",
        variables: |id| json!({ "id": id }),
    },
    Operation {
        name: "list",
        path: "list",
        is_contended: false,
        document: "query List { applications(first: 20) {
          edges { node {
            id version companyName positionTitle status dateApplied jobPostingUrl companyCategory updatedAt
          } }
          pageInfo { hasNextPage }
        } }",
        variables: |_| json!({}),
    },
    Operation {
        name: "stages",
        path: "stages",
        is_contended: false,
        document: "query Stages { applications(first: 20) {
          edges { node {
            id version companyName positionTitle status dateApplied jobPostingUrl companyCategory updatedAt
            interviewStages { name order isCompleted completedDate notes performanceRating }
          } }
          pageInfo { hasNextPage }
        } }",
        variables: |_| json!({}),
    },
    update("update", false),
    update("contended", true),
    Operation {
        name: "create",
        path: "create",
        is_contended: false,
        document:
            "mutation Create($input: CreateApplicationInput!) { createApplication(input: $input) {
          application { id version companyName status createdAt }
          userErrors { code message }
        } }",
        variables: |_| json!({ "input": application() }),
    },
];

const fn update(name: &'static str, is_contended: bool) -> Operation {
    Operation {
        name,
        path: "update",
        is_contended,
        document:
            "mutation Update($input: UpdateApplicationInput!) { updateApplication(input: $input) {
          application { id version notes updatedAt }
          userErrors { code message }
        } }",
        variables: |id| json!({ "input": { "id": id, "notes": note() } }),
    }
}

/// An application that is not there yet.
fn application() -> Value {
    json!({
        "id": uuid::Uuid::new_v4(),
        "companyName": "Made under load",
        "positionTitle": "Software Engineer, New Grad",
        "status": "APPLIED",
        "dateApplied": "2026-11-02",
        "jobPostingUrl": "https://jobs.example.com/postings/1",
        "companyCategory": "CONSUMER_TECH",
        "salaryMin": 120_000,
        "salaryMax": 150_000,
    })
}

/// A note that no application has yet.
fn note() -> String {
    format!("Spoke with {}", uuid::Uuid::new_v4())
}

impl Operation {
    /// Sends it once, and answers the body.
    pub async fn send(&self, target: &Target, id: &str) -> String {
        let variables = (self.variables)(id);
        let request = match target.kind {
            Kind::GraphQl => target
                .client
                .post(&target.url)
                .json(&json!({ "query": self.document, "variables": variables })),
            Kind::Raw => target
                .client
                .post(format!("{}/{}", target.url, self.path))
                .json(&variables),
        };
        let response = request.send().await.expect("an answer");
        response.text().await.expect("a body")
    }
}

/// What the servers make anew in an answer to a mutation.
const OWN: [(&str, &[&str]); 2] = [
    (
        "/data/updateApplication/application",
        &["notes", "updatedAt"],
    ),
    ("/data/createApplication/application", &["id", "createdAt"]),
];

/// Makes sure that all answer the same: all that a mutation does not make anew.
pub async fn compare(operation: &Operation, targets: &[Target], id: &str) {
    let mut answers = Vec::new();
    for target in targets {
        let body = operation.send(target, id).await;
        let mut answer: Value = serde_json::from_str(&body).expect("JSON");
        for (place, own) in OWN {
            let Some(application) = answer.pointer_mut(place) else {
                continue;
            };
            for name in own {
                assert!(application[*name].is_string(), "{body}");
                application[*name].take();
            }
        }
        answers.push(answer);
    }
    assert!(answers[0]["data"].is_object(), "{:#}", answers[0]);
    for (answer, target) in answers.iter().zip(targets) {
        assert_eq!(*answer, answers[0], "{} of {}", operation.name, target.name);
    }
}
