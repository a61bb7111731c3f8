//! Ten friends with a packing list and a poll: two processes, phones that sleep for a day, and one who is thrown out.

use futures_util::future::join_all;
use serde_json::{Value, json};
use trestle_shareables::SERVICE;

use crate::site::{
    ADMIN, Opened, UNLIMITED, VIEW, ask, checklist, client_at, errors, items, mutate, mutate_raw,
    open, options, poll, try_open_by,
};
use trestle_testing::hosted::{TestClock, TestServer, memory};

const DAY: i64 = 24 * 3600;

/// Two processes on the same tables, with the same clock and secret.
pub async fn two_processes() -> [TestServer; 2] {
    let (client, calls) = memory();
    let clock = TestClock::default();
    let secret = ["--shareables-secret=the-same-secret-in-all-processes-0123456789"];
    let options: Vec<_> = UNLIMITED.into_iter().chain(secret).collect();
    let start = || {
        TestServer::start_on(
            &SERVICE,
            client.clone(),
            calls.clone(),
            clock.clone(),
            &options,
        )
    };
    [start().await, start().await]
}

/// A friend with a phone, which has an address and keeps its voter's id.
struct Friend {
    phone: reqwest::Client,
    voter: Value,
    opened: Opened,
}

impl Friend {
    async fn open(site: &TestServer, n: u8, short_id: &str) -> Self {
        let phone = client_at(20 + n);
        let voter = json!({ "voterId": uuid::Uuid::new_v4(), "voterName": format!("Friend {n}") });
        let opened = Self::try_open(&phone, site, short_id, &voter)
            .await
            .unwrap();
        Self {
            phone,
            voter,
            opened,
        }
    }

    async fn try_open(
        phone: &reqwest::Client,
        site: &TestServer,
        short_id: &str,
        voter: &Value,
    ) -> Result<Opened, String> {
        let answer = try_open_by(phone, site, (short_id, VIEW), voter.clone()).await;
        if answer.code() != "no error" {
            return Err(answer.code().to_owned());
        }
        let payload = answer.data()["openShareable"].clone();
        match errors(&payload).first() {
            Some(error) => Err(error.clone()),
            None => Ok(Opened {
                short_id: short_id.to_owned(),
                token: payload["token"]["token"].as_str().unwrap().to_owned(),
                role: payload["token"]["role"].as_str().unwrap().to_owned(),
            }),
        }
    }

    /// Opens it again, as a phone does that slept.
    async fn wake(&mut self, site: &TestServer) -> Result<(), String> {
        let short_id = self.opened.short_id.clone();
        self.opened = Self::try_open(&self.phone, site, &short_id, &self.voter).await?;
        Ok(())
    }
}

async fn friends(sites: &[TestServer; 2], short_id: &str) -> Vec<Friend> {
    let opening = (0..10_u8).map(|n| Friend::open(&sites[usize::from(n) % 2], n, short_id));
    join_all(opening).await
}

#[tokio::test]
async fn ten_friends_pack_over_two_days_and_one_is_thrown_out() {
    let sites = two_processes().await;
    let list = checklist(&sites[0], 20).await;
    let mut friends = friends(&sites, &list.short_id).await;
    let ids: Vec<_> = items(&sites[0], &list)
        .await
        .into_iter()
        .map(|item| item.0)
        .collect();
    let tick = async |site: &TestServer, token: &str, id: &str| {
        let more = "item { name note tickedBy }";
        mutate_raw(site, token, "tickChecklistItem", more, json!({ "id": id })).await
    };
    let ticking = friends.iter().enumerate().map(|(n, friend)| {
        let site = &sites[(n + 1) % 2];
        tick(site, &friend.opened.token, &ids[n])
    });
    for (n, ticked) in join_all(ticking).await.into_iter().enumerate() {
        let by = &ticked.data()["tickChecklistItem"]["item"]["tickedBy"];
        assert_eq!(*by, format!("Friend {n}"));
    }
    // The phones sleep. A stranger guesses meanwhile.
    sites[0].clock.advance(DAY);
    let stranger = client_at(9);
    for _ in 0..10 {
        let guess = (list.short_id.as_str(), "wrong-passcode");
        try_open_by(&stranger, &sites[1], guess, json!({}))
            .await
            .data();
    }
    let late = tick(&sites[0], &friends[0].opened.token, &ids[10]).await;
    assert_eq!(late.code(), "UNAUTHENTICATED");
    for (n, friend) in friends.iter_mut().enumerate() {
        assert_eq!(friend.wake(&sites[n % 2]).await, Ok(()));
    }
    // The maker throws the last one out, at the other process, and corrects an item.
    let maker = open(&sites[1], &list.short_id, ADMIN).await;
    let change = json!({ "shortId": list.short_id, "passcode": ADMIN, "viewPasscode": "another-view-turnip" });
    let changed = mutate(&sites[1], &maker.token, "changePasscodes", "", change).await;
    assert_eq!(errors(&changed), [""; 0]);
    let rename = json!({ "id": ids[9], "name": "a secret", "note": "for the others" });
    mutate(&sites[1], &maker.token, "updateChecklistItem", "", rename).await;
    for ticked in [true, false] {
        let input = json!({ "id": ids[9], "ticked": ticked });
        let token = &friends[9].opened.token;
        let more = "item { name note }";
        let refused = mutate_raw(&sites[0], token, "tickChecklistItem", more, input).await;
        assert_eq!(refused.code(), "UNAUTHENTICATED");
        assert!(
            !refused.body.to_string().contains("a secret"),
            "{}",
            refused.body
        );
    }
    // Whose passcode has changed, and who is told so.
    sites[0].clock.advance(60);
    assert_eq!(
        friends[9].wake(&sites[0]).await,
        Err("CONFLICT passcode".to_owned())
    );
    let packed = items(&sites[0], &maker).await;
    assert_eq!(packed.iter().filter(|item| item.2).count(), 10);
}

#[tokio::test]
async fn who_watches_at_another_process_is_thrown_out_before_the_next_change() {
    let sites = two_processes().await;
    let list = checklist(&sites[0], 2).await;
    let friend = open(&sites[0], &list.short_id, VIEW).await;
    let id = items(&sites[0], &list).await[0].0.clone();
    let query =
        "subscription($id: String!) { shareableChanged(shortId: $id) { kind item { name } } }";
    let body = json!({ "query": query, "variables": { "id": list.short_id } });
    let request = sites[0]
        .http
        .post(&sites[0].url)
        .header("accept", "text/event-stream");
    let watching = request.bearer_auth(&friend.token).json(&body).send();
    let mut watching = watching.await.unwrap();
    let change = json!({ "shortId": list.short_id, "passcode": ADMIN, "viewPasscode": "another-view-turnip" });
    mutate(&sites[1], &list.token, "changePasscodes", "", change).await;
    let mut told = String::new();
    let listening = async {
        while !told.contains("UNAUTHENTICATED") {
            match watching.chunk().await {
                Ok(Some(chunk)) => told.push_str(&String::from_utf8_lossy(&chunk)),
                _ => break,
            }
        }
    };
    // Until it listens, changes pass unseen.
    let renaming = async {
        for n in 0.. {
            let rename = json!({ "id": id, "name": format!("secret {n}") });
            mutate(&sites[0], &list.token, "updateChecklistItem", "", rename).await;
        }
    };
    tokio::select! {
        () = listening => {}
        () = renaming => {}
    }
    assert!(
        told.contains("UNAUTHENTICATED") && !told.contains("secret"),
        "{told}"
    );
}

#[tokio::test]
async fn ten_friends_vote_and_the_maker_removes_a_vote() {
    let sites = two_processes().await;
    let made = poll(&sites[0], json!({ "hidesResults": true })).await;
    let friends = friends(&sites, &made.short_id).await;
    let ids: Vec<_> = options(&sites[0], &made)
        .await
        .into_iter()
        .map(|o| o.0)
        .collect();
    let voting = friends.iter().enumerate().map(|(n, friend)| {
        let vote = json!({ "shortId": made.short_id, "optionIds": [ids[n % 3]] });
        mutate(&sites[n % 2], &friend.opened.token, "vote", "", vote)
    });
    for voted in join_all(voting).await {
        assert_eq!(errors(&voted), [""; 0]);
    }
    let of = json!({ "shortId": made.short_id });
    mutate(&sites[1], &made.token, "closePoll", "", of.clone()).await;
    let query = "query($id: String!) { shareable(shortId: $id) { ... on Poll {
        hidesResults isClosed reopenedAt
        votes(first: 50) { edges { node { id voterName } } } } } }";
    let read = async |on: &Opened| {
        let read = json!({ "id": made.short_id });
        ask(&sites[0], &on.token, query, read).await.data()["shareable"].clone()
    };
    let votes = read(&made).await["votes"]["edges"]
        .as_array()
        .unwrap()
        .clone();
    assert_eq!(votes.len(), 10);
    let of_first = votes
        .iter()
        .find(|vote| vote["node"]["voterName"] == "Friend 0");
    let id = of_first.unwrap()["node"]["id"].clone();
    let refused = mutate_raw(
        &sites[0],
        &friends[1].opened.token,
        "removeVote",
        "",
        json!({ "id": id }),
    )
    .await;
    assert_eq!(refused.code(), "FORBIDDEN");
    let removed = mutate(
        &sites[0],
        &made.token,
        "removeVote",
        "removedId",
        json!({ "id": id }),
    )
    .await;
    assert_eq!(removed["removedId"], id);
    let again = mutate(
        &sites[0],
        &made.token,
        "removeVote",
        "",
        json!({ "id": id }),
    )
    .await;
    assert_eq!(errors(&again), ["NOT_FOUND id"]);
    let counts: Vec<_> = options(&sites[1], &made)
        .await
        .into_iter()
        .map(|o| o.2)
        .collect();
    assert_eq!(counts, [3, 3, 3].map(Some));
    // In a closed poll nobody becomes a voter or gets another name.
    for friend in &friends[..2] {
        let renamed = json!({ "voterId": friend.voter["voterId"], "voterName": "Someone else" });
        let of = (made.short_id.as_str(), VIEW);
        let again = try_open_by(&friend.phone, &sites[0], of, renamed)
            .await
            .data();
        let token = again["openShareable"]["token"]["token"].as_str().unwrap();
        for chosen in [vec![], vec![&ids[1]]] {
            let vote = json!({ "shortId": made.short_id, "optionIds": chosen });
            let refused = mutate(&sites[0], token, "vote", "", vote).await;
            assert_eq!(errors(&refused), ["CONFLICT optionIds"]);
        }
    }
    let shown = read(&friends[1].opened).await;
    assert_eq!(shown["votes"]["edges"].as_array().unwrap().len(), 9);
    assert!(!shown.to_string().contains("Someone else"));
    // What was shown stays shown, and everybody sees that the poll was opened again.
    let reopen = json!({ "shortId": made.short_id, "closesAt": null });
    mutate(&sites[0], &made.token, "updatePoll", "", reopen).await;
    let shown = read(&friends[1].opened).await;
    assert_eq!(
        (&shown["isClosed"], &shown["hidesResults"]),
        (&json!(false), &json!(false))
    );
    assert!(shown["reopenedAt"].is_string(), "{shown}");
    assert_eq!(shown["votes"]["edges"].as_array().unwrap().len(), 9);
}

#[tokio::test]
async fn who_watches_at_another_process_is_thrown_out_while_nothing_happens() {
    let sites = two_processes().await;
    let list = checklist(&sites[0], 1).await;
    let friend = open(&sites[0], &list.short_id, VIEW).await;
    let id = items(&sites[0], &list).await[0].0.clone();
    let query = "subscription($id: String!) { shareableChanged(shortId: $id) { kind } }";
    let body = json!({ "query": query, "variables": { "id": list.short_id } });
    let request = sites[0]
        .http
        .post(&sites[0].url)
        .header("accept", "text/event-stream");
    let watching = request.bearer_auth(&friend.token).json(&body).send();
    let mut watching = watching.await.unwrap();
    let input = json!({ "id": id });
    mutate(&sites[0], &list.token, "tickChecklistItem", "", input).await;
    let mut told = String::new();
    while !told.contains("ITEM_CHANGED") {
        let chunk = watching.chunk().await.unwrap().expect("an event");
        told.push_str(&String::from_utf8_lossy(&chunk));
    }
    let change = json!({ "shortId": list.short_id, "passcode": ADMIN, "makePasscodes": ["VIEW"] });
    mutate(&sites[1], &list.token, "changePasscodes", "", change).await;
    // A minute passes for the timers, too.
    tokio::time::pause();
    tokio::time::advance(std::time::Duration::from_secs(61)).await;
    tokio::time::resume();
    while !told.contains("UNAUTHENTICATED") {
        let chunk = watching.chunk().await.unwrap().expect("the end is told");
        told.push_str(&String::from_utf8_lossy(&chunk));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_that_opens_its_own_list_without_end_does_not_keep_others_out() {
    let (client, calls) = memory();
    let site =
        TestServer::start_on(&SERVICE, client, calls, TestClock::default(), &UNLIMITED).await;
    let (own, list) = (checklist(&site, 0).await, checklist(&site, 0).await);
    let busy = client_at(80);
    let floods = (0..140).map(|_| try_open_by(&busy, &site, (&own.short_id, VIEW), json!({})));
    let phones: Vec<_> = (81..96).map(client_at).collect();
    let opens = phones
        .iter()
        .map(|phone| try_open_by(phone, &site, (&list.short_id, VIEW), json!({})));
    let (floods, opens) = futures_util::join!(join_all(floods), join_all(opens));
    for opened in &opens {
        assert_eq!(opened.code(), "no error", "{}", opened.body);
    }
    let is_answered = |answer: &trestle_testing::Answer| {
        matches!(answer.code(), "no error" | "SERVICE_UNAVAILABLE")
    };
    assert!(floods.iter().all(is_answered));
}
