//! Names of what somebody has applied for or asked access to, whatever becomes of it; and who sees a role.

use serde_json::{Value, json};

use crate::world::Hub;

async fn town() -> (Hub, String, String) {
    let hub = Hub::start().await;
    hub.admin("root").await;
    hub.register("ada", "FOUNDER").await;
    hub.register("tom", "TALENT").await;
    hub.register("ida", "INVESTOR").await;
    let startup = hub.published("ada", "Sunny", "PUBLIC").await;
    let role = hub.role("ada", &startup, "Engineer").await;
    (hub, startup, role)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn names_stay_and_access_to_a_deleted_startup_is_revoked() {
    for approved in [false, true] {
        for fate in [
            "",
            "PRIVATE",
            "INVESTORS_ONLY",
            "SUSPENDED",
            "renamed",
            "role deleted",
            "deleted",
            "account deleted",
        ] {
            let (hub, startup, role) = town().await;
            hub.apply("tom", &role).await;
            let access = hub.access("ida", &startup, "VIEW_DECK").await;
            if approved {
                hub.decide("ada", &access, "APPROVED", Value::Null).await;
            }
            let id = json!({ "id": startup });
            match fate {
                "" => {}
                "SUSPENDED" => hub.set_status("root", &startup, "SUSPENDED").await,
                "renamed" => {
                    let rename = json!({ "id": startup, "name": "Windy" });
                    hub.make("ada", "updateStartup", rename, "startup").await;
                }
                "role deleted" => {
                    hub.make("ada", "deleteRole", json!({ "id": role }), "role")
                        .await;
                }
                "deleted" => {
                    hub.make("ada", "deleteStartup", id, "startup").await;
                }
                "account deleted" => {
                    let ada = hub
                        .query("ada", "{ viewer { user { id } } }", Value::Null)
                        .await;
                    let ada = json!({ "id": ada["viewer"]["user"]["id"] });
                    hub.mutate("ada", "deleteAccount", ada, "isComplete").await;
                }
                visibility => {
                    let hide = json!({ "id": startup, "visibility": visibility });
                    hub.make("ada", "updateStartup", hide, "startup").await;
                }
            }
            let about = format!("{fate}, approved: {approved}");
            let query = "{ myApplications { edges { node { roleTitle startupName } } } }";
            let seen = hub.query("tom", query, Value::Null).await;
            let expected = json!({ "roleTitle": "Engineer", "startupName": "Sunny" });
            assert_eq!(
                seen["myApplications"]["edges"][0]["node"], expected,
                "{about}"
            );
            let query = "{ myAccessRequests { edges { node { status startupName } } } }";
            let seen = hub.query("ida", query, Value::Null).await;
            let status = match (
                approved,
                fate.ends_with("deleted") && fate != "role deleted",
            ) {
                (_, true) => "REVOKED",
                (true, false) => "APPROVED",
                (false, false) => "PENDING",
            };
            let expected = json!({ "status": status, "startupName": "Sunny" });
            assert_eq!(
                seen["myAccessRequests"]["edges"][0]["node"], expected,
                "{about}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_role_warns_if_and_only_if_talent_does_not_see_it() {
    let (hub, ..) = town().await;
    hub.tier("ada", "ENTERPRISE").await;
    for visibility in ["PUBLIC", "INVESTORS_ONLY", "PRIVATE"] {
        for status in ["DRAFT", "PENDING_REVIEW", "ACTIVE", "SUSPENDED"] {
            let startup = hub.startup("ada", "Windy", visibility).await;
            if status != "DRAFT" {
                hub.set_status("ada", &startup, "PENDING_REVIEW").await;
            }
            if ["ACTIVE", "SUSPENDED"].contains(&status) {
                hub.set_status("root", &startup, status).await;
            }
            let input = json!({ "startupId": startup, "title": "x", "description": "x", "type": "CONTRACT" });
            let made = hub
                .mutate("ada", "createRole", input, "role { id } warning")
                .await;
            let node = "query($id: ID!) { node(id: $id) { id } }";
            let seen = hub
                .query("tom", node, json!({ "id": made["role"]["id"] }))
                .await;
            assert_eq!(
                made["warning"].is_null(),
                seen["node"].is_object(),
                "{visibility} {status}: {made}"
            );
        }
    }
}
