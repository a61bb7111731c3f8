//! Where the files of graph-runs are, and how the service is set up.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use aws_sdk_dynamodb::config::{ProvideCredentials, SharedCredentialsProvider};
use chrono::TimeDelta;
use clap::{Args, ValueEnum};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey, AwsCredential};
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::{ClientOptions, CredentialProvider};
use url::Url;

use crate::clock::Clock;
use crate::graph_runs::{Artifacts, Pipeline, Settings, SigningKey};
use crate::server::values::{above_zero, at_least_one, time_or_seconds};

use super::Failure;

/// How graph-runs is set up.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Graph runs")]
pub struct GraphRunsArgs {
    /// Where the files are: a folder, or s3://BUCKET
    ///
    /// A folder `artifacts` beside the embedded store unless said; nothing on disk with --memory. S3 takes its
    /// region and credentials from the AWS SDK's own settings, and what speaks its protocol is named by
    /// AWS_ENDPOINT_URL_S3.
    #[arg(long, env = "TRESTLE_ARTIFACTS", value_name = "PLACE")]
    artifacts: Option<String>,

    /// Where clients reach this server, for URLs of its own files; where it listens unless said
    #[arg(long, env = "TRESTLE_PUBLIC_URL", value_name = "URL", value_parser = web_url)]
    public_url: Option<Url>,

    /// Who builds the graphs
    #[arg(
        long = "graph-runs-pipeline",
        env = "TRESTLE_GRAPH_RUNS_PIPELINE",
        value_enum,
        default_value_t = PipelineArg::InProcess
    )]
    pipeline: PipelineArg,

    /// After what time a run that is being processed is stuck; a number alone is seconds
    #[arg(
        long = "graph-runs-stuck-after",
        env = "TRESTLE_GRAPH_RUNS_STUCK_AFTER",
        value_name = "TIME",
        default_value = "15m",
        value_parser = stuck_after
    )]
    stuck_after: TimeDelta,

    /// The most bytes of an uploaded Terraform file
    #[arg(
        long = "graph-runs-max-upload",
        env = "TRESTLE_GRAPH_RUNS_MAX_UPLOAD",
        value_name = "BYTES",
        default_value_t = 8 * 1024 * 1024,
        value_parser = at_least_one::<u64>
    )]
    max_upload: u64,

    /// The most bytes of a graph
    #[arg(
        long = "graph-runs-max-graph",
        env = "TRESTLE_GRAPH_RUNS_MAX_GRAPH",
        value_name = "BYTES",
        default_value_t = 256 * 1024 * 1024,
        value_parser = at_least_one::<u64>
    )]
    max_graph: u64,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum PipelineArg {
    /// This server, as soon as a run starts
    InProcess,
    /// Workers elsewhere, who report by mutations
    External,
}

/// Reads a URL that clients can follow.
fn web_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).ok();
    url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
        .ok_or_else(|| "give an http or https URL, like https://api.example.com".to_owned())
}

fn stuck_after(text: &str) -> Result<TimeDelta, String> {
    let time = above_zero(time_or_seconds(text)?)?;
    TimeDelta::from_std(time).map_err(|_| "give a shorter time".to_owned())
}

impl GraphRunsArgs {
    /// The settings of the service.
    pub fn settings(&self) -> Settings {
        Settings {
            pipeline: match self.pipeline {
                PipelineArg::InProcess => Pipeline::InProcess,
                PipelineArg::External => Pipeline::External,
            },
            stuck_after: self.stuck_after,
            max_upload: self.max_upload,
            max_graph: self.max_graph,
        }
    }

    /// Opens the object store. `data` is the embedded store's folder, if it has one.
    ///
    /// # Errors
    /// A sentence that says what to do.
    pub async fn open(&self, data: Option<&Path>, clock: Clock) -> Result<Artifacts, Failure> {
        let folder = match (&self.artifacts, data) {
            (Some(place), _) => match place.strip_prefix("s3://") {
                Some(bucket) => return s3(bucket.trim_end_matches('/'), clock).await,
                None => PathBuf::from(place),
            },
            (None, Some(data)) => data.join("artifacts"),
            (None, None) => {
                let store = Arc::new(InMemory::new());
                let key = SigningKey::random()?;
                return Ok(Artifacts::served(
                    store,
                    key,
                    self.public_url.clone(),
                    clock,
                ));
            }
        };
        let named = |error: std::io::Error| {
            let folder = folder.display();
            Failure(format!(
                "The folder {folder} cannot hold files: {error}. Name another one with --artifacts."
            ))
        };
        let files = folder.join("files");
        std::fs::create_dir_all(&files).map_err(named)?;
        let key = SigningKey::in_file(&folder.join("signing.key")).map_err(named)?;
        let store = LocalFileSystem::new_with_prefix(&files)?.with_fsync(true);
        Ok(Artifacts::served(
            Arc::new(store),
            key,
            self.public_url.clone(),
            clock,
        ))
    }
}

/// S3 with the SDK's own region and credentials: profiles, roles and SSO included.
async fn s3(bucket: &str, clock: Clock) -> Result<Artifacts, Failure> {
    if bucket.is_empty() || bucket.contains('/') {
        let message = "--artifacts names a bucket and no folder in it: s3://my-bucket.";
        return Err(Failure(message.to_owned()));
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
    Ok(Artifacts::s3(
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

/// The SDK's credentials, asked for anew each time: the SDK keeps and renews them.
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
