//! Trestle serves GraphQL APIs from DynamoDB single tables.
//!
//! # Layout
//!
//! Arrows point one way, and a test reads the tree to keep it so:
//! `main -> commands -> server -> services -> {api, table, viewer}`, `commands -> dynamodb`.
//!
//! - [`table`]: the single-table layer: keys, entities, queries, batches, transactions, cursors, capacity.
//! - [`dynamodb`]: who answers the SDK: DynamoDB, an endpoint, or the embedded store.
//! - [`api`]: the GraphQL vocabulary that the services share.
//! - [`viewer`], [`clock`]: who is asking, and when.
//! - [`applications`]: the job-application tracker, a vertical slice: model, keys, items, store, GraphQL.
//! - [`graph_runs`]: runs that turn Terraform into graphs and risk reports, the second slice.
//! - [`server`]: what stands around the services: HTTP, documents, limits, authentication, telemetry.
//! - [`commands`]: the command line.

pub mod api;
pub mod applications;
pub mod clock;
pub mod commands;
pub mod dynamodb;
pub mod graph_runs;
pub mod server;
pub mod table;
pub mod viewer;
