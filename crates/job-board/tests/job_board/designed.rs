//! Items that have the attributes of the original design and no others: what their keys contain is not stored a second time,
//! and ids have any form.

use serde_json::{Value, json};
use trestle_job_board::table::TABLE;
use trestle_testing::hosted::START;
use trestle_testing::odd::item;

use crate::board::{Board, nodes, text, ulid};

/// Ids that other programs give jobs.
fn forms() -> Vec<String> {
    vec![
        "101".to_owned(),
        ulid("2026-02-20T09:00:00Z", 7),
        ulid("2026-02-20T09:00:00Z", 7).to_lowercase(),
        ulid("2026-02-19T23:00:00Z", 7),
        "7ZZZZZZZZZZZZZZZZZZZZZZZZZ".to_owned(),
        "c8a91e".to_owned(),
        "4e9353fc-bcfc-4f0e-b396-a71c22f6a0e3".to_owned(),
        "Job 7/b.c_d".to_owned(),
        "Ü-žluť".to_owned(),
        "9".repeat(60),
        // As long as a ULID, and none.
        "8ZZZZZZZZZZZZZZZZZZZZZZZZZ".to_owned(),
    ]
}

/// A job, a match and a suggestion of another program.
struct Design {
    id: String,
    seeker: String,
    employer: String,
    /// The attributes that the keys contain, by kind, which the program stores nevertheless.
    stored: Vec<(&'static str, &'static str)>,
}

/// Attributes that keys contain, by kind.
const KEYED: [(&str, &str); 8] = [
    ("job", "jobId"),
    ("job", "city"),
    ("job", "zip"),
    ("job", "employerId"),
    ("match", "seekerId"),
    ("suggestion", "seekerId"),
    ("suggestion", "relevance"),
    ("suggestion", "jobId"),
];

impl Design {
    fn value(&self, attribute: &str) -> &str {
        match attribute {
            "jobId" => &self.id,
            "city" => "montreal",
            "zip" => "H2X1Y4",
            "employerId" => &self.employer,
            "seekerId" => &self.seeker,
            _ => "R1",
        }
    }

    fn items(&self) -> Vec<Value> {
        let Self {
            id,
            seeker,
            employer,
            ..
        } = self;
        let place = format!("j#2026-02-20#H2X1Y4#{id}");
        let relevant = format!("j#R1#2026-02-20#H2X1Y4#{id}");
        let mut items = vec![
            json!({
                "pk": "job#montreal#", "sk": place, "entityType": "job", "GSI1PK": format!("employer#{employer}"),
                "GSI1SK": place, "title": "Barista",
            }),
            json!({
                "pk": format!("seeker#{seeker}"), "sk": format!("j#2026-02-21#{id}"), "entityType": "match",
            }),
            json!({
                "pk": format!("suggestion#{id}"), "sk": relevant, "entityType": "suggestion",
                "GSI1PK": format!("seeker#{seeker}"), "GSI1SK": relevant, "ttl": START + 600_000,
            }),
        ];
        for item in &mut items {
            for (kind, attribute) in &self.stored {
                if item["entityType"] == *kind {
                    item[*attribute] = json!(self.value(attribute));
                }
            }
        }
        items
    }

    fn viewer(&self) -> (String, String) {
        (
            format!("{} write seeker", self.seeker),
            format!("{} write employer", self.employer),
        )
    }
}

/// Every form of id without any attribute that keys contain, and one form with each of them and with all.
fn space() -> Vec<Design> {
    let none = forms().into_iter().map(|form| (form, Vec::new()));
    let one = KEYED.iter().map(|one| ("201".to_owned(), vec![*one]));
    let all = forms().into_iter().map(|form| (form, KEYED.to_vec()));
    let cases = none.chain(one).chain(all).enumerate();
    let design = |(n, (form, stored)): (usize, (String, Vec<_>))| Design {
        // A ULID has no room for a number.
        id: if form.len() == 26 {
            form
        } else {
            format!("{form}-{n}")
        },
        seeker: format!("s{n}"),
        employer: format!("e{n}"),
        stored,
    };
    cases.map(design).collect()
}

async fn put(board: &Board, design: &Design) {
    for value in design.items() {
        let put = board.dynamodb.put_item().table_name(TABLE.default_name);
        put.set_item(Some(item(&value))).send().await.unwrap();
    }
}

/// What is stored in a partition of the table or of the index, by kind.
async fn left(board: &Board, design: &Design) -> Vec<String> {
    let items = board.items(TABLE.default_name).await.into_iter();
    let named = items.filter(|item| format!("{item:?}").contains(&design.id));
    named
        .map(|item| item["entityType"].as_s().unwrap().clone())
        .collect()
}

async fn profile(board: &Board, seeker: &str) {
    let place = json!([{ "city": "Montreal, QC", "country": "CA" }]);
    let profile = json!({ "name": "S", "headline": "Cook", "places": place });
    board.save(seeker, profile).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn items_of_the_design_are_read_and_listed_whatever_their_keys_contain_alone() {
    for design in space() {
        let board = Board::start().await;
        put(&board, &design).await;
        let (seeker, employer) = design.viewer();
        let about = format!("{} {:?}", design.id, design.stored);
        profile(&board, &seeker).await;
        let job = "id title company isOpen postedOn createdAt expiresOn isRemote skills places { city country zip cityKey }";
        let seen = board
            .data(
                &employer,
                &format!("{{ myJobs {{ edges {{ node {{ {job} }} }} }} }}"),
                Value::Null,
            )
            .await;
        let mine = nodes(&seen["myJobs"]);
        assert_eq!(mine.len(), 1, "{about}");
        let expected = json!({
            "id": mine[0]["id"], "title": "Barista", "company": "Unknown company", "isOpen": true,
            "postedOn": "2026-02-20", "createdAt": mine[0]["createdAt"], "expiresOn": null, "isRemote": false, "skills": [],
            "places": [{ "city": "Montréal", "country": "CA", "zip": "H2X1Y4", "cityKey": "montreal" }],
        });
        assert_eq!(mine[0], expected, "{about}");
        let lists = "query($id: ID!) { job(id: $id) { title } node(id: $id) { id } jobs(city: \"Montreal\") { edges { node { id } } }
            matches { edges { node { id matchedOn unreadCount messages { edges { node { text } } } } } }
            suggestions { edges { node { id relevance expiresAt job { id title } } } } }";
        let id = mine[0]["id"].clone();
        let seen = board.data(&seeker, lists, json!({ "id": id })).await;
        assert_eq!(seen["job"]["title"], "Barista", "{about}");
        assert_eq!(seen["node"]["id"], id, "{about}");
        assert_eq!(nodes(&seen["jobs"]), [json!({ "id": id })], "{about}");
        let matches = nodes(&seen["matches"]);
        assert_eq!(matches.len(), 1, "{about}");
        assert_eq!(matches[0]["matchedOn"], "2026-02-21", "{about}");
        let suggestions = nodes(&seen["suggestions"]);
        assert_eq!(suggestions.len(), 1, "{about}: {seen}");
        assert_eq!(suggestions[0]["job"]["id"], id, "{about}");
        assert_eq!(suggestions[0]["relevance"], "R1", "{about}");
        for node in [&matches[0]["id"], &suggestions[0]["id"]] {
            let query = "query($id: ID!) { node(id: $id) { id } }";
            let found = board.data(&seeker, query, json!({ "id": node })).await;
            assert_eq!(found["node"]["id"], *node, "{about}");
        }
        // Nothing of it is another one's.
        let stranger = "zoe write seeker employer";
        let query = "query($a: ID!, $b: ID!) { a: node(id: $a) { id } b: node(id: $b) { id } matches { edges { node { id } } } }";
        let ids = json!({ "a": matches[0]["id"], "b": suggestions[0]["id"] });
        let seen = board.data(stranger, query, ids).await;
        let nothing = json!({ "a": null, "b": null, "matches": { "edges": [] } });
        assert_eq!(seen, nothing, "{about}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn items_of_the_design_are_changed_and_deleted() {
    for design in space() {
        let board = Board::start().await;
        put(&board, &design).await;
        let (seeker, employer) = design.viewer();
        let about = format!("{} {:?}", design.id, design.stored);
        profile(&board, &seeker).await;
        let list = async |viewer: &str, list: &str| {
            let query = format!("{{ {list} {{ edges {{ node {{ id }} }} }} }}");
            let seen = board.data(viewer, &query, Value::Null).await;
            nodes(&seen[list])
                .iter()
                .map(|node| text(&node["id"]))
                .collect::<Vec<_>>()
        };
        let job = list(&employer, "myJobs").await.remove(0);
        let created = "{ myJobs { edges { node { createdAt } } } }";
        let created = board.data(&employer, created, Value::Null).await;
        let created_at = nodes(&created["myJobs"])[0]["createdAt"].clone();
        let change = json!({ "id": job, "description": "Coffee" });
        board.done(&employer, "updateJob", change, "").await;
        let again = "{ myJobs { edges { node { title description createdAt } } } }";
        let again = board.data(&employer, again, Value::Null).await;
        let changed =
            json!({ "title": "Barista", "description": "Coffee", "createdAt": created_at });
        assert_eq!(nodes(&again["myJobs"]), [changed], "{about}");
        // What keys contain is not written a second time.
        let stored = board.stored("job").await;
        assert_eq!(stored.len(), 1, "{about}");
        for (kind, attribute) in KEYED.into_iter().filter(|(kind, _)| *kind == "job") {
            let is_stored = stored[0].contains_key(attribute);
            assert_eq!(
                is_stored,
                design.stored.contains(&(kind, attribute)),
                "{about} {attribute}"
            );
        }
        let named = json!({ "company": "Acme" });
        board
            .done(&employer, "saveEmployerProfile", named, "")
            .await;
        let company = "{ myJobs { edges { node { company } } } }";
        let company = board.data(&employer, company, Value::Null).await;
        let expected = json!({ "company": "Acme" });
        assert_eq!(nodes(&company["myJobs"]), [expected], "{about}");
        let other = "oda write seeker";
        profile(&board, other).await;
        let interest = board
            .done(
                other,
                "expressInterest",
                json!({ "jobId": job }),
                "interest { id }",
            )
            .await;
        let matched = board
            .approve(&employer, &text(&interest["interest"]["id"]))
            .await;
        board.send(&employer, &matched, "Hello").await;
        let filtered = "query($id: ID!) { matches(as: EMPLOYER, filter: { jobId: $id }) { edges { node { job { title } } } } }";
        let filtered = board.data(&employer, filtered, json!({ "id": job })).await;
        let titled = json!({ "job": { "title": "Barista" } });
        assert_eq!(nodes(&filtered["matches"]), [titled], "{about}");
        let own = list(&seeker, "matches").await.remove(0);
        board.send(&seeker, &own, "Good morning").await;
        let suggestion = list(&seeker, "suggestions").await.remove(0);
        board.swipe(&seeker, &suggestion, "LEFT").await;
        assert_eq!(list(&seeker, "suggestions").await, [""; 0], "{about}");
        board
            .done(&employer, "closeJob", json!({ "id": job }), "")
            .await;
        board
            .done(&employer, "reopenJob", json!({ "id": job }), "")
            .await;
        board
            .done(&seeker, "deleteSeekerProfile", json!({}), "")
            .await;
        board.make().await;
        assert_eq!(list(&seeker, "matches").await, [""; 0], "{about}");
        board
            .done(&employer, "deleteEmployerProfile", json!({}), "")
            .await;
        board.make().await;
        assert_eq!(left(&board, &design).await, [""; 0], "{about}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn suggestions_that_were_not_answered_are_deleted_with_their_seeker() {
    for design in space() {
        let board = Board::start().await;
        put(&board, &design).await;
        let (seeker, employer) = design.viewer();
        board
            .done(&seeker, "deleteSeekerProfile", json!({}), "")
            .await;
        board
            .done(&employer, "deleteEmployerProfile", json!({}), "")
            .await;
        board.make().await;
        let about = format!("{} {:?}", design.id, design.stored);
        assert_eq!(left(&board, &design).await, [""; 0], "{about}");
    }
}
