//! Announces what the table's stream says: the writes of every process, other programs' too.

use std::time::Duration;

use tokio::time::sleep;

use crate::applications::items::ApplicationItem;
use crate::applications::keys::TABLE;
use crate::applications::model::Application;
use crate::table::{Item, ItemChange, MalformedItem, StreamReader, TableError, from_item};

use super::{Announced, ChangeKind, Changes};

/// How long to wait where nothing was new. A shard may be read five times a second by all its readers.
const IDLE: Duration = Duration::from_millis(500);
/// How long to wait after a failure.
const FAILED: Duration = Duration::from_secs(2);

/// Announces changes as `reader` finds them, for as long as it is polled. Where some were lost, whoever
/// watches is told that.
pub async fn follow(mut reader: StreamReader, changes: Changes) {
    loop {
        match reader.read().await {
            Ok(read) if read.is_empty() => sleep(IDLE).await,
            Ok(read) => read.into_iter().for_each(|change| tell(change, &changes)),
            Err(error) => {
                recover(&mut reader, error).await;
                // What was written meanwhile was left out.
                changes.interrupt();
            }
        }
    }
}

/// Goes on from now, as soon as that can be done.
async fn recover(reader: &mut StreamReader, mut error: TableError) {
    loop {
        tracing::warn!(
            error = &error as &dyn std::error::Error,
            "the table's stream was interrupted"
        );
        sleep(FAILED).await;
        match reader.skip_to_now().await {
            Ok(()) => return,
            Err(again) => error = again,
        }
    }
}

fn tell(change: ItemChange, changes: &Changes) {
    match read(change) {
        Ok(Some(announced)) => changes.announce(|| announced),
        Ok(None) => {}
        Err(error) => tracing::warn!(%error, "a change cannot be announced"),
    }
}

/// What happened to an application; nothing where the item is part of one, or a counter.
fn read(change: ItemChange) -> Result<Option<Announced>, MalformedItem> {
    let application = |item: Option<Item>| -> Result<Option<Application>, MalformedItem> {
        let item = item.filter(is_application);
        item.map(|item| from_item::<ApplicationItem>(item)?.try_into())
            .transpose()
    };
    Ok(match (change.before, change.after) {
        (None, after) => application(after)?.map(|made| Announced::seen(ChangeKind::Created, made)),
        (Some(before), None) => application(Some(before))?.as_ref().map(Announced::deleted),
        (Some(_), after) => {
            application(after)?.map(|changed| Announced::seen(ChangeKind::Updated, changed))
        }
    })
}

/// An application's sort key is its partition key again.
fn is_application(item: &Item) -> bool {
    item.get(TABLE.partition_key) == item.get(TABLE.sort_key)
}
