//! Packing lists: pasted text, quantities, persons, copies and totals.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;

use crate::site::{checklist, create, errors, items, mutate, site};

#[tokio::test]
async fn items_of_equal_positions_are_in_the_order_of_their_ids() {
    let site = site().await;
    let made = checklist(&site, 20).await;
    // As if all of them had been added at once.
    for item in site.items("shareables").await {
        if !item.contains_key("checklistItemId") {
            continue;
        }
        let update = site.dynamodb.update_item().table_name("shareables");
        let update = update
            .key("pk", item["pk"].clone())
            .key("sk", item["sk"].clone())
            .update_expression("SET #order = :one")
            .expression_attribute_names("#order", "order")
            .expression_attribute_values(":one", AttributeValue::N("1".to_owned()));
        update.send().await.unwrap();
    }
    let ids: Vec<_> = items(&site, &made)
        .await
        .into_iter()
        .map(|item| item.0)
        .collect();
    assert_eq!(ids.len(), 20);
    assert!(ids.is_sorted(), "{ids:?}");
}

#[tokio::test]
async fn a_pasted_list_becomes_items_in_their_order_all_or_none() {
    let site = site().await;
    let made = checklist(&site, 2).await;
    let ids: Vec<_> = items(&site, &made)
        .await
        .into_iter()
        .map(|item| item.0)
        .collect();
    let add = async |more: serde_json::Value| {
        let mut input = json!({ "shortId": made.short_id });
        for (name, value) in more.as_object().unwrap() {
            input[name] = value.clone();
        }
        mutate(
            &site,
            &made.token,
            "addChecklistItems",
            "items { name tickedAt }",
            input,
        )
        .await
    };
    let text =
        "\u{2022} tent\r\n  - [x] stove\n\n12) pan\n-20 degrees\n2 ropes\n[ ] cup\n1.5 l water";
    let pasted = add(json!({ "text": text, "afterId": ids[0] })).await;
    assert_eq!(errors(&pasted), [""; 0]);
    let names: Vec<_> = items(&site, &made)
        .await
        .into_iter()
        .map(|item| item.1)
        .collect();
    let wanted = [
        "item 0",
        "tent",
        "stove",
        "pan",
        "-20 degrees",
        "2 ropes",
        "cup",
        "1.5 l water",
        "item 1",
    ];
    assert_eq!(names, wanted);
    assert_eq!(
        errors(&add(json!({ "text": " \n- \n" })).await),
        ["REQUIRED text"]
    );
    assert_eq!(errors(&add(json!({})).await), ["INVALID items"]);
    let long = format!("a\n{}", "x".repeat(301));
    assert_eq!(
        errors(&add(json!({ "text": long })).await),
        ["TOO_LONG text.1"]
    );
    let many = |count: usize| json!({ "text": vec!["a"; count].join("\n") });
    assert_eq!(errors(&add(many(100)).await), ["LIMIT_REACHED text"]);
    for _ in 0..2 {
        assert_eq!(errors(&add(many(95)).await), [""; 0]);
    }
    assert_eq!(errors(&add(many(2)).await), ["LIMIT_REACHED shortId"]);
    assert_eq!(items(&site, &made).await.len(), 199);
    assert_eq!(errors(&add(many(1)).await), [""; 0]);
}

#[tokio::test]
async fn an_item_has_a_quantity_and_a_person_and_is_duplicated() {
    let site = site().await;
    let made = create(
        &site,
        json!({ "checklist": { "items": [{ "name": "rope", "quantity": "3 m", "person": "Ann" }, { "name": "b" }] } }),
    )
    .await;
    let ids: Vec<_> = items(&site, &made)
        .await
        .into_iter()
        .map(|item| item.0)
        .collect();
    mutate(
        &site,
        &made.token,
        "tickChecklistItem",
        "",
        json!({ "id": ids[0] }),
    )
    .await;
    let copied = mutate(
        &site,
        &made.token,
        "duplicateChecklistItem",
        "item { id name quantity person tickedAt }",
        json!({ "id": ids[0] }),
    )
    .await;
    let copy = &copied["item"];
    assert_eq!(
        (
            &copy["name"],
            &copy["quantity"],
            &copy["person"],
            &copy["tickedAt"]
        ),
        (&json!("rope"), &json!("3 m"), &json!("Ann"), &json!(null)),
    );
    let change = json!({ "id": copy["id"], "quantity": null, "person": "Bob" });
    let changed = mutate(
        &site,
        &made.token,
        "updateChecklistItem",
        "item { quantity person }",
        change,
    )
    .await;
    assert_eq!(
        changed["item"],
        json!({ "quantity": null, "person": "Bob" })
    );
    let odd = json!({ "id": copy["id"], "person": "Bob\nadmin" });
    let refused = mutate(&site, &made.token, "updateChecklistItem", "", odd).await;
    assert_eq!(errors(&refused), ["INVALID person"]);
    let query = "query($id: String!) { shareable(shortId: $id) { ... on Checklist { itemCount tickedCount } } }";
    let shown = crate::site::data(&site, &made.token, query, json!({ "id": made.short_id })).await;
    assert_eq!(
        shown["shareable"],
        json!({ "itemCount": 3, "tickedCount": 1 })
    );
    let names: Vec<_> = items(&site, &made)
        .await
        .into_iter()
        .map(|item| item.1)
        .collect();
    assert_eq!(names, ["rope", "rope", "b"]);
}
