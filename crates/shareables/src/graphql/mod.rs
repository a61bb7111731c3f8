//! The GraphQL API of shareables.

mod access;
mod changes;
mod checklists;
mod content;
mod inputs;
mod names;
mod node;
mod parts;
mod passcodes;
mod polls;
mod query;
mod removals;
mod sharing;
mod subscription;
mod types;

use async_graphql::{MergedObject, Schema, SchemaBuilder};

use trestle_api::{Paged, SchemaDescription};

/// What introspection and the SDL say of the API.
const DESCRIPTION: &str =
    "Checklists and polls that people open with a short id and a passcode, without an account.";

/// The schema. Each request brings its session and what it presents.
pub fn schema() -> SchemaBuilder<Paged<query::Query>, Paged<Mutation>, subscription::Subscription> {
    Schema::build(
        Paged::default(),
        Paged::default(),
        subscription::Subscription,
    )
    .register_output_type::<node::Node>()
    .register_output_type::<types::AnyShareable>()
    .data(SchemaDescription(DESCRIPTION))
}

/// Mutations.
#[derive(MergedObject, Default)]
pub struct Mutation(
    sharing::SharingMutation,
    access::AccessMutation,
    checklists::ChecklistMutation,
    polls::PollMutation,
    removals::RemovalMutation,
);
