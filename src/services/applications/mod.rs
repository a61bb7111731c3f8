//! The job-application tracker. Knows nothing of the server that hosts it, nor of the other services.

mod calendar;
mod changes;
mod error;
mod graphql;
mod items;
mod keys;
mod model;
mod store;

use std::sync::{Arc, OnceLock};

use async_graphql::{Pos, Request, Response};
use clap::{ArgMatches, Args, FromArgMatches as _, ValueEnum};
use futures_util::future::{BoxFuture, ready, try_join};
use futures_util::stream::{BoxStream, once};
use futures_util::{FutureExt, StreamExt};
use tracing::instrument::WithSubscriber as _;
use tracing::subscriber::NoSubscriber;

pub use changes::{Changes, follow};
pub use error::{ChangeError, StoreError, TenancyError};
pub use keys::{Place, Scope, TABLE, Tenancy};
pub use model::{
    ApplicationId, Change, CompanyCategory, DetailsChange, JobSource, Rule, Status, Timestamp,
    Violation, Violations,
};
pub use store::{
    Applications, Counters, Import, Imported, NewRow, Record, claim, confirm, has_owners, owners,
};

use crate::api::{self, ApiError, Code, Mount, Service, Viewers};
use crate::clock::Clock;
use crate::services::registered::{Failure, Opening, Registered};
use crate::table::{Meter, Table};
use crate::viewer::Viewer;

/// The service's name.
pub const NAME: &str = "applications";

/// The service, as the registry has it.
pub static SERVICE: Registered = Registered {
    name: NAME,
    tables: &[&TABLE],
    sdl,
    arguments: ApplicationsArgs::augment_args,
    open: |opening| Box::pin(open(opening)),
    ..Registered::PLAIN
};

/// The options that `trestle serve` takes for this service.
#[derive(Args, Clone, Debug)]
struct ApplicationsArgs {
    /// Whose applications the table has. Must be given if tokens are accepted (--jwt-issuer); `single` without them
    #[arg(long, env = "TRESTLE_TENANCY", value_enum, value_name = "TENANCY")]
    tenancy: Option<Tenancy>,

    /// Which changes subscriptions report
    #[arg(long, env = "TRESTLE_CHANGES", value_enum, default_value_t = ChangesFrom::Process)]
    changes: ChangesFrom,
}

/// Which changes subscriptions report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ChangesFrom {
    /// The changes that this process makes
    Process,
    /// The changes of all processes, from the table's stream. The embedded store never deletes its stream records
    Streams,
}

async fn open(opening: &Opening<'_>) -> Result<Arc<dyn Service>, Failure> {
    let table = opening.tables.by(&TABLE)?.clone();
    let changes = Changes::default();
    let arguments = ApplicationsArgs::from_arg_matches(opening.arguments)?;
    let tenancy = arguments.tenancy.unwrap_or_default();
    // Neither a span nor a call of any request.
    let claimed = claim(&table, tenancy).with_subscriber(NoSubscriber::new());
    claimed.await?;
    let announcers = match arguments.changes {
        ChangesFrom::Process => Announcers::Writes,
        ChangesFrom::Streams => {
            let reader = opening.streams.open(&table).await?;
            tokio::spawn(follow(reader, changes.clone(), tenancy));
            Announcers::Others
        }
    };
    let clock = opening.clock.clone();
    // `trestle table check` reports the counters of each owner.
    if tenancy == Tenancy::Single {
        let meter = Meter::default();
        let applications = Applications::new(table.clone(), Scope::Single, meter, clock.clone());
        let looked = try_join(applications.stats(), applications.is_ahead());
        let (stats, is_ahead) = looked.with_subscriber(NoSubscriber::new()).await?;
        let name = table.name();
        if !stats.is_known() {
            tracing::warn!(
                table = name,
                "the counters are incomplete, so totals are null: run `trestle table recount`"
            );
        }
        if is_ahead {
            tracing::warn!(
                table = name,
                "an application was updated more than a day in the future: check the clocks of the programs that \
                 write the table, and run `trestle table mend-times`"
            );
        }
    }
    let service = ApplicationsService::watching(table, clock, changes, announcers);
    Ok(Arc::new(service.with_tenancy(tenancy)))
}

/// The tenancy that the options of `trestle serve` choose, if they do.
///
/// # Errors
/// The options are not those of `trestle serve`.
pub fn chosen_tenancy(arguments: &ArgMatches) -> Result<Option<Tenancy>, Failure> {
    Ok(ApplicationsArgs::from_arg_matches(arguments)?.tenancy)
}

/// Whether the counters of a scope of a table, which exists, count every application.
///
/// # Errors
/// [`StoreError`].
pub async fn counters_are_known(table: &Table, scope: Scope) -> Result<bool, StoreError> {
    let meter = Meter::default();
    let applications = Applications::new(table.clone(), scope, meter, Clock::system());
    Ok(applications.stats().await?.is_known())
}

/// The service: its schema, and the table that it answers from.
pub struct ApplicationsService {
    schema: graphql::ApplicationsSchema,
    sdl: String,
    table: Table,
    tenancy: Tenancy,
    clock: Clock,
    changes: Changes,
    announcers: Announcers,
    counters: store::Counters,
    viewers: calendar::KnownViewers,
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
        let sdl = api::sdl(&schema);
        Self {
            schema,
            sdl,
            table,
            tenancy: Tenancy::Single,
            clock,
            changes,
            announcers,
            counters: store::Counters::default(),
            viewers: Arc::new(OnceLock::new()),
        }
    }

    /// The same service on a table of this tenancy.
    pub fn with_tenancy(self, tenancy: Tenancy) -> Self {
        Self { tenancy, ..self }
    }

    /// What one request works with: the store and its loader, and what it may watch.
    ///
    /// # Errors
    /// FORBIDDEN if the table has a part for each owner and the viewer's credentials name none.
    fn equip(&self, request: Request, viewer: Viewer, meter: Meter) -> Result<Request, ApiError> {
        let scope = self.tenancy.scope(&viewer).ok_or_else(no_owner)?;
        let store = Applications::new(self.table.clone(), scope, meter, self.clock.clone());
        let mut store = store.acting_for(&viewer).counting(&self.counters);
        if self.announcers == Announcers::Writes {
            store = store.announcing(self.changes.clone());
        }
        Ok(request
            .data(store::Entries::new(store.clone()))
            .data(store)
            .data(viewer)
            .data(self.changes.clone()))
    }
}

/// The viewer's credentials do not say whose applications these are.
fn no_owner() -> ApiError {
    let message = "These credentials name no owner. Use a token with the claim that names the owner, or an API key with \
                   an owner.";
    ApiError::new(Code::Forbidden, message)
}

fn refused(error: ApiError) -> Response {
    let error = async_graphql::Error::from(error);
    Response::from_errors(vec![error.into_server_error(Pos::default())])
}

/// The schema in SDL.
pub fn sdl() -> String {
    api::sdl(&graphql::schema())
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
        match self.equip(request, viewer, meter) {
            Ok(request) => async move { self.schema.execute(request).await }.boxed(),
            Err(error) => ready(refused(error)).boxed(),
        }
    }

    fn subscribe(
        &self,
        request: Request,
        viewer: Viewer,
        meter: Meter,
    ) -> BoxStream<'static, Response> {
        match self.equip(request, viewer, meter) {
            Ok(request) => self.schema.execute_stream(request).boxed(),
            Err(error) => once(ready(refused(error))).boxed(),
        }
    }

    fn mounts(&self) -> Vec<Mount> {
        let (table, clock) = (self.table.clone(), self.clock.clone());
        let viewers = Arc::clone(&self.viewers);
        let handler = calendar::AgendaFile::new(table, self.tenancy, clock, viewers);
        vec![Mount {
            path: calendar::PATH,
            handler: Arc::new(handler),
        }]
    }

    fn know_viewers(&self, viewers: Arc<dyn Viewers>) {
        // Only the first ones are kept.
        self.viewers.set(viewers).ok();
    }

    fn ready(&self) -> BoxFuture<'_, bool> {
        async move {
            match self.tenancy {
                Tenancy::Single => counters_are_known(&self.table, Scope::Single).await.is_ok(),
                Tenancy::Owner => has_owners(&self.table).await.is_ok(),
            }
        }
        .boxed()
    }
}
