//! The names that clients give to what they create, so that the same input can be sent again.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use trestle_api::{Input, Node, Revision};
use trestle_domain::{Id, Rule, Text, Ulid, UserId, Violations, hex};
use trestle_table::{Entity, Key, Pk, Sk, TableDefinition, Versioned};

use super::table::{TABLE, after_days};

/// An entity that a client creates under a name.
pub trait NamedNode: Node + Versioned {}

impl<E: Node + Versioned> NamedNode for E {}

/// The name that a user gave to something they created: `CREATED#user` / `kind#name`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Named {
    /// Who created it.
    pub user_id: UserId,
    /// What it is.
    pub kind: Text<1, 100>,
    /// The client's name for it.
    pub name: Ulid,
    /// Its id.
    pub node_id: Text<1, 1000>,
    /// A digest of what it was made of.
    pub made_of: String,
    #[serde(flatten)]
    pub stamp: Revision,
}

impl Entity for Named {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "CREATED_AS";
    type Id = (UserId, Text<1, 100>, Ulid);

    fn key_of((user, kind, name): &Self::Id) -> Key {
        Key::new(
            Pk::of("CREATED", user),
            Sk::value(kind).then(name.to_string()),
        )
    }

    fn identity(&self) -> Self::Id {
        (self.user_id.clone(), self.kind.clone(), self.name)
    }

    fn expires(&self) -> Option<i64> {
        after_days(self.stamp.created_at, 90)
    }
}

/// The name in an input, if there is one.
///
/// # Errors
/// It is not a ULID.
pub fn given_name<E>(
    name: Option<Input<Id<E>>>,
    field: &'static str,
) -> Result<Option<Id<E>>, Violations> {
    let name: Option<Result<Id<E>, Rule>> = name.map(Into::into);
    name.transpose().map_err(|rule| rule.at(field))
}

/// Attributes that the server adds to what the client says.
const DERIVED: [&str; 4] = ["version", "startedBy", "startupName", "roleTitle"];

/// A digest of an entity without its id, which is in the attribute `id`, its version and its moments.
pub fn made_of<E: Versioned>(entity: &E, id: &'static str) -> String {
    // What can be stored can be written as JSON.
    let mut value = serde_json::to_value(entity).unwrap_or_default();
    if let Value::Object(attributes) = &mut value {
        attributes.retain(|name, value| {
            let is_own = name == id || DERIVED.contains(&name.as_str());
            let is_own = is_own || E::MOMENTS.contains(&name.as_str());
            !is_own && !value.is_null()
        });
    }
    hex(&Sha256::digest(value.to_string().as_bytes()))
}
