//! Runs that turn infrastructure-as-code files into graphs and risk reports. Knows nothing of the server that
//! hosts it, nor of the other services.
//!
//! # Layout
//!
//! `graphql -> store -> items -> keys -> model` as in every service; `store` also uses `objects` (the keys of
//! files in the object store) and `graph` (verifying and drawing stored graphs). The crate `trestle-terraform` makes a graph
//! and a risk report of a file, and `worker` calls it in a process of its own.

// The futures of resolvers, loaders and the SDK's calls nest deeper than the default allows.
#![recursion_limit = "256"]

mod arguments;
mod demo;
mod error;
mod graph;
mod graphql;
mod items;
mod keys;
mod model;
mod objects;
mod store;
mod worker;

use std::sync::Arc;

use clap::{Args as _, FromArgMatches as _};

pub use arguments::{Pipeline, Retention, Settings, WorkerLimits};
pub use keys::TABLE;
pub use store::WORKER_ROLE;

use futures_util::FutureExt as _;

use trestle_api::{GraphqlService, Service};
use trestle_files::{self as files, Files, FilesArgs, TableStore};
use trestle_service::{Failure, Registered, ServiceContext, Tool};
use trestle_table::Tables;
use trestle_terraform::command;

use store::{Place, Runs};

/// The service's name.
pub const NAME: &str = "graph-runs";

/// The service, as the registry has it.
pub static SERVICE: Registered = Registered {
    name: NAME,
    tables: &[&TABLE],
    sdl,
    arguments: |command| files::options(Settings::augment_args(command)),
    open: |context| Box::pin(open(context)),
    tools: &[worker::TOOL, GRAPH],
    is_object_key: objects::is_kept,
    demo: |demo| Box::pin(demo::fill(demo)),
    ..Registered::PLAIN
};

/// `trestle graph`, which needs no server.
const GRAPH: Tool = Tool {
    command: command::command,
    run: |arguments| command::run(arguments).map_err(|error| Failure::new(error.to_string())),
};

async fn open(context: &ServiceContext<'_>) -> Result<Arc<dyn Service>, Failure> {
    let settings = Settings::from_arg_matches(context.arguments)?;
    let place = FilesArgs::from_arg_matches(context.arguments)?;
    let beside = TableStore::of(context.folder, context.is_in_memory);
    let files = files::open(&place, NAME, beside, context.clock.clone()).await?;
    let service = service(context.tables.clone(), files, settings);
    Ok(Arc::new(service))
}

/// The service on its table, which exists, with its files in `files`.
pub fn service(tables: Tables, files: Files, settings: Settings) -> impl Service {
    let served = files.are_served().then(|| files.clone());
    let (reached, place) = (files.clone(), Place::new(files.clone(), settings, &tables));
    let queue = place.queue();
    let service = GraphqlService::new(NAME, graphql::schema(), tables)
        .examples(&[
            include_str!("examples/create.graphql"),
            include_str!("examples/list.graphql"),
        ])
        .with_request_data(move |request, session| {
            Ok(request.data(Runs::new(place.clone(), session.clone())))
        })
        .on_listening(move |origin| reached.on_listening(origin))
        .ready_if(move || {
            let files = files.clone();
            async move { files.answer().await }.boxed()
        })
        .stopping(move || {
            let queue = queue.clone();
            async move {
                if let Some(queue) = queue {
                    queue.stop().await;
                }
            }
            .boxed()
        });
    match served {
        Some(served) => service.mount(files::MOUNT, Arc::new(served)),
        None => service,
    }
}

/// The schema in SDL.
pub fn sdl() -> String {
    trestle_api::sdl(&graphql::schema().finish())
}
