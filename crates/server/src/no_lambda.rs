//! What a build without the feature `lambda` says on AWS Lambda.

use axum::Router;

/// Which variable Lambda sets and nobody else does. Source: AWS Lambda, custom runtimes.
const RUNTIME_API: &str = "AWS_LAMBDA_RUNTIME_API";

/// Why serving Lambda events ended.
#[derive(Debug, thiserror::Error)]
pub enum LambdaError {
    /// The build has no Lambda.
    #[error(
        "This build cannot run on AWS Lambda: build it with `--features full`, as `just lambda` does."
    )]
    NotBuilt,
}

/// Whether the process runs on Lambda, so that [`run`] is to serve instead of a socket.
pub fn is_lambda() -> bool {
    std::env::var_os(RUNTIME_API).is_some_and(|value| !value.is_empty())
}

/// Says that it cannot.
///
/// # Errors
/// Always.
pub async fn run(_router: Router) -> Result<(), LambdaError> {
    Err(LambdaError::NotBuilt)
}
