//! Changes that other processes made, by the table's stream: here each process is a server of its own on
//! the same store, or a program that writes the table as it likes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use aws_sdk_dynamodbstreams::config::{BehaviorVersion, Credentials, Region};
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, SharedHttpConnector, http_client_fn,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::http::StatusCode;
use aws_smithy_types::body::SdkBody;
use serde_json::json;
use trestle_applications::{Announcers, ApplicationsService, Changes, Tenancy};
use trestle_dynamodb::Embedded;
use trestle_table::clock::Clock;
use trestle_table::{StreamReader, Table};

use crate::live::board::Board;
use trestle_testing::socket::{Socket, WATCH};

/// A server that announces what the stream of its table says.
async fn follower(store: &Embedded) -> Board {
    follower_behind(store, store.streams_client()).await
}

async fn follower_behind(store: &Embedded, streams: aws_sdk_dynamodbstreams::Client) -> Board {
    let table = table(store.client());
    table.create().await.expect("it is there");
    table.enable_stream().await.expect("it has a stream");
    let stream = table.stream().await.expect("it is there");
    let stream = stream.expect("a stream");
    let reader = StreamReader::open(streams, stream).await;
    let changes = Changes::default();
    let followed = trestle_applications::follow(
        reader.expect("it is read"),
        changes.clone(),
        Tenancy::Single,
    );
    tokio::spawn(followed);
    let others = Announcers::Others;
    let service = ApplicationsService::watching(table, Clock::system(), changes, others);
    Board::serve(service, &[], None).await
}

fn table(client: Client) -> Table {
    Table::new(client, &trestle_applications::TABLE, "applications-test")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_process_writes_another_tells() {
    let store = Embedded::memory().expect("a store in memory");
    let (writer, watcher) = (follower(&store).await, follower(&store).await);
    let watch = "subscription { applicationChanged { kind applicationId version application {
        companyName version interviewStages { name } history(first: 1) {
        edges { node { sequence } } } } } }";
    let mut far = Socket::open(&watcher.url).await;
    far.subscribe("1", watch, json!({})).await;
    let mut near = Socket::open(&writer.url).await;
    near.subscribe("1", watch, json!({})).await;

    let id = writer.create("Acme").await;
    let stage = "mutation($id: ID!) { addInterviewStage(input: {
        applicationId: $id, name: \"Phone\" }) { userErrors { message } } }";
    writer.data(stage, json!({ "id": id })).await;
    let delete = "mutation($id: ID!) { deleteApplication(input: { id: $id }) {
        userErrors { message } } }";
    let told = |kind: &str, version: u32, stages: serde_json::Value| {
        let entries = json!([{ "node": { "sequence": version } }]);
        json!({ "applicationChanged": {
            "kind": kind, "applicationId": id, "version": version,
            "application": {
                "companyName": "Acme", "version": version, "interviewStages": stages,
                "history": { "edges": entries } } } })
    };
    // History is read when it is told: its newest entry may be newer than the change.
    for socket in [&mut far, &mut near] {
        let mut created = socket.next("1").await;
        created["applicationChanged"]["application"]["history"] =
            json!({ "edges": [{ "node": { "sequence": 1 } }] });
        assert_eq!(created, told("CREATED", 1, json!([])));
        let stages = json!([{ "name": "Phone" }]);
        assert_eq!(socket.next("1").await, told("UPDATED", 2, stages));
    }

    writer.data(delete, json!({ "id": id })).await;
    for socket in [&mut far, &mut near] {
        let gone = json!({ "applicationChanged": {
            "kind": "DELETED", "applicationId": id, "version": 2, "application": null } });
        assert_eq!(socket.next("1").await, gone);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_program_writes_is_told() {
    let store = Embedded::memory().expect("a store in memory");
    let board = follower(&store).await;
    let id = board.create("Acme").await;
    let mut socket = Socket::open(&board.url).await;
    let updates = json!({ "kinds": ["UPDATED"] });
    socket.subscribe("1", WATCH, updates).await;
    let key = AttributeValue::S(format!("APP#{id}"));
    let update = store.client().update_item();
    let written = update
        .table_name("applications-test")
        .key("PK", key.clone())
        .key("SK", key)
        .update_expression("SET notes = :notes")
        .expression_attribute_values(":notes", AttributeValue::S("theirs".to_owned()));
    written.send().await.expect("it is written");
    let change = socket.next("1").await["applicationChanged"].clone();
    assert_eq!(change["applicationId"], id.as_str());
    assert_eq!(change["application"]["notes"], "theirs");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_application_ends_nothing() {
    let store = Embedded::memory().expect("a store in memory");
    let board = follower(&store).await;
    let mut socket = Socket::open(&board.url).await;
    socket.subscribe("1", WATCH, json!({})).await;
    let put = |pk: &str, sk: &str| {
        let put = store.client().put_item().table_name("applications-test");
        let put = put.item("PK", AttributeValue::S(pk.to_owned()));
        put.item("SK", AttributeValue::S(sk.to_owned())).send()
    };
    put("APP#1", "APP#1").await.expect("it is written");
    put("APP#1", "TASK#1").await.expect("it is written");
    put("META", "OTHER").await.expect("it is written");
    board.create("Acme").await;
    // An application without any of its fields.
    let change = socket.next("1").await["applicationChanged"].clone();
    assert_eq!(change["applicationId"], "1");
    assert_eq!(change["application"], json!(null));
    let change = socket.next("1").await["applicationChanged"].clone();
    assert_eq!(change["application"]["companyName"], "Acme");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_watches_is_told_when_the_stream_was_interrupted() {
    let store = Embedded::memory().expect("a store in memory");
    let expiring = Expiring {
        inner: SharedHttpConnector::new(store.clone()),
        expire: Arc::default(),
    };
    let board = follower_behind(&store, expiring.client()).await;
    let mut socket = Socket::open(&board.url).await;
    socket.subscribe("1", WATCH, json!({})).await;
    expiring.expire.store(true, Ordering::SeqCst);
    assert_eq!(socket.error("1").await, "SERVICE_UNAVAILABLE");
    // From then on it is read again.
    socket.subscribe("1", WATCH, json!({})).await;
    board.create("Acme").await;
    let change = socket.next("1").await["applicationChanged"].clone();
    assert_eq!(change["application"]["companyName"], "Acme");
}

/// Answers once that an iterator has expired, when told to.
#[derive(Clone, Debug)]
struct Expiring {
    inner: SharedHttpConnector,
    expire: Arc<AtomicBool>,
}

impl Expiring {
    fn client(&self) -> aws_sdk_dynamodbstreams::Client {
        let connector = SharedHttpConnector::new(self.clone());
        let config = aws_sdk_dynamodbstreams::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static("local"))
            .credentials_provider(Credentials::new("test", "test", None, None, "test"))
            .http_client(http_client_fn(move |_, _| connector.clone()))
            .build();
        aws_sdk_dynamodbstreams::Client::from_conf(config)
    }
}

impl HttpConnector for Expiring {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let target = request.headers().get("x-amz-target").unwrap_or_default();
        if target.ends_with("GetRecords") && self.expire.swap(false, Ordering::SeqCst) {
            let body = SdkBody::from("{\"__type\":\"ExpiredIteratorException\"}");
            let status = StatusCode::try_from(400).expect("a status");
            return HttpConnectorFuture::ready(Ok(HttpResponse::new(status, body)));
        }
        self.inner.call(request)
    }
}
