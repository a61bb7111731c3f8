//! Reading one item by its key.

use aws_sdk_dynamodb::types::ReturnConsumedCapacity;

use super::capacity::{MOST_ITEM, call_span, sending};
use super::expression::Placeholders;
use super::{CallKind, Item, Key, Meter, Projection, Table, TableError};

/// How fresh a read is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Consistency {
    /// May miss writes of the last moments, at half the capacity. The only kind an index has.
    #[default]
    Eventual,
    /// Sees every write that was answered before.
    Strong,
}

/// One GetItem.
#[derive(Debug)]
pub struct Get<'t> {
    table: &'t Table,
    key: Key,
    consistency: Consistency,
    projection: Projection,
}

impl Table {
    /// Reads the item with `key`.
    pub fn get(&self, key: Key) -> Get<'_> {
        Get {
            table: self,
            key,
            consistency: Consistency::default(),
            projection: Projection::default(),
        }
    }
}

impl Get<'_> {
    /// Sets the consistency. Defaults to eventual.
    pub fn consistency(mut self, consistency: Consistency) -> Self {
        self.consistency = consistency;
        self
    }

    /// Sets the attributes to answer. Defaults to all.
    pub fn project(mut self, projection: Projection) -> Self {
        self.projection = projection;
        self
    }

    /// One call. `None` where no item has the key.
    ///
    /// # Errors
    /// As every call.
    pub async fn send(self, meter: &Meter) -> Result<Option<Item>, TableError> {
        let mut placeholders = Placeholders::default();
        let projection = placeholders.projection(&self.projection);
        let request = self
            .table
            .client
            .get_item()
            .table_name(self.table.name())
            .set_key(Some(self.table.definition.key_item(&self.key)))
            .consistent_read(self.consistency == Consistency::Strong)
            .set_projection_expression(projection)
            .set_expression_attribute_names(placeholders.names())
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let reserved = meter.reserve(MOST_ITEM).await;
        meter.call(CallKind::Read);
        let span = call_span("GetItem", self.table.name());
        let answer = sending(request.send(), &span)
            .await
            .map_err(|e| TableError::of("GetItem", e))?;
        meter.consumed(CallKind::Read, &answer.consumed_capacity, &span);
        reserved.settle(&answer.item);
        Ok(answer.item)
    }
}
