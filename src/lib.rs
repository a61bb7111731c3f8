//! Trestle serves GraphQL APIs from DynamoDB single tables.
//!
//! # Layout
//!
//! Dependencies point one way, and `tests/architecture.rs` checks it: `main -> commands -> {server, services}`,
//! `services -> {api, files, table, domain}`, `server -> api -> {table, domain}`, `table -> domain`.
//!
//! - [`commands`]: the command line.
//! - [`server`]: HTTP, documents, limits, authentication, subscriptions, telemetry, Lambda.
//! - [`services`]: the registry of services, and one folder for each.
//! - [`api`]: the GraphQL vocabulary of all services: connections, node ids, payloads, errors.
//! - [`files`]: signed uploads and downloads over an object store.
//! - [`table`]: the single-table layer: entities, keys, listings, units of work, cursors, capacity.
//! - [`domain`]: values that parse themselves.
//! - [`rows`]: rows of CSV, JSON and NDJSON files.
//! - [`dynamodb`]: the SDK's client: DynamoDB, an endpoint, or the embedded store.
//! - [`viewer`], [`clock`], [`flags`]: who sends a request, the time, and the values of settings.

// The futures of resolvers, loaders and the SDK's calls nest deeper than the default allows.
#![recursion_limit = "256"]

// So that an example reads the same inside and outside of the crate.
extern crate self as trestle;

pub mod api;
pub mod clock;
pub mod commands;
pub mod domain;
pub mod dynamodb;
pub mod files;
pub mod flags;
pub mod rows;
pub mod server;
pub mod services;
pub mod table;
pub mod viewer;
