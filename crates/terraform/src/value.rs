//! Values of expressions, and the budget that bounds them.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use super::address::parts;
use super::unusable::Unusable;

/// How many bytes all values of a configuration may have, each counted whenever it is computed or copied.
const BYTES: usize = 384 * 1024 * 1024;
/// How deep expressions and the local values in them may nest.
const DEPTH: usize = 500;
/// How many instances of repeated blocks are looked at, besides the first one of each.
const INSTANCES: usize = 20_000;
/// What a value costs besides its text.
const OVERHEAD: usize = 48;

/// The value of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// As if it were left out.
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    /// A list, a set, or a repeated block.
    List(Vec<Value>),
    /// An object, a map, or the inside of a block.
    Map(BTreeMap<String, Value>),
    /// An attribute of a node, known only to Terraform.
    Of {
        node: String,
        /// The expression.
        text: String,
    },
    /// Known only to Terraform: the expression.
    Unknown(String),
    /// Elements of a list that only Terraform knows: none, one, or several. The expression.
    Several(String),
    /// One of these values, and only Terraform knows which.
    Choice {
        /// The expression.
        text: String,
        /// The values of its branches, none of which is a choice.
        of: Vec<Value>,
    },
    /// Text of which only parts are known: the expression, and the text with one of [`HOLES`] in the place of each other part.
    Partial {
        /// The expression.
        text: String,
        /// What is known.
        known: String,
    },
    /// Not to be shown, and so not looked at either.
    Sensitive,
}

/// What stands for a part of a text that is not known. No text of a configuration has this character.
pub const HOLE: char = '\u{F8F0}';
/// The same for an identifier of a resource, which is neither empty nor a wildcard.
pub const NAMED: char = '\u{F8F2}';
/// The same for the account of a service, as Google writes the members of roles.
const ACCOUNT: char = '\u{F8F3}';
/// What such a member begins with.
const OF_SERVICE: &str = "serviceAccount:";
/// All that stands for what is not known.
pub const HOLES: [char; 3] = [HOLE, NAMED, ACCOUNT];

/// Whether a text that is known in part may be this one.
pub fn may_be(known: &str, text: &str) -> bool {
    if known.contains(ACCOUNT) && !text.contains(OF_SERVICE) {
        return false;
    }
    // Only what stands before the first hole and after the last one is compared.
    let start = known.split(HOLES).next().unwrap_or_default();
    let end = known.rsplit(HOLES).next().unwrap_or_default();
    text.starts_with(start) && text.ends_with(end) && start.len() + end.len() <= text.len()
}

/// Attributes of resources that are never empty or `*`.
const IDENTIFIERS: [&str; 7] = [
    ".account_id",
    ".arn",
    ".iam_arn",
    ".id",
    ".invoke_arn",
    ".name",
    ".unique_id",
];

/// Attributes of Google's resources that are accounts of services, as the members of roles are written: never everyone.
/// Source: the attributes of `google_service_account`, `google_project_service_identity` and `google_logging_project_sink`.
const ACCOUNTS: [&str; 2] = [".member", ".writer_identity"];

/// What stands for a value that is not to be shown, as Terraform prints it.
pub const SENSITIVE: &str = "(sensitive value)";

impl From<serde_json::Value> for Value {
    fn from(json: serde_json::Value) -> Self {
        use serde_json::Value as Json;
        match json {
            Json::Null => Value::Null,
            Json::Bool(flag) => Value::Bool(flag),
            Json::Number(number) => Value::Number(number.as_f64().unwrap_or_default()),
            Json::String(text) => Value::Text(text),
            Json::Array(list) => Value::List(list.into_iter().map(Value::from).collect()),
            Json::Object(map) => {
                let entries = map.into_iter();
                Value::Map(entries.map(|(name, value)| (name, value.into())).collect())
            }
        }
    }
}

impl Value {
    /// The expression of a value that only Terraform knows.
    pub fn unknown(&self) -> Option<&str> {
        match self {
            Value::Of { text, .. }
            | Value::Unknown(text)
            | Value::Several(text)
            | Value::Choice { text, .. }
            | Value::Partial { text, .. } => Some(text),
            Value::Sensitive => Some(SENSITIVE),
            _ => None,
        }
    }

    /// Whether it stands for elements of a list, and it is not known how many.
    pub fn is_several(&self) -> bool {
        matches!(self, Value::Several(_))
    }

    /// Whether it is an identifier of a resource.
    pub fn is_identifier(&self) -> bool {
        matches!(self, Value::Of { text, .. } if IDENTIFIERS.iter().any(|end| text.ends_with(end)))
    }

    /// Whether it is the account of a service that Google has made, as the members of roles are written.
    pub fn is_account(&self) -> bool {
        let Value::Of { node, text } = self else {
            return false;
        };
        // What gives roles has such an argument, which may be everyone.
        let type_name = parts(node).into_iter().rev().nth(1).unwrap_or_default();
        let is_made = type_name.starts_with("google_") && !type_name.contains("_iam_");
        is_made && ACCOUNTS.iter().any(|end| text.ends_with(end))
    }

    /// What stands for it in a text if it is not known.
    pub fn hole(&self) -> char {
        if self.is_account() {
            ACCOUNT
        } else if self.is_identifier() {
            NAMED
        } else {
            HOLE
        }
    }

    /// Whether all of it is known, or is of a resource.
    pub fn is_known(&self) -> bool {
        match self {
            Value::List(list) => list.iter().all(Value::is_known),
            Value::Map(map) => map.values().all(Value::is_known),
            Value::Unknown(_)
            | Value::Several(_)
            | Value::Choice { .. }
            | Value::Partial { .. }
            | Value::Sensitive => false,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Of { .. } => {
                true
            }
        }
    }

    /// The text of a value that can be part of another text.
    pub fn as_text(&self) -> Option<String> {
        match self {
            Value::Text(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(flag) => Some(flag.to_string()),
            _ => None,
        }
    }

    /// How many bytes it takes.
    pub fn size(&self) -> usize {
        OVERHEAD
            + match self {
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::Sensitive => 0,
                Value::Text(text) | Value::Unknown(text) | Value::Several(text) => text.len(),
                Value::Choice { text, of } => {
                    text.len() + of.iter().map(Value::size).sum::<usize>()
                }
                Value::Of { node, text } => node.len() + text.len(),
                Value::Partial { text, known } => text.len() + known.len(),
                Value::List(list) => list.iter().map(Value::size).sum(),
                Value::Map(map) => map.iter().map(|(name, v)| name.len() + v.size()).sum(),
            }
    }
}

/// How much may be taken: bytes of values, and instances of repeated blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    pub bytes: usize,
    pub instances: usize,
}

impl Limit {
    /// Of all root modules together.
    pub const ALL: Self = Self {
        bytes: BYTES,
        instances: INSTANCES,
    };

    /// The share of each of so many.
    pub fn shared_by(self, count: usize) -> Self {
        let count = count.max(1);
        Self {
            bytes: self.bytes / count,
            instances: self.instances / count,
        }
    }

    /// What is left of it.
    pub fn without(self, taken: Self) -> Self {
        Self {
            bytes: self.bytes.saturating_sub(taken.bytes),
            instances: self.instances.saturating_sub(taken.instances),
        }
    }
}

/// What the values of one root module may cost. When it is used up, everything else is unknown and the module fails.
#[derive(Debug)]
pub struct Budget {
    limit: Limit,
    left: Cell<Limit>,
    depth: Cell<usize>,
    exceeded: RefCell<Option<Unusable>>,
    is_used_up: Cell<bool>,
    /// Whether more may be had: then it is exceeded where otherwise something would not be looked at.
    is_share: bool,
}

impl Default for Budget {
    fn default() -> Self {
        Self::of(Limit::ALL)
    }
}

impl Budget {
    pub fn of(limit: Limit) -> Self {
        Self {
            limit,
            left: Cell::new(limit),
            depth: Cell::new(0),
            exceeded: RefCell::default(),
            is_used_up: Cell::new(false),
            is_share: false,
        }
    }

    /// A share of what may be had.
    pub fn of_share(limit: Limit) -> Self {
        Self {
            is_share: true,
            ..Self::of(limit)
        }
    }

    /// What has been taken of it.
    pub fn taken(&self) -> Limit {
        self.limit.without(self.left.get())
    }

    /// Whether it was exceeded.
    pub fn is_used_up(&self) -> bool {
        self.is_used_up.get()
    }

    /// Takes so many bytes; `None` if they are not left.
    pub fn take(&self, bytes: usize) -> Option<()> {
        if self.is_used_up() {
            return None;
        }
        let mut left = self.left.get();
        if let Some(rest) = left.bytes.checked_sub(bytes) {
            left.bytes = rest;
            self.left.set(left);
            return Some(());
        }
        self.exceed(self.of_bytes());
        None
    }

    /// Takes so many bytes for a value that the analysis can do without; `None` if less than half would be left, which exceeds
    /// nothing.
    pub fn spare(&self, bytes: usize) -> Option<()> {
        let left = self.left.get().bytes.saturating_sub(bytes);
        if left >= self.limit.bytes / 2 {
            return self.take(bytes);
        }
        if self.is_share {
            self.exceed(self.of_bytes());
        }
        None
    }

    fn of_bytes(&self) -> String {
        let limit = self.limit.bytes / (1024 * 1024);
        format!(
            "The configuration's values take more than {limit} MB. Local values may multiply each other."
        )
    }

    fn of_instances(&self) -> String {
        let limit = self.limit.instances;
        format!(
            "`count` and `for_each` make more than {limit} instances that differ. Split the configuration."
        )
    }

    /// Runs `inside` one level deeper; `None` if there is no deeper level.
    pub fn nested<T>(&self, inside: impl FnOnce() -> T) -> Option<T> {
        let depth = self.depth.get();
        if depth >= DEPTH {
            self.exceed(format!(
                "The configuration's expressions and local values depend on each other more than {DEPTH} levels deep."
            ));
            return None;
        }
        self.depth.set(depth + 1);
        let value = inside();
        self.depth.set(depth);
        Some(value)
    }

    /// Whether so many more instances are left.
    pub fn has_instances(&self, count: usize) -> bool {
        let has = count <= self.left.get().instances;
        if !has && self.is_share {
            self.exceed(self.of_instances());
        }
        has
    }

    /// Takes more instances of repeated blocks; `None` if they are not left.
    pub fn take_instances(&self, count: usize) -> Option<()> {
        if self.is_used_up() {
            return None;
        }
        let mut left = self.left.get();
        if let Some(rest) = left.instances.checked_sub(count) {
            left.instances = rest;
            self.left.set(left);
            return Some(());
        }
        self.exceed(self.of_instances());
        None
    }

    fn exceed(&self, reason: String) {
        self.is_used_up.set(true);
        self.exceeded
            .borrow_mut()
            .get_or_insert_with(|| Unusable(reason));
    }

    /// # Errors
    /// The budget was exceeded.
    pub fn check(&self) -> Result<(), Unusable> {
        self.exceeded.borrow_mut().take().map_or(Ok(()), Err)
    }
}
