//! Writing one item: half the price of a transaction of one.

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{
    ReturnConsumedCapacity, ReturnValue, ReturnValuesOnConditionCheckFailure,
};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;

use super::capacity::{call_span, sending};
use super::entity::item_of;
use super::expression::Placeholders;
use super::tries::Tries;
use super::{CallKind, Condition, Item, Meter, Table, TableError, ToItem, Update};

/// Why one item was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Its condition does not hold of what is there: the whole item as it is now, `None` where it is not.
    #[error("the condition does not hold")]
    ConditionFailed(Option<Item>),
    /// The call itself failed.
    #[error(transparent)]
    Table(#[from] TableError),
}

impl Table {
    /// Writes a whole item where none has its key. One PutItem.
    ///
    /// # Errors
    /// [`WriteError::ConditionFailed`] where one has; as every call.
    pub async fn put_new<E: ToItem>(&self, entity: &E, meter: &Meter) -> Result<(), WriteError> {
        let item = item_of(entity)?;
        self.put_item(item, &Condition::Missing, meter).await
    }

    /// Writes a whole item, if `condition` holds of what has its key. One PutItem.
    pub(super) async fn put_item(
        &self,
        item: Item,
        condition: &Condition,
        meter: &Meter,
    ) -> Result<(), WriteError> {
        const OPERATION: &str = "PutItem";
        let mut placeholders = Placeholders::default();
        let condition = placeholders.condition(condition, self.definition.partition_key.name);
        let request = self
            .client
            .put_item()
            .table_name(self.name())
            .set_item(Some(item))
            .set_condition_expression(condition)
            .set_expression_attribute_names(placeholders.names())
            .set_expression_attribute_values(placeholders.values())
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        meter.call(CallKind::Write);
        let span = call_span(OPERATION, self.name());
        let tries = Tries::<PutItemError>::new(meter);
        let request = request.customize().interceptor(tries.observer());
        match sending(request.send(), &span).await {
            Ok(answer) => {
                tries.applied();
                meter.consumed(CallKind::Write, &answer.consumed_capacity, &span);
                Ok(())
            }
            Err(error) => {
                let there = match error.as_service_error() {
                    Some(PutItemError::ConditionalCheckFailedException(failed)) => {
                        Some(failed.item.clone())
                    }
                    _ => None,
                };
                let failed = Failed { error, tries };
                Err(refused(OPERATION, there, failed, meter))
            }
        }
    }

    /// Changes some attributes of one item, if the update's condition holds of it; answers the whole item
    /// after that. One UpdateItem.
    ///
    /// # Errors
    /// [`WriteError::ConditionFailed`], as every call.
    pub async fn update(&self, update: Update, meter: &Meter) -> Result<Item, WriteError> {
        const OPERATION: &str = "UpdateItem";
        let mut placeholders = Placeholders::default();
        let expression = placeholders.update(update.set, &update.remove, &update.add);
        let condition =
            placeholders.condition(&update.condition, self.definition.partition_key.name);
        let request = self
            .client
            .update_item()
            .table_name(self.name())
            .set_key(Some(self.definition.key_item(&update.key)))
            .update_expression(expression)
            .set_condition_expression(condition)
            .set_expression_attribute_names(placeholders.names())
            .set_expression_attribute_values(placeholders.values())
            .return_values(ReturnValue::AllNew)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        meter.call(CallKind::Write);
        let span = call_span(OPERATION, self.name());
        let tries = Tries::<UpdateItemError>::new(meter);
        let request = request.customize().interceptor(tries.observer());
        match sending(request.send(), &span).await {
            Ok(answer) => {
                tries.applied();
                meter.consumed(CallKind::Write, &answer.consumed_capacity, &span);
                Ok(answer.attributes.unwrap_or_default())
            }
            Err(error) => {
                let there = match error.as_service_error() {
                    Some(UpdateItemError::ConditionalCheckFailedException(failed)) => {
                        Some(failed.item.clone())
                    }
                    _ => None,
                };
                let failed = Failed { error, tries };
                Err(refused(OPERATION, there, failed, meter))
            }
        }
    }
}

/// A call that failed, with its tries.
struct Failed<E> {
    error: SdkError<E, HttpResponse>,
    tries: Tries<E>,
}

/// `there` is the item of a failed condition; without one, the call itself failed.
fn refused<E>(
    operation: &'static str,
    there: Option<Option<Item>>,
    failed: Failed<E>,
    meter: &Meter,
) -> WriteError
where
    E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
{
    match there {
        Some(item) => {
            meter.conflict();
            failed.tries.may_have_arrived();
            WriteError::ConditionFailed(item.filter(|item| !item.is_empty()))
        }
        None => failed.tries.failure(operation, failed.error).into(),
    }
}
