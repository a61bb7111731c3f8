//! The people of an application: who refers, recruits, interviews.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use trestle_domain::{Day, Email, Link, Text};

/// A short text of a contact.
pub type ContactText = Text<1, 200>;

/// A person to talk to about an application.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Contact {
    /// The id, unique within the application. It may be made by the client.
    pub id: Uuid,
    /// The name.
    pub name: ContactText,
    /// What they do: recruiter, hiring manager.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<ContactText>,
    /// The email address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<Email>,
    /// A page of theirs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<Link>,
    /// When the person was last in touch with them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_contact: Option<Day>,
}
