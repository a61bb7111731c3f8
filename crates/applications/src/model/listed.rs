//! What the keys in the indexes say of an application whose attributes another program wrote so that they cannot be read.

use serde::{Deserialize, Serialize};

/// Where the keys in the indexes list an application. Empty unless its status, its last update, or whether it is archived
/// cannot be read from its attributes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Listed {
    /// The status that it is listed under.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Whether it is listed as archived.
    pub is_archived: bool,
    /// The text of the update that it is sorted by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
}

impl Listed {
    /// Whether the keys say nothing that the attributes do not.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
