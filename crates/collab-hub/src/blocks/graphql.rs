//! Blocking in the API. Nobody learns of whom they are blocked.

use async_graphql::{ComplexObject, Context, ID, InputObject, Object};

use crate::journal::Journal;
use crate::member::acting;
use crate::pages::own_page;
use crate::users::{User, UserRole};
use trestle_api::mutations;
use trestle_api::{Connection, MutationResult, Node as _, QueryResult, Revision, Session, found};
use trestle_domain::{Rule, UserId, Violations};
use trestle_table::{
    ChangeError, Changed, Condition, Exhausted, Retries, TransactionBuilder, UnitError,
};

use super::{Block, of_user};

#[ComplexObject]
impl Block {
    /// The blocked user. Null if the viewer may not see the user.
    async fn user(&self, ctx: &Context<'_>) -> QueryResult<User> {
        found(ctx, &self.blocked_id).await
    }
}

/// Queries for blocked users.
#[derive(Default)]
pub struct BlockQuery;

#[Object]
impl BlockQuery {
    /// Users whom the viewer has blocked.
    async fn blocked_users(&self, ctx: &Context<'_>) -> QueryResult<Connection<Block>> {
        own_page(ctx, |member| of_user(&member.id)).await
    }
}

#[derive(InputObject, Clone)]
pub struct BlockUserInput {
    /// The user's id.
    id: ID,
}

#[derive(InputObject, Clone)]
pub struct UnblockUserInput {
    /// The user's id.
    id: ID,
}

const BLOCKED: &str = "USER_BLOCKED";

/// How often a transaction is tried that meets other changes.
const RETRIES: usize = 24;

async fn block(session: &Session, input: BlockUserInput) -> MutationResult<User> {
    write(session, &input.id, BLOCKED, |unit, block| {
        unit.put(block);
    })
    .await
}

async fn unblock(session: &Session, input: UnblockUserInput) -> MutationResult<User> {
    write(session, &input.id, "USER_UNBLOCKED", |unit, block| {
        let id = (block.blocker_id.clone(), block.blocked_id.clone());
        unit.delete::<Block>(&id, Condition::All(Vec::new()));
    })
    .await
}

/// GetItems of the viewer and the user, and one TransactWriteItems: the block and the audit entry.
async fn write(
    session: &Session,
    id: &ID,
    action: &'static str,
    step: impl Fn(&mut TransactionBuilder<Violations>, &Block),
) -> MutationResult<User> {
    const MISSING: Rule = Rule::NotFound("does not name another user");
    let blocker_id: UserId = acting(session).await?.id;
    let blocked_id = User::named(id, session).map_err(|_| MISSING.at("id"))?;
    let user = session.tables.get::<User>(&blocked_id).await?;
    let user = user.filter(|user| user.user_id != blocker_id);
    let user = user.ok_or_else(|| MISSING.at("id"))?;
    if action == BLOCKED && user.role == UserRole::Admin {
        return Err(Rule::Conflict("names an admin, whom nobody blocks")
            .at("id")
            .into());
    }
    let block = Block {
        blocker_id,
        blocked_id,
        stamp: Revision::new(session.now()),
    };
    let journal = Journal::of(session);
    let mut retries = Retries::new(RETRIES, session.tables.meter());
    loop {
        let mut unit = session.tables.unit();
        step(&mut unit, &block);
        journal.record::<User>(&mut unit, action, &block.blocked_id);
        match unit.commit().await {
            Ok(()) => return Ok(Changed::now(user)),
            Err(UnitError::Table(error)) => return Err(error.into()),
            Err(UnitError::Canceled(canceled)) if canceled.will_pass() => {
                let exhausted = |Exhausted| ChangeError::Contended;
                retries.pause().await.map_err(exhausted)?;
            }
            Err(UnitError::Canceled(canceled)) => return Err(canceled.fault().into()),
        }
    }
}

mutations! {
    /// Mutations of blocked users.
    BlockMutation -> user: User {
        /// Blocks a user, who can send the viewer no messages, start no conversation with the viewer, and neither apply for
        /// the viewer's roles nor request access to the viewer's startups. The user is not told. In conversations of several
        /// users both stay.
        block_user(BlockUserInput) -> BlockUserPayload = block,
        /// Takes a block back.
        unblock_user(UnblockUserInput) -> UnblockUserPayload = unblock,
    }
}
