//! The GraphQL vocabulary that every service shares: error codes, user errors, pages, scalars, and what
//! a service is to the server. Knows no service and no stored item.

// The futures of resolvers, loaders and the SDK's calls nest deeper than the default allows.
#![recursion_limit = "256"]

mod allowance;
mod confirmed;
mod connection;
mod described;
mod error;
pub mod federation;
mod hosted;
mod http;
mod lists;
mod live;
mod loader;
mod node;
mod nullability;
mod page;
mod payload;
mod presented;
mod rate_limit;
mod request_origin;
mod service;
mod session;
mod shared;
mod user_error;
pub mod viewer;

pub use allowance::{Allowance, AnswerBudget, Counted};
#[doc(hidden)]
pub use chrono;
pub use connection::{PageArgs, PageInfo};
pub use described::{Described, SchemaDescription};
pub use error::{ApiError, Code, Fault};
pub use hosted::{GraphqlService, sdl};
pub use http::{ClientAddress, HttpBody, HttpHandler, HttpRoute, Viewers, http_response};
pub use lists::list_size;
pub use live::{EventBus, Lagged};
pub use node::{IdBytes, Kind, Node, NodeQuery, Nodes, found};
pub use nullability::semantic_non_null;
pub use page::{Connection, Edge, Listed, Paged, PlacedRow, following, page, page_args};
pub use payload::{
    Batch, Failed, FromRequest, MutationResult, QueryResult, broken_rules, entries, user_errors,
    with_id_at,
};
pub use presented::{Authentication, Bearer, PresentedCredentials, network};
pub use rate_limit::{AddressLimit, CountedUse, Limit, Log, RateLimit};
pub use request_origin::{named_by_request, request_origin};
pub use service::{FinishedDeletes, Service, UnfinishedError};
pub use session::{Revision, Session, request_data, session};
pub use trestle_domain::{
    Date, DateTime, Input, OffsetDateTime, SafeInt, Scalar, Url, Uuid, Version,
};
#[doc(hidden)]
pub use trestle_table as table;
pub use user_error::{UserError, UserErrorCode};

// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
