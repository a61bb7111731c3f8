//! The files of a store from different moments, put together in generated ways: a store that opens has exactly what was
//! acknowledged until the latest of these moments, or it is refused with what to do.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, KeySchemaElement, KeyType, Put, PutRequest,
    ScalarAttributeType, TransactWriteItem, WriteRequest,
};
use rusqlite::Connection;
use trestle_dynamodb::{Embedded, OpenError};

use crate::commands::run::{assert_unchanged, content, copy, s};

/// The file, its log, and the record of its writes.
const FILES: [&str; 3] = [
    "trestle.sqlite",
    "trestle.sqlite-wal",
    "trestle.sqlite-writes",
];
const TABLE: &str = "notes";
const TORN: &str = "killed while the log was taken over";
/// Histories, the moments of each, and the mixes of each that are tried.
const SEEDS: u64 = 2;
const MOMENTS: usize = 14;
const MIXES: usize = 50;

/// The numbers of a generated history.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }
}

type Item = HashMap<String, AttributeValue>;
/// The items by their keys, with the number of the write that put them.
type State = BTreeMap<String, String>;

struct Moment {
    what: &'static str,
    files: [Option<Vec<u8>>; 3],
    state: State,
}

/// A store, and what was acknowledged.
struct History {
    folder: tempfile::TempDir,
    generation: usize,
    store: Option<Embedded>,
    state: State,
    /// The states after each write.
    states: Vec<State>,
    writes: usize,
    moments: Vec<Moment>,
}

async fn create_table(client: &Client) {
    let key = |name: &str, kind| {
        KeySchemaElement::builder()
            .attribute_name(name)
            .key_type(kind)
            .build()
            .unwrap()
    };
    let text = |name: &str| {
        AttributeDefinition::builder()
            .attribute_name(name)
            .attribute_type(ScalarAttributeType::S)
            .build()
            .unwrap()
    };
    client
        .create_table()
        .table_name(TABLE)
        .billing_mode(BillingMode::PayPerRequest)
        .key_schema(key("PK", KeyType::Hash))
        .key_schema(key("SK", KeyType::Range))
        .attribute_definitions(text("PK"))
        .attribute_definitions(text("SK"))
        .send()
        .await
        .unwrap();
}

/// The items; `None` if the table is not there yet.
async fn stored_of(store: &Embedded) -> Option<State> {
    let tables = store.client().list_tables().send().await.unwrap();
    if tables.table_names().is_empty() {
        return None;
    }
    Some(stored(store).await)
}

async fn stored(store: &Embedded) -> State {
    let mut state = State::new();
    let mut from = None;
    loop {
        let page = store.client().query().table_name(TABLE);
        let page = page
            .key_condition_expression("PK = :pk")
            .expression_attribute_values(":pk", s("note"))
            .set_exclusive_start_key(from)
            .send()
            .await
            .unwrap();
        for item in page.items() {
            let [key, write] = ["SK", "write"].map(|name| item[name].as_s().unwrap().clone());
            state.insert(key, write);
        }
        from = page.last_evaluated_key;
        if from.is_none() {
            return state;
        }
    }
}

impl History {
    async fn begin() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Embedded::open(&folder.path().join("0")).unwrap();
        create_table(&store.client()).await;
        Self {
            folder,
            generation: 0,
            store: Some(store),
            state: State::new(),
            states: vec![State::new()],
            writes: 0,
            moments: Vec::new(),
        }
    }

    fn data(&self) -> std::path::PathBuf {
        self.folder.path().join(self.generation.to_string())
    }

    fn client(&self) -> Client {
        self.store.as_ref().unwrap().client()
    }

    /// At most so many items with different keys, which are acknowledged when they are written.
    fn items(&mut self, random: &mut Random, most: usize, filled: usize) -> Vec<Item> {
        let keys: BTreeSet<_> = (0..=random.below(most)).map(|_| random.below(40)).collect();
        let make = |key: usize| {
            self.writes += 1;
            let (key, write) = (key.to_string(), self.writes.to_string());
            let item = [
                ("PK", s("note")),
                ("SK", s(&key)),
                ("write", s(&write)),
                ("filling", s(&"x".repeat(filled))),
            ];
            self.state.insert(key, write);
            item.map(|(name, value)| (name.to_owned(), value)).into()
        };
        keys.into_iter().map(make).collect()
    }

    /// Writes in one of the ways that requests have. `filled` makes the log begin anew sooner.
    async fn write(&mut self, random: &mut Random, filled: usize) {
        let client = self.client();
        match random.below(3) {
            0 => {
                let item = self.items(random, 1, filled).pop().unwrap();
                let put = client.put_item().table_name(TABLE).set_item(Some(item));
                put.send().await.unwrap();
            }
            1 => {
                let mut request = client.transact_write_items();
                for item in self.items(random, 5, filled) {
                    let put = Put::builder().table_name(TABLE).set_item(Some(item));
                    let put = TransactWriteItem::builder().put(put.build().unwrap());
                    request = request.transact_items(put.build());
                }
                request.send().await.unwrap();
            }
            _ => {
                let items = self.items(random, 7, filled);
                // Each item of a batch is a write of its own.
                let mut state = self.states.last().unwrap().clone();
                for item in &items {
                    let [key, write] = ["SK", "write"].map(|name| item[name].as_s().unwrap());
                    state.insert(key.clone(), write.clone());
                    self.states.push(state.clone());
                }
                let requests = items.into_iter().map(|item| {
                    let put = PutRequest::builder().set_item(Some(item)).build().unwrap();
                    WriteRequest::builder().put_request(put).build()
                });
                let batch = client.batch_write_item();
                let batch = batch.request_items(TABLE, requests.collect());
                batch.send().await.unwrap();
            }
        }
        self.states.push(self.state.clone());
    }

    fn look(&mut self, what: &'static str) {
        let data = self.data();
        self.moments.push(Moment {
            what,
            files: FILES.map(|name| fs::read(data.join(name)).ok()),
            state: self.state.clone(),
        });
    }

    /// Goes on after a kill, in a copy: the connections of the process that was killed stay open beside it.
    fn kill(&mut self) {
        std::mem::forget(self.store.take());
        let before = self.data();
        self.generation += 1;
        copy(&before, &self.data());
        let _ = fs::remove_file(self.data().join("trestle.sqlite-shm"));
    }

    /// A process that is killed while it takes the log over after a commit, which is not recorded yet: the pages are written
    /// in their order.
    async fn tear(&mut self, random: &mut Random) {
        let recorded = fs::read(self.data().join(FILES[2])).ok();
        self.write(random, 100).await;
        let after = self.folder.path().join("after");
        copy(&self.data(), &after);
        let _ = fs::remove_file(after.join("trestle.sqlite-shm"));
        let other = Connection::open(after.join(FILES[0])).unwrap();
        let taken = other.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        taken.unwrap();
        let whole = fs::read(after.join(FILES[0])).unwrap();
        drop(other);
        fs::remove_dir_all(&after).unwrap();
        let before = fs::read(self.data().join(FILES[0])).unwrap();
        let pages = random.below(whole.len() / 4096).max(2) * 4096;
        let rest = before.get(pages..).unwrap_or_default();
        let torn = [&whole[..pages.min(whole.len())], rest].concat();
        self.look(TORN);
        let moment = self.moments.last_mut().unwrap();
        moment.files[0] = Some(torn);
        moment.files[2] = recorded;
    }

    async fn go_on(&mut self, random: &mut Random) {
        if self.store.is_none() {
            self.store = Some(Embedded::open(&self.data()).unwrap());
        }
        let (writes, filled) = match random.below(3) {
            // Until the log begins anew.
            0 => (60, 60_000),
            most => (1 + random.below(2 + 2 * most), 100),
        };
        // A reader keeps the log from beginning anew: then a write begins it, and not a transaction of the store's own.
        let reader = Connection::open(self.data().join(FILES[0])).unwrap();
        for write in 0..writes {
            if write == writes / 2 && random.below(2) == 0 {
                reader
                    .execute_batch("BEGIN; SELECT count(*) FROM _tables")
                    .unwrap();
            }
            if write == writes * 3 / 4 && !reader.is_autocommit() {
                reader.execute_batch("ROLLBACK").unwrap();
            }
            self.write(random, filled).await;
        }
        drop(reader);
        match random.below(5) {
            0 => self.look("in between"),
            1 => {
                let store = self.store.take().unwrap();
                store.close().await;
                drop(store);
                self.look("after a stop");
            }
            2 => {
                drop(self.store.take());
                self.look("after a command");
            }
            3 => {
                self.look("killed");
                self.kill();
            }
            _ => self.tear(random).await,
        }
    }
}

fn is_same(one: &Option<Vec<u8>>, other: &Option<Vec<u8>>) -> bool {
    let bytes = |file: &Option<Vec<u8>>| file.clone().filter(|bytes| !bytes.is_empty());
    bytes(one) == bytes(other)
}

/// Puts files of these moments into a folder. The latest of the moments, each file counting from when it was as it is.
fn mix(moments: &[Moment], from: [Option<usize>; 3], to: &Path) -> usize {
    let _ = fs::remove_dir_all(to);
    fs::create_dir(to).unwrap();
    let mut latest = 0;
    for (file, from) in from.iter().enumerate() {
        let Some(from) = *from else {
            continue;
        };
        let content = &moments[from].files[file];
        let Some(bytes) = content else {
            continue;
        };
        fs::write(to.join(FILES[file]), bytes).unwrap();
        let mut moments = moments.iter();
        let first = moments.position(|moment| is_same(&moment.files[file], content));
        latest = latest.max(first.unwrap());
    }
    latest
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_different_moments_are_the_latest_state_or_are_refused() {
    let (mut opened, mut refused) = (0, 0);
    for seed in 1..=SEEDS {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut history = History::begin().await;
        while history.moments.len() < MOMENTS {
            history.go_on(&mut random).await;
        }
        let moments = &history.moments;
        let place = history.folder.path().join("mix");
        let together = (0..MOMENTS).map(|at| [Some(at); 3]);
        // A file with its record, beside the log of another moment.
        let pairs: Vec<_> = (0..MIXES / 2)
            .map(|_| {
                let (file, log) = (random.below(MOMENTS), random.below(MOMENTS));
                [Some(file), Some(log), Some(file)]
            })
            .collect();
        let mixes: Vec<_> = (0..MIXES)
            .map(|_| {
                let mut one = || Some(random.below(MOMENTS + 1)).filter(|at| *at < MOMENTS);
                [one(), one(), one()]
            })
            .collect();
        for from in together.chain(mixes).chain(pairs) {
            let latest = mix(moments, from, &place);
            let named = from.map(|at| at.map(|at| (at, moments[at].what)));
            let what = format!("seed {seed}: {named:?}");
            let is_of_one = from[0].is_some() && from.iter().all(|at| *at == from[0]);
            let before = content(&place);
            match Embedded::find(&place) {
                Ok(Some(store)) => {
                    opened += 1;
                    assert_eq!(stored(&store).await, moments[latest].state, "{what}");
                    drop(store);
                    // And again.
                    let store = Embedded::find(&place).unwrap().unwrap();
                    assert_eq!(stored(&store).await, moments[latest].state, "{what}");
                    drop(store);
                    assert_eq!(Embedded::check(&place, &[]).unwrap(), [], "{what}");
                }
                Ok(None) => {
                    assert!(from[0].is_none(), "{what}");
                    let is_empty = fs::read_dir(&place).unwrap().next().is_none();
                    assert!(is_empty, "{what}");
                    assert!(Embedded::open(&place).is_ok(), "{what}");
                }
                Err(error) => {
                    refused += 1;
                    assert!(!is_of_one, "{what}: {error}");
                    let advice = error.advice();
                    assert!(advice.starts_with("Put "), "{what}: {error}. {advice}");
                    assert!(Embedded::check(&place, &[]).is_err(), "{what}");
                    assert!(Embedded::open(&place).is_err(), "{what}");
                    assert!(Embedded::repair(&place, &[], "copy").is_err(), "{what}");
                    assert_unchanged(&place, &before, &format!("{what}: {error}"));
                    if from[0].is_none() {
                        assert!(
                            Embedded::accept_loss(&place, &[], ".left").is_err(),
                            "{what}"
                        );
                        assert_unchanged(&place, &before, &format!("{what}: {error}"));
                        continue;
                    }
                    // A file that was killed in the middle is not a store without its log.
                    let is_torn = from[0].is_some_and(|at| moments[at].what == TORN);
                    let is_damaged = matches!(error, OpenError::Damaged { .. });
                    assert!(is_torn || !is_damaged, "{what}: {error}");
                    let accepted = match Embedded::accept_loss(&place, &[], ".left") {
                        Err(OpenError::Damaged { .. }) if is_torn => {
                            assert_unchanged(&place, &before, &format!("{what}: {error}"));
                            continue;
                        }
                        accepted => accepted.unwrap(),
                    };
                    let Some(accepted) = accepted else {
                        assert!(is_damaged, "{what}");
                        continue;
                    };
                    // What is given up is kept.
                    for file in FILES {
                        let was = before.get(&place.join(file));
                        if let Some(was) = was.filter(|was| !was.is_empty()) {
                            let copy = place.join(format!("{file}.left"));
                            assert!(fs::read(&copy).unwrap() == *was, "{what}: {copy:?}");
                            assert!(accepted.copies.contains(&copy), "{what}: {accepted:?}");
                        }
                    }
                    let Ok(Some(store)) = Embedded::find(&place) else {
                        panic!("{what}: not opened after the loss was accepted");
                    };
                    // No pages of another moment are in it.
                    if let Some(there) = stored_of(&store).await {
                        assert!(history.states.contains(&there), "{what}: {there:?}");
                    }
                    drop(store);
                    assert_eq!(Embedded::check(&place, &[]).unwrap(), [], "{what}");
                    // What was there before is not taken for its own.
                    let at = random.below(MOMENTS);
                    for file in [1, 2] {
                        let kept = fs::read(place.join(FILES[file])).ok();
                        if let Some(bytes) = &moments[at].files[file]
                            && !bytes.is_empty()
                        {
                            fs::write(place.join(FILES[file]), bytes).unwrap();
                            let found = Embedded::find(&place);
                            assert!(found.is_err(), "{what}: {}", FILES[file]);
                        }
                        match kept {
                            Some(bytes) => fs::write(place.join(FILES[file]), bytes).unwrap(),
                            None => drop(fs::remove_file(place.join(FILES[file]))),
                        }
                    }
                }
            }
        }
    }
    // The space is not empty on either side.
    assert!(opened > 25 && refused > 60, "{opened}, {refused}");
}
