//! Tokens: what is accepted and what is refused, each rule a row. The claims have the shape of what
//! Auth0, Amazon Cognito and Keycloak issue.

use serde_json::{Value, json};
use trestle_api::viewer::{Access, Owner, Viewer};
use trestle_server::authentication::Authenticator;
use trestle_server::{Authenticate, Unauthenticated};

use crate::authentication::provider::{Key, Provider};
use crate::authentication::{NOON, TestClock, authenticator, bearer, headers};

pub const AUTH0: &str = "https://trestle-test.eu.auth0.example/";
pub const API: &str = "https://api.trestle.example";

pub fn auth0() -> Value {
    json!({
        "iss": AUTH0,
        "sub": "auth0|65a5f0c2e4b0a1d2c3e4f5a6",
        "aud": [API, "https://trestle-test.eu.auth0.example/userinfo"],
        "iat": NOON - 60,
        "exp": NOON + 86_340,
        "scope": "openid profile write",
        "azp": "kX2v9wQ1",
        "permissions": ["read", "write"]
    })
}

pub fn auth0_flags<'a>(url: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut flags = vec![
        "--jwt-issuer",
        AUTH0,
        "--jwt-audience",
        API,
        "--jwt-jwks-url",
        url,
    ];
    flags.extend(["--jwt-roles-claim", "permissions"]);
    flags.extend(more);
    flags
}

/// `claims` with `changes` on top; a null takes the claim away.
pub fn with(mut claims: Value, changes: Value) -> Value {
    let fields = claims.as_object_mut().expect("claims");
    for (name, value) in changes.as_object().expect("changes") {
        match value {
            Value::Null => fields.remove(name),
            value => fields.insert(name.clone(), value.clone()),
        };
    }
    claims
}

pub async fn answer(authenticator: &Authenticator, token: &str) -> Result<Viewer, Unauthenticated> {
    authenticator.authenticate(&bearer(token)).await
}

#[tokio::test]
async fn each_of_the_three_algorithms_is_accepted() {
    let keys = [Key::rsa("rsa"), Key::ec("ec"), Key::ed("ed")];
    let provider = Provider::start(&keys.each_ref()).await;
    let url = provider.jwks_url();
    let authenticator = authenticator(&auth0_flags(&url, &[]), &TestClock::at_noon());
    for key in &keys {
        let viewer = answer(&authenticator, &key.sign(&auth0())).await;
        let ada = Viewer::new("auth0|65a5f0c2e4b0a1d2c3e4f5a6", Access::Write);
        let ada = ada.with_roles(["read", "write"].map(str::to_owned));
        let ada = ada.with_owner(Owner::new("auth0|65a5f0c2e4b0a1d2c3e4f5a6"));
        assert_eq!(viewer, Ok(ada), "{:?}", key.algorithm);
    }
    let in_the_wrong_header = headers(&[("x-api-key", &keys[0].sign(&auth0()))]);
    assert!(
        authenticator
            .authenticate(&in_the_wrong_header)
            .await
            .is_err()
    );
}

#[tokio::test]
async fn claims_decide_and_every_refusal_is_the_same() {
    let key = Key::rsa("2026-01");
    let provider = Provider::start(&[&key]).await;
    let url = provider.jwks_url();
    let authenticator = authenticator(&auth0_flags(&url, &[]), &TestClock::at_noon());
    let rows = [
        ("as issued", json!({}), true),
        ("audience alone", json!({ "aud": API }), true),
        ("no time of issue", json!({ "iat": null }), true),
        (
            "fractions of a second",
            json!({ "exp": NOON as f64 + 0.5 }),
            true,
        ),
        (
            "another issuer",
            json!({ "iss": "https://evil.example/" }),
            false,
        ),
        (
            "issuer without the slash",
            json!({ "iss": AUTH0.trim_end_matches('/') }),
            false,
        ),
        ("issuer as a list", json!({ "iss": [AUTH0] }), false),
        ("no issuer", json!({ "iss": null }), false),
        (
            "another audience",
            json!({ "aud": "https://other.example" }),
            false,
        ),
        ("other audiences", json!({ "aud": ["a", "b"] }), false),
        (
            "audience as part of a text",
            json!({ "aud": format!("{API}/admin") }),
            false,
        ),
        ("no audience", json!({ "aud": null }), false),
        ("empty audience", json!({ "aud": [] }), false),
        (
            "client instead of audience",
            json!({ "aud": null, "client_id": API }),
            false,
        ),
        ("expired within the skew", json!({ "exp": NOON - 59 }), true),
        ("expired", json!({ "exp": NOON - 60 }), false),
        ("never expires", json!({ "exp": null }), false),
        (
            "expiry as text",
            json!({ "exp": (NOON + 60).to_string() }),
            false,
        ),
        (
            "valid soon, within the skew",
            json!({ "nbf": NOON + 60 }),
            true,
        ),
        ("not valid yet", json!({ "nbf": NOON + 61 }), false),
        ("beginning as text", json!({ "nbf": "yesterday" }), false),
        ("issued in the future", json!({ "iat": NOON + 61 }), false),
        ("no subject", json!({ "sub": null }), false),
        ("empty subject", json!({ "sub": "" }), false),
        ("subject as a number", json!({ "sub": 7 }), false),
        ("endless subject", json!({ "sub": "s".repeat(257) }), false),
    ];
    for (name, changes, right) in rows {
        let viewer = answer(&authenticator, &key.sign(&with(auth0(), changes))).await;
        assert_eq!(viewer.is_ok(), right, "{name}");
    }
}

#[tokio::test]
async fn time_decides_by_the_clock_and_the_configured_skew() {
    let key = Key::ec("k");
    let provider = Provider::start(&[&key]).await;
    let url = provider.jwks_url();
    let clock = TestClock::at_noon();
    let authenticator = authenticator(&auth0_flags(&url, &["--jwt-clock-skew", "0"]), &clock);
    let token = key.sign(&with(auth0(), json!({ "exp": NOON + 10 })));
    assert!(answer(&authenticator, &token).await.is_ok());
    clock.advance(9);
    assert!(answer(&authenticator, &token).await.is_ok());
    clock.advance(1);
    assert!(answer(&authenticator, &token).await.is_err());
}

#[tokio::test]
async fn keys_that_are_not_for_signatures_do_not_sign() {
    let (key, other) = (Key::rsa("enc"), Key::rsa("sig"));
    for changes in [
        json!({ "use": "enc" }),
        json!({ "alg": "RS512" }),
        json!({ "alg": "RSA-OAEP" }),
        json!({ "key_ops": ["encrypt"] }),
        json!({ "kid": null }),
    ] {
        let provider = Provider::start(&[]).await;
        let changed = with(key.jwk.clone(), changes.clone());
        provider.answer(crate::authentication::provider::Answer::Keys(vec![
            changed,
            other.jwk.clone(),
        ]));
        let url = provider.jwks_url();
        let authenticator = authenticator(&auth0_flags(&url, &[]), &TestClock::at_noon());
        assert!(
            answer(&authenticator, &key.sign(&auth0())).await.is_err(),
            "{changes}"
        );
        assert!(
            answer(&authenticator, &other.sign(&auth0())).await.is_ok(),
            "{changes}"
        );
    }
}

#[tokio::test]
async fn a_key_set_may_leave_use_and_alg_out() {
    let key = Key::rsa("plain");
    let provider = Provider::start(&[]).await;
    let plain = with(key.jwk.clone(), json!({ "use": null, "alg": null }));
    provider.answer(crate::authentication::provider::Answer::Keys(vec![plain]));
    let url = provider.jwks_url();
    let authenticator = authenticator(&auth0_flags(&url, &[]), &TestClock::at_noon());
    assert!(answer(&authenticator, &key.sign(&auth0())).await.is_ok());
}

#[tokio::test]
async fn keys_and_tokens_serve_beside_each_other() {
    let key = Key::ec("k");
    let provider = Provider::start(&[&key]).await;
    let url = provider.jwks_url();
    let generated =
        trestle_server::authentication::generate("ci", Access::Read, [3; 32]).expect("a name");
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("keys");
    std::fs::write(&path, &generated.line).expect("a file");
    let flags = auth0_flags(&url, &["--api-keys", path.to_str().expect("a path")]);
    let authenticator = authenticator(&flags, &TestClock::at_noon());
    let viewer = answer(&authenticator, &generated.secret)
        .await
        .expect("the API key");
    assert_eq!(viewer.subject(), "ci");
    assert!(answer(&authenticator, &key.sign(&auth0())).await.is_ok());
    assert!(answer(&authenticator, "trk_forged").await.is_err());
}
