//! The SDK's HTTP client that reaches the embedded store, and the credentials that the SDK signs with.

use aws_sdk_dynamodb::config::Credentials;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;

/// The SDK asks an HTTP client for a connector; this one has just the one.
#[derive(Clone, Debug)]
pub(super) struct Connected(pub(super) SharedHttpConnector);

impl HttpClient for Connected {
    fn http_connector(
        &self,
        _: &HttpConnectorSettings,
        _: &RuntimeComponents,
    ) -> SharedHttpConnector {
        self.0.clone()
    }
}

pub(super) fn credentials() -> Credentials {
    Credentials::new("embedded", "embedded", None, None, "embedded")
}
