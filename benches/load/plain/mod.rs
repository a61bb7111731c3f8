//! *plain*: what a team writes first with the same libraries, by their books: async-graphql served by async-graphql-axum,
//! items read and written by serde_dynamo, a data loader in the schema, and the transactions that the table needs. It
//! checks no values, and has no limits, log or metrics.

mod model;
mod schema;
mod store;

use async_graphql::dataloader::DataLoader;
use async_graphql::runtime::{TokioSpawner, TokioTimer};
use async_graphql::{EmptySubscription, Schema};
use async_graphql_axum::GraphQL;
use axum::Router;
use axum::routing::post_service;

use schema::{Mutation, Query, Stages};
use store::Store;

/// Serves on a free port, which it prints.
pub async fn serve() {
    let store = Store::new(trestle_dynamodb::connect_aws().await);
    let stages = Stages(store.clone());
    let stages = DataLoader::new(stages, TokioSpawner::current(), TokioTimer::default());
    let schema = Schema::build(Query, Mutation, EmptySubscription)
        .data(store)
        .data(stages)
        .finish();
    let router = Router::new().route("/graphql", post_service(GraphQL::new(schema)));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.expect("a port");
    println!(
        "http://{}/graphql",
        listener.local_addr().expect("an address")
    );
    axum::serve(listener, router).await.expect("it serves");
}
