//! The application over HTTP, beside the same service as Trestle's own server serves it.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

use serde_json::{Value, json};
use tokio::net::TcpListener;
use trestle_server::{Introspection, ServerArgs};
use trestle_testing::hosted::{TestServer, memory};

struct App {
    origin: String,
    http: reqwest::Client,
}

impl App {
    async fn start() -> Self {
        Self::start_with(&ServerArgs::default()).await
    }

    async fn start_with(args: &ServerArgs) -> Self {
        let (client, _) = memory();
        let router = mounted::app(client, args).await.expect("it opens");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self {
            origin: format!("http://{address}"),
            http: reqwest::Client::new(),
        }
    }

    async fn ask(&self, member: &str, body: &Value) -> Value {
        let request = self
            .http
            .post(format!("{}/graphql", self.origin))
            .json(body);
        let request = match member {
            "" => request,
            member => request.header("x-member", member),
        };
        let answer = request.send().await.expect("an answer");
        answer.json().await.expect("JSON")
    }

    /// The id of a new book.
    async fn create(&self, member: &str) -> Value {
        let create = "mutation($input: CreateBookInput!) {
            createBook(input: $input) { book { id title } userErrors { code } } }";
        let input = json!({ "input": { "title": "Dune", "condition": "GOOD" } });
        let body = json!({ "query": create, "variables": input });
        let made = self.ask(member, &body).await;
        let payload = &made["data"]["createBook"];
        assert_eq!(payload["userErrors"], json!([]), "{made}");
        payload["book"]["id"].clone()
    }
}

fn code(answer: &Value) -> Option<&str> {
    answer["errors"][0]["extensions"]["code"].as_str()
}

#[tokio::test]
async fn the_service_answers_each_member_beside_the_routes_of_the_application() {
    let app = App::start().await;
    let page = app.http.get(&app.origin).send().await.unwrap();
    assert_eq!(page.text().await.unwrap(), "The library is open.");
    let id = app.create("ann").await;
    let node = "query($id: ID!) { node(id: $id) { ... on Book { title } } }";
    let body = json!({ "query": node, "variables": { "id": id } });
    assert_eq!(
        app.ask("ann", &body).await["data"],
        json!({ "node": { "title": "Dune" } })
    );
    assert_eq!(app.ask("bob", &body).await["data"], json!({ "node": null }));
    assert_eq!(code(&app.ask("", &body).await), Some("UNAUTHENTICATED"));
}

#[tokio::test]
async fn large_bodies_and_mutations_over_get_are_refused() {
    let app = App::start().await;
    let url = format!("{}/graphql", app.origin);
    let body = json!({ "query": "{ __typename }", "extensions": { "x": "y".repeat(2 << 20) } });
    let large = app.http.post(&url).header("x-member", "ann").json(&body);
    let refused = match large.send().await {
        Ok(answer) => answer.status().is_client_error(),
        // The application closed the connection before all of it was sent.
        Err(error) => error.is_request(),
    };
    assert!(refused);
    let get = app
        .http
        .get(format!("{url}?query=mutation%7B__typename%7D"));
    assert_eq!(get.send().await.unwrap().status(), 405);
}

/// What one server refuses, the other refuses too, for the same reason; async-graphql alone would run some of these.
#[tokio::test]
async fn documents_are_validated_and_limited_as_by_the_server_itself() {
    let app = App::start().await;
    let own = TestServer::start(&shelf::SERVICE).await;
    let deep = "{ __schema { types { ofType ".to_owned()
        + &"{ ofType ".repeat(14)
        + "{ name }"
        + &" }".repeat(14)
        + " } } }";
    let aliases: String = (0..40)
        .map(|n| format!(" a{n}: books {{ pageInfo {{ hasNextPage }} }}"))
        .collect();
    let dear: String = (0..15)
        .map(|n| format!(" a{n}: books(first: 100) {{ edges {{ node {{ id title tags }} }} }}"))
        .collect();
    let documents = [
        json!({ "query": "{ books { edges { node { title } } } }" }),
        json!({ "query": "{ books { edges { node { titel } } } }" }),
        json!({ "query": "{ books { edges { node { title }" }),
        json!({ "query": deep }),
        json!({ "query": format!("{{{aliases} }}") }),
        json!({ "query": format!("{{{dear} }}") }),
        json!({ "query": "query A { viewer: __typename } query B { __typename }" }),
        json!({ "query": "query($n: Int!) { books(first: $n) { pageInfo { hasNextPage } } }" }),
        json!({ "query": "query($n: Int!) { books(first: $n) { pageInfo { hasNextPage } } }", "variables": { "n": "1" } }),
        json!({ "query": "query($n: Int!) { books(first: $n) { pageInfo { hasNextPage } } }", "variables": { "n": 1 } }),
        json!({ "query": "query($n: Int) { nodes(ids: $n) { id } }" }),
        json!({ "query": "fragment A on Query { ...A } { ...A }" }),
        json!({ "query": "subscription { none }" }),
    ];
    for body in documents {
        let request = own.http.post(&own.url).header("x-said", "ann write");
        let expected: Value = request
            .json(&body)
            .send()
            .await
            .unwrap()
            .json()
            .await
            .unwrap();
        let answer = app.ask("ann", &body).await;
        assert_eq!(
            code(&answer),
            code(&expected),
            "{body}\n{answer}\n{expected}"
        );
        assert_eq!(
            answer["errors"][0]["message"], expected["errors"][0]["message"],
            "{body}"
        );
        assert_eq!(answer["data"], expected["data"], "{body}");
    }
}

#[tokio::test]
async fn entities_of_a_subgraph_are_shown_to_whom_nodes_shows_them() {
    let mut args = ServerArgs::default();
    args.documents.federation = true;
    // `_service` shows the schema.
    args.introspection = Introspection::On;
    let app = App::start_with(&args).await;
    let id = app.create("ann").await;
    let entities =
        "query($of: [_Any!]!) { _entities(representations: $of) { ... on Book { title } } }";
    let of =
        json!({ "of": [{ "__typename": "Book", "id": id }, { "__typename": "Shelf", "id": id }] });
    let body = json!({ "query": entities, "variables": of });
    let found = app.ask("ann", &body).await;
    assert_eq!(
        found["data"]["_entities"],
        json!([{ "title": "Dune" }, null]),
        "{found}"
    );
    let found = app.ask("bob", &body).await;
    assert_eq!(found["data"]["_entities"], json!([null, null]), "{found}");
    let sdl = json!({ "query": "{ _service { sdl __typename } }" });
    let service = app.ask("ann", &sdl).await;
    let sdl_text = service["data"]["_service"]["sdl"].as_str().unwrap();
    assert!(
        sdl_text.contains("type Book implements Node @key(fields: \"id\")"),
        "{sdl_text}"
    );
    let off = App::start().await;
    for body in [body, sdl] {
        assert_eq!(
            code(&off.ask("ann", &body).await),
            Some("GRAPHQL_VALIDATION_FAILED")
        );
    }
}
