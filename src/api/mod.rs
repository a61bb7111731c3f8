//! The GraphQL vocabulary that every service shares: error codes, user errors, pages, scalars, and what
//! a service is to the server. Knows no service and no stored item.

mod allowance;
mod connection;
mod error;
mod hosted;
mod http;
mod lists;
mod live;
mod loader;
mod node;
mod page;
mod payload;
mod presented;
mod scalars;
mod service;
mod session;
mod shared;
mod user_error;
mod values;

pub use allowance::{Allowance, Counted};
pub use connection::{PageArgs, PageInfo};
pub use error::{ApiError, Code, Fault};
pub use hosted::{Hosted, sdl};
pub use http::{HttpBody, HttpHandler, Mount, Viewers, http_response};
pub use lists::list_size;
pub use live::{Live, Missed};
pub use node::{IdBytes, Kind, Node, NodeQuery, Nodes, found};
pub use page::{Connection, Edge, Listed, Paged, page, page_args};
pub use payload::{
    Answer, Batch, Failed, FromRequest, Written, broken_rules, entries, user_errors, with_id_at,
};
pub use presented::{Authentication, Bearer, Presented};
pub use scalars::{Date, DateTime, OffsetDateTime, SafeInt, Url, Uuid};
pub use service::Service;
pub use session::{Session, Stamp, session};
pub use user_error::{UserError, UserErrorCode};
pub use values::{Given, Scalar, Version};
