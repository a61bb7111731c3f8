//! Streams of DynamoDB: shards that split, whose children are listed late and apart from each other. The stream is scripted.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws_sdk_dynamodbstreams::config::{BehaviorVersion, Credentials, Region};
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, SharedHttpConnector, http_client_fn,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use serde_json::json;
use trestle_table::StreamReader;
use trestle_testing::faults::Seeded;
use trestle_testing::shards::Script;

const ITEMS: usize = 8;

#[derive(Clone, Debug)]
struct Streams(Arc<Mutex<Script>>);

impl HttpConnector for Streams {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        HttpConnectorFuture::ready(Ok(self.0.lock().unwrap().answer(&request)))
    }
}

impl Streams {
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

/// Writes some items, each write with its number, and sometimes splits a shard.
fn go_on(script: &mut Script, writes: &mut [usize; ITEMS], random: &mut Seeded) {
    script.pass(1);
    for _ in 0..random.below(4) {
        let item = random.index(ITEMS);
        let image = json!({ "item": { "N": item.to_string() }, "write": { "N": writes[item].to_string() } });
        script.write(item, json!({ "dynamodb": { "NewImage": image } }));
        writes[item] += 1;
    }
    if random.below(10) == 0 {
        script.split(random);
    }
}

/// Adds what is read to what is known: each item's writes are read once, and in order.
async fn read(reader: &mut StreamReader, seen: &mut HashMap<usize, usize>, seed: u64) {
    for change in reader.read().await.unwrap() {
        let image = change.after.unwrap();
        let number = |name: &str| image[name].as_n().unwrap().parse::<usize>().unwrap();
        let (item, write) = (number("item"), number("write"));
        let next = seen.entry(item).or_default();
        assert_eq!(*next, write, "item {item} of stream {seed}");
        *next += 1;
    }
}

/// Streams that split again and again, with children that are listed at once, late, and apart from each other. The clock is
/// stopped, so a minute passes at once.
#[tokio::test(start_paused = true)]
async fn every_change_is_read_once_and_in_order_whenever_children_are_listed() {
    for seed in 1..=60_u64 {
        let mut random = Seeded::of(seed);
        let script = Streams(Arc::new(Mutex::new(Script::new(ITEMS))));
        let mut reader = StreamReader::open(script.client(), "stream".to_owned())
            .await
            .unwrap();
        let (mut writes, mut seen) = ([0; ITEMS], HashMap::new());
        for _ in 0..150 {
            go_on(&mut script.0.lock().unwrap(), &mut writes, &mut random);
            read(&mut reader, &mut seen, seed).await;
        }
        // All shards are listed by now.
        script.0.lock().unwrap().pass(100);
        for _ in 0..200 {
            tokio::time::advance(Duration::from_secs(1)).await;
            read(&mut reader, &mut seen, seed).await;
        }
        for (item, writes) in writes.into_iter().enumerate() {
            let read = seen.get(&item).copied().unwrap_or_default();
            assert_eq!(read, writes, "item {item} of stream {seed}");
        }
    }
}
