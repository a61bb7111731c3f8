//! Blocking in the API. Nobody learns of whom they are blocked.

use async_graphql::{ComplexObject, Context, ID, InputObject, Object, SimpleObject};

use crate::contacts::Contact;
use crate::conversations::{Direct, Participant};
use crate::journal::Journal;
use crate::member::acting;
use crate::notifications::reading::{About, mark_of_lost_messages};
use crate::pages::own_page;
use crate::refusals::unavailable;
use crate::table::TABLE;
use crate::users::{User, UserRole};
use trestle_api::{
    Connection, Failed, MutationResult, Node as _, QueryResult, Revision, Session, UserError, found,
};
use trestle_api::{mutations, own_payloads, payloads};
use trestle_domain::{Rule, Violations};
use trestle_table::{
    ChangeError, Changed, Condition, Entity as _, TransactionBuilder, UnitError, from_item,
};

use super::{Block, of_user};

#[ComplexObject]
impl Block {
    /// The blocked user. Null if the viewer may not see the user, for example one who is banned.
    async fn user(&self, ctx: &Context<'_>) -> QueryResult<User> {
        found(ctx, &self.blocked_id).await
    }

    /// The id of the blocked user, for `unblockUser`, also of one whom the viewer may not see.
    async fn user_id(&self) -> ID {
        User::id_of(&self.blocked_id)
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

/// The result of the mutation.
#[derive(SimpleObject, Default)]
pub struct UnblockUserPayload {
    /// The user. `null` if there are errors, and if the viewer may not see the user, for example one who is banned.
    user: Option<User>,
    /// Validation errors. If not empty, nothing was changed.
    user_errors: Vec<UserError>,
}

own_payloads! {
    UnblockUserPayload
}

payloads! {
    /// The result of the mutation.
    BlockUserPayload {
        /// The changed object. `null` if there are errors.
        user: User
    }
}

const BLOCKED: &str = "USER_BLOCKED";
const MISSING: Rule = Rule::NotFound("does not name another user that you see");

async fn block(session: &Session, input: BlockUserInput) -> MutationResult<User> {
    let user = write(session, &input.id, BLOCKED, |unit, block| {
        unit.put(block);
    });
    let user = user.await?.ok_or_else(|| MISSING.at("id"))?;
    Ok(Changed::now(user))
}

async fn unblock(session: &Session, input: UnblockUserInput) -> Result<UnblockUserPayload, Failed> {
    let user = write(session, &input.id, "USER_UNBLOCKED", |unit, block| {
        unit.delete::<Block>(&block.identity(), Condition::ALWAYS);
    });
    Ok(UnblockUserPayload {
        user: user.await?,
        user_errors: Vec::new(),
    })
}

/// The user, if the viewer sees the user. Whom the viewer sees no more is unblocked, and not blocked. A GetItem of the viewer, a
/// BatchGetItem of the user, the block and the DIRECT conversation with the user, and one TransactWriteItems: the block and the audit entry. If there is such a conversation, one GetItem more, and what the viewer has not read of it need
/// not be read any more: then, if the viewer has unread notifications, those of its messages are marked, as by
/// [`mark_of_lost_messages`].
async fn write(
    session: &Session,
    id: &ID,
    action: &'static str,
    step: impl Fn(&mut TransactionBuilder<Violations>, &Block),
) -> Result<Option<User>, ChangeError<Violations>> {
    let member = acting(session).await?;
    let blocker_id = member.id.clone();
    let blocked_id = User::named(id, session).map_err(|_| MISSING.at("id"))?;
    let block = Block {
        blocker_id: blocker_id.clone(),
        blocked_id,
        stamp: Revision::new(session.now()),
    };
    let pair = Contact::of(&blocker_id, &block.blocked_id);
    let keys = [
        User::key_of(&block.blocked_id),
        Direct::key_of(&pair),
        Block::key_of(&block.identity()),
    ];
    let keys = keys.map(|key| (TABLE.default_name, key));
    let found = session.tables.items(keys.clone()).await?;
    let [user, direct, stored] = keys.map(|key| found.get(&key).cloned());
    let user = user.map(from_item::<User>).transpose()?;
    let user = match user.filter(|user| user.user_id != blocker_id) {
        Some(user) => user.visible_to(session).await.map_err(unavailable)?,
        None => None,
    };
    if user.is_none() && (action == BLOCKED || stored.is_none()) {
        return Err(MISSING.at("id").into());
    }
    let is_admin = user
        .as_ref()
        .is_some_and(|user| user.role == UserRole::Admin);
    if action == BLOCKED && is_admin {
        return Err(Rule::Conflict(
            "names an admin, whom nobody blocks: leave or mute the conversation",
        )
        .at("id")
        .into());
    }
    let direct = direct.map(from_item::<Direct>).transpose()?;
    let place = direct.map(|direct| (direct.conversation_id, blocker_id));
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
    Ok(user)
}

mutations! {
    /// Mutations of blocked users.
    BlockMutation {
        /// Blocks a user, who can send the viewer no messages, start no conversation with the viewer, and neither apply for
        /// the viewer's roles nor request access to the viewer's startups, nor accept an invitation to them. What the viewer has not read of their DIRECT
        /// conversation counts as read. The user is not told. In conversations of several
        /// users both stay.
        block_user(BlockUserInput) -> BlockUserPayload = block,
        /// Takes a block back, also of a user whom the viewer does not see any more.
        unblock_user(UnblockUserInput) -> UnblockUserPayload = unblock,
    }
}
