//! The worked example of docs/adding-a-service.md and docs/adding-an-entity.md: it compiles, runs, and is what the two
//! pages show.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use shelf::SERVICE;
use trestle_testing::hosted::TestServer;

const ANN: &str = "ann write";
const BOB: &str = "bob write";
const CREATE: &str = "mutation($input: CreateBookInput!) {
    createBook(input: $input) { book { id title pages tags version } userErrors { code field } } }";
const BOOKS: &str = "query($first: Int, $after: String) {
    books(first: $first, after: $after) { edges { node { title } } pageInfo { hasNextPage endCursor } } }";

async fn create(shelf: &TestServer, viewer: &str, title: &str) -> Value {
    let input = json!({ "input": { "title": title, "condition": "GOOD", "tags": ["rust"] } });
    let data = shelf.data(viewer, CREATE, input).await;
    assert_eq!(data["createBook"]["userErrors"], json!([]));
    data["createBook"]["book"].clone()
}

#[tokio::test]
async fn books_are_created_listed_changed_and_deleted_by_their_owner() {
    let shelf = TestServer::start(&SERVICE).await;
    let book = create(&shelf, ANN, "Dune").await;
    assert_eq!(
        (&book["version"], &book["tags"]),
        (&json!(1), &json!(["rust"]))
    );
    create(&shelf, ANN, "Emma").await;

    let page = shelf.data(ANN, BOOKS, json!({ "first": 1 })).await;
    assert_eq!(page["books"]["edges"][0]["node"]["title"], "Dune");
    let after = &page["books"]["pageInfo"]["endCursor"];
    assert!(after.as_str().unwrap().len() < 120, "a short cursor");
    let page = shelf
        .data(ANN, BOOKS, json!({ "first": 1, "after": after }))
        .await;
    assert_eq!(page["books"]["edges"][0]["node"]["title"], "Emma");
    assert_eq!(page["books"]["pageInfo"]["hasNextPage"], false);
    assert_eq!(
        shelf.data(BOB, BOOKS, json!({})).await["books"]["edges"],
        json!([])
    );

    let update = "mutation($input: UpdateBookInput!) {
        updateBook(input: $input) { book { title lentTo version } userErrors { code } } }";
    let input = json!({ "input": { "id": book["id"], "lentTo": "Bob" } });
    let data = shelf.data(ANN, update, input.clone()).await;
    let changed = json!({ "title": "Dune", "lentTo": "Bob", "version": 2 });
    assert_eq!(data["updateBook"]["book"], changed);
    let refused = shelf.data(BOB, update, input).await;
    assert_eq!(refused["updateBook"]["userErrors"][0]["code"], "NOT_FOUND");
    let stale = json!({ "input": { "id": book["id"], "title": "Dune II", "expectedVersion": 1 } });
    let refused = shelf.data(ANN, update, stale).await;
    assert_eq!(refused["updateBook"]["userErrors"][0]["code"], "CONFLICT");

    let node = "query($id: ID!) { node(id: $id) { ... on Book { title } } }";
    let id = json!({ "id": book["id"] });
    assert_eq!(
        shelf.data(ANN, node, id.clone()).await["node"]["title"],
        "Dune"
    );
    assert_eq!(shelf.data(BOB, node, id.clone()).await["node"], Value::Null);
    let delete =
        "mutation($input: DeleteBookInput!) { deleteBook(input: $input) { book { title } } }";
    let data = shelf.data(ANN, delete, json!({ "input": id })).await;
    assert_eq!(data["deleteBook"]["book"]["title"], "Dune");
    assert_eq!(shelf.data(ANN, node, id).await["node"], Value::Null);
}

#[tokio::test]
async fn every_broken_rule_is_returned_with_its_path() {
    let shelf = TestServer::start(&SERVICE).await;
    let input = json!({ "input": {
        "title": " ", "pages": 0, "condition": "NEW", "tags": ["good", "", "x".repeat(41)],
    } });
    let data = shelf.data(ANN, CREATE, input).await;
    let errors = data["createBook"]["userErrors"].as_array().unwrap();
    let found: Vec<_> = errors
        .iter()
        .map(|error| format!("{} {}", error["code"].as_str().unwrap(), error["field"]))
        .collect();
    let expected = [
        "REQUIRED [\"title\"]",
        "OUT_OF_RANGE [\"pages\"]",
        "REQUIRED [\"tags\",\"1\"]",
        "TOO_LONG [\"tags\",\"2\"]",
    ];
    assert_eq!(found, expected);
    assert_eq!(data["createBook"]["book"], Value::Null);
}

#[tokio::test]
async fn each_operation_has_its_calls() {
    let shelf = TestServer::start(&SERVICE).await;
    shelf.calls.reset();
    let book = create(&shelf, ANN, "Dune").await;
    assert_eq!(calls(&shelf), "PutItem 1");
    shelf.data(ANN, BOOKS, json!({})).await;
    assert_eq!(calls(&shelf), "Query 1");
    let update = "mutation($input: UpdateBookInput!) { updateBook(input: $input) { book { id } } }";
    let input = json!({ "input": { "id": book["id"], "title": "Dune II" } });
    shelf.data(ANN, update, input).await;
    assert_eq!(calls(&shelf), "GetItem 1, UpdateItem 1");
}

/// The calls since the last time, in words.
fn calls(shelf: &TestServer) -> String {
    let counts = shelf.calls.counts().into_iter();
    let counts: Vec<_> = counts
        .map(|(name, count)| format!("{name} {count}"))
        .collect();
    shelf.calls.reset();
    counts.join(", ")
}

#[test]
fn the_docs_show_the_files_of_the_example() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut shown = Vec::new();
    for page in ["docs/adding-a-service.md", "docs/adding-an-entity.md"] {
        let text = fs::read_to_string(root.join(page)).unwrap();
        for part in text.split("<!-- examples/shelf/").skip(1) {
            let (file, rest) = part.split_once(" -->").unwrap();
            let (_, rest) = rest.split_once("```").unwrap();
            let (_, rest) = rest.split_once('\n').unwrap();
            let (code, _) = rest.split_once("```").unwrap();
            let path = root.join("examples/shelf").join(file);
            assert_eq!(
                code,
                fs::read_to_string(path).unwrap(),
                "{page} shows {file} as it is"
            );
            shown.push(file.to_owned());
        }
    }
    assert_eq!(
        shown,
        [
            "Cargo.toml",
            "src/lib.rs",
            "src/books/mod.rs",
            "src/books/graphql.rs"
        ]
    );
}

#[test]
fn an_entity_with_its_api_has_at_most_320_lines() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/books");
    let files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    let lines = files
        .iter()
        .map(|file| fs::read_to_string(file).unwrap().lines().count());
    assert!(files.len() <= 3 && lines.sum::<usize>() <= 320);
}
