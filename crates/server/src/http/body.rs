//! The body of a POST: what it is announced as, and its bytes within the limit.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, header};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use tokio::time::timeout;

use super::refusal::Refusal;
use crate::body_budget::{BodyBudget, BodyPermit};

/// How many bytes of a refused request's body are read all the same. A connection with unread bytes is closed:
/// who is still sending sees that it broke and not why, and who sends the next request on it is not answered.
const READ_ON: usize = 1 << 21;
/// How long that may take. Who announces a body and sends none is answered then.
const READ_ON_FOR: Duration = Duration::from_secs(1);

/// Reads a body of no more than `most` bytes. A large one waits for room among those that arrive, and keeps it.
///
/// # Errors
/// 413 for more bytes, 400 when the client stops sending.
pub(super) async fn read(
    headers: &HeaderMap,
    body: &mut Body,
    most: usize,
    arriving: &Arc<BodyBudget>,
    from: Option<IpAddr>,
) -> Result<(Bytes, Option<BodyPermit>), Refusal> {
    let announced = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok())
        .and_then(|text| text.parse::<u64>().ok());
    let length = match announced {
        Some(length) if length > most as u64 => return Err(Refusal::too_large(most)),
        Some(length) => length as usize,
        None => most,
    };
    let room = arriving.room(from, length).await;
    let mut body = Limited::new(body, most);
    let mut read = Read::default();
    loop {
        match timeout(STALLED, body.frame()).await {
            Ok(Some(Ok(frame))) => {
                match frame.into_data() {
                    Ok(data) => read.extend(&data),
                    // What decides about a request must be known before its body is read.
                    Err(_trailers) => {
                        return Err(Refusal::unreadable("Send no trailer fields.").closing());
                    }
                }
            }
            Ok(None) => {
                let body = read.whole();
                // A body of no announced length has room for the longest.
                let room = room.and_then(|room| room.shrunk(body.len()));
                return Ok((body, room));
            }
            Ok(Some(Err(error))) if error.is::<LengthLimitError>() => {
                return Err(Refusal::too_large(most));
            }
            Ok(Some(Err(_))) => return Err(Refusal::unreadable("The body broke off.")),
            // What has stopped to arrive gives way to those who wait.
            Err(_) if room.is_some() && arriving.is_crowded() => {
                return Err(Refusal::body_time_out());
            }
            Err(_) => {}
        }
    }
}

/// What has arrived of a body, in blocks of one size: a buffer that grew would be copied, and leave holes of each size
/// that it had. Frames are not kept as they are, because each may be of one byte.
#[derive(Default)]
struct Read(Vec<Vec<u8>>);

impl Read {
    /// Bytes of a block.
    const BLOCK: usize = 32 * 1024;

    fn extend(&mut self, mut data: &[u8]) {
        while !data.is_empty() {
            let mut block = match self.0.pop_if(|block| block.len() < Self::BLOCK) {
                Some(block) => block,
                // Most bodies are short, and come at once.
                None if self.0.is_empty() => Vec::with_capacity(data.len().min(Self::BLOCK)),
                None => Vec::with_capacity(Self::BLOCK),
            };
            let left = Self::BLOCK - block.len();
            let (now, later) = data.split_at(data.len().min(left));
            block.extend_from_slice(now);
            self.0.push(block);
            data = later;
        }
    }

    fn whole(self) -> Bytes {
        match <[_; 1]>::try_from(self.0) {
            Ok([block]) => block.into(),
            Err(blocks) => blocks.concat().into(),
        }
    }
}

/// A body of which nothing arrives for so long has stopped.
const STALLED: Duration = Duration::from_secs(1);

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

/// Whether a body is announced as JSON in UTF-8.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
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
