//! The GraphQL API of shareables.

mod checklists;
mod inputs;
mod parts;
mod polls;
mod query;
mod sharing;
mod subscription;
mod types;

use async_graphql::{MergedObject, Schema, SchemaBuilder};

use crate::api::Paged;

/// The schema. Each request brings its session and what it presents.
pub fn schema() -> SchemaBuilder<Paged<query::Query>, Paged<Mutation>, subscription::Subscription> {
    Schema::build(
        Paged::default(),
        Paged::default(),
        subscription::Subscription,
    )
    .register_output_type::<types::Node>()
    .register_output_type::<types::AnyShareable>()
}

/// Mutations.
#[derive(MergedObject, Default)]
pub struct Mutation(
    sharing::SharingMutation,
    checklists::ChecklistMutation,
    polls::PollMutation,
);
