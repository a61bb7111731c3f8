//! What answers take while their clients do not read them, for all that were not given room where they were made: pages,
//! files, metrics. HTTP/2 lets one connection ask for many and read none.

use std::sync::Arc;

use axum::body::HttpBody as _;
use axum::extract::{Request, State};
use axum::http::header;
use axum::middleware::Next;
use axum::response::Response;
use tokio::time::timeout;
use tower_http::compression::predicate::{NotForContentType, Predicate as _, SizeAbove};

use super::connections::InUse;
use super::http::accept::{Media, takes_compression};
use super::http::refusal::Refusal;
use super::identify::{address, stranger};
use super::overload::{Admission, RateLimitKey};
use super::pending_response::PendingResponse;
use super::response_budget::{ResponsePermit, SMALL};
use super::state::App;
use super::unsent::{Compressed, SharedBytes};

/// Answers of fewer bytes are sent as they are: compressing them costs more than it saves.
const LEAST_COMPRESSED: u64 = 1024;

/// Gives an answer the room that it has not got yet, and a place to be compressed.
pub(super) async fn bound(
    State(app): State<Arc<App>>,
    request: Request,
    next: Next,
) -> Result<Response, Response> {
    let (parts, body) = request.into_parts();
    let is_compressible = takes_compression(&parts.headers);
    let connection = parts.extensions.get::<InUse>().cloned();
    let address = address(&parts, app.args.trusted_proxies);
    let mut response = next.run(Request::from_parts(parts, body)).await;
    let size = response.body().size_hint().exact();
    let size = size.and_then(|size| usize::try_from(size).ok());
    let needs_room = response.extensions().get::<SharedBytes>().is_none()
        && response.extensions().get::<Room>().is_none();
    if let Some(size) = size.filter(|size| needs_room && *size > SMALL) {
        let place = app.unsent.waiting.try_acquire();
        let _place = place.map_err(|_| overloaded())?;
        let owner = RateLimitKey::from(&stranger(address));
        let pending = PendingResponse::begin(&app.response_budget, owner, size as u64);
        let sending = pending.send_all(size, connection);
        let room = timeout(app.args.request_timeout, sending).await;
        if let Some(room) = room.map_err(|_| overloaded())? {
            response.extensions_mut().insert(room);
        }
    }
    if is_compressible
        && is_worth_compressing(&response)
        && let Ok(place) = Arc::clone(&app.unsent.compressed).try_acquire_owned()
    {
        response.extensions_mut().insert(Compressed::new(place));
    }
    Ok(response)
}

/// The room of an answer that was given some where it was made.
type Room = Arc<ResponsePermit>;

fn overloaded() -> Response {
    Refusal::overloaded(Admission::COME_BACK).answer(Media::Json)
}

fn is_worth_compressing(response: &Response) -> bool {
    let is_whole = response.body().size_hint().exact().is_some();
    let worth = SizeAbove::new(LEAST_COMPRESSED)
        .and(NotForContentType::IMAGES)
        .and(NotForContentType::SSE)
        .and(NotForContentType::const_new("multipart/mixed"))
        .and(NotForContentType::const_new("font/woff"));
    is_whole
        && !response.headers().contains_key(header::CONTENT_ENCODING)
        && worth.should_compress(response)
}
