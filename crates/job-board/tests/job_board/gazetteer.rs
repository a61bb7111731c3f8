//! Cities by every name, and what is near them.

use serde_json::{Value, json};

use crate::board::{ANN, BOB, Board, ERIN, job, nodes, profile, text, with};

fn at(city: &str, country: &str) -> Value {
    json!({ "places": [{ "city": city, "country": country }] })
}

async fn post(board: &Board, city: &str, country: &str) {
    let title = json!({ "title": format!("Rust engineer, {city}") });
    let fields = with(at(city, country), title);
    board.post(ERIN, with(job(), fields)).await;
}

/// The cities of the titles that a search finds.
async fn found(board: &Board, city: &str, filter: Value) -> Vec<String> {
    let list = "query($city: String, $filter: JobFilter) { jobs(city: $city, filter: $filter) { edges { node { title } } } }";
    let variables = json!({ "city": city, "filter": filter });
    let list = board.data(BOB, list, variables).await;
    cities(nodes(&list["jobs"]).iter())
}

fn cities<'v>(jobs: impl Iterator<Item = &'v Value>) -> Vec<String> {
    let titles = jobs.map(|job| text(&job["title"]));
    let mut cities: Vec<_> = titles
        .map(|title| title.trim_start_matches("Rust engineer, ").to_owned())
        .collect();
    cities.sort_unstable();
    cities
}

async fn suggested(board: &Board, viewer: &str, place: Value) -> Vec<String> {
    board.save(viewer, with(profile(), place)).await;
    board.make().await;
    let suggestions = board.suggestions(viewer).await;
    cities(suggestions.iter().map(|one| &one["job"]))
}

#[tokio::test]
async fn a_city_that_earlier_releases_knew_keeps_its_key() {
    let board = Board::start().await;
    let known = include_str!("known_cities.txt").lines();
    let known = known.filter(|line| !line.starts_with('#'));
    for line in known {
        let (place, key) = line.split_once(" = ").unwrap();
        let (city, country) = place.rsplit_once(", ").unwrap();
        // Only with its region is it the capital or a city of the state.
        let region = (key == "washington").then_some("DC");
        let places = json!({ "places": [{ "city": city, "country": country, "region": region }] });
        let shown = "job { places { cityKey } }";
        let made = board
            .done(ERIN, "createJob", with(job(), places), shown)
            .await;
        let read = json!([{ "cityKey": key }]);
        assert_eq!(made["job"]["places"], read, "{line}");
    }
}

#[tokio::test]
async fn a_job_is_found_by_every_name_of_its_city() {
    let board = Board::start().await;
    for (country, names) in [
        (
            "DE",
            &[
                "München",
                "80331 München",
                "Munich, Bavaria",
                "Muenchen",
                "München, Bayern",
            ][..],
        ),
        (
            "DE",
            &["Köln", "Cologne", "Koeln, NRW", "Köln, Deutschland"],
        ),
        ("FR", &["75011 Paris", "Paris, Île-de-France", "PARIS"]),
        ("CH", &["Genève", "Geneva", "Genf, Schweiz", "1201 Genève"]),
        ("NL", &["Den Haag", "The Hague", "2511 AB Den Haag"]),
        (
            "GB",
            &["London SW1A 1AA", "London, England", "Greater London"],
        ),
        ("MX", &["CDMX", "Ciudad de México", "Mexico City"]),
        ("IN", &["Bombay", "Mumbai, Maharashtra", "400001 Mumbai"]),
        (
            "AU",
            &["Sydney NSW", "Sydney, New South Wales", "Sydney NSW 2000"],
        ),
        (
            "BR",
            &["São Paulo - SP", "Sao Paulo", "01310-100 São Paulo"],
        ),
        ("ES", &["Sevilla", "Seville, Spain", "41001 Sevilla"]),
        (
            "CA",
            &["Montréal, QC H2X 1Y4", "Montreal", "Montreal, Quebec"],
        ),
    ] {
        for name in names {
            post(&board, name, country).await;
        }
        let mut all: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        all.sort_unstable();
        for name in names {
            let list = found(&board, name, json!({ "country": country })).await;
            assert_eq!(list, all, "{name}");
        }
    }
}

#[tokio::test]
async fn cities_of_one_name_are_kept_apart() {
    let board = Board::start().await;
    let pairs = [
        [("London, ON", "CA"), ("London", "GB")],
        [("Newcastle, NSW", "AU"), ("Newcastle upon Tyne", "GB")],
        [("Frankfurt (Oder)", "DE"), ("Frankfurt am Main", "DE")],
        [("St. Petersburg, FL", "US"), ("Saint Petersburg", "RU")],
        [("Vancouver, WA", "US"), ("Vancouver, BC", "CA")],
        [("Durham, NC", "US"), ("Durham", "GB")],
        [("San Jose, CA", "US"), ("San José", "CR")],
        [("Halle (Saale)", "DE"), ("Halle", "BE")],
    ];
    for [(one, here), (other, there)] in pairs {
        post(&board, one, here).await;
        post(&board, other, there).await;
        for (city, country) in [(one, here), (other, there)] {
            let list = found(&board, city, json!({ "country": country })).await;
            assert_eq!(list, [city]);
        }
    }
}

#[tokio::test]
async fn what_names_no_city_is_refused() {
    let board = Board::start().await;
    for (city, country) in [
        ("Statewide, TX", "US"),
        ("Statewide", "US"),
        ("Multiple sites", "US"),
        ("Virtual", "GB"),
        ("DACH", "DE"),
        ("Bavaria", "DE"),
        ("Nordics", "SE"),
    ] {
        let input = with(job(), at(city, country));
        let codes = board.codes(ERIN, "createJob", input).await;
        assert_eq!(codes, ["INVALID"], "{city}");
    }
}

#[tokio::test]
async fn two_cities_in_one_text_are_two_places() {
    let board = Board::start().await;
    let shown = "job { places { city cityKey knownCity } }";
    let made = with(job(), at("NYC / SF", "US"));
    let made = board.done(ERIN, "createJob", made, shown).await;
    let read = json!([
        { "city": "NYC", "cityKey": "new york", "knownCity": "New York City, New York, US" },
        { "city": "SF", "cityKey": "san francisco", "knownCity": "San Francisco, California, US" },
    ]);
    assert_eq!(made["job"]["places"], read);
    let made = with(job(), at("Biel/Bienne", "CH"));
    let made = board.done(ERIN, "createJob", made, shown).await;
    assert_eq!(made["job"]["places"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_worldwide_job_is_found_and_suggested_in_every_country() {
    let board = Board::start().await;
    for (city, country) in [
        ("Remote worldwide", "US"),
        ("Work from anywhere", "DE"),
        ("Remote", "US"),
    ] {
        post(&board, city, country).await;
    }
    let worldwide = ["Remote worldwide", "Work from anywhere"];
    let list = found(&board, "Remote", json!({ "country": "IN" })).await;
    assert_eq!(list, worldwide);
    let wants = with(
        at("Pune", "IN"),
        json!({ "wantsRemote": true, "minPay": null }),
    );
    assert_eq!(suggested(&board, ANN, wants).await, worldwide);
}

#[tokio::test]
async fn jobs_near_a_city_are_suggested_and_found_on_request() {
    let board = Board::start().await;
    for city in [
        "New York, NY",
        "Jersey City, NJ",
        "Newark, NJ",
        "Philadelphia, PA",
    ] {
        post(&board, city, "US").await;
    }
    let near = ["Jersey City, NJ", "New York, NY", "Newark, NJ"];
    for city in ["Jersey City, NJ", "New York, NY", "Hoboken, NJ"] {
        assert_eq!(suggested(&board, ANN, at(city, "US")).await, near, "{city}");
    }
    // A new job is suggested to seekers near it.
    post(&board, "Hoboken, NJ", "US").await;
    board.make().await;
    let suggestions = board.suggestions(ANN).await;
    let list = cities(suggestions.iter().map(|one| &one["job"]));
    assert_eq!(
        list,
        [
            "Hoboken, NJ",
            "Jersey City, NJ",
            "New York, NY",
            "Newark, NJ"
        ]
    );
    let alone = found(&board, "Jersey City, NJ", json!({})).await;
    assert_eq!(alone, ["Jersey City, NJ"]);
    for (kilometres, expected) in [
        (0, &["Jersey City, NJ"][..]),
        (20, &near),
        (50, &near),
        (
            200,
            &["Jersey City, NJ", "New York, NY", "Philadelphia, PA"],
        ),
    ] {
        board.calls.reset();
        let filter = json!({ "withinKm": kilometres });
        let list = found(&board, "Jersey City, NJ", filter).await;
        let is_found = |city: &&str| list.iter().any(|found| found == city);
        assert!(expected.iter().all(is_found), "{kilometres}: {list:?}");
        let queries = board.calls.counts()["Query"];
        let most = if kilometres == 0 { 1 } else { 20 };
        assert!(queries <= most, "{queries}");
    }
    // Whoever wants to stay in the city says so.
    let alone = with(at("Jersey City, NJ", "US"), json!({ "withinKm": 0 }));
    assert_eq!(suggested(&board, ANN, alone).await, ["Jersey City, NJ"]);
    let refused = json!({ "city": "Jersey City, NJ", "filter": { "withinKm": 201 } });
    let list = "query($city: String, $filter: JobFilter) { jobs(city: $city, filter: $filter) { edges { node { id } } } }";
    let refused = board.run(BOB, list, refused).await;
    assert_eq!(refused.code(), "BAD_USER_INPUT");
}

#[tokio::test]
async fn what_is_near_costs_at_most_twenty_queries_for_all_seekers_of_a_city() {
    let board = Board::start().await;
    board.post(ERIN, job()).await;
    board.make().await;
    for n in 0..10 {
        board.save(&format!("s{n} write seeker"), profile()).await;
    }
    board.clock.advance(1);
    board.calls.reset();
    board.make().await;
    // Two of each seeker, one of each city, and those that look for runs.
    let queries = board.calls.counts()["Query"];
    assert!(queries <= 2 * 10 + 20 + 12, "{queries}");
}
