//! Where the files are: an object store, and URLs that let a client put or get one object for a while. Knows
//! keys and bytes, and nothing of runs.

mod files;
mod keys;
mod signing;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use chrono::TimeDelta;
use http::{HeaderValue, Method};
use object_store::aws::AmazonS3;
use object_store::path::Path;
use object_store::signer::{SignedUrlOptions, Signer};
use object_store::{GetResult, ObjectStore, ObjectStoreExt, PutPayload};
use url::Url;

pub use keys::{graph_key, incoming_graph_key, report_key, upload_key};
pub use signing::{Grant, SigningKey};

use crate::clock::Clock;

/// How long a signed URL is good for.
pub const URL_LIFETIME: Duration = Duration::from_secs(15 * 60);

/// The header that carries a checksum, as S3 has it: SHA-256 in base64.
pub const CHECKSUM_HEADER: &str = "x-amz-checksum-sha256";

/// An object store that clients reach by signed URLs.
#[derive(Clone)]
pub struct Artifacts {
    store: Arc<dyn ObjectStore>,
    signing: Signing,
    clock: Clock,
}

#[derive(Clone)]
enum Signing {
    /// By the store itself: clients talk to it.
    Store(Arc<AmazonS3>),
    /// By us: clients talk to this server.
    Server {
        key: Arc<SigningKey>,
        /// Where this server answers, known once it listens.
        origin: Arc<OnceLock<Url>>,
    },
}

/// What an upload has to be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// How many bytes exactly, if that is known.
    pub bytes: Option<u64>,
    /// SHA-256 of the bytes, if that is known.
    pub sha256: Option<[u8; 32]>,
}

/// A URL that someone may use for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedUrl {
    /// The URL.
    pub url: Url,
    /// The headers that have to be sent with it.
    pub headers: Vec<(&'static str, String)>,
    /// Until when.
    pub expires: chrono::DateTime<chrono::Utc>,
}

/// What is wrong with the object store, or with what it has.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ArtifactError {
    /// The store failed.
    #[error("the object store: {0}")]
    Store(Arc<object_store::Error>),
    /// A stored key is not one.
    #[error("a stored object key is malformed")]
    Key,
    /// The server does not know where it answers.
    #[error("no URL can be signed before the server listens: give --public-url")]
    NoOrigin,
    /// An object has more bytes than it may.
    #[error("the object has more than {0} bytes")]
    TooLarge(u64),
}

impl From<object_store::Error> for ArtifactError {
    fn from(error: object_store::Error) -> Self {
        ArtifactError::Store(Arc::new(error))
    }
}

impl Artifacts {
    /// Artifacts in S3, or what speaks its protocol.
    pub fn s3(store: AmazonS3, clock: Clock) -> Self {
        let store = Arc::new(store);
        Self {
            store: Arc::clone(&store) as _,
            signing: Signing::Store(store),
            clock,
        }
    }

    /// Artifacts in a store that only this server reaches, whose URLs are of this server's own.
    /// `public` is where clients find it, if that is not where it listens.
    pub fn served(
        store: Arc<dyn ObjectStore>,
        key: SigningKey,
        public: Option<Url>,
        clock: Clock,
    ) -> Self {
        let origin = public.map_or_else(OnceLock::new, OnceLock::from);
        Self {
            store,
            signing: Signing::Server {
                key: Arc::new(key),
                origin: Arc::new(origin),
            },
            clock,
        }
    }

    /// The server answers at `origin`: signed URLs begin with it, unless they were told otherwise.
    pub fn listening(&self, origin: &Url) {
        if let Signing::Server { origin: known, .. } = &self.signing {
            // Whoever was first is right: the operator's, or the first listener.
            let _ = known.set(origin.clone());
        }
    }

    /// A URL to put an object of at most `max` bytes. S3 holds to an expected checksum and to no size: there,
    /// what is too large is refused before it is read.
    ///
    /// # Errors
    /// [`ArtifactError`].
    pub async fn upload_url(
        &self,
        key: &str,
        max: u64,
        expected: &Expected,
    ) -> Result<SignedUrl, ArtifactError> {
        let mut headers = Vec::new();
        if let Some(sha256) = &expected.sha256 {
            headers.push((CHECKSUM_HEADER, base64(sha256)));
        }
        let grant = Grant {
            method: Method::PUT,
            key: key.to_owned(),
            max: expected.bytes.unwrap_or(max),
            expected: expected.clone(),
        };
        self.sign(grant, headers).await
    }

    /// A URL to get an object.
    ///
    /// # Errors
    /// [`ArtifactError`].
    pub async fn download_url(&self, key: &str) -> Result<SignedUrl, ArtifactError> {
        let grant = Grant {
            method: Method::GET,
            key: key.to_owned(),
            max: 0,
            expected: Expected::default(),
        };
        self.sign(grant, Vec::new()).await
    }

    async fn sign(
        &self,
        grant: Grant,
        headers: Vec<(&'static str, String)>,
    ) -> Result<SignedUrl, ArtifactError> {
        let lifetime = TimeDelta::seconds(URL_LIFETIME.as_secs().cast_signed());
        let expires = self.clock.now() + lifetime;
        let url = match &self.signing {
            Signing::Store(store) => {
                let mut options = SignedUrlOptions::new();
                for (name, value) in &headers {
                    let value = HeaderValue::from_str(value).map_err(|_| ArtifactError::Key)?;
                    options =
                        options.with_signed_header(http::HeaderName::from_static(name), value);
                }
                let path = path(&grant.key)?;
                store
                    .signed_url_opts(grant.method, &path, URL_LIFETIME, &options)
                    .await?
            }
            Signing::Server { key, origin } => {
                let origin = origin.get().ok_or(ArtifactError::NoOrigin)?;
                key.url(origin, &grant, expires)
            }
        };
        Ok(SignedUrl {
            url,
            headers,
            expires,
        })
    }

    /// How many bytes an object has; `None` where it is not there. One request to the store.
    ///
    /// # Errors
    /// [`ArtifactError`].
    pub async fn size(&self, key: &str) -> Result<Option<u64>, ArtifactError> {
        match self.store.head(&path(key)?).await {
            Ok(meta) => Ok(Some(meta.size)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// An object as a stream; `None` where it is not there.
    ///
    /// # Errors
    /// [`ArtifactError::TooLarge`] for one of more than `max` bytes.
    pub async fn get(&self, key: &str, max: u64) -> Result<Option<GetResult>, ArtifactError> {
        match self.store.get(&path(key)?).await {
            Ok(found) if found.meta.size > max => Err(ArtifactError::TooLarge(max)),
            Ok(found) => Ok(Some(found)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes a small object.
    ///
    /// # Errors
    /// [`ArtifactError`].
    pub async fn put(&self, key: &str, bytes: Vec<u8>) -> Result<(), ArtifactError> {
        self.store.put(&path(key)?, PutPayload::from(bytes)).await?;
        Ok(())
    }

    /// Deletes an object; one that is not there is deleted.
    ///
    /// # Errors
    /// [`ArtifactError`].
    pub async fn delete(&self, key: &str) -> Result<(), ArtifactError> {
        match self.store.delete(&path(key)?).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes an object piece by piece. It is there when the writer has finished, and not before.
    ///
    /// # Errors
    /// [`ArtifactError`].
    pub async fn writer(&self, key: &str) -> Result<object_store::WriteMultipart, ArtifactError> {
        let upload = self.store.put_multipart(&path(key)?).await?;
        Ok(object_store::WriteMultipart::new(upload))
    }
}

fn path(key: &str) -> Result<Path, ArtifactError> {
    Path::parse(key).map_err(|_| ArtifactError::Key)
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}
