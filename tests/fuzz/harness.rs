//! A server for many cases, and what every answer has to be.

use std::fmt::Debug;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, Once};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use crate::support::Api;

pub type Checked = Result<(), TestCaseError>;

/// The names of the threads that panicked: each server's own.
static PANICKED: Mutex<Vec<String>> = Mutex::new(Vec::new());
static SERVERS: AtomicUsize = AtomicUsize::new(0);

/// A server with an application, and a runtime for it.
pub struct Fuzzed {
    pub runtime: Runtime,
    name: String,
    pub api: Api,
    /// An application with a stage and three entries.
    pub application: String,
    pub stage: String,
    pub entry: String,
    pub http: reqwest::Client,
}

/// Counts every panic from now on, wherever it is caught.
fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let thread = std::thread::current();
            PANICKED
                .lock()
                .unwrap()
                .extend(thread.name().map(str::to_owned));
            before(panic);
        }));
    });
}

impl Fuzzed {
    pub fn start() -> Self {
        watch();
        let name = format!("server {}", SERVERS.fetch_add(1, SeqCst));
        let runtime = Builder::new_multi_thread()
            .enable_all()
            .worker_threads(2)
            .thread_name(&name)
            .build()
            .unwrap();
        let (api, made) = runtime.block_on(async {
            let api = Api::start().await;
            let made = application(&api, "Visa").await;
            (api, made)
        });
        let [application, stage, entry] = made;
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        Self {
            runtime,
            name,
            api,
            application,
            stage,
            entry,
            http,
        }
    }

    /// Tries so many cases, unless `PROPTEST_CASES` says how many.
    pub fn run<S>(&self, cases: u32, strategy: &S, test: impl AsyncFn(S::Value) -> Checked)
    where
        S: Strategy<Value: Debug>,
    {
        let mut config = Config {
            failure_persistence: None,
            ..Config::default()
        };
        if std::env::var("PROPTEST_CASES").is_err() {
            config.cases = cases;
        }
        config.max_shrink_iters = 300;
        let tried = TestRunner::new(config).run(strategy, |case| {
            let checked = self.runtime.block_on(test(case));
            let mut panicked = PANICKED.lock().unwrap();
            let before = panicked.len();
            panicked.retain(|name| *name != self.name);
            prop_assert_eq!(panicked.len(), before, "a panic");
            drop(panicked);
            checked
        });
        tried.unwrap_or_else(|failure| panic!("{failure}"));
    }

    /// Sends a request and checks what every answer has to be. Answers the body where it is JSON.
    pub async fn send(
        &self,
        request: reqwest::RequestBuilder,
    ) -> Result<Option<Value>, TestCaseError> {
        let response = request.send().await;
        let response = response.map_err(|error| TestCaseError::fail(format!("{error:?}")))?;
        let status = response.status();
        let json = response.headers().get("content-type").is_some_and(|kind| {
            let kind = kind.to_str().unwrap();
            kind.starts_with("application/json") || kind.contains("graphql-response+json")
        });
        let text = response.text().await;
        let text = text.map_err(|error| TestCaseError::fail(format!("{error:?}")))?;
        prop_assert!(status.as_u16() < 500, "{}: {}", status, text);
        let body = json.then(|| serde_json::from_str(&text));
        let body = body
            .transpose()
            .map_err(|error| TestCaseError::fail(format!("{error}: {text}")))?;
        if let Some(body) = &body {
            check_errors(body)?;
        }
        Ok(body)
    }

    /// Runs a document that anyone may send.
    pub async fn ask(&self, query: &str, variables: Value) -> Result<Value, TestCaseError> {
        let body = json!({ "query": query, "variables": variables });
        let answered = self.send(self.http.post(&self.api.url).json(&body)).await?;
        answered.ok_or_else(|| TestCaseError::fail("no JSON"))
    }
}

/// Every error has a code, and none is ours.
fn check_errors(body: &Value) -> Checked {
    for error in body["errors"].as_array().into_iter().flatten() {
        let code = error["extensions"]["code"].as_str();
        prop_assert!(
            code.is_some_and(|code| code != "INTERNAL_SERVER_ERROR"),
            "{}",
            body
        );
        let message = error["message"].as_str().unwrap_or_default();
        prop_assert!(!message.is_empty() && message.len() < 3000, "{}", body);
    }
    prop_assert!(
        body.get("errors").is_some() || body.get("data").is_some(),
        "{}",
        body
    );
    Ok(())
}

/// The codes of an answer's errors.
pub fn codes(body: &Value) -> Vec<&str> {
    let errors = body["errors"].as_array().into_iter().flatten();
    errors
        .filter_map(|error| error["extensions"]["code"].as_str())
        .collect()
}

/// Makes an application with a stage and three entries: its id, the stage's and the newest entry's.
pub async fn application(api: &Api, company: &str) -> [String; 3] {
    const STAGE: &str = "mutation($id: ID!) { addInterviewStage(input: {
      applicationId: $id, name: \"Onsite\", isCompleted: true, performanceRating: 3, notes: \"noted\"
      }) { interviewStage { id } } }";
    const UPDATE: &str =
        "mutation($id: ID!) { updateApplication(input: { id: $id, salaryMax: 2 }) {
      application { history(first: 1) { edges { node { id } } } } } }";
    let id = new_application(api, company).await;
    let added = api.data(STAGE, json!({ "id": id })).await;
    let stage = text(&added["addInterviewStage"]["interviewStage"]["id"]);
    let updated = api.data(UPDATE, json!({ "id": id })).await;
    let history = &updated["updateApplication"]["application"]["history"];
    let entry = text(&history["edges"][0]["node"]["id"]);
    [id, stage, entry]
}

/// Makes an application with nearly every field, and answers its id.
pub async fn new_application(api: &Api, company: &str) -> String {
    const CREATE: &str = "mutation($company: String!) { createApplication(input: {
      companyName: $company, positionTitle: \"Engineer\", status: APPLIED, salaryMin: 1, skillsMatch: 3
      companyUrl: \"https://example.com\", companyCategory: AI, jobSource: FRIEND, notes: \"noted\"
      coverLetterRequired: true, offerDueDate: \"2026-12-01\" }) { application { id } } }";
    let made = api.data(CREATE, json!({ "company": company })).await;
    text(&made["createApplication"]["application"]["id"])
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}
