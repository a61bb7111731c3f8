//! The list of a poll's votes: in the order in which they came, on every page.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};

use crate::site::{ADMIN, Opened, VIEW, at, data, mutate, open, options, poll, site};
use trestle_testing::hosted::{START, TestServer};
use trestle_testing::odd::item;

/// Opens a poll as a voter with this name.
async fn voter(site: &TestServer, short_id: &str, name: &str) -> Opened {
    let input = json!({ "shortId": short_id, "passcode": VIEW, "voterName": name });
    let opened = mutate(site, "", "openShareable", "token { token role }", input).await;
    let text = |name: &str| opened["token"][name].as_str().unwrap().to_owned();
    Opened {
        short_id: short_id.to_owned(),
        token: text("token"),
        role: text("role"),
    }
}

async fn vote(site: &TestServer, by: &Opened, options: &[&str]) {
    let input = json!({ "shortId": by.short_id, "optionIds": options });
    let voted = mutate(site, &by.token, "vote", "vote { id }", input).await;
    assert_eq!(voted["userErrors"], json!([]), "{voted}");
}

/// A page of votes: the names of the voters, and its position.
async fn page(site: &TestServer, of: &Opened, arguments: &str) -> (Vec<String>, Value) {
    let query = format!(
        "query($id: String!) {{ shareable(shortId: $id) {{ ... on Poll {{ votes({arguments}) {{
            edges {{ node {{ voterName }} }}
            pageInfo {{ hasNextPage hasPreviousPage startCursor endCursor }} }} }} }} }}"
    );
    let shown = data(site, &of.token, &query, json!({ "id": of.short_id })).await;
    let votes = &shown["shareable"]["votes"];
    let name = |edge: &Value| edge["node"]["voterName"].as_str().unwrap().to_owned();
    let names = votes["edges"].as_array().unwrap().iter().map(name);
    (names.collect(), votes["pageInfo"].clone())
}

const NAMES: [&str; 9] = [
    "Ann", "Bob", "Cem", "Dan", "Eva", "Fay", "Gus", "Hal", "Ida",
];

/// A poll with a vote of each, a minute apart.
async fn voted(site: &TestServer) -> (Opened, Vec<Opened>, String) {
    let made = poll(site, json!({})).await;
    let option = options(site, &made).await[0].0.clone();
    let mut voters = Vec::new();
    for name in NAMES {
        site.clock.advance(60);
        let by = voter(site, &made.short_id, name).await;
        vote(site, &by, &[&option]).await;
        voters.push(by);
    }
    (made, voters, option)
}

#[tokio::test]
async fn votes_are_listed_in_the_order_in_which_they_came() {
    let site = site().await;
    let (made, voters, option) = voted(&site).await;
    assert_eq!(page(&site, &made, "first: 20").await.0, NAMES);
    let (first, info) = page(&site, &made, "first: 4").await;
    assert_eq!(first, NAMES[..4]);
    assert_eq!(info["hasNextPage"], true);
    assert_eq!(info["hasPreviousPage"], false);
    // Between two pages one changes a vote, one takes theirs back, and one more comes: nobody is listed twice or left out.
    let other = options(&site, &made).await[1].0.clone();
    site.clock.advance(60);
    vote(&site, &voters[1], &[&other]).await;
    vote(&site, &voters[5], &[]).await;
    let late = voter(&site, &made.short_id, "Joe").await;
    vote(&site, &late, &[&option]).await;
    let mut rest = Vec::new();
    let mut after = info["endCursor"].as_str().unwrap().to_owned();
    loop {
        let (names, info) = page(&site, &made, &format!("first: 2, after: \"{after}\"")).await;
        rest.extend(names);
        if info["hasNextPage"].as_bool().unwrap() {
            after = info["endCursor"].as_str().unwrap().to_owned()
        } else {
            break;
        }
    }
    assert_eq!(rest, ["Eva", "Gus", "Hal", "Ida", "Joe"]);
    let (last, info) = page(&site, &made, "last: 3").await;
    assert_eq!(last, ["Hal", "Ida", "Joe"]);
    assert_eq!(info["hasPreviousPage"], true);
    let start = info["startCursor"].as_str().unwrap();
    let (before, info) = page(&site, &made, &format!("last: 20, before: \"{start}\"")).await;
    assert_eq!(before, ["Ann", "Bob", "Cem", "Dan", "Eva", "Gus"]);
    assert_eq!(info["hasPreviousPage"], false);
}

/// The poll and the votes of which an earlier release, which listed them by their keys, has issued [`EARLIER`].
const SHORT_ID: &str = "YGG-ZPE-13806";
const VOTES: [(&str, &str); 4] = [
    ("Ann", "1085c12dc3dc83cf9af26008ed8ae6bb"),
    ("Bob", "62ed63823bbe87d7a5901a8b2e35baf5"),
    ("Cem", "e65ae861684485f694f9aa414fc19f1e"),
    ("Dan", "a8cf9439ff5f877f9812075832269964"),
];
/// The cursor of Bob's vote.
const EARLIER: &str = "AYlAOTg-bgMAAAIwMQJi7WOCO76H16WQGosuNbr1AAAAAhAR";

#[tokio::test]
async fn a_page_after_a_cursor_of_an_earlier_release_goes_on_in_the_order_of_that_release() {
    let site = site().await;
    let made = poll(&site, json!({})).await;
    let key = AttributeValue::S(format!("shareable#{}", bare(&made.short_id)));
    let items = site.items("shareables").await;
    let mut stored = items.into_iter().find(|item| item["pk"] == key).unwrap();
    let of = format!("shareable#{}", bare(SHORT_ID));
    stored.insert("pk".into(), AttributeValue::S(of));
    stored.insert("shortId".into(), AttributeValue::S(SHORT_ID.into()));
    let put = async |item| {
        let put = site.dynamodb.put_item().table_name("shareables");
        put.set_item(Some(item)).send().await.unwrap();
    };
    put(stored).await;
    for (minute, (name, voter)) in (0..).zip(VOTES) {
        put(item(&json!({
            "pk": format!("poll_vote#{}", bare(SHORT_ID)), "sk": format!("01#{voter}#"), "entity": "poll_vote",
            "shortId": SHORT_ID, "voterId": uuid::Uuid::parse_str(voter).unwrap(), "voterName": name,
            "options": [uuid::Uuid::nil()], "ttl": START + 400 * 24 * 3600, "version": 1,
            "createdAt": at(60 * minute), "updatedAt": at(60 * minute),
        })))
        .await;
    }
    let admin = open(&site, SHORT_ID, ADMIN).await;
    assert_eq!(
        page(&site, &admin, "first: 20").await.0,
        ["Ann", "Bob", "Cem", "Dan"]
    );
    let (first, info) = page(&site, &admin, &format!("first: 1, after: \"{EARLIER}\"")).await;
    assert_eq!(first, ["Dan"]);
    let after = info["endCursor"].as_str().unwrap();
    let (rest, info) = page(&site, &admin, &format!("first: 9, after: \"{after}\"")).await;
    assert_eq!(
        (rest, &info["hasNextPage"]),
        (vec!["Cem".to_owned()], &json!(false))
    );
}

fn bare(short_id: &str) -> String {
    short_id.replace('-', "").to_lowercase()
}

/// The result of a poll as a file.
async fn file(site: &TestServer, on: &Opened) -> Value {
    let query = "query($id: String!) { shareable(shortId: $id) { ... on Poll { resultCsv } } }";
    let shown = data(site, &on.token, query, json!({ "id": on.short_id })).await;
    let file = shown["shareable"]["resultCsv"].as_str();
    json!(file.map(|file| file.strip_prefix('\u{feff}').expect("a byte order mark")))
}

#[tokio::test]
async fn the_result_is_a_file_that_no_spreadsheet_computes() {
    let site = site().await;
    let made = poll(
        &site,
        json!({ "options": ["Lake, or \"sea\"", "=2+2", "c"], "allowsSeveral": true, "allowsMaybe": true }),
    )
    .await;
    let option: Vec<_> = options(&site, &made).await;
    let choose = async |by: &Opened, sure: usize, maybe: usize, comment: &str| {
        site.clock.advance(60);
        let input = json!({ "shortId": by.short_id, "optionIds": [option[sure].0],
            "maybeOptionIds": [option[maybe].0], "comment": comment });
        let voted = mutate(&site, &by.token, "vote", "", input).await;
        assert_eq!(voted["userErrors"], json!([]), "{voted}");
    };
    for (name, sure, maybe, comment) in [
        ("=HYPERLINK(\"x\")", 0, 1, "first\nsecond"),
        ("@Bob", 1, 2, "-1"),
        ("Cem", 0, 2, "fine"),
    ] {
        let by = voter(&site, &made.short_id, name).await;
        choose(&by, sure, maybe, comment).await;
    }
    let file = file(&site, &made).await;
    let expected = [
        "Voter,\"Lake, or \"\"sea\"\"\",'=2+2,c,Comment,Voted at",
        &format!(
            "\"'=HYPERLINK(\"\"x\"\")\",yes,if need be,no,\"first\nsecond\",{}",
            stamp(60)
        ),
        &format!("'@Bob,no,yes,if need be,'-1,{}", stamp(120)),
        &format!("Cem,yes,no,if need be,fine,{}", stamp(180)),
        "Votes,2,1,0,,",
        "If need be,0,1,2,,",
        "",
    ];
    assert_eq!(file.as_str().unwrap(), expected.join("\r\n"));
}

/// A moment so many seconds after the test's start, as votes have it.
fn stamp(seconds: i64) -> String {
    at(seconds).replace('Z', ".000Z")
}

#[tokio::test]
async fn a_hidden_result_is_no_file_and_hidden_names_are_not_in_it() {
    let site = site().await;
    let made = poll(&site, json!({ "hidesResults": true, "hidesNames": true })).await;
    let option = options(&site, &made).await[0].0.clone();
    let (ann, bob) = (
        voter(&site, &made.short_id, "Ann").await,
        voter(&site, &made.short_id, "Bob").await,
    );
    for by in [&ann, &bob] {
        vote(&site, by, &[&option]).await;
        site.clock.advance(60);
    }
    for on in [&made, &ann] {
        assert_eq!(file(&site, on).await, Value::Null);
    }
    let close = json!({ "shortId": made.short_id });
    mutate(&site, &made.token, "closePoll", "", close).await;
    let names = async |on: &Opened| {
        let file = file(&site, on).await;
        let lines: Vec<_> = file.as_str().unwrap().lines().map(str::to_owned).collect();
        let name = |line: &String| line.split(',').next().unwrap().to_owned();
        lines[1..3].iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(names(&made).await, ["Ann", "Bob"]);
    assert_eq!(names(&bob).await, ["", "Bob"]);
    let other = poll(&site, json!({})).await;
    let query = "query($id: String!) { shareable(shortId: $id) { ... on Poll { resultCsv } } }";
    let of = json!({ "id": made.short_id });
    let foreign = crate::site::ask(&site, &other.token, query, of).await;
    assert_eq!(
        foreign.body["data"]["shareable"],
        Value::Null,
        "{}",
        foreign.body
    );
}

/// Votes for each set of options, before and after a first change: only the voter moves the time of a vote.
#[tokio::test]
async fn a_vote_keeps_its_time_when_an_option_is_deleted() {
    let site = site().await;
    for is_changed in [false, true] {
        let made = poll(&site, json!({ "allowsSeveral": true })).await;
        let ids: Vec<_> = options(&site, &made)
            .await
            .into_iter()
            .map(|option| option.0)
            .collect();
        let (deleted, other) = (ids[0].as_str(), ids[1].as_str());
        let times = async || {
            let query =
                "query($id: String!) { shareable(shortId: $id) { ... on Poll { votes(first: 9) {
                edges { node { voterName votedAt } } } } } }";
            data(&site, &made.token, query, json!({ "id": made.short_id })).await["shareable"]
                ["votes"]
                .clone()
        };
        let mut voters = Vec::new();
        for (name, wanted) in [
            ("Ann", [deleted, other].as_slice()),
            ("Bob", [other].as_slice()),
        ] {
            let by = voter(&site, &made.short_id, name).await;
            if is_changed {
                vote(&site, &by, &[deleted]).await;
            }
            site.clock.advance(60);
            vote(&site, &by, wanted).await;
            voters.push(by);
        }
        let before = times().await;
        site.clock.advance(600);
        let delete = json!({ "id": deleted, "withVotes": true });
        mutate(&site, &made.token, "deletePollOption", "deletedId", delete).await;
        assert_eq!(times().await, before);
        // What says the same changes nothing, and another vote is one of now.
        vote(&site, &voters[0], &[other]).await;
        assert_eq!(times().await, before);
        vote(&site, &voters[0], &[]).await;
        vote(&site, &voters[0], &[other]).await;
        assert_ne!(times().await, before);
    }
}
