//! What a token lets its bearer do, and where other providers than Auth0 say so.

use serde_json::json;
use trestle_api::viewer::{Access, Owner, Viewer};
use trestle_server::Unauthenticated;

use crate::authentication::provider::{Key, Provider};
use crate::authentication::tokens::{answer, auth0, auth0_flags, with};
use crate::authentication::{NOON, TestClock, authenticator};

#[tokio::test]
async fn cognitos_access_tokens_are_accepted_by_their_client() {
    let key = Key::rsa("cognito");
    let provider = Provider::start(&[&key]).await;
    let url = provider.jwks_url();
    let issuer = "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_AbCdEfGhI";
    let flags = [
        ["--jwt-issuer", issuer],
        ["--jwt-audience", "3n4b5urk1ft4fl3mg5e62d9ado"],
        ["--jwt-audience-claim", "client_id"],
        ["--jwt-jwks-url", &url],
        ["--jwt-roles-claim", "cognito:groups"],
        ["--jwt-write-role", "editors"],
    ]
    .concat();
    let authenticator = authenticator(&flags, &TestClock::at_noon());
    let claims = json!({
        "sub": "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
        "cognito:groups": ["editors", "staff"],
        "iss": issuer,
        "client_id": "3n4b5urk1ft4fl3mg5e62d9ado",
        "origin_jti": "6b1e4a5e-0d2c-4c0a-9a3b-5d0d7c9f2e11",
        "event_id": "64f513be-32db-42b0-b78e-b02127b4f463",
        "token_use": "access",
        "scope": "aws.cognito.signin.user.admin",
        "auth_time": NOON - 30,
        "exp": NOON + 3570,
        "iat": NOON - 30,
        "jti": "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeef",
        "username": "ada"
    });
    let subject = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee";
    for (changes, viewer) in [
        (
            json!({}),
            Ok(Viewer::new(subject, Access::Write)
                .with_owner(Owner::new(subject))
                .with_roles(["editors", "staff"].map(str::to_owned))),
        ),
        (
            json!({ "cognito:groups": null }),
            Ok(Viewer::new(subject, Access::None).with_owner(Owner::new(subject))),
        ),
        (
            json!({ "client_id": "someone-elses" }),
            Err(Unauthenticated),
        ),
    ] {
        let token = key.sign(&with(claims.clone(), changes.clone()));
        assert_eq!(answer(&authenticator, &token).await, viewer, "{changes}");
    }
}

#[tokio::test]
async fn roles_allow_reading_or_writing_and_their_absence_allows_nothing() {
    let key = Key::ed("k");
    let provider = Provider::start(&[&key]).await;
    let url = provider.jwks_url();
    let rows = [
        (
            "permissions",
            json!({ "permissions": ["write"] }),
            Access::Write,
        ),
        (
            "permissions",
            json!({ "permissions": ["read"] }),
            Access::Read,
        ),
        (
            "permissions",
            json!({ "permissions": ["read", "write"] }),
            Access::Write,
        ),
        (
            "permissions",
            json!({ "permissions": "Read" }),
            Access::None,
        ),
        (
            "permissions",
            json!({ "permissions": ["writer"] }),
            Access::None,
        ),
        (
            "permissions",
            json!({ "permissions": ["Write"] }),
            Access::None,
        ),
        ("permissions", json!({ "permissions": [] }), Access::None),
        ("permissions", json!({ "permissions": null }), Access::None),
        ("permissions", json!({ "permissions": true }), Access::None),
        (
            "permissions",
            json!({ "permissions": { "write": true } }),
            Access::None,
        ),
        ("scope", json!({ "scope": "openid write" }), Access::Write),
        (
            "scope",
            json!({ "scope": "openid rewrite write:none" }),
            Access::None,
        ),
        (
            "https://trestle.example/roles",
            json!({ "https://trestle.example/roles": ["write"] }),
            Access::Write,
        ),
        (
            "/realm_access/roles",
            json!({ "realm_access": { "roles": ["a", "write"] } }),
            Access::Write,
        ),
        (
            "/realm_access/roles",
            json!({ "realm_access": { "roles": ["a"] } }),
            Access::None,
        ),
        (
            "/realm_access/roles",
            json!({ "realm_access": ["write"] }),
            Access::None,
        ),
        (
            "/realm_access/roles",
            json!({ "roles": ["write"] }),
            Access::None,
        ),
    ];
    for (claim, changes, access) in rows {
        let flags = auth0_flags(&url, &[]);
        let flags: Vec<&str> = flags
            .into_iter()
            .map(|word| if word == "permissions" { claim } else { word })
            .collect();
        let authenticator = authenticator(&flags, &TestClock::at_noon());
        let viewer = answer(&authenticator, &key.sign(&with(auth0(), changes.clone()))).await;
        let viewer = viewer.expect("an accepted token");
        assert_eq!(
            (viewer.may_read(), viewer.may_write()),
            (access != Access::None, access == Access::Write),
            "{claim} {changes}"
        );
        assert_eq!(
            viewer.has_role("a"),
            changes["realm_access"]["roles"][0] == "a"
        );
    }
}

#[tokio::test]
async fn the_owner_is_the_subject_or_the_claim_that_is_named() {
    let key = Key::ed("k");
    let provider = Provider::start(&[&key]).await;
    let url = provider.jwks_url();
    let sub = "auth0|65a5f0c2e4b0a1d2c3e4f5a6";
    let long = "o".repeat(257);
    for (flags, changes, owner) in [
        (&[][..], json!({}), Some(sub)),
        (&["--tenant-claim", ""], json!({}), Some(sub)),
        (&["--tenant-claim", "sub"], json!({}), Some(sub)),
        (
            &["--tenant-claim", "org_id"],
            json!({ "org_id": "org#1" }),
            Some("org#1"),
        ),
        (
            &["--tenant-claim", "/org/id"],
            json!({ "org": { "id": "1" } }),
            Some("1"),
        ),
        // Nobody is the owner of what others own because a claim is missing or odd.
        (&["--tenant-claim", "org_id"], json!({}), None),
        (&["--tenant-claim", "org_id"], json!({ "org_id": "" }), None),
        (
            &["--tenant-claim", "org_id"],
            json!({ "org_id": ["a"] }),
            None,
        ),
        (&["--tenant-claim", "org_id"], json!({ "org_id": 1 }), None),
        (
            &["--tenant-claim", "org_id"],
            json!({ "org_id": long }),
            None,
        ),
    ] {
        let authenticator = authenticator(&auth0_flags(&url, flags), &TestClock::at_noon());
        let token = key.sign(&with(auth0(), changes.clone()));
        let viewer = answer(&authenticator, &token)
            .await
            .expect("an accepted token");
        let found = viewer.owner().map(Owner::as_str);
        assert_eq!(found, owner, "{flags:?} {changes}");
    }
}
