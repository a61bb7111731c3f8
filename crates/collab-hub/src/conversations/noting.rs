//! Finding the DIRECT conversation that another program has written for two users.

use std::collections::HashSet;

use trestle_api::Session;
use trestle_domain::{Rule, Violations};
use trestle_table::{ChangeError, PageAsk, TableError};

use super::{Conversation, Direct, adopt, of_user};
use crate::retrying::commit;

/// Number of conversations of each user among which one of another program is looked for: those with the newest messages.
const SEARCHED: usize = 500;
/// That another request has noted it meanwhile.
const NOTED: Rule = Rule::Conflict("have a conversation");
/// Number of those that both have, or that may be of both, which are read, in one BatchGetItem.
const LOOKED_AT: usize = 100;

impl Direct {
    /// Notes the DIRECT conversation that another program has written for the two users, which notes none, so that it is
    /// the one that they have, and gives both an entry for it. Two Queries, and a BatchGetItem if they share a conversation;
    /// then one TransactWriteItems, and those of [`adopt`] if only one of the users has it.
    ///
    /// # Errors
    /// The store does not answer.
    pub async fn note_present(&self, session: &Session) -> Result<(), ChangeError<Violations>> {
        let Some(present) = self.present(session).await? else {
            return Ok(());
        };
        if present.listed_at.is_some() {
            return adopt(session, &present.conversation_id).await;
        }
        let noted = Self::new(&present, self.first_id.clone(), self.second_id.clone());
        let kept = commit(session, |unit| {
            unit.put_new(&noted).or(NOTED.at("participantIds"));
        });
        match kept.await {
            Ok(()) | Err(ChangeError::Refused(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The DIRECT conversation of the two users that one of them, or both, find in their inbox.
    async fn present(&self, session: &Session) -> Result<Option<Conversation>, TableError> {
        let (tables, ask) = (&session.tables, PageAsk::first(SEARCHED));
        let (first, second) = (of_user(&self.first_id), of_user(&self.second_id));
        let (first, second) = tokio::try_join!(
            tables.page(&first, &ask, &()),
            tables.page(&second, &ask, &())
        )?;
        let [first, second] = [first, second].map(|page| {
            let entries = page.rows.into_iter();
            entries
                .filter_map(|row| row.entity.ok())
                .collect::<Vec<_>>()
        });
        let seconds: HashSet<_> = second.iter().map(|entry| entry.conversation_id).collect();
        let shared = first
            .iter()
            .filter(|entry| entry.is_conversation() || seconds.contains(&entry.conversation_id));
        let single = second.iter().filter(|entry| entry.is_conversation());
        let ids = shared.chain(single).map(|entry| entry.conversation_id);
        let ids: Vec<_> = ids.take(LOOKED_AT).collect();
        let pair = Some((self.first_id.clone(), self.second_id.clone()));
        let found = tables.batch::<Conversation>(&ids).await?;
        // One that cannot be read may be theirs, or one of others in which both are: it keeps nobody from writing to the other.
        let mut found = found.into_iter().flatten().filter_map(Result::ok);
        Ok(found.find(|conversation| conversation.pair() == pair))
    }
}
