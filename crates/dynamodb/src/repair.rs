//! Repairs an embedded store: in one transaction, with a copy of the store kept before anything is changed.

use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dynoxide::types::{AttributeDefinition, GlobalSecondaryIndex, ScalarAttributeType};
use rusqlite::{Connection, Error as SqliteError, TransactionBehavior, params};

use super::accepting;
use super::damage::{self, Damage};
use super::described::{Described, ExpectedIndex, index_table, key_in, tables};
use super::errors::{BackupError, OpenError, RepairError};
use super::file::{self, FILE};
use super::rebuilding;
use super::restoring::{Decided, decide, restore, write};
use super::rows::{bare, item_in, quoted, text};
use super::write_count;

/// What a repair did.
#[derive(Clone, Debug, Default)]
pub struct Repaired {
    /// The copy of the store as it was before. `None` if nothing was changed.
    pub copy: Option<PathBuf>,
    /// The table and the index of each index that was built again.
    pub indexes: Vec<(String, String)>,
    /// The table and the key of each item that was restored from its copy in an index.
    pub items: Vec<(String, String)>,
    /// The table and the key of each item that differs from a copy of it, if nothing says which of them is right. They are
    /// left as they are.
    pub undecided: Vec<(String, String)>,
    /// What is still damaged.
    pub left: Vec<Damage>,
}

/// How long a repair waits for another process.
const PATIENCE: Duration = Duration::from_secs(2);
/// How the folder of an unfinished copy begins.
const UNFINISHED: &str = ".trestle-repair-";

/// Repairs the store in `folder`, if no other process uses it. `copy` is the name of the copy of the store that is
/// kept in the folder. The store is changed in one transaction: killed at any moment, it is as before or repaired.
pub(super) fn repair(
    folder: &Path,
    expected: &[ExpectedIndex],
    copy: &str,
) -> Result<Repaired, RepairError> {
    let file = folder.join(FILE);
    let unreadable = |error: SqliteError| file::unreadable(folder, &file, &error);
    drop(file::recognize(folder, &file)?);
    let mut connection = Connection::open(&file).map_err(unreadable)?;
    // What is written is recorded before the log is taken over into the file, and what is not repaired is not changed.
    file::keep_log(&connection).map_err(unreadable)?;
    alone(&connection).map_err(unreadable)?;
    let found = damage::examine(&connection, expected).map_err(unreadable)?;
    let is_structure = found.iter().any(Damage::is_structure);
    if is_structure && !found.iter().any(Damage::is_table) {
        return rebuild(connection, folder, expected, copy, found);
    }
    if found.iter().all(Damage::is_structure) {
        return Ok(Repaired {
            left: found,
            ..Repaired::default()
        });
    }
    let planned = transaction(&mut connection, &found, expected, Ending::RollBack);
    let planned = planned.map_err(unreadable)?;
    if planned.is_nothing() {
        return Ok(Repaired {
            left: found,
            undecided: planned.undecided,
            ..Repaired::default()
        });
    }
    let copy = folder.join(copy);
    keep(&connection, folder, &copy)?;
    let repaired = transaction(&mut connection, &found, expected, Ending::Commit);
    let repaired = repaired.map_err(unreadable)?;
    drop(connection);
    file::count_changes(folder, &file)?;
    Ok(Repaired {
        copy: Some(copy),
        ..repaired
    })
}

/// Builds a store again from its tables, if pages of indexes are broken: SQLite cannot change these pages. All is done in a
/// copy, which takes the place of the store once it was read. It is another store then, so that no log of before is taken
/// for its own.
fn rebuild(
    connection: Connection,
    folder: &Path,
    expected: &[ExpectedIndex],
    copy: &str,
    found: Vec<Damage>,
) -> Result<Repaired, RepairError> {
    let file = folder.join(FILE);
    let unreadable = |error: SqliteError| file::unreadable(folder, &file, &error);
    let unusable = |error| OpenError::folder(folder, error);
    let scratch = tempfile::Builder::new()
        .prefix(UNFINISHED)
        .tempdir_in(folder)
        .map_err(unusable)?;
    let new = scratch.path().join(FILE);
    let mut rebuilt = Connection::open(&new).map_err(unreadable)?;
    if !rebuilding::copy(&connection, &mut rebuilt).map_err(unreadable)? {
        return Ok(Repaired {
            left: found,
            ..Repaired::default()
        });
    }
    let found = damage::examine(&rebuilt, expected).map_err(unreadable)?;
    let repaired =
        transaction(&mut rebuilt, &found, expected, Ending::Commit).map_err(unreadable)?;
    write_count::accept(&mut rebuilt, &new)
        .map_err(|error| file::uncounted(folder, &file, error))?;
    drop(rebuilt);
    let synced = File::open(&new).and_then(|new| new.sync_all());
    let ending = copy.strip_prefix(FILE).unwrap_or(copy);
    // The lock on the store as it was is kept until another one is in its place.
    synced
        .and_then(|()| accepting::replace(&file, &new, ending))
        .map_err(unusable)?;
    drop(connection);
    Ok(Repaired {
        copy: Some(folder.join(copy)),
        ..repaired
    })
}

impl Repaired {
    fn is_nothing(&self) -> bool {
        self.indexes.is_empty() && self.items.is_empty()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    Commit,
    RollBack,
}

/// Locks the store for this process. A server that has it open knows the indexes from before.
fn alone(connection: &Connection) -> Result<(), SqliteError> {
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    connection.execute_batch("BEGIN IMMEDIATE; COMMIT")
}

/// Copies the store to a new file.
fn keep(connection: &Connection, folder: &Path, copy: &Path) -> Result<(), RepairError> {
    let failed = |error| RepairError::Copy(BackupError::Write(copy.display().to_string(), error));
    // Nobody else has the store, so these are of repairs that were killed.
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            std::fs::remove_dir_all(entry.path()).map_err(failed)?;
        }
    }
    let partial = tempfile::Builder::new()
        .prefix(UNFINISHED)
        .tempdir_in(folder)
        .map_err(failed)?;
    let unfinished = partial.path().join(FILE);
    let path = unfinished.to_string_lossy();
    connection
        .execute("VACUUM INTO ?1", params![path])
        .and_then(|_| write_count::renew(&unfinished))
        .map_err(|error| RepairError::Copy(BackupError::Store(error.into())))?;
    let name = File::open(&unfinished).and_then(|file| file.sync_all());
    name.and_then(|()| std::fs::hard_link(&unfinished, copy))
        .and_then(|()| File::open(folder)?.sync_all())
        .map_err(failed)
}

fn transaction(
    connection: &mut Connection,
    found: &[Damage],
    expected: &[ExpectedIndex],
    ending: Ending,
) -> Result<Repaired, SqliteError> {
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut repaired = Repaired::default();
    for table in tables(&change)? {
        for damage in found {
            if let Damage::Item { table: of, key } = damage
                && *of == table.name
                && restore(&change, &table.name, &table.indexes, key)?
            {
                repaired.items.push((of.clone(), bare(key)));
            }
        }
        let has_damaged_index = found
            .iter()
            .any(|damage| matches!(damage, Damage::Index { table: of, .. } if *of == table.name));
        let undecided = if has_damaged_index {
            settle(&change, &table, &mut repaired)?
        } else {
            HashSet::new()
        };
        let all = table.completed(expected);
        for index in &all {
            let mut differing = Vec::new();
            for (of, name, rows) in found.iter().filter_map(Damage::index) {
                if of == table.name && name == index.index_name {
                    differing.push(rows);
                }
            }
            // Each undecided item differs from one row of the index at most, or of another one.
            let is_all_undecided = differing.iter().sum::<u64>() <= undecided.len() as u64;
            if differing.is_empty() || (!undecided.is_empty() && is_all_undecided) {
                continue;
            }
            if ending == Ending::Commit {
                build(&change, &table.name, index, &undecided)?;
            }
            let index = index.index_name.clone();
            repaired.indexes.push((table.name.clone(), index));
        }
        if all.len() > table.indexes.len() {
            define(&change, &table.name, &all)?;
        }
    }
    if ending == Ending::Commit {
        repaired.left = damage::examine(&change, expected)?;
        change.commit()?;
    }
    Ok(repaired)
}

/// Compares the items of a table with their copies, and restores those against which two copies agree. The keys of those of
/// which it is not known whether they or their copies are right.
fn settle(
    change: &Connection,
    table: &Described,
    repaired: &mut Repaired,
) -> Result<HashSet<(String, String)>, SqliteError> {
    let mut items = change.prepare(&format!(
        "SELECT pk, sk, item_json FROM {}",
        quoted(&table.name)
    ))?;
    let (mut undecided, mut wrong) = (HashSet::new(), Vec::new());
    let mut rows = items.query([])?;
    while let Some(row) = rows.next()? {
        let Some(item) = item_in(row, 2) else {
            continue;
        };
        let key = (text(row, 0)?, text(row, 1)?);
        match decide(change, &table.name, &table.indexes, &key, &item)? {
            Decided::ItemStands => {}
            Decided::CopiesAgree(json) => wrong.push((key, json)),
            Decided::Undecided => {
                repaired.undecided.push((table.name.clone(), bare(&key)));
                undecided.insert(key);
            }
        }
    }
    for (key, json) in wrong {
        write(change, &table.name, &key, &json)?;
        repaired.items.push((table.name.clone(), bare(&key)));
    }
    Ok(undecided)
}

/// Builds an index from its table's items. Its copies of items that cannot be read, or that may be wrong, are kept: they may
/// be all that is left of them.
fn build(
    change: &Connection,
    table: &str,
    index: &GlobalSecondaryIndex,
    undecided: &HashSet<(String, String)>,
) -> Result<(), SqliteError> {
    let name = index_table(table, &index.index_name);
    let (old, new) = (quoted(&format!("{name}::old")), quoted(&name));
    let base_key = quoted(&format!("{name}::base_key"));
    // As dynoxide makes it.
    let columns = "gsi_pk TEXT NOT NULL, gsi_sk TEXT NOT NULL DEFAULT '', table_pk TEXT NOT NULL, \
                   table_sk TEXT NOT NULL DEFAULT '', item_json TEXT NOT NULL, \
                   PRIMARY KEY (gsi_pk, gsi_sk, table_pk, table_sk)";
    change.execute_batch(&format!(
        "CREATE TABLE IF NOT EXISTS {new} ({columns});
         DROP INDEX IF EXISTS {base_key};
         ALTER TABLE {new} RENAME TO {old};
         CREATE TABLE {new} ({columns});
         CREATE INDEX {base_key} ON {new} (table_pk, table_sk);"
    ))?;
    let mut insert = change.prepare(&format!("INSERT INTO {new} VALUES (?1, ?2, ?3, ?4, ?5)"))?;
    let mut keep = change.prepare(&format!(
        "INSERT OR REPLACE INTO {new} SELECT gsi_pk, gsi_sk, table_pk, table_sk, item_json FROM {old} \
         WHERE table_pk = ?1 AND table_sk = ?2"
    ))?;
    let mut items = change.prepare(&format!("SELECT pk, sk, item_json FROM {}", quoted(table)))?;
    let mut rows = items.query([])?;
    while let Some(row) = rows.next()? {
        let key = (text(row, 0)?, text(row, 1)?);
        match item_in(row, 2) {
            Some(item) if !undecided.contains(&key) => {
                if let Some((index_pk, index_sk)) = key_in(index, &item) {
                    insert.execute(params![index_pk, index_sk, key.0, key.1, text(row, 2)?])?;
                }
            }
            _ => {
                keep.execute(params![key.0, key.1])?;
            }
        }
    }
    change.execute_batch(&format!("DROP TABLE {old}"))
}

fn unusable(error: serde_json::Error) -> SqliteError {
    SqliteError::ToSqlConversionFailure(error.into())
}

/// Writes a table's indexes into its description.
fn define(
    change: &Connection,
    table: &str,
    indexes: &[GlobalSecondaryIndex],
) -> Result<(), SqliteError> {
    let attributes = "SELECT attribute_definitions FROM _tables WHERE table_name = ?1";
    let attributes: String = change.query_row(attributes, [table], |row| row.get(0))?;
    let mut attributes: Vec<AttributeDefinition> =
        serde_json::from_str(&attributes).map_err(unusable)?;
    for key in indexes.iter().flat_map(|index| &index.key_schema) {
        let name = &key.attribute_name;
        if !attributes.iter().any(|known| known.attribute_name == *name) {
            attributes.push(AttributeDefinition {
                attribute_name: name.clone(),
                attribute_type: ScalarAttributeType::S,
            });
        }
    }
    change.execute(
        "UPDATE _tables SET attribute_definitions = ?2, gsi_definitions = ?3 WHERE table_name = ?1",
        params![
            table,
            serde_json::to_string(&attributes).map_err(unusable)?,
            serde_json::to_string(indexes).map_err(unusable)?
        ],
    )?;
    Ok(())
}
