//! How writes of many applications are divided into transactions.

use std::collections::HashSet;

use serde::Serialize;

use crate::model::{Application, HistoryEntry, Week};
use trestle_table::{MAX_BYTES, MAX_ITEMS};

use super::current::Current;

/// How many new applications fit into one transaction: two items each, the Meta item, and the years.
pub(super) const ROWS: usize = (MAX_ITEMS - 1 - YEARS) / 2;
/// In how many years the applications of one transaction were sent: each has an item that counts them.
const YEARS: usize = 5;
/// What other transactions write besides: the Meta item, the stays, and the years.
pub(super) const OTHERS: usize = 2 + YEARS;

pub(super) fn json_size(item: &impl Serialize) -> usize {
    serde_json::to_vec(item).map_or(MAX_BYTES, |json| json.len())
}

/// The year whose item counts the week in which an application was sent.
pub(super) fn year(application: &Application) -> Option<i32> {
    let day = application.details.date_applied.get();
    day.map(|day| Week::of(day).year)
}

/// The years that a change counts in, those of the application before it and after it.
pub(super) fn years(
    before: Option<&Current>,
    entry: &HistoryEntry,
) -> impl Iterator<Item = i32> + use<> {
    let before = before.and_then(|current| year(&current.state.application));
    before.into_iter().chain(year(&entry.snapshot.application))
}

/// The size of an application and of its entry, for [`batches`].
pub(super) fn entry_size(entry: &HistoryEntry) -> (usize, usize) {
    // An application stands in its own item and in its snapshot.
    (1, 2 * json_size(&entry.snapshot.application))
}

/// Divides writes into transactions, by the number of their parts, of which a transaction has at most `most`, by
/// their bytes, and by the years that they count in. `size` is the parts and bytes of one write. The bytes may be
/// those of JSON: DynamoDB's count is less than twice that.
pub(super) fn batches<T, I: IntoIterator<Item = i32>>(
    all: Vec<T>,
    most: usize,
    size: impl Fn(&T) -> (usize, usize),
    counted_in: impl Fn(&T) -> I,
) -> Vec<Vec<T>> {
    let mut batches: Vec<Vec<T>> = Vec::new();
    let (mut parts, mut bytes, mut years) = (0, 0, HashSet::new());
    for one in all {
        let size = size(&one);
        let own: HashSet<_> = counted_in(&one).into_iter().collect();
        let fits = parts + size.0 <= most
            && bytes + size.1 < MAX_BYTES / 2
            && years.union(&own).count() <= YEARS;
        match batches.last_mut().filter(|_| fits) {
            Some(batch) => {
                batch.push(one);
                (parts, bytes) = (parts + size.0, bytes + size.1);
            }
            None => {
                batches.push(vec![one]);
                (parts, bytes) = size;
                years.clear();
            }
        }
        years.extend(own);
    }
    batches
}
