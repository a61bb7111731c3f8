//! The body of a POST: JSON, UTF-8, within the limit.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, header};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use tokio::time::timeout;

use super::refusal::Refusal;
use crate::server::overload::Arriving;

/// How many bytes of a refused request's body are read all the same. A connection with unread bytes is closed:
/// who is still sending sees that it broke and not why, and who sends the next request on it is not answered.
const READ_ON: usize = 1 << 21;
/// How long that may take. Who announces a body and sends none is answered then.
const READ_ON_FOR: Duration = Duration::from_secs(1);

/// Reads a body of no more than `most` bytes. A large one waits for room among those that arrive.
///
/// # Errors
/// 415 for anything that is not announced as JSON in UTF-8, 413 for more bytes, 400 when the client
/// stops sending.
pub(super) async fn read(
    headers: &HeaderMap,
    body: &mut Body,
    most: usize,
    arriving: &Arriving,
) -> Result<Bytes, Refusal> {
    if !is_json(headers) {
        return Err(Refusal::media_type());
    }
    let announced = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok())
        .and_then(|text| text.parse::<u64>().ok());
    let length = match announced {
        Some(length) if length > most as u64 => return Err(Refusal::too_large(most)),
        Some(length) => length as usize,
        None => most,
    };
    let _room = arriving.room(length).await;
    match Limited::new(body, most).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Refusal::too_large(most)),
        Err(_) => Err(Refusal::unreadable("The body broke off.")),
    }
}

/// Reads what is left of a refused request's body, as far as is reasonable. What is left then breaks with
/// the connection.
pub(super) async fn read_on(headers: &HeaderMap, body: &mut Body) {
    // A client that waits for `100 Continue` was not told to send its body, or all of it has been read.
    if headers.contains_key(header::EXPECT) && headers.contains_key(header::CONTENT_LENGTH) {
        return;
    }
    let reading = async {
        let mut left = READ_ON;
        while let Some(Ok(frame)) = body.frame().await {
            let length = frame.data_ref().map_or(0, Bytes::len);
            match left.checked_sub(length) {
                Some(less) => left = less,
                None => break,
            }
        }
    };
    // Out of time is no error: the refusal follows either way.
    let _ = timeout(READ_ON_FOR, reading).await;
}

fn is_json(headers: &HeaderMap) -> bool {
    let encoded = headers
        .get(header::CONTENT_ENCODING)
        .is_some_and(|value| value != "identity");
    let kind = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let mut parts = kind.unwrap_or_default().split(';').map(str::trim);
    let is_json = parts
        .next()
        .is_some_and(|kind| kind.eq_ignore_ascii_case("application/json"));
    let is_utf8 = parts.all(|parameter| match parameter.split_once('=') {
        Some((name, value)) if name.trim().eq_ignore_ascii_case("charset") => {
            let value = value.trim().trim_matches('"');
            value.eq_ignore_ascii_case("utf-8") || value.eq_ignore_ascii_case("utf8")
        }
        _ => true,
    });
    is_json && is_utf8 && !encoded
}
