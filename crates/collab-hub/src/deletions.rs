//! Deletes that are not finished. What is deleted is out of sight in one transaction, which also writes a [`Deletion`]. What
//! belonged to it is deleted after that, and the [`Deletion`] last: the next start finishes what a killed process has left.

use serde::{Deserialize, Serialize};
use tokio::time::sleep;

use crate::retrying::commit;
use crate::roles::Role;
use crate::signed::FileKey;
use crate::startups::Startup;
use crate::table::TABLE;
use trestle_api::Session;
use trestle_domain::{Id, Text, UserId, Violations};
use trestle_table::{
    ChangeError, Condition, Entity, Key, Listing, Pk, Sk, TableDefinition, TableError,
    TransactionBuilder,
};

/// What is deleted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Deleted {
    Startup(Id<Startup>),
    Role(Id<Startup>, Id<Role>),
    Account(UserId),
}

/// A delete that is not finished: `DELETION` / `STARTUP#startup`, `ROLE#startup#role` or `USER#user`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Deletion {
    pub deleted: Deleted,
    /// The user who deletes it.
    pub user_id: UserId,
    /// The files that only it referred to.
    pub files: Vec<FileKey>,
    /// The name of the startup, for applications and requests that do not have it.
    pub startup_name: Option<Text<1, 120>>,
    /// The title of a deleted role.
    pub role_title: Option<Text<1, 120>>,
}

impl Entity for Deletion {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "DELETION";
    type Id = Deleted;

    fn key_of(deleted: &Deleted) -> Key {
        let sk = match deleted {
            Deleted::Startup(startup) => Sk::of("STARTUP", startup),
            Deleted::Role(startup, role) => Sk::of("ROLE", startup).then(role),
            Deleted::Account(user) => Sk::of("USER", user),
        };
        Key::new(Pk::word(Self::KIND), sk)
    }

    fn identity(&self) -> Deleted {
        self.deleted.clone()
    }
}

/// Every delete that is not finished. One Query.
pub fn unfinished() -> Listing<Deletion> {
    Listing::of("deletions", Pk::word(Deletion::KIND))
}

/// Waits until the indexes have what was written before a delete began: what a list lacks would stay for good. At once for
/// indexes that are never behind.
///
/// # Errors
/// The service has no table.
pub async fn await_indexes(session: &Session) -> Result<(), TableError> {
    sleep(session.tables.by(&TABLE)?.index_lag()).await;
    Ok(())
}

impl Deletion {
    /// The delete of something of the viewer's.
    pub fn of(session: &Session, deleted: Deleted) -> Self {
        Self {
            deleted,
            user_id: session.user(),
            files: Vec::new(),
            startup_name: None,
            role_title: None,
        }
    }

    /// Adds it to the transaction of the delete.
    pub fn begin(&self, unit: &mut TransactionBuilder<Violations>) {
        unit.put(self);
    }

    /// Everything is deleted. One DeleteItem.
    ///
    /// # Errors
    /// The store does not answer.
    pub async fn end(&self, session: &Session) -> Result<(), ChangeError<Violations>> {
        commit(session, |unit| {
            unit.delete::<Self>(&self.deleted, Condition::ALWAYS);
        })
        .await
    }
}
