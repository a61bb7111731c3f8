//! Signed URLs to read files.

use std::sync::Arc;
use std::time::Duration;

use async_graphql::Context;

use super::file_types::described;
use trestle_api::{ApiError, QueryResult, Session, Url, session};
use trestle_domain::Text;
use trestle_files::{Download, Files};

/// The key of an object, or the web address of a file that another program stores elsewhere.
pub type FileKey = Text<1, 2048>;

/// How long a URL to read a file is valid.
const LIFETIME: Duration = Duration::from_secs(60);

/// The service's files.
///
/// # Errors
/// INTERNAL_SERVER_ERROR if the service has none, which is a bug.
pub fn files(session: &Session) -> Result<Arc<Files>, ApiError> {
    session
        .given::<Files>()
        .ok_or_else(|| ApiError::internal(std::io::Error::other("the service has no files")))
}

/// A URL to a file, for the viewer, who may read it. Signed here: no call to the store.
pub async fn url(ctx: &Context<'_>, key: Option<&FileKey>) -> QueryResult<Url> {
    let key = key?;
    let sign = async { sign(session(ctx)?, key.as_str(), LIFETIME).await.map(Url) };
    Some(sign.await)
}

/// As [`url`], valid for some time. What another program stores elsewhere is its own URL.
///
/// # Errors
/// The service has no files, which is a bug.
pub async fn sign(session: &Session, key: &str, lifetime: Duration) -> Result<String, ApiError> {
    if key.starts_with("https://") || key.starts_with("http://") {
        return Ok(key.to_owned());
    }
    let (content_type, name) = described(key).unzip();
    let download = Download {
        reader: Some(session.viewer.subject().to_owned()),
        content_type: content_type.map(str::to_owned),
        name,
    };
    let signed = files(session)?.download_url(key, &download, lifetime).await;
    Ok(signed.map_err(ApiError::internal)?.url.to_string())
}
