//! A founder posts a startup and invites investors.

use serde_json::{Value, json};

use super::{EVERYBODY, inbox, next, seen_by, titles, town};
use crate::world::codes;

#[tokio::test]
async fn a_founder_posts_a_startup_with_two_roles_and_is_reviewed() {
    let hub = town().await;
    let mut admins = inbox(&hub, "root").await;
    let mut adas = inbox(&hub, "ada").await;
    // Ada does not choose who sees it: investors do, once it is active.
    let input = json!({
        "name": "Sunny Caf\u{e9}", "tagline": "Sun for all", "description": "Roofs", "industry": "Energy",
        "location": "Basel", "fundingGoal": 5_000_000_000_i64,
    });
    let fields = "startup { id visibility status fundingGoal }";
    let made = hub.mutate("ada", "createStartup", input, fields).await["startup"].clone();
    assert_eq!(
        (&made["visibility"], &made["status"]),
        (&json!("INVESTORS_ONLY"), &json!("DRAFT"))
    );
    assert_eq!(made["fundingGoal"], json!(5_000_000_000_i64));
    let startup = made["id"].as_str().unwrap().to_owned();
    for title in ["Engineer", "Designer"] {
        hub.0.clock.advance(1);
        hub.role("ada", &startup, title).await;
    }
    assert_eq!(seen_by(&hub, &startup, &EVERYBODY).await, ["root", "ada"]);
    assert_eq!(titles(&hub, "tom", Value::Null).await, Vec::<String>::new());
    // She submits it; the admins hear of it at once.
    hub.set_status("ada", &startup, "PENDING_REVIEW").await;
    let told = next(&mut admins).await;
    assert_eq!(
        told["notification"]["title"],
        "Startup submitted for review"
    );
    assert_eq!(told["notification"]["actor"]["firstName"], "ada-first");
    assert_eq!(told["notification"]["startup"]["name"], "Sunny Caf\u{e9}");
    // It is sent back with a reason, which only Ada and the admins read.
    let back = json!({ "id": startup, "status": "DRAFT", "reason": "Who is the team?" });
    hub.make("root", "setStartupStatus", back, "startup").await;
    let told = next(&mut adas).await;
    assert!(
        told["notification"]["body"]
            .as_str()
            .unwrap()
            .ends_with("Who is the team?")
    );
    assert_eq!(told["unreadNotifications"], 1);
    let query = "query($id: ID!) { startup(id: $id) { statusReason } }";
    let seen = hub.query("ada", query, json!({ "id": startup })).await;
    assert_eq!(seen["startup"]["statusReason"], "Who is the team?");
    // Submitted again, for everybody, and activated.
    let public = json!({ "id": startup, "visibility": "PUBLIC" });
    hub.make("ada", "updateStartup", public, "startup").await;
    hub.set_status("ada", &startup, "PENDING_REVIEW").await;
    hub.set_status("root", &startup, "ACTIVE").await;
    assert_eq!(seen_by(&hub, &startup, &EVERYBODY).await, EVERYBODY);
    assert_eq!(
        titles(&hub, "tom", Value::Null).await,
        ["Designer", "Engineer"]
    );
    let search = "{ searchStartups(query: \"CAFE\") { edges { node { name } } } }";
    let found = hub.query("tina", search, Value::Null).await;
    assert_eq!(
        found["searchStartups"]["edges"].as_array().unwrap().len(),
        1
    );
    // What was reviewed changes: the startup stays active, and the admins see that it changed.
    let _ = next(&mut admins).await;
    let renamed = json!({ "id": startup, "name": "Casino" });
    hub.make("ada", "updateStartup", renamed, "startup").await;
    let told = next(&mut admins).await;
    assert_eq!(
        told["notification"]["title"],
        "Startup changed after its review"
    );
    let flag = "query($id: ID!) { startup(id: $id) { status changedSinceReview } }";
    let seen = hub.query("root", flag, json!({ "id": startup })).await["startup"].clone();
    assert_eq!(
        seen,
        json!({ "status": "ACTIVE", "changedSinceReview": true })
    );
    let seen = hub.query("tom", flag, json!({ "id": startup })).await["startup"].clone();
    assert_eq!(seen["changedSinceReview"], Value::Null);
    hub.set_status("root", &startup, "ACTIVE").await;
    let seen = hub.query("ada", flag, json!({ "id": startup })).await["startup"].clone();
    assert_eq!(seen["changedSinceReview"], false);
    // A ban hides all of it at once, and reinstating brings it back.
    let ada = hub
        .query("ada", "{ viewer { user { id } } }", Value::Null)
        .await["viewer"]["user"]["id"]
        .clone();
    let ban = |status: &str| json!({ "id": ada, "status": status });
    hub.make("root", "setUserStatus", ban("BANNED"), "user")
        .await;
    assert_eq!(seen_by(&hub, &startup, &EVERYBODY).await, ["root"]);
    assert_eq!(titles(&hub, "tom", Value::Null).await, Vec::<String>::new());
    let found = hub
        .query(
            "tom",
            "{ startups { edges { node { name } } } }",
            Value::Null,
        )
        .await;
    assert_eq!(found["startups"]["edges"], json!([]));
    hub.make("root", "setUserStatus", ban("ACTIVE"), "user")
        .await;
    assert_eq!(seen_by(&hub, &startup, &EVERYBODY).await, EVERYBODY);
    assert_eq!(
        titles(&hub, "tom", Value::Null).await,
        ["Designer", "Engineer"]
    );
}

#[tokio::test]
async fn a_founder_invites_investors_to_a_private_startup() {
    let hub = town().await;
    let startup = hub.published("ada", "Hidden", "PRIVATE").await;
    assert_eq!(seen_by(&hub, &startup, &EVERYBODY).await, ["root", "ada"]);
    let invite = async |name: &str, email: Value| {
        let input = json!({ "startupId": startup, "accessLevel": "FULL_ACCESS", "email": email });
        hub.mutate(
            name,
            "createInvitation",
            input,
            "invitation { id status startupName }",
        )
        .await
    };
    assert_eq!(codes(&invite("bea", Value::Null).await), ["NOT_FOUND"]);
    // By email: for Ida alone, who is told.
    let mut idas = inbox(&hub, "ida").await;
    let made = invite("ada", json!("ida@example.com")).await["invitation"].clone();
    assert_eq!(made["status"], "OPEN");
    let told = next(&mut idas).await["notification"].clone();
    assert_eq!(told["body"], "ada-first ada-last invites you to Hidden.");
    let id = made["id"].as_str().unwrap();
    assert_eq!(seen_by(&hub, id, &EVERYBODY).await, ["ada", "ida"]);
    // Ida finds it in her list, and nobody else does.
    let mine = "{ myInvitations(status: OPEN) { edges { node { startupName } } } }";
    for name in EVERYBODY {
        let found = hub.query(name, mine, Value::Null).await;
        let count = found["myInvitations"]["edges"].as_array().unwrap().len();
        assert_eq!(count, usize::from(name == "ida"), "{name}");
    }
    assert_eq!(seen_by(&hub, &startup, &EVERYBODY).await, ["root", "ada"]);
    let accept = async |name: &str, id: &str| {
        let fields = "invitation { status startup { name } accessRequest { status accessLevel } }";
        hub.mutate(name, "acceptInvitation", json!({ "id": id }), fields)
            .await
    };
    assert_eq!(codes(&accept("ivo", id).await), ["NOT_FOUND"]);
    let accepted = accept("ida", id).await["invitation"].clone();
    let expected = json!({
        "status": "ACCEPTED", "startup": { "name": "Hidden" },
        "accessRequest": { "status": "APPROVED", "accessLevel": "FULL_ACCESS" },
    });
    assert_eq!(accepted, expected);
    assert_eq!(accept("ida", id).await["invitation"], expected);
    assert_eq!(
        seen_by(&hub, &startup, &EVERYBODY).await,
        ["root", "ada", "ida"]
    );
    // By link: for one investor who has it, until it is cancelled or too old.
    let link = invite("ada", Value::Null).await["invitation"]["id"].clone();
    let link = link.as_str().unwrap();
    assert_eq!(
        hub.attempt(
            "tom",
            "acceptInvitation",
            json!({ "id": link }),
            "invitation { id }"
        )
        .await
        .code(),
        "FORBIDDEN"
    );
    accept("ivo", link).await;
    assert_eq!(
        seen_by(&hub, &startup, &EVERYBODY).await,
        ["root", "ada", "ida", "ivo"]
    );
    let late = invite("ada", Value::Null).await["invitation"]["id"].clone();
    hub.0.clock.advance(15 * 24 * 3600);
    hub.register("ines", "INVESTOR").await;
    assert_eq!(
        codes(&accept("ines", late.as_str().unwrap()).await),
        ["NOT_FOUND"]
    );
    let cancelled = invite("ada", Value::Null).await["invitation"]["id"].clone();
    hub.make(
        "ada",
        "cancelInvitation",
        json!({ "id": cancelled }),
        "invitation",
    )
    .await;
    assert_eq!(
        codes(&accept("ines", cancelled.as_str().unwrap()).await),
        ["NOT_FOUND"]
    );
    let list = "{ myStartups { edges { node { invitations { edges { node { status } } } } } } }";
    let list = hub.query("ada", list, Value::Null).await;
    let list = &list["myStartups"]["edges"][0]["node"]["invitations"]["edges"];
    assert_eq!(list.as_array().unwrap().len(), 4);
}
