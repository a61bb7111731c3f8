//! Who answers the SDK: DynamoDB, an endpoint that speaks its protocol, or the embedded store. Everything
//! above this module holds an [`aws_sdk_dynamodb::Client`] and cannot tell.

mod aws;
mod damage;
mod embedded;
mod errors;
mod file;

pub use aws::{connect_aws, connect_aws_streams};
pub use damage::Damage;
pub use embedded::Embedded;
pub use errors::{BackupError, OpenError};
