//! Creating tables, and checking those that are there.

use trestle_table::{IndexDefinition, Table, TableCheck, TableDefinition};

use crate::notes::{NOTES, Store};
use trestle_testing::faults::Fault;

static OTHER_KEY: TableDefinition =
    TableDefinition::new("notes", "pk", "SK").indexed(NOTES.indexes);

static OTHER_INDEXES: TableDefinition = TableDefinition::new("notes", "PK", "SK").indexed(&[
    &IndexDefinition::new("ByKind", "KindPK", "SK"),
    &IndexDefinition::new("BySize", "SizePK", "SK"),
]);

fn as_another(store: &Store, definition: &'static TableDefinition) -> Table {
    Table::new(store.client.clone(), definition, store.table.name())
}

#[tokio::test]
async fn a_table_is_created_once_and_is_good() {
    let store = Store::new().await;
    store.table.create().await.unwrap();
    assert_eq!(store.table.check().await.unwrap(), TableCheck::Good);
    let other = Table::new(store.client.clone(), &NOTES, "not-there");
    assert_eq!(other.check().await.unwrap(), TableCheck::Missing);
}

#[tokio::test]
async fn what_differs_is_said_part_by_part() {
    let store = Store::new().await;
    let verdict = as_another(&store, &OTHER_KEY).check().await.unwrap();
    let differs = ["table: the key must be pk (partition) and SK (sort)".to_owned()];
    assert_eq!(verdict, TableCheck::Differs(differs.into()));
    let verdict = as_another(&store, &OTHER_INDEXES).check().await.unwrap();
    let differs = [
        "index ByKind: the key must be KindPK (partition) and SK (sort)".to_owned(),
        "index BySize: missing".to_owned(),
    ];
    assert_eq!(verdict, TableCheck::Differs(differs.into()));
}

#[tokio::test]
async fn an_index_that_does_not_project_everything_is_said() {
    use aws_sdk_dynamodb::types::{
        AttributeDefinition, BillingMode, GlobalSecondaryIndex, KeySchemaElement, KeyType,
        Projection, ProjectionType, ScalarAttributeType,
    };
    let store = Store::new().await;
    let attribute = |name: &str, kind: ScalarAttributeType| {
        let attribute = AttributeDefinition::builder()
            .attribute_name(name)
            .attribute_type(kind);
        attribute.build().unwrap()
    };
    let key = |name: &str, kind: KeyType| {
        let key = KeySchemaElement::builder()
            .attribute_name(name)
            .key_type(kind);
        key.build().unwrap()
    };
    let index = GlobalSecondaryIndex::builder()
        .index_name("ByKind")
        .key_schema(key("KindPK", KeyType::Hash))
        .key_schema(key("KindSK", KeyType::Range))
        .projection(
            Projection::builder()
                .projection_type(ProjectionType::KeysOnly)
                .build(),
        );
    let created = store.client.create_table().table_name("keys-only");
    let created = ["PK", "SK", "KindPK"]
        .iter()
        .fold(created, |created, name| {
            created.attribute_definitions(attribute(name, ScalarAttributeType::S))
        });
    created
        .attribute_definitions(attribute("KindSK", ScalarAttributeType::N))
        .key_schema(key("PK", KeyType::Hash))
        .key_schema(key("SK", KeyType::Range))
        .global_secondary_indexes(index.build().unwrap())
        .billing_mode(BillingMode::PayPerRequest)
        .send()
        .await
        .unwrap();
    let table = Table::new(store.client.clone(), &NOTES, "keys-only");
    let differs = [
        "index ByKind: must project ALL".to_owned(),
        "attribute KindSK: must be a string (S)".to_owned(),
    ];
    assert_eq!(
        table.check().await.unwrap(),
        TableCheck::Differs(differs.into())
    );
}

#[tokio::test]
async fn a_store_that_does_not_answer_is_no_verdict() {
    let store = Store::new().await;
    store.faults.always("DescribeTable", Fault::LostRequest);
    store.table.check().await.unwrap_err();
}
