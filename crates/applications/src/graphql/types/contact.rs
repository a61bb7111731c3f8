//! A contact of an application.

use async_graphql::{ComplexObject, Context, ID, SimpleObject};

use super::attached_lists;
use crate::graphql::id;
use crate::model::{self, ApplicationId};
use crate::store::NodeKey;
use trestle_api::{ApiError, Date, Scalar as _, Url, Uuid};

/// A person to talk to about an application. Contacts have no history.
#[derive(SimpleObject)]
#[graphql(complex)]
pub struct Contact {
    #[graphql(skip)]
    node: ID,
    /// The contact's UUID, unique within its application. It may have been made by the client.
    contact_id: Uuid,
    /// The name: 1 to 200 characters.
    name: String,
    /// What they do, such as recruiter: at most 200 characters.
    role: Option<String>,
    /// The email address.
    email: Option<String>,
    /// A page of theirs.
    link: Option<Url>,
    /// When the person was last in touch with them.
    last_contact: Option<Date>,
}

#[ComplexObject]
impl Contact {
    /// The id: opaque and stable.
    pub async fn id(&self) -> ID {
        self.node.clone()
    }
}

impl Contact {
    /// A contact of an application.
    pub fn new(application: &ApplicationId, contact: model::Contact) -> Self {
        Self {
            node: id::encode(&NodeKey::Contact(application.clone(), contact.id)),
            contact_id: Uuid(contact.id.to_string()),
            name: contact.name.to_string(),
            role: contact.role.map(|role| role.to_string()),
            email: contact.email.map(|email| email.to_string()),
            link: contact.link.map(|link| link.show()),
            last_contact: contact.last_contact.map(|day| day.show()),
        }
    }
}

/// The contacts of an application, the first one first.
pub async fn contacts(ctx: &Context<'_>, id: &ApplicationId) -> Result<Vec<Contact>, ApiError> {
    let contacts = attached_lists(ctx)?.list::<model::Contact>(id).await?;
    Ok(contacts_of(id, contacts))
}

/// Contacts of an application.
pub fn contacts_of(application: &ApplicationId, contacts: Vec<model::Contact>) -> Vec<Contact> {
    let contacts = contacts.into_iter();
    contacts
        .map(|contact| Contact::new(application, contact))
        .collect()
}
