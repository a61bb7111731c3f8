//! The revision of an item as other programs write it: without a version, or without one of its moments.

use chrono::{DateTime, Utc};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use trestle_api::Revision;
use trestle_domain::{Moment, RawId as _, Ulid};

/// What is stored of a revision, and the keys of the item, which name a moment in many kinds of items.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stored {
    #[serde(default, deserialize_with = "version")]
    version: u32,
    #[serde(default, deserialize_with = "created_at")]
    created_at: Option<Moment>,
    #[serde(default, deserialize_with = "updated_at")]
    updated_at: Option<Moment>,
    #[serde(default, rename = "entityType")]
    kind: Option<String>,
    #[serde(default)]
    sk: Option<String>,
    #[serde(default, rename = "GSI1SK")]
    place: Option<String>,
}

// Errors of flattened attributes have no path, so each attribute names itself.
macro_rules! named {
    ($($function:ident: $type:ty, $name:literal)+) => {$(
        fn $function<'de, D: Deserializer<'de>>(from: D) -> Result<$type, D::Error> {
            <$type>::deserialize(from).map_err(|error| D::Error::custom(format!("attribute {}: {error}", $name)))
        }
    )+};
}

named!(version: u32, "version" created_at: Option<Moment>, "createdAt" updated_at: Option<Moment>, "updatedAt");

impl Stored {
    /// The start of the day in its key.
    fn keyed_on(&self) -> Option<Moment> {
        let day = self.sk.as_deref()?.split('#').nth(1)?;
        Moment::parse(&format!("{day}T00:00:00Z")).ok()
    }

    /// When the item was made, by its keys.
    fn keyed_at(&self) -> Option<Moment> {
        let key = |key: &Option<String>| key.clone().unwrap_or_default();
        match self.kind.as_deref()? {
            // Their own ULID is the last part.
            "job" | "message" | "matchStep" | "savedSearch" => {
                let sk = key(&self.sk);
                let id = Ulid::parse(sk.rsplit('#').next()?).ok();
                let own = id.and_then(Ulid::moment).map(Moment::new);
                own.or_else(|| self.keyed_on())
            }
            // The day of the approval.
            "match" => self.keyed_on(),
            "interest" => Moment::parse(key(&self.place).split('#').nth(1)?).ok(),
            _ => None,
        }
    }
}

/// The revision of what is made under an id now, or when the id says if that is later: ids are in order, whatever the clocks
/// of servers say.
pub fn made_with(id: Ulid, now: DateTime<Utc>) -> Revision {
    let made_at = id.moment().map_or(now, |moment| moment.max(now));
    Revision::new(Moment::new(made_at))
}

/// Reads a revision. A moment that is missing is the other one, or that of the item's keys: the earlier one of both for the
/// creation, because a change of this service writes the other one.
///
/// # Errors
/// An attribute cannot be read, or nothing says when the item was made.
pub fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Revision, D::Error> {
    let stored = Stored::deserialize(from)?;
    let known = match stored.created_at {
        Some(created_at) => Some(created_at),
        None => stored.updated_at.into_iter().chain(stored.keyed_at()).min(),
    };
    let known = known.ok_or_else(|| D::Error::missing_field("createdAt"))?;
    Ok(Revision {
        version: stored.version,
        created_at: known,
        updated_at: stored.updated_at.unwrap_or(known),
    })
}
