//! Notifications that are marked as read while others arrive, at each call of the mutation.

use serde_json::{Value, json};
use trestle_collab_hub::SERVICE;
use trestle_testing::Calls;
use trestle_testing::faults::Faults;
use trestle_testing::hosted::{TestClock, TestServer, faulty};

use crate::world::Hub;

const OPERATIONS: [&str; 5] = [
    "GetItem",
    "BatchGetItem",
    "Query",
    "UpdateItem",
    "TransactWriteItems",
];

/// Number of calls of each operation at which a notification arrives, at most.
const CALLS: u64 = 8;

/// The answer to a mutation of tom's while a message of ada's arrives, before that call is sent. `None` if it has no such call.
async fn while_told(
    hub: &Hub,
    faults: &Faults,
    call: (&str, u64),
    mutation: (&str, Value),
    message: &Value,
) -> Option<Value> {
    faults.hold_after(call.0, call.1);
    let marked = hub.mutate("tom", mutation.0, mutation.1, "__typename");
    tokio::pin!(marked);
    let told = async {
        faults.held().await;
        hub.make("ada", "sendMessage", message.clone(), "message")
            .await;
        faults.release();
    };
    tokio::select! {
        _ = &mut marked => {
            faults.hold_after("", 0);
            return None;
        }
        () = told => {}
    }
    Some(marked.await)
}

/// The number on the badge, and that of unread notifications.
async fn unread(hub: &Hub) -> (Value, usize) {
    let list = "{ notifications(onlyUnread: true) { edges { node { id } } }
        viewer { user { unreadNotifications } } }";
    let list = hub.query("tom", list, Value::Null).await;
    let edges = list["notifications"]["edges"].as_array().unwrap().len();
    (list["viewer"]["user"]["unreadNotifications"].clone(), edges)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn notifications_are_marked_while_others_arrive() {
    let faults = Faults::none();
    let store = faulty(&faults);
    let server = TestServer::start_on(&SERVICE, store, Calls::default(), TestClock::default(), &[]);
    let hub = Hub(server.await);
    hub.register("ada", "FOUNDER").await;
    hub.tier("ada", "ENTERPRISE").await;
    let tom = hub.register("tom", "TALENT").await;
    hub.tie("ada", "tom").await;
    let direct = json!({ "type": "DIRECT", "participantIds": [tom] });
    let conversation = hub
        .make("ada", "createConversation", direct, "conversation")
        .await;
    let message = json!({ "conversationId": conversation, "content": "hello" });
    // What arrives is of another one: messages of a conversation wait for who reads it.
    let group = json!({ "type": "GROUP", "participantIds": [tom] });
    let group = hub
        .make("ada", "createConversation", group, "conversation")
        .await;
    let other = json!({ "conversationId": group, "content": "hello" });
    let mutations = [
        ("markAllNotificationsRead", json!({})),
        (
            "markConversationRead",
            json!({ "conversationId": conversation }),
        ),
    ];
    let mut met = 0;
    for (mutation, input) in mutations {
        for operation in OPERATIONS {
            for passing in 0..CALLS {
                hub.make("ada", "sendMessage", message.clone(), "message")
                    .await;
                let about = format!("{mutation}, {operation} {passing}");
                let call = (operation, passing);
                let marked =
                    while_told(&hub, &faults, call, (mutation, input.clone()), &other).await;
                let Some(marked) = marked else {
                    break;
                };
                met += 1;
                assert_eq!(marked["userErrors"], json!([]), "{about}: {marked}");
                let (badge, listed) = unread(&hub).await;
                assert_eq!(badge, json!(listed), "{about}");
            }
        }
    }
    assert!(met > 8, "{met}");
}
