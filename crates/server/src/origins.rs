//! Origins whose pages may call the server: `https://app.example.com`, `capacitor://localhost`, and `https://*.example.com` for
//! each host with one label in place of the star. Source: RFC 6454, section 6.2.

use axum::http::HeaderValue;
use url::Url;

/// What stands for one label at the beginning of a host.
const ANY_LABEL: &str = "*.";

/// Whether one of the origins is this one.
pub(super) fn allow(origins: &[HeaderValue], origin: &HeaderValue) -> bool {
    let Ok(origin) = origin.to_str() else {
        return false;
    };
    let mut patterns = origins.iter().filter_map(|origin| origin.to_str().ok());
    patterns.any(|pattern| fits(pattern, origin))
}

fn fits(pattern: &str, origin: &str) -> bool {
    let Some((scheme, domain)) = pattern.split_once(ANY_LABEL) else {
        return pattern == origin;
    };
    let host = origin.strip_prefix(scheme);
    let host = host.and_then(|host| host.split_once('.'));
    host.is_some_and(|(label, rest)| is_label(label) && rest == domain)
}

fn is_label(text: &str) -> bool {
    let mut bytes = text.bytes();
    !text.is_empty() && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// Whether a setting names origins as browsers write them: in lower case, without a path, and without the port that the scheme
/// implies.
pub(super) fn is_pattern(text: &str) -> bool {
    let Some((scheme, host)) = text.split_once("://") else {
        return false;
    };
    let host = host.strip_prefix(ANY_LABEL).unwrap_or(host);
    let text = format!("{scheme}://{host}");
    let Ok(url) = Url::parse(&text) else {
        return false;
    };
    // Schemes of programs have no origin by that standard, and are sent as they are.
    let written = match url.origin() {
        origin if origin.is_tuple() => origin.ascii_serialization(),
        _ => {
            let port = url.port().map(|port| format!(":{port}"));
            format!(
                "{}://{}{}",
                url.scheme(),
                url.host_str().unwrap_or_default(),
                port.unwrap_or_default()
            )
        }
    };
    let has_host = url.host_str().is_some_and(|host| !host.is_empty());
    let is_plain =
        !host.contains(['*', '/', '?', '#', '@', '%']) && text == text.to_ascii_lowercase();
    has_host && is_plain && written == text
}
