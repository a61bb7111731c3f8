//! Where the files are, from the command line.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use aws_sdk_dynamodb::config::{ProvideCredentials, SharedCredentialsProvider};
use clap::{Args, Command};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey, AwsCredential};
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::{ClientOptions, CredentialProvider};
use url::Url;

use super::signing::SigningKey;
use super::store::Files;
use trestle_table::clock::Clock;

/// Where services keep files.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Files")]
pub struct FilesArgs {
    /// Where services keep files: a folder, or s3://BUCKET
    ///
    /// Defaults to the folder `artifacts` beside the embedded store, or to memory with --memory. Required with DynamoDB,
    /// except for applications without files. S3 takes its region and credentials from the AWS SDK's settings. Set
    /// AWS_ENDPOINT_URL_S3 for another server that speaks its protocol.
    #[arg(long, env = "TRESTLE_ARTIFACTS", value_name = "PLACE")]
    artifacts: Option<String>,

    /// Where clients reach this server, for URLs of its files and calendars. Defaults to the address it listens on
    #[arg(long, env = "TRESTLE_PUBLIC_URL", value_name = "URL", value_parser = web_url)]
    public_url: Option<Url>,
}

/// Why the files could not be opened: a sentence that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no place for files.
    #[error(
        "The service {0} needs a place for files that outlives this process: set --artifacts to a folder or s3://BUCKET."
    )]
    NoPlace(String),
    /// The bucket's name is wrong.
    #[error("--artifacts must name a bucket without a folder: s3://my-bucket.")]
    Bucket,
    /// A folder cannot be used.
    #[error("The folder {0} cannot hold files: {1}. Set another one with --artifacts.")]
    Folder(String, std::io::Error),
    /// The system has no randomness for a signing key.
    #[error("No signing key could be made: {0}")]
    Key(#[from] std::io::Error),
    /// The object store refuses its settings.
    #[error("The object store cannot be opened: {0}")]
    Store(#[from] object_store::Error),
}

impl FilesArgs {
    /// Where clients reach this server, if that is configured.
    pub fn public_url(&self) -> Option<&Url> {
        self.public_url.as_ref()
    }
}

/// Adds the options to a command, once however many services need them.
pub fn options(command: Command) -> Command {
    let is_there = command
        .get_arguments()
        .any(|argument| argument.get_id() == "artifacts");
    if is_there {
        command
    } else {
        FilesArgs::augment_args(command)
    }
}

/// Reads a URL that clients can follow.
fn web_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).ok();
    url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
        .ok_or_else(|| "give an http or https URL, like https://api.example.com".to_owned())
}

/// What holds a service's tables, which decides where files go by default.
#[derive(Clone, Copy, Debug)]
pub enum TableStore<'p> {
    /// The embedded store in this folder.
    Folder(&'p Path),
    /// The embedded store in memory: files are lost with it.
    Memory,
    /// DynamoDB, which outlives this process.
    Elsewhere,
}

impl<'p> TableStore<'p> {
    /// Beside the embedded store in `folder` or in memory, or else DynamoDB.
    pub fn of(folder: Option<&'p Path>, is_in_memory: bool) -> Self {
        match folder {
            Some(folder) => TableStore::Folder(folder),
            None if is_in_memory => TableStore::Memory,
            None => TableStore::Elsewhere,
        }
    }
}

/// Opens the object store for `service`.
///
/// # Errors
/// [`OpenError`].
pub async fn open(
    args: &FilesArgs,
    service: &str,
    beside: TableStore<'_>,
    clock: Clock,
) -> Result<Files, OpenError> {
    let public = args.public_url.clone();
    let folder = match (&args.artifacts, beside) {
        (Some(place), _) => match place.strip_prefix("s3://") {
            Some(bucket) => return s3(bucket.trim_end_matches('/'), clock).await,
            None => PathBuf::from(place),
        },
        (None, TableStore::Folder(data)) => data.join("artifacts"),
        (None, TableStore::Memory) => {
            let (store, key) = (Arc::new(InMemory::new()), SigningKey::random()?);
            return Ok(Files::served(service, store, key, public, clock));
        }
        (None, TableStore::Elsewhere) => return Err(OpenError::NoPlace(service.to_owned())),
    };
    let unusable = |error| OpenError::Folder(folder.display().to_string(), error);
    let files = folder.join("files");
    std::fs::create_dir_all(&files).map_err(unusable)?;
    let key = SigningKey::in_file(&folder.join("signing.key")).map_err(unusable)?;
    let store = LocalFileSystem::new_with_prefix(&files)?
        .with_automatic_cleanup(true)
        .with_fsync(true);
    Ok(Files::served(service, Arc::new(store), key, public, clock))
}

/// Opens a bucket of S3, for files that clients do not get from this server.
///
/// # Errors
/// [`OpenError`].
pub async fn open_bucket(bucket: &str, clock: Clock) -> Result<Files, OpenError> {
    s3(bucket, clock).await
}

/// S3 with the SDK's region and credentials: profiles, roles and SSO included.
async fn s3(bucket: &str, clock: Clock) -> Result<Files, OpenError> {
    if bucket.is_empty() || bucket.contains('/') {
        return Err(OpenError::Bucket);
    }
    let sdk = aws_config::load_from_env().await;
    let mut builder = AmazonS3Builder::from_env().with_bucket_name(bucket);
    if let Some(region) = sdk.region() {
        builder = builder.with_region(region.as_ref());
    }
    if let Some(provider) = sdk.credentials_provider() {
        builder = builder.with_credentials(Arc::new(SdkCredentials(provider)));
    }
    let timeouts = ClientOptions::new()
        .with_allow_http(is_plain_http(&builder))
        .with_connect_timeout(Duration::from_secs(5))
        .with_timeout(Duration::from_secs(60));
    Ok(Files::s3(
        builder.with_client_options(timeouts).build()?,
        clock,
    ))
}

/// Whether the operator named an endpoint without TLS.
fn is_plain_http(builder: &AmazonS3Builder) -> bool {
    [AmazonS3ConfigKey::S3Endpoint, AmazonS3ConfigKey::Endpoint]
        .iter()
        .find_map(|key| builder.get_config_value(key))
        .is_some_and(|endpoint| endpoint.starts_with("http://"))
}

/// The SDK's credentials, requested each time: the SDK caches and renews them.
#[derive(Debug)]
struct SdkCredentials(SharedCredentialsProvider);

#[async_trait]
impl CredentialProvider for SdkCredentials {
    type Credential = AwsCredential;

    async fn get_credential(&self) -> object_store::Result<Arc<AwsCredential>> {
        let found = self.0.provide_credentials().await;
        let found = found.map_err(|error| object_store::Error::Generic {
            store: "S3",
            source: Box::new(error),
        })?;
        Ok(Arc::new(AwsCredential {
            key_id: found.access_key_id().to_owned(),
            secret_key: found.secret_access_key().to_owned(),
            token: found.session_token().map(str::to_owned),
        }))
    }
}
