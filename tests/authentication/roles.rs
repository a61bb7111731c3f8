//! What a token lets its bearer do, and where other providers than Auth0 say so.

use serde_json::json;
use trestle::server::Unauthenticated;
use trestle::viewer::{Access, Viewer};

use crate::provider::{Key, Provider};
use crate::tokens::{answer, auth0, auth0_flags, with};
use crate::{NOON, TestClock, authenticator};

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
                .with_roles(["editors", "staff"].map(str::to_owned))),
        ),
        (
            json!({ "cognito:groups": null }),
            Ok(Viewer::new(subject, Access::Read)),
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
async fn roles_give_write_and_their_absence_read() {
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
            json!({ "permissions": ["writer"] }),
            Access::Read,
        ),
        (
            "permissions",
            json!({ "permissions": ["Write"] }),
            Access::Read,
        ),
        ("permissions", json!({ "permissions": [] }), Access::Read),
        ("permissions", json!({ "permissions": null }), Access::Read),
        ("permissions", json!({ "permissions": true }), Access::Read),
        (
            "permissions",
            json!({ "permissions": { "write": true } }),
            Access::Read,
        ),
        ("scope", json!({ "scope": "openid write" }), Access::Write),
        (
            "scope",
            json!({ "scope": "openid rewrite write:none" }),
            Access::Read,
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
            Access::Read,
        ),
        (
            "/realm_access/roles",
            json!({ "realm_access": ["write"] }),
            Access::Read,
        ),
        (
            "/realm_access/roles",
            json!({ "roles": ["write"] }),
            Access::Read,
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
            viewer.may_write(),
            access == Access::Write,
            "{claim} {changes}"
        );
        assert_eq!(
            viewer.has_role("a"),
            changes["realm_access"]["roles"][0] == "a"
        );
    }
}
