//! Changes of conversations: one after another, and only of those whose participants have items of their own.

use std::collections::HashSet;

use super::queue::Queues;
use super::{Conversation, Direct, MAX_PARTICIPANTS, Participant, participants};
use crate::messages::of_conversation;
use crate::users::user_of_key;
use trestle_api::Session;
use trestle_domain::{Id, Rule, Violations};
use trestle_table::{ChangeError, Changed, PageAsk, TransactionBuilder};

/// The refusal of a change of a conversation that another program has written.
const NOT_ADOPTED: Rule = Rule::Conflict("was written by another program");

/// The refusal of a second note of the DIRECT conversation of two users.
const NOTED: Rule = Rule::Conflict("is noted");

/// Number of messages whose readers are read when a conversation of another program is adopted: the newest ones.
const COUNTED: usize = 1000;

/// Changes a conversation when it is its turn, as [`change_in_turn`].
///
/// # Errors
/// As [`Tables::change`](trestle_table::Tables::change).
pub async fn change<T>(
    session: &Session,
    id: &Id<Conversation>,
    plan: impl Fn(
        &Conversation,
        &mut TransactionBuilder<Violations>,
    ) -> Result<(Conversation, T), Violations>,
) -> Result<(Changed<Conversation>, T), ChangeError<Violations>> {
    let queues = Queues::of(session);
    let _turn = queues.turn(*id).await;
    change_in_turn(session, id, plan).await
}

/// Changes a conversation. One that another program has written is adopted first.
///
/// # Errors
/// As [`Tables::change`](trestle_table::Tables::change).
pub async fn change_in_turn<T>(
    session: &Session,
    id: &Id<Conversation>,
    plan: impl Fn(
        &Conversation,
        &mut TransactionBuilder<Violations>,
    ) -> Result<(Conversation, T), Violations>,
) -> Result<(Changed<Conversation>, T), ChangeError<Violations>> {
    let mut direct = Noting::New;
    loop {
        let of_adopted = |now: &Conversation, unit: &mut TransactionBuilder<Violations>| {
            let planned = plan(now, unit)?;
            if now.listed_at.is_some() {
                return Err(NOT_ADOPTED.at("input"));
            }
            // Afterwards it does not say whose it is.
            if now.is_foreign() && planned.0.pair() != now.pair() {
                direct.note(now, unit);
            }
            Ok(planned)
        };
        let changed = session.tables.change_with(id, None, of_adopted).await;
        match changed {
            Err(ChangeError::Refused(refusal)) if refusal == NOT_ADOPTED.at("input") => {
                adopt(session, id).await?;
            }
            changed if direct.is_noted_before(&changed) => direct = Noting::Before,
            changed => return changed,
        }
    }
}

/// Whether a change notes that a DIRECT conversation of another program is the one that its users have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Noting {
    /// Nobody is known to have noted one.
    New,
    /// One is noted: it may be this one.
    Before,
}

impl Noting {
    fn note(self, now: &Conversation, unit: &mut TransactionBuilder<Violations>) {
        let pair = now.pair().filter(|_| self == Noting::New);
        if let Some((first, second)) = pair {
            unit.put_new(&Direct::new(now, first, second))
                .or(NOTED.at("input"));
        }
    }

    /// Whether a change was refused because one is noted.
    fn is_noted_before<T>(self, changed: &Result<T, ChangeError<Violations>>) -> bool {
        let is_noted =
            matches!(changed, Err(ChangeError::Refused(refusal)) if *refusal == NOTED.at("input"));
        is_noted && self == Noting::New
    }
}

/// Gives the participants of a conversation that another program has written items of their own, with what they have not
/// read, takes the conversation itself from the inbox of one of them, and notes a DIRECT one as the one that they have. Two
/// Queries, a GetItem and one TransactWriteItems; nothing is written of other conversations.
///
/// # Errors
/// As [`Tables::change`](trestle_table::Tables::change).
pub async fn adopt(
    session: &Session,
    id: &Id<Conversation>,
) -> Result<(), ChangeError<Violations>> {
    let tables = &session.tables;
    let (known, messages) = (participants(*id), of_conversation(*id));
    let (all, newest) = (PageAsk::first(MAX_PARTICIPANTS), PageAsk::first(COUNTED));
    let (known, messages) = tokio::try_join!(
        tables.page(&known, &all, &()),
        tables.page(&messages, &newest, &())
    )?;
    let rows = known.rows.iter();
    let known: HashSet<_> = rows
        .filter_map(|row| user_of_key(row.place.key().sk.as_str()))
        .collect();
    let messages = messages.rows.into_iter();
    let messages: Vec<_> = messages.filter_map(|row| row.entity.ok()).collect();
    let mut direct = Noting::New;
    loop {
        let changed = tables.change(id, None, |now: &Conversation, unit| {
            if now.listed_at.is_none() {
                return Ok(now.clone());
            }
            direct.note(now, unit);
            let users = now.participants.as_slice().iter();
            for user in users.filter(|user| !known.contains(user)) {
                let unread = messages.iter().filter(|message| message.is_unread_by(user));
                unit.put_new(&Participant {
                    unread_count: u32::try_from(unread.count()).unwrap_or_default(),
                    ..now.participant(user)
                });
            }
            Ok(Conversation {
                listed_at: None,
                ..now.clone()
            })
        });
        let changed = changed.await;
        match changed {
            changed if direct.is_noted_before(&changed) => direct = Noting::Before,
            changed => return changed.map(drop),
        }
    }
}
