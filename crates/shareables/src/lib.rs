//! shareables: checklists and polls that are shared by a short id and passcodes.

// The futures of resolvers, loaders and the SDK's calls nest deeper than the default allows.
#![recursion_limit = "256"]

mod admin_passcode;
mod admission;
mod arguments;
mod budget;
mod checklist;
mod cloning;
mod confirming;
mod deleted;
mod demo;
mod devices;
mod draft;
mod extending;
mod graphql;
mod guesses;
mod invitation;
mod invitations;
mod known;
mod live;
mod opened;
mod opening;
mod options;
mod part;
mod passcode;
mod passcode_change;
mod placing;
mod poll;
mod poll_csv;
mod pool;
mod removing;
mod request_context;
mod settings;
mod shareable;
mod short_id;
mod table;
mod ticking;
mod token;
mod turns;
mod votes;
mod voting;
mod wrong_passcodes;
mod zone;

use std::process::ExitCode;
use std::sync::Arc;

use clap::{Arg, Args as _, Command, FromArgMatches as _, value_parser};

use trestle_api::{AddressLimit, EventBus, GraphqlService, Service};
use trestle_service::{Failure, Registered, ServiceCommand, ServiceContext, note_of_unfinished};
use trestle_table::clock::Clock;
use trestle_table::{Meter, Table, Tables};

use arguments::ShareablesArgs;
use passcode::Hasher;
use request_context::ServiceState;

pub use table::{POOL, TABLE};

/// The service, as the registry has it.
pub static SERVICE: Registered = Registered {
    name: "shareables",
    tables: &[&TABLE, &POOL],
    sdl: || trestle_api::sdl(&graphql::schema().finish()),
    arguments: ShareablesArgs::augment_args,
    open: |context| Box::pin(async move { open(context) }),
    commands: &[
        ServiceCommand {
            command: short_ids,
            run: |context| Box::pin(fill(context)),
        },
        ServiceCommand {
            command: admin_passcode::command,
            run: |context| Box::pin(admin_passcode::renew(context)),
        },
    ],
    check: |tables| Box::pin(check(tables)),
    demo: |demo| Box::pin(demo::fill(demo)),
    ..Registered::PLAIN
};

async fn check(tables: &[Table]) -> Result<Vec<String>, Failure> {
    let tables = Tables::new(tables.iter().cloned(), Clock::system());
    let unfinished = removing::count_unfinished(&tables).await?;
    Ok(note_of_unfinished(SERVICE.name, unfinished))
}

fn open(context: &ServiceContext<'_>) -> Result<Arc<dyn Service>, Failure> {
    let setup = ShareablesArgs::from_arg_matches(context.arguments)?;
    setup.warn_of_cheap_hashes();
    let shared = Arc::new(ServiceState {
        hasher: Hasher::new(setup.hash_memory)?,
        secret: setup.secret(context)?,
        guesses: AddressLimit::per_day(setup.guesses_per_minute),
        links: AddressLimit::per_minute(setup.guesses_per_minute),
        opens: AddressLimit::per_minute(setup.opens_per_minute),
        creates: AddressLimit::per_minute(setup.creates_per_minute),
        refill: pool::keep_filled(context.tables.clone(), setup.pool),
        live: EventBus::default(),
    });
    let schema = graphql::schema().data(shared);
    let tables = context.tables.counting(Meter::default());
    let service = GraphqlService::new(SERVICE.name, schema, context.tables.clone())
        .authenticating_itself()
        .finishing(move || {
            let tables = tables.clone();
            Box::pin(async move { Ok(removing::finish_all(&tables).await?) })
        })
        .examples(&[
            include_str!("examples/checklist.graphql"),
            include_str!("examples/poll.graphql"),
            include_str!("examples/open.graphql"),
            include_str!("examples/read.graphql"),
            include_str!("examples/watch.graphql"),
        ]);
    Ok(Arc::new(service))
}

fn short_ids() -> Command {
    Command::new("short-ids")
        .about("Fill the pool of short ids for new shareables")
        .arg(
            Arg::new("action")
                .value_name("ACTION")
                .help("What to do: fill the pool until it has as many short ids as --to names")
                .value_parser(["fill"])
                .required(true),
        )
        .arg(
            Arg::new("to")
                .long("to")
                .value_name("COUNT")
                .help("How many short ids the pool is to have, 1 to 1000000")
                .value_parser(value_parser!(u32).range(1..=1_000_000))
                .required(true),
        )
}

async fn fill(context: &ServiceContext<'_>) -> Result<ExitCode, Failure> {
    let to = context.arguments.get_one::<u32>("to").copied();
    let added = pool::fill(&context.tables, to.unwrap_or_default()).await?;
    println!("{added} short ids added");
    Ok(ExitCode::SUCCESS)
}
