//! Roles that a user wants to come back to.

use async_graphql::{ComplexObject, Context, ID, InputObject, Object, SimpleObject};
use serde::{Deserialize, Serialize};

use super::member::acting;
use super::pages::own_page;
use super::refusals::unavailable;
use super::retrying::commit;
use super::roles::Role;
use super::startups::Startup;
use super::table::TABLE;
use trestle_api::{
    Connection, Listed, MutationResult, Node as _, QueryResult, Revision, Session, found, mutations,
};
use trestle_domain::{Id, Rule, Text, UserId};
use trestle_table::{Changed, Condition, Entity, Key, Listing, Pk, Sk, TableDefinition};

/// A role that a user has saved: `SAVED#user` / `ROLE#role`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct SavedRole {
    #[graphql(skip)]
    pub user_id: UserId,
    #[graphql(skip)]
    pub startup_id: Id<Startup>,
    #[graphql(skip)]
    pub role_id: Id<Role>,
    /// The title of the role when it was saved.
    pub role_title: Text<1, 120>,
    #[serde(flatten)]
    #[graphql(flatten)]
    pub stamp: Revision,
}

impl Entity for SavedRole {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "SAVED_ROLE";
    type Id = (UserId, Id<Role>);

    fn key_of((user, role): &Self::Id) -> Key {
        Key::new(Pk::of("SAVED", user), Sk::of("ROLE", role))
    }

    fn identity(&self) -> Self::Id {
        (self.user_id.clone(), self.role_id)
    }
}

impl Listed for SavedRole {
    const PAGE: &'static str = "A page of saved roles.";
    const EDGE: &'static str = "A saved role in a list.";
}

/// The saved roles of a user, the newest role first. `SAVED#user` / `ROLE#`, one Query.
pub fn of_user(user: &UserId) -> Listing<SavedRole> {
    Listing::of("roles/saved", Pk::of("SAVED", user))
        .begins_with(Sk::word("ROLE").below())
        .newest_first()
}

#[ComplexObject]
impl SavedRole {
    /// The role. Null if it is deleted, or the viewer may not see its startup any more.
    async fn role(&self, ctx: &Context<'_>) -> QueryResult<Role> {
        found(ctx, &(self.startup_id, self.role_id)).await
    }
}

/// Queries for saved roles.
#[derive(Default)]
pub struct SavedRoleQuery;

#[Object]
impl SavedRoleQuery {
    /// Roles that the viewer has saved, the newest role first.
    async fn saved_roles(&self, ctx: &Context<'_>) -> QueryResult<Connection<SavedRole>> {
        own_page(ctx, |member| of_user(&member.id)).await
    }
}

#[derive(InputObject, Clone)]
pub struct SaveRoleInput {
    /// The role's id.
    role_id: ID,
}

#[derive(InputObject, Clone)]
pub struct UnsaveRoleInput {
    /// The role's id.
    role_id: ID,
}

const NO_ROLE: Rule = Rule::NotFound("does not name a role that you see");
const NOT_SAVED: Rule = Rule::NotFound("does not name a role that you have saved");

/// GetItems of the viewer and the role, reads of whether the viewer sees it, and one PutItem.
async fn save(session: &Session, input: SaveRoleInput) -> MutationResult<SavedRole> {
    let user_id = acting(session).await?.id;
    let id = Role::named(&input.role_id, session).map_err(|_| NO_ROLE.at("roleId"))?;
    let role = session
        .tables
        .get::<Role>(&id)
        .await?
        .ok_or_else(|| NO_ROLE.at("roleId"))?;
    let seen = role.visible_to(session).await.map_err(unavailable)?;
    let role = seen.ok_or_else(|| NO_ROLE.at("roleId"))?;
    let saved = SavedRole {
        user_id,
        startup_id: role.startup_id,
        role_id: role.role_id,
        role_title: role.title,
        stamp: Revision::new(session.now()),
    };
    commit(session, |unit| {
        unit.put(&saved);
    })
    .await?;
    Ok(Changed::now(saved))
}

/// GetItems of the viewer and the saved role, and one DeleteItem.
async fn unsave(session: &Session, input: UnsaveRoleInput) -> MutationResult<SavedRole> {
    let user = acting(session).await?.id;
    let (_, role) = Role::named(&input.role_id, session).map_err(|_| NOT_SAVED.at("roleId"))?;
    let id = (user, role);
    let saved = session.tables.get::<SavedRole>(&id).await?;
    let saved = saved.ok_or_else(|| NOT_SAVED.at("roleId"))?;
    commit(session, |unit| {
        unit.delete::<SavedRole>(&id, Condition::ALWAYS);
    })
    .await?;
    Ok(Changed::now(saved))
}

mutations! {
    /// Mutations of saved roles.
    SavedRoleMutation -> saved_role: SavedRole {
        /// Saves a role that the viewer sees.
        save_role(SaveRoleInput) -> SaveRolePayload = save,
        /// Takes a role from the saved ones.
        unsave_role(UnsaveRoleInput) -> UnsaveRolePayload = unsave,
    }
}
