//! What another program writes into the table.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use uuid::Uuid;

use crate::world::World;

pub fn s(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

pub fn n(number: i64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

pub async fn put(world: &World, item: HashMap<String, AttributeValue>) {
    let put = world.plain.put_item().table_name(&world.api.table);
    put.set_item(Some(item)).send().await.unwrap();
}

/// Writes an application as a program would that keeps counters and indexes, and no history.
pub async fn application_without_history(world: &World, status: &str) -> String {
    let id = Uuid::new_v4().to_string();
    let key = format!("APP#{id}");
    let partition = format!("STATUS#{status}#ARCHIVED#0");
    let at = "2026-01-02T03:04:05.006Z";
    let place = format!("UPDATED#{at}#{id}");
    let texts = [
        ("PK", key.as_str()),
        ("SK", key.as_str()),
        ("id", id.as_str()),
        ("companyName", "Foreign"),
        ("positionTitle", "Engineer"),
        ("status", status),
        ("dateApplied", "2026-01-02"),
        ("createdAt", at),
        ("updatedAt", at),
        ("GSI1PK", partition.as_str()),
        ("GSI1SK", place.as_str()),
        ("GSI2PK", "ACTIVE"),
        ("GSI2SK", place.as_str()),
    ];
    let mut item: HashMap<_, _> = texts.map(|(name, text)| (name.to_owned(), s(text))).into();
    item.insert("isArchived".to_owned(), AttributeValue::Bool(false));
    put(world, item).await;
    let count = world.plain.update_item().table_name(&world.api.table);
    count
        .key("PK", s("META"))
        .key("SK", s("COUNT"))
        .update_expression("ADD #c :one, #p :one")
        .expression_attribute_names("#c", "count")
        .expression_attribute_names("#p", partition)
        .expression_attribute_values(":one", n(1))
        .send()
        .await
        .unwrap();
    id
}

/// Changes attributes of an application, and nothing else.
pub async fn set(world: &World, id: &str, attributes: &[(&str, Option<AttributeValue>)]) {
    for (name, value) in attributes {
        let key = s(&format!("APP#{id}"));
        let update = world.plain.update_item().table_name(&world.api.table);
        let update = update.key("PK", key.clone()).key("SK", key);
        let update = update.expression_attribute_names("#a", *name);
        let update = match value {
            Some(value) => update
                .update_expression("SET #a = :v")
                .expression_attribute_values(":v", value.clone()),
            None => update.update_expression("REMOVE #a"),
        };
        update.send().await.unwrap();
    }
}

pub async fn set_stage(world: &World, id: &str, stage: &str, name: &str) {
    let item = HashMap::from([
        ("PK".to_owned(), s(&format!("APP#{id}"))),
        ("SK".to_owned(), s(&format!("STAGE#{stage}"))),
        ("id".to_owned(), s(stage)),
        ("applicationId".to_owned(), s(id)),
        ("name".to_owned(), s(name)),
        ("order".to_owned(), n(7)),
        ("isCompleted".to_owned(), AttributeValue::Bool(false)),
    ]);
    put(world, item).await;
}
