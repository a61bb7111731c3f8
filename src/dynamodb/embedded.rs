//! The embedded store: dynoxide, a DynamoDB on SQLite, behind the SDK's HTTP connector. No socket: the
//! SDK's request is answered in process.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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

use super::damage::{self, Damage};
use super::errors::{BackupError, OpenError};
use super::file::{self, FILE, Watched};

/// What the SDK is told to put where it wants an idempotency token. The store would remember every token
/// for ten minutes and walk them all on each transaction; in process no answer is lost, so none is needed.
const NO_TOKEN: &str = "trestle-embedded-no-token";

/// An open embedded store. Clones answer from the same one.
#[derive(Clone)]
pub struct Embedded {
    database: Database,
    /// The files of a store on disk.
    watched: Option<Arc<Watched>>,
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
        std::fs::create_dir_all(folder).map_err(|source| OpenError::folder(folder, source))?;
        let file = folder.join(FILE);
        if !is_there(folder, &file)? {
            file::make(folder, &file)?;
        }
        Self::open_file(folder, &file)
    }

    /// Opens the store in `folder` as [`Embedded::open`] does; `None`, and nothing made, where it is not
    /// there.
    ///
    /// # Errors
    /// [`OpenError`] when the folder cannot be used or its file is not a store.
    pub fn find(folder: &Path) -> Result<Option<Self>, OpenError> {
        let file = folder.join(FILE);
        match is_there(folder, &file)? {
            true => Self::open_file(folder, &file).map(Some),
            false => Ok(None),
        }
    }

    fn open_file(folder: &Path, file: &Path) -> Result<Self, OpenError> {
        let unusable = |source| OpenError::folder(folder, source);
        let path = file
            .to_str()
            .ok_or_else(|| unusable(io::Error::other("its path is not valid UTF-8")))?;
        file::recognize(folder, file)?;
        let database = file::open(folder, file, path)?;
        let watched = Watched::new(folder, file).map_err(unusable)?;
        Ok(Self {
            database,
            watched: Some(Arc::new(watched)),
        })
    }

    /// A store in memory, gone with its last clone.
    ///
    /// # Errors
    /// [`OpenError::Unreadable`].
    pub fn memory() -> Result<Self, OpenError> {
        Ok(Self {
            database: Database::memory().map_err(|error| OpenError::Unreadable {
                file: "in memory".to_owned(),
                reason: error.to_string(),
            })?,
            watched: None,
        })
    }

    /// Whether the store's files are in their place and its disk takes new bytes. Writes a file without a name.
    pub async fn is_sound(&self) -> bool {
        let Some(watched) = self.watched.clone() else {
            return true;
        };
        let sound = move || watched.is_in_place() && watched.has_room();
        tokio::task::spawn_blocking(sound).await.unwrap_or(false)
    }

    /// Whether a file in a store's folder is the store's: by its name.
    pub fn is_own(file: &Path) -> bool {
        let name = file.file_name().map(|name| name.as_encoded_bytes());
        name.is_some_and(|name| name.starts_with(FILE.as_bytes()))
    }

    /// What is damaged in the store in `folder`: reads every row.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn check(folder: &Path) -> Result<Vec<Damage>, OpenError> {
        damage::check(folder)
    }

    /// Builds an index anew from its table's items. No server may use the store meanwhile.
    ///
    /// # Errors
    /// Why the table cannot be changed.
    pub fn rebuild(&self, table: &str, index: &str) -> Result<(), String> {
        damage::rebuild(&self.database, table, index)
    }

    /// Copies the store, as it is at one moment, to a file that is not there yet. Other processes may write meanwhile.
    ///
    /// # Errors
    /// [`BackupError`]; nothing is left then.
    pub async fn backup(&self, target: PathBuf) -> Result<(), BackupError> {
        let database = self.database.clone();
        let copied = tokio::task::spawn_blocking(move || file::backup(&database, &target)).await;
        copied.unwrap_or_else(|error| {
            Err(DynoxideError::InternalServerError(error.to_string()).into())
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

/// Whether a store is to be opened rather than made.
fn is_there(folder: &Path, file: &Path) -> Result<bool, OpenError> {
    match file.metadata() {
        Ok(metadata) if metadata.len() == 0 => Err(OpenError::Gone {
            file: file.display().to_string(),
        }),
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(OpenError::folder(folder, error)),
    }
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
        let store = self.clone();
        HttpConnectorFuture::new(async move {
            // Inline, a connector that never yields starves every other task of its thread.
            let answered = tokio::task::spawn_blocking(move || store.answer(&request)).await;
            answered.map_err(|e| ConnectorError::other(e.into(), None))?
        })
    }
}

impl Embedded {
    fn answer(&self, request: &HttpRequest) -> Result<HttpResponse, ConnectorError> {
        let target = request.headers().get("x-amz-target").unwrap_or_default();
        let operation = target.rsplit('.').next().unwrap_or_default();
        let body = request.body().bytes().unwrap_or_default();
        let answered = self
            .in_place()
            .and_then(|()| dispatch(&self.database, operation, body))
            .or_else(
                |error| match error.status_code() == 500 && self.mended(operation, body) {
                    true => dispatch(&self.database, operation, body),
                    false => Err(error),
                },
            )
            // What was written to files that were taken away is not acknowledged.
            .and_then(|body| self.in_place().map(|()| body));
        let (status, body) = match answered {
            Ok(body) => (200, body),
            Err(error) => (error.status_code(), error.to_json()),
        };
        let status =
            StatusCode::try_from(status).map_err(|e| ConnectorError::other(e.into(), None))?;
        let mut response = HttpResponse::new(status, SdkBody::from(body));
        response
            .headers_mut()
            .insert("content-type", "application/x-amz-json-1.0");
        Ok(response)
    }

    /// After a Query of an index failed: whether copies in the index were damaged and are replaced now.
    fn mended(&self, operation: &str, body: &[u8]) -> bool {
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "PascalCase")]
        struct Query {
            table_name: String,
            index_name: String,
        }
        let Some(watched) = self.watched.as_ref().filter(|_| operation == "Query") else {
            return false;
        };
        let Ok(Query {
            table_name: table,
            index_name: index,
        }) = serde_json::from_slice(body)
        else {
            return false;
        };
        match damage::mend(watched.file(), &table, &index) {
            Ok(0) => false,
            Ok(rows) => {
                tracing::error!(
                    table,
                    index,
                    rows,
                    "damaged rows of an index were replaced by the items: look at the disk, and run `trestle store check`"
                );
                true
            }
            Err(error) => {
                tracing::error!(table, index, %error, "an index cannot be mended");
                false
            }
        }
    }

    fn in_place(&self) -> Result<(), DynoxideError> {
        match &self.watched {
            Some(watched) if !watched.is_in_place() => {
                let reason = "the store's files were removed or replaced";
                Err(DynoxideError::InternalServerError(reason.to_owned()))
            }
            Some(_) | None => Ok(()),
        }
    }
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
