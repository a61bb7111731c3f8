//! Links as people paste them, and the spellings of one link.

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
        Some((_, rest)) => rest,
        None => link,
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
        assert!(spellings("HTTPS://acme.example").contains(&"HTTPS://acme.example".to_owned()));
    }
}
