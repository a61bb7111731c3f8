//! shelf: books that one person lends to others.

pub mod books;

use std::sync::Arc;

use async_graphql::{EmptySubscription, Interface, Schema, SchemaBuilder};

use trestle_api::{GraphqlService, Kind, NodeQuery, Nodes, Paged, Service, sdl};
use trestle_service::Registered;

use books::Book;
use books::graphql::{BookMutation, BookQuery};

/// The service, as the registry has it.
pub static SERVICE: Registered = Registered {
    name: "shelf",
    tables: &[&books::TABLE],
    sdl: || sdl(&schema().finish()),
    open: |context| {
        let service = GraphqlService::new(SERVICE.name, schema(), context.tables.clone());
        Box::pin(async { Ok(Arc::new(service) as Arc<dyn Service>) })
    },
    ..Registered::PLAIN
};

fn schema() -> SchemaBuilder<Paged<Query>, Paged<BookMutation>, EmptySubscription> {
    Schema::build(Paged::default(), Paged::default(), EmptySubscription)
        .register_output_type::<Node>()
}

/// All queries.
#[derive(async_graphql::MergedObject, Default)]
pub struct Query(NodeQuery<Node>, BookQuery);

/// An object with a global ID.
#[derive(Interface)]
#[graphql(field(name = "id", ty = "async_graphql::ID", desc = "Opaque and stable ID."))]
pub enum Node {
    /// A book.
    Book(Book),
}

impl Nodes for Node {
    const KINDS: &'static [Kind<Self>] = &[Kind::of::<Book>()];
}
