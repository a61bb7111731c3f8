//! The GraphQL API of applications: what the schema says, and which store method answers it. Knows nothing
//! of keys and items.

mod calendar;
mod connection;
mod contacts;
mod enums;
mod files;
mod filter;
mod find;
mod given;
mod id;
mod importing;
mod input;
mod kinds;
mod mutation;
mod query;
mod selection;
mod stage_input;
mod subscription;
mod types;

use async_graphql::{MergedObject, Schema, SchemaBuilder};

use find::FindQuery;
use importing::ImportQuery;
use mutation::Mutation;
use query::ApplicationQuery;
use subscription::Subscription;
use trestle_api::{Paged, SchemaDescription};

/// What introspection and the SDL say of the API.
const DESCRIPTION: &str =
    "Job applications with their interview stages, history, agenda and statistics.";

/// The queries.
#[derive(MergedObject, Default)]
pub(super) struct Query(ApplicationQuery, FindQuery, ImportQuery);

/// The schema. It holds no state: each request brings its store and its loader.
pub(super) fn schema() -> SchemaBuilder<Paged<Query>, Paged<Mutation>, Subscription> {
    Schema::build(Paged::default(), Paged::default(), Subscription)
        .register_output_type::<types::Node>()
        .data(SchemaDescription(DESCRIPTION))
}
