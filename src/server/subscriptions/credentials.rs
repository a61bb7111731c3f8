//! Who is connected, asked again while they stay. Knows no protocol.

use apollo_compiler::response::{JsonMap, JsonValue};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use tokio::time::timeout;

use crate::server::state::App;
use crate::viewer::Viewer;

/// The headers that hold credentials.
const NAMES: [HeaderName; 2] = [header::AUTHORIZATION, HeaderName::from_static("x-api-key")];

/// What a client brought to say who it is.
#[derive(Clone, Debug, Default)]
pub(super) struct Credentials(HeaderMap);

impl Credentials {
    /// Those in a request's headers.
    pub(super) fn of_headers(headers: &HeaderMap) -> Self {
        let mut kept = HeaderMap::new();
        for name in NAMES {
            for value in headers.get_all(&name) {
                kept.append(&name, value.clone());
            }
        }
        Self(kept)
    }

    /// Those in the payload of `connection_init`, named as the headers are: browsers cannot send headers
    /// when they connect.
    pub(super) fn of_payload(payload: &JsonMap) -> Self {
        let mut kept = HeaderMap::new();
        for (name, value) in payload {
            let name = NAMES
                .into_iter()
                .find(|known| name.as_str().eq_ignore_ascii_case(known.as_str()));
            if let (Some(name), JsonValue::String(text)) = (name, value)
                && let Ok(value) = HeaderValue::from_str(text.as_str())
            {
                kept.append(name, value);
            }
        }
        Self(kept)
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The viewer that they stand for now; `None` also where that takes longer than a request may.
    pub(super) async fn viewer(&self, app: &App) -> Option<Viewer> {
        let asked = app.authenticate.authenticate(&self.0);
        timeout(app.args.request_timeout, asked).await.ok()?.ok()
    }
}
