//! TransactWriteItems: all of it happens or none, and where none, why.

use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{CancellationReason, ReturnConsumedCapacity};
use uuid::Uuid;

use super::capacity::{call_span, sending};
use super::entity::item_of;
use super::error::{is_about_size, is_about_type};
use super::step::{Planned, Work};
use super::tries::Tries;
use super::{CallKind, Condition, Item, Key, Meter, Retries, Table, TableError, ToItem, Update};

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
    /// The item would have more than 400 KB.
    Oversized,
    /// An attribute that is counted is not a number. Another program may have written it. The text is for the log.
    Mistyped(String),
    /// Anything else, by DynamoDB's code.
    Other(String),
}

impl Reason {
    /// Whether the same request may succeed later.
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Conflict | Self::Throttled)
    }
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
#[derive(Clone, Debug)]
pub struct Transaction<'t> {
    table: &'t Table,
    steps: Vec<Planned>,
}

impl Table {
    /// A transaction with nothing in it yet.
    pub fn transaction(&self) -> Transaction<'_> {
        Transaction {
            table: self,
            steps: Vec::new(),
        }
    }
}

impl Transaction<'_> {
    /// How many items it writes so far.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether it writes nothing.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
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
        let item = item_of(entity)?;
        self.put_item(item, condition)
    }

    /// Writes a whole item, attributes of other programs included, if `condition` holds of what has its key.
    ///
    /// # Errors
    /// [`TableError::Built`] for an item without a key, a fault of ours.
    pub fn put_item(self, item: Item, condition: Option<&Condition>) -> Result<Self, TableError> {
        let key = self.table.definition.key_in(&item);
        let key = key.ok_or_else(|| TableError::Built("an item without a key".into()))?;
        let condition = condition.cloned().unwrap_or(Condition::ALWAYS);
        Ok(self.with(key, Work::Put(item), condition))
    }

    /// Changes an item.
    pub fn update(self, update: Update) -> Self {
        let work = Work::Update(update.set, update.remove, update.add);
        self.with(update.key, work, update.condition)
    }

    /// Deletes an item if `condition` holds of it.
    pub fn delete(self, key: &Key, condition: &Condition) -> Self {
        self.with(key.clone(), Work::Delete, condition.clone())
    }

    /// Refuses all of it if there is an item with this key.
    pub fn check_missing(self, key: &Key) -> Self {
        self.check(key, &Condition::Missing)
    }

    /// Refuses all of it unless `condition` holds of the item with this key.
    pub fn check(self, key: &Key, condition: &Condition) -> Self {
        self.with(key.clone(), Work::Check, condition.clone())
    }

    fn with(mut self, key: Key, work: Work, condition: Condition) -> Self {
        self.steps.push(Planned {
            table: self.table.clone(),
            key,
            work,
            condition,
            reading: None,
        });
        self
    }

    /// One call: all of it, or nothing.
    ///
    /// # Errors
    /// [`TransactionError::Canceled`] with a reason for each item, in the order they were added;
    /// [`TransactionError::Table`] as every call.
    pub async fn commit(self, meter: &Meter) -> Result<(), TransactionError> {
        transact(self.table, &self.steps, meter).await
    }
}

/// How often a transaction is sent again to learn whether an earlier try of it was applied.
const RETRIES: usize = 8;

/// Sends steps of any tables in one call, to the account of `table`. If an earlier try may have been applied and the last one
/// met other writes or throttling, the same call is sent again: DynamoDB knows it by its token.
pub(super) async fn transact(
    table: &Table,
    steps: &[Planned],
    meter: &Meter,
) -> Result<(), TransactionError> {
    const OPERATION: &str = "TransactWriteItems";
    let items: Result<Vec<_>, _> = steps.iter().map(Planned::request).collect();
    let request = table
        .client
        .transact_write_items()
        .set_transact_items(Some(items?))
        .client_request_token(Uuid::new_v4())
        .return_consumed_capacity(ReturnConsumedCapacity::Total);
    let tries = Tries::new(meter);
    let mut retries = Retries::new(RETRIES, meter);
    loop {
        meter.call(CallKind::Write);
        let span = call_span(OPERATION, table.name());
        let sent = request.clone().customize().interceptor(tries.observer());
        let error = match sending(sent.send(), &span).await {
            Ok(answer) => {
                tries.applied();
                meter.consumed(CallKind::Write, answer.consumed_capacity(), &span);
                return Ok(());
            }
            Err(error) => error,
        };
        let Some(reasons) = canceled(&error) else {
            return Err(tries.failure(OPERATION, error).into());
        };
        let mut met = reasons.iter().flatten();
        if met.any(|met| matches!(met, Reason::ConditionFailed { .. } | Reason::Conflict)) {
            meter.conflict();
        }
        let may_pass = reasons.iter().flatten().all(Reason::may_pass);
        if !tries.are_unclear() || !may_pass || retries.pause().await.is_err() {
            tries.may_have_arrived();
            return Err(TransactionError::Canceled(reasons));
        }
    }
}

fn canceled<R>(error: &SdkError<TransactWriteItemsError, R>) -> Option<Vec<Option<Reason>>> {
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
        "ValidationError" if is_about_size(reason.message()) => Some(Reason::Oversized),
        "ValidationError" if is_about_type(reason.message()) => {
            let message = reason.message().unwrap_or_default();
            Some(Reason::Mistyped(message.to_owned()))
        }
        code => Some(Reason::Other(code.to_owned())),
    }
}
