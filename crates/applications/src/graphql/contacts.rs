//! The people of an application.

use async_graphql::{ComplexObject, Context, ID, InputObject, MaybeUndefined, SimpleObject};

use super::id::named;
use super::types::{Application, Contact, Nullable, contacts_of, read_again};
use crate::error::{ChangeError, user_errors};
use crate::model::{self, ApplicationId, ContactText};
use crate::store::{Applications, Entry as _};
use trestle_api::mutations;
use trestle_api::{ApiError, Input, Url, UserError, Uuid};
use trestle_domain::{Change, Check, Day, Email, Link, Rule, Violations};

/// A contact to add to an application.
#[derive(InputObject, Clone)]
pub struct AddContactInput {
    /// The application's id.
    application_id: ID,
    /// The contact's UUID. With a UUID of the client's own, the same input can be repeated without adding the contact
    /// twice.
    contact_id: Option<Uuid>,
    /// The name: 1 to 200 characters.
    name: Input<ContactText>,
    /// What they do, such as recruiter: at most 200 characters.
    role: Option<Input<ContactText>>,
    /// The email address.
    email: Option<Input<Email>>,
    /// A page of theirs.
    link: Option<Url>,
    /// When the person was last in touch with them.
    last_contact: Option<Input<Day>>,
}

/// Changes to a contact. Omitted fields stay as they are, null clears a field.
#[derive(InputObject, Clone)]
pub struct UpdateContactInput {
    /// The application's id.
    application_id: ID,
    /// The contact's UUID.
    contact_id: Uuid,
    /// The name: 1 to 200 characters. It cannot be null.
    name: MaybeUndefined<Input<ContactText>>,
    /// What they do, such as recruiter: at most 200 characters.
    role: MaybeUndefined<Input<ContactText>>,
    /// The email address.
    email: MaybeUndefined<Input<Email>>,
    /// A page of theirs.
    link: MaybeUndefined<Url>,
    /// When the person was last in touch with them.
    last_contact: MaybeUndefined<Input<Day>>,
}

/// A contact to remove.
#[derive(InputObject)]
pub struct RemoveContactInput {
    /// The application's id.
    application_id: ID,
    /// The contact's UUID.
    contact_id: Uuid,
}

/// A changed contact, and the list that it is in.
struct Made {
    application: ApplicationId,
    id: uuid::Uuid,
    contacts: Vec<model::Contact>,
}

macro_rules! payloads {
    ($($(#[$doc:meta])* $type:ident { $(#[$field_doc:meta])* $field:ident: $node:ty = $of:expr })+) => {$(
        $(#[$doc])*
        #[derive(SimpleObject, Default)]
        #[graphql(complex)]
        pub struct $type {
            #[graphql(skip)]
            application_id: Option<ApplicationId>,
            $(#[$field_doc])*
            $field: Option<$node>,
            /// The contacts of the application after the mutation. Null if it was rejected.
            contacts: Option<Vec<Contact>>,
            /// Errors that the user can correct. If not empty, nothing was changed.
            user_errors: Vec<UserError>,
        }

        #[ComplexObject]
        impl $type {
            /// The application with its contacts after the mutation. It is read if it is selected. Null if the mutation was
            /// rejected.
            async fn application(&self, ctx: &Context<'_>) -> Nullable<Application> {
                read_again(ctx, self.application_id.as_ref()).await
            }
        }

        impl $type {
            fn of(made: Result<Made, ChangeError>) -> Result<Self, ApiError> {
                Ok(match made {
                    Ok(made) => Self {
                        $field: $of(&made),
                        contacts: Some(contacts_of(&made.application, made.contacts)),
                        application_id: Some(made.application),
                        user_errors: Vec::new(),
                    },
                    Err(error) => Self {
                        user_errors: user_errors(error, "applicationId")?,
                        ..Self::default()
                    },
                })
            }
        }
    )+};
}

payloads! {
    /// The result of `addContact`.
    AddContactPayload {
        /// The contact. Null if the mutation was rejected.
        contact: Contact = Made::contact
    }
    /// The result of `updateContact`.
    UpdateContactPayload {
        /// The contact. Null if the mutation was rejected.
        contact: Contact = Made::contact
    }
    /// The result of `removeContact`.
    RemoveContactPayload {
        /// The UUID of the removed contact. Null if the mutation was rejected.
        removed_contact_id: Uuid = |made: &Made| Some(Uuid(made.id.to_string()))
    }
}

impl Made {
    fn contact(&self) -> Option<Contact> {
        let mut contacts = self.contacts.iter();
        let contact = contacts.find(|contact| contact.id == self.id)?;
        Some(Contact::new(&self.application, contact.clone()))
    }
}

mutations! {
    /// The mutations of contacts.
    ContactMutation {
        /// Adds a contact to an application, which has at most 20. Repeating the same input with the same `contactId`
        /// adds it once and answers it each time. The application itself does not change: its version and its history
        /// stay.
        add_contact(AddContactInput) -> AddContactPayload = add,
        /// Changes the given fields of a contact.
        update_contact(UpdateContactInput) -> UpdateContactPayload = update,
        /// Removes a contact.
        remove_contact(RemoveContactInput) -> RemoveContactPayload = remove,
    }
}

async fn add(store: &Applications, input: AddContactInput) -> Result<Made, ChangeError> {
    let mut check = Check::default();
    let given = input.contact_id.as_ref();
    let id = given.map(|id| check.need("contactId", parsed(id)));
    let name = check.need("name", input.name.clone());
    let role = check.may("role", input.role.clone());
    let email = check.may("email", input.email.clone());
    let pasted = input.link.clone();
    let pasted = pasted.map_or(MaybeUndefined::Undefined, MaybeUndefined::Value);
    let link = check.may("link", link(pasted));
    let last_contact = check.may("lastContact", input.last_contact.clone());
    let id = id.unwrap_or_else(|| Some(uuid::Uuid::new_v4()));
    let contact = check.finish(|| {
        Some(model::Contact {
            id: id?,
            name: name?,
            role,
            email,
            link,
            last_contact,
        })
    })?;
    let application = named(store, &input.application_id).await?;
    let added = store.change_list(&application, |contacts: &mut Vec<model::Contact>| {
        match contacts.iter().find(|other| other.id == contact.id) {
            // The same input again: a client repeats it after an answer that was lost.
            Some(other) if *other == contact => return Ok(()),
            Some(_) => {
                return Err(Rule::Conflict("is already used by another contact").at("contactId"));
            }
            None => {}
        }
        if contacts.len() >= model::Contact::MAX {
            let rule = Rule::LimitReached("names an application that has 20 contacts, the most");
            return Err(rule.at("applicationId"));
        }
        contacts.push(contact.clone());
        Ok(())
    });
    let contacts = added.await?;
    Ok(Made {
        application,
        id: contact.id,
        contacts,
    })
}

async fn update(store: &Applications, input: UpdateContactInput) -> Result<Made, ChangeError> {
    let id = parsed(&input.contact_id).map_err(|rule| rule.at("contactId"))?;
    let application = named(store, &input.application_id).await?;
    let contacts = store
        .change_list(&application, |contacts: &mut Vec<model::Contact>| {
            patch(found(contacts, id)?, input.clone())
        })
        .await?;
    Ok(Made {
        application,
        id,
        contacts,
    })
}

async fn remove(store: &Applications, input: RemoveContactInput) -> Result<Made, ChangeError> {
    let id = parsed(&input.contact_id).map_err(|rule| rule.at("contactId"))?;
    let application = named(store, &input.application_id).await?;
    let contacts = store
        .change_list(&application, |contacts: &mut Vec<model::Contact>| {
            found(contacts, id)?;
            contacts.retain(|contact| contact.id != id);
            Ok(())
        })
        .await?;
    Ok(Made {
        application,
        id,
        contacts,
    })
}

/// A link, as people paste it.
fn link(given: MaybeUndefined<Url>) -> Change<Result<Link, Rule>> {
    match given {
        MaybeUndefined::Undefined => Change::Unchanged,
        MaybeUndefined::Null => Change::Clear,
        MaybeUndefined::Value(url) => Change::Set(model::pasted(&url.0)),
    }
}

fn parsed(id: &Uuid) -> Result<uuid::Uuid, Rule> {
    uuid::Uuid::try_parse(&id.0).map_err(|_| Rule::Invalid("a UUID"))
}

fn found(
    contacts: &mut [model::Contact],
    id: uuid::Uuid,
) -> Result<&mut model::Contact, Violations> {
    let mut contacts = contacts.iter_mut();
    let contact = contacts.find(|contact| contact.id == id);
    contact.ok_or_else(|| Rule::NotFound("names no contact of the application").at("contactId"))
}

fn patch(contact: &mut model::Contact, input: UpdateContactInput) -> Result<(), Violations> {
    let mut check = Check::default();
    check.set("name", &mut contact.name, input.name);
    check.set_opt("role", &mut contact.role, input.role);
    check.set_opt("email", &mut contact.email, input.email);
    check.set_opt("link", &mut contact.link, link(input.link));
    check.set_opt("lastContact", &mut contact.last_contact, input.last_contact);
    check.finish(|| Some(()))
}
