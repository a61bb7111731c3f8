//! DynamoDB itself, or whatever the SDK's own settings name instead.

use std::time::Duration;

use aws_config::BehaviorVersion;
use aws_config::retry::RetryConfig;
use aws_config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::Client;

/// A client by the SDK's standard chain: environment, profile, SSO, role; region; and
/// `AWS_ENDPOINT_URL_DYNAMODB` for DynamoDB Local and other stores that speak the protocol. Makes no call.
///
/// An attempt may take 2 s, a call with its retries 5 s: far beyond what DynamoDB takes, and shorter than
/// the server's limit on a request, so that a database which does not answer is told from one that is slow.
pub async fn connect_aws() -> Client {
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(Duration::from_secs(1))
        .operation_attempt_timeout(Duration::from_secs(2))
        .operation_timeout(Duration::from_secs(5))
        .build();
    let config = aws_config::defaults(BehaviorVersion::latest())
        .retry_config(RetryConfig::standard().with_max_attempts(3))
        .timeout_config(timeouts)
        .load()
        .await;
    Client::new(&config)
}
