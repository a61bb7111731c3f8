//! The object store, and signed URLs to its objects.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt};
use http::{HeaderName, HeaderValue, header};
use object_store::aws::AmazonS3;
use object_store::path::Path;
use object_store::signer::{SignedUrlOptions, Signer};
use object_store::{GetResult, ObjectStore, ObjectStoreExt, PutMode, PutPayload, WriteMultipart};
use url::Url;

use super::grant::{Access, Download, Grant, Upload, disposition};
use super::signing::{Refused, SigningKey};
use trestle_api::request_origin;
use trestle_domain::base64;
use trestle_table::clock::Clock;

/// The header that carries a checksum, as in S3: SHA-256 in base64.
pub const CHECKSUM_HEADER: &str = "x-amz-checksum-sha256";

/// An object store that clients reach by signed URLs. Cheap to clone.
#[derive(Clone)]
pub struct Files {
    store: Arc<dyn ObjectStore>,
    signing: Signing,
    clock: Clock,
}

#[derive(Clone)]
enum Signing {
    /// By the store: clients talk to it.
    Store(Arc<AmazonS3>),
    /// By this server: clients talk to it.
    Server {
        key: Arc<SigningKey>,
        /// The handler's path below the origin: `/graph-runs/files`.
        path: Arc<str>,
        /// Where clients reach this server, known once it listens.
        origin: Arc<OnceLock<Url>>,
    },
}

/// A URL that its holder may use for a limited time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedUrl {
    /// The URL.
    pub url: Url,
    /// The headers that the client must send.
    pub headers: Vec<(&'static str, String)>,
    /// When the URL expires.
    pub expires: DateTime<Utc>,
}

/// Why the object store did not do what was asked.
#[derive(Clone, Debug, thiserror::Error)]
pub enum FilesError {
    /// The store failed.
    #[error("the object store: {0}")]
    Store(Arc<object_store::Error>),
    /// A key or a header value cannot be used.
    #[error("an object key or a header is malformed")]
    Malformed,
    /// The server's own address is unknown.
    #[error("URLs cannot be signed before the server listens: set --public-url")]
    NoOrigin,
    /// An object has more bytes than it may.
    #[error("the object has more than {0} bytes")]
    TooLarge(u64),
}

impl From<object_store::Error> for FilesError {
    fn from(error: object_store::Error) -> Self {
        FilesError::Store(Arc::new(error))
    }
}

impl Files {
    /// Files in S3, or a store that speaks its protocol.
    pub fn s3(store: AmazonS3, clock: Clock) -> Self {
        let store = Arc::new(store);
        Self {
            store: Arc::clone(&store) as _,
            signing: Signing::Store(store),
            clock,
        }
    }

    /// Files in a store that only this server reaches. `service` mounts the handler, and `public` is where clients
    /// reach the server if that is not where it listens.
    pub fn served(
        service: &str,
        store: Arc<dyn ObjectStore>,
        key: SigningKey,
        public: Option<Url>,
        clock: Clock,
    ) -> Self {
        let origin = public.map_or_else(OnceLock::new, OnceLock::from);
        let mount = super::MOUNT;
        Self {
            store,
            signing: Signing::Server {
                key: Arc::new(key),
                path: format!("/{service}/{mount}").into(),
                origin: Arc::new(origin),
            },
            clock,
        }
    }

    /// Whether clients get files from this server, so that the service must mount the handler.
    pub fn are_served(&self) -> bool {
        matches!(self.signing, Signing::Server { .. })
    }

    /// Sets where clients reach this server, unless that was configured.
    pub fn on_listening(&self, origin: &Url) {
        if let Signing::Server { origin: known, .. } = &self.signing {
            // The first one counts: the operator's, or the first listener.
            let _ = known.set(origin.clone());
        }
    }

    /// Whether the store answers: one request for an object that need not exist.
    pub async fn answer(&self) -> bool {
        self.size("ready").await.is_ok()
    }

    /// A URL to PUT an object.
    pub async fn upload_url(
        &self,
        key: &str,
        upload: &Upload,
        lifetime: Duration,
    ) -> Result<SignedUrl, FilesError> {
        let mut headers = Vec::new();
        if let Some(sha256) = &upload.sha256 {
            headers.push((CHECKSUM_HEADER, base64(sha256)));
        }
        if let Some(content_type) = &upload.content_type {
            headers.push((header::CONTENT_TYPE.as_str(), content_type.clone()));
        }
        let mut upload = upload.clone();
        upload.max_bytes = upload.bytes.unwrap_or(upload.max_bytes);
        self.sign(key, Access::Put(upload), headers, lifetime).await
    }

    /// A URL to GET an object.
    pub async fn download_url(
        &self,
        key: &str,
        download: &Download,
        lifetime: Duration,
    ) -> Result<SignedUrl, FilesError> {
        let access = Access::Get(download.clone());
        self.sign(key, access, Vec::new(), lifetime).await
    }

    async fn sign(
        &self,
        key: &str,
        access: Access,
        headers: Vec<(&'static str, String)>,
        lifetime: Duration,
    ) -> Result<SignedUrl, FilesError> {
        let seconds = TimeDelta::from_std(lifetime).map_err(|_| FilesError::Malformed)?;
        let expires = self.clock.now() + seconds;
        let url = match &self.signing {
            Signing::Store(store) => {
                let mut options = SignedUrlOptions::new();
                for (name, value) in &headers {
                    let value = HeaderValue::from_str(value).map_err(|_| FilesError::Malformed)?;
                    options = options.with_signed_header(HeaderName::from_static(name), value);
                }
                if let Access::Get(download) = &access {
                    let name =
                        disposition(download.name.as_deref(), download.content_type.as_deref());
                    options = options.with_query([("response-content-disposition", name)]);
                    let content_type = download.content_type.clone();
                    // S3 ignores parameters that begin with `x-`, and writes them to its access log.
                    let reader = download.reader.clone();
                    options = options.with_query(reader.map(|reader| ("x-reader", reader)));
                    options = options
                        .with_query(content_type.map(|kind| ("response-content-type", kind)));
                }
                let path = path(key)?;
                store
                    .signed_url_opts(access.method(), &path, lifetime, &options)
                    .await?
            }
            Signing::Server {
                key: secret,
                path,
                origin,
            } => {
                let origin = origin.get().cloned().or_else(request_origin);
                let origin = origin.ok_or(FilesError::NoOrigin)?;
                let key = key.to_owned();
                secret.url(&origin, path, &Grant { key, access }, expires)
            }
        };
        Ok(SignedUrl {
            url,
            headers,
            expires,
        })
    }

    /// What a URL's query allows now; `None` if the store signs its own URLs.
    pub(super) fn granted(&self, query: &str) -> Option<Result<Grant, Refused>> {
        match &self.signing {
            Signing::Server { key, .. } => Some(key.read(query, self.clock.now())),
            Signing::Store(_) => None,
        }
    }

    /// Ends the upload URLs of a key: later uploads are refused. S3's own URLs work until they expire, so copy an
    /// object to another key before you rely on it.
    pub async fn close(&self, key: &str) -> Result<(), FilesError> {
        match self.signing {
            Signing::Server { .. } => self.put(&closed(key), Vec::new()).await,
            Signing::Store(_) => Ok(()),
        }
    }

    /// Lets the upload URLs of a key work again.
    pub async fn open_again(&self, key: &str) -> Result<(), FilesError> {
        self.delete(&closed(key)).await
    }

    pub(super) async fn is_closed(&self, key: &str) -> Result<bool, FilesError> {
        Ok(self.size(&closed(key)).await?.is_some())
    }

    /// The number of bytes of an object, if it exists. One request.
    pub async fn size(&self, key: &str) -> Result<Option<u64>, FilesError> {
        match self.store.head(&path(key)?).await {
            Ok(meta) => Ok(Some(meta.size)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// An object as a stream, if it exists. One of more than `max` bytes is [`FilesError::TooLarge`].
    pub async fn get(&self, key: &str, max: u64) -> Result<Option<GetResult>, FilesError> {
        match self.store.get(&path(key)?).await {
            Ok(found) if found.meta.size > max => Err(FilesError::TooLarge(max)),
            Ok(found) => Ok(Some(found)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// A small object as a whole, if it exists. As [`Files::get`].
    pub async fn read(&self, key: &str, max: u64) -> Result<Option<Bytes>, FilesError> {
        match self.get(key, max).await? {
            Some(found) => Ok(Some(found.bytes().await?)),
            None => Ok(None),
        }
    }

    /// A part of an object: `range` in bytes.
    pub async fn read_range(
        &self,
        key: &str,
        range: std::ops::Range<u64>,
    ) -> Result<Bytes, FilesError> {
        Ok(self.store.get_range(&path(key)?, range).await?)
    }

    /// Writes a small object.
    pub async fn put(&self, key: &str, bytes: Vec<u8>) -> Result<(), FilesError> {
        self.store.put(&path(key)?, PutPayload::from(bytes)).await?;
        Ok(())
    }

    /// Writes a small object, if none has its key; `false` if one has it. Of several that write it at once, one does. A store
    /// that refuses conditional writes gets a plain one.
    pub async fn put_new(&self, key: &str, bytes: Vec<u8>) -> Result<bool, FilesError> {
        let (path, payload) = (path(key)?, PutPayload::from(bytes));
        let create = PutMode::Create.into();
        match self.store.put_opts(&path, payload.clone(), create).await {
            Ok(_) => return Ok(true),
            Err(object_store::Error::AlreadyExists { .. }) => return Ok(false),
            Err(error) => {
                tracing::warn!(%error, "an object could not be created: the server looks whether it exists");
            }
        }
        if self.size(key).await?.is_some() {
            return Ok(false);
        }
        self.store.put(&path, payload).await?;
        Ok(true)
    }

    /// Writes an object piece by piece. It exists when the writer has finished, and not before.
    pub async fn writer(&self, key: &str) -> Result<WriteMultipart, FilesError> {
        let upload = self.store.put_multipart(&path(key)?).await?;
        Ok(WriteMultipart::new(upload))
    }

    /// Copies an object over whatever has the other key; `false` if there is none.
    pub async fn copy(&self, from: &str, to: &str) -> Result<bool, FilesError> {
        match self.store.copy(&path(from)?, &path(to)?).await {
            Ok(()) => Ok(true),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Deletes an object, if it exists.
    pub async fn delete(&self, key: &str) -> Result<(), FilesError> {
        match self.store.delete(&path(key)?).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Deletes every object below a prefix of whole segments.
    pub async fn delete_below(&self, prefix: &str) -> Result<(), FilesError> {
        let keys: Vec<_> = self.keys(prefix).try_collect().await?;
        for key in keys {
            self.delete(&key).await?;
        }
        Ok(())
    }

    /// The keys of all objects below a prefix of whole segments.
    pub fn keys(&self, prefix: &str) -> BoxStream<'static, Result<String, FilesError>> {
        self.listed(prefix).map_ok(|(key, _)| key).boxed()
    }

    /// The keys of all objects below a prefix of whole segments, each with the time of its last write.
    pub(crate) fn listed(
        &self,
        prefix: &str,
    ) -> BoxStream<'static, Result<(String, DateTime<Utc>), FilesError>> {
        let listed = self.store.list(Some(&Path::from(prefix)));
        let listed = listed.map_ok(|meta| (meta.location.to_string(), meta.last_modified));
        listed.map_err(FilesError::from).boxed()
    }
}

fn closed(key: &str) -> String {
    format!("{key}.closed")
}

fn path(key: &str) -> Result<Path, FilesError> {
    Path::parse(key).map_err(|_| FilesError::Malformed)
}
