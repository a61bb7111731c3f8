//! DynamoDB's rule for transactions that meet, which the embedded store does not need, having one writer:
//! while a TransactWriteItems works on an item, another one that names it is cancelled with
//! TransactionConflict. Calls take as long here as they would over a network.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::http::StatusCode;
use aws_smithy_types::body::SdkBody;
use serde_json::{Value, json};

/// How long a read takes.
pub const READ: Duration = Duration::from_millis(4);
/// How long a transaction takes, and keeps its items from others.
pub const TRANSACTION: Duration = Duration::from_millis(10);

/// A store behind the rule.
#[derive(Clone)]
pub struct Conflicting {
    inner: SharedHttpConnector,
    /// The keys, as JSON, that transactions are at work on.
    busy: Arc<Mutex<HashSet<String>>>,
}

impl Conflicting {
    pub fn new(inner: SharedHttpConnector) -> Self {
        Self {
            inner,
            busy: Arc::default(),
        }
    }
}

impl fmt::Debug for Conflicting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Conflicting")
    }
}

impl HttpConnector for Conflicting {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let this = self.clone();
        HttpConnectorFuture::new(async move {
            let target = request.headers().get("x-amz-target").unwrap_or_default();
            if !target.ends_with(".TransactWriteItems") {
                tokio::time::sleep(READ).await;
                return this.inner.call(request).await;
            }
            let keys = keys(request.body().bytes().unwrap_or_default());
            if let Some(refusal) = this.take(&keys) {
                tokio::time::sleep(READ).await;
                return Ok(refusal);
            }
            tokio::time::sleep(TRANSACTION).await;
            let answer = this.inner.call(request).await;
            let mut busy = this.busy.lock().expect("nobody panics with it");
            keys.iter().for_each(|key| {
                busy.remove(key);
            });
            answer
        })
    }
}

impl Conflicting {
    /// Takes the items, or answers as DynamoDB does where others have one of them.
    fn take(&self, keys: &[String]) -> Option<HttpResponse> {
        let mut busy = self.busy.lock().expect("nobody panics with it");
        if !keys.iter().any(|key| busy.contains(key)) {
            busy.extend(keys.iter().cloned());
            return None;
        }
        let reason = |key: &String| {
            if busy.contains(key) {
                json!({ "Code": "TransactionConflict",
        "Message": "Transaction is ongoing for the item" })
            } else {
                json!({ "Code": "None" })
            }
        };
        let reasons: Vec<_> = keys.iter().map(reason).collect();
        let body = json!({
            "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
            "Message": "Transaction cancelled, please refer cancellation reasons for specific reasons",
            "CancellationReasons": reasons,
        });
        let status = StatusCode::try_from(400).expect("a status");
        Some(HttpResponse::new(status, SdkBody::from(body.to_string())))
    }
}

/// The keys that a transaction names, in its order.
fn keys(body: &[u8]) -> Vec<String> {
    let body: Value = serde_json::from_slice(body).expect("the SDK sends JSON");
    let items = body["TransactItems"].as_array().expect("items");
    let key = |item: &Value| {
        let action = item.as_object().and_then(|item| item.values().next());
        let action = action.expect("an action");
        let named = action.get("Key").or_else(|| action.get("Item"));
        let named = named.expect("a key or an item");
        format!("{} {}", named["PK"], named["SK"])
    };
    items.iter().map(key).collect()
}
