//! What is lost with a passcode, a device or a connection, and what is not: access of those who were thrown out ends, and
//! that of everybody else goes on.

use std::time::Duration;

use serde_json::{Value, json};
use trestle_shareables::SERVICE;

use crate::site::{
    ADMIN, UNLIMITED, VIEW, ask_by, checklist, client_at, data, errors, mutate, mutate_raw, open,
    poll, site, try_open_by,
};
use trestle_testing::hosted::{TestClock, TestServer, memory};

const NEW: &str = "another-admin-turnip-brook";
const MORE: &str = "token { token deviceId } refreshToken { token }";

/// What a device gets that stays signed in.
async fn sign_in(site: &TestServer, short_id: &str, passcode: &str, voter: &str) -> Value {
    let input = json!({ "shortId": short_id, "passcode": passcode, "staysSignedIn": true, "voterId": voter });
    let opened = mutate(site, "", "openShareable", MORE, input).await;
    assert_eq!(errors(&opened), [""; 0]);
    opened
}

fn new_voter() -> String {
    uuid::Uuid::new_v4().to_string()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

async fn device_count(site: &TestServer, token: &str, short_id: &str) -> usize {
    let query = "query($id: String!) { shareable(shortId: $id) { ... on Checklist {
        devices(first: 100) { edges { node { id } } } } } }";
    let shown = data(site, token, query, json!({ "id": short_id })).await;
    let devices = &shown["shareable"]["devices"]["edges"];
    devices.as_array().expect("devices").len()
}

#[tokio::test]
async fn the_token_of_a_device_that_is_gone_is_not_renewed() {
    let site = site().await;
    let made = checklist(&site, 1).await;
    let of = json!({ "shortId": made.short_id });
    let ticket = "ticket { ticket }";
    let out = sign_in(&site, &made.short_id, VIEW, &new_voter()).await;
    let id = json!({ "id": out["token"]["deviceId"] });
    let token = text(&out["token"]["token"]).to_owned();
    for (name, more) in [("renewToken", "token { token }"), ("issueTicket", ticket)] {
        let answer = mutate_raw(&site, &token, name, more, of.clone()).await;
        assert_eq!(answer.code(), "no error", "{name}");
    }
    let signed_out = mutate(&site, &token, "signOut", "", id).await;
    assert_eq!(errors(&signed_out), [""; 0]);
    let copied = sign_in(&site, &made.short_id, VIEW, &new_voter()).await;
    let used = json!({ "refreshToken": copied["refreshToken"]["token"] });
    let next = mutate(&site, "", "useRefreshToken", MORE, used.clone()).await;
    site.clock.advance(61);
    let detected = mutate_raw(&site, "", "useRefreshToken", MORE, used).await;
    assert_eq!(detected.code(), "UNAUTHENTICATED");
    for token in [
        &token,
        text(&copied["token"]["token"]),
        text(&next["token"]["token"]),
    ] {
        for (name, more) in [("renewToken", "token { token }"), ("issueTicket", ticket)] {
            let answer = mutate_raw(&site, token, name, more, of.clone()).await;
            assert_eq!(answer.code(), "UNAUTHENTICATED", "{name}");
        }
    }
}

#[tokio::test]
async fn new_passcodes_shut_nobody_out_who_was_there_before() {
    let site = site().await;
    let made = checklist(&site, 1).await;
    let (friend, stranger) = (client_at(81), client_at(82));
    try_open_by(&friend, &site, (&made.short_id, ADMIN), json!({}))
        .await
        .data();
    let maker = sign_in(&site, &made.short_id, ADMIN, &new_voter()).await;
    let change = json!({ "shortId": made.short_id, "passcode": ADMIN, "adminPasscode": NEW });
    let token = text(&maker["token"]["token"]);
    let changed = mutate(&site, token, "changePasscodes", MORE, change).await;
    assert_eq!(errors(&changed), [""; 0]);
    // The one who has changed it stays signed in, and the earlier refresh token opens nothing.
    let refresh = |of: &Value| json!({ "refreshToken": of["refreshToken"]["token"] });
    let next = mutate(&site, "", "useRefreshToken", MORE, refresh(&changed)).await;
    assert!(next["token"]["token"].is_string(), "{next}");
    let earlier = mutate_raw(&site, "", "useRefreshToken", MORE, refresh(&maker)).await;
    assert_eq!(earlier.code(), "UNAUTHENTICATED");
    // A phone that goes on with the earlier passcode is told so, and uses up nothing.
    let admin = json!({ "role": "ADMIN" });
    for _ in 0..15 {
        let of = (made.short_id.as_str(), ADMIN);
        let told = try_open_by(&stranger, &site, of, admin.clone())
            .await
            .data();
        assert_eq!(errors(&told["openShareable"]), ["CONFLICT passcode"]);
    }
    for _ in 0..10 {
        let guess = (made.short_id.as_str(), "wrong-passcode");
        try_open_by(&stranger, &site, guess, admin.clone())
            .await
            .data();
    }
    let of = (made.short_id.as_str(), NEW);
    let kept_out = try_open_by(&stranger, &site, of, json!({})).await;
    assert_eq!(kept_out.code(), "RATE_LIMITED");
    for client in [&friend, &site.http] {
        let opened = try_open_by(client, &site, of, admin.clone()).await.data();
        assert_eq!(errors(&opened["openShareable"]), [""; 0]);
    }
}

#[tokio::test]
async fn passcodes_that_open_the_same_are_the_same() {
    let site = site().await;
    let word = "tulpe-sofa-91-krug";
    for other in [
        format!("{word} "),
        format!("{word}\u{200b}"),
        format!("\u{feff}{word}"),
    ] {
        let input =
            json!({ "name": "N", "viewPasscode": word, "adminPasscode": other, "checklist": {} });
        let refused = mutate(&site, "", "createShareable", "", input).await;
        assert_eq!(errors(&refused), ["INVALID adminPasscode"]);
        let made = checklist(&site, 0).await;
        let input =
            json!({ "shortId": made.short_id, "viewPasscode": word, "adminPasscode": other });
        let refused = mutate(&site, &made.token, "cloneShareable", "", input.clone()).await;
        assert_eq!(errors(&refused), ["INVALID adminPasscode"]);
        let mut input = input;
        input["passcode"] = json!(ADMIN);
        let refused = mutate(&site, &made.token, "changePasscodes", "", input).await;
        assert_eq!(errors(&refused), ["INVALID adminPasscode"]);
        let input = json!({ "shortId": made.short_id, "passcode": ADMIN, "adminPasscode": format!("{VIEW} ") });
        let refused = mutate(&site, &made.token, "changePasscodes", "", input).await;
        assert!(!errors(&refused).is_empty(), "{refused}");
    }
}

#[tokio::test]
async fn a_made_passcode_opens_in_any_case_and_with_any_hyphens() {
    let site = site().await;
    let input = json!({ "name": "N", "viewPasscode": VIEW, "checklist": {} });
    let more = "shareable { shortId } madePasscodes { admin }";
    let made = mutate(&site, "", "createShareable", more, input).await;
    let short_id = text(&made["shareable"]["shortId"]);
    let admin = text(&made["madePasscodes"]["admin"]);
    for typed in [
        admin.to_uppercase(),
        admin.replace('-', ""),
        admin.replace('-', " "),
        admin.replace('-', "\u{2013}"),
        format!("{admin}\u{200b}\u{feff}"),
    ] {
        assert_eq!(open(&site, short_id, &typed).await.role, "ADMIN");
    }
    let chosen = VIEW.to_uppercase();
    let wrong = try_open_by(&site.http, &site, (short_id, &chosen), json!({})).await;
    assert_eq!(
        errors(&wrong.data()["openShareable"]),
        ["NOT_FOUND passcode"]
    );
}

#[tokio::test]
async fn who_has_stolen_a_token_uses_up_nothing_of_its_owner() {
    let site = site().await;
    let made = checklist(&site, 1).await;
    let voter = json!({ "voterId": new_voter() });
    let of = (made.short_id.as_str(), ADMIN);
    let token = async || {
        let opened = try_open_by(&site.http, &site, of, voter.clone())
            .await
            .data();
        text(&opened["openShareable"]["token"]["token"]).to_owned()
    };
    let mut stolen = token().await;
    let input = |passcode: &str| json!({ "shortId": made.short_id, "passcode": passcode, "makePasscodes": ["VIEW"] });
    for _ in 0..10 {
        let renew = json!({ "shortId": made.short_id });
        let renewed = mutate(&site, &stolen, "renewToken", "token { token }", renew).await;
        stolen = text(&renewed["token"]["token"]).to_owned();
        let guess = mutate(&site, &stolen, "changePasscodes", "", input("a-wrong-one")).await;
        assert_eq!(errors(&guess), ["NOT_FOUND passcode"]);
    }
    let paused = mutate_raw(&site, &stolen, "changePasscodes", "", input(ADMIN)).await;
    assert_eq!(paused.code(), "RATE_LIMITED");
    let changed = mutate(&site, &token().await, "changePasscodes", "", input(ADMIN)).await;
    assert_eq!(errors(&changed), [""; 0]);
}

#[tokio::test]
async fn the_token_of_a_payload_opens_its_fields() {
    let site = site().await;
    let fields = "shareable { shortId ... on Poll { myVote { optionIds } invitations { name }
        devices { edges { node { id } } } options { percentage poll { name } } } }";
    let input = json!({ "name": "N", "viewPasscode": VIEW, "adminPasscode": ADMIN,
        "poll": { "question": "Q?", "options": ["a"], "voters": ["Ann"] } });
    let created = mutate(&site, "", "createShareable", fields, input).await;
    let poll = &created["shareable"];
    assert_eq!(poll["invitations"][0]["name"], "Ann", "{created}");
    assert_eq!(poll["devices"]["edges"], json!([]));
    let short_id = &poll["shortId"];
    let input = json!({ "shortId": short_id, "passcode": VIEW });
    let opened = mutate(&site, "", "openShareable", fields, input).await;
    assert_eq!(opened["shareable"]["options"][0]["poll"]["name"], "N");
    assert_eq!(opened["shareable"]["invitations"], Value::Null);
}

#[tokio::test]
async fn devices_are_those_that_are_signed_in_and_bounded() {
    let site = site().await;
    let made = checklist(&site, 1).await;
    sign_in(&site, &made.short_id, VIEW, &new_voter()).await;
    let change = json!({ "shortId": made.short_id, "passcode": ADMIN, "viewPasscode": "another-view-turnip" });
    mutate(&site, &made.token, "changePasscodes", "", change).await;
    assert_eq!(device_count(&site, &made.token, &made.short_id).await, 0);
    // The same device again, which sends the token that it has.
    let input = json!({ "shortId": made.short_id, "passcode": "another-view-turnip", "staysSignedIn": true });
    let first = mutate(&site, "", "openShareable", MORE, input.clone()).await;
    let token = text(&first["token"]["token"]);
    mutate(&site, token, "openShareable", MORE, input).await;
    assert_eq!(device_count(&site, &made.token, &made.short_id).await, 1);
    let voter = new_voter();
    for _ in 0..7 {
        sign_in(&site, &made.short_id, "another-view-turnip", &voter).await;
    }
    assert_eq!(device_count(&site, &made.token, &made.short_id).await, 6);
    let is_device =
        |item: &std::collections::HashMap<String, aws_sdk_dynamodb::types::AttributeValue>| {
            item.get("entity")
                .is_some_and(|entity| entity.as_s().is_ok_and(|e| e == "device"))
        };
    let stored = site.items("shareables").await;
    assert_eq!(stored.iter().filter(|item| is_device(item)).count(), 6);
}

#[tokio::test]
async fn wrong_links_keep_out_no_right_one_and_no_passcode() {
    let (client, calls) = memory();
    let mut options = UNLIMITED;
    options[2] = "--shareables-guesses-per-minute=3";
    let site = TestServer::start_on(&SERVICE, client, calls, TestClock::default(), &options).await;
    let input = json!({ "name": "N", "viewPasscode": VIEW, "adminPasscode": ADMIN,
        "poll": { "question": "Q?", "options": ["a"], "voters": ["Ann"] } });
    let more = "shareable { shortId } invitations { secret }";
    let made = mutate(&site, "", "createShareable", more, input).await;
    let short_id = text(&made["shareable"]["shortId"]);
    let link = |secret: &str| json!({ "shortId": short_id, "secret": secret });
    for _ in 0..3 {
        mutate(&site, "", "openInvitation", "", link("wrong")).await;
    }
    let wrong = mutate_raw(&site, "", "openInvitation", "", link("wrong")).await;
    assert_eq!(wrong.code(), "RATE_LIMITED");
    let right = link(text(&made["invitations"][0]["secret"]));
    let opened = mutate(&site, "", "openInvitation", "", right).await;
    assert_eq!(errors(&opened), [""; 0]);
    open(&site, short_id, ADMIN).await;
}

/// Without the place given back, no more are checked however long one waits: the clock stands still.
#[tokio::test]
async fn a_right_passcode_whose_client_hangs_up_is_not_counted() {
    let (client, calls) = memory();
    let mut options = UNLIMITED;
    options[2] = "--shareables-guesses-per-minute=2";
    let site = TestServer::start_on(&SERVICE, client, calls, TestClock::default(), &options).await;
    let made = checklist(&site, 0).await;
    let query = "mutation($input: OpenShareableInput!) { openShareable(input: $input) { userErrors { code } } }";
    let input = json!({ "shortId": made.short_id, "passcode": VIEW });
    let body = json!({ "query": query, "variables": { "input": input } });
    for _ in 0..10 {
        let sent = site.http.post(&site.url).json(&body);
        // Whether it is answered before does not matter.
        let _ = sent.timeout(Duration::from_millis(5)).send().await;
    }
    for _ in 0..1_000 {
        let asked = ask_by(&site.http, &site, "", query, json!({ "input": input })).await;
        if asked.code() == "no error" {
            return;
        }
    }
    panic!("those who hung up are counted");
}

#[tokio::test]
async fn who_takes_a_vote_back_is_no_voter_and_no_vote_has_a_comment_alone() {
    let site = site().await;
    let made = poll(&site, json!({})).await;
    let bob = open(&site, &made.short_id, VIEW).await;
    let query = "query($id: String!) { shareable(shortId: $id) { ... on Poll { voterCount myVote { optionIds }
        options { id } votes { edges { node { optionIds } } } } } }";
    let seen = async || {
        let shown = data(&site, &bob.token, query, json!({ "id": made.short_id })).await;
        shown["shareable"].clone()
    };
    let option = seen().await["options"][0]["id"].clone();
    let vote = async |options: Value, comment: Value| {
        let input = json!({ "shortId": made.short_id, "optionIds": options, "comment": comment });
        errors(&mutate(&site, &bob.token, "vote", "", input).await)
    };
    assert_eq!(vote(json!([]), json!("hello")).await, ["INVALID comment"]);
    assert_eq!(vote(json!([option]), json!("hello")).await, [""; 0]);
    assert_eq!(seen().await["votes"]["edges"].as_array().unwrap().len(), 1);
    assert_eq!(vote(json!([]), json!("hello")).await, ["INVALID comment"]);
    assert_eq!(vote(json!([]), Value::Null).await, [""; 0]);
    let shown = seen().await;
    assert_eq!(shown["votes"]["edges"], json!([]));
    assert_eq!(
        (&shown["voterCount"], &shown["myVote"]),
        (&json!(0), &Value::Null)
    );
}

#[tokio::test]
async fn texts_are_in_one_line_and_no_day_is_an_option_twice() {
    let site = site().await;
    let made = checklist(&site, 1).await;
    for odd in ["a\nb", "a\u{202e}b"] {
        let add = json!({ "shortId": made.short_id, "name": odd });
        let refused = mutate(&site, &made.token, "addChecklistItem", "", add).await;
        assert_eq!(errors(&refused), ["INVALID name"]);
        let input = json!({ "name": "N", "poll": { "question": "Q?", "options": ["a", odd] } });
        let refused = mutate(&site, "", "createShareable", "", input).await;
        assert_eq!(errors(&refused), ["INVALID poll.options.1"]);
    }
    let day = |text: &str| json!({ "day": "2026-05-01", "text": text });
    let times = json!([day("Friday"), day("May 1")]);
    let input = json!({ "name": "N", "poll": { "question": "Q?", "times": times } });
    let refused = mutate(&site, "", "createShareable", "", input).await;
    assert_eq!(errors(&refused), ["CONFLICT poll.times.1"]);
    let made = poll(&site, json!({ "times": [day("Friday")] })).await;
    let add = json!({ "shortId": made.short_id, "time": day("May 1") });
    let refused = mutate(&site, &made.token, "addPollOption", "", add).await;
    assert_eq!(errors(&refused), ["CONFLICT time"]);
}

#[tokio::test]
async fn a_closed_poll_hides_no_results() {
    let site = site().await;
    let made = poll(&site, json!({ "hidesResults": true })).await;
    let query = "query($id: String!) { shareable(shortId: $id) { ... on Poll { hidesResults } } }";
    let of = json!({ "id": made.short_id });
    let open = data(&site, &made.token, query, of.clone()).await;
    assert_eq!(open["shareable"]["hidesResults"], true);
    mutate(
        &site,
        &made.token,
        "closePoll",
        "",
        of_short_id(&made.short_id),
    )
    .await;
    let closed = data(&site, &made.token, query, of).await;
    assert_eq!(closed["shareable"]["hidesResults"], false);
}

fn of_short_id(short_id: &str) -> Value {
    json!({ "shortId": short_id })
}
