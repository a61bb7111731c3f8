//! The steps of a unit of work, as the requests of DynamoDB.

use std::collections::HashSet;

use aws_sdk_dynamodb::types::{
    ConditionCheck, Delete, Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem,
    Update as UpdateRequest,
};

use super::addition::Addition;
use super::expression::Placeholders;
use super::size::bytes_of;
use super::spelling::Reading;
use super::{Condition, Item, Key, MalformedItem, Meter, Table, TableError, Update, WriteError};

/// The most items that one transaction writes.
pub const MAX_ITEMS: usize = 100;
/// The most bytes that the items of one transaction have together.
pub const MAX_BYTES: usize = 4 * 1024 * 1024;

#[derive(Clone, Debug)]
pub(super) struct Planned {
    pub(super) table: Table,
    pub(super) key: Key,
    pub(super) work: Work,
    pub(super) condition: Condition,
    /// `None` if it is not about an entity.
    pub(super) reading: Option<Reading>,
}

#[derive(Clone, Debug)]
pub(super) enum Work {
    Put(Item),
    Update(Item, Vec<String>, Vec<Addition>),
    Delete,
    Check,
}

/// Why DynamoDB would refuse these steps.
pub(super) fn fault(steps: &[Planned]) -> Option<String> {
    if steps.len() > MAX_ITEMS {
        return Some(format!(
            "{} items in one transaction; DynamoDB takes at most {MAX_ITEMS}",
            steps.len()
        ));
    }
    let bytes: usize = steps.iter().map(Planned::bytes).sum();
    if bytes > MAX_BYTES {
        return Some(format!(
            "{bytes} bytes in one transaction; DynamoDB takes at most {MAX_BYTES}"
        ));
    }
    let mut seen = HashSet::new();
    let twice = steps
        .iter()
        .find(|step| !seen.insert((step.table.name(), &step.key)))?;
    Some(format!(
        "an item of {} twice in one transaction, with the key {:?}",
        twice.table.name(),
        twice.key
    ))
}

impl Planned {
    /// The bytes that it writes, by DynamoDB's rules of an item's size.
    fn bytes(&self) -> usize {
        let key = self.key.pk.as_str().len() + self.key.sk.as_str().len();
        match &self.work {
            Work::Put(item) => bytes_of(item),
            Work::Update(set, ..) => key + bytes_of(set),
            Work::Delete | Work::Check => key,
        }
    }

    /// Which item it writes, for the log.
    pub(super) fn place(&self) -> String {
        format!("{} {:?}", self.table.name(), self.key)
    }

    /// Why the item does not meet the condition, for the log.
    pub(super) fn unmet(&self, stored: Option<&Item>) -> MalformedItem {
        let why = match stored {
            None => "it is missing".to_owned(),
            Some(stored) => match self.reading.and_then(|reading| reading.fault(stored)) {
                Some(malformed) => malformed.reason,
                None => "it contradicts what is changed with it".to_owned(),
            },
        };
        MalformedItem {
            entity: self.reading.map_or("item", |reading| reading.kind),
            reason: format!("{}: {why}", self.place()),
        }
    }

    /// Whether there is a call for this step alone.
    pub(super) fn stands_alone(&self) -> bool {
        matches!(self.work, Work::Put(_) | Work::Update(..))
    }

    pub(super) async fn send(&self, meter: &Meter) -> Result<(), WriteError> {
        match &self.work {
            Work::Update(set, remove, add) => {
                let update = Update {
                    set: set.clone(),
                    remove: remove.clone(),
                    add: add.clone(),
                    ..Update::new(self.key.clone(), self.condition.clone())
                };
                self.table.update(update, meter).await.map(drop)
            }
            Work::Put(item) => {
                let item = item.clone();
                self.table.put_item(item, &self.condition, meter).await
            }
            Work::Delete | Work::Check => Ok(()),
        }
    }

    pub(super) fn request(&self) -> Result<TransactWriteItem, TableError> {
        const ALL_OLD: ReturnValuesOnConditionCheckFailure =
            ReturnValuesOnConditionCheckFailure::AllOld;
        let definition = self.table.definition;
        let mut placeholders = Placeholders::default();
        let expression = match &self.work {
            Work::Update(set, remove, add) => Some(placeholders.update(set.clone(), remove, add)),
            _ => None,
        };
        let condition = placeholders.condition(&self.condition, definition.partition_key.name);
        let (names, values) = (placeholders.names(), placeholders.values());
        let (table, key) = (self.table.name(), Some(definition.key_item(&self.key)));
        macro_rules! built {
            ($request:expr) => {
                $request
                    .table_name(table)
                    .set_condition_expression(condition)
                    .set_expression_attribute_names(names)
                    .set_expression_attribute_values(values)
                    .return_values_on_condition_check_failure(ALL_OLD)
                    .build()
                    .map_err(TableError::built)?
            };
        }
        let item = TransactWriteItem::builder();
        let item = match &self.work {
            Work::Put(whole) => item.put(built!(Put::builder().set_item(Some(whole.clone())))),
            Work::Update(..) => item.update(built!(
                UpdateRequest::builder()
                    .set_key(key)
                    .set_update_expression(expression)
            )),
            Work::Delete => item.delete(built!(Delete::builder().set_key(key))),
            Work::Check => item.condition_check(built!(ConditionCheck::builder().set_key(key))),
        };
        Ok(item.build())
    }
}
