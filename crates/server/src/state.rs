//! What every request finds: the settings, the gates it passes, and the service it is for.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::allowed_hosts::AllowedHosts;
use super::authenticate::Authenticate;
use super::body_budget::BodyBudget;
use super::checks::Checks;
use super::config::{Access, ServerArgs};
use super::documents::Documents;
use super::front_ends::FrontEnd;
use super::load::Reloads;
use super::observe::Observer;
use super::overload::{Admission, RateLimits};
use super::persisted::PersistedDocuments;
use super::readiness::Readiness;
use super::response_budget::ResponseBudget;
use super::subscription_limiter::SubscriptionLimiter;
use super::unsent::Unsent;
use trestle_api::Service;

/// The text of `/metrics`, in OpenMetrics.
pub type Metrics = Arc<dyn Fn() -> String + Send + Sync>;

/// What all services share.
pub(super) struct App {
    pub(super) args: ServerArgs,
    pub(super) access: Access,
    pub(super) introspection_allowed: bool,
    pub(super) authenticate: Arc<dyn Authenticate>,
    pub(super) observer: Arc<dyn Observer>,
    pub(super) metrics: Metrics,
    pub(super) admission: Admission,
    pub(super) checks: Checks,
    /// Room for bodies that arrive.
    pub(super) body_budget: Arc<BodyBudget>,
    /// Room for the parameters of requests, until they have been answered.
    pub(super) params_budget: Arc<BodyBudget>,
    pub(super) response_budget: Arc<ResponseBudget>,
    pub(super) unsent: Unsent,
    pub(super) rates: RateLimits,
    pub(super) persisted: PersistedDocuments,
    pub(super) readiness: Readiness,
    pub(super) reloads: Reloads,
    pub(super) subscriptions: SubscriptionLimiter,
    pub(super) allowed_hosts: Arc<AllowedHosts>,
    pub(super) front_ends: Vec<&'static FrontEnd>,
    /// Whether only requests say where clients reach the server: it listens on every address, or on none.
    pub(super) is_named_by_requests: AtomicBool,
    /// Set when a request of a proxy that is not trusted was reported.
    pub(super) reported_proxy: AtomicBool,
    /// Set when the server has been told to stop.
    pub(super) draining: AtomicBool,
}

impl App {
    /// Whether everybody may read the schemas: those who may query them without credentials.
    pub(super) fn shows_schemas(&self) -> bool {
        self.introspection_allowed && self.access == Access::Open
    }
}

/// One service at its path.
#[derive(Clone)]
pub(super) struct Endpoint {
    pub(super) app: Arc<App>,
    pub(super) service: Arc<dyn Service>,
    pub(super) documents: Arc<Documents>,
    /// The service's place among the others: one's persisted queries are not another's.
    pub(super) number: usize,
}
