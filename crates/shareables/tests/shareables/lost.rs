//! Answers of the store that get lost: each change is made once.

use aws_smithy_runtime_api::client::http::SharedHttpConnector;
use serde_json::json;
use trestle_dynamodb::Embedded;
use trestle_shareables::{POOL, SERVICE, TABLE};
use trestle_table::Table;

use crate::site::{UNLIMITED, VIEW, checklist, errors, items, mutate, open, options, poll};
use trestle_testing::Calls;
use trestle_testing::faults::{Fault, Faults, Tokens};
use trestle_testing::hosted::{TestClock, TestServer};

#[tokio::test]
async fn a_change_whose_answer_is_lost_is_made_once() {
    let store = Embedded::memory().unwrap();
    for table in [&TABLE, &POOL] {
        let table = Table::new(store.client(), table, table.default_name);
        table.create().await.unwrap();
    }
    let faults = Faults::none();
    let client = faults.client(SharedHttpConnector::new(store), 3);
    let calls = Calls::default();
    let site =
        TestServer::start_on(&SERVICE, client, calls, TestClock::default(), &UNLIMITED).await;
    faults.tokens(Tokens::Stripped);
    let lose = |operation: &str| faults.next(operation, [Some(Fault::LostAnswer)]);

    lose("TransactWriteItems");
    let list = checklist(&site, 2).await;
    assert_eq!(items(&site, &list).await.len(), 2);
    lose("TransactWriteItems");
    let id = uuid::Uuid::new_v4();
    let add = json!({ "shortId": list.short_id, "name": "new", "itemId": id });
    let added = mutate(&site, &list.token, "addChecklistItem", "item { id }", add).await;
    assert_eq!(errors(&added), [""; 0]);
    assert_eq!(items(&site, &list).await.len(), 3);
    lose("UpdateItem");
    let tick = json!({ "id": added["item"]["id"] });
    let ticked = mutate(&site, &list.token, "tickChecklistItem", "", tick).await;
    assert_eq!(errors(&ticked), [""; 0]);
    assert!(items(&site, &list).await[2].2);
    lose("TransactWriteItems");
    let delete = json!({ "id": added["item"]["id"] });
    let deleted = mutate(&site, &list.token, "deleteChecklistItem", "", delete).await;
    assert_eq!(errors(&deleted), [""; 0]);
    assert_eq!(items(&site, &list).await.len(), 2);

    let made = poll(&site, json!({})).await;
    let bob = open(&site, &made.short_id, VIEW).await;
    let ids: Vec<_> = options(&site, &made)
        .await
        .into_iter()
        .map(|o| o.0)
        .collect();
    for (option, expected) in [(0, [1, 0, 0]), (1, [0, 1, 0]), (0, [1, 0, 0])] {
        lose("TransactWriteItems");
        let vote = json!({ "shortId": made.short_id, "optionIds": [ids[option]] });
        let voted = mutate(&site, &bob.token, "vote", "", vote).await;
        assert_eq!(errors(&voted), [""; 0]);
        let counts: Vec<_> = options(&site, &made)
            .await
            .into_iter()
            .map(|o| o.2)
            .collect();
        assert_eq!(counts, expected.map(Some));
    }
}
