//! Links as people paste them, and the spellings of one link.

use trestle_domain::Link;

use super::Rule;

/// A link from outside. If it has no scheme, as in `linkedin.com/jobs/1`, `https://` is added.
///
/// # Errors
/// As [`Link::parse`].
pub fn pasted(text: &str) -> Result<Link, Rule> {
    let text = text.trim();
    if has_domain(text) {
        Link::parse(&format!("https://{text}"))
    } else {
        Link::parse(text)
    }
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

/// One spelling of a link, the same for all of [`spellings`].
pub fn canonical(link: &str) -> String {
    let rest = without_scheme(link).trim_end_matches('/');
    format!("https://{rest}")
}

/// The spellings under which programs store one link: with https, http or no scheme, and with or without a slash at its
/// end.
pub fn spellings(link: &str) -> Vec<String> {
    let rest = without_scheme(link).trim_end_matches('/');
    let schemes = ["https://", "http://", ""];
    let spelled = schemes
        .iter()
        .flat_map(|scheme| ["", "/"].map(|end| format!("{scheme}{rest}{end}")));
    let mut spelled: Vec<_> = spelled.collect();
    if !spelled.iter().any(|known| known == link) {
        spelled.push(link.to_owned());
    }
    spelled
}

fn without_scheme(link: &str) -> &str {
    match link.split_once("://") {
        Some((scheme, rest)) if ["http", "https"].contains(&&*scheme.to_ascii_lowercase()) => rest,
        _ => link,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_has_spellings_with_and_without_scheme_and_slash() {
        let spelled = spellings("http://acme.example/jobs/1/");
        assert_eq!(
            spelled,
            [
                "https://acme.example/jobs/1",
                "https://acme.example/jobs/1/",
                "http://acme.example/jobs/1",
                "http://acme.example/jobs/1/",
                "acme.example/jobs/1",
                "acme.example/jobs/1/",
            ]
        );
        for spelling in &spelled {
            assert_eq!(canonical(spelling), spelled[0]);
        }
        assert!(spellings("HTTPS://acme.example").contains(&"HTTPS://acme.example".to_owned()));
        let nested = "acme.example/?to=https://b.example/";
        assert_eq!(
            canonical(nested),
            "https://acme.example/?to=https://b.example"
        );
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
