//! The GraphQL vocabulary that every service shares: error codes, user errors, pages, scalars, and what
//! a service is to the server. Knows no service and no stored item.

mod connection;
mod error;
mod files;
mod scalars;
mod service;
mod user_error;

pub use connection::{PageArgs, PageInfo};
pub use error::{ApiError, Code, Fault};
pub use files::{FileBody, Files};
pub use scalars::{Date, DateTime, Url, Uuid};
pub use service::Service;
pub use user_error::{UserError, UserErrorCode};
