//! The connector: what each fault does to a request and its answer. Knows no plan.

use std::fmt;
use std::sync::Arc;

use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use serde_json::{Value, json};

use super::{Fault, Faults, Seeded, Tokens};
use crate::requests::{answer, body, operation, read};

/// A connector that fails as its plan says.
pub struct Faulty {
    pub inner: SharedHttpConnector,
    pub faults: Faults,
}

impl fmt::Debug for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Faulty")
    }
}

fn set_body(request: &mut HttpRequest, body: &Value) {
    let text = body.to_string();
    if request.headers().get("content-length").is_some() {
        let length = text.len().to_string();
        request.headers_mut().insert("content-length", length);
    }
    *request.body_mut() = SdkBody::from(text);
}

fn refused(status: u16, code: &str, more: Value) -> HttpConnectorFuture {
    let mut body = json!({
        "__type": format!("com.amazonaws.dynamodb.v20120810#{code}"),
        "message": "a fault of the test's",
    });
    if let (Some(body), Value::Object(more)) = (body.as_object_mut(), more) {
        body.extend(more);
    }
    HttpConnectorFuture::ready(Ok(answer(status, &body)))
}

fn lost() -> ConnectorError {
    ConnectorError::timeout("lost, by the test".into())
}

/// A reason for each item of a transaction, at least one of them not `None`.
fn reasons(request: &HttpRequest, draw: u64) -> Value {
    let items = body(request)["TransactItems"]
        .as_array()
        .map_or(1, Vec::len);
    let mut random = Seeded::of(draw);
    let sure = random.below(items as u64) as usize;
    let reasons: Vec<_> = (0..items)
        .map(|i| match random.below(3) {
            0 if i != sure => json!({ "Code": "None" }),
            1 => json!({ "Code": "ThrottlingError", "Message": "slower" }),
            _ => json!({ "Code": "TransactionConflict", "Message": "busy" }),
        })
        .collect();
    json!({ "CancellationReasons": reasons })
}

/// How many items a transaction has.
fn items_of(request: &HttpRequest) -> usize {
    let request = body(request);
    request["TransactItems"].as_array().map_or(1, Vec::len)
}

/// The item of a transaction at this place has this reason, and the others have none.
fn reasons_of(request: &HttpRequest, at: usize, code: &str) -> Value {
    let mut reasons = vec![json!({ "Code": "None" }); items_of(request)];
    reasons[at] = json!({ "Code": code, "Message": "a fault of the test's" });
    json!({ "CancellationReasons": reasons })
}

fn broken(kind: std::io::ErrorKind) -> HttpConnectorFuture {
    let error = std::io::Error::new(kind, "a fault of the test's");
    HttpConnectorFuture::ready(Err(ConnectorError::io(error.into())))
}

/// Takes the second half of a batch out of a request: what is left of it, and what goes unprocessed.
fn halve(request: &Value) -> (Value, Value) {
    let mut kept = request.clone();
    let mut left = json!({});
    let Some(tables) = kept["RequestItems"].as_object_mut() else {
        return (kept, left);
    };
    for (table, asked) in tables.iter_mut() {
        let list = match asked.get_mut("Keys") {
            Some(keys) => keys.as_array_mut(),
            None => asked.as_array_mut(),
        };
        let rest = list.map(|list| list.split_off(list.len() / 2));
        let rest = json!(rest.unwrap_or_default());
        left[table] = match asked.get("Keys") {
            Some(_) => {
                let mut whole = asked.clone();
                whole["Keys"] = rest;
                whole
            }
            None => rest,
        };
    }
    tables.retain(|_, asked| {
        let list = asked.get("Keys").unwrap_or(asked);
        list.as_array().is_some_and(|list| !list.is_empty())
    });
    (kept, left)
}

async fn unprocessed(
    inner: SharedHttpConnector,
    mut request: HttpRequest,
    operation: &str,
) -> Result<HttpResponse, ConnectorError> {
    let (kept, left) = halve(&body(&request));
    let nothing = kept["RequestItems"]
        .as_object()
        .is_none_or(|tables| tables.is_empty());
    let mut answered = if nothing {
        json!({ "Responses": {} })
    } else {
        set_body(&mut request, &kept);
        let response = inner.call(request).await?;
        let bytes = read(response).await?;
        serde_json::from_slice(&bytes).expect("the store answers JSON")
    };
    let name = match operation {
        "BatchGetItem" => "UnprocessedKeys",
        _ => "UnprocessedItems",
    };
    answered[name] = left;
    Ok(answer(200, &answered))
}

impl HttpConnector for Faulty {
    fn call(&self, mut request: HttpRequest) -> HttpConnectorFuture {
        let operation = operation(&request);
        let invocation = request.headers().get("amz-sdk-invocation-id");
        let (fault, draw, tokens) = self.faults.fate(&operation, invocation.unwrap_or_default());
        let is_forgotten = tokens == Tokens::Stripped || fault == Some(Fault::Forgotten);
        if is_forgotten && operation == "TransactWriteItems" {
            let mut body = body(&request);
            if let Some(body) = body.as_object_mut() {
                body.remove("ClientRequestToken");
            }
            set_body(&mut request, &body);
        }
        let inner = self.inner.clone();
        if self.faults.holds(&operation) {
            let gate = Arc::clone(&self.faults.gate);
            return HttpConnectorFuture::new(async move {
                gate.held.notify_one();
                gate.released.notified().await;
                inner.call(request).await
            });
        }
        match fault {
            // A request without credentials is not sent at all.
            None | Some(Fault::Forgotten | Fault::NoCredentials) => inner.call(request),
            Some(Fault::Refused(status, code)) => refused(status, code, json!({})),
            Some(Fault::CanceledFor(code)) => {
                let reasons = reasons_of(&request, 0, code);
                refused(400, "TransactionCanceledException", reasons)
            }
            Some(Fault::CanceledForLast(code)) => {
                let last = items_of(&request).saturating_sub(1);
                let reasons = reasons_of(&request, last, code);
                refused(400, "TransactionCanceledException", reasons)
            }
            Some(Fault::Garbled(status)) => {
                let mut garbled = answer(status, &json!({}));
                *garbled.body_mut() = SdkBody::from("<html>a fault of the test's</html>");
                HttpConnectorFuture::ready(Ok(garbled))
            }
            Some(Fault::Unreachable) => broken(std::io::ErrorKind::ConnectionRefused),
            Some(Fault::Reset) => broken(std::io::ErrorKind::ConnectionReset),
            Some(Fault::DoneThenInternal) => HttpConnectorFuture::new(async move {
                inner.call(request).await?;
                refused(500, "InternalServerError", json!({})).await
            }),
            Some(Fault::Throttled) => refused(400, "ThrottlingException", json!({})),
            Some(Fault::Internal) => refused(500, "InternalServerError", json!({})),
            Some(Fault::Canceled) => {
                let reasons = reasons(&request, draw);
                refused(400, "TransactionCanceledException", reasons)
            }
            Some(Fault::LostRequest) => HttpConnectorFuture::ready(Err(lost())),
            Some(Fault::LostAnswer) => HttpConnectorFuture::new(async move {
                inner.call(request).await?;
                Err(lost())
            }),
            Some(Fault::CutAnswer) => HttpConnectorFuture::new(async move {
                let response = inner.call(request).await?;
                let bytes = read(response).await?;
                let half = bytes.get(..bytes.len() / 2).unwrap_or_default().to_vec();
                let mut cut = answer(200, &json!({}));
                *cut.body_mut() = SdkBody::from(half);
                Ok(cut)
            }),
            Some(Fault::Unprocessed) => {
                HttpConnectorFuture::new(
                    async move { unprocessed(inner, request, &operation).await },
                )
            }
            Some(Fault::Slow) => HttpConnectorFuture::new(async move {
                for _ in 0..draw % 50 {
                    tokio::task::yield_now().await;
                }
                inner.call(request).await
            }),
        }
    }
}
