//! What other programs added to an application's partition: attributes of its items, and items.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize, Serializer};
use serde_dynamo::AttributeValue;

use crate::items::{self, MAX_SORT_KEY, is_identity, is_reserved};
use crate::keys;
use trestle_table::{Item, Sk};

/// Attributes that one item has beside those of its entity, or an item of another program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extra {
    #[serde(rename = "SK")]
    sort_key: String,
    /// As DynamoDB JSON.
    #[serde(serialize_with = "sorted")]
    attributes: BTreeMap<String, AttributeValue>,
}

/// Exports of the same items are equal, so the attributes of maps are in alphabetical order.
fn sorted<S: Serializer>(
    attributes: &BTreeMap<String, AttributeValue>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut json = serde_json::to_value(attributes).map_err(serde::ser::Error::custom)?;
    json.sort_all_objects();
    json.serialize(serializer)
}

impl Extra {
    /// The attributes of `stored` that `known`, the item that its entity is restored as, does not have, or has
    /// with less precision. Values that contradict it are left out, except what another program stored as an identity
    /// that the key says otherwise.
    pub fn of(sort_key: &Sk, stored: Item, known: &Item) -> Option<Self> {
        let attributes: BTreeMap<_, _> = stored
            .into_iter()
            .filter(|(name, value)| {
                !is_reserved(name)
                    && known.get(name) != Some(value)
                    && (is_identity(name) || agrees(known, name, value))
            })
            .map(|(name, value)| (name, value.into()))
            .collect();
        let is_new = known.is_empty();
        (is_new || !attributes.is_empty()).then(|| Self {
            sort_key: sort_key.as_str().to_owned(),
            attributes,
        })
    }

    /// The items with these attributes, and with the items that other programs added. The first item is the
    /// application.
    ///
    /// # Errors
    /// What is wrong with `extra`, in a sentence.
    pub fn add(extra: &[Self], mut items: Vec<Item>) -> Result<Vec<Item>, String> {
        let mut named = HashSet::new();
        let partition = items.first().and_then(|item| item.get("PK")).cloned();
        for Self {
            sort_key,
            attributes,
        } in extra
        {
            if !(1..=MAX_SORT_KEY).contains(&sort_key.len()) {
                return Err("An `SK` of `extra` has no text, or more than 1,024 bytes.".to_owned());
            }
            if !named.insert(sort_key) {
                return Err(format!("`extra` has `{sort_key}` twice."));
            }
            if let Some(name) = attributes.keys().find(|name| is_reserved(name)) {
                return Err(format!("`extra` must not set `{name}` of `{sort_key}`."));
            }
            let attributes = attributes.iter();
            let attributes = attributes.map(|(name, value)| (name.clone(), value.clone().into()));
            let attributes: Item = attributes.collect();
            let known = items
                .iter_mut()
                .find(|item| items::text(item, "SK") == Some(sort_key.as_str()));
            match known {
                Some(item) => {
                    let odd = attributes
                        .iter()
                        .find(|(name, value)| !is_identity(name) && !agrees(item, name, value));
                    if let Some((name, _)) = odd {
                        return Err(format!(
                            "`extra` has another `{name}` of `{sort_key}` than the record."
                        ));
                    }
                    item.extend(attributes);
                }
                None if keys::is_of_an_application(sort_key) => {
                    let reason = format!("`extra` has `{sort_key}`, which is not in the record.");
                    return Err(reason);
                }
                None => {
                    let mut item = attributes;
                    item.insert("SK".to_owned(), AttributeValue::S(sort_key.clone()).into());
                    item.extend(partition.clone().map(|key| ("PK".to_owned(), key)));
                    items.push(item);
                }
            }
        }
        Ok(items)
    }
}

/// Whether `item` has no such attribute, or the same value as far as JSON can represent it.
fn agrees(item: &Item, name: &str, value: &aws_sdk_dynamodb::types::AttributeValue) -> bool {
    let Some(known) = item.get(name) else {
        return true;
    };
    let mut known = items::json_of(known.clone());
    let mut value = items::json_of(value.clone());
    // The attributes of a map have no order.
    known.sort_all_objects();
    value.sort_all_objects();
    known == value
}
