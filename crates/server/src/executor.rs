//! A service in an application of one's own: an executor for any server of async-graphql, such as async-graphql-axum. It
//! does what [`Server`](crate::Server) does with an operation: it validates the document, remembers it, holds it to its
//! limits, and bounds its time and its answer. Connections, bodies, rates and credentials are the application's.

use std::any::{Any, TypeId};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use apollo_compiler::response::JsonMap;
use async_graphql::{Data, Executor, Request, Response, ServerError};
use futures_util::FutureExt as _;
use futures_util::future::ready;
use futures_util::stream::{BoxStream, StreamExt as _, once};
use tokio::time::timeout;
use uuid::Uuid;

use super::checks::Checks;
use super::config::{Access, ConfigError, ServerArgs};
use super::documents::{Documents, OperationType};
use super::errors::{coded, internal, sift};
use super::http::execution::{Answers, Effects, Rights, UNCOUNTED, panic_text, permit};
use super::http::refusal::Refusal;
use trestle_api::viewer::Viewer;
use trestle_api::{Allowance, Code, PresentedCredentials, Service};
use trestle_table::Meter;

/// Runs the operations of a service. The viewer is a [`Viewer`] among the request's data, or among the session's.
#[derive(Clone)]
pub struct ServiceExecutor(Arc<Inner>);

struct Inner {
    service: Arc<dyn Service>,
    documents: Arc<Documents>,
    checks: Checks,
    max_cost: u64,
    max_answer_bytes: usize,
    request_timeout: Duration,
    may_introspect: bool,
}

/// An operation that may run.
struct Permitted {
    request: Request,
    viewer: Viewer,
    allowance: Allowance,
    kind: OperationType,
}

impl ServiceExecutor {
    /// Of a service, with the limits of these settings: those of documents, `max_answer_bytes`, `request_timeout` and
    /// `introspection`.
    ///
    /// # Errors
    /// The service's schema is not valid.
    pub fn new(service: Arc<dyn Service>, args: &ServerArgs) -> Result<Self, ConfigError> {
        let documents = Documents::new(service.sdl(), args.documents.clone());
        let documents = documents.map_err(|reason| ConfigError::Schema {
            service: service.name(),
            reason,
        })?;
        Ok(Self(Arc::new(Inner {
            service,
            documents: Arc::new(documents),
            checks: Checks::new(),
            max_cost: args.documents.max_cost,
            max_answer_bytes: args.max_answer_bytes,
            request_timeout: args.request_timeout,
            // The application knows who reaches it, and this does not.
            may_introspect: args.introspection_allowed(Access::Authenticated),
        })))
    }
}

impl Inner {
    async fn permitted(
        &self,
        mut given: Request,
        session: Option<&Data>,
        answers: Answers,
    ) -> Result<Permitted, Vec<ServerError>> {
        let viewer = of_data::<Viewer>(&given.data, session);
        let Some(viewer) = viewer else {
            let message =
                "The request has no viewer. Authenticate it, and add a `Viewer` to its data.";
            return Err(vec![coded(Code::Unauthenticated, message, None)]);
        };
        let text = given.query.as_str().into();
        let (checked, _) = self.checks.document(&self.documents, &text).await;
        let document = checked.as_ref().as_ref().map_err(Clone::clone)?;
        let operation = document
            .operation(given.operation_name.as_deref())
            .map_err(|error| vec![error])?;
        let effects = Effects::Writes;
        let rights = Rights { effects, answers };
        permit(operation, &viewer, rights, self.may_introspect).map_err(Refusal::into_errors)?;
        let prepared = operation
            .prepare(self.documents.schema(), json(&given)?, self.max_cost)
            .map_err(|error| vec![error])?;
        let allowance = Allowance::new(self.max_answer_bytes);
        let uncounted = self.max_answer_bytes.min(UNCOUNTED);
        let mut request = operation.request(prepared, uncounted, &allowance);
        if let Some(presented) = of_data::<PresentedCredentials>(&given.data, session) {
            request = request.data(presented);
        }
        request.extensions = std::mem::take(&mut given.extensions);
        if let Some(subgraph) = self.documents.subgraph() {
            request = request.data(subgraph.clone());
        }
        Ok(Permitted {
            request,
            viewer,
            allowance,
            kind: operation.kind(),
        })
    }

    async fn run(&self, permitted: Permitted) -> Response {
        let request_id = Uuid::new_v4().to_string();
        let executing = self
            .service
            .execute(permitted.request, permitted.viewer, Meter::default());
        let guarded = AssertUnwindSafe(executing).catch_unwind();
        match timeout(self.request_timeout, guarded).await {
            Ok(Ok(_)) if permitted.allowance.is_exceeded() => {
                refused(Refusal::answer_too_large(self.max_answer_bytes))
            }
            Ok(Ok(mut response)) => {
                sift(&mut response, &request_id);
                response
            }
            Ok(Err(panic)) => {
                let cause = panic_text(&*panic);
                tracing::error!(request_id, cause, "a resolver panicked");
                Response::from_errors(vec![internal(&request_id)])
            }
            Err(_) if permitted.kind == OperationType::Mutation => {
                refused(Refusal::outcome_unknown(self.request_timeout))
            }
            Err(_) => refused(Refusal::timed_out(self.request_timeout)),
        }
    }
}

impl Executor for ServiceExecutor {
    async fn execute(&self, request: Request) -> Response {
        match self.0.permitted(request, None, Answers::One).await {
            Ok(permitted) => self.0.run(permitted).await,
            Err(errors) => Response::from_errors(errors),
        }
    }

    fn execute_stream(
        &self,
        request: Request,
        session: Option<Arc<Data>>,
    ) -> BoxStream<'static, Response> {
        let inner = Arc::clone(&self.0);
        let begun = async move {
            let permitted = inner.permitted(request, session.as_deref(), Answers::Many);
            let permitted = permitted.await;
            inner.answers(permitted)
        };
        once(begun).flatten().boxed()
    }
}

impl Inner {
    /// All answers of an operation.
    fn answers(
        self: Arc<Self>,
        permitted: Result<Permitted, Vec<ServerError>>,
    ) -> BoxStream<'static, Response> {
        match permitted {
            Err(errors) => once(ready(Response::from_errors(errors))).boxed(),
            Ok(permitted) if permitted.kind != OperationType::Subscription => {
                once(async move { self.run(permitted).await }).boxed()
            }
            Ok(Permitted {
                request,
                viewer,
                allowance,
                ..
            }) => {
                let most = self.max_answer_bytes;
                let responses = self.service.subscribe(request, viewer, Meter::default());
                let request_id = Uuid::new_v4().to_string();
                responses
                    .map(move |mut response| {
                        sift(&mut response, &request_id);
                        if allowance.is_exceeded() {
                            return refused(Refusal::answer_too_large(most));
                        }
                        allowance.renew(most);
                        response
                    })
                    .boxed()
            }
        }
    }
}

fn refused(refusal: Refusal) -> Response {
    Response::from_errors(refusal.into_errors())
}

/// The value of a type in a request's data, or else in its session's.
fn of_data<T: Any + Clone>(request: &Data, session: Option<&Data>) -> Option<T> {
    let all = [Some(request), session];
    let mut values = all.into_iter().flatten();
    let found = values.find_map(|data| data.get(&TypeId::of::<T>()));
    found.and_then(|value| value.downcast_ref::<T>()).cloned()
}

/// The variables as the validator reads them.
fn json(request: &Request) -> Result<JsonMap, Vec<ServerError>> {
    let read = serde_json::to_vec(&request.variables)
        .and_then(|variables| serde_json::from_slice(&variables));
    read.map_err(|error| vec![coded(Code::BadUserInput, error.to_string(), None)])
}
