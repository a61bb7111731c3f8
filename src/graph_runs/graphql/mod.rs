//! The GraphQL API of graph-runs: what the schema says, and which store method answers it. Knows nothing of
//! keys and items.

mod connection;
mod difference;
mod enums;
mod id;
mod input;
mod mutation;
mod query;
mod types;

use async_graphql::{EmptySubscription, SDLExportOptions, Schema};

pub(super) use mutation::Mutation;
pub(super) use query::Query;

/// The schema.
pub(super) type GraphRunsSchema = Schema<Query, Mutation, EmptySubscription>;

/// Builds the schema. It holds no state: each request brings its store.
pub(super) fn schema() -> GraphRunsSchema {
    Schema::build(Query, Mutation, EmptySubscription)
        .register_output_type::<types::Node>()
        .disable_suggestions()
        .finish()
}

/// The schema in SDL, sorted, so that two of them compare line by line.
pub(super) fn sdl(schema: &GraphRunsSchema) -> String {
    let options = SDLExportOptions::new()
        .sorted_fields()
        .sorted_arguments()
        .sorted_enum_items()
        .include_specified_by()
        .use_space_ident()
        .indent_width(2);
    let mut sdl = schema.sdl_with_options(options).trim().to_owned();
    sdl.push('\n');
    sdl
}
