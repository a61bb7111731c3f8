//! Places as people write them, in jobs, profiles and filters.

use serde_json::{Value, json};

use crate::board::{ANN, BOB, Board, ERIN, job, nodes, profile, text, with};

fn at(city: &str, country: &str) -> Value {
    json!({ "places": [{ "city": city, "country": country }] })
}

async fn titles(board: &Board, variables: Value) -> Vec<String> {
    let jobs = "query($city: String, $places: [String!], $filter: JobFilter) { jobs(city: $city, places: $places, filter: $filter) {
        edges { node { title } } } }";
    let found = board.data(ANN, jobs, variables).await;
    let mut titles: Vec<_> = nodes(&found["jobs"])
        .iter()
        .map(|node| text(&node["title"]))
        .collect();
    titles.sort();
    titles
}

#[tokio::test]
async fn two_places_of_one_city_name_are_two_places() {
    let board = Board::start().await;
    let both = json!([
        { "city": "Arlington, VA", "country": "US", "zip": "22201" },
        { "city": "Arlington", "region": "Texas", "country": "US", "zip": "76010" },
    ]);
    for (title, places) in [
        ("Rust engineer, Maine", at("Portland, ME", "US")),
        ("Rust engineer, Oregon", at("Portland, Oregon", "US")),
        ("Rust engineer, both", json!({ "places": both })),
    ] {
        board
            .post(ERIN, with(job(), with(places, json!({ "title": title }))))
            .await;
    }
    for (city, expected) in [
        ("Portland, ME", &["Rust engineer, Maine"][..]),
        ("portland, or", &["Rust engineer, Oregon"]),
        (
            "Portland",
            &["Rust engineer, Maine", "Rust engineer, Oregon"],
        ),
        ("Arlington, TX", &["Rust engineer, both"]),
        ("Arlington, VA, USA", &["Rust engineer, both"]),
        ("Arlington, MA", &[]),
    ] {
        assert_eq!(
            titles(&board, json!({ "city": city })).await,
            expected,
            "{city}"
        );
    }
    for (viewer, city, expected) in [
        (ANN, "Portland, ME", "Rust engineer, Maine"),
        (BOB, "Arlington, TX", "Rust engineer, both"),
    ] {
        board.save(viewer, with(profile(), at(city, "US"))).await;
        board.make().await;
        let suggested = board.suggestions(viewer).await;
        let found: Vec<_> = suggested.iter().map(|s| text(&s["job"]["title"])).collect();
        assert_eq!(found, [expected]);
    }
}

#[tokio::test]
async fn a_city_is_found_in_every_spelling() {
    let board = Board::start().await;
    for (title, city, country) in [
        ("a", "New York, NY", "US"),
        ("b", "NYC", "US"),
        ("c", "new york city", "US"),
        ("d", "Ft. Worth, TX", "US"),
        ("e", "Montréal, QC", "CA"),
    ] {
        board
            .post(
                ERIN,
                with(job(), with(at(city, country), json!({ "title": title }))),
            )
            .await;
    }
    for (city, expected) in [
        ("New York City, NY", &["a", "b", "c"][..]),
        ("New York, New York, USA", &["a", "b", "c"]),
        ("nyc", &["a", "b", "c"]),
        ("Fort Worth", &["d"]),
        ("Montreal, Quebec, Canada", &["e"]),
        ("Montréal, QC", &["e"]),
    ] {
        assert_eq!(
            titles(&board, json!({ "city": city })).await,
            expected,
            "{city}"
        );
    }
    let several = json!({ "places": ["NYC", "Ft Worth, TX", "New York"] });
    assert_eq!(titles(&board, several).await, ["a", "b", "c", "d"]);
    for (input, code) in [
        (at("Toronto, ON", "US"), "INVALID"),
        (at("Austin, Nowhere", "US"), "INVALID"),
        (at("Austin, TX", "ZZ"), "INVALID"),
        (at("12345", "US"), "INVALID"),
        (
            json!({ "url": "https://me:secret@example.com/" }),
            "INVALID",
        ),
        (
            json!({ "url": "https:///me:secret@example.com/" }),
            "INVALID",
        ),
        (json!({ "payCurrency": "dollars" }), "INVALID"),
        (
            json!({ "places": [
                { "city": "Toronto, ON", "country": "CA" },
                { "city": "NYC", "country": "US" },
            ] }),
            "INVALID",
        ),
        (json!({ "expiresOn": "2020-01-01" }), "INVALID"),
    ] {
        let codes = board
            .codes(ERIN, "createJob", with(job(), input.clone()))
            .await;
        assert_eq!(codes, [code], "{input}");
    }
    let jobs = "query($city: String) { jobs(city: $city) { edges { node { id } } } }";
    for city in [json!("Austin, Nowhere"), json!("???"), Value::Null] {
        let answer = board.run(ANN, jobs, json!({ "city": city })).await;
        assert_eq!(answer.code(), "BAD_USER_INPUT", "{city}");
    }
}

#[tokio::test]
async fn jobs_that_can_be_done_from_home_are_found_everywhere_in_their_country() {
    let board = Board::start().await;
    for (title, places, is_remote) in [
        (
            "Rust engineer a",
            at("San Francisco, CA", "US"),
            json!(true),
        ),
        (
            "Rust engineer b",
            at("Austin, TX (Remote)", "US"),
            Value::Null,
        ),
        ("Rust engineer c", at("Remote", "US"), json!(false)),
        ("Rust engineer d", at("US - Remote", "US"), Value::Null),
        ("Rust engineer e", at("Seattle, WA", "US"), Value::Null),
        ("Rust engineer f", at("Remote", "CA"), Value::Null),
    ] {
        let fields = with(places, json!({ "title": title, "isRemote": is_remote }));
        board.post(ERIN, with(job(), fields)).await;
    }
    board
        .save(
            BOB,
            with(
                profile(),
                with(at("Chicago, IL", "US"), json!({ "wantsRemote": true })),
            ),
        )
        .await;
    board.make().await;
    let suggested = board.suggestions(BOB).await;
    let mut found: Vec<_> = suggested.iter().map(|s| text(&s["job"]["title"])).collect();
    found.sort();
    let all = [
        "Rust engineer a",
        "Rust engineer b",
        "Rust engineer c",
        "Rust engineer d",
    ];
    assert_eq!(found, all);
    let remote = json!({ "city": "Remote", "filter": { "country": "US" } });
    assert_eq!(titles(&board, remote).await, all);
    let both = json!({ "places": ["San Francisco", "Remote in US"] });
    assert_eq!(titles(&board, both).await, all, "each once");
}

#[tokio::test]
async fn jobs_are_found_by_company_kind_and_hourly_pay() {
    let board = Board::start().await;
    for fields in [
        json!({ "title": "Senior cook", "company": "Big Kitchen", "payMin": 20, "payMax": 30, "payPeriod": "HOUR" }),
        json!({ "title": "Cooking intern", "employmentType": null }),
        json!({ "title": "Night cook", "employmentType": "PART_TIME", "payMin": 60_000, "payMax": null }),
    ] {
        board.post(ERIN, with(job(), fields)).await;
    }
    for (filter, expected) in [
        (json!({ "company": "kitch" }), &["Senior cook"][..]),
        (
            json!({ "employmentTypes": ["PART_TIME", "INTERNSHIP"] }),
            &["Cooking intern", "Night cook"],
        ),
        (json!({ "seniorities": ["SENIOR"] }), &["Senior cook"]),
        (
            json!({ "minHourlyPay": 30 }),
            &["Cooking intern", "Senior cook"],
        ),
        (
            json!({ "minPay": 61_000 }),
            &["Cooking intern", "Senior cook"],
        ),
    ] {
        let variables = json!({ "city": "Montreal", "filter": filter });
        assert_eq!(
            titles(&board, variables.clone()).await,
            expected,
            "{variables}"
        );
    }
    let jobs = "{ jobs(city: \"Springfield\", filter: { minPay: 1 }) { edges { node { id } } } }";
    let answer = board.run(ANN, jobs, json!({})).await;
    assert_eq!(answer.code(), "BAD_USER_INPUT", "the currency is not known");
}

#[tokio::test]
async fn pay_is_compared_in_one_currency() {
    let board = Board::start().await;
    let at = |city: &str, country: &str| json!([{ "city": city, "country": country }]);
    for (title, changes) in [
        (
            "Euros",
            json!({ "places": at("Vienna", "AT"), "payMax": 60_000 }),
        ),
        (
            "Few euros",
            json!({ "places": at("Vienna", "AT"), "payMax": 40_000 }),
        ),
        (
            "Dollars",
            json!({ "places": at("Vienna", "AT"), "payMax": 40_000, "payCurrency": "usd" }),
        ),
        (
            "Francs",
            json!({ "places": at("Zurich", "CH"), "payMax": 40_000 }),
        ),
    ] {
        let fields = json!({ "title": format!("Rust engineer: {title}"), "payMin": null });
        board.post(ERIN, with(with(job(), fields), changes)).await;
    }
    let places = json!([
        { "city": "Vienna", "country": "AT" },
        { "city": "Berlin", "country": "DE" },
    ]);
    let euros = json!({ "places": places, "minPay": 50_000 });
    board.save(ANN, with(profile(), euros)).await;
    board.make().await;
    let suggested = board.suggestions(ANN).await.len();
    assert_eq!(suggested, 2, "the dollars cannot be compared");
    let variables = json!({ "city": "Vienna", "filter": { "minPay": 1 } });
    let euros = ["Rust engineer: Euros", "Rust engineer: Few euros"];
    assert_eq!(titles(&board, variables).await, euros);
    let dollars = json!({ "minPay": 1, "payCurrency": "USD" });
    let variables = json!({ "city": "Vienna", "filter": dollars });
    assert_eq!(titles(&board, variables).await, ["Rust engineer: Dollars"]);
    let several = json!([
        { "city": "Vienna", "country": "AT" },
        { "city": "Zurich", "country": "CH" },
    ]);
    let input = with(profile(), json!({ "places": several }));
    assert_eq!(
        board.codes(ANN, "saveSeekerProfile", input.clone()).await,
        ["INVALID"]
    );
    let input = with(input, json!({ "minPayCurrency": "CHF" }));
    let saved = board
        .done(ANN, "saveSeekerProfile", input, "seeker { minPayCurrency }")
        .await;
    assert_eq!(saved["seeker"]["minPayCurrency"], "CHF");
}

#[tokio::test]
async fn a_company_site_has_no_password() {
    let board = Board::start().await;
    for (website, codes) in [
        ("https://acme.example/jobs@home", &[][..]),
        ("https://me@acme.example/", &["INVALID"]),
        ("https://:secret@acme.example/", &["INVALID"]),
    ] {
        let input = json!({ "company": "Acme", "website": website });
        assert_eq!(
            board.codes(ERIN, "saveEmployerProfile", input).await,
            codes,
            "{website}"
        );
    }
}

#[tokio::test]
async fn a_request_searches_ten_places_with_a_filter() {
    let board = Board::start().await;
    let fields = |count: usize| -> String {
        let field = |n| {
            format!(
                "j{n}: jobs(city: \"Montreal\", filter: {{ text: \"x\" }}) {{ edges {{ node {{ id }} }} }} "
            )
        };
        (0..count).map(field).collect()
    };
    board
        .data(ANN, &format!("{{ {} }}", fields(10)), json!({}))
        .await;
    let answer = board
        .run(ANN, &format!("{{ {} }}", fields(11)), json!({}))
        .await;
    assert_eq!(answer.code(), "BAD_USER_INPUT");
}
