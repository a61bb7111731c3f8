//! The server around the services: GraphQL over HTTP, what is checked before anything runs, limits,
//! health, the playground, the files of front ends, and stopping without losing what was accepted. Knows what a
//! service is ([`Service`]) and none of them.
//!
//! # Layout
//!
//! A request passes `connections` and `allowed_hosts` (hosts), `routes` (paths, headers of every answer) and `graphql`
//! (the protocol) to `http`, which asks `identify` and `authenticate` who sent it, admits it (`overload`), looks up its
//! document (`persisted`, `documents`) and lets the service run it. `subscriptions` does the same for operations with
//! many answers. Answers get room in `answer_room` until they are sent. `errors` decides what clients see of failures,
//! `observe`, `record` and `span` what operators see;
//! `telemetry` delivers that.

// The futures of resolvers, loaders and the SDK's calls nest deeper than the default allows.
#![recursion_limit = "256"]

mod allowed_hosts;
mod answer_room;
mod authenticate;
pub mod authentication;
mod body_budget;
mod bundle;
mod checks;
mod config;
mod connections;
mod doc_files;
mod docs;
mod documents;
mod errors;
mod executor;
mod fair_limiter;
mod front_ends;
mod graphql;
mod health;
mod http;
mod identify;
mod index;
#[cfg_attr(not(feature = "lambda"), path = "no_lambda.rs")]
pub mod lambda;
mod load;
mod metrics_text;
mod mounted;
mod observe;
mod origins;
mod overload;
mod page_sign_in;
mod pending_response;
mod persisted;
mod playground;
mod readiness;
mod record;
mod reload;
mod rendered_docs;
mod request_id;
mod request_rules;
mod response_budget;
mod routes;
mod sent_response;
mod settings_file;
mod shares;
mod signals;
mod span;
mod state;
mod subscription_limiter;
mod subscriptions;
pub mod telemetry;
mod timed_body;
mod unread_body;
mod unsent;

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use axum::Router;
use futures_util::future::BoxFuture;
use tokio::net::TcpListener;
use url::Url;

pub use self::authenticate::{Authenticate, Open, Unauthenticated};
pub use self::config::{Access, ConfigError, Introspection, Listener, Playground, ServerArgs};
pub use self::documents::{Lookup, OperationType, subgraph};
pub use self::executor::ServiceExecutor;
pub use self::front_ends::FrontEnd;
pub use self::load::Load;
pub use self::observe::{NoopObserver, Observer, RequestRecord};
pub use self::page_sign_in::PageSignIn;
pub use self::reload::Reloaded;
pub use self::signals::{end_in, stop_between, told_to_stop};
pub use self::state::Metrics;

use self::allowed_hosts::AllowedHosts;
use self::body_budget::BodyBudget;
use self::checks::Checks;
use self::documents::Documents;
use self::load::Reloads;
use self::overload::{Admission, RateLimits};
use self::persisted::PersistedDocuments;
use self::readiness::Readiness;
use self::response_budget::ResponseBudget;
use self::state::{App, Endpoint};
use self::subscription_limiter::SubscriptionLimiter;
use self::unsent::Unsent;
use trestle_api::Service;

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

/// Whether this build has the front ends.
///
/// # Errors
/// What was missing when it was built.
pub fn has_pages() -> Result<(), &'static str> {
    trestle_pages::MISSING.map_or(Ok(()), Err)
}

impl Server {
    /// Checks the settings, the schemas and the trusted documents.
    ///
    /// # Errors
    /// A sentence that says what to do.
    pub fn new(args: ServerArgs, parts: Parts) -> Result<Self, ConfigError> {
        if parts.services.is_empty() {
            return Err(ConfigError::NoService);
        }
        let names: Vec<_> = parts
            .services
            .iter()
            .map(|service| service.name())
            .collect();
        args.check(parts.access, &names)?;
        let documents = documents_of(&args, &parts.services)?;
        let documents: Vec<_> = documents.into_iter().map(Arc::new).collect();
        let mut front_ends = args.front_ends(&names);
        let persisted = PersistedDocuments::open(&args.documents, &mut front_ends, &documents)?;
        let app = Arc::new(App {
            introspection_allowed: args.introspection_allowed(parts.access),
            access: parts.access,
            authenticate: parts.authenticate,
            observer: parts.observer,
            metrics: parts.metrics,
            admission: Admission::new(&args),
            checks: Checks::new(),
            body_budget: Arc::new(BodyBudget::new(&args)),
            params_budget: Arc::new(BodyBudget::new(&args)),
            response_budget: Arc::new(ResponseBudget::new(&args)),
            unsent: Unsent::default(),
            rates: RateLimits::new(&args, parts.access),
            persisted,
            readiness: Readiness::new(parts.services.clone()),
            reloads: Reloads::default(),
            is_named_by_requests: AtomicBool::new(true),
            reported_proxy: AtomicBool::new(false),
            draining: AtomicBool::new(false),
            subscriptions: SubscriptionLimiter::new(&args),
            allowed_hosts: Arc::new(AllowedHosts::new(&args, parts.access)),
            front_ends,
            args,
        });
        let served = parts.services.into_iter().zip(documents).enumerate();
        let endpoints = served.map(|(number, (service, documents))| Endpoint {
            app: Arc::clone(&app),
            service,
            documents,
            number,
        });
        Ok(Self {
            endpoints: endpoints.collect(),
            app,
        })
    }

    /// The front ends that it serves.
    pub fn front_ends(&self) -> &[&'static FrontEnd] {
        &self.app.front_ends
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

    /// Reads the file of trusted documents and `files` again when they change, and on SIGHUP. Whoever is connected is
    /// asked for their credentials again then.
    ///
    /// # Errors
    /// When the system does not let the signal be watched.
    pub fn keep_current(&self, mut files: Vec<Reloaded>) -> io::Result<()> {
        let app = Arc::clone(&self.app);
        let documents: Vec<_> = self
            .endpoints
            .iter()
            .map(|endpoint| Arc::clone(&endpoint.documents))
            .collect();
        if let Some(path) = self.app.args.documents.trusted_documents.clone() {
            files.push(Reloaded {
                path,
                read: Box::new(move || {
                    let read = app.persisted.read_again(&documents);
                    read.map_err(|error| error.to_string())
                }),
            });
        }
        reload::keep_current(Arc::clone(&self.app), files)
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
                is_ready: app.readiness.was_ready() && !app.draining.load(Relaxed),
                reloads: app.reloads.changed.load(Relaxed),
                refused_reloads: app.reloads.refused.load(Relaxed),
                unusable_files: app.reloads.unusable.load(Relaxed),
                ..Load::default()
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
            self.app.is_named_by_requests.store(false, Relaxed);
            let services = self.endpoints.iter().map(|endpoint| &endpoint.service);
            services.for_each(|service| service.on_listening(&origin));
        }
        let services = self.endpoints.iter();
        let stopping = services.map(|endpoint| endpoint.service.stopping());
        let handed_back = async { drop(futures_util::future::join_all(stopping).await) };
        let crowded = routes::crowded(&self.app);
        connections::serve(&self.app, listener, router, crowded, stop, handed_back).await;
    }
}

/// Where clients reach the listener. `None` if it listens on every address, which is none that they could ask.
fn origin(listener: &TcpListener) -> Option<Url> {
    let address = listener.local_addr().ok()?;
    if address.ip().is_unspecified() {
        return None;
    }
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

// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
