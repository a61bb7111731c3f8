//! New conversations: who takes part at once, and who is asked first.

use async_graphql::{ID, InputObject};

use crate::applications::Application;
use crate::blocks::Block;
use crate::contacts::Contact;
use crate::journal::{Journal, Note};
use crate::member::{Member, acting};
use crate::named::given_name;
use crate::notifications::NotificationType;
use crate::refusals::unavailable;
use crate::startups::{Startup, must_own};
use crate::table::TABLE;
use crate::tiers::Quota;
use crate::usage::Usage;
use crate::users::{User, UserStatus};
use trestle_api::mutations;
use trestle_api::{Input, MutationResult, Node as _, Revision, Session};
use trestle_domain::{Check, Id, List, Rule, Text, UserId, Violations};
use trestle_table::{ChangeError, Changed, Entity as _, TableError, TransactionBuilder, from_item};

use super::direct::Direct;
use super::membership::come_back;
use super::{Conversation, ConversationType, MAX_PARTICIPANTS, change};

#[derive(InputObject, Clone)]
pub struct CreateConversationInput {
    /// A ULID of the client's, so that the same input can be sent again. The conversation gets an id of its own.
    conversation_id: Option<Input<Id<Conversation>>>,
    /// Type. STARTUP_CHANNEL requires `relatedStartupId` of a startup that the viewer founded.
    #[graphql(name = "type")]
    kind: ConversationType,
    /// The ids of the other participants: 1 for DIRECT, otherwise 1 to 89. Users who have a tie with the viewer take part
    /// at once; others are asked first.
    participant_ids: Vec<ID>,
    /// The id of the startup that the conversation is about.
    related_startup_id: Option<ID>,
    /// The id of the application that the conversation is about.
    related_application_id: Option<ID>,
    /// What the viewer says to users who are asked to take part, at most 300 characters.
    introduction: Option<Input<Text<1, 300>>>,
}

impl CreateConversationInput {
    fn make(&self, session: &Session, member: &Member) -> Result<Conversation, Violations> {
        let mut check = Check::default();
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
        let introduction = check.if_given("introduction", self.introduction.clone());
        let has_startup = !needs_startup || self.related_startup_id.is_some();
        check.that(has_startup, "relatedStartupId", Rule::Required);
        let now = session.now();
        check.finish(|| {
            Some(Conversation {
                conversation_id: Id::new(session.tables.now()),
                participants: participants?,
                invited: None,
                introduction,
                started_by: Some(member.id.clone()),
                left: None,
                kind: self.kind,
                related_startup_id: startup,
                related_application_id: application,
                last_message_at: now,
                last_message_preview: Text::cut("")?,
                last_message_id: None,
                listed_at: None,
                stamp: Revision::new(now),
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
                return Err(entry(Rule::Conflict(
                    "names a user twice, or yourself: name each other user once",
                )));
            }
            users.push(user);
        }
        let fits = match self.kind {
            ConversationType::Direct => users.len() == 2,
            ConversationType::Group | ConversationType::StartupChannel => users.len() > 1,
        };
        if fits {
            List::parse(users.into_iter().map(Ok))
        } else {
            Err(Rule::Invalid(
                "the id of one other user, or of several for other types",
            ))
        }
    }
}

/// Number of users, besides the viewer, whose notifications fit into the transaction of a new conversation: three items
/// for each, and five for the viewer, the conversation, its startup, the audit entry and the count of the day.
const NOTIFIED_AT_ONCE: usize = 31;

/// GetItem of the viewer, BatchGetItem of the others, their ties and blocks, one for each 25 of them, reads of what the
/// conversation is about, those of [`Direct::note_present`] for the first DIRECT conversation of two users, and one
/// TransactWriteItems: the conversation, its participants and those who are asked, their notifications and the audit entry. The notifications of a larger conversation do not fit, and follow in one
/// TransactWriteItems for each 45 users.
async fn create(session: &Session, input: CreateConversationInput) -> MutationResult<Conversation> {
    let member = acting(session).await?;
    let name = given_name(input.conversation_id.clone(), "conversationId")?;
    let conversation = input.make(session, &member)?;
    // The viewer is the first participant.
    let others = conversation
        .participants
        .as_slice()
        .get(1..)
        .unwrap_or_default();
    let Acquainted {
        tied,
        strangers,
        direct: known,
    } = acquainted(session, &member.id, others).await?;
    must_see(session, &conversation).await?;
    let conversation = conversation.asking_first(&strangers);
    let (made, journal) = (conversation.clone(), Journal::of(session));
    let direct = made
        .pair()
        .map(|(first, second)| Direct::new(&made, first, second));
    if let (Some(direct), None) = (&direct, known) {
        direct.note_present(session).await?;
    }
    let words = Words::of(&member);
    let others = [(&tied, words.started()), (&strangers, words.asked())];
    let extra = usize::from(name.is_some()) + usize::from(!strangers.is_empty());
    let are_notified_at_once = tied.len() + strangers.len() + extra <= NOTIFIED_AT_ONCE;
    let created = journal.create_named(name, "conversationId", conversation, |unit| {
        if let (ConversationType::StartupChannel, Some(startup)) =
            (made.kind, made.related_startup_id)
        {
            must_own(unit, &member.id, startup, "relatedStartupId");
        }
        if let Some(direct) = &direct {
            unit.put_new(direct).or(HAVE_ONE.at("participantIds"));
        }
        Usage::spend(unit, session, &member, Quota::Conversations, 1, "input");
        if !strangers.is_empty() {
            let count = strangers.len() as u64;
            let (quota, field) = (Quota::NewContacts, "participantIds");
            Usage::spend(unit, session, &member, quota, count, field);
        }
        for user in made.participants.as_slice() {
            unit.put_new(&made.joined(user));
        }
        for user in made.invited() {
            unit.put_new(&made.request(user));
        }
        journal.record::<Conversation>(unit, "CONVERSATION_CREATED", made.conversation_id);
        let mut notified = Vec::new();
        if are_notified_at_once {
            for (users, note) in others {
                for to in users {
                    let note = Note { to, ..note };
                    let id = made.conversation_id;
                    notified.extend(journal.notify::<Conversation>(unit, id, note));
                }
            }
        }
        notified
    });
    let created = match created.await {
        Err(ChangeError::Refused(refused)) if refused == HAVE_ONE.at("participantIds") => {
            let present = present(session, direct.as_ref()).await?.ok_or(refused)?;
            if present.includes(&member.id) {
                introduce(session, present, made.introduction.as_ref()).await?
            } else {
                come_back(session, &member, present.conversation_id).await?
            }
        }
        created => created?,
    };
    if created.is_written && !are_notified_at_once {
        let id = created.entity.conversation_id;
        for (users, note) in others {
            journal.notify_apart::<Conversation>(id, users, note).await;
        }
    }
    Ok(created)
}

/// What users are told of a new conversation.
struct Words {
    by: UserId,
    started: String,
    asked: String,
}

impl Words {
    fn of(member: &Member) -> Self {
        Self {
            by: member.id.clone(),
            started: format!("{} started a conversation with you.", member.name),
            // The introduction is read where the request is, as long as who wrote it stays.
            asked: format!("{} asks to talk to you.", member.name),
        }
    }

    fn started(&self) -> Note<'_> {
        let kind = NotificationType::Message;
        Note::new(&self.by, kind, "New conversation", &self.started)
    }

    fn asked(&self) -> Note<'_> {
        let kind = NotificationType::Message;
        Note::new(&self.by, kind, "New conversation request", &self.asked)
    }
}

/// Says to a user who was asked, and has not answered, what the viewer had not said. A GetItem and an UpdateItem, if there is
/// something to say.
///
/// # Errors
/// The viewer has said something else.
async fn introduce(
    session: &Session,
    present: Conversation,
    introduction: Option<&Text<1, 300>>,
) -> MutationResult<Conversation> {
    const OTHER: Rule = Rule::Conflict(
        "differs from what you have said to this user, who has yet to answer: wait, or leave it out",
    );
    let user = session.user();
    let is_open = |now: &Conversation| now.is_started_by(&user) && !now.invited().is_empty();
    let introduction = introduction.filter(|_| is_open(&present));
    let Some(introduction) = introduction else {
        return Ok(Changed::before(present));
    };
    let plan = |now: &Conversation, _: &mut TransactionBuilder<Violations>| {
        if !is_open(now) {
            return Ok((now.clone(), ()));
        }
        if now
            .introduction
            .as_ref()
            .is_some_and(|said| said != introduction)
        {
            return Err(OTHER.at("introduction"));
        }
        let introduced = Conversation {
            introduction: Some(introduction.clone()),
            ..now.clone()
        };
        Ok((introduced, ()))
    };
    let changed = change(session, &present.conversation_id, plan).await;
    changed.map(|(changed, ())| changed)
}

const HAVE_ONE: Rule =
    Rule::Conflict("names a user with whom you have a conversation: write there by `sendMessage`");

/// The conversation that two users have. Two GetItems.
async fn present(
    session: &Session,
    direct: Option<&Direct>,
) -> Result<Option<Conversation>, TableError> {
    let Some(direct) = direct else {
        return Ok(None);
    };
    match session.tables.get::<Direct>(&direct.identity()).await? {
        Some(direct) => {
            session
                .tables
                .get::<Conversation>(&direct.conversation_id)
                .await
        }
        None => Ok(None),
    }
}

/// Other users of a conversation.
pub(super) struct Acquainted {
    /// Those who have a tie with the viewer.
    pub tied: Vec<UserId>,
    /// The others.
    pub strangers: Vec<UserId>,
    /// The DIRECT conversation with the viewer that is known of a single other user.
    pub direct: Option<Direct>,
}

/// What the viewer has to do with other users. BatchGetItem, one call for each 25.
///
/// # Errors
/// One of them is not active, or one has blocked the other.
pub(super) async fn acquainted(
    session: &Session,
    viewer: &UserId,
    others: &[UserId],
) -> Result<Acquainted, ChangeError<Violations>> {
    let name = TABLE.default_name;
    let keys = |other: &UserId| {
        let tie = Contact::key_of(&Contact::of(viewer, other));
        let [by, of] = Block::keys_between(other, viewer);
        [User::key_of(other), tie, by, of]
    };
    let direct = match others {
        [other] => Some(Direct::key_of(&Contact::of(viewer, other))),
        _ => None,
    };
    let wanted = others.iter().flat_map(keys).chain(direct.clone());
    let found = session.tables.items(wanted.map(|key| (name, key))).await?;
    let direct = direct.and_then(|key| found.get(&(name, key)).cloned());
    let mut acquainted = Acquainted {
        tied: Vec::new(),
        strangers: Vec::new(),
        direct: direct.map(from_item).transpose()?,
    };
    for (at, other) in others.iter().enumerate() {
        let [user, tie, by_other, by_viewer] = keys(other).map(|key| found.get(&(name, key)));
        let user = user.cloned().map(from_item::<User>).transpose()?;
        let is_active = user.is_some_and(|user| user.status == UserStatus::Active);
        if !is_active || by_other.is_some() || by_viewer.is_some() {
            let missing = Rule::NotFound("does not name an active user that you can write to");
            let rule = Rule::Entries(vec![(at, missing)]);
            return Err(ChangeError::Refused(rule.at("participantIds")));
        }
        match tie {
            Some(_) => acquainted.tied.push(other.clone()),
            None => acquainted.strangers.push(other.clone()),
        }
    }
    Ok(acquainted)
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

async fn require<E: trestle_api::Node>(
    session: &Session,
    entity: Option<E>,
    field: &'static str,
) -> Result<(), ChangeError<Violations>> {
    let shown = match entity {
        Some(entity) => entity.visible_to(session).await.map_err(unavailable)?,
        None => None,
    };
    shown.map(drop).ok_or_else(|| {
        Rule::NotFound("does not name anything that you see")
            .at(field)
            .into()
    })
}

mutations! {
    /// Mutations of conversations.
    ConversationMutation -> conversation: Conversation {
        /// Starts a conversation with other active users. Users who have no tie with the viewer (an application, an access
        /// request, an accepted invitation, an accepted DIRECT conversation) are asked first, and take part once they call
        /// `acceptConversation`. Two users have one DIRECT conversation, which is returned if it exists; a viewer who has
        /// left it takes part again. Sending the same input with the same `conversationId` again returns the same conversation.
        create_conversation(CreateConversationInput) -> CreateConversationPayload = create,
    }
}
