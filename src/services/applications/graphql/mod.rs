//! The GraphQL API of applications: what the schema says, and which store method answers it. Knows nothing
//! of keys and items.

mod connection;
mod enums;
mod filter;
mod id;
mod input;
mod mutation;
mod query;
mod selection;
mod subscription;
mod types;

use async_graphql::{Schema, ValidationMode};

pub(super) use mutation::Mutation;
pub(super) use query::Query;
pub(super) use subscription::Subscription;

/// The schema.
pub(super) type ApplicationsSchema = Schema<Query, Mutation, Subscription>;

/// Builds the schema. It holds no state: each request brings its store and its loader.
pub(super) fn schema() -> ApplicationsSchema {
    Schema::build(Query, Mutation::default(), Subscription)
        .register_output_type::<types::Node>()
        // The server has validated each document once already, and remembers it.
        .validation_mode(ValidationMode::Fast)
        .directive(crate::api::Counted)
        .disable_suggestions()
        .finish()
}
