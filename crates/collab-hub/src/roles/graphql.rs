//! Roles in the API.

use async_graphql::{ComplexObject, Context, ID, InputObject, MaybeUndefined, Object};

use crate::applications::notes::Names;
use crate::applications::{self, Application};
use crate::deletions::{Deleted, Deletion, await_indexes};
use crate::journal::{Journal, Note};
use crate::member::{acting, active};
use crate::named::given_name;
use crate::notifications::NotificationType;
use crate::pages::bad_filter;
use crate::startups::{Startup, StartupStatus, Visibility, must_own};
use crate::visibility::OfSeenStartups;
use trestle_api::{
    Connection, Input, MutationResult, Node as _, QueryResult, Revision, Session, Version, found,
    page, session,
};
use trestle_api::{mutations, naming_inputs, payloads};
use trestle_domain::{Amount, Check, Id, List, Rule, Text, Violations};
use trestle_table::{ChangeError, PageAsk};

use super::filter::RoleFilter;
use super::{Role, RoleType, open};

#[ComplexObject]
impl Role {
    /// Opaque id, for `node`.
    pub async fn id(&self) -> ID {
        self.node_id()
    }

    /// The startup that offers the role.
    async fn startup(&self, ctx: &Context<'_>) -> QueryResult<Startup> {
        found(ctx, &self.startup_id).await
    }
}

/// Queries for roles.
#[derive(Default)]
pub struct RoleQuery;

#[Object]
impl RoleQuery {
    /// Open roles of the startups that the viewer sees, newest first. A page is short after 2,000 roles were read.
    async fn open_roles(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Only roles that match.")] filter: Option<RoleFilter>,
    ) -> QueryResult<Connection<Role>> {
        let page = async {
            let session = session(ctx)?;
            active(session).await?;
            let list = match filter {
                Some(filter) => filter.of(open()).map_err(bad_filter)?,
                None => open(),
            };
            page(ctx, &list, &OfSeenStartups::of(session).await?).await
        };
        Some(page.await)
    }
}

#[derive(InputObject, Clone)]
pub struct CreateRoleInput {
    /// The id of the startup that offers the role.
    startup_id: ID,
    /// A ULID of the client's, so that the same input can be sent again. The role gets an id of its own.
    role_id: Option<Input<Id<Role>>>,
    /// Title, 1 to 120 characters.
    title: Input<Text<1, 120>>,
    /// Description, 1 to 5000 characters.
    description: Input<Text<1, 5000>>,
    /// Kind of work.
    #[graphql(name = "type")]
    kind: RoleType,
    #[graphql(flatten)]
    more: RoleDetails,
}

/// An omitted field keeps its value, null clears it.
#[derive(InputObject, Clone)]
pub struct UpdateRoleInput {
    /// The role's id.
    id: ID,
    /// Change the role only if it still has this version.
    expected_version: Option<Version>,
    /// Title, 1 to 120 characters. Cannot be cleared.
    title: MaybeUndefined<Input<Text<1, 120>>>,
    /// Description, 1 to 5000 characters. Cannot be cleared.
    description: MaybeUndefined<Input<Text<1, 5000>>>,
    /// Kind of work. Cannot be cleared.
    #[graphql(name = "type")]
    kind: MaybeUndefined<RoleType>,
    #[graphql(flatten)]
    more: RoleDetails,
}

/// Optional attributes of a role.
#[derive(InputObject, Clone)]
pub struct RoleDetails {
    /// Compensation, at most 200 characters.
    compensation: MaybeUndefined<Input<Text<1, 200>>>,
    /// Range of equity, at most 100 characters.
    equity_range: MaybeUndefined<Input<Text<1, 100>>>,
    /// Required skills, at most 30. Cannot be cleared; pass an empty list instead.
    skills: MaybeUndefined<Input<List<Text<1, 50>, 30>>>,
    /// Place of work, at most 120 characters.
    location: MaybeUndefined<Input<Text<1, 120>>>,
    /// Whether the work can be done from anywhere.
    is_remote: MaybeUndefined<bool>,
    /// Lowest pay for a year, in whole US dollars.
    pay_min: MaybeUndefined<Input<Amount>>,
    /// Highest pay for a year, in whole US dollars.
    pay_max: MaybeUndefined<Input<Amount>>,
}

naming_inputs! {
    CloseRoleInput
    ReopenRoleInput
    DeleteRoleInput
}

impl CreateRoleInput {
    fn make(self, session: &Session) -> Result<Role, Violations> {
        let mut check = Check::default();
        let startup_id = check.need("startupId", Startup::named(&self.startup_id, session));
        let title = check.need("title", self.title);
        let description = check.need("description", self.description);
        let compensation = check.may("compensation", self.more.compensation);
        let equity_range = check.may("equityRange", self.more.equity_range);
        let skills = check.may_or("skills", self.more.skills, List::default());
        let location = check.may("location", self.more.location);
        let is_remote = check.may("isRemote", self.more.is_remote);
        let pay_min = check.may("payMin", self.more.pay_min);
        let pay_max = check.may("payMax", self.more.pay_max);
        check.that(is_range(pay_min, pay_max), "payMin", NO_RANGE);
        check.finish(|| {
            Some(Role {
                role_id: Id::new(session.tables.now()),
                startup_id: startup_id?,
                title: title?,
                description: description?,
                kind: self.kind,
                compensation,
                equity_range,
                skills,
                location,
                is_remote,
                pay_min,
                pay_max,
                is_open: true,
                applicant_count: 0,
                stamp: Revision::new(session.now()),
            })
        })
    }
}

impl UpdateRoleInput {
    fn change(self, role: &Role) -> Result<Role, Violations> {
        let (mut next, mut check, more) = (role.clone(), Check::default(), self.more);
        check.set("title", &mut next.title, self.title);
        check.set("description", &mut next.description, self.description);
        check.set("type", &mut next.kind, self.kind);
        check.set_opt("compensation", &mut next.compensation, more.compensation);
        check.set_opt("equityRange", &mut next.equity_range, more.equity_range);
        check.set("skills", &mut next.skills, more.skills);
        check.set_opt("location", &mut next.location, more.location);
        check.set_opt("isRemote", &mut next.is_remote, more.is_remote);
        check.set_opt("payMin", &mut next.pay_min, more.pay_min);
        check.set_opt("payMax", &mut next.pay_max, more.pay_max);
        check.that(is_range(next.pay_min, next.pay_max), "payMin", NO_RANGE);
        check.finish(|| Some(next))
    }
}

const NO_RANGE: Rule = Rule::Invalid("at most payMax");

fn is_range(min: Option<Amount>, max: Option<Amount>) -> bool {
    min.zip(max).is_none_or(|(min, max)| min <= max)
}

/// One TransactWriteItems: the role, if the viewer founded its startup, and the audit entry.
async fn create(session: &Session, input: CreateRoleInput) -> MutationResult<Role> {
    let user = acting(session).await?.id;
    let name = given_name(input.role_id.clone(), "roleId")?;
    let role = input.make(session)?;
    let (startup, id, journal) = (role.startup_id, role.role_id, Journal::of(session));
    let created = journal.create_named(name, "roleId", role, |unit| {
        must_own(unit, &user, startup, "startupId");
        journal.record::<Role>(unit, "ROLE_CREATED", id);
        None
    });
    created.await
}

async fn update(session: &Session, input: UpdateRoleInput) -> MutationResult<Role> {
    let expected = input.expected_version;
    change(session, &input.id, expected, "ROLE_UPDATED", |role| {
        input.clone().change(role)
    })
    .await
}

async fn close(session: &Session, input: CloseRoleInput) -> MutationResult<Role> {
    let expected = input.expected_version;
    let changed = change(session, &input.id, expected, "ROLE_CLOSED", |role| {
        Ok(Role {
            is_open: false,
            ..role.clone()
        })
    });
    let changed = changed.await?;
    if changed.is_written {
        tell_of_closing(session, &changed.entity).await;
    }
    Ok(changed)
}

/// Number of applicants that are notified of a closed role, at most.
const TOLD_AT_MOST: usize = 450;

/// Notifies those whose applications are not decided of a closed role: a Query, and one TransactWriteItems for each 45. A
/// failure is logged.
async fn tell_of_closing(session: &Session, role: &Role) {
    let listed = applications::of_role(role.startup_id, role.role_id, None)
        .keeping("open", Application::is_open);
    let listed = listed.reading_at_most(2 * TOLD_AT_MOST);
    let ask = PageAsk::first(TOLD_AT_MOST);
    match session.tables.page(&listed, &ask, &()).await {
        Ok(page) => {
            let open = page.rows.into_iter().filter_map(|row| row.entity.ok());
            let body = format!("The role {} accepts no more applications.", role.title);
            tell(session, role, open.collect(), "Role closed", &body).await;
        }
        Err(error) => {
            tracing::error!(%error, role = %role.role_id, "Applicants were not notified");
        }
    }
}

/// Deletes the founder's notes on applications for a deleted role, and notifies those whose applications are not decided. A
/// failure is logged.
async fn tell_of_deletion(session: &Session, role: &Role, startup: &Startup, deletion: &Deletion) {
    match finish(session, role.startup_id, role.role_id, deletion).await {
        Ok(open) => {
            let body = format!("The role {} at {} was deleted.", role.title, startup.name);
            tell(session, role, open, "Role deleted", &body).await;
        }
        Err(error) => {
            tracing::error!(%error, role = %role.role_id, "what belonged to a deleted role is not deleted: the next start deletes it");
        }
    }
}

/// Deletes the founder's notes on applications for a deleted role, then the note of the delete. Returns the newest applications
/// that are open.
///
/// # Errors
/// The store does not answer.
pub async fn finish(
    session: &Session,
    startup: Id<Startup>,
    role: Id<Role>,
    deletion: &Deletion,
) -> Result<Vec<Application>, ChangeError<Violations>> {
    let names = Names {
        role_title: deletion.role_title.clone(),
        startup_name: deletion.startup_name.clone(),
    };
    await_indexes(session).await?;
    let open = applications::notes::forget(session, startup, role, &names).await?;
    deletion.end(session).await?;
    Ok(open)
}

/// Notifies applicants of what became of the role.
async fn tell(session: &Session, role: &Role, open: Vec<Application>, title: &str, body: &str) {
    let open = open.into_iter();
    let mut users: Vec<_> = open.map(|application| application.applicant_id).collect();
    users.sort_unstable();
    users.dedup();
    let Some(first) = users.first() else {
        return;
    };
    let kind = NotificationType::ApplicationUpdate;
    let note = Note::new(first, kind, title, body);
    let note = note.of_startup(role.startup_id).of_role(role.role_id);
    let journal = Journal::of(session);
    journal
        .notify_apart::<Role>(role.role_id, &users, note)
        .await;
}

async fn reopen(session: &Session, input: ReopenRoleInput) -> MutationResult<Role> {
    let expected = input.expected_version;
    change(session, &input.id, expected, "ROLE_REOPENED", |role| {
        Ok(Role {
            is_open: true,
            ..role.clone()
        })
    })
    .await
}

/// As [`close`]; the role is gone, and its applications stay.
async fn delete(session: &Session, input: DeleteRoleInput) -> MutationResult<Role> {
    let user = acting(session).await?.id;
    let id = Role::named(&input.id, session).map_err(|rule| rule.at("id"))?;
    let startup = session.tables.get::<Startup>(&id.0).await?;
    let startup = startup.filter(|startup| startup.founder_id == user);
    let startup = startup.ok_or(ChangeError::NotFound)?;
    let journal = Journal::of(session);
    let expected = input.expected_version.map(u32::from);
    let deleted = session.tables.delete(&id, expected, |role: &Role, unit| {
        journal.record::<Role>(unit, "ROLE_DELETED", role.role_id);
        deletion_of(session, role, &startup).begin(unit);
        Ok(())
    });
    let deleted = deleted.await?;
    if deleted.is_written {
        let deletion = deletion_of(session, &deleted.entity, &startup);
        tell_of_deletion(session, &deleted.entity, &startup, &deletion).await;
    }
    Ok(deleted)
}

fn deletion_of(session: &Session, role: &Role, startup: &Startup) -> Deletion {
    Deletion {
        role_title: Some(role.title.clone()),
        startup_name: Some(startup.name.clone()),
        ..Deletion::of(session, Deleted::Role(role.startup_id, role.role_id))
    }
}

/// GetItems of the profile, the startup and the role, and one TransactWriteItems: the role and the audit entry.
async fn change(
    session: &Session,
    id: &ID,
    expected: Option<Version>,
    action: &'static str,
    change: impl Fn(&Role) -> Result<Role, Violations>,
) -> MutationResult<Role> {
    let user = acting(session).await?.id;
    let id = Role::named(id, session).map_err(|rule| rule.at("id"))?;
    let startup = session.tables.get::<Startup>(&id.0).await?;
    let startup = startup.filter(|startup| startup.founder_id == user);
    startup.ok_or(ChangeError::NotFound)?;
    let journal = Journal::of(session);

    let changed = session
        .tables
        .change(&id, expected.map(u32::from), |role: &Role, unit| {
            let next = change(role)?;
            if next != *role {
                journal.record::<Role>(unit, action, role.role_id);
            }
            Ok(next)
        });
    changed.await
}

payloads! {
    /// The result of `createRole`.
    #[graphql(complex)]
    CreateRolePayload {
        /// The role. `null` if there are errors.
        role: Role
    }
}

#[ComplexObject]
impl CreateRolePayload {
    /// Why talent does not see the role, and what to do about it. Null if talent sees it and can apply.
    async fn warning(&self, ctx: &Context<'_>) -> QueryResult<&'static str> {
        let role = self.role.as_ref()?;
        let load = async { session(ctx)?.load::<Startup>(&role.startup_id).await };
        let startup = load.await.transpose()?;
        startup.map(|startup| unseen(&startup)).transpose()
    }
}

/// Why talent does not see the roles of a startup.
fn unseen(startup: &Startup) -> Option<&'static str> {
    match (startup.status, startup.visibility) {
        (StartupStatus::Active, Visibility::Public) => None,
        (StartupStatus::Active, Visibility::InvestorsOnly) => Some(
            "Only investors see the role, and talent applies by invitation alone: the startup is INVESTORS_ONLY. Call `inviteToRole`, or set its \
             `visibility` to PUBLIC.",
        ),
        (StartupStatus::Active, Visibility::Private) => Some(
            "Only investors with access see the role, and talent applies by invitation alone: the startup is PRIVATE. Call `inviteToRole`, or \
             set its `visibility` to PUBLIC.",
        ),
        (StartupStatus::Suspended, _) => Some(
            "Only the founder and admins see the role: the startup is SUSPENDED, and an admin has to activate it.",
        ),
        (StartupStatus::PendingReview, Visibility::Public) => Some(
            "Only the founder and admins see the role until an admin has activated the startup, which is PENDING_REVIEW.",
        ),
        (StartupStatus::Draft, Visibility::Public) => Some(
            "Only the founder and admins see the role: the startup is a DRAFT. Submit it by `setStartupStatus`.",
        ),
        (StartupStatus::PendingReview | StartupStatus::Draft, _) => Some(
            "Only the founder and admins see the role until the startup is ACTIVE, and then only investors: talent sees and \
             applies for roles of startups with the `visibility` PUBLIC, and of others by `inviteToRole`.",
        ),
    }
}

mutations! {
    /// Mutations that create roles.
    CreateRoleMutation {
        /// Creates a role of a startup that the viewer founded. Talent sees and applies for roles of ACTIVE startups with the
        /// visibility PUBLIC: `warning` says if the role is not one. Repeating the input with its `roleId` is safe.
        create_role(CreateRoleInput) -> CreateRolePayload = create,
    }
}

mutations! {
    /// Mutations of roles.
    RoleMutation -> role: Role {
        /// Updates a role of a startup that the viewer founded.
        update_role(UpdateRoleInput) -> UpdateRolePayload = update,
        /// Closes a role: it accepts no more applications.
        close_role(CloseRoleInput) -> CloseRolePayload = close,
        /// Reopens a closed role: it accepts applications again.
        reopen_role(ReopenRoleInput) -> ReopenRolePayload = reopen,
        /// Deletes a role of a startup that the viewer founded, and the founder's notes on its applications. Applicants keep their
        /// applications, and those whose application is open are told.
        delete_role(DeleteRoleInput) -> DeleteRolePayload = delete,
    }
}
