//! Long reads of the embedded store: a reader that does not end keeps its log growing, and a backup keeps nobody waiting.

use rusqlite::Connection;
use trestle_dynamodb::Embedded;

use crate::commands::run::{Folder, s};

const TABLE: &str = "lambda_api_applications";
/// The most bytes of a log that nobody needs any more.
const MOST: u64 = 8 << 20;

/// Stores an item with so many bytes.
async fn put(store: &Embedded, key: usize, bytes: usize) {
    let put = store.client().put_item().table_name(TABLE);
    let put = put.item("PK", s("TEST")).item("SK", s(&key.to_string()));
    let put = put.item("text", s(&"x".repeat(bytes)));
    put.send().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_shrinks_after_a_reader_that_kept_it() {
    let folder = Folder::new();
    folder.good(&["table", "create"]);
    let store = Embedded::open(&folder.data()).unwrap();
    let reader = Connection::open(folder.data().join("trestle.sqlite")).unwrap();
    reader.execute_batch("BEGIN").unwrap();
    let tables = "SELECT count(*) FROM _tables";
    let tables = reader.query_row(tables, [], |row| row.get::<_, i64>(0));
    assert!(tables.unwrap() > 0);
    for key in 0..60 {
        put(&store, key, 300_000).await;
    }
    assert!(store.log_bytes().unwrap() > 2 * MOST);
    reader.execute_batch("COMMIT").unwrap();
    drop(reader);
    for key in 0..200_000 {
        if store.log_bytes().unwrap() <= MOST {
            return;
        }
        put(&store, key % 60, 10).await;
    }
    panic!("the log has {} bytes", store.log_bytes().unwrap());
}

/// What begins after a backup has begun, and ends before it ends, has not waited for it.
#[tokio::test(flavor = "multi_thread")]
async fn a_backup_keeps_nobody_from_writing() {
    let folder = Folder::new();
    folder.good(&["table", "create"]);
    let store = Embedded::open(&folder.data()).unwrap();
    for key in 0..200 {
        put(&store, key, 390_000).await;
    }
    let backups = folder.path("backups");
    std::fs::create_dir(&backups).unwrap();
    let target = backups.join("copy.sqlite");
    let copied = store.clone();
    let copying = tokio::spawn(async move { copied.backup(target).await });
    // Until it has begun to copy.
    while std::fs::read_dir(&backups).unwrap().count() == 0 {
        tokio::task::yield_now().await;
    }
    let mut written = 0;
    loop {
        put(&store, 1_000 + written, 10).await;
        if copying.is_finished() {
            break;
        }
        written += 1;
    }
    copying.await.unwrap().unwrap();
    assert!(written > 2, "{written} writes beside the backup");
}
