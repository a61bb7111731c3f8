//! Strangers who guess for a day, and friends who open the list for the first time meanwhile.

use std::net::{Ipv4Addr, Ipv6Addr};

use serde_json::{Value, json};

use crate::site::{ADMIN, Opened, VIEW, checklist, data, errors, mutate, open, site_behind_proxy};
use trestle_testing::Answer;
use trestle_testing::hosted::TestServer;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;

/// Opens from any address.
pub async fn open_from(site: &TestServer, address: &str, input: Value) -> Answer {
    let query = "mutation($input: OpenShareableInput!) { openShareable(input: $input) {
        token { role } userErrors { code field message } } }";
    let body = json!({ "query": query, "variables": { "input": input } });
    let request = site.http.post(&site.url).header("x-forwarded-for", address);
    let response = request
        .json(&body)
        .send()
        .await
        .expect("the server answers");
    Answer {
        body: response.json().await.expect("JSON"),
    }
}

/// How an attempt ends: `opened`, or the code of its error.
pub fn outcome(answer: &Answer) -> String {
    if answer.code() != "no error" {
        return answer.code().to_owned();
    }
    let payload = &answer.data()["openShareable"];
    match errors(payload).first() {
        Some(error) => error.clone(),
        None => "opened".to_owned(),
    }
}

/// Addresses that guess.
#[derive(Clone, Copy, Debug)]
enum Crowd {
    Addresses(u32),
    /// So many addresses of one IPv6 network of 64 bits.
    OneNetwork(u32),
}

impl Crowd {
    fn address(self, n: u32) -> String {
        match self {
            Crowd::Addresses(count) => {
                Ipv4Addr::from(u32::from(Ipv4Addr::new(10, 0, 0, 1)) + n % count).to_string()
            }
            Crowd::OneNetwork(count) => {
                let network = u128::from(Ipv6Addr::new(0x2001, 0xdb8, 1, 2, 0, 0, 0, 0));
                Ipv6Addr::from(network + u128::from(n % count)).to_string()
            }
        }
    }
}

/// What a day of guessing comes to.
#[derive(Debug, PartialEq)]
struct Day {
    checked: usize,
    refused_friends: usize,
}

/// A day on which a crowd guesses the view passcode as often as it can each hour, and then a friend with a new phone at
/// a new address opens the list.
async fn day_of(site: &TestServer, short_id: &str, passcode: &str, crowd: Crowd) -> Day {
    let mut day = Day {
        checked: 0,
        refused_friends: 0,
    };
    let mut next = 0;
    for hour in 0..24 {
        if hour > 0 {
            site.clock.advance(HOUR);
        }
        let mut refused = 0;
        while refused <= 20 {
            let guess = json!({ "shortId": short_id, "passcode": "wrong-passcode", "role": "VIEW",
                "voterId": uuid::Uuid::new_v4() });
            match outcome(&open_from(site, &crowd.address(next), guess).await).as_str() {
                "RATE_LIMITED" => refused += 1,
                "NOT_FOUND passcode" => day.checked += 1,
                other => panic!("{other}"),
            }
            next += 1;
        }
        let phone = format!("192.0.2.{hour}");
        let right = json!({ "shortId": short_id, "passcode": passcode, "role": "VIEW" });
        if outcome(&open_from(site, &phone, right).await) != "opened" {
            day.refused_friends += 1;
        }
    }
    day
}

/// The table in SECURITY.md of a passcode that people chose.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_have_few_guesses_a_day_and_keep_no_friend_out_until_they_are_many() {
    let rows = [
        (Crowd::Addresses(1), 100, 0),
        (Crowd::OneNetwork(1000), 100, 0),
        (Crowd::Addresses(20), 160, 0),
        (Crowd::Addresses(1000), 300, 24),
    ];
    for (crowd, most, refused) in rows {
        let site = site_behind_proxy().await;
        let made = checklist(&site, 1).await;
        let day = day_of(&site, &made.short_id, VIEW, crowd).await;
        assert!(day.checked <= most, "{crowd:?}: {day:?}");
        assert_eq!(day.refused_friends, refused, "{crowd:?}: {day:?}");
        // Who is known opens it in any case, and the admin sees what happens.
        let made = open(&site, &made.short_id, ADMIN).await;
        let wrong = wrong_passcodes(&site, &made).await;
        let counted = wrong["viewCount"].as_u64().unwrap();
        assert!(counted > 0 && counted <= most as u64, "{wrong}");
        assert!(
            wrong["lastAt"].is_string() && wrong["adminCount"] == 0,
            "{wrong}"
        );
        let is_closed = wrong["pausedRoles"] == json!(["VIEW"]);
        assert_eq!(is_closed, refused > 0, "{wrong}");
        // A passcode that the server makes ends it.
        let change =
            json!({ "shortId": made.short_id, "passcode": ADMIN, "makePasscodes": ["VIEW"] });
        let more = "token { token } madePasscodes { view }";
        let changed = mutate(&site, &made.token, "changePasscodes", more, change).await;
        let passcode = changed["madePasscodes"]["view"].as_str().unwrap();
        let right = json!({ "shortId": made.short_id, "passcode": passcode });
        assert_eq!(
            outcome(&open_from(&site, "198.51.100.1", right).await),
            "opened"
        );
    }
}

pub async fn wrong_passcodes(site: &TestServer, on: &Opened) -> Value {
    let query =
        "query($id: String!) { shareable(shortId: $id) { ... on Checklist { wrongPasscodes {
        viewCount adminCount lastAt pausedRoles } } } }";
    let data = data(site, &on.token, query, json!({ "id": on.short_id })).await;
    data["shareable"]["wrongPasscodes"].clone()
}

/// Strangers, however many, keep nobody out whose passcode the server made.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_passcode_of_the_servers_opens_whatever_is_guessed() {
    let site = site_behind_proxy().await;
    let input = json!({ "name": "N", "checklist": {} });
    let more = "shareable { shortId } madePasscodes { view admin }";
    let made = mutate(&site, "", "createShareable", more, input).await;
    let short_id = made["shareable"]["shortId"].as_str().unwrap();
    let view = made["madePasscodes"]["view"].as_str().unwrap();
    let day = day_of(&site, short_id, view, Crowd::Addresses(1000)).await;
    assert_eq!(day.refused_friends, 0, "{day:?}");
    // As people type it, and the admin's.
    let admin = made["madePasscodes"]["admin"].as_str().unwrap();
    for (n, text) in [admin.replace('-', ""), admin.to_uppercase()]
        .iter()
        .enumerate()
    {
        let right = json!({ "shortId": short_id, "passcode": text });
        let phone = format!("198.51.100.{n}");
        assert_eq!(outcome(&open_from(&site, &phone, right).await), "opened");
    }
}

/// No sequence of guesses is answered differently for a short id that nobody has, a passcode that people chose and one that
/// the server made.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_to_guesses_do_not_show_which_short_ids_exist() {
    let site = site_behind_proxy().await;
    let chosen = checklist(&site, 0).await.short_id;
    let input = json!({ "name": "N", "checklist": {} });
    let made = mutate(&site, "", "createShareable", "shareable { shortId }", input).await;
    let made = made["shareable"]["shortId"].as_str().unwrap().to_owned();
    for n in 0..60_u32 {
        // Forms, roles and addresses in an order that repeats only after all of them.
        let passcode = ["wrong-passcode", "abcd-efgh-jkmn", "abcdefghjkmn"][n as usize % 3];
        let role = [Value::Null, json!("VIEW"), json!("ADMIN")][n as usize / 3 % 3].clone();
        let address = Crowd::Addresses(3).address(n / 9);
        let mut outcomes = Vec::new();
        for short_id in [&chosen, &made, "ABC-DEF-00000"] {
            let guess = json!({ "shortId": short_id, "passcode": passcode, "role": role });
            outcomes.push(outcome(&open_from(&site, &address, guess).await));
        }
        assert!(
            outcomes.iter().all(|other| *other == outcomes[0]),
            "{n}: {outcomes:?}"
        );
        if n % 7 == 0 {
            site.clock.advance(MINUTE);
        }
    }
}

/// Who was thrown out has no more guesses for more ids and addresses by which they had opened the list.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn former_visitors_share_one_budget_whatever_ids_they_have_made() {
    for visitors in [1, 5, 20_u32] {
        let site = site_behind_proxy().await;
        let made = checklist(&site, 1).await;
        let crowd = Crowd::Addresses(visitors);
        let voters: Vec<_> = (0..visitors).map(|_| uuid::Uuid::new_v4()).collect();
        let attempt = |n: u32, passcode: &str| {
            json!({ "shortId": made.short_id, "passcode": passcode, "role": "VIEW",
                "voterId": voters[n as usize % voters.len()] })
        };
        for n in 0..visitors {
            let opened = open_from(&site, &crowd.address(n), attempt(n, VIEW)).await;
            assert_eq!(outcome(&opened), "opened");
        }
        let change =
            json!({ "shortId": made.short_id, "passcode": ADMIN, "makePasscodes": ["VIEW"] });
        mutate(&site, &made.token, "changePasscodes", "", change).await;
        let mut checked = 0;
        for _minute in 0..HOUR / MINUTE {
            for n in 0..visitors.max(10) {
                // Each id at several addresses.
                let guess = attempt(n / 2, "wrong-passcode");
                let answer = open_from(&site, &crowd.address(n), guess).await;
                checked += u32::from(outcome(&answer) == "NOT_FOUND passcode");
            }
            site.clock.advance(MINUTE);
        }
        let most = 30 + 3 * visitors;
        assert!((30..=most).contains(&checked), "{visitors}: {checked}");
    }
}

/// A voter's id is known from the first time that the server gave it out, for the shareable that it was given for.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_voter_is_known_by_an_id_that_the_server_gave_out() {
    for (given_by, is_changed) in [("VIEW", false), ("VIEW", true), ("ADMIN", false)] {
        let site = site_behind_proxy().await;
        let made = checklist(&site, 1).await;
        let other = checklist(&site, 1).await;
        let passcode = |role: &str| if role == "VIEW" { VIEW } else { ADMIN };
        let query = "mutation($input: OpenShareableInput!) { openShareable(input: $input) { token { voterId } } }";
        let given = async |short_id: &str| {
            let input =
                json!({ "shortId": short_id, "passcode": passcode(given_by), "role": given_by });
            let body = json!({ "query": query, "variables": { "input": input } });
            let request = site
                .http
                .post(&site.url)
                .header("x-forwarded-for", "192.0.2.1");
            let answer: Value = request
                .json(&body)
                .send()
                .await
                .unwrap()
                .json()
                .await
                .unwrap();
            answer["data"]["openShareable"]["token"]["voterId"].clone()
        };
        let voter = given(&made.short_id).await;
        let of_other = given(&other.short_id).await;
        if is_changed {
            let change = json!({ "shortId": made.short_id, "passcode": ADMIN, "viewPasscode": "view-maple-lantern" });
            let changed = mutate(&site, &made.token, "changePasscodes", "", change).await;
            assert_eq!(errors(&changed), [""; 0]);
        }
        let view = if is_changed {
            "view-maple-lantern"
        } else {
            VIEW
        };
        // Strangers use up what is shared.
        day_of(&site, &made.short_id, view, Crowd::Addresses(1000)).await;
        let ids = [
            // Who was known before a change shares no budget with strangers.
            (voter, true),
            (of_other, false),
            (json!(uuid::Uuid::new_v4()), false),
            (Value::Null, false),
        ];
        for (n, (id, is_known)) in ids.into_iter().enumerate() {
            let address = format!("198.51.100.{n}");
            let input = json!({ "shortId": made.short_id, "passcode": view, "role": "VIEW", "voterId": id });
            let opened = outcome(&open_from(&site, &address, input).await);
            let expected = if is_known { "opened" } else { "RATE_LIMITED" };
            assert_eq!(opened, expected, "{given_by} {is_changed} {id}");
        }
    }
}
