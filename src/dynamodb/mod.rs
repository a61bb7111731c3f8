//! Who answers the SDK: DynamoDB, an endpoint that speaks its protocol, or the embedded store. Everything
//! above this module holds an [`aws_sdk_dynamodb::Client`] and cannot tell.

mod aws;
mod embedded;

pub use aws::{connect_aws, connect_aws_streams};
pub use embedded::{Embedded, OpenError};
