//! JSON that keeps every member of an object. Terraform takes a member twice where it is a block; a map would lose one.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Json>),
    /// An object, its members as they stand.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// The members of an object, or of a list of objects: JSON takes either for a repeated block.
    pub fn entries(&self) -> Vec<(&str, &Json)> {
        match self {
            Json::Object(members) => {
                let members = members.iter();
                members
                    .map(|(name, value)| (name.as_str(), value))
                    .collect()
            }
            Json::List(list) => {
                let objects = list.iter().filter(|one| matches!(one, Json::Object(_)));
                objects.flat_map(Json::entries).collect()
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) => Vec::new(),
        }
    }

    /// The members of every member of this name.
    pub fn entries_of(&self, section: &str) -> Vec<(&str, &Json)> {
        let sections = self.entries();
        let sections = sections.into_iter().filter(|(name, _)| *name == section);
        sections.flat_map(|(_, value)| value.entries()).collect()
    }

    /// Whether it is an object with such a member.
    pub fn has(&self, name: &str) -> bool {
        matches!(self, Json::Object(members) if members.iter().any(|(member, _)| member == name))
    }

    /// The values of every member of this name.
    pub fn all(&self, name: &str) -> Vec<&Json> {
        match self {
            Json::Object(members) => {
                let named = members.iter().filter(|(member, _)| member == name);
                named.map(|(_, value)| value).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Its elements, or itself.
    pub fn one_or_many(&self) -> &[Json] {
        match self {
            Json::List(list) => list,
            one => std::slice::from_ref(one),
        }
    }

    /// Members, each name once: blocks of one name as a list, otherwise the last one.
    pub fn merged<'m>(
        members: impl IntoIterator<Item = (&'m str, &'m Json)>,
    ) -> Vec<(&'m str, Cow<'m, Json>)> {
        let mut places = HashMap::new();
        let mut merged: Vec<(&str, Cow<'m, Json>)> = Vec::new();
        for (name, value) in members {
            let Some(place) = places.get(name).copied() else {
                places.insert(name, merged.len());
                merged.push((name, Cow::Borrowed(value)));
                continue;
            };
            let Some((_, before)) = merged.get_mut::<usize>(place) else {
                continue;
            };
            // Only blocks may stand twice: of anything else the last one counts.
            if !is_block(before) || !is_block(value) {
                *before = Cow::Borrowed(value);
                continue;
            }
            if let Json::List(list) = before.to_mut() {
                list.extend_from_slice(value.one_or_many());
            } else {
                let one = std::mem::replace(before.to_mut(), Json::Null);
                let others = value.one_or_many().iter().cloned();
                *before = Cow::Owned(Json::List([one].into_iter().chain(others).collect()));
            }
        }
        merged
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Whole)
    }
}

struct Whole;

impl<'de> Visitor<'de> for Whole {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Json, E> {
        Ok(Json::Bool(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json, E> {
        Ok(Json::Number(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json, E> {
        Ok(Json::Number(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Json, E> {
        Ok(Number::from_f64(number).map_or(Json::Null, Json::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Json, E> {
        Ok(Json::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = seq.next_element()? {
            list.push(value);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Json::Object(members))
    }
}

fn is_block(value: &Json) -> bool {
    matches!(value, Json::Object(_) | Json::List(_))
}
