//! Whether a resource certainly protects another one: it has to be there whenever the other one is, and in the same place.

use std::collections::BTreeSet;

use super::look::{Answer, at, same};
use super::named::Named;
use crate::address::{parts, split};
use crate::graph::{Built, Node, Values};
use crate::value::Value;

/// What a resource protects that names no other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Everything in its account.
    Account,
    /// Everything in its account and region.
    Region,
}

/// An answer that says that something holds, unless there is a doubt.
pub fn unless(answer: Answer, doubt: Option<String>) -> Answer {
    match (answer, doubt) {
        (Answer::Yes, Some(reason)) => Answer::Unknown(reason),
        (answer, _) => answer,
    }
}

/// The answer for all instances of a node, because it is not known which of them counts; unknown if they differ.
pub fn together(built: &Built, id: &str, judge: impl Fn(&Values) -> Answer) -> Answer {
    let instances = built.instances(id);
    // What has no instance protects nothing.
    if instances.is_empty() {
        return Answer::No;
    }
    same(instances.iter().map(judge))
        .unwrap_or_else(|| Answer::Unknown(format!("The instances of `{id}` differ.")))
}

/// The answer of a resource for a node that it names, unless it may name another one, or be missing where the node is.
pub fn for_named(
    built: &Built,
    by: &str,
    what: &str,
    named: &Named,
    node: &str,
    answer: Answer,
) -> Answer {
    let doubt = match named.only() {
        Some(_) => may_be_missing(built, by, node),
        None => Some(which(what, by)),
    };
    unless(answer, doubt)
}

/// Why a resource decides nothing that may be about any other one.
pub fn which(what: &str, by: &str) -> String {
    format!("Which {what} `{by}` is about is not known.")
}

/// Why a resource may be missing where another one is; `None` if it is there.
pub fn may_be_missing(built: &Built, by: &str, of: &str) -> Option<String> {
    let mut there = conditions(built, of);
    // What is repeated by it is there as often as it is.
    there.insert((split(of).0.to_owned(), of.to_owned()));
    let mut own = conditions(built, by).into_iter();
    let (_, id) = own.find(|(condition, _)| !there.iter().any(|(one, _)| one == condition))?;
    Some(format!("The number of instances of `{id}` is not known."))
}

/// Whether every node at an address is there, whatever is not known.
pub fn is_certain(built: &Built, address: &str) -> bool {
    let nodes = built.at(address);
    nodes.iter().all(|id| conditions(built, id).is_empty())
}

/// Why a resource of an account may not be about another one; `None` if it is.
pub fn doubt(built: &Built, by: &str, of: &str, what: Of) -> Option<String> {
    let (one, other) = (built.nodes.get(by)?, built.nodes.get(of)?);
    let elsewhere = !is_same_provider(one, other)
        || !is_own_account(built, one, other)
        || (what == Of::Region && regions(one) != regions(other));
    may_be_missing(built, by, of).or_else(|| {
        elsewhere.then(|| format!("Whether `{by}` is of the same account and region is not known."))
    })
}

/// What has to hold for a node to be there, as far as that is not known: the expression, and the address that has it.
fn conditions(built: &Built, id: &str) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    let (mut end, mut prefix) = (0, "");
    for part in parts(id) {
        end += part.len();
        let address = id.get(..end).unwrap_or(id);
        if let Some(node) = built.nodes.get(address) {
            let own = split(address).0;
            let condition = match &node.repeated_by {
                // What is cut off may differ.
                Some(text) if !text.ends_with('…') => format!("{prefix}{text}"),
                _ => own.to_owned(),
            };
            if node.instances.is_none() {
                found.insert((condition, address.to_owned()));
            }
        }
        end += 1;
        if built.nodes.contains_key(address) {
            // The same text means another condition in another instance of a module.
            prefix = id.get(..end).unwrap_or(id);
        }
    }
    found
}

/// Whether two resources certainly have the same configuration of their provider.
fn is_same_provider(one: &Node, other: &Node) -> bool {
    one.provider.is_some() && one.provider == other.provider
}

/// Whether the account that a resource names is that of its provider.
fn is_own_account(built: &Built, node: &Node, other: &Node) -> bool {
    let named = node
        .values
        .iter()
        .flat_map(|values| at(values, "account_id"));
    let mut named = named.map(|value| match value {
        Value::Of { node, text } if text.ends_with(".account_id") => {
            let of = built.nodes.get(node);
            of.is_some_and(|of| {
                of.type_name == "aws_caller_identity" && is_same_provider(of, other)
            })
        }
        _ => false,
    });
    // One that names no account is in that of its provider.
    named.all(|is_own| is_own)
}

/// The regions that a resource names in the place of its provider's.
fn regions(node: &Node) -> Vec<String> {
    let named = node.values.iter().flat_map(|values| at(values, "region"));
    let named = named.map(|value| match value {
        Value::Text(text) => text.clone(),
        // Equal expressions name the same region.
        other => format!("{other:?}"),
    });
    named.collect()
}
