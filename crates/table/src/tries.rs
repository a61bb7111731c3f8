//! What all tries of one write say together. The SDK sends a request again if it gets no answer, and returns the error of
//! the last try alone: that one may be refused though an earlier one was applied.

use std::error::Error as StdError;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use aws_sdk_dynamodb::config::interceptors::{
    BeforeTransmitInterceptorContextRef, FinalizerInterceptorContextRef,
};
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::{BoxError, ProvideErrorMetadata, SdkError};
use aws_smithy_runtime_api::client::interceptors::context::Error;
use aws_smithy_runtime_api::client::orchestrator::{HttpResponse, OrchestratorError};

use super::error::was_never_connected;
use super::{Meter, TableError};

/// The tries of one write, whose operation has the error `E`. Whoever sends it says how it ended; a write that is dropped
/// before that may be applied as well.
#[derive(Debug)]
pub(super) struct Tries<E> {
    observer: Observer<E>,
    meter: Meter,
    has_ended: bool,
}

/// Sees each try.
#[derive(Debug)]
pub(super) struct Observer<E> {
    state: Arc<State>,
    error: PhantomData<fn() -> E>,
}

#[derive(Debug, Default)]
struct State {
    /// The request of the current try is handed to the connection.
    is_sent: AtomicBool,
    /// A try was sent, and nothing says that DynamoDB did nothing.
    may_have_arrived: AtomicBool,
}

impl<E> Clone for Observer<E> {
    fn clone(&self) -> Self {
        Self {
            state: Arc::clone(&self.state),
            error: PhantomData,
        }
    }
}

impl<E> Tries<E> {
    /// Of a write that is counted into `meter`.
    pub(super) fn new(meter: &Meter) -> Self {
        Self {
            observer: Observer {
                state: Arc::default(),
                error: PhantomData,
            },
            meter: meter.clone(),
            has_ended: false,
        }
    }

    /// What sees the tries of the request that it is given to.
    pub(super) fn observer(&self) -> Observer<E> {
        self.observer.clone()
    }

    /// The write was applied.
    pub(super) fn applied(mut self) {
        self.has_ended = true;
        self.meter.applied_write();
    }

    /// The write failed or was refused. Whether one of its tries may have been applied nevertheless.
    pub(super) fn may_have_arrived(mut self) -> bool {
        self.has_ended = true;
        let may_have_arrived = self.are_unclear();
        if may_have_arrived {
            self.meter.unconfirmed_write();
        }
        may_have_arrived
    }

    /// Classifies the failure of the write by all its tries.
    pub(super) fn failure(
        self,
        operation: &'static str,
        error: SdkError<E, HttpResponse>,
    ) -> TableError
    where
        E: ProvideErrorMetadata + StdError + Send + Sync + 'static,
    {
        if !self.may_have_arrived() {
            return TableError::of(operation, error);
        }
        TableError::Unconfirmed {
            operation,
            source: Box::new(error),
        }
    }

    /// As [`Tries::may_have_arrived`], of a write that may be sent again.
    pub(super) fn are_unclear(&self) -> bool {
        self.observer.state.may_have_arrived.load(Relaxed)
    }
}

impl<E> Drop for Tries<E> {
    fn drop(&mut self) {
        let state = &self.observer.state;
        let is_open = state.is_sent.load(Relaxed) || state.may_have_arrived.load(Relaxed);
        if !self.has_ended && is_open {
            self.meter.unconfirmed_write();
        }
    }
}

impl<E> Intercept for Observer<E>
where
    E: ProvideErrorMetadata + StdError + Send + Sync + 'static,
{
    fn name(&self) -> &'static str {
        "Tries"
    }

    fn read_before_transmit(
        &self,
        _: &BeforeTransmitInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        self.state.is_sent.store(true, Relaxed);
        Ok(())
    }

    // It runs after every try, also after one that timed out.
    fn read_after_attempt(
        &self,
        context: &FinalizerInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let is_sent = self.state.is_sent.swap(false, Relaxed);
        let is_known = match context.output_or_error() {
            Some(Ok(_)) => true,
            Some(Err(error)) => did_nothing::<E>(error, context),
            None => false,
        };
        if is_sent && !is_known {
            self.state.may_have_arrived.store(true, Relaxed);
        }
        Ok(())
    }
}

/// Whether the answer of a try says that DynamoDB did nothing, or the request never left.
fn did_nothing<E>(
    error: &OrchestratorError<Error>,
    context: &FinalizerInterceptorContextRef<'_>,
) -> bool
where
    E: ProvideErrorMetadata + StdError + Send + Sync + 'static,
{
    if let Some(error) = error.as_connector_error() {
        return was_never_connected(error);
    }
    let Some(error) = error.as_operation_error() else {
        return false;
    };
    // DynamoDB answers with a status below 500 only if it did nothing, and always names the reason. An error without a
    // code is of something between us and DynamoDB.
    let code = error.downcast_ref::<E>().and_then(E::code);
    let is_client_error = context
        .response()
        .is_some_and(|response| response.status().is_client_error());
    is_client_error && code.is_some_and(|code| code != "TransactionInProgressException")
}
