//! The revision of an item as other programs write it: without a version, or without one of its moments.

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
    /// When the item was made, by its keys.
    fn keyed_at(&self) -> Option<Moment> {
        let key = |key: &Option<String>| key.clone().unwrap_or_default();
        match self.kind.as_deref()? {
            // Their own ULID is the last part.
            "job" | "message" | "matchStep" | "savedSearch" => {
                let sk = key(&self.sk);
                let id = Ulid::parse(sk.rsplit('#').next()?).ok()?;
                id.moment().map(Moment::new)
            }
            // The day of the approval.
            "match" => {
                let sk = key(&self.sk);
                let day = sk.split('#').nth(1)?;
                Moment::parse(&format!("{day}T00:00:00Z")).ok()
            }
            "interest" => Moment::parse(key(&self.place).split('#').nth(1)?).ok(),
            _ => None,
        }
    }
}

/// Reads a revision. A moment that is missing is the other one, or that of the item's keys.
///
/// # Errors
/// An attribute cannot be read, or nothing says when the item was made.
pub fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Revision, D::Error> {
    let stored = Stored::deserialize(from)?;
    let either = stored.created_at.or(stored.updated_at);
    let known = either.or_else(|| stored.keyed_at());
    let known = known.ok_or_else(|| D::Error::missing_field("createdAt"))?;
    Ok(Revision {
        version: stored.version,
        created_at: stored.created_at.unwrap_or(known),
        updated_at: stored.updated_at.unwrap_or(known),
    })
}
