//! Limits on wrong passcodes and on creating.

use serde_json::{Value, json};
use trestle::services::shareables::SERVICE;

use crate::site::{ADMIN, UNLIMITED, VIEW, checklist, errors, mutate_raw, open, site, try_open};
use crate::support::hosted::{Hosted, TestClock, memory};

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
    let site = Hosted::start_on(&SERVICE, client, calls, TestClock::default(), &options).await;
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
