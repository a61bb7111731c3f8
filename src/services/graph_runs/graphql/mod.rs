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

use crate::api::Paged;

pub(super) use mutation::Mutation;
pub(super) use query::Query;
pub(super) use subscription::Subscription;

/// The schema. It holds no state: each request brings its store.
pub(super) fn schema() -> SchemaBuilder<Paged<Query>, Paged<Mutation>, Subscription> {
    Schema::build(Paged::default(), Paged::default(), Subscription)
        .register_output_type::<types::Node>()
}
