//! An axum application of one's own that has a Trestle service among its routes: the service `shelf`, served by
//! async-graphql-axum. [`ServiceExecutor`] validates documents and applies limits; the rest is the application's.

use std::sync::Arc;

use async_graphql::Executor as _;
use async_graphql_axum::{GraphQLRequest, GraphQLResponse};
use aws_sdk_dynamodb::Client;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::HeaderMap;
use axum::middleware::map_request;
use axum::routing::{get, post};
use axum::{RequestExt as _, Router};
use clap::Command;
use futures_util::future::{BoxFuture, ready};

use shelf::SERVICE;
use trestle_api::Service;
use trestle_api::viewer::{Access, Viewer};
use trestle_server::{ServerArgs, ServiceExecutor};
use trestle_service::{Failure, ServiceContext, Streams};
use trestle_table::clock::Clock;
use trestle_table::{StreamReader, Table, Tables};

/// The largest body of a request, in bytes.
const BODY: usize = 1024 * 1024;

/// The application: a page of its own, and the service with the limits of these settings.
///
/// # Errors
/// The table cannot be opened, or the service's schema is not valid.
pub async fn app(client: Client, args: &ServerArgs) -> Result<Router, Failure> {
    let books = ServiceExecutor::new(open(client).await?, args)?;
    Ok(Router::new()
        .route("/", get(async || "The library is open."))
        .route("/graphql", post(graphql))
        // async-graphql-axum reads whole bodies, whatever axum's own limit.
        .layer(map_request(async |request: Request| {
            request.with_limited_body()
        }))
        .layer(DefaultBodyLimit::max(BODY))
        .with_state(books))
}

async fn graphql(
    State(books): State<ServiceExecutor>,
    headers: HeaderMap,
    request: GraphQLRequest,
) -> GraphQLResponse {
    let request = request.into_inner();
    let request = match viewer(&headers) {
        Some(viewer) => request.data(viewer),
        None => request,
    };
    books.execute(request).await.into()
}

/// Who sent a request, as the application knows it: from a session, say. Here it believes a header.
fn viewer(headers: &HeaderMap) -> Option<Viewer> {
    let name = headers.get("x-member")?.to_str().ok()?;
    Some(Viewer::new(name, Access::Write))
}

async fn open(client: Client) -> Result<Arc<dyn Service>, Failure> {
    let definitions = SERVICE.tables.iter();
    let tables: Vec<_> = definitions
        .map(|table| Table::new(client.clone(), table, table.default_name))
        .collect();
    for table in &tables {
        table.open_or_create().await?;
    }
    let clock = Clock::system();
    let context = ServiceContext {
        tables: Tables::new(tables, clock.clone()),
        arguments: &(SERVICE.arguments)(Command::new("app")).get_matches_from(["app"]),
        clock,
        folder: None,
        is_in_memory: false,
        streams: &NoStreams,
    };
    (SERVICE.open)(&context).await
}

/// The service reads no streams.
struct NoStreams;

impl Streams for NoStreams {
    fn open<'s>(&'s self, _: &'s Table) -> BoxFuture<'s, Result<StreamReader, Failure>> {
        Box::pin(ready(Err(Failure::new(
            "The application reads no streams.",
        ))))
    }
}
