//! Lists of entities: which part of a table or an index they are, and their cursors.

use std::fmt;
use std::sync::Arc;

use super::cursor::{self, InvalidCursor};
use super::{
    Condition, Entity, IndexDefinition, Order, Pk, Projection, RowPlace, Sk, SkPrefix, SortRange,
};

/// A list of entities.
pub struct Listing<E> {
    name: &'static str,
    pub(super) index: Option<&'static IndexDefinition>,
    pub(super) partitions: Vec<Pk>,
    pub(super) range: SortRange,
    pub(super) order: Order,
    pub(super) filter: Condition,
    pub(super) keep: Option<(String, Predicate<E>)>,
    pub(super) projection: Projection,
    pub(super) budget: Option<usize>,
    pub(super) veil: Option<Pk>,
}

pub(super) type Predicate<E> = Arc<dyn Fn(&E) -> bool + Send + Sync>;

impl<E> Clone for Listing<E> {
    fn clone(&self) -> Self {
        Self {
            name: self.name,
            index: self.index,
            partitions: self.partitions.clone(),
            range: self.range.clone(),
            order: self.order,
            filter: self.filter.clone(),
            keep: self.keep.clone(),
            projection: self.projection.clone(),
            budget: self.budget,
            veil: self.veil.clone(),
        }
    }
}

impl<E> fmt::Debug for Listing<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl<E: Entity> Listing<E> {
    /// A partition of the table, in ascending order. `name` binds the list's cursors: they stay valid as long as the
    /// name, the partition, the range, the order and the filter stay the same.
    pub fn of(name: &'static str, partition: Pk) -> Self {
        Self {
            name,
            index: None,
            partitions: vec![partition],
            range: SortRange::Whole,
            order: Order::Ascending,
            filter: Condition::ALWAYS,
            keep: None,
            projection: Projection::All,
            budget: None,
            veil: None,
        }
    }

    /// A partition of an index, as of [`Listing::of`].
    pub fn on(name: &'static str, index: &'static IndexDefinition, partition: Pk) -> Self {
        Self {
            index: Some(index),
            ..Self::of(name, partition)
        }
    }

    /// Several partitions as one list, merged by their sort keys. In the table itself, two items of different partitions
    /// must not have the same sort key.
    pub fn merging(self, partitions: impl IntoIterator<Item = Pk>) -> Self {
        Self {
            partitions: partitions.into_iter().collect(),
            ..self
        }
    }

    /// Only sort keys with this prefix.
    pub fn begins_with(self, prefix: SkPrefix) -> Self {
        Self {
            range: SortRange::Prefix(prefix),
            ..self
        }
    }

    /// Only sort keys from `first` to `last`, both included, and all that continue `last`.
    pub fn between(self, first: Sk, last: Sk) -> Self {
        Self {
            range: SortRange::Between(first, last.to_the_last()),
            ..self
        }
    }

    /// Only this sort key.
    pub fn exactly(self, sk: Sk) -> Self {
        Self {
            range: SortRange::Between(sk.clone(), sk),
            ..self
        }
    }

    /// Reads at most this many items of each partition for one page. A page that ends early may be short or empty; its
    /// end cursor is then the last item that was read.
    pub fn reading_at_most(self, items: usize) -> Self {
        Self {
            budget: Some(items),
            ..self
        }
    }

    /// Puts this partition key into the cursor of a page that ended early, in place of that of the last item that was
    /// read, which a gate may hide from the reader. For lists of an index whose sort keys are unique: Queries continue
    /// after a key whether or not its item exists.
    pub fn veiled(self, partition: Pk) -> Self {
        Self {
            veil: Some(partition),
            ..self
        }
    }

    /// Reads only these attributes and those of the keys. The entity must be readable from them.
    pub fn only(self, attributes: &[&'static str]) -> Self {
        let table = [E::TABLE.partition_key.name, E::TABLE.sort_key.name];
        let index = self.index.into_iter().flat_map(IndexDefinition::attributes);
        let attributes = attributes.iter().copied().chain(table).chain(index);
        Self {
            projection: Projection::Only(attributes.collect()),
            ..self
        }
    }

    /// In descending order: newest first if the sort keys begin with timestamps.
    pub fn newest_first(self) -> Self {
        self.ordered(Order::Descending)
    }

    /// In this order.
    pub fn ordered(self, order: Order) -> Self {
        Self { order, ..self }
    }

    /// Only items that match, filtered by DynamoDB. Items that do not match cost capacity too.
    pub fn filtered(self, filter: Condition) -> Self {
        Self { filter, ..self }
    }

    /// Only entities that `keep` accepts, filtered here. `name` says how, and binds the cursors as the list's name does.
    pub fn keeping(
        self,
        name: impl Into<String>,
        keep: impl Fn(&E) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self {
            keep: Some((name.into(), Arc::new(keep))),
            ..self
        }
    }

    /// What the list's cursors are bound to. It is made from what is stored, so renaming in the code keeps cursors valid.
    fn binding(&self) -> String {
        let partitions: Vec<_> = self.partitions.iter().map(Pk::as_str).collect();
        let range = match &self.range {
            SortRange::Whole => String::new(),
            SortRange::Prefix(prefix) => format!("{}*", prefix.as_str()),
            SortRange::Between(first, last) => format!("{}..{}", first.as_str(), last.as_str()),
        };
        let order = match self.order {
            Order::Ascending => "up",
            Order::Descending => "down",
        };
        let filter = self.filter.described();
        let kept = self.keep.as_ref().map_or("", |(name, _)| name);
        format!(
            "{} {partitions:?} {range:?} {order} {filter:?} {kept:?}",
            self.name
        )
    }

    /// The texts that the list's keys are likely to share.
    fn texts(&self) -> Vec<&str> {
        let mut texts: Vec<_> = self.partitions.iter().map(Pk::as_str).collect();
        match &self.range {
            SortRange::Whole => {}
            SortRange::Prefix(prefix) => texts.push(prefix.as_str()),
            SortRange::Between(first, _) => texts.push(first.as_str()),
        }
        texts
    }

    /// The cursor of a place.
    pub fn cursor_of(&self, place: &RowPlace) -> String {
        cursor::encode(&self.binding(), &place.to_bytes(&self.texts()))
    }

    /// The cursors of many places.
    pub fn cursors_of<'p>(&self, places: impl IntoIterator<Item = &'p RowPlace>) -> Vec<String> {
        let (binding, texts) = (self.binding(), self.texts());
        let places = places.into_iter();
        places
            .map(|place| cursor::encode(&binding, &place.to_bytes(&texts)))
            .collect()
    }

    /// The place of a cursor.
    ///
    /// # Errors
    /// The cursor is not one of this list.
    pub fn place_of(&self, cursor: &str) -> Result<RowPlace, InvalidCursor> {
        let bytes = cursor::decode(&self.binding(), cursor)?;
        RowPlace::from_bytes(&self.texts(), &bytes).ok_or(InvalidCursor)
    }

    /// Whether no sort key is in the range. DynamoDB refuses to query such a range.
    pub(super) fn is_empty(&self) -> bool {
        matches!(&self.range, SortRange::Between(first, last) if first > last)
    }
}
