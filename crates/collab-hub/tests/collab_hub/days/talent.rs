//! A talent finds a role, asks the founder, applies, is rejected by a slip and taken back.

use serde_json::{Value, json};

use super::{EVERYBODY, inbox, next, seen_by, status_of, titles, town};
use crate::world::{Hub, codes};

/// Uploads a PDF for the user's own id and returns the `uploadId`.
async fn upload_resume(hub: &Hub, name: &str, user: &str) -> Value {
    let input =
        json!({ "purpose": "RESUME", "id": user, "contentType": "application/pdf", "size": 4 });
    let fields = "upload { uploadId url headers { name value } }";
    let upload = hub.mutate(name, "createUpload", input, fields).await["upload"].clone();
    let mut put = hub.0.http.put(upload["url"].as_str().unwrap());
    for header in upload["headers"].as_array().unwrap() {
        put = put.header(
            header["name"].as_str().unwrap(),
            header["value"].as_str().unwrap(),
        );
    }
    assert!(put.body("%PDF").send().await.unwrap().status().is_success());
    upload["uploadId"].clone()
}

#[tokio::test]
async fn a_talent_applies_with_a_resume_and_is_rejected_by_a_slip_and_taken_back() {
    let hub = town().await;
    let startup = hub.published("ada", "Sunny", "PUBLIC").await;
    let far = json!({
        "startupId": startup, "title": "Engineer", "description": "x", "type": "FULL_TIME",
        "skills": ["Rust"], "location": "Z\u{fc}rich", "isRemote": true, "payMin": 90_000, "payMax": 120_000,
    });
    let role = hub.make("ada", "createRole", far, "role").await;
    hub.role("ada", &startup, "Designer").await;
    // Tom looks for what he can do.
    let filter = json!({ "skills": ["rust"], "location": "zurich", "isRemote": true, "payAtLeast": 100_000 });
    assert_eq!(titles(&hub, "tom", filter).await, ["Engineer"]);
    let none = json!({ "payAtLeast": 130_000 });
    assert_eq!(titles(&hub, "tom", none).await, Vec::<String>::new());
    // He asks the founder something. They have no tie, so she is asked first, and he waits.
    let ada = hub
        .query("ada", "{ viewer { user { id } } }", Value::Null)
        .await["viewer"]["user"]["id"]
        .clone();
    let direct = json!({ "type": "DIRECT", "participantIds": [ada], "introduction": "Is it far?" });
    let talk = hub
        .make("tom", "createConversation", direct, "conversation")
        .await;
    assert_eq!(seen_by(&hub, &talk, &EVERYBODY).await, ["ada", "tom"]);
    let hello = json!({ "conversationId": talk, "content": "Hello" });
    let refused = hub
        .mutate("tom", "sendMessage", hello.clone(), "message { id }")
        .await;
    assert_eq!(codes(&refused), ["CONFLICT"]);
    let accept = json!({ "conversationId": talk });
    hub.make("ada", "acceptConversation", accept, "conversation")
        .await;
    hub.make("tom", "sendMessage", hello, "message").await;
    // He applies with his resume in one go.
    let tom = hub
        .query("tom", "{ viewer { user { id } } }", Value::Null)
        .await["viewer"]["user"]["id"]
        .clone();
    let upload = upload_resume(&hub, "tom", tom.as_str().unwrap()).await;
    let mut adas = inbox(&hub, "ada").await;
    let mut toms = inbox(&hub, "tom").await;
    let input = json!({ "roleId": role, "coverLetter": "I am Tom.", "resumeUploadId": upload });
    let application = hub.make("tom", "applyForRole", input, "application").await;
    let told = next(&mut adas).await["notification"].clone();
    assert_eq!(
        told["body"],
        "tom-first tom-last applied for Engineer at Sunny."
    );
    assert_eq!(
        (&told["role"]["title"], &told["actor"]["firstName"]),
        (&json!("Engineer"), &json!("tom-first"))
    );
    assert_eq!(
        seen_by(&hub, &application, &EVERYBODY).await,
        ["ada", "tom"]
    );
    let query = "query($id: ID!) { node(id: $id) { ... on RoleApplication { resumeUrl } } }";
    let url =
        hub.query("ada", query, json!({ "id": application })).await["node"]["resumeUrl"].clone();
    let file = hub.0.http.get(url.as_str().unwrap()).send().await.unwrap();
    let header = |name: &str| file.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "application/pdf");
    assert_eq!(
        header("content-disposition"),
        "inline; filename=\"resume.pdf\""
    );
    // A URL is good for a minute.
    hub.0.clock.advance(61);
    assert_eq!(
        hub.0
            .http
            .get(url.as_str().unwrap())
            .send()
            .await
            .unwrap()
            .status(),
        403
    );
    // Ada slips, and takes it back.
    let review = async |status: &str, reason: Value| {
        let input = json!({ "id": application, "status": status, "reason": reason });
        hub.mutate("ada", "reviewApplication", input, "application { status }")
            .await
    };
    review("REJECTED", json!("Too far away")).await;
    let told = next(&mut toms).await["notification"].clone();
    assert_eq!(
        told["body"],
        "Your application for Engineer at Sunny was rejected. Reason: Too far away"
    );
    let seen = "query($id: ID!) { node(id: $id) { ... on RoleApplication { status reason founderNotes } } }";
    let seen = hub.query("tom", seen, json!({ "id": application })).await["node"].clone();
    assert_eq!(seen["reason"], "Too far away");
    // Nobody else learns of the rejection, and the role is as open as before.
    assert_eq!(
        seen_by(&hub, &application, &EVERYBODY).await,
        ["ada", "tom"]
    );
    assert_eq!(seen_by(&hub, &role, &EVERYBODY).await, EVERYBODY);
    // Tom cannot apply again at once.
    let again = json!({ "roleId": role, "coverLetter": "Again." });
    let refused = hub
        .mutate("tom", "applyForRole", again.clone(), "application { id }")
        .await;
    assert_eq!(codes(&refused), ["CONFLICT"]);
    let back = review("REVIEWING", Value::Null).await;
    assert_eq!(back["application"]["status"], "REVIEWING");
    let told = next(&mut toms).await["notification"].clone();
    assert_eq!(
        told["body"],
        "Your application for Engineer at Sunny is under review again."
    );
    assert_eq!(
        status_of(&hub, "tom", &application, "RoleApplication").await,
        "REVIEWING"
    );
    // Shortlisted and back again, then accepted: now the resume stays as it is.
    for status in ["SHORTLISTED", "REVIEWING", "ACCEPTED"] {
        assert_eq!(
            review(status, Value::Null).await["userErrors"],
            json!([]),
            "{status}"
        );
        let _ = next(&mut toms).await;
    }
    let exchange = json!({ "purpose": "RESUME", "id": application });
    let frozen = hub
        .mutate("tom", "attachUpload", exchange, "application { id }")
        .await;
    assert_eq!(codes(&frozen), ["CONFLICT"]);
    // Ada closes the role by mistake and reopens it; Tina, who waits, is told.
    let tina = hub.apply("tina", &role).await;
    hub.make("ada", "closeRole", json!({ "id": role }), "role")
        .await;
    let list = "{ notifications { edges { node { title role { title } } } } }";
    let told = hub.query("tina", list, Value::Null).await;
    let told = told["notifications"]["edges"][0]["node"].clone();
    assert_eq!(
        told,
        json!({ "title": "Role closed", "role": { "title": "Engineer" } })
    );
    assert_eq!(titles(&hub, "tina", Value::Null).await, ["Designer"]);
    hub.make("ada", "reopenRole", json!({ "id": role }), "role")
        .await;
    assert_eq!(titles(&hub, "tina", Value::Null).await.len(), 2);
    // Tina is rejected, and can apply again after 30 days; the earlier decision is then final.
    let reject = |status: &str| json!({ "id": tina, "status": status });
    hub.make(
        "ada",
        "reviewApplication",
        reject("REJECTED"),
        "application",
    )
    .await;
    hub.0.clock.advance(31 * 24 * 3600);
    hub.make("tina", "applyForRole", again, "application").await;
    let late = hub
        .mutate(
            "ada",
            "reviewApplication",
            reject("REVIEWING"),
            "application { id }",
        )
        .await;
    assert_eq!(codes(&late), ["CONFLICT"]);
}

#[tokio::test]
async fn applying_and_withdrawing_all_day_notifies_the_founder_twice() {
    let hub = town().await;
    let startup = hub.published("ada", "Sunny", "PUBLIC").await;
    let role = hub.role("ada", &startup, "Engineer").await;
    for _ in 0..5 {
        let application = hub.apply("tom", &role).await;
        let input = json!({ "id": application });
        hub.make("tom", "withdrawApplication", input, "application")
            .await;
    }
    let query = "{ notifications { edges { node { type } } } }";
    let told = hub.query("ada", query, Value::Null).await;
    let told = told["notifications"]["edges"].as_array().unwrap().clone();
    let about = told
        .iter()
        .filter(|edge| edge["node"]["type"] == "APPLICATION_UPDATE");
    assert_eq!(about.count(), 2);
}

#[tokio::test]
async fn the_inbox_is_one_subscription_and_two_users_have_one_conversation() {
    let hub = town().await;
    let tom = hub
        .query("tom", "{ viewer { user { id } } }", Value::Null)
        .await["viewer"]["user"]["id"]
        .clone();
    hub.tie("ada", "tom").await;
    let direct = json!({ "type": "DIRECT", "participantIds": [tom] });
    let conversation = hub
        .make("ada", "createConversation", direct.clone(), "conversation")
        .await;
    assert_eq!(
        hub.make("ada", "createConversation", direct, "conversation")
            .await,
        conversation
    );
    let ada = hub
        .query("ada", "{ viewer { user { id } } }", Value::Null)
        .await["viewer"]["user"]["id"]
        .clone();
    let back = json!({ "type": "DIRECT", "participantIds": [ada] });
    assert_eq!(
        hub.make("tom", "createConversation", back, "conversation")
            .await,
        conversation
    );
    let mut toms = inbox(&hub, "tom").await;
    let mut tinas = inbox(&hub, "tina").await;
    for content in ["one", "two"] {
        let input = json!({ "conversationId": conversation, "content": content });
        hub.make("ada", "sendMessage", input, "message").await;
    }
    // The first message makes a notification; the second one does not, because the first is not read.
    let mut messages = Vec::new();
    let mut notified = Vec::new();
    for _ in 0..3 {
        let change = next(&mut toms).await;
        if change["message"].is_object() {
            messages.push(change["message"]["content"].clone())
        } else {
            notified.push(change["notification"]["body"].clone())
        }
    }
    assert_eq!(messages, ["one", "two"]);
    assert_eq!(notified, ["ada-first ada-last sent a message."]);
    let unread = "{ viewer { unreadMessages } }";
    assert_eq!(
        hub.query("tom", unread, Value::Null).await["viewer"]["unreadMessages"],
        2
    );
    let read = json!({ "conversationId": conversation });
    hub.make("tom", "markConversationRead", read, "conversation")
        .await;
    assert_eq!(
        hub.query("tom", unread, Value::Null).await["viewer"]["unreadMessages"],
        0
    );
    // Nothing of it reached Tina: the next thing she hears is her own.
    let startup = hub.published("ada", "Sunny", "PUBLIC").await;
    let role = hub.role("ada", &startup, "Engineer").await;
    let application = hub.apply("tina", &role).await;
    let review = json!({ "id": application, "status": "REVIEWING" });
    hub.make("ada", "reviewApplication", review, "application")
        .await;
    let heard = next(&mut tinas).await;
    assert_eq!(heard["notification"]["title"], "Application updated");
}
