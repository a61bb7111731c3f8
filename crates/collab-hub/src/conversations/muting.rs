//! Conversations whose messages make no notifications.

use async_graphql::{ID, InputObject};

use crate::member::acting;
use crate::retrying::commit;
use trestle_api::mutations;
use trestle_api::{MutationResult, Node as _, Session};
use trestle_domain::Rule;
use trestle_table::{Changed, Condition};

use super::{Conversation, Participant, adopt};

#[derive(InputObject, Clone)]
pub struct MuteConversationInput {
    /// The conversation's id.
    conversation_id: ID,
    /// Whether messages make no notifications for the viewer, and are not in `unreadMessages`.
    is_muted: bool,
}

const NO_CONVERSATION: Rule = Rule::NotFound("does not name a conversation of yours");

/// BatchGetItem of the conversation and the viewer's entry after a GetItem of the viewer, and one UpdateItem.
async fn mute(session: &Session, input: MuteConversationInput) -> MutationResult<Conversation> {
    let user = acting(session).await?.id;
    let id = Conversation::named(&input.conversation_id, session)
        .map_err(|_| NO_CONVERSATION.at("conversationId"))?;
    let conversation = session.tables.get::<Conversation>(&id).await?;
    let conversation = conversation.filter(|conversation| conversation.includes(&user));
    let conversation = conversation.ok_or_else(|| NO_CONVERSATION.at("conversationId"))?;
    if conversation.listed_at.is_some() {
        adopt(session, &id).await?;
    }
    let muted = Participant {
        is_muted: Some(input.is_muted),
        ..conversation.participant(&user)
    };
    let before = Participant {
        is_muted: Some(!input.is_muted),
        ..muted.clone()
    };
    // Only the flag is written, so that a message at the same time loses nothing.
    commit(session, |unit| {
        unit.update(&before, &muted, Condition::Exists)
            .or(NO_CONVERSATION.at("conversationId"));
    })
    .await?;
    Ok(Changed::now(conversation))
}

mutations! {
    /// Mutations of the viewer's notifications of a conversation.
    MuteMutation -> conversation: Conversation {
        /// Ends the notifications of a conversation for the viewer, and takes it from `unreadMessages`, or takes that back.
        mute_conversation(MuteConversationInput) -> MuteConversationPayload = mute,
    }
}
