//! Trestle serves GraphQL APIs from DynamoDB single tables.
//!
//! This package is the command line and the registry of services. Everything else is a crate of its own in `crates/`,
//! whose manifest says what it may use:
//!
//! - `domain`: values that parse themselves.
//! - `table`: the single-table layer: entities, keys, listings, units of work, cursors, capacity.
//! - `dynamodb`: the SDK's client: DynamoDB, an endpoint, or the embedded store.
//! - `api`: the GraphQL vocabulary of all services: connections, node ids, payloads, errors.
//! - `service`: what a service registers, and the values of settings.
//! - `files`: signed uploads and downloads over an object store.
//! - `rows`: rows of CSV, JSON and NDJSON files.
//! - `server`: HTTP, documents, limits, authentication, subscriptions, telemetry, Lambda.
//! - `applications`, `graph-runs`, `shareables`, `job-board`, `collab-hub`: the services, each behind a feature of its name.

// The futures of resolvers, loaders and the SDK's calls nest deeper than the default allows.
#![recursion_limit = "256"]

pub mod commands;
pub mod services;
