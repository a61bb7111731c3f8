//! Conversations whose messages make no notifications.

use async_graphql::{ID, InputObject};

use crate::member::acting;
use trestle_api::mutations;
use trestle_api::{MutationResult, Node as _, Session};
use trestle_domain::{Rule, Violations};
use trestle_table::{Changed, Condition, UnitError};

use super::{Conversation, Participant};

#[derive(InputObject, Clone)]
pub struct MuteConversationInput {
    /// The conversation's id.
    conversation_id: ID,
    /// Whether messages make no notifications for the viewer.
    is_muted: bool,
}

const NO_CONVERSATION: Rule = Rule::NotFound("does not name a conversation of yours");

/// BatchGetItem of the conversation and the viewer's entry after a GetItem of the viewer, and one UpdateItem.
async fn mute(session: &Session, input: MuteConversationInput) -> MutationResult<Conversation> {
    let user = acting(session).await?.id;
    let missing = || NO_CONVERSATION.at("conversationId");
    let id = Conversation::named(&input.conversation_id, session).map_err(|_| missing())?;
    let conversation = session.tables.get::<Conversation>(&id).await?;
    let conversation = conversation.filter(|conversation| conversation.includes(&user));
    let conversation = conversation.ok_or_else(missing)?;
    let muted = Participant {
        is_muted: Some(input.is_muted),
        ..conversation.participant(&user)
    };
    let mut unit = session.tables.unit::<Violations>();
    // Only the flag is written, so that a message at the same time loses nothing.
    unit.update(
        &Participant {
            is_muted: Some(!input.is_muted),
            ..muted.clone()
        },
        &muted,
        Condition::Exists,
    )
    .or(missing());
    match unit.commit().await {
        Ok(()) => Ok(Changed::now(conversation)),
        Err(UnitError::Table(error)) => Err(error.into()),
        Err(UnitError::Canceled(mut canceled)) => match canceled.refusal() {
            Some(refusal) => Err(refusal.into()),
            None => Err(trestle_table::ChangeError::Contended),
        },
    }
}

mutations! {
    /// Mutations of the viewer's notifications of a conversation.
    MuteMutation -> conversation: Conversation {
        /// Ends the notifications of a conversation for the viewer, or lets it make them again.
        mute_conversation(MuteConversationInput) -> MuteConversationPayload = mute,
    }
}
