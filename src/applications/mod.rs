//! The job-application tracker. Knows nothing of the server that hosts it, nor of the other services.

mod error;
mod graphql;
mod items;
mod keys;
mod model;
mod store;

use async_graphql::{Request, Response};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;

pub use error::{ChangeError, StoreError, describe_rule};
pub use keys::{Place, TABLE};
pub use model::{
    ApplicationId, Change, CompanyCategory, DetailsChange, JobSource, Rule, Status, Timestamp,
    Violation, Violations,
};
pub use store::{Applications, Import, Imported, NewRow, Record};

use crate::api::Service;
use crate::clock::Clock;
use crate::table::{Meter, Table};
use crate::viewer::Viewer;

/// The service's name.
pub const NAME: &str = "applications";

/// The service: its schema, and the table that it answers from.
pub struct ApplicationsService {
    schema: graphql::ApplicationsSchema,
    sdl: String,
    table: Table,
    clock: Clock,
}

impl ApplicationsService {
    /// The service on a table, which is there.
    pub fn new(table: Table, clock: Clock) -> Self {
        let schema = graphql::schema();
        let sdl = graphql::sdl(&schema);
        Self {
            schema,
            sdl,
            table,
            clock,
        }
    }
}

/// The schema in SDL.
pub fn sdl() -> String {
    graphql::sdl(&graphql::schema())
}

impl Service for ApplicationsService {
    fn name(&self) -> &'static str {
        NAME
    }

    fn sdl(&self) -> &str {
        &self.sdl
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            include_str!("examples/list.graphql"),
            include_str!("examples/create.graphql"),
        ]
    }

    fn execute(&self, request: Request, viewer: Viewer, meter: Meter) -> BoxFuture<'_, Response> {
        let store = Applications::new(self.table.clone(), viewer, meter, self.clock.clone());
        let request = request.data(store::Entries::new(store.clone())).data(store);
        async move { self.schema.execute(request).await }.boxed()
    }

    fn ready(&self) -> BoxFuture<'_, bool> {
        let viewer = Viewer::local();
        let store = Applications::new(
            self.table.clone(),
            viewer,
            Meter::default(),
            self.clock.clone(),
        );
        async move { store.stats().await.is_ok() }.boxed()
    }
}
