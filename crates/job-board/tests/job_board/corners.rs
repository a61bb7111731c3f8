//! What is refused, reopened and hidden where two rules meet.

use serde_json::json;

use crate::board::{ANN, BOB, Board, ERIN, job, nodes, profile, with};

#[tokio::test]
async fn an_expired_job_is_reopened_with_a_date() {
    let board = Board::start().await;
    let posted = board
        .post(ERIN, with(job(), json!({ "expiresOn": "2026-02-23" })))
        .await;
    board.clock.advance(5 * 24 * 60 * 60);
    let plain = json!({ "id": posted });
    assert_eq!(board.codes(ERIN, "reopenJob", plain).await, ["INVALID"]);
    let dated = json!({ "id": posted, "expiresOn": "2027-01-01" });
    let opened = board.done(ERIN, "reopenJob", dated, "job { isOpen }").await;
    assert_eq!(opened["job"]["isOpen"], true);
}

#[tokio::test]
async fn a_job_is_in_a_city() {
    let board = Board::start().await;
    for city in [
        "New York State",
        "Multiple Locations",
        "San Francisco and Toronto and Vienna",
        "United States",
        "Colorado",
        "ZZ",
        "http://foo",
        "EMEA",
        "Worldwide",
        "Washington",
    ] {
        let places = json!({ "places": [{ "city": city, "country": "US" }] });
        let codes = board.codes(ERIN, "createJob", with(job(), places)).await;
        assert_eq!(codes, ["INVALID"], "{city}");
    }
    for (city, name, region) in [
        ("Austin TX USA", "Austin", json!("TX")),
        ("Boston, Mass.", "Boston", json!("Mass.")),
        ("Greater Denver Area", "Denver", json!(null)),
        ("DC", "Washington", json!("DC")),
        ("Washington, DC", "Washington", json!("DC")),
        ("Boston MA 02110", "Boston", json!("MA")),
        ("New York NY 10001", "New York", json!("NY")),
        ("Austin, TX 78701, USA", "Austin", json!("TX")),
        ("Anywhere in the US", "Remote", json!(null)),
        ("Remote, anywhere in the USA", "Remote", json!(null)),
        ("Work from anywhere", "Remote", json!(null)),
        ("Telecommute", "Remote", json!(null)),
    ] {
        let places = json!({ "places": [{ "city": city, "country": "US" }] });
        let shown = "job { places { city region } }";
        let made = board
            .done(ERIN, "createJob", with(job(), places), shown)
            .await;
        let read = json!([{ "city": name, "region": region }]);
        assert_eq!(made["job"]["places"], read, "{city}");
    }
}

#[tokio::test]
async fn a_search_of_a_region_or_a_country_says_what_to_write() {
    let board = Board::start().await;
    let jobs = "query($city: String) { jobs(city: $city) { edges { node { id } } } }";
    for city in ["Texas", "Germany", "New York State", "USA"] {
        let answer = board.run(ANN, jobs, json!({ "city": city })).await;
        assert_eq!(answer.code(), "BAD_USER_INPUT", "{city}");
        let message = answer.body["errors"][0]["message"].to_string();
        assert!(message.contains("Austin, TX"), "{message}");
    }
    for city in [
        "Washington",
        "Singapore",
        "Remote",
        "Remote in Canada",
        "Port Washington",
    ] {
        board.data(ANN, jobs, json!({ "city": city })).await;
    }
}

#[tokio::test]
async fn countries_are_also_written_as_uk_and_usa() {
    let board = Board::start().await;
    for (city, country, code) in [("London", "UK", "GB"), ("Austin, TX", "usa", "US")] {
        let places = json!({ "places": [{ "city": city, "country": country }] });
        let shown = "job { places { country } }";
        let made = board
            .done(ERIN, "createJob", with(job(), places), shown)
            .await;
        assert_eq!(made["job"]["places"], json!([{ "country": code }]));
    }
}

#[tokio::test]
async fn a_title_and_a_headline_are_one_line() {
    let board = Board::start().await;
    let written = json!({ "title": "Head\nChef", "company": "Big\u{200B} Kitchen", "skills": ["Grill, Sauces"] });
    let shown = "job { title company skills }";
    let made = board
        .done(ERIN, "createJob", with(job(), written), shown)
        .await;
    let read =
        json!({ "title": "Head Chef", "company": "Big Kitchen", "skills": ["Grill", "Sauces"] });
    assert_eq!(made["job"], read);
    let headline = json!({ "headline": "Data\u{200B}\tanalyst" });
    let saved = board
        .done(
            ANN,
            "saveSeekerProfile",
            with(profile(), headline),
            "seeker { headline }",
        )
        .await;
    assert_eq!(saved["seeker"]["headline"], "Data analyst");
}

#[tokio::test]
async fn a_read_that_starts_a_run_says_that_suggestions_are_pending() {
    let board = Board::start().await;
    board.suggested().await;
    board.clock.advance(40 * 24 * 60 * 60);
    let read = "{ mySeekerProfile { suggestionsPending } suggestions { edges { node { id } } } }";
    let read = board.data(ANN, read, json!({})).await;
    assert_eq!(read["mySeekerProfile"]["suggestionsPending"], true);
}

#[tokio::test]
async fn a_seeker_does_not_see_that_the_employer_moved_the_match() {
    let board = Board::start().await;
    let matched = board.matched().await;
    let read = "query($id: ID!) { match(id: $id) { version updatedAt } }";
    let before = board.data(ANN, read, json!({ "id": matched })).await;
    board.clock.advance(60);
    let step = json!({ "id": matched, "stage": "SCREENING" });
    board.done(ERIN, "moveMatch", step, "").await;
    let after = board.data(ANN, read, json!({ "id": matched })).await;
    assert_eq!(after, before);
    let own = board.data(ERIN, read, json!({ "id": matched })).await;
    assert_ne!(own, before);
}

#[tokio::test]
async fn pay_is_in_a_currency() {
    let board = Board::start().await;
    board.save(BOB, profile()).await;
    let paid = with(job(), json!({ "payCurrency": "XXX" }));
    assert_eq!(board.codes(ERIN, "createJob", paid).await, ["INVALID"]);
}

#[tokio::test]
async fn pay_for_another_period_is_refused() {
    let board = Board::start().await;
    let posted = board.post(ERIN, job()).await;
    for (pay, codes) in [
        (json!({ "payMin": 22, "payMax": 25 }), &["INVALID"][..]),
        (
            json!({ "payMin": 22, "payMax": 25, "payPeriod": "HOUR" }),
            &[],
        ),
        (
            json!({ "payMin": 60_000, "payMax": 70_000, "payPeriod": "HOUR" }),
            &["INVALID"],
        ),
        (
            json!({ "payMin": 60_000, "payMax": 70_000, "payPeriod": "HOUR", "payCurrency": "VND" }),
            &[],
        ),
        (json!({ "payMin": 0, "payMax": 0 }), &[]),
    ] {
        let created = with(job(), pay.clone());
        assert_eq!(
            board.codes(ERIN, "createJob", created).await,
            codes,
            "{pay}"
        );
        let updated = with(json!({ "id": posted, "payPeriod": null }), pay.clone());
        assert_eq!(
            board.codes(ERIN, "updateJob", updated).await,
            codes,
            "{pay}"
        );
    }
}

#[tokio::test]
async fn a_headline_about_a_search_finds_what_the_seeker_is() {
    let board = Board::start().await;
    for title in ["Software Engineer", "Project Manager", "Accountant"] {
        let posting = json!({ "title": title, "skills": [], "description": null });
        board.post(ERIN, with(job(), posting)).await;
    }
    for (headline, title) in [
        (
            "Software engineer looking for remote opportunities",
            "Software Engineer",
        ),
        ("Open to work: software engineer", "Software Engineer"),
        ("Scrum master, project manager", "Project Manager"),
        (
            "Looking for my next opportunity as a project manager",
            "Project Manager",
        ),
        ("Accountant open to new opportunities", "Accountant"),
        ("Accountant, controller", "Accountant"),
    ] {
        let fields = json!({ "headline": headline, "skills": [] });
        board.save(ANN, with(profile(), fields)).await;
        board.make().await;
        let list = "{ suggestions { edges { node { relevance job { title } } } } }";
        let list = board.data(ANN, list, json!({})).await;
        let found = nodes(&list["suggestions"]);
        assert_eq!(found[0]["job"]["title"], title, "{headline}");
    }
}
