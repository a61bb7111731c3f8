//! Whom a rule of a security group lets in.

use std::collections::BTreeMap;

use super::look::{Answer, at, each_way, is_range_of_internet};
use super::named::{Names, PREFIXES, not_named};
use crate::address::parts;
use crate::graph::{Built, Values};
use crate::value::Value;

/// Arguments that list the sources of a rule.
const SOURCES: [&str; 4] = ["cidr_blocks", "cidr_ipv4", "cidr_ipv6", "ipv6_cidr_blocks"];
/// Types whose ranges of addresses are never the internet.
const NETWORKS: [&str; 5] = [
    "aws_default_subnet",
    "aws_default_vpc",
    "aws_subnet",
    "aws_vpc",
    "aws_vpc_ipv4_cidr_block_association",
];
/// How prefix lists are looked up, and how the names of those of AWS begin.
const LOOKED_UP: [&str; 2] = ["data.aws_ec2_managed_prefix_list.", "data.aws_prefix_list."];
const OF_AWS: &str = "com.amazonaws.";
const PREFIX_LISTS: [&str; 2] = ["prefix_list_id", "prefix_list_ids"];

/// Whether the internet gets in.
#[derive(Clone, Debug)]
pub struct LetIn {
    /// By any address.
    pub any: Answer,
    /// By an address of IPv6.
    pub six: Answer,
}

impl LetIn {
    /// Nobody gets in.
    pub const NOBODY: Self = Self {
        any: Answer::No,
        six: Answer::No,
    };

    /// The same for both.
    pub fn both(answer: Answer) -> Self {
        Self {
            six: answer.clone(),
            any: answer,
        }
    }

    /// By all of these, or by one of them that the argument at a path names, and it is not known which.
    pub fn of(all: Vec<Self>, path: Option<&str>) -> Self {
        let first = all.first().map(|first| first.any.clone());
        // Which of them is meant does not matter if their answers are the same.
        let is_same = all.iter().all(|one| Some(&one.any) == first.as_ref());
        match path.filter(|_| !is_same) {
            Some(path) => Self::both(Answer::Unknown(format!(
                "`{path}` names an instance that is not known."
            ))),
            None => all.into_iter().fold(Self::NOBODY, Self::or),
        }
    }

    /// By one or the other.
    pub fn or(self, other: Self) -> Self {
        Self {
            any: self.any.or(other.any),
            six: self.six.or(other.six),
        }
    }

    /// Only if it applies.
    pub fn and(self, applies: &Answer) -> Self {
        Self {
            any: self.any.and(applies.clone()),
            six: self.six.and(applies.clone()),
        }
    }
}

/// The ranges that prefix lists have from resources of their own.
#[derive(Debug, Default)]
pub struct Entries(BTreeMap<String, LetIn>);

impl Entries {
    /// Adds an entry; the reason if it is not known of which list, and it may be the internet.
    pub fn add(&mut self, built: &Built, names: &Names, id: &str, entry: &Values) -> Answer {
        let path = "prefix_list_id";
        let lists = names.at(built, id, entry, path, PREFIXES);
        let let_in = ranges(built, entry, "cidr");
        for list in lists.nodes {
            let before = self.0.remove(&list).unwrap_or(LetIn::NOBODY);
            self.0.insert(list, before.or(let_in.clone()));
        }
        match lists.other {
            Some(text) if let_in.any != Answer::No => not_named(path, &text),
            _ => Answer::No,
        }
    }

    /// Whom a rule lets in.
    pub fn let_in(&self, built: &Built, names: &Names, id: &str, rule: &Values) -> LetIn {
        let direct = SOURCES.iter().map(|path| ranges(built, rule, path));
        let mut let_in = direct.fold(LetIn::NOBODY, LetIn::or);
        for path in PREFIX_LISTS {
            let found = at(rule, path);
            if !found.is_empty() && found.iter().all(|list| is_of_aws(built, list)) {
                continue;
            }
            let lists = names.at(built, id, rule, path, PREFIXES);
            for list in &lists.nodes {
                for values in built.instances(list).iter() {
                    let_in = let_in.or(ranges(built, values, "entry.cidr"));
                }
                let_in = let_in.or(self.0.get(list).cloned().unwrap_or(LetIn::NOBODY));
            }
            // A list from elsewhere may have any addresses.
            if let Some(text) = lists.other {
                let_in = let_in.or(LetIn::both(not_named(path, &text)));
            }
        }
        let_in
    }
}

/// Whether a prefix list is one of AWS, which has the addresses of a service.
fn is_of_aws(built: &Built, list: &Value) -> bool {
    let Value::Of { node, .. } = list else {
        return false;
    };
    let mut looked_up = LOOKED_UP.iter();
    if !looked_up.any(|kind| node.contains(kind)) {
        return false;
    }
    let instances = built.instances(node);
    !instances.is_empty() && instances.iter().all(has_name_of_aws)
}

/// Whether a prefix list is looked up by names that only those of AWS have.
fn has_name_of_aws(values: &Values) -> bool {
    let mut names = at(values, "name");
    names.extend(at(values, "filter.values"));
    let mut each = names.iter();
    let are_of_aws = each.all(|name| match name {
        Value::Text(name) | Value::Partial { known: name, .. } => name.starts_with(OF_AWS),
        _ => false,
    });
    !names.is_empty() && are_of_aws
}

/// Whether a value is the range of a network. The provider accepts none that is wider than `/16`, or `/56` for IPv6. In a plan,
/// an argument may have another value than what it refers to.
fn is_of_network(built: &Built, value: &Value) -> bool {
    let Value::Of { node, text } = value else {
        return false;
    };
    let ends = [".cidr_block", ".ipv6_cidr_block"];
    !built.is_plan
        && ends.iter().any(|end| text.ends_with(end))
        && parts(node)
            .iter()
            .rev()
            .nth(1)
            .is_some_and(|kind| NETWORKS.contains(kind))
}

/// Whom the ranges at a path let in.
fn ranges(built: &Built, values: &Values, path: &str) -> LetIn {
    LetIn {
        any: each_way(values, path, &|values| {
            plain_ranges(built, values, path).any
        }),
        six: each_way(values, path, &|values| {
            plain_ranges(built, values, path).six
        }),
    }
}

/// The same of values none of which is a choice.
fn plain_ranges(built: &Built, values: &Values, path: &str) -> LetIn {
    let mut let_in = LetIn::NOBODY;
    let is_four = matches!(path, "cidr_blocks" | "cidr_ipv4");
    let sources = at(values, path).into_iter();
    for source in sources.filter(|source| !is_of_network(built, source)) {
        let any = is_range_of_internet(path, source);
        let is_other = matches!(source, Value::Text(text) if !text.contains(':'));
        let six = if is_four || is_other {
            Answer::No
        } else {
            any.clone()
        };
        let_in = let_in.or(LetIn { any, six });
    }
    let_in
}
