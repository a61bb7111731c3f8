//! The table's stream: what was written to it, by whomever, in order for each item. Knows no service.
//!
//! A stream is cut into shards. One that is closed is followed by its children, which begin where it
//! ended; they are read after it, so that an item's changes stay in order. The children of a shard need not be listed at the
//! same time, so the list is read again for as long as the stream is followed. Source: "Change data capture for DynamoDB
//! Streams", the DynamoDB Developer Guide.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use aws_sdk_dynamodb::types::{AttributeValue, StreamSpecification, StreamViewType};
use aws_sdk_dynamodbstreams::Client;
use aws_sdk_dynamodbstreams::types::{
    AttributeValue as StreamedValue, Record, Shard, ShardIteratorType,
};
use tokio::time::Instant;

use super::{Item, Table, TableError};

/// One item that was written or deleted.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemChange {
    /// The item before; `None` where there was none.
    pub before: Option<Item>,
    /// The item after; `None` where it was deleted.
    pub after: Option<Item>,
}

impl Table {
    /// The stream's name, where the table has one with whole items before and after each change.
    /// DescribeTable.
    ///
    /// # Errors
    /// As every call.
    pub async fn stream(&self) -> Result<Option<String>, TableError> {
        let described = self.client.describe_table().table_name(self.name());
        let described = described.send().await;
        let table = described
            .map_err(|e| TableError::of("DescribeTable", e))?
            .table;
        Ok(table.and_then(|table| {
            let specification = table.stream_specification()?;
            let whole = specification.stream_view_type() == Some(&StreamViewType::NewAndOldImages);
            (specification.stream_enabled() && whole).then_some(table.latest_stream_arn?)
        }))
    }

    /// Gives the table a stream of whole items where it has none. UpdateTable.
    ///
    /// # Errors
    /// As every call; refused where it has a stream of something less.
    pub async fn enable_stream(&self) -> Result<(), TableError> {
        if self.stream().await?.is_some() {
            return Ok(());
        }
        let specification = StreamSpecification::builder()
            .stream_enabled(true)
            .stream_view_type(StreamViewType::NewAndOldImages)
            .build()
            .map_err(TableError::built)?;
        let update = self.client.update_table().table_name(self.name());
        let updated = update.stream_specification(specification).send().await;
        updated.map_err(|e| TableError::of("UpdateTable", e))?;
        self.wait_until_active().await
    }
}

/// How often the shards are listed, so that a child that is listed late is found.
const LISTED_EVERY: Duration = Duration::from_secs(20);
/// How long a shard that is not listed any more is remembered. Its records are kept for 24 hours.
const REMEMBERED: Duration = Duration::from_secs(25 * 60 * 60);

/// Reads a table's stream from where it is now, onward.
#[derive(Debug)]
pub struct StreamReader {
    client: Client,
    stream: String,
    /// The shards that are being read, each with where to go on.
    reading: HashMap<String, String>,
    /// The shards that are being read, were, or end before the reader begins, each with when it was last listed.
    known: HashMap<String, Instant>,
    /// Closed shards of which no child has been listed yet.
    parents: HashSet<String>,
    listed: Instant,
}

impl StreamReader {
    /// A reader of `stream` from now on. DescribeStream, and GetShardIterator for each shard.
    ///
    /// # Errors
    /// As every call.
    pub async fn open(client: Client, stream: String) -> Result<Self, TableError> {
        let mut reader = Self {
            client,
            stream,
            reading: HashMap::new(),
            known: HashMap::new(),
            parents: HashSet::new(),
            listed: Instant::now(),
        };
        reader.skip_to_now().await?;
        Ok(reader)
    }

    /// Leaves out everything up to now.
    ///
    /// # Errors
    /// As every call.
    pub async fn skip_to_now(&mut self) -> Result<(), TableError> {
        let shards = self.shards().await?;
        let parents: HashSet<_> = shards.iter().filter_map(Shard::parent_shard_id).collect();
        self.reading.clear();
        self.parents.clear();
        self.known = shards
            .iter()
            .filter_map(id)
            .chain(parents.iter().map(|parent| (*parent).to_owned()))
            .map(|id| (id, self.listed))
            .collect();
        for shard in &shards {
            // One with children is closed.
            if let Some(shard) = id(shard).filter(|id| !parents.contains(id.as_str())) {
                let iterator = self.iterator(&shard, ShardIteratorType::Latest).await?;
                self.reading.extend(iterator.map(|at| (shard, at)));
            }
        }
        Ok(())
    }

    /// What was written since the last read; of an item, in order. GetRecords for each shard that is open, and DescribeStream
    /// every 20 seconds, and while a shard that was closed has no children yet.
    ///
    /// # Errors
    /// As every call. What the same call read before it failed is lost: [`StreamReader::skip_to_now`].
    pub async fn read(&mut self) -> Result<Vec<ItemChange>, TableError> {
        if !self.parents.is_empty() || self.listed.elapsed() >= LISTED_EVERY {
            self.follow_new().await?;
        }
        let mut changes = Vec::new();
        let shards: Vec<_> = self.reading.keys().cloned().collect();
        for shard in shards {
            let Some(at) = self.reading.get(&shard).cloned() else {
                continue;
            };
            let answer = self.client.get_records().shard_iterator(at).send().await;
            let answer = answer.map_err(|e| TableError::of("GetRecords", e))?;
            match answer.next_shard_iterator {
                Some(next) => self.reading.insert(shard, next),
                None => {
                    self.parents.insert(shard.clone());
                    self.reading.remove(&shard)
                }
            };
            changes.extend(answer.records.into_iter().flatten().filter_map(change));
        }
        Ok(changes)
    }

    /// Begins with shards that are new: all of their records are, too. A child waits until its parent was read to its end.
    async fn follow_new(&mut self) -> Result<(), TableError> {
        let shards = self.shards().await?;
        let now = self.listed;
        let listed: HashSet<_> = shards.iter().filter_map(id).collect();
        for shard in &listed {
            if let Some(last) = self.known.get_mut(shard) {
                *last = now;
            }
        }
        self.known
            .retain(|_, last| now.duration_since(*last) < REMEMBERED);
        for shard in shards {
            let parent = shard.parent_shard_id().unwrap_or_default().to_owned();
            self.parents.remove(&parent);
            let is_first = parent.is_empty();
            let is_behind = !is_first
                && (self.reading.contains_key(&parent) || !self.known.contains_key(&parent));
            let Some(shard) = id(&shard).filter(|shard| !self.known.contains_key(shard)) else {
                continue;
            };
            if is_behind {
                // It is begun once its parent is read.
                self.parents.insert(parent);
                continue;
            }
            let from = ShardIteratorType::TrimHorizon;
            let iterator = self.iterator(&shard, from).await?;
            self.known.insert(shard.clone(), now);
            self.reading.extend(iterator.map(|at| (shard, at)));
        }
        self.parents.retain(|shard| listed.contains(shard));
        Ok(())
    }

    async fn shards(&mut self) -> Result<Vec<Shard>, TableError> {
        self.listed = Instant::now();
        let mut shards = Vec::new();
        let mut after = None;
        loop {
            let page = self.client.describe_stream().stream_arn(&self.stream);
            let page = page.set_exclusive_start_shard_id(after).send().await;
            let page = page.map_err(|e| TableError::of("DescribeStream", e))?;
            let Some(description) = page.stream_description else {
                return Ok(shards);
            };
            shards.extend(description.shards.into_iter().flatten());
            after = description.last_evaluated_shard_id;
            if after.is_none() {
                return Ok(shards);
            }
        }
    }

    async fn iterator(
        &self,
        shard: &str,
        from: ShardIteratorType,
    ) -> Result<Option<String>, TableError> {
        let asked = self.client.get_shard_iterator().stream_arn(&self.stream);
        let asked = asked.shard_id(shard).shard_iterator_type(from).send().await;
        let answer = asked.map_err(|e| TableError::of("GetShardIterator", e))?;
        Ok(answer.shard_iterator)
    }
}

fn id(shard: &Shard) -> Option<String> {
    shard.shard_id().map(str::to_owned)
}

fn change(record: Record) -> Option<ItemChange> {
    let images = record.dynamodb?;
    Some(ItemChange {
        before: item(images.old_image)?,
        after: item(images.new_image)?,
    })
}

/// An image as the item that it is; `None` where it holds a value of a kind newer than we are.
fn item(image: Option<HashMap<String, StreamedValue>>) -> Option<Option<Item>> {
    let Some(image) = image else {
        return Some(None);
    };
    let values = image.into_iter().map(|(name, v)| Some((name, value(v)?)));
    values.collect::<Option<Item>>().map(Some)
}

/// The same value in the type of the other crate; `None` for a kind that is newer than we are.
fn value(value: StreamedValue) -> Option<AttributeValue> {
    Some(match value {
        StreamedValue::B(bytes) => AttributeValue::B(bytes),
        StreamedValue::Bool(is) => AttributeValue::Bool(is),
        StreamedValue::Bs(all) => AttributeValue::Bs(all),
        StreamedValue::L(list) => {
            AttributeValue::L(list.into_iter().map(self::value).collect::<Option<_>>()?)
        }
        StreamedValue::M(map) => {
            let entries = map
                .into_iter()
                .map(|(name, v)| Some((name, self::value(v)?)));
            AttributeValue::M(entries.collect::<Option<_>>()?)
        }
        StreamedValue::N(number) => AttributeValue::N(number),
        StreamedValue::Ns(all) => AttributeValue::Ns(all),
        StreamedValue::Null(is) => AttributeValue::Null(is),
        StreamedValue::S(text) => AttributeValue::S(text),
        StreamedValue::Ss(all) => AttributeValue::Ss(all),
        _ => return None,
    })
}
