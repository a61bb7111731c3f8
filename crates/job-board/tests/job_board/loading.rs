//! `trestle job-board load`.

use std::io::Write as _;

use serde_json::json;

use crate::board::{ANN, Board, nodes};

#[tokio::test]
async fn postings_of_a_file_are_loaded_once() {
    let board = Board::start().await;
    let postings = json!([
        { "id": "1", "company_name": "Acme", "title": "Engineer", "locations": ["Palo Alto, CA", "NYC", "Remote in Canada"],
          "url": "https://example.com/1", "date_posted": 1_714_605_534, "active": false },
        { "id": "2", "company_name": "Acme", "title": "Engineer", "locations": ["Montréal, QC, Canada"],
          "url": "https://example.com/2", "date_posted": 1_714_605_534, "active": true },
        { "id": "3", "company_name": "Acme", "title": "", "locations": ["Paris, France"], "date_posted": 1_714_605_534 },
        { "id": "4", "company_name": "Acme", "title": "Engineer", "locations": [], "date_posted": "2024-05-01" },
    ]);
    let mut file = tempfile::Builder::new().suffix(".json").tempfile().unwrap();
    file.write_all(postings.to_string().as_bytes()).unwrap();
    let path = file.path().to_str().unwrap();
    for _ in 0..2 {
        board.command(&["job-board", "load", path]).await.unwrap();
        assert_eq!(
            board.stored("job").await.len(),
            4,
            "two jobs, one of them in three cities"
        );
    }
    let find = "query($city: String!) { jobs(city: $city, filter: { postedFrom: \"2024-05-01\", postedTo: \"2024-05-01\" }) {
        edges { node { company postedOn isRemote places { city region country } } } } }";
    let found = board.data(ANN, find, json!({ "city": "New York" })).await;
    let expected = json!([{
        "company": "Acme",
        "postedOn": "2024-05-01",
        "isRemote": true,
        "places": [
            { "city": "Palo Alto", "region": "CA", "country": "US" },
            { "city": "NYC", "region": null, "country": "US" },
            { "city": "Remote", "region": null, "country": "CA" },
        ],
    }]);
    assert_eq!(json!(nodes(&found["jobs"])), expected);
    let found = board.data(ANN, find, json!({ "city": "montreal" })).await;
    assert_eq!(nodes(&found["jobs"])[0]["places"][0]["region"], "QC");
}

#[tokio::test]
async fn columns_are_mapped_and_a_dry_run_writes_nothing() {
    let board = Board::start().await;
    let mut file = tempfile::Builder::new().suffix(".csv").tempfile().unwrap();
    let rows = "firm,Job Title,Where,Postal Code,Posted,min salary,skills,open\n\
                Acme,Engineer,Paris,75001,31/05/2024,50k,\"js, Rust\",yes\n\
                Acme,Cook,Paris,75002,31/05/2024,,,no\n";
    file.write_all(rows.as_bytes()).unwrap();
    let path = file.path().to_str().unwrap();
    let load = [
        "job-board",
        "load",
        path,
        "--map",
        "company=firm",
        "--map",
        "locations=Where",
        "--map",
        "isOpen=open",
        "--date-format",
        "%d/%m/%Y",
        "--country",
        "FR",
        "--employer",
        "erin",
        "--dry-run",
    ];
    board.command(&load).await.unwrap();
    assert!(board.stored("job").await.is_empty());
    let mut misnamed = load;
    misnamed[4] = "company=nowhere";
    let refused = board.command(&misnamed).await.unwrap_err().to_string();
    assert_eq!(
        refused,
        "The file has no column \"nowhere\", which --map gives to company."
    );
    board.command(&load[..load.len() - 1]).await.unwrap();
    let find = "{ jobs(city: \"Paris\", filter: { zipFrom: \"75001\", zipTo: \"75002\" }) { edges { node { title skills payMin } } } }";
    let found = board.data(ANN, find, json!({})).await;
    let expected = json!([{ "title": "Engineer", "skills": ["js", "Rust"], "payMin": 50_000 }]);
    assert_eq!(json!(nodes(&found["jobs"])), expected);
    let mine = "{ myJobs { edges { node { title isOpen } } } }";
    let mine = board.data("erin read employer", mine, json!({})).await;
    assert_eq!(nodes(&mine["myJobs"]).len(), 2);
}

#[tokio::test]
async fn places_and_employers_of_a_file_are_its_own() {
    let board = Board::start().await;
    let cities: Vec<_> = (0..22).map(|n| format!("Town{n}, TX")).collect();
    let postings = json!([
        { "id": "1", "company": "Acme", "title": "Engineer", "date_posted": "2024-05-01",
          "locations": ["Toronto, ON", "Berlin, DE", "Cairo, Egypt", "Somewhere, Nowhere"] },
        { "id": "2", "company": "Ajax", "title": "Cook", "date_posted": "2024-05-01", "locations": cities },
        { "id": "3", "company": "Acme", "title": "Nurse", "date_posted": "2024-05-01", "locations": ["Nowhere, XX"] },
    ]);
    let mut file = tempfile::Builder::new().suffix(".json").tempfile().unwrap();
    file.write_all(postings.to_string().as_bytes()).unwrap();
    let path = file.path().to_str().unwrap();
    let load = ["job-board", "load", path, "--employer-column", "company"];
    board.command(&load).await.unwrap();
    let find = "query($city: String!) { jobs(city: $city) { edges { node { company places { city country } employer { company } } } } }";
    let found = board
        .data(ANN, find, json!({ "city": "Berlin, Germany" }))
        .await;
    let expected = json!([{
        "company": "Acme",
        "places": [
            { "city": "Toronto", "country": "CA" },
            { "city": "Berlin", "country": "DE" },
            { "city": "Cairo", "country": "EG" },
        ],
        "employer": { "company": "Acme" },
    }]);
    assert_eq!(json!(nodes(&found["jobs"])), expected);
    let found = board.data(ANN, find, json!({ "city": "Town19, TX" })).await;
    let places = nodes(&found["jobs"])[0]["places"].clone();
    assert_eq!(places.as_array().unwrap().len(), 20, "the first ones");
    assert_eq!(board.stored("employer").await.len(), 2);
    let misnamed = ["job-board", "load", path, "--employer-column", "firm"];
    assert!(board.command(&misnamed).await.is_err());
}
