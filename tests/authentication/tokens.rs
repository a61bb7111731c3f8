//! Tokens: what is accepted and what is refused, each rule a row. The claims have the shape of what
//! Auth0, Amazon Cognito and Keycloak issue.

use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};
use trestle::server::authentication::{Authenticator, Unauthenticated};
use trestle::viewer::{Access, Viewer};

use crate::provider::{Key, Provider, b64, pem};
use crate::{NOON, TestClock, authenticator, bearer, headers};

const AUTH0: &str = "https://trestle-test.eu.auth0.example/";
const API: &str = "https://api.trestle.example";

fn auth0() -> Value {
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

fn auth0_flags<'a>(url: &'a str, more: &[&'a str]) -> Vec<&'a str> {
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
fn with(mut claims: Value, changes: Value) -> Value {
    let fields = claims.as_object_mut().expect("claims");
    for (name, value) in changes.as_object().expect("changes") {
        match value {
            Value::Null => fields.remove(name),
            value => fields.insert(name.clone(), value.clone()),
        };
    }
    claims
}

async fn answer(authenticator: &Authenticator, token: &str) -> Result<Viewer, Unauthenticated> {
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
async fn forged_headers_and_signatures_are_refused() {
    let (rsa, ec, ed) = (Key::rsa("rsa"), Key::ec("ec"), Key::ed("ed"));
    let provider = Provider::start(&[&rsa, &ec, &ed]).await;
    let url = provider.jwks_url();
    let authenticator = authenticator(&auth0_flags(&url, &[]), &TestClock::at_noon());
    let claims = auth0();
    let good = rsa.sign(&claims);
    let parts: Vec<&str> = good.split('.').collect();
    let json_part = |value: Value| b64(value.to_string().as_bytes());
    let stranger = Key::rsa("rsa");
    let hmac = Header {
        kid: Some("rsa".into()),
        ..Header::new(Algorithm::HS256)
    };
    let signed_by = |secret: &[u8]| {
        jsonwebtoken::encode(&hmac, &claims, &EncodingKey::from_secret(secret)).expect("a token")
    };
    let modulus = rsa.jwk["n"].as_str().expect("a modulus");
    let as_rs384 = Header {
        kid: Some("rsa".into()),
        ..Header::new(Algorithm::RS384)
    };
    let as_ps256 = Header {
        kid: Some("rsa".into()),
        ..Header::new(Algorithm::PS256)
    };
    let tampered = json_part(with(claims.clone(), json!({ "sub": "root" })));
    let none = json_part(json!({ "alg": "none", "typ": "JWT", "kid": "rsa" }));
    let jwk: jsonwebtoken::jwk::Jwk = serde_json::from_value(stranger.jwk.clone()).expect("a JWK");

    let rows = [
        ("another key under a known id", stranger.sign(&claims)),
        (
            "an unknown key id",
            Key {
                id: "unknown".into(),
                ..Key::rsa("")
            }
            .sign(&claims),
        ),
        (
            "no key id",
            rsa.sign_with(
                &Header {
                    kid: None,
                    ..rsa.header()
                },
                &claims,
            ),
        ),
        (
            "another key's id",
            Key {
                id: "ec".into(),
                ..Key::rsa("")
            }
            .sign(&claims),
        ),
        ("no signature", format!("{}.{}.", parts[0], parts[1])),
        (
            "another token's signature",
            format!("{}.{tampered}.{}", parts[0], parts[2]),
        ),
        ("alg none", format!("{none}.{}.", parts[1])),
        (
            "alg none with a signature",
            format!("{none}.{}.{}", parts[1], parts[2]),
        ),
        (
            "HS256 with the modulus as secret",
            signed_by(modulus.as_bytes()),
        ),
        (
            "HS256 with the public key in PEM as secret",
            signed_by(public_pem(&rsa).as_bytes()),
        ),
        (
            "HS256 with the JWK as secret",
            signed_by(rsa.jwk.to_string().as_bytes()),
        ),
        ("RS384 by the right key", rsa.sign_with(&as_rs384, &claims)),
        ("PS256 by the right key", rsa.sign_with(&as_ps256, &claims)),
        (
            "a key that the token brings along",
            stranger.sign_with(
                &Header {
                    jwk: Some(jwk),
                    ..stranger.header()
                },
                &claims,
            ),
        ),
        (
            "an extension that must be understood",
            rsa.sign_with(
                &Header {
                    crit: Some(vec!["b64".into()]),
                    ..rsa.header()
                },
                &claims,
            ),
        ),
        ("four parts", format!("{good}.{}", parts[2])),
        ("two parts", format!("{}.{}", parts[0], parts[1])),
        ("no parts", "nonsense".to_owned()),
        ("dots", "..".to_owned()),
        ("claims that are a list", {
            let header = rsa.header();
            jsonwebtoken::encode(&header, &json!(["a"]), &rsa.secret).expect("a token")
        }),
    ];
    for (name, token) in rows {
        assert_eq!(
            answer(&authenticator, &token).await,
            Err(Unauthenticated),
            "{name}"
        );
    }
    assert!(answer(&authenticator, &good).await.is_ok());
}

/// The RSA public key as most libraries print it (PKCS 1).
fn public_pem(key: &Key) -> String {
    use base64::Engine as _;
    let part = |name: &str| {
        let text = key.jwk[name].as_str().expect("a number");
        base64::engine::general_purpose::URL_SAFE_NO_PAD
            .decode(text)
            .expect("base64")
    };
    let integer = |mut bytes: Vec<u8>| {
        if bytes[0] >= 0x80 {
            bytes.insert(0, 0);
        }
        tagged(0x02, &bytes)
    };
    pem(
        "RSA PUBLIC KEY",
        &tagged(0x30, &[integer(part("n")), integer(part("e"))].concat()),
    )
}

/// One DER value.
fn tagged(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len();
    let mut der = match length {
        0..128 => vec![tag, length as u8],
        128..256 => vec![tag, 0x81, length as u8],
        _ => vec![tag, 0x82, (length >> 8) as u8, length as u8],
    };
    der.extend_from_slice(content);
    der
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
        provider.answer(crate::provider::Answer::Keys(vec![
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
    provider.answer(crate::provider::Answer::Keys(vec![plain]));
    let url = provider.jwks_url();
    let authenticator = authenticator(&auth0_flags(&url, &[]), &TestClock::at_noon());
    assert!(answer(&authenticator, &key.sign(&auth0())).await.is_ok());
}

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
        (json!({}), Ok(Viewer::new(subject, Access::Write))),
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
    }
}

#[tokio::test]
async fn keys_and_tokens_serve_beside_each_other() {
    let key = Key::ec("k");
    let provider = Provider::start(&[&key]).await;
    let url = provider.jwks_url();
    let generated =
        trestle::server::authentication::generate("ci", Access::Read, [3; 32]).expect("a name");
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
