//! Batches: many keys in few calls, the parts side by side, what was not processed sent again.

use std::collections::{BTreeSet, HashMap};

use aws_sdk_dynamodb::types::{
    DeleteRequest, KeysAndAttributes, PutRequest, ReturnConsumedCapacity, WriteRequest,
};
use futures_util::future::try_join_all;

use super::capacity::{MOST_BATCH, MOST_ITEM, call_span, sending};
use super::expression::Placeholders;
use super::tries::Tries;
use super::{
    CallKind, Consistency, Exhausted, Item, Key, Meter, Projection, Retries, Table, TableError,
};

/// The most keys that one BatchGetItem takes.
const GET_KEYS: usize = 100;
/// The most requests that one BatchWriteItem takes.
const WRITE_REQUESTS: usize = 25;
/// How often what was not processed is sent again while nothing of it gets done.
const RETRIES: usize = 8;

impl Table {
    /// Reads the items with `keys`, in no order; those that are not there are left out. One call for each
    /// 100 distinct keys, sent together, and more only where DynamoDB did not process them all.
    ///
    /// # Errors
    /// [`TableError::Unprocessed`] past the retries; as every call.
    pub async fn batch_get(
        &self,
        keys: impl IntoIterator<Item = Key>,
        projection: &Projection,
        consistency: Consistency,
        meter: &Meter,
    ) -> Result<Vec<Item>, TableError> {
        let mut keys: Vec<_> = keys.into_iter().collect();
        keys.sort_unstable();
        keys.dedup();
        let parts = keys.chunks(GET_KEYS).map(|part| {
            let keys = part
                .iter()
                .map(|key| self.definition.key_item(key))
                .collect();
            self.batch_get_part(keys, projection, consistency, meter)
        });
        Ok(try_join_all(parts).await?.into_iter().flatten().collect())
    }

    async fn batch_get_part(
        &self,
        keys: Vec<Item>,
        projection: &Projection,
        consistency: Consistency,
        meter: &Meter,
    ) -> Result<Vec<Item>, TableError> {
        const OPERATION: &str = "BatchGetItem";
        let mut placeholders = Placeholders::default();
        let projection = placeholders.projection(projection);
        let mut asked = KeysAndAttributes::builder()
            .set_keys(Some(keys))
            .consistent_read(consistency == Consistency::Strong)
            .set_projection_expression(projection)
            .set_expression_attribute_names(placeholders.names())
            .build()
            .map_err(TableError::built)?;
        let mut found = Vec::new();
        let mut retries = Retries::new(RETRIES, meter);
        loop {
            let before = asked.keys.len();
            let request = self
                .client
                .batch_get_item()
                .request_items(self.name(), asked)
                .return_consumed_capacity(ReturnConsumedCapacity::Total);
            // Room for the largest answer, until its size is known.
            let most = before.saturating_mul(MOST_ITEM).min(MOST_BATCH);
            let reserved = meter.reserve(most).await;
            meter.call(CallKind::Read);
            let span = call_span(OPERATION, self.name());
            let answer = sending(request.send(), &span)
                .await
                .map_err(|e| TableError::of(OPERATION, e))?;
            meter.consumed(CallKind::Read, answer.consumed_capacity(), &span);
            reserved.settle(answer.responses.iter().flat_map(|of| of.values()).flatten());
            found.extend(
                answer
                    .responses
                    .into_iter()
                    .flatten()
                    .flat_map(|(_, items)| items),
            );
            let rest = answer
                .unprocessed_keys
                .and_then(|mut rest| rest.remove(self.name()));
            match rest.filter(|rest| !rest.keys.is_empty()) {
                None => return Ok(found),
                Some(rest) => asked = rest,
            }
            let left = asked.keys.len();
            // Only answers without any item use the retries up.
            if left < before {
                retries = Retries::new(RETRIES, meter);
            }
            if let Err(Exhausted) = retries.pause().await {
                return Err(TableError::Unprocessed {
                    operation: OPERATION,
                    left,
                });
            }
        }
    }

    /// Deletes the items with `keys`, which may already be gone. One call for each 25, one after another.
    ///
    /// # Errors
    /// As [`Table::batch_put`].
    pub async fn batch_delete(
        &self,
        keys: impl IntoIterator<Item = Key>,
        meter: &Meter,
    ) -> Result<(), TableError> {
        // DynamoDB refuses a batch that names a key twice.
        let keys: BTreeSet<_> = keys.into_iter().collect();
        let requests = keys.into_iter().map(|key| {
            let request = DeleteRequest::builder()
                .set_key(Some(self.definition.key_item(&key)))
                .build()
                .map_err(TableError::built)?;
            Ok(WriteRequest::builder().delete_request(request).build())
        });
        self.batch_write(requests.collect::<Result<_, TableError>>()?, meter)
            .await
    }

    /// Writes `items` whole, over whatever has their keys. One call for each 25, one after another.
    ///
    /// # Errors
    /// [`TableError::Unprocessed`] past the retries; as every call. Some items may have been written.
    pub async fn batch_put(
        &self,
        items: impl IntoIterator<Item = Item>,
        meter: &Meter,
    ) -> Result<(), TableError> {
        let requests = items.into_iter().map(|item| {
            let request = PutRequest::builder()
                .set_item(Some(item))
                .build()
                .map_err(TableError::built)?;
            Ok(WriteRequest::builder().put_request(request).build())
        });
        self.batch_write(requests.collect::<Result<_, TableError>>()?, meter)
            .await
    }

    async fn batch_write(
        &self,
        mut rest: Vec<WriteRequest>,
        meter: &Meter,
    ) -> Result<(), TableError> {
        const OPERATION: &str = "BatchWriteItem";
        let mut retries = Retries::new(RETRIES, meter);
        while !rest.is_empty() {
            let part = rest.split_off(rest.len().saturating_sub(WRITE_REQUESTS));
            let sent = part.len();
            let request = self
                .client
                .batch_write_item()
                .set_request_items(Some(HashMap::from([(self.name().to_owned(), part)])))
                .return_consumed_capacity(ReturnConsumedCapacity::Total);
            meter.call(CallKind::Write);
            let span = call_span(OPERATION, self.name());
            let tries = Tries::new(meter);
            let request = request.customize().interceptor(tries.observer());
            let answer = match sending(request.send(), &span).await {
                Ok(answer) => answer,
                Err(error) => return Err(tries.failure(OPERATION, error)),
            };
            tries.applied();
            meter.consumed(CallKind::Write, answer.consumed_capacity(), &span);
            let unprocessed: Vec<_> = answer
                .unprocessed_items
                .into_iter()
                .flatten()
                .flat_map(|(_, rest)| rest)
                .collect();
            if unprocessed.is_empty() {
                continue;
            }
            if unprocessed.len() < sent {
                retries = Retries::new(RETRIES, meter);
            }
            rest.extend(unprocessed);
            if let Err(Exhausted) = retries.pause().await {
                return Err(TableError::Unprocessed {
                    operation: OPERATION,
                    left: rest.len(),
                });
            }
        }
        Ok(())
    }
}
