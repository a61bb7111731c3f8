//! Texts that are secrets by their form, whatever they are called.

use super::value::SENSITIVE;

/// How tokens begin, and how many letters and digits follow at least. Source: "Behind GitHub's new authentication token
/// formats", the GitHub blog; "IAM identifiers", the AWS documentation.
const TOKENS: [(&str, usize); 9] = [
    ("AKIA", 16),
    ("ASIA", 16),
    ("Bearer ", 8),
    ("gho_", 16),
    ("ghp_", 16),
    ("ghr_", 16),
    ("ghs_", 16),
    ("ghu_", 16),
    ("github_pat_", 16),
];

/// Whether a text has a secret in it, whatever it is called.
pub fn has_secret(text: &str) -> bool {
    // A name without a password is not a secret: `ssh://git@host`.
    let has_login = text.match_indices("://").any(|(at, mark)| {
        let rest = text.get(at + mark.len()..).unwrap_or_default();
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        authority
            .split_once('@')
            .is_some_and(|(login, _)| login.contains(':'))
    });
    let has_token = TOKENS.iter().any(|(start, length)| {
        text.match_indices(start).any(|(at, start)| {
            let rest = text.as_bytes().get(at + start.len()..);
            rest.into_iter()
                .flatten()
                .take_while(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(byte))
                .count()
                >= *length
        })
    });
    has_login || has_token || text.contains("-----BEGIN")
}

/// A module's source without the login and the query of a URL.
pub fn source(text: &str) -> String {
    let text = match text.split_once('?') {
        Some((address, _)) => format!("{address}?…"),
        None => text.to_owned(),
    };
    let Some((scheme, rest)) = text.split_once("://") else {
        return text;
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    match authority.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}://…@{host}{path}"),
        None => text,
    }
}

/// A message without words that are secrets by their form.
pub fn without_secrets(message: &str) -> String {
    if !has_secret(message) {
        return message.to_owned();
    }
    let ends = [' ', '`', '"', ','];
    let words = message.split_inclusive(ends);
    let mut is_token = false;
    let shown = words.map(|word| {
        let plain = word.trim_end_matches(ends);
        let hides = has_secret(plain) || is_token;
        // The token is the next word.
        is_token = plain.eq_ignore_ascii_case("bearer");
        if hides {
            format!("{SENSITIVE}{}", word.get(plain.len()..).unwrap_or_default())
        } else {
            word.to_owned()
        }
    });
    shown.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_have_no_login_and_no_query() {
        for (text, quoted) in [
            ("git::https://u:p@h/a?token=x", "git::https://…@h/a?…"),
            ("https://t@h", "https://…@h"),
            ("a/b/c", "a/b/c"),
            ("../a", "../a"),
        ] {
            assert_eq!(source(text), quoted);
        }
    }

    #[test]
    fn messages_have_no_secrets() {
        for (text, shown) in [
            (
                "It is `https://u:p@h/x`, a.",
                "It is `(sensitive value)`, a.",
            ),
            (
                "a Bearer abcdefgh12345678 b",
                "a Bearer (sensitive value) b",
            ),
            ("It is `a`.", "It is `a`."),
        ] {
            assert_eq!(without_secrets(text), shown);
        }
    }
}
