//! The instances of a block: what `count` and `for_each` repeat, and what each one is given.

use std::sync::Arc;

use super::evaluate::{Evaluator, Repeat};
use super::graph::Values;
use super::quote::without_literals;
use super::terraform::Block;
use super::value::Budget;

/// The instances of one block.
pub struct Instances {
    pub all: Vec<Instance>,
    /// Why their number is not known.
    pub unknown: Option<String>,
    /// The expression that decides their number, if it is not known.
    pub repeated_by: Option<String>,
}

/// An instance, or several that are not told apart.
pub struct Instance {
    /// How its address ends: `["web"]`.
    pub end: String,
    /// What it has; several of them if their number is not known.
    pub values: Arc<Vec<Values>>,
    /// How many it stands for, if known.
    pub count: Option<usize>,
}

/// The instances of a block, each of which stands for `size` blocks. Equal ones are evaluated once.
pub fn instances(
    evaluator: &Evaluator<'_>,
    budget: &Budget,
    block: &Block,
    size: usize,
) -> Instances {
    let repeat = evaluator.repeat(block);
    if let Repeat::Unknown { argument, text, .. } = &*repeat {
        // One node stands for all instances, because their number is not known.
        let scopes = repeat.scopes();
        let values = scopes.map(|(_, scope)| evaluator.instance(&block.body, &scope));
        let only = Instance {
            end: String::new(),
            values: Arc::new(values.collect()),
            count: None,
        };
        return Instances {
            all: vec![only],
            unknown: Some(format!("`{argument}` is `{}`", without_literals(text))),
            repeated_by: Some(text.clone()),
        };
    }
    Instances {
        all: known(evaluator, budget, block, size, &repeat),
        unknown: None,
        repeated_by: None,
    }
}

fn known(
    evaluator: &Evaluator<'_>,
    budget: &Budget,
    block: &Block,
    size: usize,
    repeat: &Repeat,
) -> Vec<Instance> {
    let count = repeat.count().unwrap_or_default();
    let mut scopes = repeat.scopes();
    let Some((end, scope)) = scopes.next() else {
        return Vec::new();
    };
    // The evaluator notes whether a value depends on `count` or `each`: else the instances are equal.
    evaluator.has_used_instance.set(false);
    let values = Arc::new(vec![evaluator.instance(&block.body, &scope)]);
    let differs = evaluator.has_used_instance.get();
    let others = (count - 1).saturating_mul(size);
    if !differs && !budget.has_instances(others) {
        // More equal ones than are told apart: one stands for all.
        return vec![Instance {
            end: String::new(),
            values,
            count: Some(count),
        }];
    }
    let mut all = vec![Instance {
        end,
        values: Arc::clone(&values),
        count: Some(1),
    }];
    for (end, scope) in scopes {
        // The budget keeps the reason, and whoever checks it next fails with that.
        if budget.take_instances(size).is_none() {
            break;
        }
        let values = if differs {
            Arc::new(vec![evaluator.instance(&block.body, &scope)])
        } else {
            Arc::clone(&values)
        };
        let count = Some(1);
        all.push(Instance { end, values, count });
    }
    all
}
