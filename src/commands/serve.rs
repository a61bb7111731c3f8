//! `trestle serve`.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use clap::{ArgMatches, Args};
use futures_util::future::BoxFuture;
use http::HeaderMap;
use tokio::net::TcpListener;
use url::Url;

use trestle_api::{Service, Viewers};
use trestle_dynamodb::Embedded;
use trestle_server::authentication::{AuthenticationArgs, Authenticator};
use trestle_server::telemetry::{Telemetry, TelemetryArgs, flush_after, free_bytes, observe};
use trestle_server::{
    self as server, Access, Authenticate, FrontEnd, Listener, Load, Open, Parts, Playground,
    Server, ServerArgs, lambda,
};
use trestle_table::clock::Clock;

use crate::services::ServiceArgs;
use trestle_api::viewer::Viewer;
use trestle_service::flags::Switch;
use trestle_service::{AcceptedCredentials, Demo, Failure};

use super::backups::{BackupArgs, Backups};
use super::chosen::Services;
use super::demo;
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

    /// Start with sample data, in memory: a season of applications, and some of each other service that is served
    #[arg(long, env = "TRESTLE_DEMO", value_parser = Switch, conflicts_with_all = ["data", "aws"])]
    demo: bool,

    /// Open the page, or the playground, in the browser
    #[arg(long)]
    open: bool,

    #[command(flatten)]
    own: ServiceArgs,
}

/// What a debug build says of itself: nobody should measure it.
const DEBUG_BUILD: &str = if cfg!(debug_assertions) {
    " (a debug build, which is many times slower than one with --release)"
} else {
    ""
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
    let (listen, entrance, playground) = (server.listen, server.entrance, server.playground);
    let stops_in = server.drain_grace.saturating_add(server.drain_timeout);
    // Refused before anything is opened or made.
    let names: Vec<_> = args.services.all()?.iter().map(|each| each.name).collect();
    server.check(access, &names)?;
    let mut place = args.store;
    if args.demo {
        // Lambda keeps nothing in memory between two requests, and nobody reads what a demo says.
        if access == Access::Authenticated || entrance == Listener::Lambda {
            return Err(Failure::new(
                "--demo is for a look at sample data on this machine, and its data belongs to nobody: leave out the settings \
                 of authentication.",
            ));
        }
        // Sample files are not put where the operator keeps others.
        if args.own.0.try_contains_id("artifacts").unwrap_or_default() {
            return Err(Failure::new(
                "--demo keeps its files in memory: leave out --artifacts.",
            ));
        }
        place.memory = true;
    }
    let is_new = place.memory;
    let store = place.open().await?;
    let backups = args.backups.prepare(&store, &args.own.0).await?;
    let mut demos = Vec::new();
    let services = if args.demo {
        demos = demo::open(&args.services, &store, &args.own.0).await?;
        let services = demos.iter().map(Demo::service);
        services.cloned().collect()
    } else {
        open(&args.services, &store, &args.own.0).await?
    };
    let credentials = Arc::new(Credentials(Arc::clone(&authenticate)));
    for service in &services {
        service.set_authenticator(credentials.clone());
    }
    let opened = services.clone();
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
    let last_backup = backups.as_ref().map(Backups::last);
    let data = store.folder().map(Path::to_owned);
    let on_disk = store.on_disk().cloned();
    telemetry.metrics().watch(move || {
        let failed = failed_key_fetches.as_ref();
        let last_backup = last_backup.as_ref();
        Load {
            failed_key_fetches: failed.map_or(0, |failed| failed.load(Relaxed)),
            free_bytes: data.as_deref().and_then(free_bytes),
            log_bytes: on_disk.as_ref().and_then(Embedded::log_bytes),
            last_backup: last_backup.map(|last| last.load(Relaxed)),
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
            server.keep_current(files.unwrap_or_default())?;
            let stop = server::told_to_stop()?;
            server::end_in(stops_in)?;
            let listener = bind(listen).await?;
            let address = listener.local_addr()?;
            let origin = Url::parse(&format!("http://{address}"))?;
            let samples = demo::fill(&demos, &origin, server.front_ends()).await?;
            // After the demo: something of the past may count as expired until the demo has completed it.
            store.maintain();
            if !is_new {
                finish_deletes(opened);
            }
            if let Some(backups) = backups {
                tokio::spawn(backups.run());
            }
            greet(
                address,
                server.front_ends(),
                playground,
                &samples,
                &store.place(),
            );
            if args.open {
                open_in_browser(&format!("http://{address}/"));
            }
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
        have_several_keys: authenticator.is_some_and(|each| each.keys_with_access() > 1),
        have_tenant_claim: args.authentication.named_tenant_claim().is_some(),
    }
}

/// Finishes deletes that a killed process has left, beside the first requests.
fn finish_deletes(services: Vec<Arc<dyn Service>>) {
    for service in services {
        tokio::spawn(async move {
            let name = service.name();
            match service.finish_deletes().await {
                Ok(0) => {}
                Ok(deletes) => {
                    tracing::info!(
                        service = name,
                        deletes,
                        "deletes that were interrupted are finished"
                    );
                }
                Err(error) => tracing::error!(
                    service = name,
                    %error,
                    "a delete that was interrupted is not finished: the next start tries again"
                ),
            }
        });
    }
}

/// Says where everything is, and how to stop. In one piece, because a reader may be content with the first line.
fn greet(
    address: SocketAddr,
    shown: &[&FrontEnd],
    playground: Playground,
    samples: &str,
    place: &str,
) {
    let origin = format!("http://{address}");
    let mut text = format!("Trestle{DEBUG_BUILD} answers at {origin}/graphql\n");
    for page in shown {
        text += &format!("  {} is at {origin}{}\n", page.name, page.path);
    }
    if shown.is_empty() && server::has_pages().is_err() {
        text += &format!("  this build has no pages: {origin}/ says why, and what to do\n");
    }
    if playground == Playground::On {
        text += &format!("  the playground is at {origin}/graphql, for browsers\n");
    }
    text += samples;
    text += &format!("  the data is {place}\n  stop with Ctrl+C\n");
    // The server also serves whom nobody reads.
    let _ = std::io::stdout().write_all(text.as_bytes());
}

/// Whether there is a browser is not known before. The server goes on without it.
fn open_in_browser(url: &str) {
    if let Err(error) = open::that_detached(url) {
        tracing::warn!(%error, url, "no browser could be opened");
    }
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
