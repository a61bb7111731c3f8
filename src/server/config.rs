//! The server's settings: flags, environment variables of the same names, defaults, and the sentences
//! that refuse what cannot be. Knows no service and no way of authenticating.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use axum::http::HeaderValue;
use clap::{Args, ValueEnum};

use super::board;
pub use super::subscriptions::SubscriptionArgs;
use super::values::{Switch, address, at_least_one, period, time};

/// How the server listens, what it allows and where it stops.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Server")]
pub struct ServerArgs {
    /// Address and port to listen on; a name such as localhost:8000 is looked up
    #[arg(
        long,
        env = "TRESTLE_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8000",
        value_parser = address
    )]
    pub listen: SocketAddr,

    /// Serve an address that others can reach without authentication
    #[arg(long, env = "TRESTLE_INSECURE", value_parser = Switch)]
    pub insecure: bool,

    /// Largest request body, in bytes
    #[arg(
        long,
        env = "TRESTLE_MAX_BODY_BYTES",
        default_value_t = 1024 * 1024,
        value_parser = at_least_one::<usize>
    )]
    pub max_body_bytes: usize,

    /// Time for one request; what it still does is cancelled then
    #[arg(
        long,
        env = "TRESTLE_REQUEST_TIMEOUT",
        value_name = "TIME",
        default_value = "10s",
        value_parser = period
    )]
    pub request_timeout: Duration,

    /// Requests that run at the same time
    #[arg(
        long,
        env = "TRESTLE_MAX_CONCURRENT",
        default_value = "256",
        value_parser = at_least_one::<NonZeroU32>
    )]
    pub max_concurrent: NonZeroU32,

    /// Requests that wait for others to end; more are turned away with 503
    #[arg(long, env = "TRESTLE_MAX_QUEUED", default_value_t = 512)]
    pub max_queued: u32,

    /// Requests of one subject in a minute [default: 6000, none without authentication]
    #[arg(long, env = "TRESTLE_REQUESTS_PER_MINUTE", value_parser = at_least_one::<NonZeroU32>)]
    pub requests_per_minute: Option<NonZeroU32>,

    /// Estimated cost of one subject's requests in a minute [default: 600000, none without
    /// authentication]
    #[arg(long, env = "TRESTLE_COST_PER_MINUTE", value_parser = at_least_one::<NonZeroU32>)]
    pub cost_per_minute: Option<NonZeroU32>,

    /// Time in which /readyz already says no and requests are still taken, before stopping
    #[arg(
        long,
        env = "TRESTLE_DRAIN_GRACE",
        value_name = "TIME",
        default_value = "1s",
        value_parser = time
    )]
    pub drain_grace: Duration,

    /// Time for running requests to finish when stopping
    #[arg(
        long,
        env = "TRESTLE_DRAIN_TIMEOUT",
        value_name = "TIME",
        default_value = "20s",
        value_parser = time
    )]
    pub drain_timeout: Duration,

    /// Origins whose pages may call the server from a browser, separated by commas
    #[arg(
        long,
        env = "TRESTLE_CORS_ORIGINS",
        value_delimiter = ',',
        value_name = "ORIGIN"
    )]
    pub cors_origins: Vec<HeaderValue>,

    /// Whether clients may ask for the schema: `auto` is on for a loopback address, off on Lambda
    #[arg(long, env = "TRESTLE_INTROSPECTION", value_enum, default_value_t = Introspection::Auto)]
    pub introspection: Introspection,

    /// Whether browsers get GraphiQL
    #[arg(long, env = "TRESTLE_PLAYGROUND", value_enum, default_value_t = Playground::On)]
    pub playground: Playground,

    /// Serve the board at /board/, and trust the documents that it sends
    #[arg(long, env = "TRESTLE_BOARD", value_parser = Switch)]
    pub board: bool,

    /// Answer `extensions.cost` to requests with the header `x-trestle-cost: 1`
    #[arg(long, env = "TRESTLE_EXPOSE_COST", value_parser = Switch)]
    pub expose_cost: bool,

    /// What a document may be.
    #[command(flatten)]
    pub documents: DocumentArgs,

    /// What may be watched at the same time.
    #[command(flatten)]
    pub subscriptions: SubscriptionArgs,

    /// How requests come in. Not a flag: the process knows where it runs.
    #[arg(skip)]
    pub entrance: Entrance,
}

/// How requests come in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Entrance {
    /// By the address that the server listens on.
    #[default]
    Socket,
    /// As events of AWS Lambda, from whoever its gateway or URL lets through: nothing listens.
    Lambda,
}

/// What a document may be, and how many are remembered.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Documents")]
pub struct DocumentArgs {
    /// Largest document, in bytes
    #[arg(
        long,
        env = "TRESTLE_MAX_DOCUMENT_BYTES",
        default_value_t = 64 * 1024,
        value_parser = at_least_one::<usize>
    )]
    pub max_document_bytes: usize,

    /// Tokens in a document
    #[arg(
        long,
        env = "TRESTLE_MAX_TOKENS",
        default_value_t = 2000,
        value_parser = at_least_one::<usize>
    )]
    pub max_tokens: usize,

    /// Fields within fields, through fragments
    #[arg(long, env = "TRESTLE_MAX_DEPTH", default_value_t = 15,
          value_parser = clap::value_parser!(u32).range(1..=28))]
    pub max_depth: u32,

    /// Fields of an operation, counted through fragments
    #[arg(
        long,
        env = "TRESTLE_MAX_FIELDS",
        default_value_t = 500,
        value_parser = at_least_one::<u32>
    )]
    pub max_fields: u32,

    /// Aliases of an operation, counted through fragments
    #[arg(long, env = "TRESTLE_MAX_ALIASES", default_value_t = 30)]
    pub max_aliases: u32,

    /// Fields at the root of an operation
    #[arg(
        long,
        env = "TRESTLE_MAX_ROOT_FIELDS",
        default_value_t = 20,
        value_parser = at_least_one::<u32>
    )]
    pub max_root_fields: u32,

    /// Directives of an operation, counted through fragments
    #[arg(long, env = "TRESTLE_MAX_DIRECTIVES", default_value_t = 20)]
    pub max_directives: u32,

    /// Operations in a document
    #[arg(
        long,
        env = "TRESTLE_MAX_OPERATIONS",
        default_value_t = 10,
        value_parser = at_least_one::<u32>
    )]
    pub max_operations: u32,

    /// Estimated cost of an operation: about one for each object, page sizes multiply
    #[arg(
        long,
        env = "TRESTLE_MAX_COST",
        default_value_t = 10_000,
        value_parser = at_least_one::<u64>
    )]
    pub max_cost: u64,

    /// Memory for documents that were checked, of each service, in bytes
    #[arg(long, env = "TRESTLE_DOCUMENT_CACHE_BYTES", default_value_t = 32 * 1024 * 1024)]
    pub document_cache_bytes: u64,

    /// Memory for automatic persisted queries, in bytes
    #[arg(long, env = "TRESTLE_PERSISTED_QUERY_BYTES", default_value_t = 8 * 1024 * 1024)]
    pub persisted_query_bytes: u64,

    /// A JSON object of trusted documents by their hashes
    #[arg(long, env = "TRESTLE_TRUSTED_DOCUMENTS", value_name = "FILE")]
    pub trusted_documents: Option<PathBuf>,

    /// Run trusted documents and nothing else
    #[arg(long, env = "TRESTLE_ONLY_TRUSTED_DOCUMENTS", value_parser = Switch)]
    pub only_trusted_documents: bool,
}

/// Whether clients may ask for the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Introspection {
    /// On for a loopback address, off for others and on Lambda.
    Auto,
    /// Everywhere.
    On,
    /// Nowhere.
    Off,
}

/// Whether browsers get GraphiQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Playground {
    /// GraphiQL, bundled or from a CDN.
    On,
    /// Nothing but GraphQL.
    Off,
}

/// Whether the server asks for credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Anyone is [`Viewer::local`](crate::viewer::Viewer::local).
    Open,
    /// Every request needs credentials.
    Authenticated,
}

/// Settings that contradict each other or their surroundings.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// Others could reach a server that asks for nothing.
    #[error(
        "{0} can be reached from outside and no authentication is set up. Listen on 127.0.0.1, set \
         up API keys or JWT, or give --insecure if everyone may read and write."
    )]
    OpenToOthers(SocketAddr),
    /// Whoever reaches the function could use a server that asks for nothing.
    #[error(
        "A Lambda function can be reached from outside and no authentication is set up. Set up API \
         keys or JWT, or set TRESTLE_INSECURE=1 if everyone whom the gateway lets through may read and \
         write."
    )]
    OpenFunction,
    /// Nothing could ever run.
    #[error("--only-trusted-documents needs --trusted-documents FILE or --board to say which.")]
    NoTrustedDocuments,
    /// There is no board in the binary.
    #[error(
        "This binary was built without the board. Run `just board` (it needs Node), build the binary \
         again, and then give --board."
    )]
    NoBoard,
    /// The file of trusted documents cannot be used.
    #[error("The trusted documents of {of} cannot be used: {reason}")]
    TrustedDocuments {
        /// The file as it was named, or the board.
        of: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Cross-origin requests from anywhere.
    #[error(
        "{0:?} is not an origin. Name each origin with scheme and host, like https://app.example.com."
    )]
    Origin(HeaderValue),
    /// A service whose schema the validator does not take.
    #[error("The schema of {service} is not valid: {reason}")]
    Schema {
        /// The service's name.
        service: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// Nothing to serve.
    #[error("No service was named. Leave out --service to serve all of them.")]
    NoService,
}

impl ServerArgs {
    /// Refuses what would be unsafe or useless to start with.
    ///
    /// # Errors
    /// A sentence that says what to do.
    pub fn check(&self, access: Access) -> Result<(), ConfigError> {
        if access == Access::Open && !self.insecure && !self.is_private() {
            return Err(match self.entrance {
                Entrance::Socket => ConfigError::OpenToOthers(self.listen),
                Entrance::Lambda => ConfigError::OpenFunction,
            });
        }
        let names_documents = self.board || self.documents.trusted_documents.is_some();
        if self.documents.only_trusted_documents && !names_documents {
            return Err(ConfigError::NoTrustedDocuments);
        }
        if self.board && board::documents().is_none() {
            return Err(ConfigError::NoBoard);
        }
        for origin in &self.cors_origins {
            let is_origin = origin
                .to_str()
                .ok()
                .and_then(|text| url::Url::parse(text).ok());
            let is_origin = is_origin.is_some_and(|url| {
                origin.as_bytes() == url.origin().ascii_serialization().as_bytes()
            });
            if !is_origin {
                return Err(ConfigError::Origin(origin.clone()));
            }
        }
        Ok(())
    }

    /// Whether clients may ask for the schema, with `auto` decided.
    pub fn introspection_allowed(&self) -> bool {
        match self.introspection {
            Introspection::On => true,
            Introspection::Off => false,
            Introspection::Auto => self.is_private(),
        }
    }

    /// Whether nobody but programs of this machine can ask.
    fn is_private(&self) -> bool {
        self.entrance == Entrance::Socket && self.listen.ip().is_loopback()
    }
}
