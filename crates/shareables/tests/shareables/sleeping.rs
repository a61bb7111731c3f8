//! Ten friends whose phones stay signed in: they sleep for a day, and wake at another process.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::friends::two_processes;
use crate::site::{
    ADMIN, Opened, VIEW, checklist, errors, items, mutate, mutate_raw, open, options,
};
use trestle_testing::hosted::TestServer;

const DAY: i64 = 24 * 3600;

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

/// A phone: its token, and the refresh token that it keeps.
struct Phone {
    token: String,
    device: Value,
    refresh: String,
}

impl Phone {
    fn of(payload: &Value) -> Self {
        Self {
            token: text(&payload["token"]["token"]),
            device: payload["token"]["deviceId"].clone(),
            refresh: text(&payload["refreshToken"]["token"]),
        }
    }

    async fn sign_in(site: &TestServer, short_id: &str, n: usize) -> Self {
        let input = json!({ "shortId": short_id, "passcode": VIEW, "staysSignedIn": true,
            "voterId": uuid::Uuid::new_v4(), "voterName": format!("Friend {n}") });
        let more = "token { token deviceId } refreshToken { token }";
        Self::of(&mutate(site, "", "openShareable", more, input).await)
    }

    /// Wakes, as a phone does that has no valid token: by its refresh token.
    async fn wake(&mut self, site: &TestServer) -> Result<(), String> {
        let more = "token { token deviceId } refreshToken { token }";
        let input = json!({ "refreshToken": self.refresh });
        let answer = mutate_raw(site, "", "useRefreshToken", more, input).await;
        match answer.code() {
            "no error" => *self = Self::of(&answer.data()["useRefreshToken"]),
            code => return Err(code.to_owned()),
        }
        Ok(())
    }

    async fn tick(&self, site: &TestServer, id: &str) -> Result<String, String> {
        let more = "item { tickedBy }";
        let input = json!({ "id": id });
        let answer = mutate_raw(site, &self.token, "tickChecklistItem", more, input).await;
        match answer.code() {
            "no error" => Ok(text(
                &answer.data()["tickChecklistItem"]["item"]["tickedBy"],
            )),
            code => Err(code.to_owned()),
        }
    }
}

#[tokio::test]
async fn ten_phones_sleep_for_a_day_and_wake_without_a_passcode() {
    let sites = two_processes().await;
    let list = checklist(&sites[0], 30).await;
    let ids: Vec<_> = items(&sites[0], &list)
        .await
        .into_iter()
        .map(|item| item.0)
        .collect();
    let signing = (0..10).map(|n| Phone::sign_in(&sites[n % 2], &list.short_id, n));
    let mut phones = join_all(signing).await;
    for day in 0..3 {
        sites[0].clock.advance(DAY);
        let slept = phones[0].tick(&sites[0], &ids[29]).await;
        assert_eq!(slept, Err("UNAUTHENTICATED".to_owned()));
        let waking = phones.iter_mut().enumerate();
        let waking = waking.map(|(n, phone)| phone.wake(&sites[(n + day) % 2]));
        assert!(join_all(waking).await.iter().all(Result::is_ok));
        let ticking = phones.iter().enumerate().map(|(n, phone)| {
            let site = &sites[(n + day + 1) % 2];
            phone.tick(site, &ids[10 * day.min(1) + n])
        });
        for (n, by) in join_all(ticking).await.into_iter().enumerate() {
            assert_eq!(by, Ok(format!("Friend {n}")));
        }
    }
    // The maker throws the last one out, whose phone was stolen. The others notice nothing that needs a passcode.
    let maker = open(&sites[1], &list.short_id, ADMIN).await;
    let out = json!({ "id": phones[9].device });
    let done = mutate(&sites[1], &maker.token, "signOut", "signedOutId", out).await;
    assert_eq!(errors(&done), [""; 0]);
    for (n, phone) in phones.iter_mut().enumerate() {
        let site = &sites[n % 2];
        assert_eq!(
            phone.tick(site, &ids[29]).await,
            Err("UNAUTHENTICATED".to_owned())
        );
        match n {
            9 => assert_eq!(phone.wake(site).await, Err("UNAUTHENTICATED".to_owned())),
            _ => {
                assert_eq!(phone.wake(site).await, Ok(()));
                assert_eq!(phone.tick(site, &ids[29]).await, Ok("Friend 0".to_owned()));
            }
        }
    }
}

#[tokio::test]
async fn ten_invited_friends_find_a_date_and_one_loses_the_link() {
    let sites = two_processes().await;
    let names: Vec<_> = (0..10).map(|n| format!("Friend {n}")).collect();
    let more = "shareable { shortId } token { token role }
        invitations { secret invitation { id name } }";
    let input = json!({ "name": "Date", "viewPasscode": VIEW, "adminPasscode": ADMIN, "poll": {
        "question": "When?", "times": [{ "day": "2026-05-01" }, { "day": "2026-05-02" }],
        "allowsMaybe": true, "voters": names } });
    let made = mutate(&sites[0], "", "createShareable", more, input).await;
    assert_eq!(errors(&made), [""; 0]);
    let maker = Opened {
        short_id: text(&made["shareable"]["shortId"]),
        token: text(&made["token"]["token"]),
        role: text(&made["token"]["role"]),
    };
    let links: Vec<_> = made["invitations"].as_array().unwrap().clone();
    let ids: Vec<_> = options(&sites[0], &maker)
        .await
        .into_iter()
        .map(|option| option.0)
        .collect();
    let by_link = async |site: &TestServer, secret: &Value| {
        let input = json!({ "shortId": maker.short_id, "secret": secret });
        let more = "token { token voterName }";
        mutate(site, "", "openInvitation", more, input).await["token"].clone()
    };
    // Each votes from two phones at two processes at the same time, a day apart from the other friends.
    for (n, link) in links.iter().enumerate() {
        let phones = sites.iter().map(|site| by_link(site, &link["secret"]));
        let phones = join_all(phones).await;
        let votes = phones.iter().enumerate().map(|(at, phone)| {
            let input = json!({ "shortId": maker.short_id, "optionIds": [ids[n % 2]],
                "maybeOptionIds": [ids[(n + 1) % 2]] });
            let token = phone["token"].as_str().unwrap();
            mutate(&sites[at], token, "vote", "vote { voterName }", input)
        });
        for voted in join_all(votes).await {
            assert_eq!(voted["vote"]["voterName"], format!("Friend {n}"), "{voted}");
        }
        sites[0].clock.advance(DAY);
    }
    let admin = open(&sites[1], &maker.short_id, ADMIN).await;
    let query = "query($id: String!) { shareable(shortId: $id) { ... on Poll { voterCount
        options { voteCount maybeCount percentage } invitations { hasVoted } } } }";
    let of = json!({ "id": maker.short_id });
    let shown = crate::site::data(&sites[1], &admin.token, query, of).await;
    let poll = &shown["shareable"];
    let all = json!({ "voteCount": 5, "maybeCount": 5, "percentage": 50.0 });
    assert_eq!(poll["options"], json!([all, all]), "{poll}");
    assert_eq!(poll["voterCount"], 10);
    // Somebody found the link of the last one.
    let renew = json!({ "id": links[9]["invitation"]["id"] });
    let more = "invitation { secret }";
    let renewed = mutate(&sites[1], &admin.token, "renewInvitation", more, renew).await;
    assert_eq!(by_link(&sites[0], &links[9]["secret"]).await, Value::Null);
    let again = by_link(&sites[0], &renewed["invitation"]["secret"]).await;
    assert_eq!(again["voterName"], "Friend 9");
}
