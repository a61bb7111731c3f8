//! All tries of a write decide what its failure says, and not the last one alone.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Config, Credentials, Region};
use tokio::net::TcpListener;
use trestle_table::{
    Condition, Entity, Failing, Meter, Table, TableError, TransactionError, Update, WriteError,
    item_of,
};
use trestle_testing::faults::{FIRST, Fault, LATER, Persists};

use crate::notes::{NOTES, Store, note};

const OPERATIONS: [&str; 4] = [
    "PutItem",
    "UpdateItem",
    "BatchWriteItem",
    "TransactWriteItems",
];

/// How a write ended.
#[derive(Debug)]
enum Ended {
    Done,
    Refused,
    Failed(TableError),
}

impl From<WriteError> for Ended {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::ConditionFailed(_) => Ended::Refused,
            WriteError::Table(error) => Ended::Failed(error),
        }
    }
}

/// Writes a note that is not there yet.
async fn write(table: &Table, operation: &str, number: u32, meter: &Meter) -> Ended {
    let new = note("book", number);
    match operation {
        "PutItem" => match table.put_new(&new, meter).await {
            Ok(()) => Ended::Done,
            Err(error) => error.into(),
        },
        "UpdateItem" => {
            let update = Update::new(new.key(), Condition::Missing).set("name", &new.name);
            match table.update(update, meter).await {
                Ok(_) => Ended::Done,
                Err(error) => error.into(),
            }
        }
        "BatchWriteItem" => match table.batch_put([item_of(&new).unwrap()], meter).await {
            Ok(()) => Ended::Done,
            Err(error) => Ended::Failed(error),
        },
        _ => match table
            .transaction()
            .put_new(&new)
            .unwrap()
            .commit(meter)
            .await
        {
            Ok(()) => Ended::Done,
            Err(TransactionError::Canceled(_)) => Ended::Refused,
            Err(TransactionError::Table(error)) => Ended::Failed(error),
        },
    }
}

/// Whether an answer says that the store did nothing.
fn is_certain(fault: Fault) -> bool {
    match fault {
        Fault::Refused(status, code) => status < 500 && code != "TransactionInProgressException",
        Fault::Throttled | Fault::Canceled | Fault::CanceledFor(_) => true,
        Fault::Unreachable | Fault::NoCredentials => true,
        _ => false,
    }
}

#[tokio::test]
async fn a_write_is_unconfirmed_if_any_try_may_have_arrived_and_only_then() {
    let store = Store::trying(3).await;
    let mut number = 0;
    for operation in OPERATIONS {
        for first in FIRST {
            for later in LATER {
                let is_transaction = operation == "TransactWriteItems";
                let is_cancel = matches!(later, Fault::CanceledFor(_));
                let is_first = first.is_none() && later == Fault::NoCredentials;
                if (is_cancel && !is_transaction) || is_first {
                    continue;
                }
                number += 1;
                let (meter, what) = (Meter::default(), format!("{operation} {first:?} {later:?}"));
                let tries = first.into_iter().chain([later; 3]).collect();
                store.faults.write(0, tries, Persists::Yes);
                let ended = write(&store.table, operation, number, &meter).await;
                store.faults.stop();
                let is_stored = store.raw(&note("book", number).key()).await.is_some();
                let is_unclear = first.is_some() || !is_certain(later);
                match ended {
                    Ended::Done => assert!(is_stored, "{what}"),
                    Ended::Refused => {
                        let told = meter.unconfirmed_writes() > 0;
                        assert_eq!(told, is_unclear, "{what}");
                    }
                    Ended::Failed(error) => {
                        let is_unconfirmed = error.failing() == Failing::Unconfirmed;
                        assert_eq!(is_unconfirmed, is_unclear, "{what}: {error:?}");
                        assert_eq!(meter.unconfirmed_writes() > 0, is_unclear, "{what}");
                        assert!(is_unclear || !is_stored, "{what}");
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn a_transaction_that_meets_others_after_a_lost_answer_is_done_once() {
    let store = Store::trying(3).await;
    for reason in ["TransactionConflict", "ThrottlingError"] {
        let tries = vec![Fault::LostAnswer, Fault::CanceledFor(reason)];
        store.faults.write(0, tries, Persists::No);
        let meter = Meter::default();
        let add = Update::new(note(reason, 1).key(), Condition::All(Vec::new())).add("size", 1);
        let transaction = store.table.transaction().update(add);
        transaction.commit(&meter).await.unwrap();
        let stored = store.raw(&note(reason, 1).key()).await.unwrap();
        assert_eq!(stored["size"].as_n().unwrap(), "1");
        assert_eq!(meter.unconfirmed_writes(), 0);
    }
}

#[tokio::test]
async fn a_write_that_is_dropped_while_it_is_sent_is_unconfirmed() {
    let store = Store::new().await;
    let meter = Meter::default();
    store.faults.hold_after("PutItem", 0);
    let new = note("book", 1);
    tokio::select! {
        ended = store.table.put_new(&new, &meter) => panic!("{ended:?}"),
        () = store.faults.held() => {}
    }
    assert_eq!(meter.unconfirmed_writes(), 1);
}

/// A table at this endpoint, over the SDK's own HTTP client.
fn table_at(endpoint: &str, credentials: Option<Credentials>) -> Table {
    let config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::from_static("local"))
        .endpoint_url(endpoint)
        .retry_config(RetryConfig::standard().with_max_attempts(1));
    let config = match credentials {
        Some(credentials) => config.credentials_provider(credentials),
        None => config,
    };
    Table::new(Client::from_conf(config.build()), &NOTES, "notes-test")
}

#[tokio::test]
async fn a_write_that_finds_no_connection_or_no_credentials_has_done_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let closed = listener.local_addr().unwrap();
    drop(listener);
    let plain = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let open = plain.local_addr().unwrap();
    // It takes what comes, and speaks no TLS.
    tokio::spawn(async move { while plain.accept().await.is_ok() {} });
    let known = || Some(Credentials::new("test", "test", None, None, "test"));
    let tables = [
        ("no address", table_at("http://nowhere.invalid", known())),
        (
            "nobody listens",
            table_at(&format!("http://{closed}"), known()),
        ),
        ("no TLS", table_at(&format!("https://{open}"), known())),
        ("no credentials", table_at(&format!("http://{open}"), None)),
    ];
    for (what, table) in tables {
        for operation in OPERATIONS {
            let meter = Meter::default();
            let ended = write(&table, operation, 1, &meter).await;
            let Ended::Failed(error) = ended else {
                panic!("{what}: {ended:?}");
            };
            assert_ne!(error.failing(), Failing::Unconfirmed, "{what}: {error:?}");
            assert_eq!(meter.unconfirmed_writes(), 0, "{what}: {error:?}");
        }
    }
}
