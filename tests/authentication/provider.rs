//! An identity provider for tests: keys of three kinds, and a key set served over HTTP.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use aws_lc_rs::encoding::{AsDer, Pkcs8V1Der};
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RsaKeyPair,
};
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};
use tokio::sync::RwLock;

/// A signing key and its public half as a JWK.
pub struct Key {
    pub id: String,
    pub algorithm: Algorithm,
    pub secret: EncodingKey,
    pub jwk: Value,
}

impl Key {
    pub fn rsa(id: &str) -> Self {
        let pair = RsaKeyPair::generate(KeySize::Rsa2048).expect("an RSA key");
        let der: Pkcs8V1Der<'static> = pair.as_der().expect("PKCS 8");
        // PKCS 1 is what stands inside of PKCS 8, behind a header of 26 bytes for keys of 2048 bits.
        let pkcs1 = &der.as_ref()[26..];
        let public = pair.public_key();
        let jwk = json!({
            "kty": "RSA", "use": "sig", "alg": "RS256", "kid": id,
            "n": b64(public.modulus().big_endian_without_leading_zero()),
            "e": b64(public.exponent().big_endian_without_leading_zero()),
        });
        let secret = EncodingKey::from_rsa_der(pkcs1);
        Self {
            id: id.into(),
            algorithm: Algorithm::RS256,
            secret,
            jwk,
        }
    }

    pub fn ec(id: &str) -> Self {
        let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).expect("an EC key");
        let der = pair.to_pkcs8v1().expect("PKCS 8");
        let point = pair.public_key().as_ref();
        let jwk = json!({
            "kty": "EC", "use": "sig", "alg": "ES256", "kid": id, "crv": "P-256",
            "x": b64(&point[1..33]), "y": b64(&point[33..65]),
        });
        let secret = EncodingKey::from_ec_der(der.as_ref());
        Self {
            id: id.into(),
            algorithm: Algorithm::ES256,
            secret,
            jwk,
        }
    }

    pub fn ed(id: &str) -> Self {
        let pair = Ed25519KeyPair::generate().expect("an Ed25519 key");
        let der = pair.to_pkcs8v1().expect("PKCS 8");
        let jwk = json!({
            "kty": "OKP", "use": "sig", "alg": "EdDSA", "kid": id, "crv": "Ed25519",
            "x": b64(pair.public_key().as_ref()),
        });
        let secret = EncodingKey::from_ed_der(der.as_ref());
        Self {
            id: id.into(),
            algorithm: Algorithm::EdDSA,
            secret,
            jwk,
        }
    }

    /// A token with these claims and the usual header.
    pub fn sign(&self, claims: &Value) -> String {
        self.sign_with(&self.header(), claims)
    }

    pub fn header(&self) -> Header {
        Header {
            kid: Some(self.id.clone()),
            ..Header::new(self.algorithm)
        }
    }

    pub fn sign_with(&self, header: &Header, claims: &Value) -> String {
        jsonwebtoken::encode(header, claims, &self.secret).expect("a token")
    }
}

pub fn b64(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

pub fn pem(label: &str, der: &[u8]) -> String {
    let text = base64::engine::general_purpose::STANDARD.encode(der);
    let lines: Vec<_> = text
        .as_bytes()
        .chunks(64)
        .map(String::from_utf8_lossy)
        .collect();
    format!(
        "-----BEGIN {label}-----\n{}\n-----END {label}-----\n",
        lines.join("\n")
    )
}

/// What the provider answers next, and how often it was asked.
pub enum Answer {
    Keys(Vec<Value>),
    Status(StatusCode),
    Raw(Vec<u8>),
}

pub struct Provider {
    address: SocketAddr,
    shared: Shared,
    /// While this is held for writing, the provider does not answer.
    pub gate: Arc<RwLock<()>>,
}

type Shared = Arc<Mutex<(Answer, usize)>>;

impl Provider {
    pub async fn start(keys: &[&Key]) -> Self {
        let shared = Arc::new(Mutex::new((Self::keys(keys), 0)));
        let gate = Arc::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port");
        let address = listener.local_addr().expect("an address");
        let router = Router::new()
            .route("/.well-known/jwks.json", get(answer))
            .with_state((Arc::clone(&shared), Arc::clone(&gate)));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self {
            address,
            shared,
            gate,
        }
    }

    fn keys(keys: &[&Key]) -> Answer {
        Answer::Keys(keys.iter().map(|key| key.jwk.clone()).collect())
    }

    pub fn publish(&self, keys: &[&Key]) {
        self.answer(Self::keys(keys));
    }

    pub fn answer(&self, answer: Answer) {
        self.shared.lock().expect("no panic").0 = answer;
    }

    pub fn times_asked(&self) -> usize {
        self.shared.lock().expect("no panic").1
    }

    pub fn jwks_url(&self) -> String {
        format!("http://{}/.well-known/jwks.json", self.address)
    }
}

async fn answer(State((shared, gate)): State<(Shared, Arc<RwLock<()>>)>) -> Response {
    let _open = gate.read().await;
    let mut shared = shared.lock().expect("no panic");
    shared.1 += 1;
    match &shared.0 {
        Answer::Keys(keys) => Body::from(json!({ "keys": keys }).to_string()).into_response(),
        Answer::Status(status) => status.into_response(),
        Answer::Raw(bytes) => bytes.clone().into_response(),
    }
}
