//! Documents that would be expensive, and how little of them is let through.

use std::fmt::Write as _;

use serde_json::{Value, json};
use trestle_server::Lookup;

use crate::server::support::{Running, start};

const INVALID: &str = "GRAPHQL_VALIDATION_FAILED";

/// The document is refused with this code, and the server goes on.
async fn refused(server: &Running, document: &str, code: &str) -> String {
    let answer = server.query(document).await;
    answer.assert_refused(400, code);
    server.still_answers().await;
    answer.message().to_owned()
}

#[tokio::test]
async fn a_bomb_of_fragments_is_refused() {
    let server = start(&[]).await;
    let mut bomb = "{ all { ...F0 } }".to_owned();
    for level in 0..20 {
        let next = level + 1;
        write!(
            bomb,
            " fragment F{level} on Item {{ ...F{next} ...F{next} }}"
        )
        .unwrap();
    }
    bomb.push_str(" fragment F20 on Item { name }");
    let message = refused(&server, &bomb, INVALID).await;
    assert!(message.contains("500 fields"), "{message}");
}

#[tokio::test]
async fn a_bomb_that_nothing_sets_off_is_refused() {
    let server = start(&[]).await;
    let mut bomb = "{ hello }".to_owned();
    for level in 0..25 {
        let next = level + 1;
        write!(
            bomb,
            " fragment F{level} on Item {{ ...F{next} ...F{next} }}"
        )
        .unwrap();
    }
    bomb.push_str(" fragment F25 on Item { name }");
    let message = refused(&server, &bomb, INVALID).await;
    assert!(message.contains("500 fields"), "{message}");
    refused(&server, "{ hello } fragment F on Item { ...F }", INVALID).await;
}

#[tokio::test]
async fn fragments_that_spread_each_other_are_refused() {
    let server = start(&[]).await;
    let every: String = (0..12).map(|n| format!(" ...F{n}")).collect();
    let circles: String = (0..12)
        .map(|n| format!(" fragment F{n} on Item {{ name{every} }}"))
        .collect();
    refused(&server, &format!("{{ all {{ ...F0 }} }}{circles}"), INVALID).await;
}

#[tokio::test]
async fn a_long_chain_of_fragments_is_refused() {
    let server = start(&["--max-tokens", "200000", "--max-document-bytes", "4000000"]).await;
    let mut chain = "{ all { ...F0 } }".to_owned();
    for n in 0..20_000 {
        write!(chain, " fragment F{n} on Item {{ ...F{} }}", n + 1).unwrap();
    }
    chain.push_str(" fragment F20000 on Item { name }");
    assert!(
        chain.len() < 1024 * 1024,
        "it has to fit into a body: {}",
        chain.len()
    );
    let message = refused(&server, &chain, INVALID).await;
    assert!(message.contains("levels of selections"), "{message}");
}

#[tokio::test]
async fn a_thousand_aliases_are_refused() {
    let server = start(&[]).await;
    let aliases: String = (0..1000).map(|n| format!(" a{n}: hello")).collect();
    refused(&server, &format!("{{{aliases} }}"), INVALID).await;
    let some: String = (0..31).map(|n| format!(" a{n}: name")).collect();
    let message = refused(&server, &format!("{{ all {{{some} }} }}"), INVALID).await;
    assert!(message.contains("30 aliases"), "{message}");
}

#[tokio::test]
async fn five_thousand_levels_are_refused() {
    let server = start(&[]).await;
    let deep = format!("{}{}", "{ all ".repeat(5000), "}".repeat(5000));
    refused(&server, &deep, INVALID).await;
    let lists = format!(
        "{{ byIds(ids: {}{}) {{ name }} }}",
        "[".repeat(900),
        "]".repeat(900)
    );
    refused(&server, &lists, INVALID).await;
    let sixteen = format!("{}{}", "{ items { edges { node ".repeat(6), "}".repeat(18));
    let message = refused(&server, &sixteen, INVALID).await;
    assert!(message.contains("15 levels"), "{message}");
}

#[tokio::test]
async fn five_thousand_levels_are_refused_even_with_tokens_to_spare() {
    let limits = ["--max-tokens=1000000", "--max-document-bytes=1000000"];
    // A debug build needs seconds for so many.
    let server = start(&[&limits[..], &["--request-timeout=60s"]].concat()).await;
    let deep = format!("{}{}", "{ all ".repeat(5000), "}".repeat(5000));
    refused(&server, &deep, INVALID).await;
    refused(&server, &"{".repeat(200_000), "GRAPHQL_PARSE_FAILED").await;
    let types = format!(
        "query($a: {}Int{}) {{ hello }}",
        "[".repeat(5000),
        "]".repeat(5000)
    );
    refused(&server, &types, INVALID).await;
    let values = format!(
        "{{ hello(name: {}{}) }}",
        "[".repeat(50_000),
        "]".repeat(50_000)
    );
    refused(&server, &values, INVALID).await;
    let objects = format!(
        "{{ hello(name: {}1{}) }}",
        "{a:".repeat(50_000),
        "}".repeat(50_000)
    );
    refused(&server, &objects, INVALID).await;
}

#[tokio::test]
async fn two_hundred_thousand_braces_are_refused() {
    let server = start(&["--max-document-bytes", "1000000"]).await;
    let message = refused(&server, &"{".repeat(200_000), INVALID).await;
    assert!(message.contains("2000 tokens"), "{message}");
}

#[tokio::test]
async fn a_thousand_directives_are_refused() {
    let server = start(&[]).await;
    let directives = " @include(if: true)".repeat(1000);
    refused(&server, &format!("{{ hello{directives} }}"), INVALID).await;
    let some = " @include(if: true)".repeat(21);
    let message = refused(&server, &format!("{{ hello{some} }}"), INVALID).await;
    assert!(message.contains("20 directives"), "{message}");
}

#[tokio::test]
async fn ten_thousand_operations_are_refused() {
    let server = start(&[]).await;
    let operations: String = (0..10_000)
        .map(|n| format!("query Q{n}{{hello}}"))
        .collect();
    refused(&server, &operations, INVALID).await;
    let some: String = (0..11).map(|n| format!("query Q{n}{{hello}}")).collect();
    let message = refused(&server, &some, INVALID).await;
    assert!(message.contains("10 operations"), "{message}");
}

#[tokio::test]
async fn a_hundred_thousand_tokens_are_refused() {
    let server = start(&["--max-document-bytes", "1000000"]).await;
    let tokens = "hello ".repeat(100_000);
    let message = refused(&server, &format!("{{ {tokens} }}"), INVALID).await;
    assert!(message.contains("2000 tokens"), "{message}");
    let comments = format!("{{ hello {} }}", "#\n".repeat(100_000));
    let answer = server.query(&comments).await;
    assert_eq!(
        answer.body["data"]["hello"], "Hello, world",
        "comments are not tokens"
    );
}

#[tokio::test]
async fn a_document_beyond_its_bytes_is_refused() {
    let server = start(&["--max-document-bytes", "100"]).await;
    let message = refused(
        &server,
        &format!("{{ hello }} {}", " ".repeat(100)),
        INVALID,
    )
    .await;
    assert!(message.contains("100 bytes"), "{message}");
}

#[tokio::test]
async fn too_many_fields_at_the_root_are_refused() {
    let server = start(&[]).await;
    let fields = "hello ".repeat(21);
    let message = refused(&server, &format!("{{ ... {{ {fields} }} }}"), INVALID).await;
    assert!(message.contains("20 fields at its root"), "{message}");
}

#[tokio::test]
async fn going_round_in_the_schema_is_refused() {
    let server = start(&[]).await;
    let circle =
        "{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }";
    refused(&server, circle, INVALID).await;
    let through_fragments = "{ __schema { types { ...A } } } \
        fragment A on __Type { fields { type { ...B } } } \
        fragment B on __Type { fields { type { ...C } } } \
        fragment C on __Type { fields { name } }";
    refused(&server, through_fragments, INVALID).await;
    let aliases: String = (0..29)
        .map(|n| format!(" a{n}: types {{ fields {{ type {{ fields {{ args {{ name }} }} }} }} }}"))
        .collect();
    refused(&server, &format!("{{ __schema {{{aliases} }} }}"), INVALID).await;
}

#[tokio::test]
async fn tools_may_ask_for_the_whole_schema() {
    let server = start(&[]).await;
    let answer = server.query(&everything()).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(
        answer.body["data"]["__schema"]["queryType"]["name"],
        "Query"
    );
}

/// What tools ask for: everything about every type, with type references nine levels deep.
fn everything() -> String {
    let of_type = (0..9).fold("kind name".to_owned(), |inner, _| {
        format!("kind name ofType {{ {inner} }}")
    });
    format!(
        "query Everything {{ __schema {{ description queryType {{ name kind }} \
         mutationType {{ name kind }} subscriptionType {{ name kind }} types {{ ...Full }} \
         directives {{ name description isRepeatable locations \
         args(includeDeprecated: true) {{ ...Input }} }} }} }} \
         fragment Full on __Type {{ kind name description specifiedByURL isOneOf \
         fields(includeDeprecated: true) {{ name description isDeprecated deprecationReason \
         args(includeDeprecated: true) {{ ...Input }} type {{ ...Reference }} }} \
         inputFields(includeDeprecated: true) {{ ...Input }} interfaces {{ ...Reference }} \
         enumValues(includeDeprecated: true) {{ name description isDeprecated deprecationReason }} \
         possibleTypes {{ ...Reference }} }} \
         fragment Input on __InputValue {{ name description type {{ ...Reference }} defaultValue \
         isDeprecated deprecationReason }} \
         fragment Reference on __Type {{ {of_type} }}"
    )
}

#[tokio::test]
async fn the_schema_can_be_kept_from_clients() {
    let server = start(&["--introspection", "off"]).await;
    let hidden = "{ ...F } fragment F on Query { __type(name: \"Query\") { name } }";
    refused(&server, "{ __schema { queryType { name } } }", INVALID).await;
    refused(&server, hidden, INVALID).await;
    let answer = server.query("{ __typename }").await;
    assert_eq!(answer.body, json!({ "data": { "__typename": "Query" } }));
}

#[tokio::test]
async fn page_sizes_multiply_into_the_cost() {
    let server = start(&["--max-cost", "1000"]).await;
    let nested = |outer: &str, inner: &str| {
        format!(
            "{{ items({outer}) {{ edges {{ node {{ items({inner}) {{ edges {{ node {{ name }} }} }} }} }} }} }}"
        )
    };
    let message = refused(&server, &nested("first: 100", "last: 100"), INVALID).await;
    assert!(message.contains("may cost"), "{message}");
    let answer = server.query(&nested("first: 3", "first: 3")).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let message = refused(
        &server,
        &nested("first: 99999999999", "first: 99999999999"),
        INVALID,
    )
    .await;
    assert!(message.contains("may cost"), "{message}");
}

#[tokio::test]
async fn variables_decide_the_cost_of_each_request() {
    let server = start(&["--max-cost", "1000"]).await;
    let document = "query($n: Int = 3, $ids: [Int!] = []) { \
        items(first: $n) { edges { node { items(first: $n) { edges { node { name } } } } } } }";
    let document = document.replace(", $ids: [Int!] = []", "");
    let ask = |variables: Value| json!({ "query": document, "variables": variables });
    assert_eq!(server.post(ask(json!({}))).await.code(), None);
    assert_eq!(
        server.post(ask(json!({ "n": 100 }))).await.code(),
        Some(INVALID)
    );
    assert_eq!(server.post(ask(json!({ "n": 3 }))).await.code(), None);

    let by_ids = "query($ids: [Int!]!) { byIds(ids: $ids) { name } }";
    let many = json!({ "query": by_ids, "variables": { "ids": vec![1; 2000] } });
    assert_eq!(server.post(many).await.code(), Some(INVALID));
    let few = json!({ "query": by_ids, "variables": { "ids": [1, 2] } });
    assert_eq!(
        server.post(few).await.body["data"]["byIds"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );
    let records = server.records.first(5).await;
    assert_eq!(
        records[4].cost,
        Some(1 + 2),
        "one for the root, one for each id"
    );
}

#[tokio::test]
async fn a_known_document_is_looked_up() {
    let server = start(&[]).await;
    for _ in 0..2 {
        server.query("query Q { hello }").await;
        server.query("query Q { nothing }").await;
    }
    let records = server.records.first(4).await;
    let looked_up: Vec<_> = records.iter().map(|record| record.document).collect();
    let (miss, hit) = (Some(Lookup::Miss), Some(Lookup::Hit));
    assert_eq!(looked_up, [miss, miss, hit, hit]);
    assert_eq!(records[2].operation_name.as_deref(), Some("Q"));
}

#[tokio::test]
async fn errors_before_execution_have_codes_and_places() {
    let server = start(&[]).await;
    let answer = server.query("{ hello").await;
    answer.assert_refused(400, "GRAPHQL_PARSE_FAILED");
    let answer = server.query("{\n  nothing\n}").await;
    answer.assert_refused(400, INVALID);
    assert_eq!(
        answer.body["errors"][0]["locations"],
        json!([{ "line": 2, "column": 3 }])
    );
    server
        .query("")
        .await
        .assert_refused(400, "GRAPHQL_PARSE_FAILED");
    server
        .query("type A { b: Int }")
        .await
        .assert_refused(400, INVALID);
}

#[tokio::test]
async fn operations_are_chosen_by_name() {
    let server = start(&[]).await;
    let document = "query A { a: hello(name: \"A\") } query B { ...F } fragment F on Query { b: hello(name: \"B\") }";
    let ask = |name: Value| json!({ "query": document, "operationName": name });
    let a = server.post(ask(json!("A"))).await;
    assert_eq!(a.body, json!({ "data": { "a": "Hello, A" } }));
    let b = server.post(ask(json!("B"))).await;
    assert_eq!(b.body, json!({ "data": { "b": "Hello, B" } }));
    for name in [json!("C"), Value::Null, json!("")] {
        let answer = server.post(ask(name)).await;
        answer.assert_refused(200, "OPERATION_RESOLUTION_FAILURE");
    }
}

#[tokio::test]
async fn every_kind_of_value_reaches_the_resolver() {
    let server = start(&[]).await;
    let document = r#"query($skip: Boolean = true, $name: String, $kind: ThingKind = NO_ITEM) {
        block: hello(name: """
            a
              b
        """)
        escaped: hello(name: "é\u00e9\n\u{1F600}")
        skipped: hello @skip(if: $skip)
        byIds(ids: [1, -2]) { __typename ... on Item @include(if: true) { name } }
        left: patched(input: { note: $name })
        cleared: patched(input: { note: null })
        set: patched(input: { note: "x" })
        found(by: { id: 7 })
        at(at: "2026-11-20T09:30:00.000Z")
        thing(kind: $kind) { ...Named ... on NoItem { again: name } ... on Item { items { edges { cursor } } } }
        literal: thing(kind: ITEM) { ...Named }
    }
    fragment Named on Thing { __typename name }"#;
    let answer = server.query(document).await;
    let expected = json!({ "data": {
        "block": "Hello, a\n  b",
        "escaped": "Hello, éé\n😀",
        "byIds": [{ "__typename": "Item", "name": "item" }, { "__typename": "Item", "name": "item" }],
        "left": "kept",
        "cleared": "cleared",
        "set": "set",
        "found": "7",
        "at": "2026-11-20T09:30:00.000Z",
        "thing": { "__typename": "NoItem", "name": "none", "again": "none" },
        "literal": { "__typename": "Item", "name": "item" },
    }});
    assert_eq!(answer.body, expected);
}
