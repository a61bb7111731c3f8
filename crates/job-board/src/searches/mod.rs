//! Saved searches: what a seeker looks for again and again, and up to when they have seen it.

pub mod graphql;

use async_graphql::{SimpleObject, Value};
use serde::{Deserialize, Serialize};

use trestle_api::{ApiError, Node, Revision, Session, versioned};
use trestle_domain::{Id, List, Moment, Text, UserId};
use trestle_table::{Entity, Key, KeyedAttributes, Listing, Sk, TableDefinition};

use super::access::Party;
use super::table::{self, TABLE};

/// The most saved searches of a seeker.
pub const MAX_SEARCHES: usize = 20;

/// A saved search. Only the seeker sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct SavedSearch {
    #[graphql(skip)]
    pub seeker_id: UserId,
    /// A ULID.
    #[graphql(skip)]
    pub search_id: Id<SavedSearch>,
    /// Name: 1 to 100 characters.
    pub name: Text<1, 100>,
    /// Cities, each as it was written.
    pub places: List<Text<1, 120>, 5>,
    /// The filter, as the API takes it.
    #[graphql(skip)]
    pub filter: Option<Value>,
    /// Jobs that were added later are new.
    pub seen_at: Moment,
    #[serde(flatten, deserialize_with = "crate::stored_revision::read")]
    #[graphql(flatten)]
    pub stamp: Revision,
}

impl Entity for SavedSearch {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "savedSearch";
    const KEYED: KeyedAttributes = &[("pk", &["", "seekerId"]), ("sk", &["", "searchId"])];
    type Id = (Id<SavedSearch>, UserId);

    fn key_of((search, seeker): &Self::Id) -> Key {
        Key::new(table::seeker(seeker), Sk::of("q", search))
    }

    fn identity(&self) -> Self::Id {
        (self.search_id, self.seeker_id.clone())
    }
}

versioned!(SavedSearch);

impl Node for SavedSearch {
    const TAG: u8 = b'Q';

    async fn visible_to(self, session: &Session) -> Result<Option<Self>, ApiError> {
        let own = Party::Seeker.is(session) && self.seeker_id == session.user();
        Ok(own.then_some(self))
    }
}

/// The saved searches of a seeker, the oldest first. `seeker#<seekerId>` / `q#`, one Query.
pub fn of_seeker(seeker: &UserId) -> Listing<SavedSearch> {
    Listing::of("searches", table::seeker(seeker)).begins_with(Sk::word("q").below())
}
