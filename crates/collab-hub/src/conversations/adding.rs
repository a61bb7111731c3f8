//! Adding users to a conversation of several.

use async_graphql::{ID, InputObject};

use crate::journal::{Journal, Note};
use crate::member::acting;
use crate::notifications::NotificationType;
use crate::startups::must_own;
use crate::tiers::Quota;
use crate::usage::Usage;
use crate::users::User;
use trestle_api::mutations;
use trestle_api::{MutationResult, Node as _, Session};
use trestle_domain::{List, Rule, UserId};

use super::create::acquainted;
use super::{Conversation, ConversationType, MAX_PARTICIPANTS, change};

#[derive(InputObject, Clone)]
pub struct AddParticipantsInput {
    /// The conversation's id. Its type is not DIRECT.
    conversation_id: ID,
    /// The ids of the users to add, 1 to 45. Users who have a tie with the viewer take part at once; others, and
    /// who has left the conversation, are asked first.
    participant_ids: Vec<ID>,
}

/// Number of users that one call adds, at most.
const AT_ONCE: usize = 45;

const DECLINED: Rule = Rule::Conflict(
    "names a user who has declined to take part in the last 30 days: ask again after them",
);
const FULL: Rule = Rule::TooMany(MAX_PARTICIPANTS - 1);
const NO_CONVERSATION: Rule = Rule::NotFound("does not name a conversation of yours");
const DIRECT: Rule =
    Rule::Conflict("names a conversation of two users: start a new one with all of them");

fn named(session: &Session, viewer: &UserId, ids: &[ID]) -> Result<List<UserId, AT_ONCE>, Rule> {
    if ids.is_empty() {
        Err(Rule::Required)
    } else {
        List::parse(ids.iter().map(|id| match User::named(id, session) {
            Ok(user) if user == *viewer => Err(Rule::Conflict("names yourself: name other users")),
            user => user,
        }))
    }
}

/// GetItems of the viewer and the conversation, a BatchGetItem of the others, their ties and blocks for each 25 of them, and
/// one TransactWriteItems: the conversation, the entries of the new users and the audit entry. Notifications follow in one
/// TransactWriteItems.
async fn add(session: &Session, input: AddParticipantsInput) -> MutationResult<Conversation> {
    let member = acting(session).await?;
    let id = Conversation::named(&input.conversation_id, session);
    let id = id.map_err(|_| NO_CONVERSATION.at("conversationId"))?;
    let others = named(session, &member.id, &input.participant_ids);
    let others = others.map_err(|rule| rule.at("participantIds"))?;
    let known = acquainted(session, &member.id, others.as_slice()).await?;
    let (tied, strangers) = (known.tied, known.strangers);
    let journal = Journal::of(session);
    let changed = change(session, &id, |now: &Conversation, unit| {
        if !now.includes(&member.id) {
            return Err(NO_CONVERSATION.at("conversationId"));
        }
        match (now.kind, now.related_startup_id) {
            (ConversationType::Direct, _) => return Err(DIRECT.at("conversationId")),
            (ConversationType::StartupChannel, Some(startup)) => {
                must_own(unit, &member.id, startup, "conversationId");
            }
            (ConversationType::Group | ConversationType::StartupChannel, _) => {}
        }
        let mut next = now.clone();
        let is_new = |user: &&UserId| !now.includes(user) && !now.invites(user);
        let declined = others.as_slice().iter().position(|user| {
            let departure = now.departure_of(user);
            departure.is_some_and(|departure| departure.is_pausing(session.now()))
        });
        if let Some(at) = declined {
            return Err(Rule::Entries(vec![(at, DECLINED)]).at("participantIds"));
        }
        // Who has left must agree, too.
        let new: Vec<_> = tied.iter().filter(is_new).collect();
        let (asked_again, added): (Vec<_>, Vec<_>) = new
            .into_iter()
            .partition(|user| now.departure_of(user).is_some());
        for user in &added {
            next = next.with(user).ok_or_else(|| FULL.at("participantIds"))?;
            unit.put_new(&now.joined(user));
        }
        let strangers = strangers.iter().filter(is_new);
        let asked: Vec<_> = strangers.chain(asked_again).collect();
        for user in &asked {
            next = next.asking(user).ok_or_else(|| FULL.at("participantIds"))?;
            unit.put_new(&now.request(user));
        }
        if !asked.is_empty() {
            let count = asked.len() as u64;
            let quota = Quota::NewContacts;
            Usage::spend(unit, session, &member, quota, count, "participantIds");
        }
        if next != *now {
            journal.record::<Conversation>(unit, "PARTICIPANTS_ADDED", id);
        }
        let added: Vec<_> = added.into_iter().cloned().collect();
        let asked: Vec<_> = asked.into_iter().cloned().collect();
        Ok((next, (added, asked)))
    });
    let changed = changed.await;
    let (changed, (tied, strangers)) =
        changed.map_err(|error| error.if_missing(NO_CONVERSATION.at("conversationId")))?;
    if changed.is_written {
        let added = format!("{} added you to a conversation.", member.name);
        let asked = format!("{} asks you to join a conversation.", member.name);
        let kind = NotificationType::Message;
        let note = |title, body| Note::new(&member.id, kind, title, body);
        let notes = [
            (tied, note("New conversation", added.as_str())),
            (strangers, note("New conversation request", asked.as_str())),
        ];
        for (users, note) in notes {
            journal.notify_apart::<Conversation>(id, &users, note).await;
        }
    }
    Ok(changed)
}

mutations! {
    /// Mutations that add users.
    AddParticipantsMutation -> conversation: Conversation {
        /// Adds users to a conversation of several in which the viewer takes part; to a STARTUP_CHANNEL, the founder does.
        /// They read all of its messages. Users who have no tie with the viewer or have left are asked first; who has
        /// declined is not asked again for 30 days.
        add_participants(AddParticipantsInput) -> AddParticipantsPayload = add,
    }
}
