//! Avatars, logos, pitch decks and resumes: signed uploads, and signed URLs after the check of the field.

use serde_json::{Value, json};

use crate::world::{Hub, attach, codes};

#[tokio::test]
async fn files_are_uploaded_attached_and_read_by_those_who_may() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    let ada = hub.register("ada", "FOUNDER").await;
    hub.register("tom", "TALENT").await;
    hub.register("ida", "INVESTOR").await;
    let startup = hub.published("ada", "s", "PUBLIC").await;
    let role = hub.role("ada", &startup, "r").await;
    let application = hub.apply("tom", &role).await;
    let input = |purpose: &str, id: &str, kind: &str| json!({ "purpose": purpose, "id": id, "contentType": kind, "size": 4 });
    let avatar = attach(&hub, "ada", input("AVATAR", &ada, "image/png")).await;
    assert!(avatar["user"]["avatarUrl"].is_string());
    let logo = attach(&hub, "ada", input("LOGO", &startup, "image/png")).await;
    assert!(logo["startup"]["logoUrl"].is_string());
    let resume = attach(
        &hub,
        "tom",
        input("RESUME", &application, "application/pdf"),
    )
    .await;
    let url = resume["application"]["resumeUrl"]
        .as_str()
        .unwrap()
        .to_owned();
    let deck = attach(
        &hub,
        "ada",
        input("PITCH_DECK", &startup, "application/pdf"),
    )
    .await;
    assert!(deck["startup"]["pitchDeckUrl"].is_string());
    let body = hub
        .0
        .http
        .get(&url)
        .send()
        .await
        .unwrap()
        .bytes()
        .await
        .unwrap();
    assert_eq!(&body[..], b"%PDF");
    // A URL expires in minutes.
    hub.0.clock.advance(6 * 60);
    assert!(
        !hub.0
            .http
            .get(&url)
            .send()
            .await
            .unwrap()
            .status()
            .is_success()
    );
    let query =
        "query($id: ID!) { startup(id: $id) { pitchDeckUrl logoUrl founder { avatarUrl } } }";
    let seen = hub.query("ida", query, json!({ "id": startup })).await["startup"].clone();
    assert_eq!(seen["pitchDeckUrl"], Value::Null);
    assert!(seen["logoUrl"].is_string() && seen["founder"]["avatarUrl"].is_string());
    // The founder reads the resume; others do not get at the upload of somebody else.
    let query = "query($id: ID!) { node(id: $id) { ... on RoleApplication { resumeUrl } } }";
    let seen = hub.query("ada", query, json!({ "id": application })).await;
    assert!(seen["node"]["resumeUrl"].is_string());
    for (name, purpose, id, kind, code) in [
        (
            "ida",
            "PITCH_DECK",
            &startup,
            "application/pdf",
            "NOT_FOUND",
        ),
        ("ida", "AVATAR", &ada, "image/png", "NOT_FOUND"),
        (
            "ada",
            "RESUME",
            &application,
            "application/pdf",
            "NOT_FOUND",
        ),
        ("ada", "AVATAR", &startup, "image/png", "NOT_FOUND"),
        ("ada", "LOGO", &startup, "text/html", "INVALID"),
    ] {
        let payload = hub
            .mutate(
                name,
                "createUpload",
                input(purpose, id, kind),
                "upload { url }",
            )
            .await;
        assert_eq!(codes(&payload), [code], "{name} {purpose}");
    }
    let input = json!({
        "purpose": "LOGO", "id": startup, "uploadId": "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    });
    let payload = hub
        .mutate("ada", "attachUpload", input, "startup { id }")
        .await;
    assert_eq!(codes(&payload), ["NOT_FOUND"]);
    let input = json!({ "purpose": "LOGO", "id": startup });
    let payload = hub
        .mutate("ada", "attachUpload", input, "startup { logoUrl }")
        .await;
    assert_eq!(payload["startup"]["logoUrl"], Value::Null);
}

#[tokio::test]
async fn an_expected_version_reveals_nothing_about_objects_of_others() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    let ada = hub.register("ada", "FOUNDER").await;
    hub.register("tom", "TALENT").await;
    hub.register("eve", "TALENT").await;
    let startup = hub.published("ada", "s", "PUBLIC").await;
    let role = hub.role("ada", &startup, "r").await;
    let application = hub.apply("tom", &role).await;
    for (purpose, id) in [
        ("AVATAR", &ada),
        ("LOGO", &startup),
        ("PITCH_DECK", &startup),
        ("RESUME", &application),
    ] {
        let input = json!({ "purpose": purpose, "id": id, "expectedVersion": 999 });
        let fields = "user { id } startup { id } application { id }";
        let answer = hub.attempt("eve", "attachUpload", input, fields).await;
        let payload = answer.data()["attachUpload"].clone();
        assert_eq!(codes(&payload), ["NOT_FOUND"], "{purpose}");
    }
    // The owner gets the conflict.
    let input = json!({ "purpose": "LOGO", "id": startup, "expectedVersion": 999 });
    let payload = hub
        .mutate("ada", "attachUpload", input, "startup { id }")
        .await;
    assert_eq!(codes(&payload), ["CONFLICT"]);
}

#[tokio::test]
async fn a_pitch_decks_url_is_signed_for_its_viewer() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    hub.register("ada", "FOUNDER").await;
    hub.register("ida", "INVESTOR").await;
    let startup = hub.published("ada", "s", "PUBLIC").await;
    let access = hub.access("ida", &startup, "VIEW_DECK").await;
    hub.decide("ada", &access, "APPROVED", Value::Null).await;
    let input = json!({
        "purpose": "PITCH_DECK", "id": startup, "contentType": "application/pdf", "size": 4,
    });
    attach(&hub, "ada", input).await;
    let query = "query($id: ID!) { startup(id: $id) { pitchDeckUrl } }";
    let mut urls = Vec::new();
    for name in ["ada", "ida"] {
        let seen = hub.query(name, query, json!({ "id": startup })).await;
        let url = seen["startup"]["pitchDeckUrl"].as_str().unwrap().to_owned();
        assert!(url.contains(&format!("reader={name}")), "{url}");
        let answer = hub.0.http.get(&url).send().await.unwrap();
        assert!(answer.status().is_success());
        urls.push(url);
    }
    // The subject is part of what is signed.
    let forged = urls[0].replace("reader=ada", "reader=ida");
    let answer = hub.0.http.get(&forged).send().await.unwrap();
    assert!(!answer.status().is_success());
}
