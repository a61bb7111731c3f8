//! Which instances the configuration of a plan refers to. It names blocks, and keys only if they are literals.

use crate::address::{parts, plain, split};
use crate::graph::Built;
use crate::value::Value;

/// The key of a pattern that stands for all instances.
pub const ALL: &str = "[*]";

/// The key of a pattern that stands for the instance with the same key as the block at an address.
pub fn same_key(address: &str) -> String {
    format!("[@{}]", plain(address))
}

/// The most instances that are listed.
const MAX_INSTANCES: usize = 1_000;

/// The instances that a pattern stands for.
#[derive(Debug, PartialEq, Eq)]
pub enum Instances {
    /// All of these.
    All(Vec<String>),
    /// One of these, at this address.
    Any(String, Vec<String>),
}

/// The instances that a pattern stands for in a node.
pub fn narrow(built: &Built, pattern: &str, from: &str) -> Instances {
    let (block, key) = split(pattern);
    // These keys only say which instances are meant: no address has them.
    let is_marker = key == ALL || key.starts_with("[@");
    let wanted = at_home(if is_marker { block } else { pattern }, from);
    let same = key
        .strip_prefix("[@")
        .and_then(|path| path.strip_suffix(']'));
    let same = same.and_then(|path| key_at(from, path));
    let exact = same
        .map(|key| format!("{wanted}{key}"))
        .into_iter()
        .chain([wanted.clone()]);
    if let Some(id) = exact.into_iter().find(|id| built.nodes.contains_key(id)) {
        return Instances::All(vec![id]);
    }
    let address = plain(pattern);
    let of_home = built.blocks.get(&wanted).map(Vec::as_slice);
    let of_block = built.blocks.get(&address).map(Vec::as_slice);
    let candidates = of_home.or(of_block).unwrap_or_default().iter();
    let found = candidates.filter(|id| of_home.is_some() || fits(id, &wanted));
    // One more than are listed shows that there are more.
    let list: Vec<String> = found.take(MAX_INSTANCES + 1).cloned().collect();
    if list.len() == 1 || key == ALL && list.len() <= MAX_INSTANCES {
        return Instances::All(list);
    }
    let shared = of_home.map(|_| wanted);
    Instances::Any(shared.unwrap_or(address), list)
}

/// A pattern in the same instances of modules as a node.
fn at_home(pattern: &str, from: &str) -> String {
    let (own, other) = (parts(pattern), parts(from));
    let mut is_shared = true;
    let last = own.len().saturating_sub(1);
    let home = own.iter().enumerate().map(|(at, part)| {
        let there = other.get(at).copied().unwrap_or_default();
        is_shared &= split(part).0 == split(there).0;
        let is_module = at < last && at % 2 == 1;
        if is_shared && is_module && split(part).1.is_empty() {
            there
        } else {
            part
        }
    });
    home.collect::<Vec<_>>().join(".")
}

/// Whether an address has the keys of a pattern, as far as that has any.
fn fits(id: &str, pattern: &str) -> bool {
    let (own, wanted) = (parts(id), parts(pattern));
    own.len() == wanted.len()
        && own
            .iter()
            .zip(&wanted)
            .all(|(own, wanted)| own == wanted || split(own).0 == *wanted)
}

/// The key that an address has at another one without keys.
fn key_at<'a>(id: &'a str, path: &str) -> Option<&'a str> {
    let wanted = path.split('.').count();
    let parts = parts(id);
    let own: Vec<&str> = parts
        .iter()
        .take(wanted)
        .map(|part| split(part).0)
        .collect();
    let last = parts.get(wanted.checked_sub(1)?)?;
    (own.join(".") == path).then(|| split(last).1)
}

fn part_of(node: String, text: &str) -> Value {
    let text = text.to_owned();
    Value::Of { node, text }
}

/// A value whose patterns are the instances that they stand for in a node.
pub fn narrowed(built: &Built, value: &Value, from: &str) -> Value {
    match value {
        Value::Of { node, text } => match narrow(built, node, from) {
            Instances::All(mut list) if list.len() == 1 => part_of(list.remove(0), text),
            Instances::All(list) if list.is_empty() => part_of(plain(node), text),
            Instances::All(list) => {
                let all = list.into_iter().map(|node| part_of(node, text));
                Value::List(all.collect())
            }
            Instances::Any(address, _) => part_of(address, text),
        },
        Value::List(list) => {
            let list = list.iter().map(|one| narrowed(built, one, from));
            Value::List(list.collect())
        }
        Value::Map(map) => {
            let map = map.iter();
            Value::Map(
                map.map(|(name, one)| (name.clone(), narrowed(built, one, from)))
                    .collect(),
            )
        }
        other => other.clone(),
    }
}
