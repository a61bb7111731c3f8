//! Runs that turn infrastructure-as-code files into graphs and risk reports. Knows nothing of the server that
//! hosts it, nor of the other services.
//!
//! # Layout
//!
//! `graphql -> store -> items -> keys -> model` as in every service; `store` also uses `artifacts` (the files,
//! in an object store, behind signed URLs), `graph` (reading, verifying and comparing stored graphs) and
//! `pipeline` (Terraform in, graph and risk report out).

mod artifacts;
mod error;
mod graph;
mod graphql;
mod items;
mod keys;
mod model;
mod pipeline;
mod store;

use std::sync::Arc;

use async_graphql::{Request, Response};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use url::Url;

pub use artifacts::{Artifacts, SigningKey};
pub use keys::TABLE;
pub use store::{Pipeline, Settings, WORKER_ROLE};

use crate::api::{Files, Service};
use crate::clock::Clock;
use crate::table::{Meter, Table};
use crate::viewer::Viewer;

use store::{Place, Runs};

/// The service's name.
pub const NAME: &str = "graph-runs";

/// The service: its schema, its table and its files.
pub struct GraphRunsService {
    schema: graphql::GraphRunsSchema,
    sdl: String,
    place: Place,
}

impl GraphRunsService {
    /// The service on a table, which is there, with its files in `artifacts`.
    pub fn new(table: Table, artifacts: Artifacts, settings: Settings, clock: Clock) -> Self {
        let schema = graphql::schema();
        let sdl = graphql::sdl(&schema);
        Self {
            schema,
            sdl,
            place: Place::new(table, artifacts, settings, clock),
        }
    }
}

/// The schema in SDL.
pub fn sdl() -> String {
    graphql::sdl(&graphql::schema())
}

impl Service for GraphRunsService {
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
        let request = request.data(Runs::new(self.place.clone(), viewer, meter));
        async move { self.schema.execute(request).await }.boxed()
    }

    fn ready(&self) -> BoxFuture<'_, bool> {
        let runs = Runs::new(self.place.clone(), Viewer::local(), Meter::default());
        async move { runs.answers().await }.boxed()
    }

    fn files(&self) -> Option<Arc<dyn Files>> {
        let artifacts = &self.place.artifacts;
        artifacts
            .are_served()
            .then(|| Arc::new(artifacts.clone()) as _)
    }

    fn listening(&self, origin: &Url) {
        self.place.artifacts.listening(origin);
    }
}
