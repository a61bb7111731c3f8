//! A hub with users, startups and everything else, made through the API.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use trestle_collab_hub::SERVICE;

use trestle_testing::hosted::TestServer;

/// A running service.
pub struct Hub(pub TestServer);

/// The credentials of a user whose email address is verified.
pub fn viewer(name: &str) -> String {
    format!("{name} write email={name}@example.com")
}

impl Hub {
    pub async fn start() -> Self {
        Self(TestServer::start(&SERVICE).await)
    }

    /// Runs a mutation and returns its payload.
    pub async fn mutate(&self, name: &str, mutation: &str, input: Value, field: &str) -> Value {
        let data = self.attempt(name, mutation, input, field).await.data();
        data[mutation].clone()
    }

    /// Runs a mutation.
    pub async fn attempt(
        &self,
        name: &str,
        mutation: &str,
        input: Value,
        field: &str,
    ) -> trestle_testing::Answer {
        let mut kind = mutation.to_owned();
        kind[..1].make_ascii_uppercase();
        let query = format!(
            "mutation($input: {kind}Input!) {{ {mutation}(input: $input) {{ {field} userErrors {{ code message field }} }} }}"
        );
        self.0
            .run(&viewer(name), &query, json!({ "input": input }))
            .await
    }

    /// Runs a mutation that must succeed, and returns the id of what it changed.
    pub async fn make(&self, name: &str, mutation: &str, input: Value, field: &str) -> String {
        let payload = self
            .mutate(name, mutation, input, &format!("{field} {{ id }}"))
            .await;
        let id = payload[field]["id"].as_str();
        id.unwrap_or_else(|| panic!("{mutation}: {payload:#}"))
            .to_owned()
    }

    pub async fn query(&self, name: &str, query: &str, variables: Value) -> Value {
        self.0.data(&viewer(name), query, variables).await
    }

    pub async fn register(&self, name: &str, role: &str) -> String {
        let input = json!({
            "role": role, "email": format!("{name}@example.com"),
            "firstName": format!("{name}-first"), "lastName": format!("{name}-last"),
        });
        self.make(name, "registerUser", input, "user").await
    }

    /// An admin, as `trestle collab-hub make-admin` makes one.
    pub async fn admin(&self, name: &str) -> String {
        let id = self.register(name, "FOUNDER").await;
        let text = |text: &str| AttributeValue::S(text.into());
        let update = self.0.dynamodb.update_item().table_name("collabhub-main");
        let update = update
            .key("PK", text(&format!("USER#{name}")))
            .key("SK", text("PROFILE"))
            .update_expression("SET #role = :admin, GSI1PK = :place")
            .expression_attribute_names("#role", "role")
            .expression_attribute_values(":admin", text("ADMIN"))
            .expression_attribute_values(":place", text("ROLE#ADMIN"));
        update.send().await.expect("the user is there");
        id
    }

    /// A tie of two users, as an application for a role of one of them makes it.
    pub async fn tie(&self, one: &str, other: &str) {
        let (first, second) = if one <= other {
            (one, other)
        } else {
            (other, one)
        };
        let text = |text: &str| AttributeValue::S(text.into());
        let put = self.0.dynamodb.put_item().table_name("collabhub-main");
        let put = put
            .item("PK", text(&format!("CONTACT#{first}")))
            .item("SK", text(&format!("WITH#{second}")))
            .item("entityType", text("CONTACT"))
            .item("firstId", text(first))
            .item("secondId", text(second))
            .item("version", AttributeValue::N("1".into()))
            .item("createdAt", text("2026-02-22T19:12:11.000Z"))
            .item("updatedAt", text("2026-02-22T19:12:11.000Z"));
        put.send().await.expect("it is written");
    }

    /// The tier of a user, as an event of Stripe sets it.
    pub async fn tier(&self, name: &str, tier: &str) {
        let text = |text: &str| AttributeValue::S(text.into());
        let update = self.0.dynamodb.update_item().table_name("collabhub-main");
        let update = update
            .key("PK", text(&format!("USER#{name}")))
            .key("SK", text("PROFILE"))
            .update_expression("SET subscriptionTier = :tier")
            .expression_attribute_values(":tier", text(tier));
        update.send().await.expect("the user is there");
    }

    /// A startup, published if it is to be active.
    pub async fn startup(&self, founder: &str, name: &str, visibility: &str) -> String {
        let input = json!({
            "name": name, "tagline": format!("{name} tagline"), "description": format!("{name} description"),
            "industry": "Energy", "location": "Basel", "visibility": visibility, "tags": ["solar"],
            "fundingGoal": 1_000_000, "teamSize": 3,
        });
        self.make(founder, "createStartup", input, "startup").await
    }

    pub async fn set_status(&self, name: &str, startup: &str, status: &str) {
        let input = json!({ "id": startup, "status": status });
        self.make(name, "setStartupStatus", input, "startup").await;
    }

    /// A startup that an admin called `root` has activated.
    pub async fn published(&self, founder: &str, name: &str, visibility: &str) -> String {
        let id = self.startup(founder, name, visibility).await;
        self.set_status(founder, &id, "PENDING_REVIEW").await;
        self.set_status("root", &id, "ACTIVE").await;
        id
    }

    pub async fn role(&self, founder: &str, startup: &str, title: &str) -> String {
        let input = json!({
            "startupId": startup, "title": title, "description": format!("{title} description"),
            "type": "FULL_TIME",
        });
        self.make(founder, "createRole", input, "role").await
    }

    pub async fn access(&self, investor: &str, startup: &str, level: &str) -> String {
        let input = json!({ "startupId": startup, "accessLevel": level });
        self.make(investor, "requestAccess", input, "accessRequest")
            .await
    }

    pub async fn decide(&self, founder: &str, access: &str, status: &str, expires: Value) {
        let input = json!({ "id": access, "status": status, "expiresAt": expires });
        self.make(founder, "decideAccess", input, "accessRequest")
            .await;
    }

    pub async fn apply(&self, talent: &str, role: &str) -> String {
        let input = json!({ "roleId": role, "coverLetter": format!("letter of {talent}") });
        self.make(talent, "applyForRole", input, "application")
            .await
    }

    /// Every item of the table, as a test reads it.
    pub async fn items(&self) -> Vec<HashMap<String, AttributeValue>> {
        self.0.items("collabhub-main").await
    }
}

/// The codes of a payload's user errors.
pub fn codes(payload: &Value) -> Vec<&str> {
    let errors = payload["userErrors"].as_array().expect("errors");
    errors
        .iter()
        .map(|error| error["code"].as_str().unwrap())
        .collect()
}

/// Everything that the table of viewers is about.
pub struct World {
    pub hub: Hub,
    /// Ids by name: `public`, `investors`, `private`, `draft`, `suspended`, each with `role-...`; `application`,
    /// `access`, `conversation`, `message`, `notification`, `subscription`, `audit`, and users by their names.
    pub ids: HashMap<String, String>,
}

pub const VIEWERS: [&str; 13] = [
    "nobody",
    "pending",
    "banned",
    "talent",
    "other-talent",
    "founder",
    "other-founder",
    "investor",
    "profile",
    "deck",
    "full",
    "expired",
    "revoked",
];

impl World {
    pub async fn make() -> Self {
        let hub = Hub::start().await;
        let mut ids = HashMap::new();
        ids.insert("root".to_owned(), hub.admin("root").await);
        for name in ["founder", "other-founder"] {
            ids.insert(name.to_owned(), hub.register(name, "FOUNDER").await);
        }
        for name in ["talent", "other-talent", "banned"] {
            ids.insert(name.to_owned(), hub.register(name, "TALENT").await);
        }
        for name in ["investor", "profile", "deck", "full", "expired", "revoked"] {
            ids.insert(name.to_owned(), hub.register(name, "INVESTOR").await);
        }
        // No verified address.
        let input = json!({
            "role": "INVESTOR", "email": "pending@example.com", "firstName": "p", "lastName": "p",
        });
        let query = "mutation($input: RegisterUserInput!) { registerUser(input: $input) { user { id status } } }";
        let pending = hub
            .0
            .data("pending write", query, json!({ "input": input }))
            .await;
        assert_eq!(
            pending["registerUser"]["user"]["status"],
            "PENDING_VERIFICATION"
        );
        for (name, visibility) in [
            ("public", "PUBLIC"),
            ("investors", "INVESTORS_ONLY"),
            ("suspended", "PUBLIC"),
        ] {
            ids.insert(
                name.into(),
                hub.published("founder", &marked(name), visibility).await,
            );
        }
        ids.insert(
            "draft".into(),
            hub.startup("founder", &marked("draft"), "PUBLIC").await,
        );
        let private = hub
            .published("founder", &marked("private"), "INVESTORS_ONLY")
            .await;
        for name in ["public", "investors", "suspended", "draft"] {
            let role = hub.role("founder", &ids[name], &marked(name)).await;
            ids.insert(format!("role-{name}"), role);
        }
        ids.insert(
            "role-private".into(),
            hub.role("founder", &private, &marked("private")).await,
        );
        let levels = [
            ("profile", "VIEW_PROFILE"),
            ("deck", "VIEW_DECK"),
            ("full", "FULL_ACCESS"),
            ("expired", "FULL_ACCESS"),
            ("revoked", "FULL_ACCESS"),
        ];
        for startup in [&private, &ids["public"]] {
            for (name, level) in levels {
                let access = hub.access(name, startup, level).await;
                let expires = match name {
                    "expired" => json!("2026-02-22T20:00:00Z"),
                    _ => Value::Null,
                };
                hub.decide("founder", &access, "APPROVED", expires).await;
                if name == "revoked" {
                    hub.decide("founder", &access, "REVOKED", Value::Null).await;
                }
            }
        }
        let access = hub.access("investor", &ids["investors"], "VIEW_DECK").await;
        ids.insert("access".into(), access);
        for startup in [&private, &ids["public"]] {
            let input = json!({
                "purpose": "PITCH_DECK", "id": startup, "contentType": "application/pdf", "size": 4,
            });
            attach(&hub, "founder", input).await;
        }
        let input = json!({
            "startupId": private, "accessLevel": "VIEW_DECK", "email": "deck@example.com",
        });
        ids.insert(
            "invitation".into(),
            hub.make("founder", "createInvitation", input, "invitation")
                .await,
        );
        let role = hub.role("founder", &private, "Invited").await;
        let invitation = hub
            .make(
                "founder",
                "inviteToRole",
                json!({ "roleId": role }),
                "invitation",
            )
            .await;
        ids.insert("role-invitation".into(), invitation);
        let input = json!({ "id": private, "visibility": "PRIVATE" });
        hub.make("founder", "updateStartup", input, "startup").await;
        ids.insert("private".into(), private);
        ids.insert(
            "application".into(),
            hub.apply("talent", &ids["role-public"]).await,
        );
        let input = json!({ "id": ids["application"], "founderNotes": marked("notes") });
        hub.make("founder", "reviewApplication", input, "application")
            .await;
        hub.set_status("root", &ids["suspended"], "SUSPENDED").await;
        let input = json!({ "type": "DIRECT", "participantIds": [ids["talent"]] });
        let conversation = hub
            .make("founder", "createConversation", input, "conversation")
            .await;
        let input = json!({ "conversationId": conversation, "content": marked("message") });
        ids.insert(
            "message".into(),
            hub.make("founder", "sendMessage", input, "message").await,
        );
        ids.insert("conversation".into(), conversation);
        let input = json!({
            "type": "DIRECT", "participantIds": [ids["talent"]], "introduction": marked("request"),
        });
        let request = hub
            .make("other-founder", "createConversation", input, "conversation")
            .await;
        ids.insert("request".into(), request);
        let input = json!({ "reportedId": ids["message"], "reason": "SPAM" });
        ids.insert(
            "report".into(),
            hub.make("talent", "createReport", input, "report").await,
        );
        let list = "{ notifications(first: 1) { edges { node { id } } } }";
        let node = |data: &Value, list: &str| {
            data[list]["edges"][0]["node"]["id"]
                .as_str()
                .unwrap()
                .to_owned()
        };
        ids.insert(
            "notification".into(),
            node(
                &hub.query("founder", list, json!({})).await,
                "notifications",
            ),
        );
        let list = r#"{ auditLog(date: "2026-02-22", first: 1) { edges { node { id } } } }"#;
        ids.insert(
            "audit".into(),
            node(&hub.query("root", list, json!({})).await, "auditLog"),
        );
        let input = json!({ "id": ids["banned"], "status": "BANNED", "reason": marked("reason") });
        hub.make("root", "setUserStatus", input, "user").await;
        hub.0.clock.advance(2 * 3600);
        Self { hub, ids }
    }
}

/// Text that is found again wherever it leaks.
pub fn marked(name: &str) -> String {
    format!("MARK-{name}-")
}

/// Uploads four bytes and attaches them. Returns the payload.
pub async fn attach(hub: &Hub, name: &str, input: Value) -> Value {
    let ticket = hub
        .mutate(
            name,
            "createUpload",
            input.clone(),
            "upload { uploadId url headers { name value } }",
        )
        .await;
    let upload = &ticket["upload"];
    let mut request = hub.0.http.put(
        upload["url"]
            .as_str()
            .unwrap_or_else(|| panic!("{ticket:#}")),
    );
    for header in upload["headers"].as_array().unwrap() {
        request = request.header(
            header["name"].as_str().unwrap(),
            header["value"].as_str().unwrap(),
        );
    }
    let answer = request
        .body("%PDF")
        .send()
        .await
        .expect("the server answers");
    assert!(answer.status().is_success(), "{:?}", answer.text().await);
    let input = json!({
        "purpose": input["purpose"], "id": input["id"], "uploadId": upload["uploadId"],
    });
    let fields =
        "user { id avatarUrl } startup { id logoUrl pitchDeckUrl } application { id resumeUrl }";
    let payload = hub.mutate(name, "attachUpload", input, fields).await;
    assert_eq!(payload["userErrors"], json!([]));
    payload
}
