//! collab-hub: founders, talent and investors around startups.
//!
//! One folder for each entity: `mod.rs` has what is stored, its keys and its lists, `graphql.rs` its API and its rules.
//! `member` knows who the viewer is, `visibility` who sees which startup, and `journal` writes notifications and the
//! audit log in the transaction of each change.

// The futures of resolvers, loaders and the SDK's calls nest deeper than the default allows.
#![recursion_limit = "256"]

mod access_requests;
mod accounts;
mod applications;
mod arguments;
mod audit_log;
mod blocks;
mod clearing;
mod contacts;
mod conversations;
mod created;
mod deletions;
mod demo;
mod events;
mod file_types;
mod finishing;
mod invitations;
mod journal;
mod make_admin;
mod member;
mod messages;
mod named;
mod notices;
mod notifications;
mod pages;
mod refusals;
mod reports;
mod retrying;
mod roles;
mod saved_roles;
mod signed;
mod startups;
mod subscriptions;
mod table;
mod tiers;
mod uploads;
mod usage;
mod users;
mod visibility;

use std::sync::Arc;

use async_graphql::{Interface, MergedObject, MergedSubscription, Schema, SchemaBuilder};
use clap::{Args as _, FromArgMatches as _};

use trestle_api::{
    EventBus, GraphqlService, Kind, NodeQuery, Nodes, Paged, SchemaDescription, Service, Session,
};
use trestle_files::{self as files, Files, FilesArgs, TableStore};
use trestle_service::{Failure, Registered, ServiceContext, note_of_unfinished};
use trestle_table::clock::Clock;
use trestle_table::{Meter, Table, Tables};

use access_requests::AccessRequest;
use applications::Application;
use arguments::CollabHubArgs;
use audit_log::AuditLog;
use conversations::Conversation;
use conversations::queue::Queues;
use events::Event;
use invitations::Invitation;
use member::Settings;
use messages::Message;
use notifications::Notification;
use reports::Report;
use roles::Role;
use startups::Startup;
use subscriptions::webhook::Webhook;
use users::User;

pub use table::TABLE;

/// The service, as the registry has it.
pub static SERVICE: Registered = Registered {
    name: "collab-hub",
    tables: &[&TABLE],
    sdl: || trestle_api::sdl(&schema().finish()),
    arguments: |command| files::options(CollabHubArgs::augment_args(command)),
    open: |context| Box::pin(open(context)),
    commands: &[make_admin::COMMAND],
    is_object_key: uploads::is_key,
    check: |tables| Box::pin(check(tables)),
    demo: |demo| Box::pin(demo::fill(demo)),
    ..Registered::PLAIN
};

async fn check(tables: &[Table]) -> Result<Vec<String>, Failure> {
    let tables = Tables::new(tables.iter().cloned(), Clock::system());
    let unfinished = tables.all(&deletions::unfinished()).await?.len();
    Ok(note_of_unfinished(SERVICE.name, unfinished))
}

async fn open(context: &ServiceContext<'_>) -> Result<Arc<dyn Service>, Failure> {
    let setup = CollabHubArgs::from_arg_matches(context.arguments)?;
    let place = FilesArgs::from_arg_matches(context.arguments)?;
    let beside = TableStore::of(context.folder, context.is_in_memory);
    let files = files::open(&place, SERVICE.name, beside, context.clock.clone()).await?;
    let (served, reached) = (files.are_served().then(|| files.clone()), files.clone());
    let live = EventBus::<Event>::default();
    let (announced, queues) = (live.clone(), Queues::default());
    let settings = setup.settings();
    let parts = Parts {
        live,
        queues,
        settings,
        files: files.clone(),
    };
    let given = parts.clone();
    let tables = context.tables.counting(Meter::default());
    if files.are_served() {
        tokio::spawn(uploads::sweep::SWEEP.run(files, context.clock.clone()));
    }
    let service = GraphqlService::new(SERVICE.name, schema(), context.tables.clone())
        .examples(&[
            include_str!("examples/register.graphql"),
            include_str!("examples/startup.graphql"),
            include_str!("examples/discover.graphql"),
            include_str!("examples/dashboard.graphql"),
        ])
        .with_request_data(move |request, session| {
            given.give(session);
            Ok(request)
        })
        .finishing(move || {
            let (tables, parts) = (tables.clone(), parts.clone());
            Box::pin(
                async move { finishing::finish_all(&tables, |session| parts.give(session)).await },
            )
        })
        .on_listening(move |origin| reached.on_listening(origin));
    let service = match served {
        Some(served) => service.mount(files::MOUNT, Arc::new(served)),
        None => service,
    };
    Ok(Arc::new(match setup.stripe_secret() {
        Some(secret) => {
            let webhook = Webhook::new(secret, context.tables.clone(), announced);
            service.mount("webhooks/stripe", Arc::new(webhook))
        }
        None => service,
    }))
}

/// What each session of the service is given.
#[derive(Clone)]
struct Parts {
    live: EventBus<Event>,
    queues: Queues,
    settings: Settings,
    files: Files,
}

impl Parts {
    fn give(&self, session: &Session) {
        session.give(self.live.clone());
        session.give(self.queues.clone());
        session.give(self.settings);
        session.give(self.files.clone());
    }
}

/// What introspection and the SDL say of the API.
const DESCRIPTION: &str = "Founders, talent and investors around startups: roles, applications, access requests, conversations and subscriptions.";

fn schema() -> SchemaBuilder<Paged<Query>, Paged<Mutation>, Subscription> {
    Schema::build(Paged::default(), Paged::default(), Subscription::default())
        .register_output_type::<Node>()
        .data(SchemaDescription(DESCRIPTION))
}

/// Queries.
#[derive(MergedObject, Default)]
struct Query(
    NodeQuery<Node>,
    users::graphql::UserQuery,
    users::people::PeopleQuery,
    startups::graphql::StartupQuery,
    roles::graphql::RoleQuery,
    saved_roles::SavedRoleQuery,
    created::CreatedQuery,
    applications::graphql::ApplicationQuery,
    access_requests::graphql::AccessRequestQuery,
    invitations::mine::InvitationQuery,
    conversations::graphql::ConversationQuery,
    messages::search::MessageQuery,
    notifications::graphql::NotificationQuery,
    subscriptions::graphql::SubscriptionQuery,
    audit_log::graphql::AuditLogQuery,
    blocks::graphql::BlockQuery,
    reports::graphql::ReportQuery,
    tiers::TierQuery,
);

/// Mutations.
#[derive(MergedObject, Default)]
struct Mutation(
    users::profile::UserMutation,
    users::moderation::ModerationMutation,
    startups::edit::StartupMutation,
    startups::review::ReviewMutation,
    startups::deleting::DeletionMutation,
    accounts::exporting::ExportMutation,
    accounts::deleting::AccountMutation,
    roles::graphql::CreateRoleMutation,
    roles::graphql::RoleMutation,
    saved_roles::SavedRoleMutation,
    applications::graphql::ApplyMutation,
    applications::review::ApplicationMutation,
    access_requests::graphql::AccessRequestMutation,
    invitations::graphql::InvitationMutation,
    conversations::create::ConversationMutation,
    conversations::membership::MembershipMutation,
    conversations::adding::AddParticipantsMutation,
    conversations::muting::MuteMutation,
    blocks::graphql::BlockMutation,
    reports::graphql::ReportMutation,
    reports::graphql::OpenReportMutation,
    messages::send::MessageMutation,
    messages::deleting::DeleteMessageMutation,
    messages::editing::EditMessageMutation,
    messages::reading::ReadMutation,
    notifications::graphql::NotificationMutation,
    notifications::graphql::AllNotificationsMutation,
    uploads::graphql::UploadMutation,
);

/// Subscriptions.
#[derive(MergedSubscription, Default)]
struct Subscription(
    messages::graphql::MessageSubscription,
    notifications::graphql::NotificationSubscription,
    notifications::inbox::InboxSubscription,
);

/// Anything that can be fetched by its id.
#[derive(Interface)]
#[graphql(field(name = "id", ty = "async_graphql::ID", desc = "Opaque id, for `node`."))]
enum Node {
    /// A user.
    User(User),
    /// A startup.
    Startup(Startup),
    /// A role of a startup.
    Role(Role),
    /// An application for a role.
    Application(Application),
    /// An investor's request for access to a startup.
    AccessRequest(AccessRequest),
    /// An invitation of an investor to a startup.
    Invitation(Invitation),
    /// A conversation.
    Conversation(Conversation),
    /// A message of a conversation.
    Message(Message),
    /// A user's paid subscription.
    Subscription(subscriptions::Subscription),
    /// A notification.
    Notification(Notification),
    /// A report to the admins.
    Report(Report),
    /// An entry of the audit log.
    AuditLog(AuditLog),
}

impl Nodes for Node {
    const KINDS: &'static [Kind<Self>] = &[
        Kind::of::<User>(),
        Kind::of::<Startup>(),
        Kind::of::<Role>(),
        Kind::of::<Application>(),
        Kind::of::<AccessRequest>(),
        Kind::of::<Invitation>(),
        Kind::of::<Conversation>(),
        Kind::of::<Message>(),
        Kind::of::<subscriptions::Subscription>(),
        Kind::of::<Notification>(),
        Kind::of::<Report>(),
        Kind::of::<AuditLog>(),
    ];
}
