//! The job-application tracker. Knows nothing of the server that hosts it, nor of the other services.

mod changes;
mod error;
mod graphql;
mod items;
mod keys;
mod model;
mod store;

use async_graphql::{Request, Response};
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use futures_util::{FutureExt, StreamExt};

pub use changes::{Changes, follow};
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
    changes: Changes,
    announcers: Announcers,
}

/// Who announces the changes that clients watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Announcers {
    /// The writes of this service: those of other processes go unseen.
    Writes,
    /// Whoever holds the [`Changes`], such as a reader of the table's stream.
    Others,
}

impl ApplicationsService {
    /// The service on a table, which is there. Its own writes are what clients watch.
    pub fn new(table: Table, clock: Clock) -> Self {
        Self::watching(table, clock, Changes::default(), Announcers::Writes)
    }

    /// The service on a table, which is there, with what clients watch.
    pub fn watching(table: Table, clock: Clock, changes: Changes, announcers: Announcers) -> Self {
        let schema = graphql::schema();
        let sdl = graphql::sdl(&schema);
        Self {
            schema,
            sdl,
            table,
            clock,
            changes,
            announcers,
        }
    }

    /// What one request works with: the store and its loader, and what it may watch.
    fn equip(&self, request: Request, viewer: Viewer, meter: Meter) -> Request {
        let mut store = Applications::new(self.table.clone(), viewer, meter, self.clock.clone());
        if self.announcers == Announcers::Writes {
            store = store.announcing(self.changes.clone());
        }
        request
            .data(store::Entries::new(store.clone()))
            .data(store)
            .data(self.changes.clone())
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
        let request = self.equip(request, viewer, meter);
        async move { self.schema.execute(request).await }.boxed()
    }

    fn subscribe(
        &self,
        request: Request,
        viewer: Viewer,
        meter: Meter,
    ) -> BoxStream<'static, Response> {
        let request = self.equip(request, viewer, meter);
        self.schema.execute_stream(request).boxed()
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
