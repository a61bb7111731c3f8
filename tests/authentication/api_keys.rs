//! API keys: the file, the header, the generator.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;
use trestle_api::viewer::{Access, Owner, Viewer};
use trestle_server::authentication::{Authenticator, NewKey, generate};
use trestle_server::{Authenticate, Unauthenticated};

use crate::authentication::{TestClock, args, authenticator, bearer, headers};

fn file(text: &str) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("api-keys");
    fs::write(&path, text).expect("a file");
    (directory, path)
}

#[tokio::test]
async fn a_key_of_the_file_is_its_viewer_in_either_header() {
    let reader = generate("dashboard", Access::Read, [7; 32]).expect("a name");
    let writer = generate("importer", Access::Write, [8; 32]).expect("a name");
    let text = format!("# staff\n\n{}\n  {} # nightly\n", reader.line, writer.line);
    let (_directory, path) = file(&text);
    let authenticator = authenticator(
        &["--api-keys", path.to_str().expect("a path")],
        &TestClock::at_noon(),
    );

    let dashboard = Viewer::new("dashboard", Access::Read);
    let importer = Viewer::new("importer", Access::Write);
    let bearer_of = |key: &str| format!("Bearer {key}");
    for (name, value, viewer) in [
        ("authorization", bearer_of(&reader.secret), Some(&dashboard)),
        ("authorization", bearer_of(&writer.secret), Some(&importer)),
        (
            "authorization",
            format!("bEARER   {}", writer.secret),
            Some(&importer),
        ),
        ("x-api-key", reader.secret.clone(), Some(&dashboard)),
        ("x-api-key", writer.secret.clone(), Some(&importer)),
        ("authorization", writer.secret.clone(), None),
        ("authorization", format!("Basic {}", writer.secret), None),
        ("authorization", "Bearer".to_owned(), None),
        ("authorization", "Bearer ".to_owned(), None),
        ("x-api-key", String::new(), None),
        ("x-api-key", bearer_of(&writer.secret), None),
        ("x-api-key", writer.secret.to_uppercase(), None),
        (
            "x-api-key",
            writer.secret[..writer.secret.len() - 1].to_owned(),
            None,
        ),
        (
            "x-api-key",
            writer
                .line
                .split(' ')
                .next_back()
                .expect("a hash")
                .to_owned(),
            None,
        ),
        ("x-api-key", "a".repeat(20_000), None),
        ("x-other", writer.secret.clone(), None),
    ] {
        let answer = authenticator
            .authenticate(&headers(&[(name, &value)]))
            .await;
        assert_eq!(answer.as_ref().ok(), viewer, "{name}: {value}");
    }
}

#[tokio::test]
async fn two_credentials_are_none() {
    let key = generate("importer", Access::Write, [8; 32]).expect("a name");
    let (_directory, path) = file(&key.line);
    let authenticator = authenticator(
        &["--api-keys", path.to_str().expect("a path")],
        &TestClock::at_noon(),
    );
    let bearer = format!("Bearer {}", key.secret);
    for pairs in [
        [
            ("x-api-key", key.secret.as_str()),
            ("x-api-key", key.secret.as_str()),
        ],
        [
            ("authorization", bearer.as_str()),
            ("authorization", bearer.as_str()),
        ],
        [
            ("authorization", bearer.as_str()),
            ("x-api-key", key.secret.as_str()),
        ],
    ] {
        assert_eq!(
            authenticator.authenticate(&headers(&pairs)).await,
            Err(Unauthenticated)
        );
    }
    assert_eq!(
        authenticator.authenticate(&headers(&[])).await,
        Err(Unauthenticated)
    );
}

#[tokio::test]
async fn a_key_of_another_making_serves_by_its_hash() {
    // The SHA-256 of "correct horse battery staple".
    let hash = "c4bbcb1fbec99d65bf59d85c8cb62ee2db963f0fe106f483d9afa73bd4e39a8a";
    let (_directory, path) = file(&format!("legacy read {}", hash.to_uppercase()));
    let authenticator = authenticator(
        &["--api-keys", path.to_str().expect("a path")],
        &TestClock::at_noon(),
    );
    let viewer = authenticator
        .authenticate(&bearer("correct horse battery staple"))
        .await;
    assert_eq!(viewer, Ok(Viewer::new("legacy", Access::Read)));
}

#[test]
fn a_generated_key_is_random_prefixed_and_not_in_its_line() {
    let key = generate("ci", Access::Write, [1; 32]).expect("a name");
    assert!(key.secret.starts_with("trk_"), "{}", key.secret);
    assert_eq!(key.secret.len(), 4 + 43, "256 bits in base64url");
    assert!(key.line.starts_with("ci write "), "{}", key.line);
    assert!(!key.line.contains(&key.secret));
    assert_ne!(
        key.secret,
        generate("ci", Access::Write, [2; 32])
            .expect("a name")
            .secret
    );
    for name in ["", "two words", "a#b", "new\nline", &"n".repeat(65)] {
        assert!(generate(name, Access::Read, [1; 32]).is_err(), "{name:?}");
    }
}

#[test]
fn a_file_that_is_not_right_is_refused_with_its_line_and_not_its_contents() {
    let one = generate("one", Access::Read, [1; 32]).expect("a name").line;
    let hash = one.split(' ').next_back().expect("a hash").to_owned();
    for (text, says) in [
        (String::new(), "holds no API key"),
        ("# nothing but this\n".to_owned(), "holds no API key"),
        (
            format!("\n{one}\n{hash}\n"),
            "line 3: it has not three words",
        ),
        (format!("{one} extra"), "line 1: it has not three words"),
        (format!("o/ne read {hash}"), "line 1: the name is not"),
        (format!("one admin {hash}"), "line 1: the access is neither"),
        (
            format!("one read {}", &hash[1..]),
            "line 1: the hash is not",
        ),
        (
            format!("one read {}g", &hash[1..]),
            "line 1: the hash is not",
        ),
        (format!("one read {hash}00"), "line 1: the hash is not"),
        (
            format!("{one}\n{one}"),
            "line 2: the name stands on an earlier line",
        ),
        (
            format!("{one}\ntwo write {hash}"),
            "line 2: the hash stands on an earlier line",
        ),
        ("a".repeat(1024 * 1024 + 1), "larger than 1 MiB"),
    ] {
        let (_directory, path) = file(&text);
        let args = args(&["--api-keys", path.to_str().expect("a path")]);
        let error = Authenticator::from_args(&args, TestClock::at_noon().clock())
            .expect_err("it is not right")
            .to_string();
        assert!(error.contains(says), "{error}");
        assert!(error.contains(path.to_str().expect("a path")), "{error}");
        assert!(!error.contains(&hash[1..]), "{error}");
    }
}

#[tokio::test]
async fn a_line_names_the_owner_and_the_roles_of_its_key() {
    let ada = Owner::new("auth0|ada #1%\u{1f600}\t").expect("a name");
    let roles = ["metrics".to_owned(), "graph-runs-worker".to_owned()];
    let key = NewKey {
        name: "ada",
        access: Access::None,
        roles: &roles,
        owner: Some(&ada),
    };
    let key = key.generate([9; 32]).expect("a name");
    let (_directory, path) = file(&key.line);
    let flags = ["--api-keys", path.to_str().expect("a path")];
    let authenticator = authenticator(&flags, &TestClock::at_noon());
    let viewer = authenticator.authenticate(&bearer(&key.secret)).await;
    let expected = Viewer::new("ada", Access::None).with_roles(roles);
    assert_eq!(viewer, Ok(expected.with_owner(Some(ada))));

    let plain = generate("ada", Access::Read, [9; 32]).expect("a name").line;
    for wrong in [
        "owner=",
        "ada",
        "owner=a&owner=b",
        "owner=a b",
        "owner=team#2",
        "owner=%FF",
        "owner=a%ZZ",
        "owner=a|b",
    ] {
        let (_directory, path) = file(&format!("{plain} {wrong}"));
        let flags = ["--api-keys", path.to_str().expect("a path")];
        let refused = Authenticator::from_args(&args(&flags), TestClock::at_noon().clock());
        assert!(refused.is_err(), "{wrong}");
    }
    let odd = ["a,b".to_owned()];
    let key = NewKey {
        name: "ada",
        access: Access::Read,
        roles: &odd,
        owner: None,
    };
    assert!(key.generate([9; 32]).is_err());
}
