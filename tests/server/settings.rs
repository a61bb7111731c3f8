//! Settings that would be unsafe are refused with a sentence that says what to do.

use clap::{CommandFactory, Parser};
use trestle::server::{Access, ServerArgs};

use crate::support::refusal;

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
    let allowed = |flags: &[&str]| {
        let all = std::iter::once("test").chain(flags.iter().copied());
        Cli::parse_from(all).server.introspection_allowed()
    };
    assert!(allowed(&[]));
    assert!(!allowed(&["--listen", "0.0.0.0:80"]));
    assert!(allowed(&[
        "--listen",
        "0.0.0.0:80",
        "--introspection",
        "on"
    ]));
    assert!(!allowed(&["--introspection", "off"]));
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

#[test]
fn what_cannot_be_is_refused() {
    let wrong: [&[&str]; 5] = [
        &["--request-timeout", "10"],
        &["--request-timeout", "soon"],
        &["--max-depth", "29"],
        &["--max-concurrent", "0"],
        &["--listen", "localhost"],
    ];
    for flags in wrong {
        let all = std::iter::once("test").chain(flags.iter().copied());
        assert!(Cli::try_parse_from(all).is_err(), "{flags:?}");
    }
}
