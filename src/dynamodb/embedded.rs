//! The embedded store: dynoxide, a DynamoDB on SQLite, behind the SDK's HTTP connector. No socket: the
//! SDK's request is answered in process.

use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{
    BehaviorVersion, Config, Credentials, Region, StalledStreamProtectionConfig,
};
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_runtime_api::http::StatusCode;
use aws_smithy_types::body::SdkBody;
use dynoxide::{Database, DynoxideError};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The store's file in its folder.
const FILE: &str = "trestle.sqlite";
/// What every file of SQLite begins with.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// What the SDK is told to put where it wants an idempotency token. The store would remember every token
/// for ten minutes and walk them all on each transaction; in process no answer is lost, so none is needed.
const NO_TOKEN: &str = "trestle-embedded-no-token";

/// An open embedded store. Clones answer from the same one.
#[derive(Clone)]
pub struct Embedded {
    database: Database,
}

/// The store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder cannot be made or used.
    #[error("the data folder {folder} cannot be used: {source}")]
    Folder {
        /// The folder.
        folder: String,
        /// Why.
        source: io::Error,
    },
    /// Something else stands where the store's file belongs.
    #[error("{file} is not a store of Trestle")]
    NotAStore {
        /// The file.
        file: String,
    },
    /// The store in it does not open.
    #[error("the embedded store does not open: {0}")]
    Store(#[from] DynoxideError),
}

impl fmt::Debug for Embedded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Embedded")
    }
}

impl Embedded {
    /// Opens the store in `folder`, made where it is not there. Every commit is on disk before it is
    /// answered.
    ///
    /// # Errors
    /// [`OpenError`] when the folder cannot be made or its file is not a store.
    pub fn open(folder: &Path) -> Result<Self, OpenError> {
        std::fs::create_dir_all(folder).map_err(|source| unusable(folder, source))?;
        let file = folder.join(FILE);
        match begins_like_a_store(&file) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(unusable(folder, error)),
            Ok(false) => Err(not_a_store(&file)),
            Ok(true) | Err(_) => Self::open_file(folder, &file),
        }
    }

    /// Opens the store in `folder` as [`Embedded::open`] does; `None`, and nothing made, where it is not
    /// there.
    ///
    /// # Errors
    /// [`OpenError`] when the folder cannot be used or its file is not a store.
    pub fn find(folder: &Path) -> Result<Option<Self>, OpenError> {
        let file = folder.join(FILE);
        match begins_like_a_store(&file) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(unusable(folder, error)),
            Ok(false) => Err(not_a_store(&file)),
            Ok(true) => Self::open_file(folder, &file).map(Some),
        }
    }

    fn open_file(folder: &Path, file: &Path) -> Result<Self, OpenError> {
        let path = file
            .to_str()
            .ok_or_else(|| unusable(folder, io::Error::other("its path is not valid UTF-8")))?;
        match Database::new(path) {
            Ok(database) => Ok(Self { database }),
            Err(error) => Err(not_opened(folder, file, error)),
        }
    }

    /// A store in memory, gone with its last clone.
    ///
    /// # Errors
    /// [`OpenError::Store`].
    pub fn memory() -> Result<Self, OpenError> {
        Ok(Self {
            database: Database::memory()?,
        })
    }

    /// Deletes what has expired. DynamoDB does it by itself; this store is asked to.
    pub async fn sweep(&self) {
        let database = self.database.clone();
        let swept = tokio::task::spawn_blocking(move || database.sweep_ttl()).await;
        if let Ok(Err(error)) = swept {
            tracing::warn!(%error, "expired items were not deleted");
        }
    }

    /// A client that this store answers.
    pub fn client(&self) -> Client {
        self.client_behind(|connector| connector)
    }

    /// A client of the tables' streams that this store answers. It keeps their records for good.
    pub fn streams_client(&self) -> aws_sdk_dynamodbstreams::Client {
        let config = aws_sdk_dynamodbstreams::config::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static("local"))
            .credentials_provider(credentials())
            .http_client(Connected(SharedHttpConnector::new(self.clone())))
            .build();
        aws_sdk_dynamodbstreams::Client::from_conf(config)
    }

    /// A client whose requests go through what `wrap` makes of the store's connector: for tests that
    /// count, delay or refuse them.
    pub fn client_behind(
        &self,
        wrap: impl FnOnce(SharedHttpConnector) -> SharedHttpConnector,
    ) -> Client {
        let connector = wrap(SharedHttpConnector::new(self.clone()));
        let config = Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static("local"))
            .credentials_provider(credentials())
            .idempotency_token_provider(NO_TOKEN)
            // A body that is handed over in process never streams, and on a busy machine it looks stalled.
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
            .http_client(Connected(connector))
            .build();
        Client::from_conf(config)
    }
}

fn unusable(folder: &Path, source: io::Error) -> OpenError {
    OpenError::Folder {
        folder: folder.display().to_string(),
        source,
    }
}

fn not_a_store(file: &Path) -> OpenError {
    OpenError::NotAStore {
        file: file.display().to_string(),
    }
}

/// Why a store did not open, in words of ours where SQLite's code has a clear meaning.
fn not_opened(folder: &Path, file: &Path, error: DynoxideError) -> OpenError {
    const READ_ONLY: i32 = 8;
    const CANNOT_OPEN: i32 = 14;
    match &error {
        DynoxideError::SqliteError(cause) => {
            match cause.sqlite_error().map(|e| e.extended_code & 0xff) {
                Some(READ_ONLY | CANNOT_OPEN) => {
                    let reason = "its files cannot be written";
                    unusable(folder, io::Error::new(ErrorKind::PermissionDenied, reason))
                }
                _ => OpenError::Store(error),
            }
        }
        // dynoxide has no variant for it.
        DynoxideError::InternalServerError(text) if text.contains("not a valid SQLite") => {
            not_a_store(file)
        }
        _ => OpenError::Store(error),
    }
}

/// Whether a file is one of SQLite, or empty, which SQLite takes for one.
fn begins_like_a_store(file: &Path) -> io::Result<bool> {
    let mut begin = Vec::new();
    File::open(file)?
        .take(MAGIC.len() as u64)
        .read_to_end(&mut begin)?;
    Ok(begin.is_empty() || begin == MAGIC)
}

fn credentials() -> Credentials {
    Credentials::new("embedded", "embedded", None, None, "embedded")
}

/// The SDK asks an HTTP client for a connector; this one has just the one.
#[derive(Clone, Debug)]
struct Connected(SharedHttpConnector);

impl HttpClient for Connected {
    fn http_connector(
        &self,
        _: &HttpConnectorSettings,
        _: &RuntimeComponents,
    ) -> SharedHttpConnector {
        self.0.clone()
    }
}

impl HttpConnector for Embedded {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let database = self.database.clone();
        HttpConnectorFuture::new(async move {
            // Inline, a connector that never yields starves every other task of its thread.
            let answered = tokio::task::spawn_blocking(move || answer(&database, &request)).await;
            answered.map_err(|e| ConnectorError::other(e.into(), None))?
        })
    }
}

fn answer(database: &Database, request: &HttpRequest) -> Result<HttpResponse, ConnectorError> {
    let target = request.headers().get("x-amz-target").unwrap_or_default();
    let operation = target.rsplit('.').next().unwrap_or_default();
    let (status, body) = match dispatch(
        database,
        operation,
        request.body().bytes().unwrap_or_default(),
    ) {
        Ok(body) => (200, body),
        Err(error) => (error.status_code(), error.to_json()),
    };
    let status = StatusCode::try_from(status).map_err(|e| ConnectorError::other(e.into(), None))?;
    let mut response = HttpResponse::new(status, SdkBody::from(body));
    response
        .headers_mut()
        .insert("content-type", "application/x-amz-json-1.0");
    Ok(response)
}

fn dispatch(database: &Database, operation: &str, body: &[u8]) -> Result<String, DynoxideError> {
    match operation {
        "BatchGetItem" => run(body, |request| database.batch_get_item(request)),
        "BatchWriteItem" => run(body, |request| database.batch_write_item(request)),
        "CreateTable" => run(body, |request| database.create_table(request)),
        "DeleteItem" => run(body, |request| database.delete_item(request)),
        "DeleteTable" => run(body, |request| database.delete_table(request)),
        "DescribeStream" => run(body, |request| database.describe_stream(request)),
        "DescribeTable" => run(body, |request| database.describe_table(request)),
        "DescribeTimeToLive" => run(body, |request| database.describe_time_to_live(request)),
        "GetItem" => run(body, |request| database.get_item(request)),
        "GetRecords" => run(body, |request| database.get_records(request)),
        "GetShardIterator" => run(body, |request| database.get_shard_iterator(request)),
        "ListTables" => run(body, |request| database.list_tables(request)),
        "PutItem" => run(body, |request| database.put_item(request)),
        "Query" => run(body, |request| database.query(request)),
        "Scan" => run(body, |request| database.scan(request)),
        "TransactGetItems" => run(body, |request| database.transact_get_items(request)),
        "TransactWriteItems" => run(
            body,
            |mut request: dynoxide::actions::transact_write_items::TransactWriteItemsRequest| {
                request
                    .client_request_token
                    .take_if(|token| token == NO_TOKEN);
                database.transact_write_items(request)
            },
        ),
        "UpdateItem" => run(body, |request| database.update_item(request)),
        "UpdateTable" => run(body, |request| database.update_table(request)),
        "UpdateTimeToLive" => run(body, |request| database.update_time_to_live(request)),
        other => Err(DynoxideError::ValidationException(format!(
            "The embedded store does not do {other}"
        ))),
    }
}

fn run<I: DeserializeOwned, O: Serialize>(
    body: &[u8],
    operation: impl FnOnce(I) -> Result<O, DynoxideError>,
) -> Result<String, DynoxideError> {
    let mut json = serde_json::Deserializer::from_slice(body);
    let request = I::deserialize(&mut json)
        .map_err(|e| DynoxideError::SerializationException(e.to_string()))?;
    let answer = operation(request)?;
    serde_json::to_string(&answer).map_err(|e| DynoxideError::InternalServerError(e.to_string()))
}
