//! Who sent a request: API keys from a file, and JWTs signed by an identity provider. Owns the reading of
//! credentials. Does not know what is asked for, nor which services there are.
//!
//! Every refusal is the same [`Unauthenticated`]; its reason goes to the log at level `debug`, without
//! any part of the credential.

mod api_key;
mod arguments;
mod jwks;
mod jwt;
mod refusal;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, HeaderName};
use futures_util::future::BoxFuture;

use trestle_api::viewer::Viewer;
use trestle_table::clock::Clock;

use self::api_key::KeyFile;
use self::jwt::Tokens;
use self::refusal::Refusal;
use super::authenticate::{Authenticate, Unauthenticated};
use super::reload::Reloaded;

pub use self::api_key::{
    GeneratedKey, KeyFileError, KeyNameError, KeysOf, NewKey, generate, remove_keys,
};
pub use self::arguments::{AuthenticationArgs, ConfigurationError};

/// Where an API key stands when `Authorization` is taken by something else.
const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
/// The most bytes that a credential is read from. Providers' tokens are 1 to 4 KB.
const MAX_CREDENTIAL: usize = 16 * 1024;

/// Reads a request's credentials by the rules that the operator gave. Clones share keys and caches.
#[derive(Clone)]
pub struct Authenticator {
    api_keys: Option<Arc<KeyFile>>,
    tokens: Option<Arc<Tokens>>,
}

impl Authenticator {
    /// What `args` ask for; `None` when they ask for no authentication. Reads the key file; asks the
    /// identity provider nothing yet.
    ///
    /// # Errors
    /// A sentence for the operator when the arguments are incomplete or the key file is not usable.
    pub fn from_args(
        args: &AuthenticationArgs,
        clock: Clock,
    ) -> Result<Option<Self>, ConfigurationError> {
        let api_keys = args
            .key_file()
            .map(KeyFile::open)
            .transpose()?
            .map(Arc::new);
        let tokens = match args.jwt()? {
            Some(rules) => Some(Arc::new(Tokens::new(rules, clock)?)),
            None => None,
        };
        if api_keys.is_none() && tokens.is_none() {
            return Ok(None);
        }
        Ok(Some(Self { api_keys, tokens }))
    }

    /// Fetches the identity provider's keys ahead of the first request. When it does not answer, the
    /// log says so and the server starts all the same: the keys are asked for again when needed.
    pub async fn warm_up(&self) {
        if let Some(tokens) = &self.tokens {
            tokens.warm_up().await;
        }
    }

    /// Counts the failed requests for the token issuer's keys; `None` without tokens.
    pub fn failed_fetches(&self) -> Option<Arc<AtomicU64>> {
        self.tokens.as_ref().map(|tokens| tokens.failed_fetches())
    }

    /// Whether tokens of an identity provider are accepted.
    pub fn accepts_tokens(&self) -> bool {
        self.tokens.is_some()
    }

    /// Whether an API key names its owner.
    pub fn keys_name_owners(&self) -> bool {
        let keys = self.api_keys.as_ref();
        keys.is_some_and(|file| file.keys().name_owners())
    }

    /// How many API keys may read or write.
    pub fn keys_with_access(&self) -> usize {
        let keys = self.api_keys.as_ref();
        keys.map_or(0, |file| file.keys().with_access())
    }

    /// The key file, to be read again when it changes.
    pub fn files(&self) -> Vec<Reloaded> {
        let files = self.api_keys.iter().map(|file| {
            let again = Arc::clone(file);
            Reloaded {
                path: file.path().to_owned(),
                read: Box::new(move || again.read_again().map_err(|error| error.to_string())),
            }
        });
        files.collect()
    }

    async fn read(&self, headers: &HeaderMap) -> Result<Viewer, Refusal> {
        match Credential::find(headers)? {
            Credential::ApiKey(key) => self.by_api_key(key),
            // Generated keys say by their prefix what they are; others, whose hashes an operator put
            // into the file, are read as keys when there are no tokens that they could be.
            Credential::Bearer(text) if text.starts_with(api_key::PREFIX) => self.by_api_key(text),
            Credential::Bearer(text) => match &self.tokens {
                Some(tokens) => tokens.viewer(text).await,
                None => self.by_api_key(text),
            },
        }
    }

    fn by_api_key(&self, key: &str) -> Result<Viewer, Refusal> {
        self.api_keys
            .as_ref()
            .and_then(|file| file.keys().viewer(key.as_bytes()))
            .ok_or(Refusal::UnknownApiKey)
    }
}

impl Authenticate for Authenticator {
    /// The viewer whose credentials `headers` carry: `Authorization: Bearer` with an API key or a token,
    /// or `x-api-key` with an API key.
    fn authenticate<'a>(
        &'a self,
        headers: &'a HeaderMap,
    ) -> BoxFuture<'a, Result<Viewer, Unauthenticated>> {
        Box::pin(async move {
            self.read(headers).await.map_err(|reason| {
                tracing::debug!(%reason, "credentials refused");
                Unauthenticated
            })
        })
    }
}

impl std::fmt::Debug for Authenticator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Authenticator")
            .field("api_keys", &self.api_keys.is_some())
            .field("tokens", &self.tokens.is_some())
            .finish()
    }
}

/// The one credential of a request, not yet checked.
enum Credential<'a> {
    ApiKey(&'a str),
    Bearer(&'a str),
}

impl<'a> Credential<'a> {
    /// Finds it. Two credentials are refused: which of them counts would be a guess, and a proxy in
    /// front may have guessed the other.
    fn find(headers: &'a HeaderMap) -> Result<Self, Refusal> {
        let mut values = headers
            .get_all(API_KEY)
            .iter()
            .map(|value| (API_KEY, value))
            .chain(
                headers
                    .get_all(AUTHORIZATION)
                    .iter()
                    .map(|value| (AUTHORIZATION, value)),
            );
        let (name, value) = values.next().ok_or(Refusal::Missing)?;
        if values.next().is_some() {
            return Err(Refusal::Ambiguous);
        }
        let text = value.to_str().map_err(|_| Refusal::Malformed)?.trim();
        if text.is_empty() || text.len() > MAX_CREDENTIAL {
            return Err(Refusal::Malformed);
        }
        if name == API_KEY {
            return Ok(Self::ApiKey(text));
        }
        // RFC 9110, 11.1: a scheme's name is case-insensitive.
        match text.split_once(' ') {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("bearer") => {
                Ok(Self::Bearer(rest.trim_start()))
            }
            _ => Err(Refusal::Malformed),
        }
    }
}
