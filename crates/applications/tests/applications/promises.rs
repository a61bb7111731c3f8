//! What the service relies on and cannot see through its API: promises of DynamoDB that whatever stands in
//! its place has to keep.

use aws_sdk_dynamodb::types::{ReturnConsumedCapacity, TransactWriteItem, Update};

use crate::ask::{Item, number, text};
use crate::support::Api;

/// A mutation whose answer was lost is sent again by the SDK, with the token that it chose.
#[tokio::test]
async fn a_transaction_sent_twice_with_its_token_is_done_once() {
    let api = Api::start().await;
    let add = Update::builder()
        .table_name(&api.table)
        .key("PK", text("META"))
        .key("SK", text("COUNT"))
        .update_expression("ADD #count :one")
        .expression_attribute_names("#count", "count")
        .expression_attribute_values(":one", number(1))
        .build()
        .unwrap();
    let add = TransactWriteItem::builder().update(add).build();
    let request = api.dynamodb.transact_write_items().transact_items(add);
    let request = request.client_request_token("a token");
    request.clone().send().await.unwrap();
    request.send().await.unwrap();
    assert_eq!(api.stored_meta().await["count"], number(1));
}

/// What `extensions.cost` and the budgets are made of.
#[tokio::test]
async fn capacity_is_counted_by_size() {
    let api = Api::start().await;
    let key = [("PK", "META"), ("SK", "COUNT")].map(|(name, value)| (name.to_owned(), text(value)));
    let mut item = Item::from(key.clone());
    for (size, strong, eventual) in [(1, 1.0, 0.5), (5_000, 2.0, 1.0), (20_000, 5.0, 2.5)] {
        item.insert("filling".to_owned(), text(&"x".repeat(size)));
        api.put(item.clone()).await;
        for (consistent, units) in [(true, strong), (false, eventual)] {
            let get = api.dynamodb.get_item().table_name(&api.table);
            let get = get.set_key(Some(key.clone().into()));
            let get = get.consistent_read(consistent);
            let get = get.return_consumed_capacity(ReturnConsumedCapacity::Total);
            let consumed = get.send().await.unwrap().consumed_capacity.unwrap();
            assert_eq!(consumed.capacity_units, Some(units), "{size} bytes");
        }
    }
}
