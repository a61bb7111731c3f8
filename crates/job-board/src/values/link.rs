//! Links that everyone sees.

use trestle_domain::{Check, Link, Rule};

const FORM: Rule = Rule::Invalid("a web address without a user name and a password");

/// Parses a link without a user name and a password.
///
/// # Errors
/// As [`Link::parse`]; it has a user name or a password.
pub fn public_link(text: &str) -> Result<Link, Rule> {
    let link = Link::parse(text)?;
    if !has_credentials(&link) {
        Ok(link)
    } else {
        Err(FORM)
    }
}

/// Reports a link that has a user name or a password.
pub fn check_link(check: &mut Check, field: &'static str, link: Option<&Link>) {
    check.that(!link.is_some_and(has_credentials), field, FORM);
}

fn has_credentials(link: &Link) -> bool {
    let parsed = url::Url::parse(link.as_str());
    parsed.is_ok_and(|url| !url.username().is_empty() || url.password().is_some())
}
