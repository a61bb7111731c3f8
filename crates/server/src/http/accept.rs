//! Which media type an answer has. Sources: RFC 9110 section 12.5.1 and the GraphQL over HTTP
//! specification.

use axum::http::{HeaderMap, HeaderValue, header};

/// The media types that answers come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Media {
    /// `application/graphql-response+json`: the status tells whether the request was one.
    GraphqlResponse,
    /// `application/json`: the status is 200 for every well-formed request.
    Json,
}

impl Media {
    /// The value of `Content-Type`.
    pub fn content_type(self) -> &'static str {
        match self {
            Media::GraphqlResponse => "application/graphql-response+json; charset=utf-8",
            Media::Json => "application/json; charset=utf-8",
        }
    }
}

/// How much a client wants something: thousandths of `q`, and how exactly it named it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Wish {
    q: u16,
    exactness: u8,
}

/// The media type to answer with, or `None` when the client takes neither.
pub fn negotiate(headers: &HeaderMap) -> Option<Media> {
    if !headers.contains_key(header::ACCEPT) {
        return Some(Media::Json);
    }
    let graphql = wish(headers, "application", "graphql-response+json");
    let json = wish(headers, "application", "json");
    match (graphql.q > 0, json.q > 0) {
        (false, false) => None,
        // Those who name both alike know both: the first tells them more.
        (true, _) if graphql > json || (graphql == json && graphql.exactness == EXACT) => {
            Some(Media::GraphqlResponse)
        }
        (_, true) => Some(Media::Json),
        (true, false) => Some(Media::GraphqlResponse),
    }
}

/// How much the client asks for a stream of events, and for no JSON: thousandths of `q`.
pub fn wants_events(headers: &HeaderMap) -> u16 {
    let events = wish(headers, "text", "event-stream");
    let asks = events.exactness == EXACT && negotiate(headers).is_none();
    if asks { events.q } else { 0 }
}

/// Whether the client takes a stream of events for what has more than one answer, also beside JSON or because it takes anything.
pub fn takes_events(headers: &HeaderMap) -> bool {
    !headers.contains_key(header::ACCEPT) || wish(headers, "text", "event-stream").q > 0
}

/// How much the client asks for Apollo's multipart subscriptions: thousandths of `q`. It names JSON beside them for
/// other answers.
pub fn wants_parts(headers: &HeaderMap) -> u16 {
    let parts = wish(headers, "multipart", "mixed");
    let mut values = headers.get_all(header::ACCEPT).iter();
    let asks = parts.exactness == EXACT && values.any(names_protocol);
    if asks { parts.q } else { 0 }
}

fn names_protocol(accepted: &HeaderValue) -> bool {
    let mut parameters = accepted.to_str().unwrap_or_default().split([';', ',']);
    parameters.any(|parameter| match parameter.split_once('=') {
        Some((name, version)) => {
            name.trim().eq_ignore_ascii_case("subscriptionspec")
                && version.trim().trim_matches('"') == "1.0"
        }
        None => false,
    })
}

/// The codings that answers can have. They must be those of the layer that compresses.
const CODINGS: &[&str] = if cfg!(feature = "zstd") {
    &["identity", "gzip", "br", "zstd"]
} else {
    &["identity", "gzip", "br"]
};

/// Whether the client takes one of the codings that answers can have. Source: RFC 9110 section 12.5.3.
pub fn takes_a_coding(headers: &HeaderMap) -> bool {
    if !headers.contains_key(header::ACCEPT_ENCODING) {
        return true;
    }
    let values = headers.get_all(header::ACCEPT_ENCODING).iter();
    let values: Vec<_> = values.filter_map(|value| value.to_str().ok()).collect();
    let others = takes_coding(&values, "*");
    CODINGS.iter().any(|&coding| {
        // `identity` is taken unless it is refused: RFC 9110, section 12.5.3.
        let unnamed = others.unwrap_or(coding == "identity");
        takes_coding(&values, coding).unwrap_or(unnamed)
    })
}

/// Whether a coding is taken; `None` if the header does not name it.
fn takes_coding(values: &[&str], name: &str) -> Option<bool> {
    let mut codings = values.iter().flat_map(|value| value.split(','));
    codings.find_map(|coding| match coding.split_once(';') {
        Some((coding, q)) if coding.trim().eq_ignore_ascii_case(name) => is_above_zero(q),
        None if coding.trim().eq_ignore_ascii_case(name) => Some(true),
        _ => None,
    })
}

/// Whether the client takes an encoding that makes answers shorter.
pub fn takes_compression(headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::ACCEPT_ENCODING).iter();
    let values = values.filter_map(|value| value.to_str().ok());
    let codings = values.flat_map(|value| value.split([',', ';']));
    let mut codings = codings.map(str::trim);
    codings.any(|coding| {
        let mut compressing = CODINGS.iter().filter(|known| **known != "identity");
        coding == "*" || compressing.any(|known| coding.eq_ignore_ascii_case(known))
    })
}

/// Whether `q=…` is above zero; `None` if it is no number of at most three decimals from 0 to 1, which the layer that
/// compresses leaves out, too.
fn is_above_zero(q: &str) -> Option<bool> {
    let q = q.trim();
    let number = q.strip_prefix("q=").or_else(|| q.strip_prefix("Q="))?;
    let is_form = number.starts_with(['0', '1'])
        && number.len() <= "0.000".len()
        && number
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let number = number.parse::<f32>().ok().filter(|_| is_form)?;
    (number <= 1.0).then_some(number > 0.0)
}

/// Whether the client would rather have a page than JSON: a browser does.
pub fn prefers_html(headers: &HeaderMap) -> bool {
    let html = wish(headers, "text", "html");
    html.exactness == EXACT
        && html.q > 0
        && html > wish(headers, "application", "json")
        && html > wish(headers, "application", "graphql-response+json")
}

/// Whether the client takes plain text, also because it takes anything: `curl` does.
pub fn takes_text(headers: &HeaderMap) -> bool {
    !headers.contains_key(header::ACCEPT) || wish(headers, "text", "plain").q > 0
}

/// Whether the client names OpenMetrics: Prometheus does, and `curl` does not.
pub fn names_openmetrics(headers: &HeaderMap) -> bool {
    let named = wish(headers, "application", "openmetrics-text");
    named.exactness == EXACT && named.q > 0
}

const EXACT: u8 = 3;

/// The wish of the most exact range that a media type falls into.
fn wish(headers: &HeaderMap, kind: &str, subtype: &str) -> Wish {
    let values = headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let ranges = values
        .flat_map(|value| value.split(','))
        .filter_map(|range| {
            let mut parts = range.split(';').map(str::trim);
            let (range_kind, range_subtype) = parts.next()?.split_once('/')?;
            let exactness = match (range_kind, range_subtype) {
                ("*", "*") => 1,
                (some, "*") if some.eq_ignore_ascii_case(kind) => 2,
                (some, other)
                    if some.eq_ignore_ascii_case(kind) && other.eq_ignore_ascii_case(subtype) =>
                {
                    EXACT
                }
                _ => return None,
            };
            let q =
                parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
            Some(Wish {
                q: q.map_or(1000, thousandths),
                exactness,
            })
        });
    ranges.max_by_key(|wish| wish.exactness).unwrap_or_default()
}

/// `0.5` as 500. What is no number counts as one, as if it were not there.
fn thousandths(q: &str) -> u16 {
    q.trim()
        .parse::<f32>()
        .map_or(1000, |q| (q.clamp(0.0, 1.0) * 1000.0).round() as u16)
}
