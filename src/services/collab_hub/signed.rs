//! Signed URLs to read files.

use std::sync::Arc;
use std::time::Duration;

use async_graphql::Context;

use crate::api::{Answer, ApiError, Session, Url, session};
use crate::domain::Text;
use crate::files::{Download, Files};

/// How long a URL to read a file is valid.
const LIFETIME: Duration = Duration::from_secs(5 * 60);

/// The service's files.
///
/// # Errors
/// INTERNAL_SERVER_ERROR if the service has none, which is a bug.
pub fn files(session: &Session) -> Result<Arc<Files>, ApiError> {
    let missing = || ApiError::internal(std::io::Error::other("the service has no files"));
    session.given::<Files>().ok_or_else(missing)
}

/// A URL to a file, for the viewer, who may read it. Signed here: no call to the store.
pub async fn url(ctx: &Context<'_>, key: Option<&Text<1, 200>>) -> Answer<Url> {
    let key = key?;
    let sign = async {
        let session = session(ctx)?;
        let download = Download {
            reader: Some(session.viewer.subject().to_owned()),
            ..Download::default()
        };
        let signed = files(session)?
            .download_url(key.as_str(), &download, LIFETIME)
            .await
            .map_err(ApiError::internal)?;
        Ok(Url(signed.url.to_string()))
    };
    Some(sign.await)
}
