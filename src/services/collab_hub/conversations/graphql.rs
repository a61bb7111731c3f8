//! Conversations in the API.

use async_graphql::{ComplexObject, Context, ID, InputObject, Object};
use futures_util::future::join_all;

use crate::api::{
    Answer, ApiError, Connection, Given, Node as _, Session, Stamp, Written, found, list_size,
    page, session,
};
use crate::domain::{Check, Id, List, Rule, Text, UserId, Violations};
use crate::mutations;
use crate::services::collab_hub::applications::Application;
use crate::services::collab_hub::journal::{Journal, Note};
use crate::services::collab_hub::member::{Member, acting};
use crate::services::collab_hub::messages::{Message, of_conversation};
use crate::services::collab_hub::notifications::NotificationType;
use crate::services::collab_hub::pages::own_page;
use crate::services::collab_hub::startups::{Startup, must_own};
use crate::services::collab_hub::users::{User, UserStatus};
use crate::table::{ChangeError, TableError, Unit};

use super::{Conversation, ConversationType, MAX_PARTICIPANTS, Participant, of_user};

#[ComplexObject]
impl Conversation {
    /// Opaque id, for `node`.
    pub async fn id(&self) -> ID {
        self.node_id()
    }

    /// Participants. Null for users that the viewer may not see.
    #[graphql(directive = list_size::apply(100))]
    async fn participants(&self, ctx: &Context<'_>) -> Vec<Answer<User>> {
        let users = self.participants.as_slice().iter();
        join_all(users.map(|user| found::<User>(ctx, user))).await
    }

    /// The startup that the conversation is about. Null if the viewer may not see it.
    async fn related_startup(&self, ctx: &Context<'_>) -> Answer<Startup> {
        found(ctx, self.related_startup_id.as_ref()?).await
    }

    /// The application that the conversation is about. Null if the viewer may not see it.
    async fn related_application(&self, ctx: &Context<'_>) -> Answer<Application> {
        found(ctx, self.related_application_id.as_ref()?).await
    }

    /// Number of messages of others that the viewer has not read.
    async fn unread_count(&self, ctx: &Context<'_>) -> Answer<u32> {
        let load = async {
            let session = session(ctx)?;
            let id = (self.conversation_id, session.user());
            session.load::<Participant>(&id).await
        };
        let participant = load.await.transpose()?;
        Some(participant.map(|participant| participant.unread_count))
    }

    /// Messages, newest first.
    async fn messages(&self, ctx: &Context<'_>) -> Answer<Connection<Message>> {
        Some(page(ctx, &of_conversation(self.conversation_id), &()).await)
    }
}

#[ComplexObject]
impl Participant {
    /// The conversation.
    async fn conversation(&self, ctx: &Context<'_>) -> Answer<Conversation> {
        found(ctx, &self.conversation_id).await
    }
}

/// Queries for conversations.
#[derive(Default)]
pub struct ConversationQuery;

#[Object]
impl ConversationQuery {
    /// Conversations of the viewer, newest message first.
    async fn inbox(&self, ctx: &Context<'_>) -> Answer<Connection<Participant>> {
        own_page(ctx, |member| of_user(&member.id)).await
    }
}

/// Input of `createConversation`.
#[derive(InputObject, Clone)]
pub struct CreateConversationInput {
    /// A ULID for the conversation, so that the same input can be sent again. Defaults to a new one.
    conversation_id: Option<Given<Id<Conversation>>>,
    /// Type. STARTUP_CHANNEL requires `relatedStartupId` of a startup that the viewer founded.
    #[graphql(name = "type")]
    kind: ConversationType,
    /// The ids of the other participants: 1 for DIRECT, otherwise 1 to 89.
    participant_ids: Vec<ID>,
    /// The id of the startup that the conversation is about.
    related_startup_id: Option<ID>,
    /// The id of the application that the conversation is about.
    related_application_id: Option<ID>,
}

impl CreateConversationInput {
    fn make(&self, session: &Session, member: &Member) -> Result<Conversation, Violations> {
        let mut check = Check::default();
        let new = || Ok(Id::new(session.tables.now()));
        let id = self.conversation_id.clone().map_or_else(new, Into::into);
        let id = check.need("conversationId", id);
        let participants = check.need("participantIds", self.participants(session, &member.id));
        let startup = self.related_startup_id.as_ref();
        let startup = check.if_given(
            "relatedStartupId",
            startup.map(|startup| Startup::named(startup, session)),
        );
        let application = self.related_application_id.as_ref();
        let application = check.if_given(
            "relatedApplicationId",
            application.map(|application| Application::named(application, session)),
        );
        let needs_startup = self.kind == ConversationType::StartupChannel;
        let has_startup = !needs_startup || self.related_startup_id.is_some();
        check.that(has_startup, "relatedStartupId", Rule::Required);
        let now = session.now();
        check.finish(|| {
            Some(Conversation {
                conversation_id: id?,
                participants: participants?,
                kind: self.kind,
                related_startup_id: startup,
                related_application_id: application,
                last_message_at: now,
                last_message_preview: Text::cut("")?,
                stamp: Stamp::new(now),
            })
        })
    }

    /// The viewer and the others, each once.
    fn participants(
        &self,
        session: &Session,
        viewer: &UserId,
    ) -> Result<List<UserId, MAX_PARTICIPANTS>, Rule> {
        let others = MAX_PARTICIPANTS - 1;
        if self.participant_ids.len() > others {
            return Err(Rule::TooMany(others));
        }
        let mut users = vec![viewer.clone()];
        for (at, id) in self.participant_ids.iter().enumerate() {
            let entry = |rule| Rule::Entries(vec![(at, rule)]);
            let user = User::named(id, session).map_err(entry)?;
            if users.contains(&user) {
                return Err(entry(Rule::Conflict("names a user twice, or yourself")));
            }
            users.push(user);
        }
        let fits = match self.kind {
            ConversationType::Direct => users.len() == 2,
            ConversationType::Group | ConversationType::StartupChannel => users.len() > 1,
        };
        match fits {
            true => List::parse(users.into_iter().map(Ok)),
            false => Err(Rule::Invalid(
                "the id of one other user, or of several for other types",
            )),
        }
    }
}

/// Number of users, besides the viewer, whose notifications fit into the transaction of a new conversation: three items
/// for each, and four for the viewer, the conversation, its startup and the audit entry.
const NOTIFIED_AT_ONCE: usize = 32;

/// GetItem of the viewer, BatchGetItem of the others, reads of what the conversation is about, and one
/// TransactWriteItems: the conversation, its participants, their notifications and the audit entry. The notifications of a
/// larger conversation do not fit, and follow in one TransactWriteItems for each 45 users.
async fn create(session: &Session, input: CreateConversationInput) -> Written<Conversation> {
    let member = acting(session).await?;
    let conversation = input.make(session, &member)?;
    must_be_active(session, conversation.participants.as_slice()).await?;
    must_see(session, &conversation).await?;
    let (made, journal) = (conversation.clone(), Journal::of(session));
    let body = format!("{} started a conversation with you.", member.name);
    let note = Note {
        to: &member.id,
        kind: NotificationType::Message,
        title: "New conversation",
        body: &body,
    };
    // The viewer is the first participant.
    let others = made.participants.as_slice().get(1..).unwrap_or_default();
    let are_notified_at_once = others.len() <= NOTIFIED_AT_ONCE;
    let with = |unit: &mut Unit<Violations>| {
        if let (ConversationType::StartupChannel, Some(startup)) =
            (made.kind, made.related_startup_id)
        {
            must_own(unit, &member.id, startup, "relatedStartupId");
        }
        for user in made.participants.as_slice() {
            unit.put_new(&made.participant(user));
        }
        journal.record::<Conversation>(unit, "CONVERSATION_CREATED", made.conversation_id);
        if are_notified_at_once {
            for to in others {
                let note = Note { to, ..note };
                journal.notify::<Conversation>(unit, made.conversation_id, note);
            }
        }
    };
    let created = journal.create(conversation, "conversationId", with).await?;
    if created.is_written && !are_notified_at_once {
        let id = created.entity.conversation_id;
        journal.notify_apart::<Conversation>(id, others, note).await;
    }
    Ok(created)
}

async fn must_be_active(
    session: &Session,
    users: &[UserId],
) -> Result<(), ChangeError<Violations>> {
    let found = session.tables.batch::<User>(users).await?;
    for (at, user) in found.into_iter().enumerate() {
        let user = user.transpose().map_err(TableError::from)?;
        if user.is_none_or(|user| user.status != UserStatus::Active) {
            let missing = Rule::NotFound("does not name an active user");
            // The first one is the viewer, who is active.
            let rule = Rule::Entries(vec![(at.saturating_sub(1), missing)]);
            return Err(ChangeError::Refused(rule.at("participantIds")));
        }
    }
    Ok(())
}

/// What the conversation is about must be visible to the viewer.
async fn must_see(
    session: &Session,
    conversation: &Conversation,
) -> Result<(), ChangeError<Violations>> {
    if let Some(id) = &conversation.related_startup_id {
        let startup = session.tables.get::<Startup>(id).await?;
        require(session, startup, "relatedStartupId").await?;
    }
    if let Some(id) = &conversation.related_application_id {
        let application = session.tables.get::<Application>(id).await?;
        require(session, application, "relatedApplicationId").await?;
    }
    Ok(())
}

async fn require<E: crate::api::Node>(
    session: &Session,
    entity: Option<E>,
    field: &'static str,
) -> Result<(), ChangeError<Violations>> {
    let shown = match entity {
        Some(entity) => entity.shown(session).await.map_err(unavailable)?,
        None => None,
    };
    let missing = || Rule::NotFound("does not name anything that you see").at(field);
    shown.map(drop).ok_or_else(|| missing().into())
}

/// The error of a visibility check, which reads the store and does nothing else.
fn unavailable(error: ApiError) -> ChangeError<Violations> {
    let message = format!("visibility could not be checked: {:?}", error.code());
    ChangeError::Table(TableError::Unavailable {
        operation: "BatchGetItem",
        source: message.into(),
    })
}

mutations! {
    /// Mutations of conversations.
    ConversationMutation -> conversation: Conversation {
        /// Starts a conversation with other active users. Sending the same input with the same `conversationId` again
        /// returns the same conversation.
        create_conversation(CreateConversationInput) -> CreateConversationPayload = create,
    }
}
