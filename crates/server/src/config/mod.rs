//! The server's settings: flags, environment variables of the same names, defaults, and the sentences
//! that refuse what cannot be. Knows no service and no way of authenticating.

mod connections;
mod documents;
mod memory;
mod subscriptions;

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use axum::http::HeaderValue;
use clap::builder::Resettable;
use clap::{Args, Command, FromArgMatches as _, ValueEnum};

use super::front_ends::{self, FrontEnd};
use super::origins;
use super::page_sign_in::PageSignIn;

pub use self::connections::ConnectionArgs;
pub use self::documents::DocumentArgs;
pub use self::subscriptions::SubscriptionArgs;
use trestle_service::flags::{Switch, address, at_least_one, period, time};

/// Memory for answers unless it is configured, if the process may use a multiple of it.
const MOST_SENDING: usize = 64 * 1024 * 1024;

/// Bytes of a request's body for each value that its JSON may have.
const BYTES_A_VALUE: usize = 10;
/// Values that every request may have.
const LEAST_VALUES: usize = 10_000;

/// Address, limits and features of the server.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Server")]
pub struct ServerArgs {
    /// Address and port to listen on. A name such as localhost:8000 is resolved
    #[arg(
        long,
        env = "TRESTLE_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8000",
        value_parser = address
    )]
    pub listen: SocketAddr,

    /// Serve without authentication on an address that others can reach, or behind a proxy
    #[arg(long, env = "TRESTLE_INSECURE", value_parser = Switch)]
    pub insecure: bool,

    /// Maximum size of a request body, in bytes. Its JSON may have a value in every 10 of them
    #[arg(
        long,
        env = "TRESTLE_MAX_BODY_BYTES",
        default_value_t = 1024 * 1024,
        value_parser = at_least_one::<usize>
    )]
    pub max_body_bytes: usize,

    /// Maximum size of an answer, in bytes
    #[arg(
        long,
        env = "TRESTLE_MAX_ANSWER_BYTES",
        default_value_t = 8 * 1024 * 1024,
        value_parser = at_least_one::<usize>
    )]
    pub max_answer_bytes: usize,

    /// Memory for request bodies of more than 16 KiB that are being received, in bytes
    #[arg(
        long,
        env = "TRESTLE_MAX_ARRIVING_BYTES",
        default_value_t = 32 * 1024 * 1024,
        value_parser = at_least_one::<usize>
    )]
    pub max_arriving_bytes: usize,

    /// Maximum duration of a request. It is cancelled then
    #[arg(
        long,
        env = "TRESTLE_REQUEST_TIMEOUT",
        value_name = "TIME",
        default_value = "10s",
        value_parser = period
    )]
    pub request_timeout: Duration,

    /// Maximum number of concurrent requests
    #[arg(
        long,
        env = "TRESTLE_MAX_CONCURRENT",
        default_value = "256",
        value_parser = at_least_one::<NonZeroU32>
    )]
    pub max_concurrent: NonZeroU32,

    /// Maximum number of waiting requests. Further ones are rejected with 503
    #[arg(long, env = "TRESTLE_MAX_QUEUED", default_value_t = 512)]
    pub max_queued: u32,

    /// Requests per minute and owner, or subject without an owner [default: 6000, unlimited without authentication]
    #[arg(long, env = "TRESTLE_REQUESTS_PER_MINUTE", value_parser = at_least_one::<NonZeroU32>)]
    pub requests_per_minute: Option<NonZeroU32>,

    /// Estimated cost of requests per minute and owner, or subject without an owner [default: 600000, unlimited without
    /// authentication]
    #[arg(long, env = "TRESTLE_COST_PER_MINUTE", value_parser = at_least_one::<NonZeroU32>)]
    pub cost_per_minute: Option<NonZeroU32>,

    /// Role that allows reading /metrics
    #[arg(
        long,
        env = "TRESTLE_METRICS_ROLE",
        value_name = "ROLE",
        default_value = "metrics"
    )]
    pub metrics_role: String,

    /// Proxies in front of the server, each of which adds to X-Forwarded-For the address it was called from
    ///
    /// Limits by address count the client's own address then. 0 counts the address of the connection.
    #[arg(
        long,
        env = "TRESTLE_TRUSTED_PROXIES",
        value_name = "COUNT",
        default_value_t = 0
    )]
    pub trusted_proxies: u8,

    /// Time before stopping in which /readyz answers 503 and requests are still accepted
    #[arg(
        long,
        env = "TRESTLE_DRAIN_GRACE",
        value_name = "TIME",
        default_value = "1s",
        value_parser = time
    )]
    pub drain_grace: Duration,

    /// Maximum time for running requests to finish when stopping
    #[arg(
        long,
        env = "TRESTLE_DRAIN_TIMEOUT",
        value_name = "TIME",
        default_value = "20s",
        value_parser = time
    )]
    pub drain_timeout: Duration,

    /// Origins whose pages may call the server, separated by commas, such as https://app.example.com, capacitor://localhost, or
    /// https://*.example.com for all hosts with one label in place of the star
    #[arg(
        long,
        env = "TRESTLE_CORS_ORIGINS",
        value_delimiter = ',',
        value_name = "ORIGIN"
    )]
    pub cors_origins: Vec<HeaderValue>,

    /// Whether clients may query the schema
    #[arg(long, env = "TRESTLE_INTROSPECTION", value_enum, default_value_t = Introspection::Auto)]
    pub introspection: Introspection,

    /// Whether browsers receive GraphiQL
    #[arg(long, env = "TRESTLE_PLAYGROUND", value_enum, default_value_t = Playground::On)]
    pub playground: Playground,

    /// Serve neither the board nor the pages of other services, and do not trust their documents
    #[arg(long, env = "TRESTLE_NO_PAGES", value_parser = Switch)]
    pub no_pages: bool,

    /// No effect: earlier releases served the board only if they were asked for it.
    #[arg(long, env = "TRESTLE_BOARD", hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "on")]
    pub board: Option<String>,

    /// The same for the pages of other services. At the time of the build the variable says whether they are bundled.
    #[arg(long, env = "TRESTLE_PAGES", hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "on")]
    pub pages: Option<String>,

    /// Return `extensions.cost` for requests with the header `x-trestle-cost: 1`
    #[arg(long, env = "TRESTLE_EXPOSE_COST", value_parser = Switch)]
    pub expose_cost: bool,

    /// Limits of documents.
    #[command(flatten)]
    pub documents: DocumentArgs,

    /// Limits of connections.
    #[command(flatten)]
    pub connections: ConnectionArgs,

    /// Limits of subscriptions.
    #[command(flatten)]
    pub subscriptions: SubscriptionArgs,

    /// How requests arrive. Not a flag: the process detects it.
    #[arg(skip)]
    pub entrance: Listener,

    /// How people sign in on the pages. Not a flag: the settings of authentication say it.
    #[arg(skip)]
    pub page_sign_in: Option<PageSignIn>,
}

/// How requests arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Listener {
    /// At the address that the server listens on.
    #[default]
    Socket,
    /// As events of AWS Lambda. The server does not listen.
    Lambda,
}

/// Whether clients may query the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Introspection {
    /// On for a loopback address without authentication, where requests of proxies are refused. Off otherwise.
    Auto,
    /// On for every address.
    On,
    /// Off for every address.
    Off,
}

/// Whether browsers receive GraphiQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Playground {
    /// GraphiQL, bundled or from a CDN.
    On,
    /// Only GraphQL.
    Off,
}

/// Whether the server requires credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Every request is from [`Viewer::local`](trestle_api::viewer::Viewer::local).
    Open,
    /// Every request needs credentials.
    Authenticated,
}

/// Settings that contradict each other, or that are unsafe.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// Others can reach the server, and it requires no credentials.
    #[error(
        "{0} can be reached from outside and no authentication is set up. Listen on 127.0.0.1, set \
         up API keys or JWT, or give --insecure if everyone may read and write."
    )]
    OpenToOthers(SocketAddr),
    /// A Lambda function requires no credentials.
    #[error(
        "A Lambda function can be reached from outside and no authentication is set up. Set up API \
         keys or JWT, or set TRESTLE_INSECURE=1 if everyone whom the gateway lets through may read and \
         write."
    )]
    OpenFunction,
    /// Only trusted documents are allowed, and there are none.
    #[error(
        "--only-trusted-documents needs --trusted-documents FILE to say which, or pages that are served."
    )]
    NoTrustedDocuments,
    /// The file of trusted documents cannot be used.
    #[error("The trusted documents of {of} cannot be used: {reason}")]
    TrustedDocuments {
        /// The path of the file, or a front end.
        of: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The value is not an origin.
    #[error(
        "--cors-origins has {0:?}, which is not an origin. Name each origin with scheme and host, as browsers write it: \
         https://app.example.com, capacitor://localhost, or https://*.example.com for all hosts with one label in place of the star."
    )]
    Origin(HeaderValue),
    /// The validator rejects the schema of a service.
    #[error("The schema of {service} is not valid: {reason}")]
    Schema {
        /// The service's name.
        service: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// There is no service to serve.
    #[error("No service was named. Leave out --service to serve all of them.")]
    NoService,
}

impl Default for ServerArgs {
    /// The defaults, without the environment.
    fn default() -> Self {
        let command =
            Self::augment_args(Command::new("serve")).mut_args(|arg| arg.env(Resettable::Reset));
        let matches = command.get_matches_from(["serve"]);
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }
}

impl ServerArgs {
    /// Rejects unsafe and contradictory settings of a server with these services, the first of which answers at `/graphql`.
    ///
    /// # Errors
    /// A sentence that says what to do.
    pub fn check(&self, access: Access, services: &[&str]) -> Result<(), ConfigError> {
        if access == Access::Open && !self.insecure && !self.listens_on_loopback() {
            return Err(match self.entrance {
                Listener::Socket => ConfigError::OpenToOthers(self.listen),
                Listener::Lambda => ConfigError::OpenFunction,
            });
        }
        let documents = &self.documents;
        if documents.only_trusted_documents
            && documents.trusted_documents.is_none()
            && self.front_ends(services).is_empty()
        {
            return Err(ConfigError::NoTrustedDocuments);
        }
        for origin in &self.cors_origins {
            if !origin.to_str().is_ok_and(origins::is_pattern) {
                return Err(ConfigError::Origin(origin.clone()));
            }
        }
        Ok(())
    }

    /// The front ends that this binary has for these services. The board asks `/graphql`, where the first service answers.
    pub fn front_ends(&self, services: &[&str]) -> Vec<&'static FrontEnd> {
        if self.no_pages {
            return Vec::new();
        }
        let first = services.first();
        let all = front_ends::ALL.iter();
        let shown = all.filter(|each| {
            let is_served = services.contains(&each.service);
            let is_asked = !each.asks_first || first == Some(&each.service);
            is_served && is_asked && each.documents().is_some()
        });
        shown.collect()
    }

    /// Whether clients may query the schema.
    pub fn introspection_allowed(&self, access: Access) -> bool {
        match self.introspection {
            Introspection::On => true,
            Introspection::Off => false,
            Introspection::Auto => self.is_private(access),
        }
    }

    /// Memory for answers, in bytes: as much as one answer at least.
    pub(crate) fn most_sending_bytes(&self) -> usize {
        let given = self.connections.max_sending_bytes;
        let most = given.unwrap_or_else(|| (memory::available() / 4).min(MOST_SENDING));
        most.max(self.max_answer_bytes)
    }

    /// The most values and names in the JSON of a request. Texts have more bytes for each, and so do lists of anything
    /// that the services take.
    pub(crate) fn max_values(&self) -> usize {
        (self.max_body_bytes / BYTES_A_VALUE).max(LEAST_VALUES)
    }

    /// Whether only programs on this machine may send requests. With authentication or `--insecure`, a proxy on this
    /// machine may send those of others.
    pub(crate) fn is_private(&self, access: Access) -> bool {
        access == Access::Open && !self.insecure && self.listens_on_loopback()
    }

    pub(crate) fn listens_on_loopback(&self) -> bool {
        self.entrance == Listener::Socket && self.listen.ip().is_loopback()
    }
}
