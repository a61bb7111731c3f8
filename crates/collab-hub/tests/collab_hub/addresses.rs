//! Email addresses belong to those who have verified them.

use serde_json::{Value, json};

use crate::world::{Hub, codes};

const REGISTER: &str = "mutation($input: RegisterUserInput!) { registerUser(input: $input) { user { id status email } \
                        userErrors { code field } } }";

fn input(email: &str) -> Value {
    json!({ "input": { "role": "TALENT", "email": email, "firstName": "x", "lastName": "x" } })
}

#[tokio::test]
async fn a_verified_owner_takes_the_address_from_those_who_only_named_it() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    let email = "olga@example.com";
    let squatter = hub.0.data("eve write", REGISTER, input(email)).await["registerUser"].clone();
    assert_eq!(squatter["user"]["status"], "PENDING_VERIFICATION");
    let owner = format!("olga write email={email}");
    let registered = hub.0.data(&owner, REGISTER, input(email)).await["registerUser"].clone();
    assert_eq!(registered["user"]["status"], "ACTIVE");
    // Now it is hers: another one who has it verified gets a conflict, and the squatter cannot verify it.
    let other = hub
        .0
        .data(&format!("oleg write email={email}"), REGISTER, input(email))
        .await;
    assert_eq!(codes(&other["registerUser"]), ["CONFLICT"]);
    let found = format!("{{ userByEmail(email: \"{email}\") {{ userId }} }}");
    let found = hub.query("root", &found, Value::Null).await;
    assert_eq!(found["userByEmail"]["userId"], "olga");
    // An admin who activates the squatter does not make the address theirs.
    let eve = squatter["user"]["id"].clone();
    hub.make(
        "root",
        "setUserStatus",
        json!({ "id": eve, "status": "ACTIVE" }),
        "user",
    )
    .await;
    let found = format!("{{ userByEmail(email: \"{email}\") {{ userId }} }}");
    let found = hub.query("root", &found, Value::Null).await;
    assert_eq!(found["userByEmail"]["userId"], "olga");
    // An admin frees it.
    let olga = registered["user"]["id"].clone();
    let freed = hub
        .mutate(
            "root",
            "releaseEmail",
            json!({ "id": olga }),
            "user { status }",
        )
        .await;
    assert_eq!(freed["user"]["status"], "PENDING_VERIFICATION");
    let oleg = hub
        .0
        .data(&format!("oleg write email={email}"), REGISTER, input(email))
        .await;
    assert_eq!(oleg["registerUser"]["user"]["status"], "ACTIVE");
}

#[tokio::test]
async fn changing_the_address_makes_the_user_unverified_until_it_is_verified() {
    let hub = Hub::start().await;
    hub.register("ada", "FOUNDER").await;
    let update = "mutation($input: UpdateProfileInput!) { updateProfile(input: $input) { user { status } userErrors { \
                  code } } }";
    let change = json!({ "input": { "email": "new@example.com" } });
    let changed = hub
        .0
        .data("ada write email=ada@example.com", update, change.clone())
        .await;
    assert_eq!(
        changed["updateProfile"]["user"]["status"],
        "PENDING_VERIFICATION"
    );
    // The old address is free.
    let taken = "bob write email=ada@example.com";
    let bob = hub.0.data(taken, REGISTER, input("ada@example.com")).await;
    assert_eq!(bob["registerUser"]["user"]["status"], "ACTIVE");
    let verify = "mutation { verifyEmail(input: {}) { user { status } userErrors { code } } }";
    let verified = hub
        .0
        .data("ada write email=new@example.com", verify, Value::Null)
        .await;
    assert_eq!(verified["verifyEmail"]["user"]["status"], "ACTIVE");
    // With a token that has the new address verified, the user stays active.
    let change = json!({ "input": { "email": "newer@example.com" } });
    let changed = hub
        .0
        .data("ada write email=newer@example.com", update, change)
        .await;
    assert_eq!(changed["updateProfile"]["user"]["status"], "ACTIVE");
}

/// Items of the first release: the guard names somebody who has not verified the address.
#[tokio::test]
async fn a_guard_of_an_unverified_user_does_not_keep_the_owner_out() {
    use aws_sdk_dynamodb::types::AttributeValue;
    let hub = Hub::start().await;
    let email = "olga@example.com";
    hub.0.data("eve write", REGISTER, input(email)).await;
    let text = |text: &str| AttributeValue::S(text.to_owned());
    let put = hub.0.dynamodb.put_item().table_name("collabhub-main");
    let put = put
        .item("PK", text(&format!("EMAIL#{email}")))
        .item("SK", text("GUARD"))
        .item("entityType", text("EMAIL_GUARD"))
        .item("address", text(email))
        .item("userId", text("eve"))
        .item("createdAt", text("2026-02-22T19:12:11.000Z"))
        .item("updatedAt", text("2026-02-22T19:12:11.000Z"));
    put.send().await.unwrap();
    let owner = format!("olga write email={email}");
    let registered = hub.0.data(&owner, REGISTER, input(email)).await["registerUser"].clone();
    assert_eq!(registered["user"]["status"], "ACTIVE", "{registered:#}");
}

/// Corrected before it is verified, an address that the credentials contain as verified needs no `verifyEmail`.
#[tokio::test]
async fn a_profile_is_active_once_its_address_is_corrected_to_a_verified_one() {
    let update = "mutation($input: UpdateProfileInput!) { updateProfile(input: $input) { user { status } userErrors { \
                  code } } }";
    let hub = Hub::start().await;
    hub.register("ada", "FOUNDER").await;
    for corrected in ["ada@example.com", "new@example.com"] {
        let credentials = format!("ada write email={corrected}");
        let change = async |email: &str| {
            let change = json!({ "input": { "email": email } });
            let changed = hub.0.data(&credentials, update, change).await;
            changed["updateProfile"]["user"]["status"].clone()
        };
        assert_eq!(change("typo@example.com").await, "PENDING_VERIFICATION");
        assert_eq!(change(corrected).await, "ACTIVE");
        // It is hers: nobody else gets it.
        let other = format!("eve write email={corrected}");
        let other = hub.0.data(&other, REGISTER, input(corrected)).await;
        assert_eq!(codes(&other["registerUser"]), ["CONFLICT"]);
    }
}
