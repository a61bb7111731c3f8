//! Streams of DynamoDB: shards that split, whose children are listed late and apart from each other. The stream is scripted.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws_sdk_dynamodbstreams::config::{BehaviorVersion, Credentials, Region};
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, SharedHttpConnector, http_client_fn,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::http::StatusCode;
use aws_smithy_types::body::SdkBody;
use serde_json::{Value, json};
use trestle_table::StreamReader;

/// The numbers of a generated stream.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 1).unwrap() % bound
    }
}

#[derive(Debug)]
struct Shard {
    parent: Option<usize>,
    /// The item of each record, and which write of the item it is.
    records: Vec<(usize, usize)>,
    is_closed: bool,
    /// From which step on it is listed.
    listed_at: usize,
}

/// A stream whose shards split. An item belongs to one open shard at a time.
#[derive(Debug)]
struct Script {
    step: usize,
    shards: Vec<Shard>,
    /// The open shard of each item.
    places: Vec<usize>,
    writes: Vec<usize>,
}

impl Script {
    fn new(items: usize) -> Self {
        let first = Shard {
            parent: None,
            records: Vec::new(),
            is_closed: false,
            listed_at: 0,
        };
        Self {
            step: 0,
            shards: vec![first],
            places: vec![0; items],
            writes: vec![0; items],
        }
    }

    fn write(&mut self, item: usize) {
        let shard = self.places[item];
        self.shards[shard].records.push((item, self.writes[item]));
        self.writes[item] += 1;
    }

    /// Closes a shard. Its items go on in one or two children, each of which is listed some steps later.
    fn split(&mut self, shard: usize, random: &mut Random) {
        self.shards[shard].is_closed = true;
        let children = 1 + random.below(2);
        let first = self.shards.len();
        for _ in 0..children {
            let listed_at = self.step + [0, 1, 5, 40][random.below(4)];
            self.shards.push(Shard {
                parent: Some(shard),
                records: Vec::new(),
                is_closed: false,
                listed_at,
            });
        }
        for item in 0..self.places.len() {
            if self.places[item] == shard {
                self.places[item] = first + item % children;
            }
        }
    }

    fn answer(&self, target: &str, body: &Value) -> Value {
        if target.ends_with("DescribeStream") {
            let listed = self.shards.iter().enumerate();
            let listed = listed.filter(|(_, shard)| shard.listed_at <= self.step);
            let shards: Vec<_> = listed
                .map(|(id, shard)| {
                    let mut described = json!({ "ShardId": name(id) });
                    if let Some(parent) = shard.parent {
                        described["ParentShardId"] = json!(name(parent));
                    }
                    described
                })
                .collect();
            return json!({ "StreamDescription": { "Shards": shards } });
        }
        if target.ends_with("GetShardIterator") {
            let id = id_of(body["ShardId"].as_str().unwrap());
            let latest = body["ShardIteratorType"] == "LATEST";
            let at = if latest {
                self.shards[id].records.len()
            } else {
                0
            };
            return json!({ "ShardIterator": format!("{id}:{at}") });
        }
        let (id, at) = body["ShardIterator"]
            .as_str()
            .unwrap()
            .split_once(':')
            .unwrap();
        let (id, at): (usize, usize) = (id.parse().unwrap(), at.parse().unwrap());
        let shard = &self.shards[id];
        let end = shard.records.len().min(at + 3);
        let records: Vec<_> = shard.records[at..end]
            .iter()
            .map(|(item, write)| {
                let image = json!({ "item": { "N": item.to_string() }, "write": { "N": write.to_string() } });
                json!({ "dynamodb": { "NewImage": image } })
            })
            .collect();
        let mut answer = json!({ "Records": records });
        if !shard.is_closed || end < shard.records.len() {
            answer["NextShardIterator"] = json!(format!("{id}:{end}"));
        }
        answer
    }
}

fn name(id: usize) -> String {
    format!("shardId-{id:020}")
}

fn id_of(name: &str) -> usize {
    name.trim_start_matches("shardId-").parse().unwrap()
}

#[derive(Clone, Debug)]
struct Streams(Arc<Mutex<Script>>);

impl HttpConnector for Streams {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let target = request.headers().get("x-amz-target").unwrap_or_default();
        let body = serde_json::from_slice(request.body().bytes().unwrap_or_default());
        let answer = self.0.lock().unwrap().answer(target, &body.unwrap());
        let body = SdkBody::from(answer.to_string());
        let status = StatusCode::try_from(200).unwrap();
        HttpConnectorFuture::ready(Ok(HttpResponse::new(status, body)))
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
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let items = 8;
        let script = Streams(Arc::new(Mutex::new(Script::new(items))));
        let mut reader = StreamReader::open(script.client(), "stream".to_owned())
            .await
            .unwrap();
        let mut seen = HashMap::new();
        for _ in 0..150 {
            {
                let mut script = script.0.lock().unwrap();
                script.step += 1;
                for _ in 0..random.below(4) {
                    script.write(random.below(items));
                }
                let open: Vec<_> = (0..script.shards.len())
                    .filter(|id| !script.shards[*id].is_closed)
                    .collect();
                if random.below(10) == 0 && open.len() < 6 {
                    script.split(open[random.below(open.len())], &mut random);
                }
            }
            read(&mut reader, &mut seen, seed).await;
        }
        // All shards are listed by now.
        script.0.lock().unwrap().step += 100;
        for _ in 0..200 {
            tokio::time::advance(Duration::from_secs(1)).await;
            read(&mut reader, &mut seen, seed).await;
        }
        let writes = script.0.lock().unwrap().writes.clone();
        for (item, writes) in writes.into_iter().enumerate() {
            let read = seen.get(&item).copied().unwrap_or_default();
            assert_eq!(read, writes, "item {item} of stream {seed}");
        }
    }
}
