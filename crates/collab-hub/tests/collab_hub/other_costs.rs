//! What files, notifications, addresses and Stripe's events cost, in calls to DynamoDB.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};

use crate::costs::{cost, of};
use crate::world::Hub;

#[tokio::test]
async fn files_notifications_and_addresses_cost_what_the_table_says() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    let query =
        "mutation($input: RegisterUserInput!) { registerUser(input: $input) { user { id } } }";
    let input =
        json!({ "role": "TALENT", "email": "p@example.com", "firstName": "p", "lastName": "p" });
    hub.0
        .data("p write", query, json!({ "input": input }))
        .await;
    let (_, costs) = of(&hub, "p", "verifyEmail", json!({}), "user { id }").await;
    assert_eq!(costs, (1, 1));
    let ada = hub.register("ada", "FOUNDER").await;
    let startup = hub.published("ada", "s", "PUBLIC").await;
    for (purpose, id, reads) in [("AVATAR", &ada, 1), ("LOGO", &startup, 2)] {
        let input = json!({ "purpose": purpose, "id": id, "contentType": "image/png", "size": 4 });
        let fields = "upload { uploadId url headers { name value } }";
        let (made, costs) = of(&hub, "ada", "createUpload", input, fields).await;
        assert_eq!(costs, (reads, 1), "{purpose}");
        let ticket = &made["upload"];
        let mut put = hub.0.http.put(ticket["url"].as_str().unwrap());
        for header in ticket["headers"].as_array().unwrap() {
            put = put.header(
                header["name"].as_str().unwrap(),
                header["value"].as_str().unwrap(),
            );
        }
        assert!(
            put.body("\u{89}PN")
                .send()
                .await
                .unwrap()
                .status()
                .is_success()
        );
        let input = json!({ "purpose": purpose, "id": id, "uploadId": ticket["uploadId"] });
        let (_, costs) = of(&hub, "ada", "attachUpload", input, "startup { id }").await;
        assert_eq!(costs, (2, 1), "{purpose}");
    }
    let list = "{ notifications(first: 1) { edges { node { id } } } }";
    let list = hub.query("ada", list, Value::Null).await;
    let id = list["notifications"]["edges"][0]["node"]["id"].clone();
    let input = json!({ "id": id });
    let (_, costs) = of(
        &hub,
        "ada",
        "markNotificationRead",
        input,
        "notification { id }",
    )
    .await;
    assert_eq!(costs, (2, 1));
    let query = "query($id: ID!) { nodes(ids: [$id, $id]) { id } }";
    assert_eq!(
        cost(&hub, "ada", query, json!({ "id": startup })).await,
        (2, 0)
    );
}

#[tokio::test]
async fn marking_every_notification_costs_what_the_table_says_for_its_bound() {
    let hub = Hub::start().await;
    hub.register("ada", "FOUNDER").await;
    for n in 0..450 {
        let item = [
            ("PK", "USER#ada".to_owned()),
            ("SK", format!("NOTIFICATION#01ARZ3NDEKTSV4RRFF{n:08}")),
            ("entityType", "NOTIFICATION".to_owned()),
            ("notificationId", format!("01ARZ3NDEKTSV4RRFF{n:08}")),
            ("userId", "ada".to_owned()),
            ("type", "SYSTEM".to_owned()),
            ("title", "x".to_owned()),
            ("body", "x".to_owned()),
            ("createdAt", "2026-02-22T19:12:11.000Z".to_owned()),
            ("updatedAt", "2026-02-22T19:12:11.000Z".to_owned()),
        ];
        let put = hub.0.dynamodb.put_item().table_name("collabhub-main");
        let put = item.into_iter().fold(put, |put, (name, value)| {
            put.item(name, AttributeValue::S(value))
        });
        let put = put
            .item("isRead", AttributeValue::Bool(false))
            .item("version", AttributeValue::N("1".to_owned()));
        put.send().await.unwrap();
    }
    let update = hub.0.dynamodb.update_item().table_name("collabhub-main");
    let update = update
        .key("PK", AttributeValue::S("USER#ada".to_owned()))
        .key("SK", AttributeValue::S("PROFILE".to_owned()))
        .update_expression("SET unreadNotifications = :all")
        .expression_attribute_values(":all", AttributeValue::N("450".to_owned()));
    update.send().await.unwrap();
    let (marked, costs) = of(&hub, "ada", "markAllNotificationsRead", json!({}), "marked").await;
    assert_eq!(marked["marked"], 450);
    assert_eq!(costs, (13, 5));
}

#[tokio::test]
async fn a_stripe_event_costs_what_the_table_says() {
    let hub = crate::stripe::hub().await;
    let start = trestle_testing::hosted::START;
    // Only of the first event of a subscription it is looked whether another program has stored it.
    for (id, user, queries) in [("evt_1", Some("ada"), 1), ("evt_2", None, 0)] {
        hub.0.calls.reset();
        let event = crate::stripe::event(id, "updated", start, "active", user);
        assert_eq!(crate::stripe::send(&hub, &event).await, 200);
        let counts = hub.0.calls.counts();
        assert_eq!(counts.get("GetItem"), Some(&3));
        assert_eq!(counts.get("Query").copied().unwrap_or_default(), queries);
        assert_eq!(counts.get("TransactWriteItems"), Some(&1));
    }
}

#[tokio::test]
async fn requests_blocks_reports_and_deletions_cost_what_the_table_says() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    let ada = hub.register("ada", "FOUNDER").await;
    let bea = hub.register("bea", "FOUNDER").await;
    let cleo = hub.register("cleo", "FOUNDER").await;
    hub.tie("ada", "cleo").await;
    let group = json!({ "type": "GROUP", "participantIds": [bea] });
    let conversation = hub
        .make("ada", "createConversation", group, "conversation")
        .await;
    let named = json!({ "conversationId": conversation });
    let said = json!({ "conversationId": conversation, "content": "x" });
    let add = json!({ "conversationId": conversation, "participantIds": [cleo] });
    let mute = json!({ "conversationId": conversation, "isMuted": true });
    for (name, mutation, input, costs) in [
        ("bea", "acceptConversation", &named, (3, 1)),
        ("ada", "addParticipants", &add, (3, 2)),
        ("cleo", "muteConversation", &mute, (2, 1)),
        // With the notification that she was added.
        ("cleo", "leaveConversation", &named, (3, 2)),
    ] {
        let field = "conversation { conversationType: type }";
        let used = of(&hub, name, mutation, input.clone(), field).await.1;
        assert_eq!(used, costs, "{mutation}");
    }
    let message = hub.make("ada", "sendMessage", said, "message").await;
    let report = json!({ "reportedId": message, "reason": "SPAM" });
    let (made, costs) = of(&hub, "bea", "createReport", report.clone(), "report { id }").await;
    assert_eq!(costs, (5, 2));
    // The admins were notified of it.
    let again = of(&hub, "bea", "createReport", report, "report { id }").await;
    assert_eq!(again.1, (4, 1));
    let report = made["report"]["id"].clone();
    let startup = hub.published("ada", "s", "PUBLIC").await;
    let role = hub.role("ada", &startup, "r").await;
    for (name, mutation, input, field, costs) in [
        (
            "root",
            "openReport",
            json!({ "id": report }),
            "content",
            (2, 1),
        ),
        (
            "root",
            "decideReport",
            json!({ "id": report, "status": "DISMISSED" }),
            "report { status }",
            (2, 1),
        ),
        (
            "bea",
            "blockUser",
            json!({ "id": ada }),
            "user { userId }",
            (2, 1),
        ),
        (
            "ada",
            "deleteMessage",
            json!({ "id": message }),
            "message { content }",
            // With a Query of the participants, whose unread counts may have it, and the notification of who has not read it.
            (6, 2),
        ),
        (
            "ada",
            "deleteRole",
            json!({ "id": role }),
            "role { title }",
            // With the note of the delete, which goes last.
            (4, 2),
        ),
        (
            "ada",
            "deleteStartup",
            json!({ "id": startup }),
            "startup { name }",
            (7, 2),
        ),
    ] {
        let used = of(&hub, name, mutation, input, field).await.1;
        assert_eq!(used, costs, "{mutation}");
    }
    let people = "{ people(role: FOUNDER) { edges { cursor } } }";
    assert_eq!(cost(&hub, "ada", people, Value::Null).await, (2, 0));
    let requests = "{ conversationRequests { edges { cursor } } }";
    assert_eq!(cost(&hub, "ada", requests, Value::Null).await, (2, 0));
}
