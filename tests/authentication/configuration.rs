//! What the operator may say, and what is refused at start.

use clap::Parser as _;
use trestle_server::authentication::Authenticator;

use crate::authentication::{Flags, TestClock, args};

fn refusal(flags: &[&str]) -> Option<String> {
    Authenticator::from_args(&args(flags), TestClock::at_noon().clock())
        .err()
        .map(|error| error.to_string())
}

#[test]
fn nothing_configured_is_no_authentication() {
    let clock = TestClock::at_noon().clock();
    for flags in [
        &[][..],
        &[
            "--jwt-issuer",
            "",
            "--jwt-audience",
            " ",
            "--jwt-jwks-url",
            "",
        ],
        &["--jwt-clock-skew", "5"],
    ] {
        let built = Authenticator::from_args(&args(flags), clock.clone());
        assert!(built.expect("nothing is wrong").is_none(), "{flags:?}");
    }
}

#[test]
fn half_a_configuration_is_refused_with_a_sentence() {
    let issuer = ["--jwt-issuer", "https://id.example/"];
    let audience = ["--jwt-audience", "trestle"];
    let url = ["--jwt-jwks-url", "https://id.example/.well-known/jwks.json"];
    for (parts, says) in [
        (vec![issuer, audience], "--jwt-jwks-url is missing"),
        (vec![issuer, url], "--jwt-audience is missing"),
        (vec![audience, url], "--jwt-issuer is missing"),
        (vec![audience], "--jwt-issuer is missing"),
        (
            vec![issuer, audience, ["--jwt-jwks-url", ""]],
            "--jwt-jwks-url is missing",
        ),
        (
            vec![issuer, audience, url, ["--jwt-roles-claim", ""]],
            "--jwt-roles-claim is empty",
        ),
        (
            vec![issuer, audience, url, ["--jwt-read-role", ""]],
            "--jwt-read-role is empty",
        ),
        (
            vec![issuer, audience, url, ["--jwt-write-role", " "]],
            "--jwt-write-role is empty",
        ),
        (
            vec![issuer, audience, url, ["--jwt-audience-claim", ""]],
            "--jwt-audience-claim is empty",
        ),
        (vec![["--api-keys", "/no/such/file"]], "/no/such/file"),
    ] {
        let flags: Vec<&str> = parts.concat();
        let error = refusal(&flags).unwrap_or_default();
        assert!(error.contains(says), "{flags:?} gave {error:?}");
    }
}

#[test]
fn people_sign_in_at_the_provider_of_the_tokens() {
    let tokens = [
        "--jwt-issuer",
        "https://id.example/realm/",
        "--jwt-audience",
        "trestle",
        "--jwt-jwks-url",
        "https://id.example/jwks",
    ];
    let client = ["--oidc-client-id", "page"];
    let configured = |flags: &[&str]| {
        args(flags)
            .page_sign_in()
            .map_err(|error| error.to_string())
    };
    assert!(configured(&tokens).expect("nothing is wrong").is_none());
    let empty = [&tokens[..], &["--oidc-client-id", " "]].concat();
    assert!(configured(&empty).expect("nothing is wrong").is_none());
    let page = configured(&[&tokens[..], &client].concat());
    let page = page.expect("nothing is wrong").expect("a client is given");
    assert_eq!(page.issuer, "https://id.example/realm/");
    assert_eq!(page.origin, "https://id.example");
    assert_eq!(page.audience.as_deref(), Some("trestle"));
    let without = ["--oidc-scope", "profile email"];
    let odd = ["--jwt-issuer", "id.example"];
    for (flags, says) in [
        (client.to_vec(), "--oidc-client-id needs --jwt-issuer,"),
        (
            [&tokens[..], &client, &without].concat(),
            "--oidc-scope has to contain openid",
        ),
        (
            [&odd[..], &tokens[2..], &client].concat(),
            "that is an https URL",
        ),
    ] {
        let error = configured(&flags).err().unwrap_or_default();
        assert!(error.contains(says), "{flags:?} gave {error:?}");
    }
}

#[test]
fn the_key_set_comes_by_https_or_from_this_machine() {
    for (url, right) in [
        ("https://id.example/jwks", true),
        ("http://127.0.0.1:8080/jwks", true),
        ("http://[::1]/jwks", true),
        ("http://localhost/jwks", true),
        ("http://id.example/jwks", false),
        ("http://localhost.example/jwks", false),
        ("http://10.0.0.1/jwks", false),
        ("file:///etc/jwks", false),
        ("id.example", false),
    ] {
        let flags = [
            "--jwt-issuer",
            "i",
            "--jwt-audience",
            "a",
            "--jwt-jwks-url",
            url,
        ];
        let error = refusal(&flags);
        assert_eq!(error.is_none(), right, "{url}: {error:?}");
    }
}

#[test]
fn a_clock_skew_is_a_time_or_seconds() {
    let read = |text| Flags::try_parse_from(["test", "--jwt-clock-skew", text]);
    for (text, seconds) in [("5", 5), ("60s", 60), ("2m", 120), ("0", 0), ("600", 600)] {
        let skew = read(text).expect(text).authentication.jwt_clock_skew;
        assert_eq!(skew.as_secs(), seconds, "{text}");
    }
    for (text, says) in [
        ("601", "at most 10m"),
        ("1h", "at most 10m"),
        ("soon", "like 10s"),
    ] {
        let error = read(text).err().map(|error| error.to_string());
        let error = error.unwrap_or_default();
        assert!(error.contains("--jwt-clock-skew"), "{text}: {error:?}");
        assert!(error.contains(says), "{text}: {error:?}");
    }
}
