//! `trestle serve`.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use clap::{ArgMatches, Args};
use futures_util::future::BoxFuture;
use http::HeaderMap;
use tokio::net::TcpListener;

use trestle_api::{Service, Viewers};
use trestle_server::authentication::{AuthenticationArgs, Authenticator};
use trestle_server::telemetry::{Telemetry, TelemetryArgs, flush_after, observe};
use trestle_server::{
    self as server, Access, Authenticate, Flag, FrontEnd, Listener, Load, Open, Parts, Server,
    ServerArgs, lambda,
};
use trestle_table::clock::Clock;

use crate::services::ServiceArgs;
use trestle_api::viewer::Viewer;
use trestle_service::{AcceptedCredentials, Failure};

use super::backups::BackupArgs;
use super::chosen::Services;
use super::store::{Store, StoreArgs};

/// What to serve, from where, and how.
#[derive(Args, Clone, Debug)]
pub struct ServeArgs {
    #[command(flatten)]
    services: Services,

    #[command(flatten)]
    store: StoreArgs,

    #[command(flatten)]
    backups: BackupArgs,

    #[command(flatten)]
    server: ServerArgs,

    #[command(flatten)]
    authentication: AuthenticationArgs,

    #[command(flatten)]
    telemetry: TelemetryArgs,

    #[command(flatten)]
    own: ServiceArgs,
}

/// What a debug build says of itself: nobody should measure it.
const DEBUG_BUILD: &str = match cfg!(debug_assertions) {
    true => " (a debug build, which is many times slower than one with --release)",
    false => "",
};

/// Serves until it is told to stop.
pub async fn run(args: ServeArgs) -> Result<ExitCode, Failure> {
    let telemetry = Telemetry::start(&args.telemetry)?;
    let authenticator = Authenticator::from_args(&args.authentication, Clock::system())?;
    let credentials = credentials(&args, authenticator.as_ref());
    for service in args.services.all()? {
        (service.accepts)(&args.own.0, &credentials)?;
    }
    let failed_key_fetches = authenticator
        .as_ref()
        .and_then(Authenticator::failed_fetches);
    let files = authenticator.as_ref().map(Authenticator::files);
    let (authenticate, access): (Arc<dyn Authenticate>, _) = match authenticator {
        Some(authenticator) => {
            authenticator.warm_up().await;
            (Arc::new(authenticator), Access::Authenticated)
        }
        None => (Arc::new(Open), Access::Open),
    };
    let mut server = args.server;
    server.page_sign_in = args.authentication.page_sign_in()?;
    if lambda::is_lambda() {
        server.entrance = Listener::Lambda;
    }
    let (listen, entrance) = (server.listen, server.entrance);
    let stops_in = server.drain_grace.saturating_add(server.drain_timeout);
    // Refused before anything is opened or made.
    let shown = front_ends(&server, &args.services)?;
    server.check(access)?;
    let store = args.store.open().await?;
    let backups = args.backups.prepare(&store, &args.own.0).await?;
    let services = open(&args.services, &store, &args.own.0).await?;
    let credentials = Arc::new(Credentials(Arc::clone(&authenticate)));
    for service in &services {
        service.set_authenticator(credentials.clone());
    }
    let metrics = telemetry.metrics().clone();
    let parts = Parts {
        services,
        authenticate,
        access,
        observer: Arc::new(telemetry.clone()),
        metrics: Arc::new(move || metrics.render()),
    };
    let server = Server::new(server, parts)?;
    if let Some(embedded) = store.on_disk().cloned() {
        server.ready_while(move || {
            let embedded = embedded.clone();
            Box::pin(async move { embedded.is_sound().await })
        });
    }
    let load = server.load();
    telemetry.metrics().watch(move || {
        let failed = failed_key_fetches.as_ref();
        Load {
            failed_key_fetches: failed.map_or(0, |failed| failed.load(Relaxed)),
            ..load()
        }
    });
    let observed = axum::middleware::from_fn_with_state(telemetry.clone(), observe);
    let router = server.router().layer(observed);
    match entrance {
        Listener::Lambda => {
            let flushed = axum::middleware::from_fn_with_state(telemetry.clone(), flush_after);
            lambda::run(router.layer(flushed)).await?;
        }
        Listener::Socket => {
            store.maintain();
            if let Some(backups) = backups {
                tokio::spawn(backups.run());
            }
            server.keep_current(files.unwrap_or_default())?;
            let stop = server::told_to_stop()?;
            server::end_in(stops_in)?;
            let listener = bind(listen).await?;
            let address = listener.local_addr()?;
            let shown: String = shown
                .iter()
                .map(|each| format!(" and shows {} at http://{address}{}", each.name, each.path))
                .collect();
            println!("Trestle{DEBUG_BUILD} answers at http://{address}/graphql{shown}");
            if access == Access::Open {
                tracing::warn!(%address, "no authentication: everybody who reaches this address may read and write");
            }
            server.serve(listener, router, stop).await;
        }
    }
    telemetry.shutdown().await;
    store.close().await;
    Ok(ExitCode::SUCCESS)
}

/// The server's credentials, for the plain HTTP handlers of services.
struct Credentials(Arc<dyn Authenticate>);

impl Viewers for Credentials {
    fn viewer<'a>(&'a self, headers: &'a HeaderMap) -> BoxFuture<'a, Option<Viewer>> {
        Box::pin(async move { self.0.authenticate(headers).await.ok() })
    }
}

/// What the credentials that the server accepts say of who sends a request.
fn credentials(args: &ServeArgs, authenticator: Option<&Authenticator>) -> AcceptedCredentials {
    AcceptedCredentials {
        are_tokens: authenticator.is_some_and(Authenticator::accepts_tokens),
        have_keys_of_owners: authenticator.is_some_and(Authenticator::keys_name_owners),
        have_tenant_claim: args.authentication.named_tenant_claim().is_some(),
    }
}

/// The front ends that are asked for, whose services are served.
fn front_ends(server: &ServerArgs, which: &Services) -> Result<Vec<&'static FrontEnd>, Failure> {
    if server.board {
        applications_come_first(which)?;
    }
    let services: Vec<_> = which.all()?.iter().map(|service| service.name).collect();
    let shown = server.front_ends(&services)?;
    if server.pages && !shown.iter().any(|each| each.flag == Flag::Pages) {
        return Err(Failure::new(
            "--pages shows the services shareables and graph-runs: name one of them or both, as in \
             --service shareables.",
        ));
    }
    Ok(shown)
}

/// The board asks `/graphql`, which is the first service's.
fn applications_come_first(which: &Services) -> Result<(), Failure> {
    let name = "applications";
    if which.all()?.first().is_some_and(|first| first.name == name) {
        return Ok(());
    }
    Err(Failure::new(format!(
        "--board shows the service {name} and asks it at /graphql, where the first service is: name it \
         first, as in --service {name}."
    )))
}

async fn bind(address: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).await.map_err(|error| {
        Failure::new(format!(
            "Cannot listen on {address}: {error}. Choose another with --listen."
        ))
    })
}

async fn open(
    which: &Services,
    store: &Store,
    arguments: &ArgMatches,
) -> Result<Vec<Arc<dyn Service>>, Failure> {
    let mut opened: Vec<Arc<dyn Service>> = Vec::new();
    for service in which.all()? {
        let context = store.service_context(service, arguments).await?;
        opened.push((service.open)(&context).await?);
    }
    Ok(opened)
}
