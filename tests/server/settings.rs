//! Settings that would be unsafe are refused with a sentence that says what to do.

use clap::{CommandFactory, Parser};
use trestle_server::{Access, ServerArgs};

use crate::server::support::refusal;

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    server: ServerArgs,
}

#[test]
fn an_address_that_others_reach_needs_authentication() {
    let everywhere = ["--listen", "0.0.0.0:8000"];
    let sentence = refusal(&everywhere, Access::Open)
        .expect("it is refused")
        .to_string();
    assert!(sentence.contains("--insecure"), "{sentence}");
    assert!(refusal(&["--listen", "192.0.2.1:80"], Access::Open).is_some());
    assert!(refusal(&["--listen", "[::1]:8000"], Access::Open).is_none());
    assert!(refusal(&everywhere, Access::Authenticated).is_none());
    assert!(refusal(&["--listen", "0.0.0.0:8000", "--insecure"], Access::Open).is_none());
}

#[test]
fn origins_are_origins() {
    for wrong in [
        "*",
        "example.com",
        "https://example.com/",
        "https://example.com/path",
        "null",
    ] {
        assert!(
            refusal(&["--cors-origins", wrong], Access::Open).is_some(),
            "{wrong}"
        );
    }
    assert!(refusal(&["--cors-origins", "http://localhost:3000"], Access::Open).is_none());
}

#[test]
fn introspection_follows_the_address() {
    let allowed_with = |flags: &[&str], access| {
        let all = std::iter::once("test").chain(flags.iter().copied());
        Cli::parse_from(all).server.introspection_allowed(access)
    };
    let allowed = |flags: &[&str]| allowed_with(flags, Access::Open);
    assert!(allowed(&[]));
    assert!(!allowed(&["--listen", "0.0.0.0:80"]));
    assert!(allowed(&[
        "--listen",
        "0.0.0.0:80",
        "--introspection",
        "on"
    ]));
    assert!(!allowed(&["--introspection", "off"]));
    // A proxy on the same machine may send the requests of others.
    assert!(!allowed(&["--insecure"]));
    assert!(!allowed_with(&[], Access::Authenticated));
    assert!(allowed_with(
        &["--introspection", "on"],
        Access::Authenticated
    ));
}

#[test]
fn every_flag_is_a_variable_of_the_same_name_and_has_help() {
    for flag in Cli::command().get_arguments() {
        let Some(long) = flag.get_long() else {
            continue;
        };
        if matches!(long, "help" | "version") {
            continue;
        }
        let expected = format!("TRESTLE_{}", long.to_uppercase().replace('-', "_"));
        assert_eq!(
            flag.get_env().and_then(|env| env.to_str()),
            Some(&*expected)
        );
        assert!(flag.get_help().is_some(), "{long}");
    }
}

/// What these flags are read as, or the sentence that refuses them.
fn read(flags: &[&str]) -> Result<ServerArgs, String> {
    let all = std::iter::once("test").chain(flags.iter().copied());
    let read = Cli::try_parse_from(all);
    read.map(|cli| cli.server)
        .map_err(|error| error.to_string())
}

#[test]
fn what_cannot_be_is_refused_with_the_flag_and_what_to_give() {
    const TIME: &str = "like 10s, 500ms, 2m or 1h";
    const ADDRESS: &str = "like 127.0.0.1:8000";
    for (flag, value, says) in [
        ("--request-timeout", "10", TIME),
        ("--request-timeout", "soon", TIME),
        ("--request-timeout", "10d", TIME),
        ("--request-timeout", "0s", "greater than 0"),
        ("--keep-alive", "0ms", "greater than 0"),
        ("--drain-timeout", "99999999999999999h", "at most"),
        ("--drain-timeout", "9999999h", "at most"),
        ("--max-depth", "29", "28"),
        ("--max-cost", "many", "a whole number"),
        ("--max-concurrent", "4294967296", "smaller"),
        ("--listen", "localhost", ADDRESS),
        ("--listen", ":8000", ADDRESS),
        ("--listen", "8000", ADDRESS),
        ("--listen", "::1:8000", ADDRESS),
        ("--listen", "localhost:70000", ADDRESS),
        ("--listen", "http://localhost:8000", ADDRESS),
        (
            "--allowed-hosts",
            "https://api.example.com",
            "without https://",
        ),
        (
            "--allowed-hosts",
            "api.example.com/graphql",
            "without https://",
        ),
        ("--allowed-hosts", "*.example.com", "without *"),
        ("--allowed-hosts", "a:99999", "without *"),
        ("--allowed-hosts", "a:", "without *"),
        ("--send-timeout", "0s", "greater than 0"),
    ] {
        let sentence = read(&[flag, value]).expect_err(flag);
        assert!(sentence.contains(flag), "{flag} {value}: {sentence}");
        assert!(sentence.contains(says), "{flag} {value}: {sentence}");
    }
}

#[test]
fn a_limit_that_lets_nothing_through_is_refused() {
    for flag in [
        "--max-body-bytes",
        "--max-concurrent",
        "--requests-per-minute",
        "--cost-per-minute",
        "--max-document-bytes",
        "--max-tokens",
        "--max-fields",
        "--max-root-fields",
        "--max-operations",
        "--max-cost",
        "--max-connection-operations",
        "--max-sending-bytes",
    ] {
        let sentence = read(&[flag, "0"]).expect_err(flag);
        assert!(sentence.contains(flag), "{sentence}");
        assert!(sentence.contains("1 or more"), "{sentence}");
        assert!(read(&[flag, "1"]).is_ok(), "{flag}");
    }
    // These say something.
    for flag in [
        "--max-queued",
        "--max-aliases",
        "--max-directives",
        "--max-subscriptions",
    ] {
        assert!(read(&[flag, "0"]).is_ok(), "{flag}");
    }
}

#[test]
fn times_have_one_form() {
    for (text, milliseconds) in [
        ("500ms", 500),
        ("10s", 10_000),
        ("2m", 120_000),
        ("1h", 3_600_000),
    ] {
        let read = read(&["--request-timeout", text]).expect(text);
        assert_eq!(read.request_timeout.as_millis(), milliseconds, "{text}");
    }
}

#[test]
fn an_address_can_be_named() {
    let read = read(&["--listen", "localhost:8000"]).expect("it is found");
    assert!(read.listen.ip().is_loopback());
    assert_eq!(read.listen.port(), 8000);
}
