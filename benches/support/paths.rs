//! The hot paths: what clients ask most. The same ones are timed and have their instructions counted.

use serde_json::{Value, json};
use trestle_dynamodb::Embedded;

use super::documents::{DETAIL, LIST, LIST_WITH_STAGES, UPDATE};
use super::fill::{self, Template};
use super::{Api, Question, stepping};

/// What the table holds besides: more than any page, and nothing that a path's cost depends on.
const APPLICATIONS: usize = 100;
/// The history of the application that is read and changed.
const HISTORY: usize = 40;

/// One path: the requests that take it, sent in turn.
pub struct Path {
    pub name: &'static str,
    questions: Vec<Question>,
}

/// The service on a store in memory, and every path.
pub struct Paths {
    pub api: Api,
    pub all: Vec<Path>,
    /// The application that the paths read and change.
    pub id: String,
}

impl Paths {
    pub async fn new() -> Self {
        let store = Embedded::memory().expect("a store in memory");
        let api = Api::new(store.client(), stepping(2026)).await;
        fill::applications(&api, APPLICATIONS).await;
        let template = Template::with_history(HISTORY).await;
        let mut ids = template.put(&api, HISTORY, 1).await;
        let id = ids.pop().expect("one");
        let all = paths(&id);
        for path in &all {
            for question in &path.questions {
                api.ask(question).await;
            }
        }
        Self { api, all, id }
    }

    /// The path of this name.
    pub fn named(&self, name: &str) -> &Path {
        let found = self.all.iter().find(|path| path.name == name);
        found.unwrap_or_else(|| panic!("there is no path {name}"))
    }
}

impl Path {
    /// Takes it once: of the requests, that of this turn. Answers the answer's length.
    pub async fn take(&self, api: &Api, turn: usize) -> usize {
        let question = &self.questions[turn % self.questions.len()];
        api.send(question).await.len()
    }
}

fn paths(id: &str) -> Vec<Path> {
    let one = |document, variables: Value| vec![Question::new(document, &variables)];
    let notes = |notes: &str| {
        let input = json!({ "id": id, "notes": notes });
        Question::new(UPDATE, &json!({ "input": input }))
    };
    vec![
        Path {
            name: "detail",
            questions: one(DETAIL, json!({ "id": id })),
        },
        Path {
            name: "list of 20",
            questions: one(LIST, json!({ "first": 20 })),
        },
        Path {
            name: "list of 20 with stages",
            questions: one(LIST_WITH_STAGES, json!({ "first": 20 })),
        },
        Path {
            name: "update",
            questions: vec![notes("What was said."), notes("What was asked.")],
        },
        Path {
            name: "document-cache hit",
            questions: vec![remembered()],
        },
    ]
}

/// A document of some length that is remembered, of which an operation runs that asks for nothing.
fn remembered() -> Question {
    let document = format!("{DETAIL} query Nothing {{ __typename }}");
    Question::operation(&document, "Nothing")
}
