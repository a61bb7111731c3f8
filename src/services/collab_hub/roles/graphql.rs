//! Roles in the API.

use async_graphql::{ComplexObject, Context, ID, InputObject, MaybeUndefined, Object};

use crate::api::{
    Answer, Connection, Given, Node as _, Session, Stamp, Version, Written, found, page, session,
};
use crate::domain::{Check, Id, List, Text, Violations};
use crate::services::collab_hub::journal::Journal;
use crate::services::collab_hub::member::{acting, active};
use crate::services::collab_hub::startups::{Startup, must_own};
use crate::services::collab_hub::visibility::OfSeenStartups;
use crate::table::ChangeError;
use crate::{mutations, naming_inputs};

use super::{Role, RoleType, open};

#[ComplexObject]
impl Role {
    /// Opaque id, for `node`.
    pub async fn id(&self) -> ID {
        self.node_id()
    }

    /// The startup that offers the role.
    async fn startup(&self, ctx: &Context<'_>) -> Answer<Startup> {
        found(ctx, &self.startup_id).await
    }
}

/// Queries for roles.
#[derive(Default)]
pub struct RoleQuery;

#[Object]
impl RoleQuery {
    /// Open roles of the startups that the viewer sees, newest first. A page is short after 2,000 roles were read.
    async fn open_roles(&self, ctx: &Context<'_>) -> Answer<Connection<Role>> {
        let page = async {
            let session = session(ctx)?;
            active(session).await?;
            page(ctx, &open(), &OfSeenStartups::of(session).await?).await
        };
        Some(page.await)
    }
}

/// Input of `createRole`.
#[derive(InputObject, Clone)]
pub struct CreateRoleInput {
    /// The id of the startup that offers the role.
    startup_id: ID,
    /// A ULID for the role, so that the same input can be sent again. Defaults to a new one.
    role_id: Option<Given<Id<Role>>>,
    /// Title, 1 to 120 characters.
    title: Given<Text<1, 120>>,
    /// Description, 1 to 5000 characters.
    description: Given<Text<1, 5000>>,
    /// Kind of work.
    #[graphql(name = "type")]
    kind: RoleType,
    #[graphql(flatten)]
    more: RoleDetails,
}

/// Input of `updateRole`. An omitted field keeps its value, null clears it.
#[derive(InputObject, Clone)]
pub struct UpdateRoleInput {
    /// The role's id.
    id: ID,
    /// Change the role only if it still has this version.
    expected_version: Option<Version>,
    /// Title, 1 to 120 characters. Cannot be cleared.
    title: MaybeUndefined<Given<Text<1, 120>>>,
    /// Description, 1 to 5000 characters. Cannot be cleared.
    description: MaybeUndefined<Given<Text<1, 5000>>>,
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
    compensation: MaybeUndefined<Given<Text<1, 200>>>,
    /// Range of equity, at most 100 characters.
    equity_range: MaybeUndefined<Given<Text<1, 100>>>,
    /// Required skills, at most 30. Cannot be cleared; pass an empty list instead.
    skills: MaybeUndefined<Given<List<Text<1, 50>, 30>>>,
}

naming_inputs! {
    /// Input of `closeRole`.
    CloseRoleInput
}

impl CreateRoleInput {
    fn make(self, session: &Session) -> Result<Role, Violations> {
        let mut check = Check::default();
        let new = || Ok(Id::new(session.tables.now()));
        let id = check.need("roleId", self.role_id.map_or_else(new, Into::into));
        let startup_id = check.need("startupId", Startup::named(&self.startup_id, session));
        let title = check.need("title", self.title);
        let description = check.need("description", self.description);
        let compensation = check.may("compensation", self.more.compensation);
        let equity_range = check.may("equityRange", self.more.equity_range);
        let skills = check.may_or("skills", self.more.skills, List::default());
        check.finish(|| {
            Some(Role {
                role_id: id?,
                startup_id: startup_id?,
                title: title?,
                description: description?,
                kind: self.kind,
                compensation,
                equity_range,
                skills,
                is_open: true,
                applicant_count: 0,
                stamp: Stamp::new(session.now()),
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
        check.finish(|| Some(next))
    }
}

/// One TransactWriteItems: the role, if the viewer founded its startup, and the audit entry.
async fn create(session: &Session, input: CreateRoleInput) -> Written<Role> {
    let user = acting(session).await?.id;
    let role = input.make(session)?;
    let (startup, id, journal) = (role.startup_id, role.role_id, Journal::of(session));
    let with = |unit: &mut _| {
        must_own(unit, &user, startup, "startupId");
        journal.record::<Role>(unit, "ROLE_CREATED", id);
    };
    journal.create(role, "roleId", with).await
}

async fn update(session: &Session, input: UpdateRoleInput) -> Written<Role> {
    let asked = (&input.id, input.expected_version.map(u32::from));
    let updated = |role: &Role| input.clone().change(role);
    change(session, asked, "ROLE_UPDATED", updated).await
}

async fn close(session: &Session, input: CloseRoleInput) -> Written<Role> {
    let asked = (&input.id, input.expected_version.map(u32::from));
    let closed = |role: &Role| {
        let mut next = role.clone();
        next.is_open = false;
        Ok(next)
    };
    change(session, asked, "ROLE_CLOSED", closed).await
}

/// GetItems of the profile, the startup and the role, and one TransactWriteItems: the role and the audit entry.
async fn change(
    session: &Session,
    (id, expected): (&ID, Option<u32>),
    action: &'static str,
    change: impl Fn(&Role) -> Result<Role, Violations>,
) -> Written<Role> {
    let user = acting(session).await?.id;
    let id = Role::named(id, session).map_err(|rule| rule.at("id"))?;
    let startup = session.tables.get::<Startup>(&id.0).await?;
    let startup = startup.filter(|startup| startup.founder_id == user);
    startup.ok_or(ChangeError::NotFound)?;
    let journal = Journal::of(session);
    let plan = |role: &Role, unit: &mut _| {
        let next = change(role)?;
        if next != *role {
            journal.record::<Role>(unit, action, role.role_id);
        }
        Ok(next)
    };
    let changed = session.tables.change(&id, expected, plan);
    journal.commit(changed).await
}

mutations! {
    /// Mutations of roles.
    RoleMutation -> role: Role {
        /// Creates a role of a startup that the viewer founded. Repeating the input with its `roleId` is safe.
        create_role(CreateRoleInput) -> CreateRolePayload = create,
        /// Updates a role of a startup that the viewer founded.
        update_role(UpdateRoleInput) -> UpdateRolePayload = update,
        /// Closes a role: it accepts no more applications.
        close_role(CloseRoleInput) -> CloseRolePayload = close,
    }
}
