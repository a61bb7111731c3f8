//! Streams of DynamoDB: shards that split, whose children are listed late and apart from each other.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use serde_json::{Value, json};
use tokio::sync::Mutex;
use trestle_table::TableDefinition;

use crate::faults::{Seeded, WRITES};
use crate::requests;

/// How many steps after its parent was closed a child is listed.
const LATE: [usize; 4] = [0, 1, 5, 40];
/// Open shards, at most.
const MOST_OPEN: usize = 6;
/// The most records of an answer.
const MOST_RECORDS: usize = 3;

#[derive(Debug)]
struct Shard {
    parent: Option<usize>,
    /// Those that were not read. Each is dropped when the next one is asked for.
    records: VecDeque<Value>,
    dropped: usize,
    is_closed: bool,
    /// From which step on it is listed.
    listed_at: usize,
}

impl Shard {
    fn of(parent: Option<usize>, listed_at: usize) -> Self {
        Self {
            parent,
            records: VecDeque::new(),
            dropped: 0,
            is_closed: false,
            listed_at,
        }
    }

    fn end(&self) -> usize {
        self.dropped + self.records.len()
    }
}

/// A stream whose shards split. A slot of items belongs to one open shard at a time.
#[derive(Debug)]
pub struct Script {
    step: usize,
    shards: Vec<Shard>,
    /// The open shard of each slot.
    places: Vec<usize>,
    late: u64,
}

impl Script {
    pub fn new(slots: usize) -> Self {
        Self {
            step: 0,
            shards: vec![Shard::of(None, 0)],
            places: vec![0; slots],
            late: 0,
        }
    }

    /// Goes on: children whose time has come are listed.
    pub fn pass(&mut self, steps: usize) {
        self.step += steps;
    }

    pub fn write(&mut self, slot: usize, record: Value) {
        let shard = self.places[slot];
        self.shards[shard].records.push_back(record);
    }

    /// Closes a shard, unless many are open. Its slots go on in one or two children, each of which is listed some steps later.
    pub fn split(&mut self, random: &mut Seeded) {
        let open = (0..self.shards.len()).filter(|id| !self.shards[*id].is_closed);
        let open: Vec<_> = open.collect();
        if open.len() >= MOST_OPEN {
            return;
        }
        let shard = open[random.index(open.len())];
        self.shards[shard].is_closed = true;
        let children = 1 + random.index(2);
        let first = self.shards.len();
        for _ in 0..children {
            let late = LATE[random.index(LATE.len())];
            self.late += u64::from(late > 0);
            self.shards.push(Shard::of(Some(shard), self.step + late));
        }
        for slot in 0..self.places.len() {
            if self.places[slot] == shard {
                self.places[slot] = first + slot % children;
            }
        }
    }

    /// Answers a request to the stream.
    pub fn answer(&mut self, request: &HttpRequest) -> HttpResponse {
        let asked = requests::body(request);
        let answer = match requests::operation(request).as_str() {
            "DescribeStream" => self.described(),
            "GetShardIterator" => self.iterator(&asked),
            "GetRecords" => self.records(&asked),
            other => panic!("no operation of a stream: {other}"),
        };
        requests::answer(200, &answer)
    }

    fn described(&self) -> Value {
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
        json!({ "StreamDescription": { "Shards": shards } })
    }

    fn iterator(&self, asked: &Value) -> Value {
        let id = id_of(asked["ShardId"].as_str().expect("a shard"));
        let shard = &self.shards[id];
        let at = if asked["ShardIteratorType"] == "LATEST" {
            shard.end()
        } else {
            shard.dropped
        };
        json!({ "ShardIterator": format!("{id}:{at}") })
    }

    fn records(&mut self, asked: &Value) -> Value {
        let iterator = asked["ShardIterator"].as_str().expect("an iterator");
        let (id, at) = iterator.split_once(':').expect("one of ours");
        let (id, at): (usize, usize) = (id.parse().expect("an id"), at.parse().expect("a place"));
        let shard = &mut self.shards[id];
        let read = at.saturating_sub(shard.dropped);
        shard.records.drain(..read);
        shard.dropped += read;
        let records: Vec<_> = shard.records.iter().take(MOST_RECORDS).collect();
        let end = shard.dropped + records.len();
        let mut answer = json!({ "Records": records });
        if !shard.is_closed || end < shard.end() {
            answer["NextShardIterator"] = json!(format!("{id}:{end}"));
        }
        answer
    }
}

fn name(id: usize) -> String {
    format!("shardId-{id:020}")
}

fn id_of(name: &str) -> usize {
    let number = name.trim_start_matches("shardId-");
    number.parse().expect("one of ours")
}

/// A store, one of whose tables has such a stream. All writes have to go through this.
#[derive(Clone)]
pub struct Streamed(Arc<Stream>);

struct Stream {
    store: SharedHttpConnector,
    table: &'static TableDefinition,
    /// Whoever holds it writes.
    splitting: Mutex<Splitting>,
}

struct Splitting {
    script: Script,
    random: Seeded,
}

/// Keys are of so many slots.
const SLOTS: usize = 16;
/// One write of so many closes a shard.
const SPLITS: u64 = 40;

impl Streamed {
    /// A store with a stream of this table, which has its default name.
    pub fn on(store: SharedHttpConnector, table: &'static TableDefinition, random: Seeded) -> Self {
        let script = Script::new(SLOTS);
        let splitting = Mutex::new(Splitting { script, random });
        Self(Arc::new(Stream {
            store,
            table,
            splitting,
        }))
    }

    /// How many children of shards were listed late.
    pub async fn late(&self) -> u64 {
        self.0.splitting.lock().await.script.late
    }
}

impl Stream {
    async fn answer(&self, request: HttpRequest) -> Result<HttpResponse, ConnectorError> {
        let operation = requests::operation(&request);
        let target = request.headers().get("x-amz-target").unwrap_or_default();
        if target.starts_with("DynamoDBStreams") {
            let mut splitting = self.splitting.lock().await;
            splitting.script.pass(1);
            return Ok(splitting.script.answer(&request));
        }
        let body = requests::body(&request);
        if operation == "DescribeTable" && body["TableName"] == self.table.default_name {
            return self.describe(request).await;
        }
        if !WRITES.contains(&operation.as_str()) {
            return self.store.call(request).await;
        }
        let keys = self.written(&body);
        if keys.is_empty() {
            return self.store.call(request).await;
        }
        let mut splitting = self.splitting.lock().await;
        let mut before = Vec::new();
        for key in &keys {
            before.push(self.item(key).await?);
        }
        let answer = self.store.call(request).await?;
        for (key, before) in keys.iter().zip(before) {
            let after = self.item(key).await?;
            if before != after {
                splitting.tell(self.slot(key), before, after);
            }
        }
        Ok(answer)
    }

    /// Says that the table has a stream.
    async fn describe(&self, request: HttpRequest) -> Result<HttpResponse, ConnectorError> {
        let answer = self.store.call(request).await?;
        let status = answer.status().as_u16();
        let mut described: Value =
            serde_json::from_slice(&requests::read(answer).await?).unwrap_or_default();
        if let Some(table) = described["Table"].as_object_mut() {
            let whole = json!({ "StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES" });
            table.insert("StreamSpecification".to_owned(), whole);
            table.insert("LatestStreamArn".to_owned(), json!("stream"));
        }
        Ok(requests::answer(status, &described))
    }

    /// The keys of the table's items that a request writes.
    fn written(&self, body: &Value) -> Vec<Value> {
        let mut found = Vec::new();
        let table = self.table.default_name;
        let steps = body["TransactItems"].as_array().into_iter().flatten();
        let steps = steps.flat_map(|step| ["Put", "Update", "Delete"].map(|name| &step[name]));
        for written in steps.chain([body]) {
            if written["TableName"] == table {
                found.extend(self.key(written));
            }
        }
        let batch = body["RequestItems"][table].as_array();
        for written in batch.into_iter().flatten() {
            let each = ["PutRequest", "DeleteRequest"].map(|name| &written[name]);
            found.extend(each.into_iter().filter_map(|written| self.key(written)));
        }
        found
    }

    fn key(&self, written: &Value) -> Option<Value> {
        let item = written.get("Item").or_else(|| written.get("Key"))?;
        let names = [self.table.partition_key.name, self.table.sort_key.name];
        let key: HashMap<_, _> = names.map(|name| (name, item[name].clone())).into();
        Some(json!(key))
    }

    fn slot(&self, key: &Value) -> usize {
        let mut hasher = DefaultHasher::new();
        key[self.table.partition_key.name]
            .to_string()
            .hash(&mut hasher);
        (hasher.finish() % SLOTS as u64) as usize
    }

    async fn item(&self, key: &Value) -> Result<Value, ConnectorError> {
        let asked =
            json!({ "TableName": self.table.default_name, "Key": key, "ConsistentRead": true });
        let answer = self
            .store
            .call(requests::request("GetItem", &asked))
            .await?;
        let answer: Value =
            serde_json::from_slice(&requests::read(answer).await?).unwrap_or_default();
        Ok(answer["Item"].clone())
    }
}

impl Splitting {
    fn tell(&mut self, slot: usize, before: Value, after: Value) {
        let mut record = json!({});
        for (name, image) in [("OldImage", before), ("NewImage", after)] {
            if !image.is_null() {
                record[name] = image;
            }
        }
        self.script.write(slot, json!({ "dynamodb": record }));
        if self.random.below(SPLITS) == 0 {
            self.script.split(&mut self.random);
        }
    }
}

impl fmt::Debug for Streamed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Streamed")
    }
}

impl HttpConnector for Streamed {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let stream = Arc::clone(&self.0);
        requests::to_the_end(async move { stream.answer(request).await })
    }
}
