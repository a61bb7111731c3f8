//! What `count`, `for_each` and `enabled` make of a block: the keys of its instances, and what each one is given.

use std::collections::BTreeMap;
use std::rc::Rc;

use hcl::expr::Expression;

use super::{Evaluator, Scope};
use crate::address::{named, numbered};
use crate::elements::elements;
use crate::terraform::Block;
use crate::value::Value;

/// How often a block is repeated.
#[derive(Debug)]
pub enum Repeat {
    /// It is not: its only instance has no key.
    Once,
    /// Its `enabled` is false: there is none, and it is null.
    Disabled,
    Count(usize),
    /// By `for_each`: the values by their keys.
    Each(BTreeMap<String, Value>),
    /// Only Terraform knows.
    Unknown {
        /// `count`, `for_each` or `enabled`.
        argument: &'static str,
        /// Its expression.
        text: String,
        /// What some instances are given, if known.
        values: Vec<Value>,
    },
}

impl Repeat {
    /// The instances: how their addresses end, and what is in their scopes.
    pub fn scopes(&self) -> Box<dyn Iterator<Item = (String, Scope)> + '_> {
        let plain = Scope::default();
        match self {
            Repeat::Once => Box::new(std::iter::once((String::new(), plain))),
            Repeat::Disabled => Box::new(std::iter::empty()),
            Repeat::Count(count) => Box::new((0..*count).map(move |at| {
                let index = BTreeMap::from([("index".to_owned(), Value::Number(at as f64))]);
                (numbered(at), plain.with("count", Value::Map(index)))
            })),
            Repeat::Each(values) => Box::new(values.iter().map(move |(key, value)| {
                let scope = plain.each("each", Value::Text(key.clone()), value.clone());
                (named(key), scope)
            })),
            Repeat::Unknown {
                argument, values, ..
            } => Box::new(values.iter().map(move |value| {
                let key = Value::Unknown("each.key".to_owned());
                let scope = match *argument {
                    "for_each" => plain.each("each", key, value.clone()),
                    _ => plain.clone(),
                };
                (String::new(), scope)
            })),
        }
    }

    /// What is in the scope of the instance with a key.
    pub fn scope(&self, key: Option<&Value>) -> Option<Scope> {
        let plain = Scope::default();
        match (self, key) {
            (Repeat::Once, _) => Some(plain),
            (Repeat::Count(_), Some(key)) => {
                let at = Value::Number(key.as_text()?.parse().ok()?);
                let index = BTreeMap::from([("index".to_owned(), at)]);
                Some(plain.with("count", Value::Map(index)))
            }
            (Repeat::Each(values), Some(key)) => {
                let key = key.as_text()?;
                let value = values.get(&key)?.clone();
                Some(plain.each("each", Value::Text(key), value))
            }
            _ => None,
        }
    }

    /// How many instances there are, if known.
    pub fn count(&self) -> Option<usize> {
        match self {
            Repeat::Once => Some(1),
            Repeat::Disabled => Some(0),
            Repeat::Count(count) => Some(*count),
            Repeat::Each(values) => Some(values.len()),
            Repeat::Unknown { .. } => None,
        }
    }

    /// How the address of the instance with a key ends; `None` if there is none.
    pub fn end(&self, key: &Value) -> Option<String> {
        match self {
            Repeat::Count(count) => {
                let at: usize = key.as_text()?.parse().ok()?;
                (at < *count).then(|| numbered(at))
            }
            Repeat::Each(values) => {
                let key = key.as_text()?;
                values.contains_key(&key).then(|| named(&key))
            }
            Repeat::Once | Repeat::Disabled | Repeat::Unknown { .. } => None,
        }
    }
}

impl Evaluator<'_> {
    /// How often a block of this module is repeated.
    pub fn repeat(&self, block: &Block) -> Rc<Repeat> {
        let address = block.address();
        if let Some(known) = self.repeats.borrow().get(&address) {
            return Rc::clone(known);
        }
        // The number of instances depends on one of these instances, which Terraform refuses.
        if !self.under_way.borrow_mut().insert(address.clone()) {
            let argument = "for_each";
            return Rc::new(Repeat::Unknown {
                argument,
                text: "itself".to_owned(),
                values: vec![Value::Unknown("itself".to_owned())],
            });
        }
        // What is used here is the same for every instance.
        let had_used = self.has_used_instance.get();
        let repeat = Rc::new(self.evaluated(block));
        self.has_used_instance.set(had_used);
        self.under_way.borrow_mut().remove(&address);
        let mut repeats = self.repeats.borrow_mut();
        repeats.insert(address, Rc::clone(&repeat));
        repeat
    }

    fn evaluated(&self, block: &Block) -> Repeat {
        let plain = Scope::default();
        if let Some(count) = block.body.attribute("count") {
            let value = self.value(count, &plain);
            let number = match &value {
                Value::Number(count) => Some(*count),
                // Terraform converts a text to a number.
                Value::Text(text) => text.parse().ok(),
                _ => None,
            };
            return match number {
                Some(count) if count >= 0.0 => Repeat::Count(count as usize),
                _ => Repeat::Unknown {
                    argument: "count",
                    text: value.unknown().unwrap_or("no number").to_owned(),
                    values: vec![Value::Null],
                },
            };
        }
        let Some(each) = block.body.attribute("for_each") else {
            return match block.body.enabled() {
                Some(enabled) => self.enabled(enabled),
                None => Repeat::Once,
            };
        };
        let each = self.value(each, &plain);
        let unnumbered = match &each {
            Value::List(list) => list.iter().map(any_of).collect(),
            // The instances differ in number, and not only in their values.
            Value::Choice { text, .. } => vec![Value::Unknown(text.clone())],
            of => vec![of.clone()],
        };
        let text = match elements(each, false) {
            Ok(elements) => {
                let keyed = elements.into_iter();
                let keyed = keyed.map(|(key, value)| Some((key.as_text()?, value)));
                match keyed.collect::<Option<_>>() {
                    Some(values) => return Repeat::Each(values),
                    None => "a set of something that is not text".to_owned(),
                }
            }
            Err(text) => text,
        };
        // How many there are is not known, but what each of them is of may be.
        Repeat::Unknown {
            argument: "for_each",
            text,
            values: unnumbered,
        }
    }
}

impl Evaluator<'_> {
    /// How often a block is there that may be turned off.
    fn enabled(&self, enabled: &Expression) -> Repeat {
        let value = self.value(enabled, &Scope::default());
        match &value {
            Value::Bool(true) => Repeat::Once,
            Value::Bool(false) => Repeat::Disabled,
            // A text is converted to a boolean.
            Value::Text(text) if text == "true" => Repeat::Once,
            Value::Text(text) if text == "false" => Repeat::Disabled,
            value => Repeat::Unknown {
                argument: "enabled",
                text: value.unknown().unwrap_or("no boolean").to_owned(),
                values: vec![Value::Null],
            },
        }
    }
}

/// An element of a list; any one of those whose number is not known.
fn any_of(element: &Value) -> Value {
    match element {
        Value::Several(text) => Value::Unknown(text.clone()),
        element => element.clone(),
    }
}
