//! A file that was sent with a message belongs to its sender and to that message.

use serde_json::{Value, json};

use crate::world::{Hub, codes};

/// Two users who talk.
async fn talk() -> (Hub, String) {
    let hub = Hub::start().await;
    hub.register("ada", "FOUNDER").await;
    let bea = hub.register("bea", "FOUNDER").await;
    hub.tie("ada", "bea").await;
    let input = json!({ "type": "DIRECT", "participantIds": [bea] });
    let conversation = hub
        .make("ada", "createConversation", input, "conversation")
        .await;
    (hub, conversation)
}

/// Uploads a file and returns the id of the upload.
async fn upload(hub: &Hub, name: &str, conversation: &str) -> String {
    let input = json!({
        "purpose": "ATTACHMENT", "id": conversation, "contentType": "application/pdf", "size": 4,
    });
    let fields = "upload { uploadId url headers { name value } }";
    let ticket = hub.mutate(name, "createUpload", input, fields).await["upload"].clone();
    let mut put = hub.0.http.put(ticket["url"].as_str().unwrap());
    for header in ticket["headers"].as_array().unwrap() {
        let text = |name: &str| header[name].as_str().unwrap().to_owned();
        put = put.header(text("name"), text("value"));
    }
    assert!(put.body("%PDF").send().await.unwrap().status().is_success());
    ticket["uploadId"].as_str().unwrap().to_owned()
}

async fn send(hub: &Hub, name: &str, input: Value) -> Value {
    hub.mutate(name, "sendMessage", input, "message { id attachmentUrl }")
        .await
}

/// The status of a request for a message's file.
async fn file(hub: &Hub, message: &Value) -> u16 {
    let url = message["attachmentUrl"].as_str().unwrap();
    let answer = hub.0.http.get(url).send().await.unwrap();
    answer.status().as_u16()
}

#[tokio::test]
async fn nobody_sends_or_deletes_the_file_of_another_participant() {
    let (hub, conversation) = talk().await;
    let upload = upload(&hub, "ada", &conversation).await;
    let input = json!({
        "conversationId": conversation, "content": "The plan", "attachmentUploadId": upload,
    });
    // Neither before it is sent nor after.
    let early = send(&hub, "bea", input.clone()).await;
    assert_eq!(codes(&early), ["NOT_FOUND"]);
    let sent = send(&hub, "ada", input.clone()).await["message"].clone();
    assert_eq!(file(&hub, &sent).await, 200);
    let late = send(&hub, "bea", input).await;
    assert_eq!(codes(&late), ["NOT_FOUND"]);
    assert_eq!(
        late["userErrors"][0]["field"],
        json!(["attachmentUploadId"])
    );
    assert_eq!(file(&hub, &sent).await, 200);
}

#[tokio::test]
async fn a_file_is_sent_with_one_message() {
    let (hub, conversation) = talk().await;
    let upload = upload(&hub, "ada", &conversation).await;
    let input = json!({
        "conversationId": conversation, "content": "The plan", "attachmentUploadId": upload,
    });
    let sent = send(&hub, "ada", input.clone()).await["message"].clone();
    // Sent again by a client that did not hear the answer, it is the same message.
    let again = send(&hub, "ada", input.clone()).await;
    assert_eq!(again["message"]["id"], sent["id"]);
    let mut other = input.clone();
    other["content"] = json!("Another text");
    let refused = send(&hub, "ada", other).await;
    assert_eq!(codes(&refused), ["CONFLICT"]);
    let mut named = input;
    named["messageId"] = json!("01ARZ3NDEKTSV4RRFFQ69G5FAV");
    let refused = send(&hub, "ada", named).await;
    assert_eq!(codes(&refused), ["CONFLICT"]);
    assert_eq!(
        refused["userErrors"][0]["field"],
        json!(["attachmentUploadId"])
    );
    assert_eq!(file(&hub, &sent).await, 200);
}
