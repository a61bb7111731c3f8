//! The server around the services: GraphQL over HTTP, what is checked before anything runs, limits,
//! health, the playground, the board's files, and stopping without losing what was accepted. Knows what a
//! service is ([`Service`]) and none of them.
//!
//! # Layout
//!
//! A request comes through `serve` (connections) and `routes` (paths, headers of every answer) into
//! `http`, which reads it, asks `authenticate` who it is from, `overload` whether it may come in,
//! `persisted` and `documents` what it means and costs, and then lets the service run it. `errors`
//! decides what clients learn of failures, `observe` and `span` what operators do; `telemetry` is where
//! that goes.

mod authenticate;
pub mod authentication;
mod board;
mod bundle;
mod config;
mod documents;
mod errors;
mod files;
mod health;
mod http;
pub mod lambda;
mod observe;
mod overload;
mod persisted;
mod playground;
mod request_id;
mod routes;
mod serve;
mod span;
mod state;
mod subscriptions;
pub mod telemetry;
pub mod values;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::Router;
use tokio::net::TcpListener;
use url::Url;

pub use self::authenticate::{Authenticate, Open, Unauthenticated};
pub use self::board::PATH as BOARD;
pub use self::config::{Access, ConfigError, Entrance, ServerArgs};
pub use self::documents::{Kind, Lookup};
pub use self::observe::{Observer, RequestRecord, Unobserved};
pub use self::serve::told_to_stop;
pub use self::state::Metrics;

use self::documents::Documents;
use self::health::Readiness;
use self::overload::{Admission, Rates};
use self::persisted::Persisted;
use self::state::{App, Endpoint};
use self::subscriptions::Subscriptions;
use crate::api::Service;

/// A server that is set up and not yet listening.
pub struct Server {
    app: Arc<App>,
    endpoints: Vec<Endpoint>,
}

/// What a server is made of, besides its settings.
pub struct Parts {
    /// The services. The first one is at `/graphql`, too.
    pub services: Vec<Arc<dyn Service>>,
    /// Who is asking.
    pub authenticate: Arc<dyn Authenticate>,
    /// Whether [`Self::authenticate`] asks for credentials at all.
    pub access: Access,
    /// Who learns of each request.
    pub observer: Arc<dyn Observer>,
    /// The text of `/metrics`.
    pub metrics: Metrics,
}

impl Server {
    /// Checks the settings, the schemas and the trusted documents.
    ///
    /// # Errors
    /// A sentence that says what to do.
    pub fn new(args: ServerArgs, parts: Parts) -> Result<Self, ConfigError> {
        args.check(parts.access)?;
        if parts.services.is_empty() {
            return Err(ConfigError::NoService);
        }
        let documents = documents_of(&args, &parts.services)?;
        let mut persisted = Persisted::open(&args.documents)?;
        if let Some(sent) = board::documents().filter(|_| args.board) {
            persisted.trust("the board", &sent)?;
        }
        check_trusted(&persisted, &documents)?;
        let app = Arc::new(App {
            introspection_allowed: args.introspection_allowed(),
            authenticate: parts.authenticate,
            observer: parts.observer,
            metrics: parts.metrics,
            admission: Admission::new(&args),
            rates: Rates::new(&args, parts.access),
            persisted,
            readiness: Readiness::new(parts.services.clone()),
            draining: AtomicBool::new(false),
            subscriptions: Subscriptions::new(&args),
            args,
        });
        let served = parts.services.into_iter().zip(documents).enumerate();
        let endpoints = served.map(|(number, (service, documents))| Endpoint {
            app: Arc::clone(&app),
            service,
            documents: Arc::new(documents),
            number,
        });
        Ok(Self {
            endpoints: endpoints.collect(),
            app,
        })
    }

    /// Everything the server answers, without a listener: for other runtimes, and to be wrapped.
    pub fn router(&self) -> Router {
        routes::router(&self.app, &self.endpoints)
    }

    /// Answers on `listener` until `stop` ends, then drains: says that it is not ready, takes requests
    /// for the configured grace, and ends when what runs has ended or its time is over. `router` is
    /// [`Self::router`], perhaps wrapped.
    pub async fn serve(
        &self,
        listener: TcpListener,
        router: Router,
        stop: impl Future<Output = ()> + Send,
    ) {
        if let Some(origin) = origin(&listener) {
            let services = self.endpoints.iter().map(|endpoint| &endpoint.service);
            services.for_each(|service| service.listening(&origin));
        }
        serve::serve(&self.app, listener, router, stop).await;
    }
}

fn origin(listener: &TcpListener) -> Option<Url> {
    let address = listener.local_addr().ok()?;
    Url::parse(&format!("http://{address}")).ok()
}

fn documents_of(
    args: &ServerArgs,
    services: &[Arc<dyn Service>],
) -> Result<Vec<Documents>, ConfigError> {
    let each = services.iter().map(|service| {
        Documents::new(service.sdl(), args.documents.clone()).map_err(|reason| {
            ConfigError::Schema {
                service: service.name(),
                reason,
            }
        })
    });
    each.collect()
}

/// Each trusted document has to run on one of the services.
fn check_trusted(persisted: &Persisted, documents: &[Documents]) -> Result<(), ConfigError> {
    for (hash, trusted) in persisted.trusted() {
        let mut told = String::new();
        let runs = documents
            .iter()
            .any(|documents| match &*documents.check(&trusted.text).0 {
                Ok(_) => true,
                Err(errors) => {
                    told = errors
                        .first()
                        .map(|error| error.message.clone())
                        .unwrap_or_default();
                    false
                }
            });
        if !runs {
            let of = trusted.of.to_string();
            let reason = format!("the document {hash} runs on no service: {told}");
            return Err(ConfigError::TrustedDocuments { of, reason });
        }
    }
    Ok(())
}
