//! Limits on wrong passcodes and on creating.

use serde_json::{Value, json};
use trestle_shareables::SERVICE;

use crate::site::{
    ADMIN, UNLIMITED, VIEW, checklist, client_at, errors, mutate, mutate_raw, open, site, try_open,
    try_open_by,
};
use trestle_testing::hosted::{TestClock, TestServer, memory};

#[tokio::test]
async fn ten_wrong_passcodes_pause_a_short_id_and_the_pauses_grow() {
    let site = site().await;
    let made = checklist(&site, 1).await;
    for short_id in [made.short_id.as_str(), "ABC-DEF-00000"] {
        for _ in 0..10 {
            let wrong = try_open(&site, short_id, "wrong-passcode").await.data();
            assert_eq!(errors(&wrong["openShareable"]), ["NOT_FOUND passcode"]);
        }
        let refused = try_open(&site, short_id, VIEW).await;
        assert_eq!(refused.code(), "RATE_LIMITED");
        assert_eq!(refused.body["errors"][0]["extensions"]["retryAfter"], 60);
    }
    site.clock.advance(59);
    assert_eq!(
        try_open(&site, &made.short_id, VIEW).await.code(),
        "RATE_LIMITED"
    );
    site.clock.advance(1);
    open(&site, &made.short_id, VIEW).await;
    for _ in 0..10 {
        try_open(&site, &made.short_id, "wrong-passcode")
            .await
            .data();
    }
    site.clock.advance(119);
    assert_eq!(
        try_open(&site, &made.short_id, ADMIN).await.code(),
        "RATE_LIMITED"
    );
    site.clock.advance(1);
    assert_eq!(open(&site, &made.short_id, ADMIN).await.role, "ADMIN");
}

#[tokio::test]
async fn wrong_passcodes_of_earlier_minutes_do_not_add_up() {
    let site = site().await;
    let made = checklist(&site, 1).await;
    for count in [9, 9, 1] {
        for _ in 0..count {
            try_open(&site, &made.short_id, "wrong-passcode")
                .await
                .data();
        }
        open(&site, &made.short_id, VIEW).await;
        site.clock.advance(61);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn guesses_at_once_are_stopped_too() {
    let site = site().await;
    let made = checklist(&site, 1).await;
    let guesses = (0..100).map(|_| try_open(&site, &made.short_id, "wrong-passcode"));
    let answers = futures_util::future::join_all(guesses).await;
    let checked = answers
        .iter()
        .filter(|answer| answer.body.get("errors").is_none())
        .count();
    let cores = std::thread::available_parallelism().unwrap().get();
    assert!((10..10 + cores).contains(&checked), "{checked}");
    site.clock.advance(60);
    open(&site, &made.short_id, VIEW).await;
}

#[tokio::test]
async fn an_address_has_its_limits_whatever_short_ids_it_names() {
    let (client, calls) = memory();
    let mut options = UNLIMITED;
    options[1] = "--shareables-creates-per-minute=2";
    options[2] = "--shareables-guesses-per-minute=3";
    let site = TestServer::start_on(&SERVICE, client, calls, TestClock::default(), &options).await;
    let made = checklist(&site, 0).await;
    checklist(&site, 0).await;
    let input =
        json!({ "name": "N", "viewPasscode": VIEW, "adminPasscode": ADMIN, "checklist": {} });
    let refused = mutate_raw(&site, "", "createShareable", "", input).await;
    assert_eq!(refused.code(), "RATE_LIMITED");
    for n in 0..3 {
        try_open(&site, &format!("ABC-DEF-0000{n}"), VIEW)
            .await
            .data();
    }
    site.calls.reset();
    let refused = try_open(&site, &made.short_id, VIEW).await;
    assert_eq!(refused.code(), "RATE_LIMITED");
    assert_eq!(site.calls.counts().values().sum::<u64>(), 0);
    assert_eq!(refused.body["data"]["openShareable"], Value::Null);
}

#[tokio::test]
async fn wrong_passcodes_at_once_are_counted_before_they_are_checked() {
    let (client, calls) = memory();
    let mut options = UNLIMITED;
    options[2] = "--shareables-guesses-per-minute=5";
    let site = TestServer::start_on(&SERVICE, client, calls, TestClock::default(), &options).await;
    let ids: Vec<_> = (10..50).map(|n| format!("ABC-DEF-000{n}")).collect();
    let guesses = ids.iter().map(|id| try_open(&site, id, "wrong-passcode"));
    let answers = futures_util::future::join_all(guesses).await;
    let checked = answers.iter().filter(|answer| answer.code() == "no error");
    assert_eq!(checked.count(), 5);
}

#[tokio::test]
async fn right_passcodes_of_an_address_are_limited_too() {
    let (client, calls) = memory();
    let mut options = UNLIMITED;
    options[3] = "--shareables-opens-per-minute=2";
    let site = TestServer::start_on(&SERVICE, client, calls, TestClock::default(), &options).await;
    let made = checklist(&site, 0).await;
    for _ in 0..2 {
        open(&site, &made.short_id, VIEW).await;
    }
    let refused = try_open(&site, &made.short_id, VIEW).await;
    assert_eq!(refused.code(), "RATE_LIMITED");
    site.clock.advance(60);
    open(&site, &made.short_id, VIEW).await;
}

/// Guesses from another address, nine within each 61 seconds, until no more are checked.
async fn guess_slowly(site: &TestServer, client: &reqwest::Client, short_id: &str) -> usize {
    for checked in 0..200 {
        let guess = (short_id, "wrong-passcode");
        let answer = try_open_by(client, site, guess, json!({})).await;
        if answer.code() == "RATE_LIMITED" {
            return checked;
        }
        if checked % 9 == 8 {
            site.clock.advance(61);
        }
    }
    200
}

#[tokio::test]
async fn a_stranger_cannot_guess_for_long_nor_shut_out_the_people_of_a_list() {
    let site = site().await;
    let made = checklist(&site, 1).await;
    let voter = json!({ "voterId": "6f9619ff-8b86-4d01-b42d-00cf4fc964ff" });
    let (stranger, phone, later, new) = (client_at(2), client_at(3), client_at(4), client_at(5));
    let of = (made.short_id.as_str(), VIEW);
    let first = try_open_by(&phone, &site, of, voter.clone()).await.data();
    assert_eq!(errors(&first["openShareable"]), [""; 0]);
    assert_eq!(guess_slowly(&site, &stranger, &made.short_id).await, 30);
    // Who created it, the address that opened it before, and the voter from another address.
    open(&site, &made.short_id, ADMIN).await;
    for (client, input) in [(&phone, json!({})), (&later, voter.clone())] {
        let opened = try_open_by(client, &site, of, input).await.data();
        assert_eq!(errors(&opened["openShareable"]), [""; 0]);
    }
    // Whoever knew the view passcode alone guesses the admin passcode as a stranger.
    let guess = (made.short_id.as_str(), "wrong-passcode");
    let admin = json!({ "role": "ADMIN", "voterId": voter["voterId"] });
    for _ in 0..3 {
        let wrong = try_open_by(&phone, &site, guess, admin.clone()).await;
        assert_eq!(
            errors(&wrong.data()["openShareable"]),
            ["NOT_FOUND passcode"]
        );
    }
    let refused = try_open_by(&phone, &site, guess, admin).await;
    assert_eq!(refused.code(), "RATE_LIMITED");
    // A new address has as many tries of its own.
    for _ in 0..2 {
        let wrong = try_open_by(&new, &site, guess, json!({})).await;
        assert_eq!(
            errors(&wrong.data()["openShareable"]),
            ["NOT_FOUND passcode"]
        );
    }
    let opened = try_open_by(&new, &site, of, json!({})).await.data();
    assert_eq!(errors(&opened["openShareable"]), [""; 0]);
}

#[tokio::test]
async fn whoever_was_thrown_out_learns_that_and_guesses_as_often_as_others() {
    let site = site().await;
    let made = checklist(&site, 1).await;
    let (thrown_out, stranger) = (client_at(6), client_at(7));
    let of = (made.short_id.as_str(), VIEW);
    try_open_by(&thrown_out, &site, of, json!({})).await.data();
    let change = json!({ "shortId": made.short_id, "passcode": ADMIN, "viewPasscode": "another-view-turnip" });
    mutate(&site, &made.token, "changePasscodes", "", change).await;
    guess_slowly(&site, &stranger, &made.short_id).await;
    let told = try_open_by(&thrown_out, &site, of, json!({ "role": "VIEW" })).await;
    assert_eq!(errors(&told.data()["openShareable"]), ["CONFLICT passcode"]);
    let guess = (made.short_id.as_str(), "wrong-passcode");
    for _ in 0..10 {
        let wrong = try_open_by(&thrown_out, &site, guess, json!({ "role": "VIEW" })).await;
        assert_eq!(
            errors(&wrong.data()["openShareable"]),
            ["NOT_FOUND passcode"]
        );
    }
    let paused = try_open_by(&thrown_out, &site, of, json!({ "role": "VIEW" })).await;
    assert_eq!(paused.code(), "RATE_LIMITED");
    site.clock.advance(30 * 24 * 3600);
    open(&site, &made.short_id, ADMIN).await;
    guess_slowly(&site, &stranger, &made.short_id).await;
    let forgotten = try_open_by(&thrown_out, &site, of, json!({})).await.data();
    assert_eq!(errors(&forgotten["openShareable"]), ["NOT_FOUND passcode"]);
}

#[tokio::test]
async fn each_passcode_has_a_budget_of_its_own() {
    let site = site().await;
    let made = checklist(&site, 1).await;
    let friend = client_at(8);
    for _ in 0..10 {
        let guess = (made.short_id.as_str(), "wrong-passcode");
        let wrong = try_open_by(&friend, &site, guess, json!({ "role": "VIEW" })).await;
        assert_eq!(
            errors(&wrong.data()["openShareable"]),
            ["NOT_FOUND passcode"]
        );
    }
    let of = |passcode| (made.short_id.as_str(), passcode);
    let view = try_open_by(&friend, &site, of(VIEW), json!({})).await;
    assert_eq!(view.code(), "RATE_LIMITED");
    // Without a role it is not told from the view passcode, which is paused.
    let either = try_open_by(&friend, &site, of(ADMIN), json!({})).await;
    assert_eq!(either.code(), "RATE_LIMITED");
    let admin = try_open_by(&friend, &site, of(ADMIN), json!({ "role": "ADMIN" }))
        .await
        .data();
    assert_eq!(admin["openShareable"]["token"]["role"], "ADMIN");
}

#[tokio::test]
async fn easy_passcodes_are_refused_and_the_server_makes_good_ones() {
    let site = site().await;
    let input = |view: &str, admin: &str| json!({ "name": "Summer camp", "viewPasscode": view, "adminPasscode": admin, "checklist": {} });
    for easy in ["123456", "password", "qwertz", "summer camp", "aaaaaaaa"] {
        let refused = mutate(&site, "", "createShareable", "", input(easy, ADMIN)).await;
        assert_eq!(errors(&refused), ["INVALID viewPasscode"], "{easy}");
        let refused = mutate(&site, "", "createShareable", "", input(VIEW, easy)).await;
        assert_eq!(errors(&refused), ["INVALID adminPasscode"], "{easy}");
        let message = refused["userErrors"][0]["message"].as_str().unwrap();
        assert!(message.contains("unusual words"), "{message}");
    }
    // Rows of keys, however long and whatever follows.
    for unit in ["qw", "1", "a", "asdf"] {
        for end in ["", "zz", "lp"] {
            for length in [27, 28, 64, 100, 126] {
                let easy: String = unit.chars().cycle().take(length).collect();
                let easy = format!("{easy}{end}");
                let refused = mutate(&site, "", "createShareable", "", input(VIEW, &easy)).await;
                assert_eq!(errors(&refused), ["INVALID adminPasscode"], "{easy}");
            }
        }
    }
    let long = "walnut harbor copper lantern ".repeat(4);
    let accepted = mutate(&site, "", "createShareable", "", input(VIEW, &long)).await;
    assert_eq!(errors(&accepted), [""; 0]);
    let blanks = mutate(&site, "", "createShareable", "", input("      ", ADMIN)).await;
    assert_eq!(errors(&blanks), ["REQUIRED viewPasscode"]);
    let more = "shareable { shortId } token { token } madePasscodes { view admin }";
    let left_out = json!({ "name": "N", "viewPasscode": VIEW, "checklist": {} });
    let made = mutate(&site, "", "createShareable", more, left_out).await;
    assert_eq!(made["madePasscodes"]["view"], Value::Null);
    let admin = made["madePasscodes"]["admin"].as_str().unwrap();
    let short_id = made["shareable"]["shortId"].as_str().unwrap();
    assert_eq!(open(&site, short_id, admin).await.role, "ADMIN");
    let token = made["token"]["token"].as_str().unwrap();
    let change = json!({ "shortId": short_id, "passcode": admin, "makePasscodes": ["VIEW"] });
    let changed = mutate(&site, token, "changePasscodes", more, change).await;
    let view = changed["madePasscodes"]["view"].as_str().unwrap();
    assert_eq!(open(&site, short_id, view).await.role, "VIEW");
}

#[tokio::test]
async fn a_short_id_and_a_passcode_can_be_pasted() {
    let site = site().await;
    let made = checklist(&site, 1).await;
    let pasted = made
        .short_id
        .replacen('-', "\u{2013}", 1)
        .replace('-', "\u{2011}");
    let pasted = format!(" {pasted}\n");
    open(&site, &pasted, &format!(" {VIEW}\n")).await;
    for odd in ["Ann\nadmin", "Ann\u{202e}nimda"] {
        let input = json!({ "voterName": odd });
        let of = (made.short_id.as_str(), VIEW);
        let refused = try_open_by(&site.http, &site, of, input).await.data();
        assert_eq!(errors(&refused["openShareable"]), ["INVALID voterName"]);
    }
}
