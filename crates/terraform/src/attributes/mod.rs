//! A node's attributes for the graph: its values without secrets, in a bounded size.

mod allowed;

use std::cell::Cell;
use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use sha2::{Digest as _, Sha256};

use super::hash_key::HashKey;
use super::quote::without_literals;
use super::rules::conditions::decides;
use super::rules::types::{self, Kept};
use super::secret::{has_secret, source};
use super::value::{SENSITIVE, Value};
use allowed::{ALLOWED, BLOCKS, EVERYWHERE, PROVIDERS};

/// Longer texts are stored as a hash, so that a change still shows.
const MAX_TEXT: usize = 512;
/// Lists and maps with more entries are stored as a hash.
const MAX_ENTRIES: usize = 100;
/// How deep attributes nest.
const MAX_DEPTH: usize = 8;

/// Parts of names that stand for something secret by themselves.
const SECRET: [&str; 11] = [
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "secret",
    "secrets",
    "token",
    "tokens",
    "credential",
    "credentials",
    "apikey",
];
/// Parts of names that make a key secret: `private_key`, and not `kms_key_id`.
const SECRET_KEYS: [&str; 8] = [
    "private",
    "access",
    "api",
    "auth",
    "shared",
    "signing",
    "encryption",
    "master",
];

/// Attributes that are secret in resources of a type, whatever they are called.
const HIDDEN: [(&str, &str); 12] = [
    ("aws_api_gateway_api_key", "value"),
    ("aws_elasticache_user", "authentication_mode"),
    ("aws_elasticache_user", "passwords"),
    ("aws_instance", "user_data_base64"),
    ("aws_kms_ciphertext", "plaintext"),
    ("aws_lambda_invocation", "input"),
    ("aws_ssm_parameter", "insecure_value"),
    ("aws_ssm_parameter", "value"),
    ("kubernetes_secret", "binary_data"),
    ("kubernetes_secret", "data"),
    ("kubernetes_secret_v1", "data"),
    ("local_sensitive_file", "content"),
];
/// Attributes that have JSON, with environment variables in it.
const CONTAINERS: [&str; 2] = ["container_definitions", "container_properties"];
/// Blocks and members with environment variables.
const ENVIRONMENT: [&str; 5] = [
    "environment",
    "environment_variable",
    "environment_variables",
    // Of an origin of CloudFront.
    "custom_header",
    "runtime_environment_variables",
];

/// Names and values that people give to find resources again.
const TAGS: [&str; 3] = ["labels", "tags", "tags_all"];
/// The tags that pictures show.
const SHOWN_TAGS: [&str; 2] = ["Name", "name"];
/// Arguments that have JSON of which pictures need a part.
const DOCUMENTS: [&str; 4] = [
    "access_policies",
    "assume_role_policy",
    "policy",
    "redrive_policy",
];
/// The member of a statement with its conditions: tests with variables with values.
const CONDITION: &str = "Condition";
/// The argument that says it, the argument that decides, and for which values of the first one.
type Selected = (&'static str, &'static str, fn(&str) -> bool);
/// Blocks of which one argument says whether the value of another one decides: which, and when.
const SELECTED: [Selected; 2] = [
    ("variable", "values", decides),
    ("name", "value", is_scheme),
];

/// The setting of an environment of Elastic Beanstalk that decides.
fn is_scheme(name: &str) -> bool {
    name == "ELBScheme"
}

/// The names of the arguments of a type that rules or pictures need.
pub fn needed(type_name: &str) -> impl Iterator<Item = &str> {
    let shown = ALLOWED.iter().chain(&DOCUMENTS).copied();
    shown.chain(types::kept(type_name).names())
}

/// Whether a name stands for a secret.
pub fn is_secret(name: &str) -> bool {
    let mut words: Vec<String> = Vec::new();
    let mut was_lower = false;
    for c in name.chars() {
        // A capital after a small letter begins a word, too: `dbPassword`.
        if !c.is_ascii_alphanumeric() || (c.is_ascii_uppercase() && was_lower) || words.is_empty() {
            words.push(String::new());
        }
        was_lower = c.is_ascii_lowercase();
        if let Some(word) = words.last_mut().filter(|_| c.is_ascii_alphanumeric()) {
            word.push(c.to_ascii_lowercase());
        }
    }
    // `secret_arn` names a secret, and is not one.
    let is_reference = matches!(
        words.last().map(String::as_str),
        Some("arn" | "id" | "name" | "arns" | "ids")
    );
    let has_key = words.iter().any(|word| word == "key" || word == "keys");
    (has_any(&words, &SECRET) || has_key && has_any(&words, &SECRET_KEYS)) && !is_reference
        || name == "user_data"
}

fn has_any(words: &[String], list: &[&str]) -> bool {
    words.iter().any(|word| list.contains(&word.as_str()))
}

/// The attributes of a resource as they are stored, and the number of values that are left out of them. Stored are those
/// that rules and pictures need; the others stand as a hash, so that a change still shows.
pub fn redact(type_name: &str, values: &BTreeMap<String, Value>, key: &HashKey) -> (Json, usize) {
    let provider = type_name.split('_').next().unwrap_or_default();
    let redacted = Cell::new(0);
    let place = Place {
        depth: 0,
        environment: Environment::Outside,
        lists: PROVIDERS.contains(&provider),
        is_open: true,
        is_tags: false,
        is_allowed: false,
        is_selected: false,
        document: Document::Outside,
        kept: types::kept(type_name),
        redacted: &redacted,
        key,
    };
    let shown = values.iter().filter_map(|(name, value)| {
        let is_hidden = HIDDEN.contains(&(type_name, name.as_str()));
        let value = match value {
            Value::Null => return None,
            _ if is_hidden => place.sensitive(),
            Value::Text(text) if type_name == "module" && name == "source" => json!(source(text)),
            value => member(name, name, value, place)?,
        };
        Some((name.clone(), value))
    });
    let shown = Json::Object(shown.collect());
    (shown, redacted.get())
}

/// The SHA-256 of all instances' attributes; `None` if there are not several.
pub fn of_all(
    type_name: &str,
    instances: &[BTreeMap<String, Value>],
    key: &HashKey,
) -> Option<String> {
    if instances.len() < 2 {
        return None;
    }
    let mut hash = Sha256::new();
    for values in instances {
        hash.update(redact(type_name, values, key).0.to_string());
        hash.update("\n");
    }
    Some(format!("sha256:{}", hex::encode(hash.finalize())))
}

/// Whether a value is an environment variable's, whose literal may be a secret whatever its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Environment {
    Outside,
    Inside,
    Value,
}

impl Environment {
    fn of(self, name: &str, value: &Value) -> Self {
        match (self, name, value) {
            (Environment::Value, ..) | (Environment::Inside, "value" | "variables", _) => {
                Environment::Value
            }
            (_, name, Value::Map(map)) if ENVIRONMENT.contains(&name) => {
                let mut values = map.values();
                if values.all(|value| !matches!(value, Value::List(_) | Value::Map(_))) {
                    Environment::Value
                } else {
                    Environment::Inside
                }
            }
            (_, name, Value::List(_)) if ENVIRONMENT.contains(&name) => Environment::Inside,
            (outer, ..) => outer,
        }
    }
}

/// Whether a value is in a policy.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Document {
    Outside,
    Inside,
    /// The tests of a condition, and the variables of one of them.
    Tests,
    Variables,
}

impl Document {
    /// Where a member of a document is.
    fn inside(self, name: &str) -> Self {
        match (self, name) {
            (Document::Outside, _) => Document::Outside,
            (Document::Inside, CONDITION) => Document::Tests,
            (Document::Tests, _) => Document::Variables,
            (Document::Inside | Document::Variables, _) => Document::Inside,
        }
    }
}

/// Where a value is.
#[derive(Clone, Copy)]
struct Place<'c> {
    depth: usize,
    environment: Environment,
    /// Whether the list of names applies.
    lists: bool,
    /// Whether all blocks around it are in the list of blocks.
    is_open: bool,
    /// Whether it is in tags.
    is_tags: bool,
    /// Whether the value is of a name in the list, or decides a finding.
    is_allowed: bool,
    /// Whether another argument of its block says that it decides.
    is_selected: bool,
    document: Document,
    /// What decides findings of the type.
    kept: &'c Kept,
    redacted: &'c Cell<usize>,
    key: &'c HashKey,
}

impl Place<'_> {
    fn deeper(self) -> Self {
        let depth = self.depth + 1;
        Self { depth, ..self }
    }

    fn sensitive(self) -> Json {
        self.redacted.set(self.redacted.get() + 1);
        json!(SENSITIVE)
    }

    /// The start of a keyed hash: it shows a change, and confirms no guess.
    fn hashed(self, bytes: &[u8]) -> Json {
        self.redacted.set(self.redacted.get() + 1);
        json!(self.key.hash(bytes))
    }

    /// Whether the names of members are stored.
    fn shows_members(self) -> bool {
        self.is_open
            || self.is_tags
            || self.environment != Environment::Outside
            || self.document != Document::Outside
    }

    /// Whether a member of this name is stored.
    fn allows(self, name: &str) -> bool {
        match (self.is_tags, self.lists) {
            (true, _) => SHOWN_TAGS.contains(&name),
            (false, true) => {
                (self.is_open || self.document != Document::Outside)
                    && ALLOWED.binary_search(&name).is_ok()
            }
            (false, false) => self.depth == 0 && EVERYWHERE.contains(&name),
        }
    }
}

/// What is stored of a member of a map; `None` if it is left out.
fn member(name: &str, path: &str, value: &Value, place: Place<'_>) -> Option<Json> {
    let parsed;
    let decides_condition = place.document == Document::Variables && decides(name);
    let is_document = DOCUMENTS.contains(&name) || place.kept.is_document(path);
    let value = match value {
        Value::Null => return None,
        // `token.actions.githubusercontent.com:sub` is a key of a condition.
        _ if is_secret(name) && !decides_condition => return Some(place.sensitive()),
        Value::Text(text) if CONTAINERS.contains(&name) => {
            let json = serde_json::from_str::<Json>(text);
            parsed = json.map_or(Value::Sensitive, Value::from);
            &parsed
        }
        Value::Text(text) if is_document => match serde_json::from_str::<Json>(text) {
            Ok(json) => {
                parsed = Value::from(json);
                &parsed
            }
            Err(_) => value,
        },
        // The expression may have any of it as literals.
        Value::Unknown(_) | Value::Choice { .. } | Value::Partial { .. }
            if CONTAINERS.contains(&name) =>
        {
            &Value::Sensitive
        }
        value => value,
    };
    let environment = place.environment.of(name, value);
    let place = Place {
        environment,
        is_open: place.is_open
            && (BLOCKS.binary_search(&name).is_ok() || place.kept.has_block(path)),
        is_tags: place.depth == 0 && TAGS.contains(&name),
        is_allowed: place.allows(name)
            || place.kept.has(path)
            || place.is_selected
            || decides_condition,
        is_selected: false,
        document: if is_document {
            Document::Inside
        } else {
            place.document.inside(name)
        },
        ..place
    };
    one(path, value, place)
}

fn map(path: &str, values: &BTreeMap<String, Value>, place: Place<'_>) -> Json {
    let mut shown = serde_json::Map::new();
    for (name, value) in values {
        let place = Place {
            is_selected: place.lists && is_selected(values, name),
            ..place
        };
        let inside = member(name, &format!("{path}.{name}"), value, place);
        shown.extend(inside.map(|value| (name.clone(), value)));
    }
    Json::Object(shown)
}

/// Whether another argument of the block says that the value of this one decides.
fn is_selected(values: &BTreeMap<String, Value>, name: &str) -> bool {
    let mut selected = SELECTED.iter().filter(|(_, of, _)| *of == name);
    selected.any(|(by, _, is)| matches!(values.get(*by), Some(Value::Text(text)) if is(text)))
}

fn one(path: &str, value: &Value, place: Place<'_>) -> Option<Json> {
    let is_deep = place.depth >= MAX_DEPTH;
    Some(match value {
        Value::Null => return None,
        Value::Sensitive => place.sensitive(),
        Value::Number(_)
        | Value::Text(_)
        | Value::Unknown(_)
        | Value::Several(_)
        | Value::Choice { .. }
        | Value::Partial { .. }
            if place.environment == Environment::Value =>
        {
            place.sensitive()
        }
        Value::Bool(_) if place.environment == Environment::Value => place.sensitive(),
        Value::Bool(flag) => json!(flag),
        Value::Number(number) if !place.is_allowed => place.hashed(number.to_string().as_bytes()),
        // A float has every whole number up to 2^53.
        Value::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
            json!(*number as i64)
        }
        Value::Number(number) => json!(number),
        Value::Text(text) if has_secret(text) => place.sensitive(),
        Value::Text(text) if !place.is_allowed => place.hashed(text.as_bytes()),
        Value::Text(text) if text.len() > MAX_TEXT => json!(place.key.hash(text.as_bytes())),
        Value::Text(text) => json!(text),
        Value::Of { text, .. }
        | Value::Unknown(text)
        | Value::Several(text)
        | Value::Choice { text, .. }
        | Value::Partial { text, .. } => {
            // What is written in an expression is no less secret than a value.
            let shown = without_literals(text);
            if has_secret(&shown) {
                place.sensitive()
            } else {
                json!(format!("${{{shown}}}"))
            }
        }
        Value::List(list) if is_deep || list.len() > MAX_ENTRIES => {
            json!(place.key.hash(format!("{list:?}").as_bytes()))
        }
        Value::List(list) => list
            .iter()
            .filter_map(|item| one(path, item, place.deeper()))
            .collect(),
        Value::Map(values) if is_deep || values.len() > MAX_ENTRIES => {
            json!(place.key.hash(format!("{values:?}").as_bytes()))
        }
        // Members of what is not in the list of blocks may have names of their own.
        Value::Map(values) if !place.shows_members() => {
            place.hashed(format!("{values:?}").as_bytes())
        }
        // Tags and variables may be secrets by their own names.
        Value::Map(values) => map(path, values, place.deeper()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_known_by_their_names() {
        for name in [
            "password",
            "master_password",
            "DB_PASSWORD",
            "dbPassword",
            "client_secret",
            "auth_token",
            "private_key",
            "ACCESS_KEY",
            "apiKey",
            "secret_string",
            "user_data",
            "aws_secret_access_key",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in [
            "kms_key_id",
            "key_name",
            "hash_key",
            "key",
            "secret_arn",
            "tokenizer",
            "name",
            "master_username",
            "kms_master_key_id",
        ] {
            assert!(!is_secret(name), "{name}");
        }
    }

    #[test]
    fn secrets_are_known_by_their_form() {
        let values = BTreeMap::from([
            (
                "url".to_owned(),
                Value::Text("postgres://u:p@h/db".to_owned()),
            ),
            (
                "cidr_block".to_owned(),
                Value::Text("10.0.0.0/16".to_owned()),
            ),
            (
                "cert".to_owned(),
                Value::Text("-----BEGIN RSA PRIVATE KEY-----".to_owned()),
            ),
            ("user_text".to_owned(), Value::Text("x".repeat(600))),
        ]);
        let (shown, redacted) = redact("aws_instance", &values, &HashKey::random());
        assert_eq!(redacted, 3);
        assert_eq!(shown["cidr_block"], "10.0.0.0/16");
        assert!(shown["user_text"].as_str().unwrap().starts_with("sha256:"));
        assert_eq!(shown["url"], SENSITIVE);
        assert_eq!(shown["cert"], SENSITIVE);
    }
}
