//! The GraphQL API of graph-runs: the schema, and which store method answers it. Knows nothing of keys and items.

mod deletion;
mod difference;
mod findings;
mod graph;
mod input;
mod mutation;
mod numbered;
mod payload;
mod query;
mod subscription;
mod types;
mod work;

use async_graphql::{Schema, SchemaBuilder};

use trestle_api::{Paged, SchemaDescription};

pub(super) use mutation::Mutation;
pub(super) use query::Query;
pub(super) use subscription::Subscription;

/// What introspection and the SDL say of the API.
const DESCRIPTION: &str = "Graphs and risk reports of Terraform files: what is reachable from the internet, and what stores data.";

/// The schema. It holds no state: each request brings its store.
pub(super) fn schema() -> SchemaBuilder<Paged<Query>, Paged<Mutation>, Subscription> {
    Schema::build(Paged::default(), Paged::default(), Subscription)
        .register_output_type::<types::Node>()
        .data(SchemaDescription(DESCRIPTION))
}
