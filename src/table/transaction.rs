//! TransactWriteItems: all of it happens or none, and where none, why.

use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{
    AttributeValue, CancellationReason, ConditionCheck, Delete, Put, ReturnConsumedCapacity,
    ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update as UpdateRequest,
};

use super::capacity::{call_span, sending};
use super::expression::Placeholders;
use super::{
    CallKind, Condition, IndexKey, Item, Key, Meter, Table, TableDefinition, TableError, ToItem,
};

/// The most items that one transaction writes.
pub const MAX_ITEMS: usize = 100;
/// The most bytes that the items of one transaction have together.
pub const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Why DynamoDB refused one item of a transaction.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// Its condition does not hold of what is there: the item as it is now, `None` where it is not.
    ConditionFailed {
        /// The whole item that is there.
        item: Option<Item>,
    },
    /// Another transaction or write is at work on the item: the same request may succeed later.
    Conflict,
    /// The item's partition is throttled: the same request may succeed later.
    Throttled,
    /// Anything else, such as an item over 400 KB, by DynamoDB's code.
    Other(String),
}

/// Why a transaction was not done.
#[derive(Debug, thiserror::Error)]
pub enum TransactionError {
    /// DynamoDB refused it whole: one reason per item of the transaction, `None` where the item was fine.
    #[error("the transaction was cancelled: {0:?}")]
    Canceled(Vec<Option<Reason>>),
    /// The call itself failed.
    #[error(transparent)]
    Table(#[from] TableError),
}

/// A transaction in the making: at most [`MAX_ITEMS`] items of [`MAX_BYTES`] together.
#[derive(Debug)]
pub struct Transaction<'t> {
    table: &'t Table,
    items: Vec<TransactWriteItem>,
}

/// Changes to some attributes of one item; all others stay, those of other programs included.
#[derive(Debug)]
pub struct Update {
    pub(super) key: Key,
    pub(super) set: Item,
    pub(super) remove: Vec<String>,
    pub(super) add: Vec<(String, i64)>,
    pub(super) condition: Condition,
}

impl Update {
    /// Changes to the item with `key`, if `condition` holds of it.
    pub fn new(key: Key, condition: Condition) -> Self {
        Self {
            key,
            set: Item::new(),
            remove: Vec::new(),
            add: Vec::new(),
            condition,
        }
    }

    /// Sets an attribute. A value that is stored as NULL removes it.
    pub fn set(mut self, attribute: impl Into<String>, value: &impl serde::Serialize) -> Self {
        match serde_dynamo::to_attribute_value(value) {
            Ok(AttributeValue::Null(_)) | Err::<_, serde_dynamo::Error>(_) => self.clear(attribute),
            Ok(value) => {
                self.set.insert(attribute.into(), value);
                self
            }
        }
    }

    /// Removes an attribute.
    pub fn clear(mut self, attribute: impl Into<String>) -> Self {
        self.remove.push(attribute.into());
        self
    }

    /// Adds to a number, which starts from 0 where the attribute or the item is not there.
    pub fn add(mut self, attribute: impl Into<String>, by: i64) -> Self {
        self.add.push((attribute.into(), by));
        self
    }

    /// The key of the item.
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// The same changes, if `condition` holds of the item.
    pub fn only_if(self, condition: Condition) -> Self {
        Self { condition, ..self }
    }

    /// Also writes the entity's keys in every index, even those that did not change: another program may
    /// have left other ones.
    pub fn with_index_keys<E: ToItem>(mut self, after: &E) -> Self {
        for IndexKey { index, key } in after.keys_in_indexes() {
            match key {
                Some(key) => self.set.extend(index.key_item(&key)),
                None => {
                    let absent = index.attributes().map(str::to_owned);
                    let absent: Vec<_> =
                        absent.filter(|name| !self.remove.contains(name)).collect();
                    self.remove.extend(absent);
                }
            }
        }
        self
    }

    /// Whether there is nothing to change.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty() && self.remove.is_empty() && self.add.is_empty()
    }
}

impl Table {
    /// A transaction with nothing in it yet.
    pub fn transaction(&self) -> Transaction<'_> {
        Transaction {
            table: self,
            items: Vec::new(),
        }
    }

    /// The changes that make the item of `before` into that of `after`; without a `before`, every
    /// attribute of `after` is written. Attributes that the entity does not know are left alone.
    ///
    /// # Errors
    /// As [`Table::item_of`].
    pub fn update_of<E: ToItem>(
        &self,
        before: Option<&E>,
        after: &E,
        condition: Condition,
    ) -> Result<Update, TableError> {
        let mut set = self.item_of(after)?;
        let mut remove: Vec<_> = left_indexes(after).into_iter().map(str::to_owned).collect();
        for attribute in self.definition.key_item(&after.primary_key()).keys() {
            set.remove(attribute);
        }
        if let Some(before) = before {
            let left_before = left_indexes(before);
            remove.retain(|attribute| !left_before.contains(&attribute.as_str()));
            for (attribute, value) in self.item_of(before)? {
                match set.get(&attribute) {
                    Some(same) if *same == value => {
                        set.remove(&attribute);
                    }
                    None if !self.is_key(&attribute) && !remove.contains(&attribute) => {
                        remove.push(attribute);
                    }
                    _ => {}
                }
            }
        }
        Ok(Update {
            set,
            remove,
            ..Update::new(after.primary_key(), condition)
        })
    }

    fn is_key(&self, attribute: &str) -> bool {
        let definition = self.definition;
        [definition.partition_key.name, definition.sort_key.name].contains(&attribute)
    }
}

/// The key attributes of the indexes that an entity is not in.
fn left_indexes(entity: &impl ToItem) -> Vec<&'static str> {
    let absent = entity
        .keys_in_indexes()
        .into_iter()
        .filter(|index_key| index_key.key.is_none());
    absent
        .flat_map(|absent| absent.index.attributes())
        .collect()
}

impl Transaction<'_> {
    /// How many items it writes so far.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether it writes nothing.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Writes a whole item where none has its key.
    ///
    /// # Errors
    /// As [`Table::item_of`].
    pub fn put_new<E: ToItem>(self, entity: &E) -> Result<Self, TableError> {
        self.put_if(entity, Some(&Condition::Missing))
    }

    /// Writes a whole item, over whatever has its key.
    ///
    /// # Errors
    /// As [`Table::item_of`].
    pub fn put<E: ToItem>(self, entity: &E) -> Result<Self, TableError> {
        self.put_if(entity, None)
    }

    fn put_if<E: ToItem>(
        self,
        entity: &E,
        condition: Option<&Condition>,
    ) -> Result<Self, TableError> {
        let item = self.table.item_of(entity)?;
        self.put_item(item, condition)
    }

    /// Writes a whole item, attributes of other programs included, if `condition` holds of what has its key.
    ///
    /// # Errors
    /// [`TableError::Built`], a fault of ours.
    pub fn put_item(
        mut self,
        item: Item,
        condition: Option<&Condition>,
    ) -> Result<Self, TableError> {
        let mut placeholders = Placeholders::default();
        let condition =
            condition.and_then(|c| placeholders.condition(c, self.definition().partition_key.name));
        let put = Put::builder()
            .table_name(self.table.name())
            .set_item(Some(item))
            .set_condition_expression(condition)
            .set_expression_attribute_names(placeholders.names())
            .set_expression_attribute_values(placeholders.values())
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .build()
            .map_err(TableError::built)?;
        self.items
            .push(TransactWriteItem::builder().put(put).build());
        Ok(self)
    }

    /// Changes an item.
    ///
    /// # Errors
    /// [`TableError::Built`], a fault of ours.
    pub fn update(mut self, update: Update) -> Result<Self, TableError> {
        let mut placeholders = Placeholders::default();
        let expression = placeholders.update(update.set, &update.remove, &update.add);
        let condition =
            placeholders.condition(&update.condition, self.definition().partition_key.name);
        let update = UpdateRequest::builder()
            .table_name(self.table.name())
            .set_key(Some(self.definition().key_item(&update.key)))
            .update_expression(expression)
            .set_condition_expression(condition)
            .set_expression_attribute_names(placeholders.names())
            .set_expression_attribute_values(placeholders.values())
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .build()
            .map_err(TableError::built)?;
        self.items
            .push(TransactWriteItem::builder().update(update).build());
        Ok(self)
    }

    /// Deletes an item if `condition` holds of it.
    ///
    /// # Errors
    /// [`TableError::Built`], a fault of ours.
    pub fn delete(mut self, key: &Key, condition: &Condition) -> Result<Self, TableError> {
        let mut placeholders = Placeholders::default();
        let condition = placeholders.condition(condition, self.definition().partition_key.name);
        let delete = Delete::builder()
            .table_name(self.table.name())
            .set_key(Some(self.definition().key_item(key)))
            .set_condition_expression(condition)
            .set_expression_attribute_names(placeholders.names())
            .set_expression_attribute_values(placeholders.values())
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .build()
            .map_err(TableError::built)?;
        self.items
            .push(TransactWriteItem::builder().delete(delete).build());
        Ok(self)
    }

    /// Refuses all of it if there is an item with this key.
    ///
    /// # Errors
    /// [`TableError::Built`], a fault of ours.
    pub fn check_missing(self, key: &Key) -> Result<Self, TableError> {
        self.check(key, &Condition::Missing)
    }

    /// Refuses all of it unless `condition` holds of the item with this key.
    ///
    /// # Errors
    /// [`TableError::Built`], a fault of ours.
    pub fn check(mut self, key: &Key, condition: &Condition) -> Result<Self, TableError> {
        let mut placeholders = Placeholders::default();
        let condition = placeholders.condition(condition, self.definition().partition_key.name);
        let check = ConditionCheck::builder()
            .table_name(self.table.name())
            .set_key(Some(self.definition().key_item(key)))
            .set_condition_expression(condition)
            .set_expression_attribute_names(placeholders.names())
            .set_expression_attribute_values(placeholders.values())
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .build()
            .map_err(TableError::built)?;
        self.items
            .push(TransactWriteItem::builder().condition_check(check).build());
        Ok(self)
    }

    fn definition(&self) -> &'static TableDefinition {
        self.table.definition
    }

    /// One call: all of it, or nothing.
    ///
    /// # Errors
    /// [`TransactionError::Canceled`] with a reason for each item, in the order they were added;
    /// [`TransactionError::Table`] as every call.
    pub async fn commit(self, meter: &Meter) -> Result<(), TransactionError> {
        const OPERATION: &str = "TransactWriteItems";
        let request = self
            .table
            .client
            .transact_write_items()
            .set_transact_items(Some(self.items))
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        meter.call(CallKind::Write);
        let span = call_span(OPERATION, self.table.name());
        match sending(request.send(), &span).await {
            Ok(answer) => {
                meter.consumed(CallKind::Write, answer.consumed_capacity(), &span);
                Ok(())
            }
            Err(error) => match canceled(&error) {
                Some(reasons) => {
                    let refused =
                        |r: &Reason| matches!(r, Reason::ConditionFailed { .. } | Reason::Conflict);
                    if reasons.iter().flatten().any(refused) {
                        meter.conflict();
                    }
                    Err(TransactionError::Canceled(reasons))
                }
                None => Err(TableError::of(OPERATION, error).into()),
            },
        }
    }
}

pub(super) fn canceled<R>(
    error: &SdkError<TransactWriteItemsError, R>,
) -> Option<Vec<Option<Reason>>> {
    match error.as_service_error()? {
        TransactWriteItemsError::TransactionCanceledException(canceled) => {
            Some(canceled.cancellation_reasons().iter().map(reason).collect())
        }
        _ => None,
    }
}

fn reason(reason: &CancellationReason) -> Option<Reason> {
    match reason.code()? {
        "None" => None,
        "ConditionalCheckFailed" => Some(Reason::ConditionFailed {
            item: reason.item.clone().filter(|item| !item.is_empty()),
        }),
        "TransactionConflict" => Some(Reason::Conflict),
        "ThrottlingError" | "ProvisionedThroughputExceeded" => Some(Reason::Throttled),
        code => Some(Reason::Other(code.to_owned())),
    }
}
