//! What every service promises of items that other programs wrote: nothing of theirs is changed or lost unasked, nothing
//! is answered that is not stored, and what is refused says why.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use trestle_table::TableDefinition;

use super::answers::{fault, has_nothing, is_refused, is_unreadable, plain, texts, texts_of_items};
use super::hosted::TestServer;
use super::odd::{Item, Odd, Stored};

/// A request, and who sends it.
#[derive(Clone, Debug)]
pub struct Asked {
    pub name: String,
    pub viewer: String,
    pub document: String,
    pub variables: Value,
}

impl Asked {
    pub fn query(viewer: impl Into<String>, document: impl Into<String>) -> Self {
        let document = document.into();
        Self {
            name: document.chars().take(60).collect(),
            viewer: viewer.into(),
            document,
            variables: Value::Null,
        }
    }

    /// A mutation with one input.
    pub fn mutation(viewer: impl Into<String>, name: &str, input: Value) -> Self {
        let (first, rest) = name.split_at(1);
        let kind = format!("{}{rest}Input", first.to_uppercase());
        Self {
            name: name.to_owned(),
            viewer: viewer.into(),
            document: format!(
                "mutation($input: {kind}!) {{ {name}(input: $input) {{ userErrors {{ code message field }} }} }}"
            ),
            variables: json!({ "input": input }),
        }
    }
}

/// What a change did to the items that are right.
#[derive(Debug, Default)]
struct Written {
    /// Attributes that it changed or added, by item.
    changed: BTreeMap<String, BTreeSet<String>>,
    deleted: BTreeSet<String>,
}

impl Written {
    /// Whether none of these items was changed. Work that is noted for later is another one.
    fn is_nothing_of(&self, before: &Stored) -> bool {
        self.deleted.is_empty() && !self.changed.keys().any(|key| before.contains_key(key))
    }
}

/// A service on items that are right, and what it is asked.
pub struct Promise<'t> {
    pub server: &'t TestServer,
    pub table: &'static TableDefinition,
    pub right: Vec<Item>,
    pub reads: Vec<Asked>,
    pub changes: Vec<Asked>,
    /// Texts that are answered though they are not stored: what a field has where its attribute is missing.
    pub defaults: &'static [&'static str],
    /// Odd rows that are asked each time, by a part of the key and the way: they have broken the promise before.
    pub pinned: &'static [(&'static str, &'static str)],
}

/// What was asked, and what broke the promise.
#[derive(Debug, Default)]
struct Kept {
    rows: usize,
    answers: usize,
    refused: usize,
    broken: Vec<String>,
}

/// How many odd rows a test asks of, unless `TRESTLE_ROWS` says otherwise.
const ROWS: usize = 60;
/// How many breaks are listed: more say nothing more.
const LISTED: usize = 40;

impl Kept {
    fn broken(&mut self, text: String) {
        if self.broken.len() < LISTED {
            self.broken.push(text.chars().take(1500).collect());
        }
    }
}

impl Promise<'_> {
    fn key(&self, item: &Item) -> String {
        let [pk, sk] = [self.table.partition_key, self.table.sort_key].map(|key| &item[key.name]);
        format!("{pk:?} {sk:?}")
    }

    async fn stored(&self) -> Stored {
        let items = self.server.items(self.table.default_name).await;
        items
            .into_iter()
            .map(|item| (self.key(&item), item))
            .collect()
    }

    async fn put(&self, item: &Item) -> bool {
        let put = self
            .server
            .dynamodb
            .put_item()
            .table_name(self.table.default_name);
        put.set_item(Some(item.clone())).send().await.is_ok()
    }

    /// Makes the table hold these items and no others; whether the store takes them.
    async fn reset(&self, wanted: &Stored) -> bool {
        let names = [self.table.partition_key.name, self.table.sort_key.name];
        let there = self.stored().await;
        for (key, item) in &there {
            if !wanted.contains_key(key) {
                let delete = self
                    .server
                    .dynamodb
                    .delete_item()
                    .table_name(self.table.default_name);
                let delete = names.iter().fold(delete, |delete, name| {
                    delete.key(*name, item[*name].clone())
                });
                delete.send().await.expect("it is deleted");
            }
        }
        for (key, item) in wanted {
            if there.get(key) != Some(item) && !self.put(item).await {
                return false;
            }
        }
        true
    }

    async fn ask(&self, asked: &Asked) -> Value {
        let answer = self
            .server
            .run(&asked.viewer, &asked.document, asked.variables.clone());
        answer.await.body
    }

    fn wanted(&self, odd: Option<&Odd>, at: usize) -> Stored {
        let mut wanted: Stored = self
            .right
            .iter()
            .map(|item| (self.key(item), item.clone()))
            .collect();
        if let Some(odd) = odd {
            if !odd.is_beside {
                wanted.remove(&self.key(&self.right[at]));
            }
            wanted.insert(self.key(&odd.item), odd.item.clone());
        }
        wanted
    }

    /// Everything is read, and every change is done, on the items that are right.
    async fn on_right_items(&self) -> (Vec<Value>, Vec<Written>) {
        let wanted = self.wanted(None, 0);
        assert!(self.reset(&wanted).await, "the store takes what is right");
        let mut answers = Vec::new();
        for read in &self.reads {
            let answer = self.ask(read).await;
            assert!(answer.get("errors").is_none(), "{}: {answer:#}", read.name);
            assert!(
                !has_nothing(&answer["data"]),
                "{} reads nothing: {answer:#}",
                read.name
            );
            answers.push(answer);
        }
        let mut written = Vec::new();
        for change in &self.changes {
            self.reset(&wanted).await;
            let answer = self.ask(change).await;
            assert!(!is_refused(&answer), "{}: {answer:#}", change.name);
            let after = self.stored().await;
            written.push(difference(&wanted, &after));
            assert_ne!(wanted, after, "{} changes nothing", change.name);
        }
        (answers, written)
    }

    /// Asks everything of odd items, each in its turn. There are more than a test has time for, so that it takes
    /// [`ROWS`] that are spread over all of them; `TRESTLE_ROWS` says how many else.
    pub async fn hold(&self) {
        let (answers, written) = self.on_right_items().await;
        let rows = self.right.iter().enumerate().flat_map(|(at, item)| {
            let odd = super::odd::ways(item, self.table).into_iter();
            odd.map(move |odd| (at, odd))
        });
        let rows: Vec<_> = rows.collect();
        let wanted =
            std::env::var("TRESTLE_ROWS").map_or(ROWS, |rows| rows.parse().expect("a number"));
        let step = rows.len().div_ceil(wanted.max(1)).max(1);
        let is_pinned = |(at, odd): &(usize, Odd), (key, way): &(&str, &str)| {
            odd.way == *way && self.key(&self.right[*at]).contains(key)
        };
        for pinned in self.pinned {
            let is_there = rows.iter().any(|row| is_pinned(row, pinned));
            assert!(is_there, "{pinned:?} is no row");
        }
        let asked = rows.iter().enumerate();
        let asked = asked.filter(|(nth, row)| {
            nth.is_multiple_of(step) || self.pinned.iter().any(|pinned| is_pinned(row, pinned))
        });
        let mut kept = Kept::default();
        for (_, (at, odd)) in asked {
            let wanted = self.wanted(Some(odd), *at);
            // Keys of indexes have to be texts.
            if !self.reset(&wanted).await {
                continue;
            }
            kept.rows += 1;
            let row = format!("{} {}", self.key(&self.right[*at]), odd.way);
            self.reads_right(&row, &wanted, &answers, &mut kept).await;
            for (change, written) in self.changes.iter().zip(&written) {
                self.reset(&wanted).await;
                self.changes_right(&row, change, &wanted, written, &mut kept)
                    .await;
            }
        }
        let Kept {
            rows: asked,
            answers,
            refused,
            broken,
        } = kept;
        eprintln!(
            "{asked} of {} odd rows, {answers} answers, {refused} changes refused",
            rows.len()
        );
        assert!(
            broken.is_empty(),
            "{} breaks:\n{}",
            broken.len(),
            broken.join("\n")
        );
    }

    /// Every read answers the same without an attribute that the keys of its item contain: without each of them, and without
    /// all of an item. `others` are attributes that have the text of a part of a key and are something else.
    pub async fn hold_without_what_keys_contain(&self, others: &[&str]) {
        let right = self.wanted(None, 0);
        assert!(self.reset(&right).await, "the store takes what is right");
        let mut answers = Vec::new();
        for read in &self.reads {
            answers.push(self.ask(read).await["data"].clone());
        }
        let mut asked = 0;
        for (at, item) in self.right.iter().enumerate() {
            let keyed = super::odd::keyed(item, self.table);
            let keyed = keyed
                .into_iter()
                .filter(|name| !others.contains(&name.as_str()));
            let keyed: Vec<_> = keyed.collect();
            let mut ways: Vec<_> = keyed.iter().map(|name| vec![name.clone()]).collect();
            ways.push(keyed);
            for way in ways {
                let mut item = item.clone();
                item.retain(|name, _| !way.contains(name));
                let way = format!("{} without {way:?}", self.key(&item));
                let odd = Odd {
                    way,
                    item,
                    is_beside: false,
                };
                assert!(self.reset(&self.wanted(Some(&odd), at)).await);
                for (read, right) in self.reads.iter().zip(&answers) {
                    let answer = self.ask(read).await;
                    assert_eq!(
                        answer["data"], *right,
                        "{}: {} {answer}",
                        odd.way, read.name
                    );
                }
                asked += 1;
            }
        }
        assert!(asked > self.right.len(), "no key contains an attribute");
    }

    async fn reads_right(&self, row: &str, wanted: &Stored, answers: &[Value], kept: &mut Kept) {
        let known = texts_of_items(wanted);
        for (read, right) in self.reads.iter().zip(answers) {
            let answer = self.ask(read).await;
            kept.answers += 1;
            if let Some(fault) = fault(&answer) {
                kept.broken(format!("{row}: {} answers {fault}", read.name));
            }
            let mut usual = BTreeSet::new();
            texts(&right["data"], &mut usual);
            let mut shown = BTreeSet::new();
            texts(&answer["data"], &mut shown);
            for text in shown.difference(&usual) {
                let is_stored =
                    known.contains(&plain(text)) || self.defaults.contains(&text.as_str());
                if !is_stored {
                    kept.broken(format!(
                        "{row}: {} answers {text:?}, which is not stored",
                        read.name
                    ));
                }
            }
        }
        let now = difference(wanted, &self.stored().await);
        if !now.is_nothing_of(wanted) {
            kept.broken(format!("{row}: reading changed {now:?}"));
        }
    }

    async fn changes_right(
        &self,
        row: &str,
        change: &Asked,
        before: &Stored,
        written: &Written,
        kept: &mut Kept,
    ) {
        let answer = self.ask(change).await;
        kept.answers += 1;
        if let Some(fault) = fault(&answer) {
            kept.broken(format!("{row}: {} answers {fault}", change.name));
        }
        let after = self.stored().await;
        if is_refused(&answer) {
            kept.refused += 1;
        }
        // What was changed as it was asked, and then cannot be shown, is done.
        if is_refused(&answer) && !is_unreadable(&answer) {
            let now = difference(before, &after);
            if !now.is_nothing_of(before) {
                kept.broken(format!(
                    "{row}: {} was refused ({answer}), and changed {now:?}",
                    change.name
                ));
            }
            return;
        }
        let is_key = |name: &str| {
            let mut names = self
                .table
                .indexes
                .iter()
                .flat_map(|index| index.attributes());
            names.any(|key| key == name)
        };
        let right = self.wanted(None, 0);
        let now = difference(before, &after);
        // A whole that is deleted takes with it what others keep within.
        let is_whole_deleted = |key: &str| {
            let partition = key.split(") ").next().unwrap_or_default();
            let mut within = right.keys().filter(|key| key.starts_with(partition));
            !written.deleted.is_empty() && within.all(|key| written.deleted.contains(key))
        };
        let unasked = now.deleted.difference(&written.deleted);
        for key in unasked.filter(|key| !is_whole_deleted(key)) {
            kept.broken(format!("{row}: {} deleted {key}", change.name));
        }
        for (key, names) in &now.changed {
            let Some(was) = before.get(key) else {
                continue;
            };
            let usual = written.changed.get(key);
            for name in names {
                let is_usual = usual.is_some_and(|usual| usual.contains(name)) || is_key(name);
                // What only this service writes may be written again, as it should be: if it is missing, or contradicts
                // the item's key.
                let right = right.get(key).and_then(|right| right.get(name));
                let is_of_key = |text: &String| key.contains(text.as_str());
                let is_in_key = right.is_some_and(|value| value.as_s().is_ok_and(is_of_key));
                let is_repair = right == after[key].get(name);
                let is_repair = is_repair && (is_in_key || !was.contains_key(name));
                if !is_usual && !is_repair {
                    let (from, to) = (was.get(name), after[key].get(name));
                    kept.broken(format!(
                        "{row}: {} changed {key} {name} from {from:?} to {to:?}",
                        change.name
                    ));
                }
            }
        }
    }
}

fn difference(before: &Stored, after: &Stored) -> Written {
    let mut written = Written::default();
    for (key, was) in before {
        let Some(now) = after.get(key) else {
            written.deleted.insert(key.clone());
            continue;
        };
        let names: BTreeSet<_> = was.keys().chain(now.keys()).collect();
        let names = names
            .into_iter()
            .filter(|name| was.get(*name) != now.get(*name));
        let names: BTreeSet<_> = names.cloned().collect();
        if !names.is_empty() {
            written.changed.insert(key.clone(), names);
        }
    }
    for (key, now) in after {
        if !before.contains_key(key) {
            written
                .changed
                .insert(key.clone(), now.keys().cloned().collect());
        }
    }
    written
}
