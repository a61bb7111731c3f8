//! An identity provider's signing keys: fetched, cached, fetched again when the provider rotates them.
//! Source: RFC 7517. Knows nothing of claims.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use chrono::{DateTime, Utc};
use jsonwebtoken::jwk::{
    AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, KeyOperations, PublicKeyUse,
};
use jsonwebtoken::{Algorithm, DecodingKey, Header};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use tokio::sync::Semaphore;
use url::Url;

use super::arguments::ConfigurationError;
use trestle_table::clock::Clock;

/// How long the provider may take for the whole answer.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The most bytes of a key set. Providers' sets are 1 to 4 KB.
const MAX_BYTES: usize = 128 * 1024;
/// The most keys of a set that are looked at.
const MAX_KEYS: usize = 100;
/// The least time between two requests to the provider. An unknown `kid` costs nothing to invent, so
/// it must not cost the provider a request each.
const MIN_INTERVAL: Duration = Duration::from_secs(10);
/// The most requests that wait for a key while others are known. Enough for a rotation; tokens with
/// invented key ids and a provider that hangs must not take up all places of the server.
const MAX_WAITING: usize = 32;
/// From when on keys are fetched again although they serve, so that a withdrawn one stops doing so.
const MAX_AGE: Duration = Duration::from_secs(600);

/// The keys behind one URL. When the provider does not answer, those that it gave last go on serving.
pub(super) struct Jwks {
    url: Url,
    client: reqwest::Client,
    clock: Clock,
    keys: RwLock<Arc<KeySet>>,
    /// When the provider was last asked, answered or not. Held while it is asked: one at a time.
    asked: tokio::sync::Mutex<Option<DateTime<Utc>>>,
    waiting: Semaphore,
    failed: Arc<AtomicU64>,
}

/// What the provider published when it was last read.
#[derive(Default)]
pub(super) struct KeySet {
    keys: Vec<SigningKey>,
    /// Of what was published, to know when that changes.
    digest: [u8; 32],
    fetched: Option<DateTime<Utc>>,
}

struct SigningKey {
    /// Its `kid`, which is optional.
    id: Option<String>,
    /// The only algorithm that this key serves: the key decides that, never a token's header.
    algorithm: Algorithm,
    key: DecodingKey,
}

/// Why a key set was not taken.
#[derive(Debug, thiserror::Error)]
enum FetchError {
    #[error("the provider does not answer: {0}")]
    Http(#[from] reqwest::Error),
    #[error("the provider answers with status {0}")]
    Status(u16),
    #[error("the key set is larger than 128 KiB")]
    TooLarge,
    #[error("the answer is no key set: {0}")]
    Json(#[from] serde_json::Error),
}

impl Jwks {
    pub(super) fn new(url: Url, clock: Clock) -> Result<Arc<Self>, ConfigurationError> {
        let client = reqwest::Client::builder()
            .timeout(TIMEOUT)
            // A redirect could lead to where the operator's URL check would not have let it.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(ConfigurationError::HttpClient)?;
        Ok(Arc::new(Self {
            url,
            client,
            clock,
            keys: RwLock::default(),
            asked: tokio::sync::Mutex::default(),
            waiting: Semaphore::new(MAX_WAITING),
            failed: Arc::default(),
        }))
    }

    /// Counts the failed requests.
    pub(super) fn failed(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.failed)
    }

    /// The keys that are known. Those older than ten minutes are renewed behind the request.
    pub(super) fn known(self: &Arc<Self>) -> Arc<KeySet> {
        let keys = self.current();
        if keys.fetched.is_some_and(|then| self.passed(MAX_AGE, then)) {
            self.refresh();
        }
        keys
    }

    /// The keys that the provider has now, if that can be found out: it is asked at most every ten seconds. `None` if it has
    /// no others than `known`.
    pub(super) async fn renewed(self: &Arc<Self>, known: &Arc<KeySet>) -> Option<Arc<KeySet>> {
        // Before the first keys nobody gets in anyway, so that everyone may wait for them.
        let _place = match known.fetched {
            Some(_) => Some(self.waiting.try_acquire().ok()?),
            None => None,
        };
        // In its own task: a client that goes away must not take the fetch with it, or one that
        // comes and goes could keep the keys from ever being renewed. A task that panicked has
        // renewed nothing, which the look-up shows.
        let _ = self.refresh().await;
        let renewed = self.current();
        (!Arc::ptr_eq(&renewed, known)).then_some(renewed)
    }

    /// Asks the provider, unless that was done a moment ago.
    pub(super) fn refresh(self: &Arc<Self>) -> tokio::task::JoinHandle<()> {
        let this = Arc::clone(self);
        tokio::spawn(async move { this.fetch_once().await })
    }

    async fn fetch_once(&self) {
        let mut asked = self.asked.lock().await;
        if asked.is_some_and(|then| !self.passed(MIN_INTERVAL, then)) {
            return;
        }
        *asked = Some(self.clock.now());
        match self.fetch().await {
            Ok(fetched) => self.take(fetched),
            Err(error) => {
                self.failed.fetch_add(1, Relaxed);
                tracing::warn!(url = %self.url, %error, "cannot fetch the token issuer's keys");
            }
        }
    }

    fn take(&self, fetched: KeySet) {
        if self.current().digest != fetched.digest {
            let usable = fetched.keys.len();
            tracing::info!(url = %self.url, usable, "the token issuer's keys have changed");
        }
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(fetched);
    }

    async fn fetch(&self) -> Result<KeySet, FetchError> {
        let mut answer = self.client.get(self.url.clone()).send().await?;
        if !answer.status().is_success() {
            return Err(FetchError::Status(answer.status().as_u16()));
        }
        let mut body = Vec::new();
        while let Some(chunk) = answer.chunk().await? {
            if body.len() + chunk.len() > MAX_BYTES {
                return Err(FetchError::TooLarge);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(KeySet {
            keys: parse(&body)?,
            digest: Sha256::digest(&body).into(),
            fetched: Some(self.clock.now()),
        })
    }

    fn current(&self) -> Arc<KeySet> {
        Arc::clone(&self.keys.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether `time` has passed since `then`. A clock that was set back counts as passed: asking once
    /// too often is harmless.
    fn passed(&self, time: Duration, then: DateTime<Utc>) -> bool {
        (self.clock.now() - then)
            .to_std()
            .map_or(true, |age| age >= time)
    }
}

impl KeySet {
    /// The keys that may have signed a token with this header: of a token without a key id, all of its algorithm.
    pub(super) fn candidates<'k>(
        &'k self,
        header: &'k Header,
    ) -> impl Iterator<Item = &'k DecodingKey> {
        let candidates = self.keys.iter().filter(|key| {
            let has_id = header.kid.is_none() || key.id == header.kid;
            has_id && key.algorithm == header.alg
        });
        candidates.map(|key| &key.key)
    }
}

/// Reads a set and keeps the keys that can serve: perhaps none, if the provider has withdrawn them all. One that cannot be read is passed over: a provider
/// that publishes a new kind beside the others must not lock everyone out.
fn parse(body: &[u8]) -> Result<Vec<SigningKey>, FetchError> {
    #[derive(Deserialize)]
    struct Set {
        keys: Vec<serde_json::Value>,
    }
    let set: Set = serde_json::from_slice(body)?;
    let keys: Vec<_> = set
        .keys
        .into_iter()
        .take(MAX_KEYS)
        .filter_map(|key| serde_json::from_value(key).ok())
        .filter_map(SigningKey::from_jwk)
        .collect();
    if keys.is_empty() {
        tracing::warn!("the key set holds no key for RS256, ES256 or EdDSA: no token is accepted");
    }
    Ok(keys)
}

impl SigningKey {
    fn from_jwk(jwk: Jwk) -> Option<Self> {
        let algorithm = match &jwk.algorithm {
            AlgorithmParameters::RSA(_) => Algorithm::RS256,
            AlgorithmParameters::EllipticCurve(key) if key.curve == EllipticCurve::P256 => {
                Algorithm::ES256
            }
            AlgorithmParameters::OctetKeyPair(key) if key.curve == EllipticCurve::Ed25519 => {
                Algorithm::EdDSA
            }
            _ => return None,
        };
        let common = jwk.common.clone();
        let named = common
            .key_algorithm
            .is_none_or(|name| name == KeyAlgorithm::from(algorithm));
        let for_signatures = common
            .public_key_use
            .is_none_or(|of| of == PublicKeyUse::Signature);
        let verifies = common
            .key_operations
            .is_none_or(|all| all.contains(&KeyOperations::Verify));
        if !(named && for_signatures && verifies) {
            return None;
        }
        let key = DecodingKey::from_jwk(&jwk).ok()?;
        Some(Self {
            id: common.key_id,
            algorithm,
            key,
        })
    }
}
