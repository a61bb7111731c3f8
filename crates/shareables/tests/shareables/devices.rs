//! How many devices stay signed in.

use serde_json::{Value, json};

use crate::site::{ADMIN, VIEW, checklist, data, errors, mutate, open, site};
use trestle_testing::hosted::TestServer;

const WEEK: i64 = 7 * 24 * 3600;

/// Opens with the view passcode and asks to stay signed in. The result's tokens.
async fn sign_in(site: &TestServer, short_id: &str, voter: &str) -> Value {
    let input = json!({ "shortId": short_id, "passcode": VIEW, "role": "VIEW", "voterId": voter, "staysSignedIn": true });
    let more = "token { token deviceId } refreshToken { token }";
    let opened = mutate(site, "", "openShareable", more, input).await;
    assert_eq!(errors(&opened), [""; 0]);
    assert!(opened["token"]["token"].is_string(), "{opened}");
    opened
}

/// The ids of the devices that are signed in, of the first page of 100 and of the next one.
async fn devices(site: &TestServer, short_id: &str) -> Vec<Value> {
    let admin = open(site, short_id, ADMIN).await;
    let query = "query($id: String!, $after: String) { shareable(shortId: $id) { ... on Checklist {
        devices(first: 100, after: $after) { edges { node { id } } pageInfo { endCursor } } } } }";
    let mut found = Vec::new();
    let mut after = Value::Null;
    loop {
        let variables = json!({ "id": short_id, "after": after });
        let page = data(site, &admin.token, query, variables).await["shareable"]["devices"].clone();
        let edges = page["edges"].as_array().unwrap();
        if edges.is_empty() {
            return found;
        }
        found.extend(edges.iter().map(|edge| edge["node"]["id"].clone()));
        after = page["pageInfo"]["endCursor"].clone();
    }
}

#[tokio::test]
async fn a_hundred_devices_stay_signed_in_with_a_passcode_and_the_next_one_does_not() {
    let site = site().await;
    let made = checklist(&site, 1).await;
    let short_id = made.short_id.as_str();
    let voters: Vec<_> = (0..101).map(|_| uuid::Uuid::new_v4().to_string()).collect();
    let mut ids = Vec::new();
    for voter in &voters[..100] {
        let signed_in = sign_in(&site, short_id, voter).await;
        assert!(
            signed_in["refreshToken"]["token"].is_string(),
            "{}",
            ids.len()
        );
        ids.push(signed_in["token"]["deviceId"].clone());
        site.clock.advance(1);
    }
    // The next one is let in, and nobody is signed out for it.
    let next = sign_in(&site, short_id, &voters[100]).await;
    assert_eq!(next["refreshToken"], Value::Null);
    assert_eq!(next["token"]["deviceId"], Value::Null);
    let listed = devices(&site, short_id).await;
    assert_eq!(listed.len(), 100);
    assert!(ids.iter().all(|id| listed.contains(id)));
    // The bound is of a passcode: the admin's devices have their own.
    let input =
        json!({ "shortId": short_id, "passcode": ADMIN, "role": "ADMIN", "staysSignedIn": true });
    let admin = mutate(&site, "", "openShareable", "refreshToken { token }", input).await;
    assert!(admin["refreshToken"]["token"].is_string(), "{admin}");
    // A week after the first one was last used, it gives way, and only that one.
    site.clock.advance(WEEK - 99);
    let next = sign_in(&site, short_id, &voters[100]).await;
    assert!(next["refreshToken"]["token"].is_string(), "{next}");
    let listed = devices(&site, short_id).await;
    assert_eq!(listed.len(), 101);
    assert!(!listed.contains(&ids[0]) && ids[1..].iter().all(|id| listed.contains(id)));
    let late = sign_in(&site, short_id, &uuid::Uuid::new_v4().to_string()).await;
    assert_eq!(late["refreshToken"], Value::Null);
}

#[tokio::test]
async fn five_devices_of_a_voter_stay_signed_in_and_the_oldest_gives_way() {
    let site = site().await;
    let made = checklist(&site, 1).await;
    let voter = uuid::Uuid::new_v4().to_string();
    let mut ids = Vec::new();
    for _ in 0..6 {
        let signed_in = sign_in(&site, &made.short_id, &voter).await;
        assert!(signed_in["refreshToken"]["token"].is_string());
        ids.push(signed_in["token"]["deviceId"].clone());
        site.clock.advance(1);
    }
    let listed = devices(&site, &made.short_id).await;
    assert_eq!(listed.len(), 5);
    assert!(ids[1..].iter().all(|id| listed.contains(id)));
}
