//! Who opens a shareable besides those with its passcodes: devices that stay signed in, and invited voters.

use serde_json::{Value, json};

use crate::site::{
    ADMIN, Opened, VIEW, ask, checklist, create, data, errors, mutate, mutate_raw, open, options,
    poll, site, try_open_by,
};
use trestle_testing::hosted::TestServer;

const DAY: i64 = 24 * 3600;

/// A device that is signed in: its token and its refresh token.
struct Device {
    opened: Opened,
    id: Value,
    refresh: String,
}

async fn sign_in(site: &TestServer, short_id: &str, passcode: &str) -> Device {
    let input = json!({ "shortId": short_id, "passcode": passcode, "voterName": "Bob",
        "voterId": uuid::Uuid::new_v4(), "staysSignedIn": true });
    let more = "token { token role deviceId } refreshToken { token expiresAt }";
    let opened = mutate(site, "", "openShareable", more, input).await;
    assert_eq!(errors(&opened), [""; 0]);
    device(short_id, &opened)
}

fn device(short_id: &str, payload: &Value) -> Device {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    Device {
        opened: Opened {
            short_id: short_id.to_owned(),
            token: text(&payload["token"]["token"]),
            role: text(&payload["token"]["role"]),
        },
        id: payload["token"]["deviceId"].clone(),
        refresh: text(&payload["refreshToken"]["token"]),
    }
}

/// The device after it has used its refresh token, or the code of the refusal.
async fn refresh(site: &TestServer, short_id: &str, token: &str) -> Result<Device, String> {
    let more = "token { token role deviceId voterName } refreshToken { token expiresAt }";
    let input = json!({ "refreshToken": token });
    let answer = mutate_raw(site, "", "useRefreshToken", more, input).await;
    match answer.code() {
        "no error" => Ok(device(short_id, &answer.data()["useRefreshToken"])),
        code => Err(code.to_owned()),
    }
}

async fn reads(site: &TestServer, on: &Opened) -> bool {
    let query = "query($id: String!) { shareable(shortId: $id) { id } }";
    let of = json!({ "id": on.short_id });
    ask(site, &on.token, query, of).await.code() == "no error"
}

const OUT: Result<(), &str> = Err("UNAUTHENTICATED");

fn outcome(refreshed: &Result<Device, String>) -> Result<(), &str> {
    refreshed.as_ref().map(drop).map_err(String::as_str)
}

#[tokio::test]
async fn a_device_stays_signed_in_for_thirty_days_after_it_was_last_used() {
    let site = site().await;
    let made = checklist(&site, 1).await;
    let mut phone = sign_in(&site, &made.short_id, VIEW).await;
    for _ in 0..3 {
        site.clock.advance(9 * DAY);
        assert!(!reads(&site, &phone.opened).await);
        let id = phone.id.clone();
        phone = refresh(&site, &made.short_id, &phone.refresh)
            .await
            .unwrap();
        assert_eq!((phone.opened.role.as_str(), &phone.id), ("VIEW", &id));
        assert!(reads(&site, &phone.opened).await);
    }
    // 27 days have passed: the list expires after 30.
    let more = json!({ "shortId": made.short_id, "staysOpen": true });
    let admin = open(&site, &made.short_id, ADMIN).await;
    let extended = mutate(&site, &admin.token, "extendShareable", "", more).await;
    assert_eq!(errors(&extended), [""; 0]);
    site.clock.advance(29 * DAY);
    phone = refresh(&site, &made.short_id, &phone.refresh)
        .await
        .unwrap();
    site.clock.advance(30 * DAY);
    let late = refresh(&site, &made.short_id, &phone.refresh).await;
    assert_eq!(outcome(&late), OUT);
}

#[tokio::test]
async fn a_lost_answer_can_be_asked_for_again_and_a_copied_refresh_token_signs_the_device_out() {
    let site = site().await;
    let made = checklist(&site, 1).await;
    let first = sign_in(&site, &made.short_id, VIEW).await;
    let second = refresh(&site, &made.short_id, &first.refresh)
        .await
        .unwrap();
    site.clock.advance(60);
    let again = refresh(&site, &made.short_id, &first.refresh)
        .await
        .unwrap();
    assert_eq!(again.refresh, second.refresh);
    site.clock.advance(1);
    let copied = refresh(&site, &made.short_id, &first.refresh).await;
    assert_eq!(outcome(&copied), OUT);
    let owner = refresh(&site, &made.short_id, &second.refresh).await;
    assert_eq!(outcome(&owner), OUT);
    let forged = refresh(&site, &made.short_id, &format!("{}A", first.refresh)).await;
    assert_eq!(outcome(&forged), OUT);
    let token = refresh(&site, &made.short_id, &second.opened.token).await;
    assert_eq!(outcome(&token), OUT);
}

#[tokio::test]
async fn devices_are_signed_out_by_the_admin_by_themselves_and_by_new_passcodes() {
    let site = site().await;
    let made = checklist(&site, 1).await;
    let (mine, yours) = (
        sign_in(&site, &made.short_id, VIEW).await,
        sign_in(&site, &made.short_id, VIEW).await,
    );
    let out = async |token: &str, id: &Value| {
        mutate_raw(&site, token, "signOut", "signedOutId", json!({ "id": id })).await
    };
    assert_eq!(out(&mine.opened.token, &yours.id).await.code(), "FORBIDDEN");
    let query = "query($id: String!) { shareable(shortId: $id) { ... on Checklist {
        devices { edges { node { id role voterName usedAt expiresAt } } } } } }";
    let of = json!({ "id": made.short_id });
    let hidden = data(&site, &mine.opened.token, query, of.clone()).await;
    assert_eq!(hidden["shareable"]["devices"], Value::Null);
    let listed = data(&site, &made.token, query, of).await;
    let listed = listed["shareable"]["devices"]["edges"]
        .as_array()
        .unwrap()
        .clone();
    assert_eq!(listed.len(), 2);
    assert!(listed.iter().all(|edge| edge["node"]["voterName"] == "Bob"));
    assert!(listed.iter().any(|edge| edge["node"]["id"] == yours.id));

    let signed_out = out(&made.token, &yours.id).await.data();
    assert_eq!(signed_out["signOut"]["signedOutId"], yours.id);
    assert!(!reads(&site, &yours.opened).await);
    let yours = refresh(&site, &made.short_id, &yours.refresh).await;
    assert_eq!(outcome(&yours), OUT);
    // The tokens of other devices are issued again without a passcode, and passcodes go on.
    assert!(!reads(&site, &mine.opened).await);
    assert!(reads(&site, &made).await);
    let mine = refresh(&site, &made.short_id, &mine.refresh).await.unwrap();
    assert!(reads(&site, &mine.opened).await);
    let by_itself = out(&mine.opened.token, &mine.id).await.data();
    assert_eq!(errors(&by_itself["signOut"]), [""; 0]);
    let mine = refresh(&site, &made.short_id, &mine.refresh).await;
    assert_eq!(outcome(&mine), OUT);

    let last = sign_in(&site, &made.short_id, VIEW).await;
    let keeper = sign_in(&site, &made.short_id, ADMIN).await;
    let change = json!({ "shortId": made.short_id, "passcode": ADMIN, "makePasscodes": ["VIEW"] });
    let changed = mutate(&site, &made.token, "changePasscodes", "", change).await;
    assert_eq!(errors(&changed), [""; 0]);
    let last = refresh(&site, &made.short_id, &last.refresh).await;
    assert_eq!(outcome(&last), OUT);
    let keeper = refresh(&site, &made.short_id, &keeper.refresh)
        .await
        .unwrap();
    assert_eq!(keeper.opened.role, "ADMIN");
}

#[tokio::test]
async fn new_passcodes_and_deleting_need_the_passcode_again_and_strangers_cannot_stop_it() {
    let site = site().await;
    let made = checklist(&site, 1).await;
    // Strangers have used up what strangers have.
    let stranger = crate::site::client_at(40);
    for _ in 0..10 {
        let guess = (made.short_id.as_str(), "wrong-passcode");
        try_open_by(&stranger, &site, guess, json!({})).await;
    }
    let wrong = |passcode: &str| json!({ "shortId": made.short_id, "passcode": passcode, "makePasscodes": ["VIEW"] });
    let by = async |token: &str, passcode: &str| {
        let input = wrong(passcode);
        let of = "ChangePasscodesInput";
        let query = format!(
            "mutation($input: {of}!) {{ changePasscodes(input: $input) {{ token {{ token }} userErrors {{ code field message }} }} }}"
        );
        let body = json!({ "input": input });
        crate::site::ask_by(&stranger, &site, token, &query, body).await
    };
    let changed = by(&made.token, ADMIN).await.data();
    assert_eq!(errors(&changed["changePasscodes"]), [""; 0]);
    // Whoever has stolen the token guesses as often as others, and no more.
    for _ in 0..10 {
        let refused = by(&made.token, "not-the-passcode").await.data();
        assert_eq!(errors(&refused["changePasscodes"]), ["NOT_FOUND passcode"]);
    }
    assert_eq!(by(&made.token, ADMIN).await.code(), "RATE_LIMITED");
    let delete = |passcode: &str| json!({ "shortId": made.short_id, "passcode": passcode });
    let refused = mutate_raw(&site, &made.token, "deleteShareable", "", delete(ADMIN)).await;
    assert_eq!(refused.code(), "RATE_LIMITED");
    // Others with the passcode are not kept from it.
    let voter = json!({ "voterId": uuid::Uuid::new_v4() });
    let other = try_open_by(&site.http, &site, (&made.short_id, ADMIN), voter).await;
    let other = other.data()["openShareable"]["token"]["token"].clone();
    let other = other.as_str().unwrap();
    let deleted = mutate(&site, other, "deleteShareable", "deletedId", delete(ADMIN)).await;
    assert!(deleted["deletedId"].is_string(), "{deleted}");
}

/// A poll of invited people: its maker, and each one's name and secret.
async fn invited_poll(site: &TestServer, names: &[&str]) -> (Opened, Vec<(String, String)>) {
    let more = "shareable { shortId } token { token role }
        invitations { secret invitation { id name } }";
    let input = json!({ "name": "N", "viewPasscode": VIEW, "adminPasscode": ADMIN,
        "poll": { "question": "Q?", "options": ["a", "b"], "voters": names } });
    let made = mutate(site, "", "createShareable", more, input).await;
    assert_eq!(errors(&made), [""; 0]);
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let opened = Opened {
        short_id: text(&made["shareable"]["shortId"]),
        token: text(&made["token"]["token"]),
        role: text(&made["token"]["role"]),
    };
    let links = made["invitations"].as_array().unwrap().iter();
    let links = links.map(|new| (text(&new["invitation"]["id"]), text(&new["secret"])));
    (opened, links.collect())
}

async fn by_link(site: &TestServer, short_id: &str, secret: &str) -> Result<Opened, String> {
    let input = json!({ "shortId": short_id, "secret": secret });
    let more = "token { token role voterName }";
    let opened = mutate(site, "", "openInvitation", more, input).await;
    match errors(&opened).first() {
        Some(error) => Err(error.clone()),
        None => Ok(Opened {
            short_id: short_id.to_owned(),
            token: opened["token"]["token"].as_str().unwrap().to_owned(),
            role: opened["token"]["role"].as_str().unwrap().to_owned(),
        }),
    }
}

async fn vote(site: &TestServer, on: &Opened, option: &str) -> trestle_testing::Answer {
    let input = json!({ "shortId": on.short_id, "optionIds": [option] });
    mutate_raw(site, &on.token, "vote", "vote { voterName }", input).await
}

#[tokio::test]
async fn an_invited_person_has_one_vote_from_two_phones_and_nobody_else_votes() {
    let site = site().await;
    let (made, links) = invited_poll(&site, &["Ann", "Bob"]).await;
    let ids: Vec<_> = options(&site, &made)
        .await
        .into_iter()
        .map(|o| o.0)
        .collect();
    for (phone, option) in [(0, &ids[0]), (1, &ids[1])] {
        let bob = by_link(&site, &made.short_id, &links[1].1).await.unwrap();
        assert_eq!(bob.role, "VIEW", "{phone}");
        let voted = vote(&site, &bob, option).await.data();
        assert_eq!(voted["vote"]["vote"]["voterName"], "Bob");
    }
    let counts: Vec<_> = options(&site, &made)
        .await
        .into_iter()
        .map(|o| o.2)
        .collect();
    assert_eq!(counts, [Some(0), Some(1)]);
    let uninvited = open(&site, &made.short_id, VIEW).await;
    for other in [&uninvited, &made] {
        assert_eq!(vote(&site, other, &ids[0]).await.code(), "FORBIDDEN");
    }
    let query = "query($id: String!) { shareable(shortId: $id) { ... on Poll {
        invitedOnly voterCount invitations { name hasVoted openedAt } } } }";
    let of = json!({ "id": made.short_id });
    let shown = data(&site, &made.token, query, of.clone()).await["shareable"].clone();
    assert_eq!(
        (&shown["invitedOnly"], &shown["voterCount"]),
        (&json!(true), &json!(1))
    );
    let people = shown["invitations"].as_array().unwrap();
    let people: Vec<_> = people
        .iter()
        .map(|p| {
            (
                p["name"].as_str().unwrap(),
                p["hasVoted"] == true,
                p["openedAt"].is_null(),
            )
        })
        .collect();
    assert_eq!(people, [("Ann", false, true), ("Bob", true, false)]);
    let hidden = data(&site, &uninvited.token, query, of).await;
    assert_eq!(hidden["shareable"]["invitations"], Value::Null);
}

#[tokio::test]
async fn a_link_is_replaced_and_taken_back_and_the_vote_stays() {
    let site = site().await;
    let (made, links) = invited_poll(&site, &["Ann", "Bob"]).await;
    let ids: Vec<_> = options(&site, &made)
        .await
        .into_iter()
        .map(|o| o.0)
        .collect();
    let bob = by_link(&site, &made.short_id, &links[1].1).await.unwrap();
    vote(&site, &bob, &ids[0]).await.data();
    let renew = json!({ "id": links[1].0 });
    let more = "invitation { secret invitation { name } }";
    let renewed = mutate(&site, &made.token, "renewInvitation", more, renew.clone()).await;
    let secret = renewed["invitation"]["secret"].as_str().unwrap();
    let gone = Err("NOT_FOUND secret".to_owned());
    let opened = |opened: Result<Opened, String>| opened.map(drop);
    assert_eq!(
        opened(by_link(&site, &made.short_id, &links[1].1).await),
        gone
    );
    assert_eq!(vote(&site, &bob, &ids[1]).await.code(), "UNAUTHENTICATED");
    let bob = by_link(&site, &made.short_id, secret).await.unwrap();
    vote(&site, &bob, &ids[1]).await.data();
    let counts: Vec<_> = options(&site, &made)
        .await
        .into_iter()
        .map(|o| o.2)
        .collect();
    assert_eq!(counts, [Some(0), Some(1)]);
    let forbidden = mutate_raw(&site, &bob.token, "removeInvitation", "", renew.clone()).await;
    assert_eq!(forbidden.code(), "FORBIDDEN");
    let removed = mutate(&site, &made.token, "removeInvitation", "removedId", renew).await;
    assert_eq!(removed["removedId"], links[1].0);
    assert_eq!(vote(&site, &bob, &ids[0]).await.code(), "UNAUTHENTICATED");
    assert_eq!(opened(by_link(&site, &made.short_id, secret).await), gone);
    let counts: Vec<_> = options(&site, &made)
        .await
        .into_iter()
        .map(|o| o.2)
        .collect();
    assert_eq!(counts, [Some(0), Some(1)]);
    // Ann's link still works after the view passcode was changed. Unknown links are all answered alike.
    let change = json!({ "shortId": made.short_id, "passcode": ADMIN, "makePasscodes": ["VIEW"] });
    mutate(&site, &made.token, "changePasscodes", "", change).await;
    let ann = by_link(&site, &made.short_id, &links[0].1).await.unwrap();
    vote(&site, &ann, &ids[1]).await.data();
    for (short_id, secret) in [
        ("ABC-DEF-00000", links[0].1.as_str()),
        (&made.short_id, "AAAA"),
        (&made.short_id, ""),
    ] {
        assert_eq!(opened(by_link(&site, short_id, secret).await), gone);
    }
}

#[tokio::test]
async fn people_are_invited_later_and_nobody_twice() {
    let site = site().await;
    let made = poll(&site, json!({})).await;
    let invite = async |names: Value| {
        let input = json!({ "shortId": made.short_id, "names": names });
        mutate(
            &site,
            &made.token,
            "inviteVoters",
            "invitations { secret }",
            input,
        )
        .await
    };
    let invited = invite(json!(["Ann", "Bob"])).await;
    assert_eq!(invited["invitations"].as_array().unwrap().len(), 2);
    assert_eq!(
        errors(&invite(json!(["Cid", "ann "])).await),
        ["CONFLICT names.1"]
    );
    assert_eq!(
        errors(&invite(json!(["Cid", "cid"])).await),
        ["CONFLICT names.1"]
    );
    assert_eq!(errors(&invite(json!([])).await), ["REQUIRED names"]);
    assert_eq!(
        errors(&invite(json!(["Ann\nadmin"])).await),
        ["INVALID names.0"]
    );
    let many: Vec<_> = (0..59).map(|n| format!("Friend {n}")).collect();
    assert_eq!(errors(&invite(json!(many)).await), ["LIMIT_REACHED names"]);
    assert_eq!(errors(&invite(json!(many[..58])).await), [""; 0]);
    let list = create(&site, json!({ "checklist": {} })).await;
    let input = json!({ "shortId": list.short_id, "names": ["Ann"] });
    let refused = mutate(&site, &list.token, "inviteVoters", "", input).await;
    assert_eq!(errors(&refused), ["NOT_FOUND shortId"]);
}

/// What another program makes of the number of revocations gives nobody access back.
#[tokio::test]
async fn a_device_that_was_signed_out_stays_out_whatever_is_stored() {
    use aws_sdk_dynamodb::types::AttributeValue::{Bool, L, N, Null, S};
    let wrong = [
        S("none".to_owned()),
        S(String::new()),
        N("-1".to_owned()),
        N("0.5".to_owned()),
        N("99999999999".to_owned()),
        Bool(false),
        L(Vec::new()),
        Null(true),
    ];
    for stored in wrong {
        let site = site().await;
        let made = checklist(&site, 1).await;
        let device = sign_in(&site, &made.short_id, VIEW).await;
        assert!(reads(&site, &device.opened).await);
        let out = json!({ "id": device.id });
        mutate_raw(&site, &made.token, "signOut", "signedOutId", out)
            .await
            .data();
        let items = site.items("shareables").await;
        let kind = S("checklist".to_owned());
        let list = items.into_iter().find(|item| item["entity"] == kind);
        let mut list = list.unwrap();
        assert!(list.contains_key("revocations"), "{list:?}");
        list.insert("revocations".to_owned(), stored.clone());
        let put = site.dynamodb.put_item().table_name("shareables");
        put.set_item(Some(list)).send().await.unwrap();
        assert!(!reads(&site, &device.opened).await, "{stored:?}");
        let again = refresh(&site, &made.short_id, &device.refresh).await;
        assert!(again.is_err(), "{stored:?}");
    }
}
