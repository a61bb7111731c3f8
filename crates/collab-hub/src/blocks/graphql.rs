//! Blocking in the API. Nobody learns of whom they are blocked.

use async_graphql::{ComplexObject, Context, ID, InputObject, Object};

use crate::contacts::Contact;
use crate::conversations::{Direct, Participant};
use crate::journal::Journal;
use crate::member::acting;
use crate::notifications::reading::{About, mark_of_lost_messages};
use crate::pages::own_page;
use crate::refusals::unavailable;
use crate::table::TABLE;
use crate::users::{User, UserRole};
use trestle_api::mutations;
use trestle_api::{Connection, MutationResult, Node as _, QueryResult, Revision, Session, found};
use trestle_domain::{Rule, Violations};
use trestle_table::{Changed, Condition, Entity as _, TransactionBuilder, UnitError, from_item};

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

async fn block(session: &Session, input: BlockUserInput) -> MutationResult<User> {
    write(session, &input.id, BLOCKED, |unit, block| {
        unit.put(block);
    })
    .await
}

async fn unblock(session: &Session, input: UnblockUserInput) -> MutationResult<User> {
    write(session, &input.id, "USER_UNBLOCKED", |unit, block| {
        let id = (block.blocker_id.clone(), block.blocked_id.clone());
        unit.delete::<Block>(&id, Condition::ALWAYS);
    })
    .await
}

/// A GetItem of the viewer, a BatchGetItem of the user and the DIRECT conversation with the user, and one TransactWriteItems: the
/// block and the audit entry. If there is such a conversation, one GetItem more, and what the viewer has not read of it need
/// not be read any more: then, if the viewer has unread notifications, those of its messages are marked, as by
/// [`mark_of_lost_messages`].
async fn write(
    session: &Session,
    id: &ID,
    action: &'static str,
    step: impl Fn(&mut TransactionBuilder<Violations>, &Block),
) -> MutationResult<User> {
    const MISSING: Rule = Rule::NotFound("does not name another user that you see");
    let member = acting(session).await?;
    let blocker_id = member.id.clone();
    let blocked_id = User::named(id, session).map_err(|_| MISSING.at("id"))?;
    let pair = Contact::of(&blocker_id, &blocked_id);
    let keys =
        [User::key_of(&blocked_id), Direct::key_of(&pair)].map(|key| (TABLE.default_name, key));
    let found = session.tables.items(keys.clone()).await?;
    let [user, direct] = keys.map(|key| found.get(&key).cloned());
    let user = user.map(from_item::<User>).transpose()?;
    let user = match user.filter(|user| user.user_id != blocker_id) {
        Some(user) => user.visible_to(session).await.map_err(unavailable)?,
        None => None,
    };
    let user = user.ok_or_else(|| MISSING.at("id"))?;
    if action == BLOCKED && user.role == UserRole::Admin {
        return Err(Rule::Conflict(
            "names an admin, whom nobody blocks: leave or mute the conversation",
        )
        .at("id")
        .into());
    }
    let direct = direct.map(from_item::<Direct>).transpose()?;
    let place = direct.map(|direct| (direct.conversation_id, blocker_id.clone()));
    let block = Block {
        blocker_id,
        blocked_id,
        stamp: Revision::new(session.now()),
    };
    let journal = Journal::of(session);
    let mut retries = session.tables.retries();
    loop {
        let participant = match place.as_ref().filter(|_| action == BLOCKED) {
            Some(place) => session.tables.get::<Participant>(place).await?,
            None => None,
        };
        let mut unit = session.tables.unit();
        step(&mut unit, &block);
        journal.record::<User>(&mut unit, action, &block.blocked_id);
        let unread = participant.filter(|participant| participant.unread_count > 0);
        if let Some(participant) = &unread {
            participant.clear(&mut unit, &block.blocker_id);
        }
        match unit.commit().await {
            Ok(()) => break,
            Err(UnitError::Table(error)) => return Err(error.into()),
            // A message was sent meanwhile.
            Err(UnitError::Canceled(canceled)) if canceled.will_pass() || unread.is_some() => {
                retries.pause().await?;
            }
            Err(UnitError::Canceled(canceled)) => return Err(canceled.fault().into()),
        }
    }
    if let Some((conversation, _)) = place.filter(|_| action == BLOCKED) {
        let about = About::Messages;
        mark_of_lost_messages(session, member.reader(), conversation, about).await;
    }
    Ok(Changed::now(user))
}

mutations! {
    /// Mutations of blocked users.
    BlockMutation -> user: User {
        /// Blocks a user, who can send the viewer no messages, start no conversation with the viewer, and neither apply for
        /// the viewer's roles nor request access to the viewer's startups, nor accept an invitation to them. What the viewer has not read of their DIRECT
        /// conversation counts as read. The user is not told. In conversations of several
        /// users both stay.
        block_user(BlockUserInput) -> BlockUserPayload = block,
        /// Takes a block back.
        unblock_user(UnblockUserInput) -> UnblockUserPayload = unblock,
    }
}
