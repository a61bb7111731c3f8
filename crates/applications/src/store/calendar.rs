//! The secret address at which calendars subscribe to the agenda: one of each scope. Only a hash of its token is stored.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::error::{ChangeError, StoreError};
use crate::items;
use crate::keys::{self, Scope, TABLE, Tenancy};
use crate::model::Timestamp;
use trestle_api::viewer::Owner;
use trestle_domain::hex;
use trestle_table::{
    Condition, Consistency, Item, Key, MalformedItem, Meter, Projection, Reason, Table,
    TableDefinition, ToItem, Transaction, TransactionError, item_of,
};

use super::Applications;
use super::canceled::Attempts;

/// The random bytes of a token: too many to be guessed.
const BYTES: usize = 24;

/// The secret in the address of a calendar. Its `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct CalendarToken(String);

impl CalendarToken {
    /// A new token.
    ///
    /// # Errors
    /// The system has no randomness.
    pub fn random() -> std::io::Result<Self> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
        Ok(Self(hex(&bytes)))
    }

    /// The token in an address; `None` for text that is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes = text.bytes();
        let is_token =
            text.len() == 2 * BYTES && bytes.all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        is_token.then(|| Self(text.to_owned()))
    }

    /// The token, for whoever made it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What is stored of it. It has so many random bytes that a plain hash cannot be reversed.
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }
}

impl std::fmt::Debug for CalendarToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CalendarToken(..)")
    }
}

/// The address of a scope's calendar, without its secret.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CalendarAddress {
    /// SHA-256 of the token.
    #[serde(with = "digits")]
    token_hash: [u8; 32],
    /// When it was created or renewed.
    pub created_at: Timestamp,
    /// Whether its events have alarms.
    pub alarms: bool,
}

/// What a token stands for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Subscription {
    /// The owner whose agenda it is; `None` in a table without owners.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owner: Option<String>,
    /// Whether the events have alarms.
    pub alarms: bool,
}

impl Subscription {
    /// The scope that it leads to; `None` if the table has another tenancy now.
    pub fn scope(&self, tenancy: Tenancy) -> Option<Scope> {
        match (tenancy, &self.owner) {
            (Tenancy::Single, None) => Some(Scope::Single),
            (Tenancy::Owner, Some(owner)) => Owner::new(owner.as_str()).map(Scope::Of),
            (Tenancy::Single, Some(_)) | (Tenancy::Owner, None) => None,
        }
    }
}

/// A hash as hexadecimal digits.
mod digits {
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(hash: &[u8; 32], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&trestle_domain::hex(hash))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[u8; 32], D::Error> {
        let text = String::deserialize(deserializer)?;
        let hash = trestle_domain::hex_32(&text);
        hash.ok_or_else(|| serde::de::Error::custom("a SHA-256 has 64 hexadecimal digits"))
    }
}

/// An item with the key that it has here.
#[derive(Serialize)]
#[serde(transparent)]
struct At<'e, E> {
    #[serde(skip)]
    key: Key,
    entity: &'e E,
}

impl<E: Serialize> ToItem for At<'_, E> {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "calendar address";

    fn primary_key(&self) -> Key {
        self.key.clone()
    }
}

/// What an item holds.
fn read<E: DeserializeOwned>(item: Item) -> Result<E, MalformedItem> {
    serde_json::from_value(items::json(item)).map_err(|error| MalformedItem {
        entity: "calendar address",
        reason: error.to_string(),
    })
}

/// Why an address was not changed. Nothing was written.
#[derive(Debug)]
pub enum AddressError {
    /// There is one already.
    Exists,
    /// There is none.
    Missing,
    /// It was created at another moment than the caller expects.
    Other,
    /// The change failed.
    Failed(ChangeError),
}

impl<E: Into<ChangeError>> From<E> for AddressError {
    fn from(error: E) -> Self {
        AddressError::Failed(error.into())
    }
}

/// What a token stands for; `None` if it is no token of an address, or no longer. GetItem CALENDARS#shard / TOKEN#hash,
/// consistent, so that an address that was revoked is gone at once.
///
/// # Errors
/// [`StoreError`].
pub async fn subscription(
    table: &Table,
    token: &CalendarToken,
    meter: &Meter,
) -> Result<Option<Subscription>, StoreError> {
    let get = table.get(keys::subscription(&token.hash()));
    let item = get.consistency(Consistency::Strong).send(meter).await?;
    Ok(item.map(read).transpose()?)
}

/// Whether a condition failed on the address that was to be written: the SDK repeated the write.
fn is_made(reason: &Reason, address: &CalendarAddress) -> bool {
    let Reason::ConditionFailed { item: Some(item) } = reason else {
        return false;
    };
    let stored = item.get("tokenHash").and_then(|stored| stored.as_s().ok());
    stored.is_some_and(|stored| *stored == hex(&address.token_hash))
}

impl Applications {
    /// The address of the calendar, if there is one. GetItem CALENDAR / ADDRESS.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn calendar_address(&self) -> Result<Option<CalendarAddress>, StoreError> {
        let item = self.item(self.scope.calendar(), Projection::All).await?;
        Ok(item.map(read).transpose()?)
    }

    /// Creates the address with a new token. TransactWriteItems: the address, its subscription, and the owner's entry in
    /// the registry.
    ///
    /// # Errors
    /// [`AddressError`].
    pub async fn create_calendar_address(
        &self,
        token: &CalendarToken,
        alarms: bool,
    ) -> Result<CalendarAddress, AddressError> {
        let address = self.new_address(token, alarms);
        let mut attempts = Attempts::new(&self.meter);
        loop {
            let transaction = self.table.transaction().put_new(&self.at_home(&address))?;
            let transaction = self.subscribe(transaction, &address)?;
            let transaction = self.add_first(transaction).await?;
            let Err(reasons) = self.try_commit(transaction).await? else {
                return Ok(address);
            };
            match reasons.first() {
                Some(Some(made)) if is_made(made, &address) => return Ok(address),
                Some(Some(Reason::ConditionFailed { .. })) => return Err(AddressError::Exists),
                _ => attempts.met(reasons)?,
            }
            attempts.pause().await?;
        }
    }

    /// Replaces the address: the former one leads nowhere from now on. Without `alarms`, events have them as before.
    /// GetItem, TransactWriteItems.
    ///
    /// # Errors
    /// [`AddressError`].
    pub async fn renew_calendar_address(
        &self,
        token: &CalendarToken,
        alarms: Option<bool>,
        expected: Option<Timestamp>,
    ) -> Result<CalendarAddress, AddressError> {
        let mut attempts = Attempts::new(&self.meter);
        loop {
            let former = self.address(expected).await?;
            let mut address = self.new_address(token, alarms.unwrap_or(former.alarms));
            address.created_at = address.created_at.after(former.created_at);
            let item = item_of(&self.at_home(&address))?;
            let same = Condition::is("tokenHash", &hex(&former.token_hash));
            let transaction = self.table.transaction().put_item(item, Some(&same))?;
            let transaction = unsubscribe(transaction, &former);
            let transaction = self.subscribe(transaction, &address)?;
            let Err(reasons) = self.try_commit(transaction).await? else {
                return Ok(address);
            };
            match reasons.first() {
                Some(Some(made)) if is_made(made, &address) => return Ok(address),
                // Another change was first: it is read again.
                Some(Some(Reason::ConditionFailed { .. })) => {}
                _ => attempts.met(reasons)?,
            }
            attempts.pause().await?;
        }
    }

    /// Revokes the address. GetItem, TransactWriteItems.
    ///
    /// # Errors
    /// [`AddressError`].
    pub async fn revoke_calendar_address(
        &self,
        expected: Option<Timestamp>,
    ) -> Result<CalendarAddress, AddressError> {
        let mut attempts = Attempts::new(&self.meter);
        let mut sent = None;
        loop {
            let former = match (self.address(expected).await, sent) {
                // It was there when this began: perhaps it was this very write whose answer was lost.
                (Err(AddressError::Missing), Some(former)) => return Ok(former),
                (found, _) => found?,
            };
            let same = Condition::is("tokenHash", &hex(&former.token_hash));
            let transaction = self.table.transaction();
            let transaction = transaction.delete(&self.scope.calendar(), &same);
            let transaction = unsubscribe(transaction, &former);
            let Err(reasons) = self.try_commit(transaction).await? else {
                return Ok(former);
            };
            match reasons.first() {
                Some(Some(Reason::ConditionFailed { .. })) => {}
                _ => attempts.met(reasons)?,
            }
            sent = Some(former);
            attempts.pause().await?;
        }
    }

    /// Revokes what gives access without credentials: the address of the calendar. When it was created, if there was one.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn revoke_access(&self) -> Result<Option<Timestamp>, ChangeError> {
        match self.revoke_calendar_address(None).await {
            Ok(address) => Ok(Some(address.created_at)),
            // Without an expected moment, each address is the right one.
            Err(AddressError::Missing | AddressError::Exists | AddressError::Other) => Ok(None),
            Err(AddressError::Failed(error)) => Err(error),
        }
    }

    fn new_address(&self, token: &CalendarToken, alarms: bool) -> CalendarAddress {
        CalendarAddress {
            token_hash: token.hash(),
            created_at: self.now(),
            alarms,
        }
    }

    /// The address that a change finds.
    async fn address(&self, expected: Option<Timestamp>) -> Result<CalendarAddress, AddressError> {
        let address = self.calendar_address().await?;
        let address = address.ok_or(AddressError::Missing)?;
        if expected.is_none_or(|expected| expected == address.created_at) {
            Ok(address)
        } else {
            Err(AddressError::Other)
        }
    }

    fn at_home<'e>(&self, address: &'e CalendarAddress) -> At<'e, CalendarAddress> {
        At {
            key: self.scope.calendar(),
            entity: address,
        }
    }

    /// Adds what the token of an address stands for.
    fn subscribe<'t>(
        &self,
        transaction: Transaction<'t>,
        address: &CalendarAddress,
    ) -> Result<Transaction<'t>, AddressError> {
        let subscription = Subscription {
            owner: self.scope.owner().map(|owner| owner.as_str().to_owned()),
            alarms: address.alarms,
        };
        let key = keys::subscription(&address.token_hash);
        let entity = &subscription;
        Ok(transaction.put(&At { key, entity })?)
    }

    /// Commits; the reasons if the transaction was cancelled.
    async fn try_commit(
        &self,
        transaction: Transaction<'_>,
    ) -> Result<Result<(), Vec<Option<Reason>>>, AddressError> {
        match transaction.commit(&self.meter).await {
            Ok(()) => Ok(Ok(())),
            Err(TransactionError::Table(error)) => Err(error.into()),
            Err(TransactionError::Canceled(reasons)) => Ok(Err(reasons)),
        }
    }
}

/// Adds that the token of an address stands for nothing.
fn unsubscribe<'t>(transaction: Transaction<'t>, address: &CalendarAddress) -> Transaction<'t> {
    let anyway = Condition::All(Vec::new());
    transaction.delete(&keys::subscription(&address.token_hash), &anyway)
}
