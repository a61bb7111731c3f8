//! An investor is approved, asks for access, gets it for a week, and loses it.

use serde_json::{Value, json};

use super::{EVERYBODY, inbox, next, seen_by, status_of, town_with};
use crate::world::{Hub, codes};

#[tokio::test]
async fn an_investor_gets_access_for_a_week_and_loses_it() {
    let hub = town_with(&["--collab-hub-approve-investors"]).await;
    let startup = hub.published("ada", "Sunny", "INVESTORS_ONLY").await;
    let mut adas = inbox(&hub, "ada").await;
    let mut idas = inbox(&hub, "ida").await;
    // Before she is approved, she finds nothing that is for investors, and can ask for nothing.
    assert_eq!(seen_by(&hub, &startup, &EVERYBODY).await, ["root", "ada"]);
    let early = json!({ "startupId": startup, "accessLevel": "FULL_ACCESS" });
    let refused = hub
        .mutate("ida", "requestAccess", early, "accessRequest { id }")
        .await;
    assert_eq!(codes(&refused), ["NOT_FOUND"]);
    let ida = hub
        .query("ida", "{ viewer { user { id } } }", Value::Null)
        .await["viewer"]["user"]["id"]
        .clone();
    let approve = json!({ "id": ida, "approved": true });
    hub.make("root", "approveInvestor", approve, "user").await;
    let told = next(&mut idas).await["notification"].clone();
    assert_eq!(told["body"], "An admin has approved you as an investor.");
    assert_eq!(
        seen_by(&hub, &startup, &EVERYBODY).await,
        ["root", "ada", "ida"]
    );
    // She sees the startup and its figures; the deck and the requests are not hers.
    let deck = "query($id: ID!) { startup(id: $id) { fundingGoal pitchDeckUrl accessRequests { edges { cursor } } } }";
    let seen = hub.query("ida", deck, json!({ "id": startup })).await["startup"].clone();
    assert_eq!(
        seen,
        json!({ "fundingGoal": 1_000_000, "pitchDeckUrl": null, "accessRequests": null })
    );
    let access = hub.access("ida", &startup, "FULL_ACCESS").await;
    let told = next(&mut adas).await["notification"].clone();
    assert_eq!(
        (&told["title"], &told["startup"]["name"]),
        (&json!("New access request"), &json!("Sunny"))
    );
    // Rejected by a slip, and taken back.
    hub.decide("ada", &access, "REJECTED", Value::Null).await;
    let again = json!({ "startupId": startup, "accessLevel": "VIEW_DECK" });
    let refused = hub
        .mutate(
            "ida",
            "requestAccess",
            again.clone(),
            "accessRequest { id }",
        )
        .await;
    assert_eq!(codes(&refused), ["CONFLICT"]);
    let told = next(&mut idas).await["notification"].clone();
    assert_eq!(
        told["body"],
        "Your request for access to Sunny was rejected."
    );
    hub.decide("ada", &access, "APPROVED", json!("2026-03-01T19:12:11Z"))
        .await;
    let told = next(&mut idas).await["notification"].clone();
    assert_eq!(
        (&told["body"], &told["startup"]["name"]),
        (
            &json!("Your access to Sunny is approved: FULL_ACCESS until 2026-03-01T19:12:11.000Z."),
            &json!("Sunny")
        )
    );
    // The request ties them: Ada writes to Ida without asking first. Ivo hears nothing of it.
    let direct = json!({ "type": "DIRECT", "participantIds": [ida] });
    let fields = "conversation { id invitedUsers { firstName } }";
    let talk = hub
        .mutate("ada", "createConversation", direct, fields)
        .await;
    assert_eq!(talk["conversation"]["invitedUsers"], json!([]));
    let talk = talk["conversation"]["id"].as_str().unwrap().to_owned();
    assert_eq!(seen_by(&hub, &talk, &EVERYBODY).await, ["ada", "ida"]);
    let private = json!({ "id": startup, "visibility": "PRIVATE" });
    hub.make("ada", "updateStartup", private, "startup").await;
    assert_eq!(
        seen_by(&hub, &startup, &EVERYBODY).await,
        ["root", "ada", "ida"]
    );
    let figures = "query($id: ID!) { startup(id: $id) { fundingGoal } }";
    let goal = async |name: &str| {
        hub.query(name, figures, json!({ "id": startup })).await["startup"]["fundingGoal"].clone()
    };
    assert_eq!(goal("ida").await, 1_000_000);
    // Narrowed: the profile without its figures.
    let narrow = json!({ "id": access, "status": "APPROVED", "accessLevel": "VIEW_PROFILE" });
    hub.make("ada", "decideAccess", narrow, "accessRequest")
        .await;
    assert_eq!(goal("ida").await, Value::Null);
    // She asks for the figures. Until Ada approves, she keeps what she has, and nobody else sees her request.
    let full = json!({ "startupId": startup, "accessLevel": "FULL_ACCESS" });
    let upgrade = hub
        .make("ida", "requestAccess", full, "accessRequest")
        .await;
    assert_eq!(seen_by(&hub, &upgrade, &EVERYBODY).await, ["ada", "ida"]);
    assert_eq!(
        seen_by(&hub, &startup, &EVERYBODY).await,
        ["root", "ada", "ida"]
    );
    assert_eq!(goal("ida").await, Value::Null);
    hub.decide("ada", &upgrade, "APPROVED", json!("2026-03-01T19:12:11Z"))
        .await;
    for (name, seen) in [
        ("ada", json!(1_000_000)),
        ("ida", json!(1_000_000)),
        ("root", json!(1_000_000)),
        ("ivo", Value::Null),
        ("tom", Value::Null),
        ("bea", Value::Null),
    ] {
        assert_eq!(goal(name).await, seen, "{name}");
    }
    // The week is over: nobody has done anything, and Ida sees nothing any more.
    hub.0.clock.advance(8 * 24 * 3600);
    assert_eq!(seen_by(&hub, &startup, &EVERYBODY).await, ["root", "ada"]);
    assert_eq!(
        status_of(&hub, "ida", &access, "AccessRequest").await,
        "EXPIRED"
    );
    let list = "query($id: ID!, $status: AccessStatus) { startup(id: $id) { accessRequests(status: $status) { edges { \
                node { id } } } } }";
    for (status, count) in [("EXPIRED", 2), ("APPROVED", 0)] {
        let variables = json!({ "id": startup, "status": status });
        let found = hub.query("ada", list, variables).await;
        let found = found["startup"]["accessRequests"]["edges"]
            .as_array()
            .unwrap()
            .len();
        assert_eq!(found, count, "{status}");
    }
    // She asks again. The old request is over: revoking it is a conflict, and changes nothing.
    let second = hub
        .make("ida", "requestAccess", again, "accessRequest")
        .await;
    let revoke = json!({ "id": access, "status": "REVOKED" });
    let refused = hub
        .mutate("ada", "decideAccess", revoke, "accessRequest { id }")
        .await;
    assert_eq!(codes(&refused), ["CONFLICT"]);
    hub.decide("ada", &second, "APPROVED", Value::Null).await;
    assert_eq!(
        seen_by(&hub, &startup, &EVERYBODY).await,
        ["root", "ada", "ida"]
    );
    hub.decide("ada", &second, "REVOKED", Value::Null).await;
    assert_eq!(seen_by(&hub, &startup, &EVERYBODY).await, ["root", "ada"]);
    hub.decide("ada", &second, "APPROVED", Value::Null).await;
    assert_eq!(
        seen_by(&hub, &startup, &EVERYBODY).await,
        ["root", "ada", "ida"]
    );
}

#[tokio::test]
async fn where_investors_are_approved_they_see_nothing_for_investors_before() {
    let (client, calls) = trestle_testing::hosted::memory();
    let clock = trestle_testing::hosted::TestClock::default();
    let service = &trestle_collab_hub::SERVICE;
    let options = ["--collab-hub-approve-investors"];
    let hosted =
        trestle_testing::hosted::TestServer::start_on(service, client, calls, clock, &options)
            .await;
    let hub = Hub(hosted);
    hub.admin("root").await;
    hub.register("ada", "FOUNDER").await;
    let ida = hub.register("ida", "INVESTOR").await;
    let startup = hub.published("ada", "Sunny", "INVESTORS_ONLY").await;
    let ask = json!({ "startupId": startup, "accessLevel": "VIEW_DECK" });
    let all = "{ startups { edges { node { name } } } }";
    let approve = |approved: bool| json!({ "id": ida, "approved": approved });
    for approved in [false, true, false] {
        hub.make("root", "approveInvestor", approve(approved), "user")
            .await;
        let seen = seen_by(&hub, &startup, &["root", "ada", "ida"]).await;
        assert_eq!(seen.contains(&"ida"), approved);
        let listed = hub.query("ida", all, Value::Null).await["startups"]["edges"].clone();
        assert_eq!(listed.as_array().unwrap().len(), usize::from(approved));
    }
    let refused = hub
        .mutate("ida", "requestAccess", ask, "accessRequest { id }")
        .await;
    assert_eq!(codes(&refused), ["NOT_FOUND"]);
    // Whom the founder has invited sees it all the same.
    let invite = json!({ "startupId": startup, "accessLevel": "VIEW_PROFILE" });
    let invitation = hub
        .make("ada", "createInvitation", invite, "invitation")
        .await;
    let accept = json!({ "id": invitation });
    hub.make("ida", "acceptInvitation", accept, "invitation")
        .await;
    assert_eq!(seen_by(&hub, &startup, &["ida"]).await, ["ida"]);
}
