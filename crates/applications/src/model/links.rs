//! Links as people paste them, and the one form of all spellings of a link.

use trestle_domain::Link;
use url::Url;

use super::Rule;

/// A link from outside. If it has no scheme, as in `linkedin.com/jobs/1`, `https://` is added. Parameters that track visitors are
/// removed.
///
/// # Errors
/// As [`Link::parse`].
pub fn pasted(text: &str) -> Result<Link, Rule> {
    let text = text.trim();
    let link = if has_domain(text) {
        Link::parse(&format!("https://{text}"))?
    } else {
        Link::parse(text)?
    };
    Link::parse(&without_tracking(link.as_str()))
}

/// Whether a text begins with the name of a host, such as `www.example.com` or `example.com:8080`.
fn has_domain(text: &str) -> bool {
    let end = text.find(['/', '?', '#']).unwrap_or(text.len());
    let host = &text[..end];
    let (name, is_port) = match host.split_once(':') {
        Some((name, port)) => {
            let digits = port.bytes().all(|b| b.is_ascii_digit());
            (name, digits && !port.is_empty())
        }
        None => (host, true),
    };
    let labels: Vec<_> = name.split('.').collect();
    let is_label =
        |label: &&str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-');
    let is_top =
        |label: &&str| label.chars().count() >= 2 && label.chars().all(char::is_alphabetic);
    is_port
        && labels.len() >= 2
        && labels.iter().all(is_label)
        && labels.last().is_some_and(is_top)
        && !text.contains(char::is_whitespace)
}

/// The one form of a link by which job postings are compared: whatever its scheme, its port, the case, the `www.` and the final dot
/// of its host, characters that are percent-encoded without need, a slash at its end, the order of its parameters, parameters of
/// [`TRACKING`], and a fragment that leads within the page.
pub fn canonical(link: &str) -> String {
    let link = link.trim();
    let parsed = if has_domain(link) {
        Url::parse(&format!("https://{link}"))
    } else {
        Url::parse(link)
    };
    let Some(url) = parsed
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https"))
    else {
        return link.to_owned();
    };
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    let host = host.strip_prefix("www.").unwrap_or(host);
    let port = url
        .port()
        .map(|port| format!(":{port}"))
        .unwrap_or_default();
    let query = decoded(url.query().unwrap_or_default());
    let mut parameters: Vec<_> = query.split('&').collect();
    parameters.retain(|parameter| !parameter.is_empty() && !is_tracking(parameter, host));
    parameters.sort_unstable();
    let query = parameters.join("&");
    let path = decoded(url.path());
    let path = match path.trim_end_matches('/') {
        "" if !query.is_empty() => "/",
        path => path,
    };
    let mark = if query.is_empty() { "" } else { "?" };
    let address = format!("https://{host}{port}{path}{mark}{query}");
    // Where the page is made in the browser, the fragment says which one it is.
    let fragment = decoded(url.fragment().unwrap_or_default());
    if fragment.starts_with(['/', '!']) {
        [&address, "#", &fragment].concat()
    } else {
        address.trim_end_matches('/').to_owned()
    }
}

/// A part of an address in which only what must be is percent-encoded, in capital letters: the normal form of RFC 3986, section 6.2.2.
fn decoded(part: &str) -> String {
    let mut parts = part.split('%');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part.get(..2);
        let code = code.filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let code = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        match code {
            Some(byte) if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => {
                text.push(char::from(byte));
                text.push_str(&part[2..]);
            }
            Some(byte) => text.push_str(&format!("%{byte:02X}{}", &part[2..])),
            None => text.push_str(&format!("%{part}")),
        }
    }
    text
}

/// A link without the parameters of [`TRACKING`], otherwise as it is written.
fn without_tracking(link: &str) -> String {
    let (address, fragment) = match link.split_once('#') {
        Some((address, fragment)) => (address, format!("#{fragment}")),
        None => (link, String::new()),
    };
    let Some((page, query)) = address.split_once('?') else {
        return link.to_owned();
    };
    let host = Url::parse(link).ok();
    let host = host.as_ref().and_then(Url::host_str).unwrap_or_default();
    let kept = query
        .split('&')
        .filter(|parameter| !is_tracking(parameter, host));
    match kept.collect::<Vec<_>>().join("&") {
        kept if kept.is_empty() && !query.is_empty() => format!("{page}{fragment}"),
        kept => format!("{page}?{kept}{fragment}"),
    }
}

/// Parameters by which visitors are tracked.
const TRACKING: &str = include_str!("tracking.txt");

/// Whether a parameter of an address of a host tracks visitors.
fn is_tracking(parameter: &str, host: &str) -> bool {
    let (name, _) = parameter.split_once('=').unwrap_or((parameter, ""));
    tracking().any(|(tracked, sites)| {
        let mut sites = sites.split_whitespace().peekable();
        let is_everywhere = sites.peek().is_none();
        tracked.eq_ignore_ascii_case(name) && (is_everywhere || sites.any(|site| is_of(host, site)))
    })
}

/// Each parameter with the sites to which it is limited.
fn tracking() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = TRACKING
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split_once(' ').unwrap_or((line, "")))
}

fn is_of(host: &str, site: &str) -> bool {
    let rest = host.strip_suffix(site);
    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every way to write a link that leads to the same page.
    fn spellings(host: &str, path: &str, query: &str) -> Vec<String> {
        let mut spelled = Vec::new();
        for scheme in ["https://", "http://", "HTTPS://", ""] {
            for host in [host.to_owned(), format!("www.{host}"), host.to_uppercase()] {
                for slash in ["", "/"] {
                    for fragment in ["", "#apply", "#"] {
                        let mark = if query.is_empty() { "" } else { "?" };
                        spelled.push(format!(
                            "{scheme}{host}{path}{slash}{mark}{query}{fragment}"
                        ));
                    }
                }
            }
        }
        spelled.push(format!("https://{host}:443{path}?{query}"));
        spelled
    }

    #[test]
    fn every_spelling_of_a_link_has_one_form() {
        for (host, path, query, expected) in [
            ("acme.example", "/jobs/1", "", "https://acme.example/jobs/1"),
            ("acme.example", "", "", "https://acme.example"),
            (
                "acme.example",
                "/Jobs",
                "id=1&b=2",
                "https://acme.example/Jobs?b=2&id=1",
            ),
            (
                "acme.example:8080",
                "/jobs/1",
                "gh_jid=7",
                "https://acme.example:8080/jobs/1?gh_jid=7",
            ),
        ] {
            for spelling in spellings(host, path, query) {
                if spelling.contains(":8080:443") {
                    continue;
                }
                assert_eq!(canonical(&spelling), expected, "{spelling}");
            }
        }
        for (one, other) in [
            ("acme.example/jobs/1", "acme.example/jobs/2"),
            ("acme.example/jobs?id=1", "acme.example/jobs?id=2"),
            ("acme.example/jobs/A", "acme.example/jobs/a"),
            ("acme.example/#/jobs/1", "acme.example/#/jobs/2"),
            ("jobs.acme.example/1", "acme.example/1"),
            ("acme.example:8080/1", "acme.example/1"),
        ] {
            assert_ne!(canonical(one), canonical(other));
        }
        let nested = "acme.example/?to=https://b.example/";
        assert_eq!(
            canonical(nested),
            "https://acme.example/?to=https://b.example"
        );
        for odd in ["", "see there", "mailto:a@b.example", "http://"] {
            assert_eq!(canonical(odd), canonical(&canonical(odd)));
        }
    }

    #[test]
    fn an_address_is_the_same_whatever_is_encoded_without_need() {
        let encoded = |c: char| format!("%{:02X}", u32::from(c));
        for c in (' '..='~').filter(|c| !"/?#%\\".contains(*c)) {
            let (code, small) = (encoded(c), encoded(c).to_lowercase());
            for place in [
                "/jobs/a{}b",
                "/jobs?id=a{}b",
                "/#/jobs/a{}b",
                "/jobs/{}1?q=%C3%A9",
            ] {
                let at = |text: &str| format!("https://acme.example{}", place.replace("{}", text));
                assert_eq!(canonical(&at(&code)), canonical(&at(&small)), "{c} {place}");
                let is_unreserved = c.is_ascii_alphanumeric() || "-._~".contains(c);
                if is_unreserved {
                    assert_eq!(canonical(&at(&code)), canonical(&at(&c.to_string())));
                }
                let form = canonical(&at(&code));
                assert_eq!(canonical(&form), form);
            }
        }
        let plain = canonical("https://acme.example/jobs/1");
        for host in ["acme.example.", "www.acme.example.", "ACME.example."] {
            assert_eq!(canonical(&format!("http://{host}/jobs/%31")), plain);
        }
        // Signs that divide an address are not the same when they are encoded.
        for (one, other) in [
            ("/a%2Fb", "/a/b"),
            ("/a?b%26c", "/a?b&c"),
            ("/a%3Fb", "/a?b"),
        ] {
            let at = |path: &str| canonical(&format!("https://acme.example{path}"));
            assert_ne!(at(one), at(other));
        }
    }

    #[test]
    fn every_parameter_of_the_published_list_is_removed() {
        let mut count = 0;
        for (name, sites) in tracking() {
            let hosts = if sites.is_empty() {
                "acme.example"
            } else {
                sites
            };
            for host in hosts.split_whitespace() {
                let plain = format!("https://{host}/jobs?id=1");
                for name in [name.to_owned(), name.to_uppercase()] {
                    for query in [
                        format!("{name}=x&id=1"),
                        format!("id=1&{name}"),
                        format!("{name}=a&id=1&{name}=b"),
                    ] {
                        let link = format!("https://{host}/jobs?{query}");
                        assert_eq!(pasted(&link).unwrap().as_str(), plain);
                        assert_eq!(canonical(&link), canonical(&plain));
                    }
                    let link = format!("https://www.{host}/jobs?{name}=x#apply");
                    assert_eq!(
                        pasted(&link).unwrap().as_str(),
                        format!("https://www.{host}/jobs#apply")
                    );
                    assert_eq!(canonical(&link), format!("https://{host}/jobs"));
                }
            }
            if !sites.is_empty() {
                let elsewhere = format!("https://acme.example/jobs?{name}=1");
                assert_eq!(pasted(&elsewhere).unwrap().as_str(), elsewhere);
            }
            count += 1;
        }
        assert!(count > 100, "{count}");
    }

    #[test]
    fn a_link_without_a_scheme_gets_https() {
        for text in [
            "linkedin.com/jobs/1",
            " www.example.com ",
            "example.com:8080/a?b=c:d",
            "jobs.acme.co.uk",
            "zürich.example?job=1",
        ] {
            let expected = format!("https://{}", text.trim());
            assert_eq!(pasted(text).unwrap().as_str(), expected);
        }
        for text in ["http://a.example", "HTTPS://a", "https://localhost/1"] {
            assert_eq!(pasted(text).unwrap().as_str(), text);
        }
        for text in [
            "nowhere",
            "1.5",
            "10.0.0.1",
            "a..b",
            ".com",
            "see a.com",
            "a.com:x",
            "a.com:",
            "mailto:a@b.com",
            "a@b.com",
            "//a.com",
            "https:a.com",
            "https:/a.com",
            "ftp://a.com",
            "javascript:alert(1)",
            "a.c",
            "",
        ] {
            assert!(pasted(text).is_err(), "{text}");
        }
    }
}
