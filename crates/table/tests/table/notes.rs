//! A table of notes in books, and the store that it is in.

use aws_sdk_dynamodb::types::AttributeValue;
use aws_smithy_runtime_api::client::http::SharedHttpConnector;
use serde::{Deserialize, Serialize};
use trestle_dynamodb::Embedded;
use trestle_table::{
    Entity, IndexDefinition, IndexKey, Item, Key, Meter, Pk, Sk, Table, TableDefinition, item_of,
};

use trestle_testing::faults::Faults;

pub static NOTES: TableDefinition = TableDefinition::new("notes", "PK", "SK").indexed(&[&BY_KIND]);

static BY_KIND: IndexDefinition = IndexDefinition::new("ByKind", "KindPK", "KindSK");

/// A note in a book. Those without a kind are in no index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Note {
    pub book: String,
    pub number: u32,
    pub name: String,
    pub kind: Option<String>,
    pub size: u32,
}

impl Entity for Note {
    const TABLE: &'static TableDefinition = &NOTES;
    const KIND: &'static str = "note";
    const NULLS: bool = true;
    type Id = (String, u32);

    fn key_of((book, number): &Self::Id) -> Key {
        Key::new(
            Pk::of("BOOK", book.as_str()),
            Sk::of("NOTE", format!("{number:05}")),
        )
    }

    fn identity(&self) -> Self::Id {
        (self.book.clone(), self.number)
    }

    fn index_keys(&self) -> Vec<IndexKey> {
        let kind = self.kind.as_deref();
        let key = kind.map(|kind| {
            let sk = Sk::of("NOTE", format!("{:05}", self.number)).then(self.book.as_str());
            Key::new(Pk::of("KIND", kind), sk)
        });
        vec![IndexKey {
            index: &BY_KIND,
            key,
        }]
    }
}

pub fn note(book: &str, number: u32) -> Note {
    Note {
        book: book.to_owned(),
        number,
        name: format!("note {number}"),
        kind: Some(
            if number.is_multiple_of(3) {
                "todo"
            } else {
                "idea"
            }
            .to_owned(),
        ),
        size: number % 7,
    }
}

pub struct Store {
    pub table: Table,
    pub meter: Meter,
    pub faults: Faults,
    pub client: aws_sdk_dynamodb::Client,
}

impl Store {
    /// An empty table; the SDK sends each request once.
    pub async fn new() -> Self {
        Self::trying(1).await
    }

    /// An empty table; the SDK sends each request so often.
    pub async fn trying(attempts: u32) -> Self {
        let embedded = Embedded::memory().unwrap();
        let faults = Faults::none();
        let client = faults.client(SharedHttpConnector::new(embedded), attempts);
        let table = Table::new(client.clone(), &NOTES, "notes-test");
        table.create().await.unwrap();
        Self {
            table,
            meter: Meter::default(),
            faults,
            client,
        }
    }

    pub async fn with(notes: impl IntoIterator<Item = Note>) -> Self {
        let store = Self::new().await;
        let items = notes.into_iter().map(|note| item_of(&note).unwrap());
        store
            .table
            .batch_put(items.collect::<Vec<_>>(), &Meter::default())
            .await
            .unwrap();
        store
    }

    /// The stored item, as it is.
    pub async fn raw(&self, key: &Key) -> Option<Item> {
        let text = |text: &str| AttributeValue::S(text.to_owned());
        let get = self.client.get_item().table_name(self.table.name());
        let get = get
            .key("PK", text(key.pk.as_str()))
            .key("SK", text(key.sk.as_str()));
        get.send().await.unwrap().item
    }

    /// How often the store was asked for items, by the connector's count.
    pub fn attempts(&self) -> u64 {
        [
            "GetItem",
            "Query",
            "BatchGetItem",
            "BatchWriteItem",
            "TransactWriteItems",
        ]
        .iter()
        .map(|operation| self.faults.attempts(operation))
        .sum()
    }
}

/// The numbers of notes, in their order.
pub fn numbers(items: &[Item]) -> Vec<u32> {
    let number = |item: &Item| item["number"].as_n().unwrap().parse().unwrap();
    items.iter().map(number).collect()
}
