//! Items as other programs write them: an item that is right, made odd in each way that another program, an export or a
//! hand leaves behind.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::types::AttributeValue::{self, B, Bool, L, M, N, Null, S, Ss};
use serde_json::Value;
use trestle_table::TableDefinition;

pub type Item = HashMap<String, AttributeValue>;

/// Everything that a table has, by its key.
pub type Stored = BTreeMap<String, Item>;

/// An odd item, and in which way it is odd.
#[derive(Clone, Debug)]
pub struct Odd {
    pub way: String,
    pub item: Item,
    /// Whether it lies beside the item that it was made from, under another key.
    pub is_beside: bool,
}

/// What a test writes as JSON, as DynamoDB has it.
pub fn attribute(value: &Value) -> AttributeValue {
    match value {
        Value::Null => Null(true),
        Value::String(text) => S(text.clone()),
        Value::Bool(truth) => Bool(*truth),
        Value::Number(number) => N(number.to_string()),
        Value::Array(values) => L(values.iter().map(attribute).collect()),
        Value::Object(_) => M(item(value)),
    }
}

/// An item that a test writes as a JSON object.
pub fn item(value: &Value) -> Item {
    let fields = value.as_object().expect("an object").iter();
    fields
        .map(|(name, value)| (name.clone(), attribute(value)))
        .collect()
}

/// The item in every odd way.
pub fn ways(of: &Item, table: &TableDefinition) -> Vec<Odd> {
    let keys = [table.partition_key.name, table.sort_key.name];
    let mut names: Vec<_> = of
        .keys()
        .filter(|name| !keys.contains(&name.as_str()))
        .collect();
    names.sort();
    let mut all = Vec::new();
    for name in names {
        for (way, value) in instead_of(&of[name]) {
            let mut item = of.clone();
            match value {
                Some(value) => drop(item.insert(name.clone(), value)),
                None => drop(item.remove(name)),
            }
            let way = format!("{name} {way}");
            all.push(Odd {
                way,
                item,
                is_beside: false,
            });
        }
        // The same word, as a program writes it that spells its attributes otherwise.
        let mut item = of.clone();
        let value = item.remove(name).expect("it has it");
        item.insert(name.to_uppercase(), value);
        let way = format!("{name} in capitals");
        all.push(Odd {
            way,
            item,
            is_beside: false,
        });
    }
    all.extend(with_more(of));
    all.extend(beside(of, table));
    all
}

/// The attributes of an item whose text is a part of one of its keys, as keys have it: in lower case and without hyphens.
pub fn keyed(of: &Item, table: &TableDefinition) -> Vec<String> {
    let keys = table.key_attributes();
    let plain = |text: &str| text.replace('-', "").to_lowercase();
    let mut parts = Vec::new();
    for key in &keys {
        if let Some(S(text)) = of.get(key.name) {
            parts.extend(text.split('#').filter(|part| !part.is_empty()).map(plain));
        }
    }
    let mut names = Vec::new();
    for (name, value) in of {
        let is_own = keys.iter().any(|key| key.name == name) || table.kind == Some(name);
        if let S(text) = value
            && !is_own
            && parts.contains(&plain(text))
        {
            names.push(name.clone());
        }
    }
    names.sort();
    names
}

/// What another program writes instead of a value; `None` leaves it out.
fn instead_of(value: &AttributeValue) -> Vec<(&'static str, Option<AttributeValue>)> {
    let mut all = vec![("missing", None), ("null", Some(Null(true)))];
    let text = |text: &str| Some(S(text.to_owned()));
    let number = |digits: &str| Some(N(digits.to_owned()));
    match value {
        S(given) => {
            all.extend([
                ("empty", text("")),
                ("in upper case", text(&given.to_uppercase())),
                ("in lower case", text(&given.to_lowercase())),
                ("with blanks", text(&format!(" {given} "))),
                ("another text", text("another-text")),
                ("a number", number("7")),
                ("true", Some(Bool(true))),
                ("in a list", Some(L(vec![value.clone()]))),
            ]);
            if chrono::DateTime::parse_from_rfc3339(given).is_ok() {
                all.extend([
                    ("of another zone", text("2026-02-22T20:12:11+01:00")),
                    ("a day", text("2026-02-22")),
                    ("of the year 9999", text("9999-12-31T23:59:59Z")),
                ]);
            }
        }
        N(digits) => all.extend([
            ("as text", text(digits)),
            ("a word", text("many")),
            ("negative", number("-1")),
            ("a fraction", number("0.5")),
            ("huge", number("99999999999999999999")),
            ("in a list", Some(L(vec![value.clone()]))),
        ]),
        Bool(truth) => all.extend([
            ("as text", text(&truth.to_string())),
            ("as a number", number(if *truth { "1" } else { "0" })),
        ]),
        L(values) => {
            let texts = values.iter().filter_map(|value| value.as_s().ok().cloned());
            let texts: Vec<_> = texts.collect();
            if !texts.is_empty() {
                all.push(("a set", Some(Ss(texts))));
            }
            all.extend([
                ("no list", text("a, b")),
                ("of numbers", Some(L(vec![N("1".to_owned())]))),
            ]);
        }
        M(_) => all.extend([
            ("no map", text("a")),
            ("an empty map", Some(M(HashMap::new()))),
        ]),
        B(_) => all.push(("no bytes", text("YQ=="))),
        _ => {}
    }
    all
}

fn with_more(of: &Item) -> Vec<Odd> {
    let more = [
        ("a text", S("of another program".to_owned())),
        (
            "a map",
            M(HashMap::from([(
                "by".to_owned(),
                S("another program".to_owned()),
            )])),
        ),
        ("a list", L(vec![N("1".to_owned()), Null(true)])),
        (
            "bytes",
            B(aws_sdk_dynamodb::primitives::Blob::new([0, 255])),
        ),
    ];
    let odd = more.map(|(kind, value)| {
        let mut item = of.clone();
        item.insert("ofAnother".to_owned(), value);
        let way = format!("with {kind} of another program");
        Odd {
            way,
            item,
            is_beside: false,
        }
    });
    odd.into()
}

/// Items that our program does not know, in the same partition.
fn beside(of: &Item, table: &TableDefinition) -> Vec<Odd> {
    let sort_key = table.sort_key.name;
    let Some(S(own)) = of.get(sort_key) else {
        return Vec::new();
    };
    let keys = [
        format!("{own}#v1"),
        format!("{own}~"),
        "!".to_owned(),
        "TASK#1".to_owned(),
        "~".to_owned(),
    ];
    let copies = keys.iter().map(|key| {
        let mut item = of.clone();
        item.insert(sort_key.to_owned(), S(key.clone()));
        let way = format!("a copy at {key}");
        Odd {
            way,
            item,
            is_beside: true,
        }
    });
    let bare = keys.iter().map(|key| {
        let keep = [table.partition_key.name];
        let mut item = of.clone();
        item.retain(|name, _| keep.contains(&name.as_str()));
        item.insert(sort_key.to_owned(), S(key.clone()));
        item.insert("comment".to_owned(), S("of another program".to_owned()));
        let way = format!("a comment at {key}");
        Odd {
            way,
            item,
            is_beside: true,
        }
    });
    copies.chain(bare).collect()
}
