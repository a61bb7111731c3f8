//! Books: what is stored, their keys and their lists.

pub mod graphql;

use async_graphql::SimpleObject;
use serde::{Deserialize, Serialize};

use trestle_api::versioned;
use trestle_api::{ApiError, Listed, Node, Revision, Session};
use trestle_domain::string_enum;
use trestle_domain::{Bounded, Id, List, Text, UserId};
use trestle_table::{Entity, IndexDefinition, IndexKey, Key, Listing, Pk, Sk, TableDefinition};

/// The table.
pub static TABLE: TableDefinition = TableDefinition::new("shelf", "PK", "SK")
    .typed("entityType")
    .indexed(&[&GSI1]);

/// The books of an owner, by title.
static GSI1: IndexDefinition = IndexDefinition::new("GSI1", "GSI1PK", "GSI1SK");

string_enum! {
    /// Condition of a book.
    Condition {
        /// As new.
        New = "NEW",
        /// Read, without damage.
        Good = "GOOD",
        /// Pages are missing or torn.
        Damaged = "DAMAGED",
    }
}

/// A book on someone's shelf.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct Book {
    /// What the key is made of. The API shows it as part of the global ID.
    #[graphql(skip)]
    pub book_id: Id<Book>,
    /// Whose shelf it is on.
    #[graphql(skip)]
    pub owner_id: UserId,
    /// Title, 1 to 200 characters.
    pub title: Text<1, 200>,
    /// Number of pages.
    pub pages: Option<Bounded<1, 100_000>>,
    /// Condition of the copy.
    pub condition: Condition,
    /// Tags, at most 10.
    pub tags: List<Text<1, 40>, 10>,
    /// Name of the person who has borrowed it. `null` if it is on the shelf.
    pub lent_to: Option<Text<1, 100>>,
    /// Version, and when it was created and changed.
    #[serde(flatten)]
    #[graphql(flatten)]
    pub stamp: Revision,
}

impl Entity for Book {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "BOOK";
    type Id = Id<Book>;

    fn key_of(id: &Self::Id) -> Key {
        Key::new(Pk::of("BOOK", id), Sk::word("METADATA"))
    }

    fn identity(&self) -> Self::Id {
        self.book_id
    }

    fn index_keys(&self) -> Vec<IndexKey> {
        let place = Sk::value(&self.title).then(self.book_id);
        vec![GSI1.at(Pk::of("OWNER", &self.owner_id), place)]
    }
}

versioned!(Book);

impl Listed for Book {
    const PAGE: &'static str = "A page of books.";
    const EDGE: &'static str = "A book in a list.";
}

impl Node for Book {
    const TAG: u8 = b'B';

    async fn visible_to(self, session: &Session) -> Result<Option<Self>, ApiError> {
        Ok((self.owner_id == session.user()).then_some(self))
    }
}

/// The books of an owner, by title. GSI1 `OWNER#id`, one Query.
pub fn of_owner(owner: &UserId) -> Listing<Book> {
    Listing::on("books/owner", &GSI1, Pk::of("OWNER", owner))
}
