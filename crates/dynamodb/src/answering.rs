//! How the embedded store answers the SDK's requests: what is acknowledged is in its files, and counted.

use aws_smithy_runtime_api::client::http::{HttpConnector, HttpConnectorFuture};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::http::StatusCode;
use aws_smithy_types::body::SdkBody;
use dynoxide::DynoxideError;

use super::damage;
use super::embedded::Embedded;
use super::operations::{dispatch, may_write};
use super::unreadable;
use super::write_count::Turn;

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
        let mut turn = None;
        let answered = self
            .in_place()
            .and_then(|()| {
                turn = self.turn(operation)?;
                self.look_out(operation, body)
            })
            .and_then(|()| dispatch(&self.database, operation, body))
            .or_else(|error| {
                if error.status_code() == 500 && self.mended(operation, body) {
                    dispatch(&self.database, operation, body)
                } else {
                    Err(error)
                }
            })
            .or_else(|error| {
                let tables = unreadable::tables_of(body);
                if unreadable::is_about_an_item(&error) && self.set_aside(&tables) {
                    dispatch(&self.database, operation, body)
                } else {
                    Err(error)
                }
            })
            .inspect(|_| {
                if let Some(turn) = &mut turn {
                    if operation == "CreateTable" {
                        turn.count_new_tables();
                    }
                    turn.record();
                }
            })
            // What was written to files that were taken away is not acknowledged.
            .and_then(|body| self.in_place().map(|()| body));
        drop(turn);
        if answered.is_err()
            && let Some(files) = self.files.as_ref().filter(|files| !files.is_in_place())
        {
            files.rescue(&self.database);
        }
        let (status, body) = match answered {
            Ok(body) => (200, body),
            // A client error: nothing was changed, and the SDK does not repeat it.
            Err(error) if is_about_room(&error) => {
                if let Some(files) = &self.files {
                    files.report_full();
                }
                (400, DISK_FULL.to_owned())
            }
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

    /// Waits until a request may write. What it commits is recorded before another process commits.
    fn turn(&self, operation: &str) -> Result<Option<Turn<'_>>, DynoxideError> {
        let Some(files) = self.files.as_ref().filter(|_| may_write(operation)) else {
            return Ok(None);
        };
        let turn = files.writes.turn();
        turn.map(Some).map_err(|error| {
            DynoxideError::InternalServerError(format!("the store cannot be written: {error}"))
        })
    }

    /// Sets items aside that the request names and that cannot be read: they would not exist for it.
    fn look_out(&self, operation: &str, body: &[u8]) -> Result<(), DynoxideError> {
        let Some(files) = &self.files else {
            return Ok(());
        };
        let suspects = files.lookout.suspects(files.file(), operation, body)?;
        if !suspects.is_empty() && !self.set_aside(&suspects) {
            let reason = "a damaged item cannot be set aside";
            return Err(DynoxideError::InternalServerError(reason.to_owned()));
        }
        Ok(())
    }

    /// Whether items of these tables could not be read and are set aside now.
    fn set_aside(&self, tables: &[String]) -> bool {
        let Some(files) = &self.files else {
            return false;
        };
        let mut items = 0;
        for table in tables {
            match unreadable::set_aside(files.file(), table) {
                Ok(number) => items += number,
                Err(error) => tracing::error!(table, %error, "items cannot be set aside"),
            }
        }
        items > 0
    }

    /// After a Query of an index failed: whether copies in the index were damaged and are replaced now.
    fn mended(&self, operation: &str, body: &[u8]) -> bool {
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "PascalCase")]
        struct Query {
            table_name: String,
            index_name: String,
        }
        let Some(files) = self.files.as_ref().filter(|_| operation == "Query") else {
            return false;
        };
        let Ok(Query {
            table_name: table,
            index_name: index,
        }) = serde_json::from_slice(body)
        else {
            return false;
        };
        match damage::mend(files.file(), &table, &index) {
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
        match &self.files {
            Some(files) if !files.is_in_place() => {
                let reason = "the store's files were removed or replaced";
                Err(DynoxideError::InternalServerError(reason.to_owned()))
            }
            Some(_) | None => Ok(()),
        }
    }
}

const DISK_FULL: &str = r#"{"__type":"com.amazonaws.dynamodb.v20120810#DiskFullException","message":"The disk is full"}"#;

/// Whether a transaction was rolled back because the disk is full. Some of dynoxide's errors keep SQLite's text alone.
fn is_about_room(error: &DynoxideError) -> bool {
    match error {
        DynoxideError::SqliteError(error) => {
            error.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull)
        }
        DynoxideError::InternalServerError(text) => text.contains("database or disk is full"),
        _ => false,
    }
}
