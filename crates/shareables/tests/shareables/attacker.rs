//! An attacker with the docs alone: who guesses, reads after losing access, and locks others out.

use futures_util::future::join_all;
use serde_json::json;
use trestle_shareables::SERVICE;

use crate::site::{
    ADMIN, UNLIMITED, VIEW, ask_by, checklist, client_at, errors, mutate, mutate_raw, open, site,
    try_open_by,
};
use trestle_testing::hosted::{TestClock, TestServer, memory};

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// Guesses that are checked of one short id within `seconds`, each from another of `addresses`, given whenever the time of
/// the last refusal has passed.
async fn checked_within(seconds: i64, addresses: u8) -> usize {
    let site = site().await;
    let made = checklist(&site, 1).await;
    let clients: Vec<_> = (100..100 + addresses).map(client_at).collect();
    let (mut checked, mut passed) = (0, 0);
    for client in clients.iter().cycle() {
        let guess = (made.short_id.as_str(), "wrong-passcode");
        let answer = try_open_by(client, &site, guess, json!({ "role": "VIEW" })).await;
        match answer.code() {
            "no error" => checked += 1,
            "RATE_LIMITED" => {
                let wait = &answer.body["errors"][0]["extensions"]["retryAfter"];
                let wait = wait.as_i64().expect("when to come back");
                site.clock.advance(wait);
                passed += wait;
                if passed >= seconds {
                    break;
                }
            }
            other => panic!("{other}"),
        }
    }
    checked
}

/// From many addresses there are three more of each, and 200 of all together: the table in SECURITY.md.
#[tokio::test]
async fn guesses_of_one_short_id_are_few_from_one_address_and_bounded_from_many() {
    assert_eq!(checked_within(HOUR, 1).await, 30);
    let (hour, day) = (
        checked_within(HOUR, 50).await,
        checked_within(DAY, 50).await,
    );
    assert!(hour <= 30 + 150, "{hour}");
    assert!(day <= 100 + 150, "{day}");
}

/// The last two rows: what one address is allowed over all short ids, whatever others do.
#[tokio::test]
async fn an_address_has_its_own_limit_beside_those_of_others() {
    let (client, calls) = memory();
    let mut options = UNLIMITED;
    options[2] = "--shareables-guesses-per-minute=4";
    let site = TestServer::start_on(&SERVICE, client, calls, TestClock::default(), &options).await;
    let clients: Vec<_> = (150..152).map(client_at).collect();
    let mut checked = vec![0; clients.len()];
    let mut next = 0_u32;
    // Within a day, each minute as many as are allowed in it.
    for _ in 0..24 {
        for _ in 0..5 {
            for (client, checked) in clients.iter().zip(&mut checked) {
                for _ in 0..5 {
                    next += 1;
                    let short_id = format!("ABC-DEF-{next:05}");
                    let guess = (short_id.as_str(), "wrong-passcode");
                    let answer = try_open_by(client, &site, guess, json!({})).await;
                    *checked += usize::from(answer.code() == "no error");
                    if answer.code() == "RATE_LIMITED" {
                        break;
                    }
                }
            }
            site.clock.advance(60);
        }
        site.clock.advance(HOUR - 300);
    }
    assert_eq!(checked, vec![80; clients.len()]);
}

#[tokio::test]
async fn strangers_use_up_their_budgets_and_lock_nobody_of_the_list_out() {
    let site = site().await;
    let voter = json!({ "voterId": uuid::Uuid::new_v4() });
    let more = "shareable { shortId } token { token voterId } invitations { secret }";
    let input = json!({ "name": "N", "viewPasscode": VIEW, "adminPasscode": ADMIN,
        "poll": { "question": "Q?", "options": ["a"], "voters": ["Ann"] } });
    let made = mutate(&site, "", "createShareable", more, input).await;
    let short_id = made["shareable"]["shortId"].as_str().unwrap();
    let friend = client_at(60);
    let keeps = json!({ "voterId": voter["voterId"], "staysSignedIn": true });
    let query = "mutation($input: OpenShareableInput!) { openShareable(input: $input) {
        refreshToken { token } userErrors { code field message } } }";
    let mut input = keeps.clone();
    input["shortId"] = json!(short_id);
    input["passcode"] = json!(VIEW);
    let opened = ask_by(&friend, &site, "", query, json!({ "input": input }))
        .await
        .data();
    let refresh = opened["openShareable"]["refreshToken"]["token"].clone();
    // Fifty strangers guess all day, both passcodes and links.
    let strangers: Vec<_> = (200..250).map(client_at).collect();
    for _ in 0..4 {
        let guesses = strangers.iter().map(|stranger| {
            let guess = (short_id, "wrong-passcode");
            try_open_by(stranger, &site, guess, json!({}))
        });
        join_all(guesses).await;
        site.clock.advance(600);
    }
    let blocked = try_open_by(&strangers[0], &site, (short_id, VIEW), json!({})).await;
    assert_eq!(blocked.code(), "RATE_LIMITED");
    // From networks that they have never used: the maker and the friend by their voters, Ann by her link, the device by its
    // refresh token.
    let elsewhere = client_at(61);
    let maker = json!({ "voterId": made["token"]["voterId"] });
    for (passcode, who) in [(ADMIN, maker), (VIEW, voter)] {
        let opened = try_open_by(&elsewhere, &site, (short_id, passcode), who).await;
        assert_eq!(opened.code(), "no error", "{}", opened.body);
        assert_eq!(errors(&opened.data()["openShareable"]), [""; 0]);
    }
    let link = json!({ "shortId": short_id, "secret": made["invitations"][0]["secret"] });
    for (name, input) in [
        ("openInvitation", link),
        ("useRefreshToken", json!({ "refreshToken": refresh })),
    ] {
        let done = mutate(&site, "", name, "token { token }", input).await;
        assert_eq!(errors(&done), [""; 0], "{name}");
    }
}

/// Whoever knew the view passcode and was thrown out keeps what they have: tokens, refresh token, ticket, ids.
#[tokio::test]
async fn whoever_was_thrown_out_reads_and_changes_nothing_more() {
    let site = site().await;
    let made = checklist(&site, 2).await;
    let phone = client_at(70);
    let input = json!({ "shortId": made.short_id, "passcode": VIEW, "staysSignedIn": true });
    let more = "token { token } refreshToken { token }";
    let signed_in = mutate(&site, "", "openShareable", more, input).await;
    let plain = open(&site, &made.short_id, VIEW).await.token;
    let device = signed_in["token"]["token"].as_str().unwrap().to_owned();
    let ticket = json!({ "shortId": made.short_id });
    let ticket = mutate(&site, &plain, "issueTicket", "ticket { ticket }", ticket).await;
    let ticket = ticket["ticket"]["ticket"].as_str().unwrap().to_owned();
    let ids: Vec<_> = crate::site::items(&site, &made)
        .await
        .into_iter()
        .map(|i| i.0)
        .collect();
    let change = json!({ "shortId": made.short_id, "passcode": ADMIN, "makePasscodes": ["VIEW"] });
    mutate(&site, &made.token, "changePasscodes", "", change).await;
    let rename = json!({ "id": ids[0], "name": "a secret" });
    mutate(&site, &made.token, "updateChecklistItem", "", rename).await;
    let of = json!({ "id": made.short_id, "item": ids[0] });
    for token in [&plain, &device, &ticket] {
        let read = "query($id: String!, $item: ID!) { shareable(shortId: $id) { name ... on Checklist { items { name } } }
            node(id: $item) { ... on ChecklistItem { name } } }";
        let answer = ask_by(&phone, &site, token, read, of.clone()).await;
        assert_eq!(answer.code(), "UNAUTHENTICATED");
        assert!(!answer.body.to_string().contains("a secret"));
        for (name, more, input) in [
            (
                "tickChecklistItem",
                "item { name }",
                json!({ "id": ids[0] }),
            ),
            (
                "tickChecklistItem",
                "item { name }",
                json!({ "id": ids[0], "ticked": false }),
            ),
            (
                "duplicateChecklistItem",
                "item { name }",
                json!({ "id": ids[0] }),
            ),
            (
                "addChecklistItems",
                "items { name }",
                json!({ "shortId": made.short_id, "text": "x" }),
            ),
            (
                "issueTicket",
                "ticket { ticket }",
                json!({ "shortId": made.short_id }),
            ),
            (
                "renewToken",
                "token { token }",
                json!({ "shortId": made.short_id }),
            ),
        ] {
            let answer = mutate_raw(&site, token, name, more, input).await;
            assert_eq!(answer.code(), "UNAUTHENTICATED", "{name}: {}", answer.body);
            assert!(!answer.body.to_string().contains("a secret"));
        }
    }
    let refresh = json!({ "refreshToken": signed_in["refreshToken"]["token"] });
    let refused = mutate_raw(&site, "", "useRefreshToken", more, refresh).await;
    assert_eq!(refused.code(), "UNAUTHENTICATED");
    assert_eq!(crate::site::items(&site, &made).await.len(), 2);
}

#[tokio::test]
async fn a_ticket_in_a_log_tells_no_voter_and_devices_cannot_be_used_against_others() {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    let site = site().await;
    let made = checklist(&site, 1).await;
    let voter = uuid::Uuid::new_v4().to_string();
    let more = "token { token deviceId } refreshToken { token }";
    let input = json!({ "shortId": made.short_id, "passcode": VIEW, "staysSignedIn": true,
        "voterId": voter, "voterName": "Carol" });
    let victim = mutate(&site, "", "openShareable", more, input.clone()).await;
    let token = victim["token"]["token"].as_str().unwrap();
    let of = json!({ "shortId": made.short_id });
    let ticket = mutate(&site, token, "issueTicket", "ticket { ticket }", of).await;
    let ticket = ticket["ticket"]["ticket"].as_str().unwrap();
    let said = URL_SAFE_NO_PAD
        .decode(ticket.split('.').nth(1).unwrap())
        .unwrap();
    let said = String::from_utf8(said).unwrap();
    assert!(!said.contains(&voter) && !said.contains("Carol"), "{said}");
    // A friend signs in and out, and uses a refresh token twice. Others notice nothing.
    let friend = mutate(&site, "", "openShareable", more, input).await;
    let refresh = json!({ "refreshToken": friend["refreshToken"]["token"] });
    mutate(&site, "", "useRefreshToken", more, refresh.clone()).await;
    site.clock.advance(61);
    let copied = mutate_raw(&site, "", "useRefreshToken", more, refresh).await;
    assert_eq!(copied.code(), "UNAUTHENTICATED");
    let of = json!({ "shortId": made.short_id });
    let renewed = mutate_raw(&site, token, "renewToken", "", of).await;
    assert_eq!(renewed.code(), "no error", "{}", renewed.body);
}
