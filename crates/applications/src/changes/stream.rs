//! Announces the changes in the table's stream: those of every process and every program.

use std::time::Duration;

use tokio::time::sleep;

use crate::items;
use crate::keys::{Scope, TABLE, Tenancy};
use trestle_table::{ItemChange, StreamReader, TableError};

use super::{Announced, Change, ChangeKind, Changes};

/// The pause after a read without changes. A shard may be read five times a second by all its readers.
const IDLE: Duration = Duration::from_millis(500);
/// The pause after a failure.
const FAILED: Duration = Duration::from_secs(2);

/// Announces changes as `reader` finds them in a table of this tenancy. If some were lost, subscriptions are
/// interrupted.
pub async fn follow(mut reader: StreamReader, changes: Changes, tenancy: Tenancy) {
    loop {
        match reader.read().await {
            Ok(changed) if changed.is_empty() => sleep(IDLE).await,
            Ok(changed) => {
                for announced in changed
                    .into_iter()
                    .filter_map(|change| read(tenancy, change))
                {
                    changes.announce(|| announced);
                }
            }
            Err(error) => {
                recover(&mut reader, error).await;
                // Changes made meanwhile were not read.
                changes.interrupt();
            }
        }
    }
}

/// Continues from now on, as soon as the stream answers.
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

/// The change of an application, by the key of its item in the part of its owner; `None` for its other items, and for
/// counters.
fn read(tenancy: Tenancy, change: ItemChange) -> Option<Announced> {
    let item = change.after.as_ref().or(change.before.as_ref())?;
    let key = TABLE.key_in(item)?;
    let scope = tenancy.scope_of(key.pk.as_str())?;
    if Scope::is_annex(&key) {
        // A list goes with its application, which is reported itself.
        change.after.as_ref()?;
        let change = Change::beside(scope.application_id(key.pk.as_str())?);
        return Some(Announced { scope, change });
    }
    let change = match (change.before, change.after) {
        (None, after) => Change::seen(ChangeKind::Created, items::application(&scope, after?)?),
        (before, None) => Change::deleted(&items::application(&scope, before?)?),
        (Some(_), after) => Change::seen(ChangeKind::Updated, items::application(&scope, after?)?),
    };
    Some(Announced { scope, change })
}
