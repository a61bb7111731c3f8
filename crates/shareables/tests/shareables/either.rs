//! Passcodes that are given without saying which one they are.

use serde_json::{Value, json};

use crate::newcomers::{open_from, outcome, wrong_passcodes};
use crate::site::{ADMIN, Opened, VIEW, checklist, site_behind_proxy};
use trestle_testing::hosted::TestServer;

const STRANGER: &str = "192.0.2.1";
const MINUTE: i64 = 60;

/// Gives a passcode from the stranger's address. Without a role if it is empty.
async fn give(site: &TestServer, on: &Opened, passcode: &str, role: &str) -> String {
    let mut input = json!({ "shortId": on.short_id, "passcode": passcode });
    if !role.is_empty() {
        input["role"] = json!(role);
    }
    outcome(&open_from(site, STRANGER, input).await)
}

/// How many wrong passcodes are counted for the view and the admin passcode.
async fn counts(site: &TestServer, on: &Opened) -> (u64, u64) {
    let wrong = wrong_passcodes(site, on).await;
    let count = |name: &str| wrong[name].as_u64().unwrap();
    (count("viewCount"), count("adminCount"))
}

/// Every passcode, role that is given, and pauses of the two budgets: what is answered, and in which budgets it counts.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_passcode_that_opens_something_is_no_guess() {
    for paused in [vec![], vec!["VIEW"], vec!["ADMIN"], vec!["VIEW", "ADMIN"]] {
        for passcode in [VIEW, ADMIN, "wrong-passcode"] {
            for role in ["", "VIEW", "ADMIN"] {
                let site = site_behind_proxy().await;
                let made = checklist(&site, 0).await;
                for role in &paused {
                    for _ in 0..10 {
                        give(&site, &made, "wrong-passcode", role).await;
                    }
                }
                let before = counts(&site, &made).await;
                let answer = give(&site, &made, passcode, role).await;
                let after = counts(&site, &made).await;
                let is_paused = |role: &str| paused.contains(&role);
                let compared: Vec<_> = match role {
                    "" if is_paused("VIEW") => vec![],
                    "" => ["VIEW", "ADMIN"]
                        .into_iter()
                        .filter(|r| !is_paused(r))
                        .collect(),
                    role => [role].into_iter().filter(|r| !is_paused(r)).collect(),
                };
                let right = match passcode {
                    VIEW => "VIEW",
                    ADMIN => "ADMIN",
                    _ => "",
                };
                let about = format!("{paused:?} {passcode} as {role:?}: {answer}");
                let opens = compared.contains(&right);
                let counted = |of: &str| u64::from(!opens && compared.contains(&of));
                let counted = (before.0 + counted("VIEW"), before.1 + counted("ADMIN"));
                assert_eq!(after, counted, "{about}");
                let is_unchecked = compared.is_empty() || (role.is_empty() && compared.len() < 2);
                let expected = match (opens, is_unchecked) {
                    (true, _) => "opened",
                    (false, true) => "RATE_LIMITED",
                    (false, false) => "NOT_FOUND passcode",
                };
                assert_eq!(answer, expected, "{about}");
                // The right view passcode counts in no budget but that of the passcode that it was said to be.
                if right == "VIEW" && role != "ADMIN" {
                    assert_eq!(after, before, "{about}");
                }
            }
        }
    }
}

/// The table in SECURITY.md holds for who knows the view passcode, and gives it between guesses at the admin passcode.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_view_passcode_between_guesses_gives_no_more_of_them() {
    for role in ["", "ADMIN"] {
        let site = site_behind_proxy().await;
        let made = checklist(&site, 0).await;
        let (mut in_a_day, mut in_an_hour) = (0, 0);
        for quarter in 0..24 * 4 {
            // Until it is refused, then again when the longest pause of a minute's limit is over.
            for _ in 0..12 {
                give(&site, &made, VIEW, ["", "VIEW"][quarter % 2]).await;
                let answer = give(&site, &made, "wrong-passcode", role).await;
                if answer == "RATE_LIMITED" {
                    break;
                }
                in_a_day += 1;
                in_an_hour += u64::from(quarter < 4);
            }
            site.clock.advance(15 * MINUTE);
        }
        assert!(
            in_an_hour <= 30 && in_a_day <= 100,
            "{role:?}: {in_an_hour}, {in_a_day}"
        );
        assert!(in_a_day > 30, "{role:?}: {in_a_day}");
    }
}

/// During a pause of the view passcode, nothing shows which one is right: neither an answer nor what is left for the admin
/// passcode.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_paused_view_passcode_is_not_found_by_the_budget_of_the_other_one() {
    let mut seen: Vec<Vec<String>> = Vec::new();
    for passcode in [VIEW, "wrong-passcode", "other-passcode"] {
        let site = site_behind_proxy().await;
        let made = checklist(&site, 0).await;
        for _ in 0..10 {
            give(&site, &made, "wrong-passcode", "VIEW").await;
        }
        let mut answers = Vec::new();
        for _ in 0..12 {
            answers.push(give(&site, &made, passcode, "").await);
        }
        for _ in 0..12 {
            answers.push(give(&site, &made, "wrong-passcode", "ADMIN").await);
        }
        assert_eq!(counts(&site, &made).await, (10, 10), "{passcode}");
        seen.push(answers);
    }
    assert!(seen.iter().all(|answers| *answers == seen[0]), "{seen:?}");
}

/// Short ids that nobody has are answered in the same way.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pause_of_one_passcode_does_not_show_which_short_ids_exist() {
    let site = site_behind_proxy().await;
    let made = checklist(&site, 0).await;
    for paused in ["VIEW", "ADMIN"] {
        let mut seen = Vec::new();
        for short_id in [made.short_id.as_str(), "ABC-DEF-00000"] {
            let mut answers: Vec<Value> = Vec::new();
            for n in 0..16 {
                let role = if n < 10 { json!(paused) } else { Value::Null };
                let input =
                    json!({ "shortId": short_id, "passcode": "wrong-passcode", "role": role });
                answers.push(json!(outcome(&open_from(&site, STRANGER, input).await)));
            }
            seen.push(answers);
        }
        assert_eq!(seen[0], seen[1], "{paused}");
        site.clock.advance(24 * 60 * MINUTE);
    }
}
