//! `trestle serve`.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use tokio::net::TcpListener;

use crate::api::Service;
use crate::applications::{self, Announcers, ApplicationsService, Changes};
use crate::clock::Clock;
use crate::graph_runs::{self, GraphRunsService};
use crate::server::authentication::{AuthenticationArgs, Authenticator};
use crate::server::telemetry::{Telemetry, TelemetryArgs, flush_after, observe};
use crate::server::{
    self, Access, Authenticate, Entrance, Open, Parts, Server, ServerArgs, lambda,
};

use super::Failure;
use super::graph_runs::GraphRunsArgs;
use super::store::{Store, StoreArgs};

/// What to serve, from where, and how.
#[derive(Args, Clone, Debug)]
pub struct ServeArgs {
    /// Services to serve, separated by commas; the first one is also at /graphql
    #[arg(
        long = "service",
        env = "TRESTLE_SERVICE",
        value_delimiter = ',',
        value_name = "NAME",
        default_value = applications::NAME,
        value_parser = [applications::NAME, graph_runs::NAME]
    )]
    services: Vec<String>,

    /// Whose changes subscriptions tell of
    #[arg(long, env = "TRESTLE_CHANGES", value_enum, default_value_t = ChangesFrom::Process)]
    changes: ChangesFrom,

    #[command(flatten)]
    store: StoreArgs,

    #[command(flatten)]
    server: ServerArgs,

    #[command(flatten)]
    authentication: AuthenticationArgs,

    #[command(flatten)]
    telemetry: TelemetryArgs,

    #[command(flatten)]
    graph_runs: GraphRunsArgs,
}

/// Whose changes subscriptions tell of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ChangesFrom {
    /// Those that this process makes.
    Process,
    /// Those of every process, from the table's stream. The embedded store keeps its records for good.
    Streams,
}

/// Serves until it is told to stop.
pub async fn run(args: ServeArgs) -> Result<ExitCode, Failure> {
    let telemetry = Telemetry::start(&args.telemetry)?;
    let authenticator = Authenticator::from_args(&args.authentication, Clock::system())?;
    let (authenticate, access): (Arc<dyn Authenticate>, _) = match authenticator {
        Some(authenticator) => {
            authenticator.warm_up().await;
            (Arc::new(authenticator), Access::Authenticated)
        }
        None => (Arc::new(Open), Access::Open),
    };
    let mut server = args.server;
    if lambda::is_lambda() {
        server.entrance = Entrance::Lambda;
    }
    let (listen, entrance) = (server.listen, server.entrance);
    let shown = server.board.then_some(server::BOARD);
    // Refused before anything is opened or made.
    if shown.is_some() {
        applications_come_first(&args.services)?;
    }
    server.check(access)?;
    let store = args.store.open().await?;
    let services = services(&args.services, args.changes, &store, &args.graph_runs).await?;
    let metrics = telemetry.metrics().clone();
    let parts = Parts {
        services,
        authenticate,
        access,
        observer: Arc::new(telemetry.clone()),
        metrics: Arc::new(move || metrics.render()),
    };
    let server = Server::new(server, parts)?;
    let observed = axum::middleware::from_fn_with_state(telemetry.clone(), observe);
    let router = server.router().layer(observed);
    match entrance {
        Entrance::Lambda => {
            let flushed = axum::middleware::from_fn_with_state(telemetry.clone(), flush_after);
            lambda::run(router.layer(flushed)).await?;
        }
        Entrance::Socket => {
            store.maintain();
            let stop = server::told_to_stop()?;
            let listener = bind(listen).await?;
            let address = listener.local_addr()?;
            let board = shown.map_or_else(String::new, |path| {
                format!(" and shows the board at http://{address}{path}")
            });
            println!("Trestle answers at http://{address}/graphql{board}");
            server.serve(listener, router, stop).await;
        }
    }
    telemetry.shutdown().await;
    Ok(ExitCode::SUCCESS)
}

/// The board asks `/graphql`, which is the first service's.
fn applications_come_first(services: &[String]) -> Result<(), Failure> {
    if services
        .first()
        .is_some_and(|name| name == applications::NAME)
    {
        return Ok(());
    }
    let name = applications::NAME;
    Err(Failure(format!(
        "--board shows the service {name} and asks it at /graphql, where the first service is: name it \
         first, as in --service {name}."
    )))
}

async fn bind(address: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).await.map_err(|error| {
        Failure(format!(
            "Cannot listen on {address}: {error}. Choose another with --listen."
        ))
    })
}

async fn services(
    names: &[String],
    from: ChangesFrom,
    store: &Store,
    setup: &GraphRunsArgs,
) -> Result<Vec<Arc<dyn Service>>, Failure> {
    let mut services: Vec<Arc<dyn Service>> = Vec::new();
    for name in names {
        if services.iter().any(|service| service.name() == name) {
            return Err(Failure(format!("The service {name} is named twice.")));
        }
        if name == graph_runs::NAME {
            let table = store.graph_runs();
            store.ensure(&table).await?;
            let files = setup.open(store.folder(), Clock::system()).await?;
            let service = GraphRunsService::new(table, files, setup.settings(), Clock::system());
            services.push(Arc::new(service));
            continue;
        }
        let table = store.applications();
        store.ensure(&table).await?;
        let changes = Changes::default();
        let announcers = match from {
            ChangesFrom::Process => Announcers::Writes,
            ChangesFrom::Streams => {
                store.follow(&table, changes.clone()).await?;
                Announcers::Others
            }
        };
        let service = ApplicationsService::watching(table, Clock::system(), changes, announcers);
        services.push(Arc::new(service));
    }
    Ok(services)
}
