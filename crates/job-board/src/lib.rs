//! job-board: seekers swipe on jobs, employers approve, and the two write to each other. One folder for each entity.
//!
//! Arrows: `jobs`, `seekers` and `employers` know no other entity; `suggestions` know jobs and seekers, `matches` know
//! jobs, `interests` know suggestions and matches, `messages` know matches, `searches` know jobs. `runs` make suggestions and
//! delete what belonged to profiles. The changes of an entity write what is stored with it, such as the counts of a job's
//! interests. The API of an entity (`graphql.rs`) may know every entity.

// The futures of resolvers, loaders and the SDK's calls nest deeper than the default allows.
#![recursion_limit = "256"]

mod access;
mod demo;
mod employers;
mod foreign;
mod interests;
mod jobs;
mod matches;
mod messages;
mod runs;
mod searches;
mod seekers;
mod service_state;
mod stored_revision;
mod suggestions;
pub mod table;
mod values;

use std::sync::Arc;

use async_graphql::{Interface, MergedObject, MergedSubscription, Schema, SchemaBuilder};
use clap::{Arg, ArgMatches, Command};
use tokio::sync::mpsc;

use trestle_api::{GraphqlService, Kind, NodeQuery, Nodes, Paged, SchemaDescription, Service};
use trestle_service::{Registered, ServiceCommand, ServiceContext};
use trestle_table::Meter;

use employers::Employer;
use interests::Interest;
use jobs::Job;
use matches::Match;
use matches::steps::MatchStep;
use messages::Message;
use runs::runner::Runner;
use searches::SavedSearch;
use seekers::Seeker;
use service_state::ServiceState;
use suggestions::Suggestion;

/// The service, as the registry has it.
pub static SERVICE: Registered = Registered {
    name: "job-board",
    tables: &[&table::TABLE],
    sdl: || trestle_api::sdl(&schema().finish()),
    arguments,
    open: |context| Box::pin(async { Ok(open(context)) }),
    commands: &[
        ServiceCommand {
            command: jobs::load::command,
            run: |context| Box::pin(jobs::load::run(context)),
        },
        ServiceCommand {
            command: runs::suggest::command,
            run: |context| Box::pin(runs::suggest::run(context)),
        },
    ],
    demo: |demo| Box::pin(demo::fill(demo)),
    ..Registered::PLAIN
};

/// Runs that wait in memory for the runner; those beyond it finds in the table.
const QUEUED: usize = 1024;

const SUGGESTIONS: &str = "job-board-suggestions";

fn arguments(command: Command) -> Command {
    command.arg(
        Arg::new(SUGGESTIONS)
            .long(SUGGESTIONS)
            .env("TRESTLE_JOB_BOARD_SUGGESTIONS")
            .value_parser(["background", "none"])
            .default_value("background")
            .help("Whether this process makes suggestions and deletes what belonged to deleted profiles; with none, another one or `trestle suggest` does"),
    )
}

/// Whether this process makes suggestions.
fn makes_suggestions(arguments: &ArgMatches) -> bool {
    let chosen = arguments.get_one::<String>(SUGGESTIONS);
    chosen.is_some_and(|chosen| chosen == "background")
}

fn open(context: &ServiceContext) -> Arc<dyn Service> {
    let queue = makes_suggestions(context.arguments).then(|| {
        let (queue, received) = mpsc::channel(QUEUED);
        let runner = Runner::new(context.tables.counting(Meter::default()));
        tokio::spawn(runner.serve(received));
        queue
    });
    let service = ServiceState::new(queue);
    let service = GraphqlService::new(SERVICE.name, schema(), context.tables.clone())
        .examples(&[
            include_str!("examples/profile.graphql"),
            include_str!("examples/post.graphql"),
            include_str!("examples/jobs.graphql"),
            include_str!("examples/suggestions.graphql"),
            include_str!("examples/waiting.graphql"),
        ])
        .with_request_data(move |request, _| Ok(request.data(service.clone())));
    Arc::new(service)
}

/// What introspection and the SDL say of the API.
const DESCRIPTION: &str =
    "Jobs and seekers: suggestions, interests, matches and the messages of a match.";

fn schema() -> SchemaBuilder<Paged<Query>, Paged<Mutation>, Subscription> {
    Schema::build(Paged::default(), Paged::default(), Subscription::default())
        .register_output_type::<Node>()
        .data(SchemaDescription(DESCRIPTION))
}

/// Queries.
#[derive(MergedObject, Default)]
struct Query(
    NodeQuery<Node>,
    jobs::graphql::JobQuery,
    employers::graphql::EmployerQuery,
    seekers::graphql::SeekerQuery,
    suggestions::graphql::SuggestionQuery,
    interests::graphql::InterestQuery,
    matches::graphql::MatchQuery,
    searches::graphql::SearchQuery,
    messages::graphql::MessageQuery,
);

/// Mutations.
#[derive(MergedObject, Default)]
struct Mutation(
    jobs::graphql::JobMutation,
    employers::graphql::EmployerMutation,
    seekers::graphql::SeekerMutation,
    interests::graphql::InterestMutation,
    matches::graphql::MatchMutation,
    searches::graphql::SearchMutation,
    messages::graphql::MessageMutation,
);

/// Subscriptions.
#[derive(MergedSubscription, Default)]
struct Subscription(
    jobs::graphql::JobSubscription,
    matches::graphql::MatchSubscription,
    messages::graphql::MessageSubscription,
);

/// Anything that can be fetched by its id.
#[derive(Interface)]
#[graphql(field(
    name = "id",
    ty = "async_graphql::ID",
    desc = "Global id: opaque and stable."
))]
enum Node {
    /// A job.
    Job(Job),
    /// The profile of an employer.
    Employer(Employer),
    /// The profile of a seeker.
    Seeker(Seeker),
    /// A suggestion.
    Suggestion(Suggestion),
    /// An interest.
    Interest(Interest),
    /// A match.
    Match(Match),
    /// A message.
    Message(Message),
    /// A step with a match.
    MatchStep(MatchStep),
    /// A saved search.
    SavedSearch(SavedSearch),
}

impl Nodes for Node {
    const KINDS: &'static [Kind<Self>] = &[
        Kind::of::<Job>(),
        Kind::of::<Employer>(),
        Kind::of::<Seeker>(),
        Kind::of::<Suggestion>(),
        Kind::of::<Interest>(),
        Kind::of::<Match>(),
        Kind::of::<Message>(),
        Kind::of::<MatchStep>(),
        Kind::of::<SavedSearch>(),
    ];
}
