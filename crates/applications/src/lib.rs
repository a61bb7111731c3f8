//! The job-application tracker. Knows nothing of the server that hosts it, nor of the other services.

// The futures of resolvers, loaders and the SDK's calls nest deeper than the default allows.
#![recursion_limit = "256"]

mod calendar;
mod changes;
mod demo;
mod error;
mod graphql;
pub mod importer;
mod items;
mod keys;
mod model;
mod objects;
mod operator;
mod store;

use std::sync::Arc;

use clap::{Args, FromArgMatches as _, ValueEnum};
use futures_util::future::try_join;
use tracing::instrument::WithSubscriber as _;
use tracing::subscriber::NoSubscriber;
use url::Url;

pub use changes::{Changes, follow};
pub use error::{ChangeError, StoreError, TenancyError};
pub use keys::{Place, Scope, TABLE, Tenancy};
pub use model::{
    Activity, ApplicationChange, ApplicationId, Change, CompanyCategory, Details, DetailsChange,
    DetailsField, Event, Form, IfEmpty, JobSource, Leftovers, Rule, SalaryPeriod, Status,
    Timestamp, Violation, Violations, canonical,
};
pub use store::{
    Applications, Counters, Import, Imported, ListRow, NewRow, PartitionSearch, Partitions, Record,
    RowOutcome, TrackedJobs, claim, confirm, has_owners, items_of_no_scope, owners, unmark,
};

use calendar::{Addresses, AgendaFile, AgendaFiles, SubscribedCalendar};
use objects::Objects;
use trestle_api::{self as api, ApiError, Code, GraphqlService, Service};
use trestle_domain::Currency;
use trestle_files::{self as files, FilesArgs};
use trestle_service::{Failure, Registered, ServiceContext};
use trestle_table::clock::Clock;
use trestle_table::{Meter, Table, Tables};

/// The service's name.
pub const NAME: &str = "applications";

/// The service, as the registry has it.
pub static SERVICE: Registered = Registered {
    name: NAME,
    tables: &[&TABLE],
    sdl,
    arguments: |command| files::options(ApplicationsArgs::augment_args(command)),
    open: |context| Box::pin(open(context)),
    is_object_key: objects::is_key,
    accepts: |arguments, credentials| {
        let arguments = ApplicationsArgs::from_arg_matches(arguments)?;
        operator::check_tenancy(arguments.tenancy, credentials)
    },
    check: |tables| Box::pin(operator::notes_of(tables)),
    demo: |demo| Box::pin(demo::fill(demo)),
    ..Registered::PLAIN
};

/// The options that `trestle serve` takes for this service.
#[derive(Args, Clone, Debug)]
struct ApplicationsArgs {
    /// Whose applications the table has. Must be given if tokens are accepted (--jwt-issuer), or if more than one API key may read
    /// or write; else `single`
    #[arg(long, env = "TRESTLE_TENANCY", value_enum, value_name = "TENANCY")]
    tenancy: Option<Tenancy>,

    /// Which changes subscriptions report
    #[arg(long, env = "TRESTLE_CHANGES", value_enum, default_value_t = ChangesFrom::Process)]
    changes: ChangesFrom,

    /// Currency of salaries that are set without one: a code of ISO 4217 such as EUR. Without it, they have none
    #[arg(long, env = "TRESTLE_DEFAULT_CURRENCY", value_name = "CODE", value_parser = currency)]
    default_currency: Option<Currency>,
}

/// A currency of the command line.
fn currency(code: &str) -> Result<Currency, String> {
    Currency::parse(code)
        .map_err(|_| "say a code of ISO 4217, three letters such as EUR".to_owned())
}

/// Which changes subscriptions report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ChangesFrom {
    /// The changes that this process makes
    Process,
    /// The changes of all processes, from the table's stream. The embedded store never deletes its stream records
    Streams,
}

async fn open(context: &ServiceContext<'_>) -> Result<Arc<dyn Service>, Failure> {
    let table = context.tables.by(&TABLE)?.clone();
    let changes = Changes::default();
    let arguments = ApplicationsArgs::from_arg_matches(context.arguments)?;
    let tenancy = arguments.tenancy.unwrap_or_default();
    // Neither a span nor a call of any request.
    let claimed = claim(&table, tenancy).with_subscriber(NoSubscriber::new());
    claimed.await?;
    let announcers = match arguments.changes {
        ChangesFrom::Process => Announcers::Writes,
        ChangesFrom::Streams => {
            let reader = context.streams.open(&table).await?;
            tokio::spawn(follow(reader, changes.clone(), tenancy));
            Announcers::Others
        }
    };
    let clock = context.clock.clone();
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
    let files = FilesArgs::from_arg_matches(context.arguments)?;
    let service = ApplicationsService::watching(table, clock, changes, announcers)
        .with_tenancy(tenancy)
        .paying_in(arguments.default_currency)
        .reached_at(files.public_url().cloned())
        .keeping(Objects::of(context, files));
    Ok(Arc::new(service.hosted()))
}

/// The service, before it is hosted: its table, and what clients watch.
pub struct ApplicationsService {
    table: Table,
    tenancy: Tenancy,
    clock: Clock,
    changes: Changes,
    announcers: Announcers,
    default_currency: Option<Currency>,
    addresses: Addresses,
    objects: Objects,
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
        Self {
            table,
            tenancy: Tenancy::Single,
            objects: Objects::in_memory(clock.clone()),
            clock,
            changes,
            announcers,
            default_currency: None,
            addresses: Addresses::default(),
        }
    }

    /// The same service, which clients reach at this URL. By default, it is where the server listens.
    pub fn reached_at(self, public: Option<Url>) -> Self {
        Self {
            addresses: Addresses::at(public),
            ..self
        }
    }

    /// The same service with the files of applications in this object store. By default, they are in memory.
    fn keeping(self, objects: Objects) -> Self {
        Self { objects, ..self }
    }

    /// The same service on a table of this tenancy.
    pub fn with_tenancy(self, tenancy: Tenancy) -> Self {
        Self { tenancy, ..self }
    }

    /// The same service, with salaries in this currency unless another one is set.
    pub fn paying_in(self, default_currency: Option<Currency>) -> Self {
        Self {
            default_currency,
            ..self
        }
    }

    /// The service as the server hosts it.
    pub fn hosted(self) -> impl Service {
        let Self {
            table,
            tenancy,
            clock,
            changes,
            announcers,
            default_currency,
            addresses,
            objects,
        } = self;
        let agendas = Arc::new(AgendaFiles::new(table.clone(), clock.clone()));
        let agenda = AgendaFile::new(Arc::clone(&agendas), tenancy);
        let subscribed = SubscribedCalendar::new(agendas, table.clone(), tenancy, clock.clone());
        let listening = (addresses.clone(), objects.clone());
        let finishing = (table.clone(), clock.clone(), objects.clone());
        let tables = Tables::new([table.clone()], clock.clone());
        let counters = Counters::default();
        GraphqlService::new(NAME, graphql::schema(), tables)
            .examples(&[
                include_str!("examples/create.graphql"),
                include_str!("examples/list.graphql"),
            ])
            .mount(calendar::PATH, Arc::new(agenda))
            .mount(Addresses::ROUTE, Arc::new(subscribed))
            .mount(files::MOUNT, Arc::new(objects.clone()))
            .on_listening(move |origin| {
                listening.0.on_listening(origin);
                listening.1.on_listening(origin);
            })
            .finishing(move || {
                let (table, clock, objects) = finishing.clone();
                Box::pin(async move {
                    let finished = operator::finish_deletes(&table, tenancy, &clock, &objects);
                    Ok(finished.await?)
                })
            })
            .with_request_data(move |request, session| {
                let (viewer, meter) = (&session.viewer, session.tables.meter().clone());
                // In a table with a part for each owner, someone without an owner has nothing.
                let scope = tenancy.scope(viewer).ok_or_else(no_owner)?;
                let store = Applications::new(table.clone(), scope, meter, clock.clone());
                let store = store.keeping(objects.clone());
                let mut store = store
                    .acting_for(viewer)
                    .counting(&counters)
                    .paying_in(default_currency);
                if announcers == Announcers::Writes {
                    store = store.announcing(changes.clone());
                }
                Ok(request
                    .data(store::Entries::new(store.clone()))
                    .data(store::Postings::new(store.clone()))
                    .data(store::AttachedLists::new(store.clone()))
                    .data(store)
                    .data(viewer.clone())
                    .data(addresses.clone())
                    .data(changes.clone()))
            })
    }
}

/// The viewer's credentials do not say whose applications these are.
fn no_owner() -> ApiError {
    let message = "These credentials name no owner. Use a token with the claim that names the owner, or an API key with \
                   an owner.";
    ApiError::new(Code::Forbidden, message)
}

/// The schema in SDL.
pub fn sdl() -> String {
    api::sdl(&graphql::schema().finish())
}
