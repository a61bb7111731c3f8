//! GraphQL as its specification of September 2025 has it, where the parser and the validator differ.

use serde_json::json;

use crate::server::support::start;

#[tokio::test]
async fn an_input_field_given_twice_is_refused() {
    let server = start(&[]).await;
    for document in [
        "{ found(by: { id: 1, id: 2 }) }",
        "{ found(by: {id: 1}) @skip(if: false) ...A } fragment A on Query { found(by: { name: \"a\", name: \"a\" }) }",
    ] {
        let answer = server.query(document).await;
        answer.assert_refused(400, "GRAPHQL_VALIDATION_FAILED");
        let message = answer.message();
        assert!(message.contains("only one input field named"), "{message}");
        assert!(answer.body["errors"][0]["locations"][0]["line"].is_number());
    }
    let answer = server.query("{ found(by: { id: 1, id: 2 }) }").await;
    let at = &answer.body["errors"][0]["locations"];
    assert_eq!(*at, json!([{ "line": 1, "column": 22 }]));
}

#[tokio::test]
async fn operations_fragments_and_variables_may_be_described() {
    let server = start(&[]).await;
    let described = "\"\"\"\nSays hello.\n\"\"\"\nquery Hello(\"Unused.\" $a: Boolean = true, \"\" $b: Boolean = false) {\n\
                     hello @include(if: $a) ...More @skip(if: $b) }\n\"More of it.\" fragment More on Query { hello }";
    let answer = server.query(described).await;
    assert_eq!(answer.body, json!({ "data": { "hello": "Hello, world" } }));
    // Places are those of the text that was sent.
    let answer = server.query("\"What\" query {\n  nothing }").await;
    let at = &answer.body["errors"][0]["locations"];
    assert_eq!(*at, json!([{ "line": 2, "column": 3 }]));
    // The shorthand has none, and neither has a field.
    for document in ["\"What\" { hello }", "{ \"What\" hello }", "\"What\""] {
        server
            .query(document)
            .await
            .assert_refused(400, "GRAPHQL_PARSE_FAILED");
    }
}

#[tokio::test]
async fn errors_of_variables_and_of_circular_fragments_have_places() {
    let server = start(&[]).await;
    let body = json!({ "query": "query(\n  $yes: Boolean!) { hello @skip(if: $yes) }", "variables": { "yes": 1 } });
    let answer = server.post(body).await;
    answer.assert_refused(200, "BAD_USER_INPUT");
    let at = &answer.body["errors"][0]["locations"];
    assert_eq!(at[0]["line"], 2, "{}", answer.body);
    let document = "{ ...A }\nfragment A on Query { hello\n  ...A }";
    let answer = server.query(document).await;
    answer.assert_refused(400, "GRAPHQL_VALIDATION_FAILED");
    let at = &answer.body["errors"][0]["locations"];
    assert_eq!(*at, json!([{ "line": 3, "column": 3 }]));
}

#[tokio::test]
async fn errors_quote_little_of_a_long_document() {
    let server = start(&[]).await;
    let document = format!(
        "query($a: {}) {{ hello }}",
        "É".repeat(3) + &"x".repeat(3000)
    );
    for document in [document.replace('É', "E"), document] {
        let answer = server.query(&document).await;
        for error in answer.body["errors"].as_array().unwrap() {
            let chars = error["message"].as_str().unwrap().chars().count();
            assert!(chars <= 301, "{chars}: {error}");
        }
    }
}

#[tokio::test]
async fn minus_zero_is_a_whole_number() {
    let server = start(&[]).await;
    let answer = server.query("{ found(by: { id: -0 }) }").await;
    assert_eq!(answer.body, json!({ "data": { "found": "0" } }));
    let query = "query($by: By!) { found(by: $by) }";
    for (id, found) in [("-0", "0"), ("-0.0", "0"), ("3.0", "3"), ("-2e1", "-20")] {
        let body =
            format!(r#"{{ "query": "{query}", "variables": {{ "by": {{ "id": {id} }} }} }}"#);
        let body: serde_json::Value = serde_json::from_str(&body).unwrap();
        let answer = server.post(body).await;
        assert_eq!(answer.body, json!({ "data": { "found": found } }), "{id}");
    }
    let default = "query($by: By! = { id: -0 }) { found(by: $by) }";
    let answer = server.query(default).await;
    assert_eq!(answer.body, json!({ "data": { "found": "0" } }));
    let half = json!({ "query": query, "variables": { "by": { "id": 0.5 } } });
    server
        .post(half)
        .await
        .assert_refused(200, "BAD_USER_INPUT");
}

#[tokio::test]
async fn a_variable_in_a_list_or_an_input_object_fits_its_place() {
    let server = start(&[]).await;
    for document in [
        "query($id: Int) { byIds(ids: [$id]) { name } }",
        "query($id: String!) { byIds(ids: [1, $id]) { name } }",
        "query($ids: [Int!]!) { byIds(ids: [$ids]) { name } }",
        "query($id: Int) { ...F } fragment F on Query { byIds(ids: [$id]) { name } }",
        "query($id: Int) { all { name @include(if: true) } ... on Query { byIds(ids: [$id]) { name } } }",
    ] {
        let answer = server.query(document).await;
        answer.assert_refused(400, "GRAPHQL_VALIDATION_FAILED");
    }
    for document in [
        "query($id: Int = 1) { byIds(ids: [$id]) { name } }",
        "query($id: Int! = 1) { byIds(ids: [$id, 2]) { name } }",
        "query($ids: [Int!]! = [1]) { byIds(ids: $ids) { name } }",
    ] {
        let answer = server.query(document).await;
        assert_eq!(answer.status, 200, "{document}: {}", answer.body);
    }
}

#[tokio::test]
async fn fields_with_lists_of_different_lengths_do_not_merge() {
    let server = start(&[]).await;
    for document in [
        "{ byIds(ids: [1]) { name } byIds(ids: [1, 2]) { name } }",
        "{ byIds(ids: [1, 2]) { name } ... on Query { byIds(ids: [1]) { name } } }",
        "{ byIds(ids: []) { name } ...F } fragment F on Query { byIds(ids: [1]) { name } }",
    ] {
        let answer = server.query(document).await;
        answer.assert_refused(400, "GRAPHQL_VALIDATION_FAILED");
        assert!(answer.message().contains("`byIds`"), "{}", answer.message());
    }
    for document in [
        "{ byIds(ids: [1, 2]) { name } byIds(ids: [1, 2]) { name } }",
        "{ byIds(ids: [1]) { name } other: byIds(ids: [1, 2]) { name } }",
    ] {
        let answer = server.query(document).await;
        assert_eq!(answer.status, 200, "{document}: {}", answer.body);
    }
}
