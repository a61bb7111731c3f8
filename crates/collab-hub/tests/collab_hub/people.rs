//! People are found only if they want to be.

use serde_json::{Value, json};

use crate::world::{Hub, viewer};

async fn names(hub: &Hub, role: &str, filter: Value) -> Vec<String> {
    let query = "query($role: UserRole!, $filter: PeopleFilter) { people(role: $role, filter: $filter) { edges { node \
                 { firstName } } } }";
    let variables = json!({ "role": role, "filter": filter });
    let data = hub.query("ada", query, variables).await;
    let edges = data["people"]["edges"].as_array().unwrap().clone();
    let name = |edge: &Value| edge["node"]["firstName"].as_str().unwrap().to_owned();
    edges.iter().map(name).collect()
}

#[tokio::test]
async fn people_are_found_by_what_they_say_of_themselves_and_only_if_they_want_to_be() {
    let hub = Hub::start().await;
    hub.admin("root").await;
    hub.register("ada", "FOUNDER").await;
    let tom = hub.register("tom", "TALENT").await;
    hub.register("tina", "TALENT").await;
    hub.register("ida", "INVESTOR").await;
    let profile = json!({
        "skills": ["Rust"], "location": "Z\u{fc}rich", "experienceYears": 7, "bio": "Solar roofs",
    });
    hub.make("tom", "updateProfile", profile, "user").await;
    assert_eq!(names(&hub, "TALENT", Value::Null).await, [""; 0]);
    let show = json!({ "isDiscoverable": true });
    for name in ["tom", "tina", "ida"] {
        hub.make(name, "updateProfile", show.clone(), "user").await;
    }
    assert_eq!(
        names(&hub, "TALENT", Value::Null).await,
        ["tina-first", "tom-first"]
    );
    assert_eq!(names(&hub, "INVESTOR", Value::Null).await, ["ida-first"]);
    for (filter, is_found) in [
        (
            json!({ "skills": ["rust"], "location": "zurich", "minExperienceYears": 7 }),
            true,
        ),
        (json!({ "text": "TOM solar" }), true),
        (json!({ "minExperienceYears": 8 }), false),
        (json!({ "skills": ["rust", "sql"] }), false),
    ] {
        let found = names(&hub, "TALENT", filter.clone()).await;
        assert_eq!(found == ["tom-first"], is_found, "{filter}");
    }
    let admins = "{ people(role: ADMIN) { edges { cursor } } }";
    let refused = hub.0.run(&viewer("ada"), admins, Value::Null).await;
    assert_eq!(refused.code(), "BAD_USER_INPUT");
    // Banned, or hidden again: not found.
    let ban = json!({ "id": tom, "status": "BANNED" });
    hub.make("root", "setUserStatus", ban, "user").await;
    assert_eq!(names(&hub, "TALENT", Value::Null).await, ["tina-first"]);
    let hide = json!({ "isDiscoverable": false });
    hub.make("tina", "updateProfile", hide, "user").await;
    assert_eq!(names(&hub, "TALENT", Value::Null).await, [""; 0]);
}
