//! Querying one partition of the table or of an index: ranges, both directions, full pages.

use aws_sdk_dynamodb::types::ReturnConsumedCapacity;

use super::capacity::{MOST_ITEM, MOST_PAGE, call_span, sending};
use super::expression::Placeholders;
use super::{
    CallKind, Condition, Consistency, IndexDefinition, Item, Key, Meter, Pk, Projection, Sk,
    SkPrefix, Table, TableError,
};

/// The order of a query by sort key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Smallest sort key first.
    #[default]
    Ascending,
    /// Largest sort key first.
    Descending,
}

impl Order {
    /// The other way round.
    pub fn reversed(self) -> Self {
        match self {
            Order::Ascending => Order::Descending,
            Order::Descending => Order::Ascending,
        }
    }
}

/// Which sort keys of a partition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SortRange {
    /// All.
    #[default]
    Whole,
    /// Those that begin so.
    Prefix(SkPrefix),
    /// Those from the first to the last, both included.
    Between(Sk, Sk),
}

/// One Query, or the few that fill a page.
#[derive(Clone, Debug)]
pub struct Query<'t> {
    table: &'t Table,
    index: Option<&'static IndexDefinition>,
    partition: Pk,
    range: SortRange,
    order: Order,
    limit: Option<usize>,
    start: Option<Item>,
    consistency: Consistency,
    projection: Projection,
    filter: Option<Condition>,
}

/// What one Query answered.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// The items that match the filter, in order.
    pub items: Vec<Item>,
    /// Number of items that were read, before the filter.
    pub scanned: usize,
    /// Where the next Query starts, unless the range was read to its end.
    pub last_evaluated_key: Option<Item>,
}

/// The most items that one Query of a filtered page evaluates.
pub const MAX_CHUNK: usize = 1000;

impl Table {
    /// Everything in `partition` of the table.
    pub fn query(&self, partition: Pk) -> Query<'_> {
        Query {
            table: self,
            index: None,
            partition,
            range: SortRange::Whole,
            order: Order::default(),
            limit: None,
            start: None,
            consistency: Consistency::default(),
            projection: Projection::default(),
            filter: None,
        }
    }

    /// Everything in `partition` of an index.
    pub fn query_index(&self, index: &'static IndexDefinition, partition: Pk) -> Query<'_> {
        Query {
            index: Some(index),
            ..self.query(partition)
        }
    }
}

impl Query<'_> {
    /// Only sort keys in this range.
    pub fn range(mut self, range: SortRange) -> Self {
        self.range = range;
        self
    }

    /// Only sort keys that begin so.
    pub fn begins_with(mut self, prefix: SkPrefix) -> Self {
        self.range = SortRange::Prefix(prefix);
        self
    }

    /// Only sort keys from `first` to `last`, both included.
    pub fn between(mut self, first: Sk, last: Sk) -> Self {
        self.range = SortRange::Between(first, last);
        self
    }

    /// Sets the order. Defaults to ascending.
    pub fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// The most items that one call evaluates, before the filter.
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Start behind the item with this primary key, whether or not it is there. A query of the table.
    pub fn after(mut self, key: &Key) -> Self {
        self.start = Some(self.table.definition.key_item(key));
        self
    }

    /// Start behind the item with this primary key and this sort key in the index, whether or not it is
    /// there. A query of an index.
    pub fn after_in_index(mut self, key: &Key, sort_key: &Sk) -> Self {
        let mut start = self.table.definition.key_item(key);
        if let Some(index) = self.index {
            start.extend(index.key_item(&Key::new(self.partition.clone(), sort_key.clone())));
        }
        self.start = Some(start);
        self
    }

    /// Start where an earlier page ended.
    pub fn continue_from(mut self, last_evaluated_key: Item) -> Self {
        self.start = Some(last_evaluated_key);
        self
    }

    /// Sets the consistency. Defaults to eventual, the only one that an index has.
    pub fn consistency(mut self, consistency: Consistency) -> Self {
        self.consistency = consistency;
        self
    }

    /// Sets the attributes to return. Defaults to all.
    pub fn project(mut self, projection: Projection) -> Self {
        self.projection = projection;
        self
    }

    /// Answer only items of which this holds. They are read, and paid for, all the same.
    pub fn filter(mut self, condition: Condition) -> Self {
        self.filter = Some(condition);
        self
    }

    /// One call.
    ///
    /// # Errors
    /// As every call.
    pub async fn page(&self, meter: &Meter) -> Result<Page, TableError> {
        let mut placeholders = Placeholders::default();
        let key_condition = self.key_condition(&mut placeholders);
        let definition = self.table.definition;
        let filter = self
            .filter
            .as_ref()
            .and_then(|f| placeholders.condition(f, definition.partition_key.name));
        let projection = placeholders.projection(&self.projection);
        let request = self
            .table
            .client
            .query()
            .table_name(self.table.name())
            .set_index_name(self.index.map(|i| i.name.to_owned()))
            .key_condition_expression(key_condition)
            .set_filter_expression(filter)
            .set_projection_expression(projection)
            .set_expression_attribute_names(placeholders.names())
            .set_expression_attribute_values(placeholders.values())
            .scan_index_forward(self.order == Order::Ascending)
            .set_limit(self.limit.map(|l| i32::try_from(l).unwrap_or(i32::MAX)))
            .set_exclusive_start_key(self.start.clone())
            .consistent_read(self.consistency == Consistency::Strong)
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let most = self
            .limit
            .map_or(MOST_PAGE, |limit| limit.saturating_mul(MOST_ITEM));
        let reserved = meter.reserve(most.min(MOST_PAGE)).await;
        meter.call(CallKind::Read);
        let span = call_span("Query", self.table.name());
        let answer = sending(request.send(), &span)
            .await
            .map_err(|e| TableError::of("Query", e))?;
        meter.consumed(CallKind::Read, &answer.consumed_capacity, &span);
        reserved.settle(answer.items.iter().flatten());
        Ok(Page {
            items: answer.items.unwrap_or_default(),
            scanned: usize::try_from(answer.scanned_count).unwrap_or_default(),
            last_evaluated_key: answer.last_evaluated_key.filter(|key| !key.is_empty()),
        })
    }

    /// The first `wanted` items for which the filter and `keep` hold, or fewer where the range ends. One
    /// call where nothing is filtered and the items fit into 1 MB. Otherwise each further call evaluates
    /// twice as many items, up to [`MAX_CHUNK`], so that no more than that are read past the last one.
    ///
    /// # Errors
    /// As every call.
    pub async fn fill(
        mut self,
        wanted: usize,
        mut keep: impl FnMut(&Item) -> bool,
        meter: &Meter,
    ) -> Result<Vec<Item>, TableError> {
        let mut found = Vec::with_capacity(wanted);
        let mut chunk = wanted.max(1);
        loop {
            self.limit = Some(chunk);
            let page = self.page(meter).await?;
            found.extend(
                page.items
                    .into_iter()
                    .filter(&mut keep)
                    .take(wanted - found.len()),
            );
            match page.last_evaluated_key {
                Some(key) if found.len() < wanted => self.start = Some(key),
                _ => return Ok(found),
            }
            chunk = (chunk * 2).min(MAX_CHUNK);
        }
    }

    /// Every item of the range, in as many calls as it takes (1 MB each).
    ///
    /// # Errors
    /// As every call.
    pub async fn all(mut self, meter: &Meter) -> Result<Vec<Item>, TableError> {
        let mut found = Vec::new();
        loop {
            let page = self.page(meter).await?;
            found.extend(page.items);
            match page.last_evaluated_key {
                Some(key) => self.start = Some(key),
                None => return Ok(found),
            }
        }
    }

    fn key_condition(&self, placeholders: &mut Placeholders) -> String {
        let definition = self.table.definition;
        let (partition_key, sort_key) = match self.index {
            Some(index) => (index.partition_key, index.sort_key),
            None => (definition.partition_key, Some(definition.sort_key)),
        };
        let partition = format!(
            "{} = {}",
            placeholders.name(partition_key.name),
            placeholders.value(partition_key.value(self.partition.as_str()))
        );
        match (&self.range, sort_key) {
            (SortRange::Whole, _) | (_, None) => partition,
            (SortRange::Prefix(prefix), Some(sort_key)) => format!(
                "{partition} AND begins_with({}, {})",
                placeholders.name(sort_key.name),
                placeholders.value(sort_key.value(prefix.as_str()))
            ),
            (SortRange::Between(first, last), Some(sort_key)) => format!(
                "{partition} AND {} BETWEEN {} AND {}",
                placeholders.name(sort_key.name),
                placeholders.value(sort_key.value(first.as_str())),
                placeholders.value(sort_key.value(last.as_str()))
            ),
        }
    }
}
