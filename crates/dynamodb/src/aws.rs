//! DynamoDB itself, or whatever the SDK's own settings name instead.

use std::time::Duration;

use aws_config::retry::RetryConfig;
use aws_config::timeout::TimeoutConfig;
use aws_config::{BehaviorVersion, SdkConfig};
use aws_sdk_dynamodb::Client;

/// A client by the SDK's standard chain: environment, profile, SSO, role; region; and
/// `AWS_ENDPOINT_URL_DYNAMODB` for DynamoDB Local and other stores that speak the protocol. Makes no call.
///
/// An attempt may take 2 s, a call with its retries 5 s: far beyond what DynamoDB takes, and shorter than
/// the server's limit on a request, so that a database which does not answer is told from one that is slow.
pub async fn connect_aws() -> Client {
    Client::new(&settings().await)
}

/// A client of the tables' streams, by the same chain. `AWS_ENDPOINT_URL_DYNAMODB` names its endpoint, too,
/// unless `AWS_ENDPOINT_URL_DYNAMODB_STREAMS` does: DynamoDB Local answers both at one. Makes no call.
pub async fn connect_aws_streams() -> aws_sdk_dynamodbstreams::Client {
    let settings = settings().await;
    let mut config = aws_sdk_dynamodbstreams::config::Builder::from(&settings);
    if std::env::var_os("AWS_ENDPOINT_URL_DYNAMODB_STREAMS").is_none()
        && let Ok(endpoint) = std::env::var("AWS_ENDPOINT_URL_DYNAMODB")
    {
        config = config.endpoint_url(endpoint);
    }
    aws_sdk_dynamodbstreams::Client::from_conf(config.build())
}

async fn settings() -> SdkConfig {
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(Duration::from_secs(1))
        .operation_attempt_timeout(Duration::from_secs(2))
        .operation_timeout(Duration::from_secs(5))
        .build();
    aws_config::defaults(BehaviorVersion::latest())
        .retry_config(RetryConfig::standard().with_max_attempts(3))
        .timeout_config(timeouts)
        .load()
        .await
}
