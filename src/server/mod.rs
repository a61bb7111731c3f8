//! The server around the services: GraphQL over HTTP, what is checked before anything runs, limits,
//! health, the playground, the board's files, and stopping without losing what was accepted. Knows what a
//! service is ([`Service`]) and none of them.
//!
//! # Layout
//!
//! A request passes `connections` and `door` (hosts), `routes` (paths, headers of every answer) and `graphql`
//! (the protocol) to `http`, which asks `identify` and `authenticate` who sent it, admits it (`overload`), looks up its
//! document (`persisted`, `documents`) and lets the service run it. `subscriptions` does the same for operations with
//! many answers. `errors` decides what clients see of failures, `observe`, `record` and `span` what operators see;
//! `telemetry` delivers that.

mod authenticate;
pub mod authentication;
mod board;
mod bundle;
mod config;
mod connections;
mod documents;
mod door;
mod errors;
mod graphql;
mod health;
mod http;
mod identify;
pub mod lambda;
mod load;
mod mounted;
mod observe;
mod overload;
mod persisted;
mod playground;
mod readiness;
mod record;
mod request_id;
mod routes;
mod sending;
mod span;
mod state;
mod subscription_places;
mod subscriptions;
pub mod telemetry;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::Router;
use futures_util::future::BoxFuture;
use tokio::net::TcpListener;
use url::Url;

pub use self::authenticate::{Authenticate, Open, Unauthenticated};
pub use self::board::PATH as BOARD;
pub use self::config::{Access, ConfigError, Entrance, ServerArgs};
pub use self::connections::told_to_stop;
pub use self::documents::{Lookup, OperationType};
pub use self::load::Load;
pub use self::observe::{Observer, RequestRecord, Unobserved};
pub use self::state::Metrics;

use self::documents::Documents;
use self::door::Door;
use self::overload::{Admission, Arriving, Rates};
use self::persisted::Persisted;
use self::readiness::Readiness;
use self::sending::Sending;
use self::state::{App, Endpoint};
use self::subscription_places::SubscriptionPlaces;
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
            arriving: Arriving::new(&args),
            sending: Arc::new(Sending::new(&args)),
            rates: Rates::new(&args, parts.access),
            persisted,
            readiness: Readiness::new(parts.services.clone()),
            draining: AtomicBool::new(false),
            subscriptions: SubscriptionPlaces::new(&args),
            door: Arc::new(Door::new(&args, parts.access)),
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

    /// Is ready only while the store is sound, as well as the services. Asked no more than once a second.
    pub fn ready_while(
        &self,
        sound: impl Fn() -> BoxFuture<'static, bool> + Send + Sync + 'static,
    ) {
        self.app.readiness.ask(Box::new(sound));
    }

    /// Reports what there is to do, whenever it is asked.
    pub fn load(&self) -> impl Fn() -> Load + Send + Sync + 'static {
        let app = Arc::clone(&self.app);
        move || {
            let (running, queued) = app.admission.load();
            let (subscriptions, websockets) = app.subscriptions.load();
            Load {
                running,
                queued,
                subscriptions,
                websockets,
                failed_key_fetches: 0,
            }
        }
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
        let services = self.endpoints.iter();
        let stopping = services.map(|endpoint| endpoint.service.stopping());
        let handed_back = async { drop(futures_util::future::join_all(stopping).await) };
        let routers = (router, routes::crowded(&self.app));
        connections::serve(&self.app, listener, routers, stop, handed_back).await;
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
