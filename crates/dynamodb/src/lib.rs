//! Who answers the SDK: DynamoDB, an endpoint that speaks its protocol, or the embedded store. Everything
//! above this module holds an [`aws_sdk_dynamodb::Client`] and cannot tell.

mod accepting;
mod answering;
mod aws;
mod connected;
mod damage;
mod described;
mod embedded;
mod errors;
mod file;
mod identity;
mod log;
mod operations;
mod rebuilding;
mod repair;
mod restoring;
mod rows;
mod stopping;
mod sweeping;
mod unfinished;
mod unreadable;
mod write_count;
mod write_record;

pub use accepting::Accepted;
pub use aws::{connect_aws, connect_aws_streams};
pub use damage::Damage;
pub use described::ExpectedIndex;
pub use embedded::Embedded;
pub use errors::{BackupError, OpenError, RepairError};
pub use repair::Repaired;
pub use rows::MARK as UNREADABLE;
pub use stopping::between_writes;

// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
