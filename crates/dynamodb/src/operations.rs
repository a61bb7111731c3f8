//! The operations of DynamoDB that the embedded store does: a request's JSON to dynoxide, and the answer's JSON back.

use dynoxide::{Database, DynoxideError};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What the SDK is told to put where it wants an idempotency token. The store would remember every token
/// for ten minutes and walk them all on each transaction; in process no answer is lost, so none is needed.
pub(super) const NO_TOKEN: &str = "trestle-embedded-no-token";

/// Whether an operation may change the store.
pub(super) fn may_write(operation: &str) -> bool {
    !matches!(
        operation,
        "BatchGetItem"
            | "DescribeStream"
            | "DescribeTable"
            | "DescribeTimeToLive"
            | "GetItem"
            | "GetRecords"
            | "GetShardIterator"
            | "ListTables"
            | "Query"
            | "Scan"
            | "TransactGetItems"
    )
}

pub(super) fn dispatch(
    database: &Database,
    operation: &str,
    body: &[u8],
) -> Result<String, DynoxideError> {
    match operation {
        "BatchGetItem" => run(body, |request| database.batch_get_item(request)),
        "BatchWriteItem" => run(body, |request| database.batch_write_item(request)),
        "CreateTable" => run(body, |request| database.create_table(request)),
        "DeleteItem" => run(body, |request| database.delete_item(request)),
        "DeleteTable" => run(body, |request| database.delete_table(request)),
        "DescribeStream" => run(body, |request| database.describe_stream(request)),
        "DescribeTable" => run(body, |request| database.describe_table(request)),
        "DescribeTimeToLive" => run(body, |request| database.describe_time_to_live(request)),
        "GetItem" => run(body, |request| database.get_item(request)),
        "GetRecords" => run(body, |request| database.get_records(request)),
        "GetShardIterator" => run(body, |request| database.get_shard_iterator(request)),
        "ListTables" => run(body, |request| database.list_tables(request)),
        "PutItem" => run(body, |request| database.put_item(request)),
        "Query" => run(body, |request| database.query(request)),
        "Scan" => run(body, |request| database.scan(request)),
        "TransactGetItems" => run(body, |request| database.transact_get_items(request)),
        "TransactWriteItems" => run(
            body,
            |mut request: dynoxide::actions::transact_write_items::TransactWriteItemsRequest| {
                request
                    .client_request_token
                    .take_if(|token| token == NO_TOKEN);
                database.transact_write_items(request)
            },
        ),
        "UpdateItem" => run(body, |request| database.update_item(request)),
        "UpdateTable" => run(body, |request| database.update_table(request)),
        "UpdateTimeToLive" => run(body, |request| database.update_time_to_live(request)),
        other => Err(DynoxideError::ValidationException(format!(
            "The embedded store does not do {other}"
        ))),
    }
}

fn run<I: DeserializeOwned, O: Serialize>(
    body: &[u8],
    operation: impl FnOnce(I) -> Result<O, DynoxideError>,
) -> Result<String, DynoxideError> {
    let mut json = serde_json::Deserializer::from_slice(body);
    let request = I::deserialize(&mut json)
        .map_err(|e| DynoxideError::SerializationException(e.to_string()))?;
    let answer = operation(request)?;
    serde_json::to_string(&answer).map_err(|e| DynoxideError::InternalServerError(e.to_string()))
}
