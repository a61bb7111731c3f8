//! Tokens that someone made who does not have the provider's keys.

use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};
use trestle_server::Unauthenticated;

use crate::authentication::provider::{Key, Provider, b64, pem};
use crate::authentication::tokens::{answer, auth0, auth0_flags, with};
use crate::authentication::{TestClock, authenticator};

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
            "another key without a key id",
            stranger.sign_with(
                &Header {
                    kid: None,
                    ..stranger.header()
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
