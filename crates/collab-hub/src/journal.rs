//! What a change leaves behind, in its own transaction: an entry of the audit log, and notifications of other users,
//! which are announced to subscriptions after the commit: the plan of a change returns them.

use std::collections::BTreeMap;
use std::future::Future;

use serde_json::Value;

use trestle_api::{MutationResult, Revision, Session, with_id_at};
use trestle_domain::{Id, Rule, Text, UserId, Violations};
use trestle_table::{
    ChangeError, Changed, Condition, Entity, Exhausted, Segment, TransactionBuilder, UnitError,
    Versioned,
};

use super::audit_log::AuditLog;
use super::events::{Event, announce};
use super::named::{Named, NamedNode, made_of};
use super::notifications::{Notification, NotificationType};
use super::roles::Role;
use super::startups::Startup;
use super::users::{User, unread_notifications};

/// The journal of a change.
#[derive(Clone, Copy)]
pub struct Journal<'s> {
    session: &'s Session,
}

/// Number of users that one transaction notifies: two items for each.
const NOTIFIED_AT_ONCE: usize = 45;

const TAKEN: Rule = Rule::Conflict("is already used by something else");

/// A notification to write.
#[derive(Clone, Copy)]
pub struct Note<'n> {
    /// Who is notified.
    pub to: &'n UserId,
    /// What it is about.
    pub kind: NotificationType,
    /// The title. Longer text is cut.
    pub title: &'n str,
    /// The text. Longer text is cut.
    pub body: &'n str,
    /// The startup that it concerns.
    pub startup: Option<Id<Startup>>,
    /// The role that it concerns.
    pub role: Option<Id<Role>>,
}

impl<'n> Note<'n> {
    /// A notification of a user.
    pub fn new(to: &'n UserId, kind: NotificationType, title: &'n str, body: &'n str) -> Self {
        Self {
            to,
            kind,
            title,
            body,
            startup: None,
            role: None,
        }
    }

    /// The same, concerning a startup.
    pub fn of_startup(self, startup: Id<Startup>) -> Self {
        let startup = Some(startup);
        Self { startup, ..self }
    }

    /// The same, concerning a role.
    pub fn of_role(self, role: Id<Role>) -> Self {
        let role = Some(role);
        Self { role, ..self }
    }
}

impl<'s> Journal<'s> {
    /// The journal of a change by the session's viewer.
    pub fn of(session: &'s Session) -> Self {
        Self { session }
    }

    /// Adds the change to the audit log.
    pub fn record<E: Entity>(
        &self,
        unit: &mut TransactionBuilder<Violations>,
        action: &'static str,
        resource: impl Segment,
    ) {
        self.record_with::<E>(unit, action, resource, &[]);
    }

    /// As [`Journal::record`], with what else is known of the change.
    pub fn record_with<E: Entity>(
        &self,
        unit: &mut TransactionBuilder<Violations>,
        action: &'static str,
        resource: impl Segment,
        details: &[(&'static str, &str)],
    ) {
        let (now, viewer) = (self.session.tables.now(), &self.session.viewer);
        let entry = AuditLog::about::<E>(now, self.session.user(), action, &resource.text());
        if let Some(entry) = entry {
            let given = details.iter().filter(|(_, value)| !value.is_empty());
            let metadata: BTreeMap<_, _> = given
                .map(|(name, value)| ((*name).to_owned(), Value::from(*value)))
                .collect();
            unit.put_new(&AuditLog {
                metadata: Some(metadata).filter(|metadata| !metadata.is_empty()),
                ip_address: viewer.address().and_then(Text::cut),
                user_agent: viewer.agent().and_then(Text::cut),
                ..entry
            });
        }
    }

    /// Notifies a user about an entity, and counts the notification as unread. It is to be announced after the commit.
    pub fn notify<E: Entity>(
        &self,
        unit: &mut TransactionBuilder<Violations>,
        about: impl Segment,
        note: Note<'_>,
    ) -> Option<Notification> {
        let notification = self.notification::<E>(about, note)?;
        unit.put_new(&notification);
        unit.adding::<User>(note.to, unread_notifications(1), Condition::Exists);
        Some(notification)
    }

    /// As [`Journal::notify`], and refuses the unit if the user is banned.
    pub fn notify_listed<E: Entity>(
        &self,
        unit: &mut TransactionBuilder<Violations>,
        about: impl Segment,
        note: Note<'_>,
        refusal: Violations,
    ) -> Option<Notification> {
        let notification = self.notification::<E>(about, note)?;
        unit.put_new(&notification);
        unit.adding::<User>(note.to, unread_notifications(1), User::is_listed())
            .or(refusal);
        Some(notification)
    }

    fn notification<E: Entity>(&self, about: impl Segment, note: Note<'_>) -> Option<Notification> {
        Some(Notification {
            notification_id: Id::new(self.session.tables.now()),
            user_id: note.to.clone(),
            kind: note.kind,
            title: Text::cut(note.title)?,
            body: Text::cut(note.body)?,
            related_entity_type: Text::cut(E::KIND),
            related_entity_id: Text::cut(&about.text()),
            actor_id: Some(self.session.user()),
            startup_id: note.startup,
            role_id: note.role,
            is_read: false,
            stamp: Revision::new(self.session.now()),
        })
    }

    /// Notifies many users about an entity that was written: one TransactWriteItems for each 45. A failure is logged and
    /// leaves the rest out.
    pub async fn notify_apart<E: Entity>(
        &self,
        about: impl Segment + Copy,
        users: &[UserId],
        note: Note<'_>,
    ) {
        let tables = &self.session.tables;
        for users in users.chunks(NOTIFIED_AT_ONCE) {
            let mut retries = tables.retries();
            loop {
                let mut unit = tables.unit();
                let mut notified = Vec::new();
                for to in users {
                    notified.extend(self.notify::<E>(&mut unit, about, Note { to, ..note }));
                }
                let error = match unit.commit().await {
                    Ok(()) => break self.announce(notified),
                    Err(UnitError::Canceled(canceled)) if canceled.will_pass() => {
                        match retries.pause().await {
                            Ok(()) => continue,
                            Err(Exhausted) => canceled.to_string(),
                        }
                    }
                    Err(UnitError::Canceled(canceled)) => canceled.to_string(),
                    Err(UnitError::Table(error)) => error.to_string(),
                };
                tracing::error!(about = %about.text(), error, "Users were not notified");
                return;
            }
        }
    }

    /// Answers that an entity does not exist unless `may` lets the viewer change it. A version conflict would tell that
    /// it exists, so this comes before a change that expects a version: one GetItem then, and none otherwise.
    ///
    /// # Errors
    /// [`ChangeError::NotFound`]; the store does not answer.
    pub async fn guard<E: Entity>(
        &self,
        id: &E::Id,
        expected: Option<u32>,
        may: impl Fn(&E) -> bool,
    ) -> Result<(), ChangeError<Violations>> {
        if expected.is_none() {
            return Ok(());
        }
        let now = self.session.tables.get::<E>(id).await?;
        now.filter(may).map(drop).ok_or(ChangeError::NotFound)
    }

    /// Changes an entity, then announces the notifications that `plan` returns with it. `plan` must refuse a viewer who may not change it: `may` is
    /// asked only if a version is expected, as by [`Journal::guard`].
    ///
    /// # Errors
    /// As [`Journal::guard`] and [`Tables::change`](trestle_table::Tables::change).
    pub async fn change<E: Versioned, N: IntoIterator<Item = Notification>>(
        &self,
        id: &E::Id,
        expected: Option<u32>,
        may: impl Fn(&E) -> bool,
        plan: impl Fn(&E, &mut TransactionBuilder<Violations>) -> Result<(E, N), Violations>,
    ) -> MutationResult<E> {
        self.guard(id, expected, may).await?;
        self.commit(self.session.tables.change_with(id, expected, plan))
            .await
    }

    /// Creates an entity with a given id, then announces the notifications that `with` returns. `field` is the input's field of the id.
    ///
    /// # Errors
    /// As [`Tables::create`](trestle_table::Tables::create).
    pub async fn create<E: Versioned, N: IntoIterator<Item = Notification>>(
        &self,
        entity: E,
        field: &'static str,
        with: impl Fn(&mut TransactionBuilder<Violations>) -> N,
    ) -> MutationResult<E> {
        let created = self.session.tables.create_with(entity, with);
        with_id_at(self.commit(created).await, field)
    }

    /// Creates an entity under an id of the server's, once for each name that the client gives. Ids are made when the
    /// entity is, so that lists which are sorted by them are sorted by the server's time, whatever the client's name is.
    /// `field` is the input's field of the name. If the unit is refused, two GetItems more.
    ///
    /// # Errors
    /// As [`Tables::create`](trestle_table::Tables::create); the name is used for something else.
    pub async fn create_named<E: NamedNode, N: IntoIterator<Item = Notification>>(
        &self,
        name: Option<Id<E>>,
        field: &'static str,
        entity: E,
        with: impl Fn(&mut TransactionBuilder<Violations>) -> N,
    ) -> MutationResult<E> {
        let said = entity.clone();
        self.create_said(name, field, entity, &said, with).await
    }

    /// As [`Journal::create_named`]. `said` is the entity as far as the client has said what it is.
    ///
    /// # Errors
    /// As [`Journal::create_named`].
    pub async fn create_said<E: NamedNode, N: IntoIterator<Item = Notification>>(
        &self,
        name: Option<Id<E>>,
        field: &'static str,
        entity: E,
        said: &E,
        with: impl Fn(&mut TransactionBuilder<Violations>) -> N,
    ) -> MutationResult<E> {
        let Some(name) = name else {
            return self.create(entity, field, with).await;
        };
        let named = Named {
            user_id: self.session.user(),
            kind: Text::parse(E::KIND).map_err(|rule| rule.at(field))?,
            name: name.raw(),
            node_id: Text::parse(&entity.node_id()).map_err(|rule| rule.at(field))?,
            made_of: made_of(said, field),
            stamp: Revision::new(self.session.now()),
        };
        let created = self.create(entity, field, |unit| {
            let notified = with(unit);
            unit.put_new(&named).or(TAKEN.at(field));
            notified
        });
        let created = created.await;
        let Err(ChangeError::Refused(refusal)) = created else {
            return created;
        };
        // The same input may have been sent before: the name leads to what that has created.
        let earlier = self.session.tables.get::<Named>(&named.identity()).await?;
        let Some(earlier) = earlier else {
            return Err(refusal.into());
        };
        if earlier.made_of != named.made_of {
            return Err(TAKEN.at(field).into());
        }
        let id = async_graphql::ID(earlier.node_id.to_string());
        let id = E::named(&id, self.session).map_err(|rule| rule.at(field))?;
        let earlier = self.session.tables.get::<E>(&id).await?;
        let earlier = earlier.ok_or_else(|| TAKEN.at(field))?;
        Ok(Changed::before(earlier))
    }

    /// Does the change, then announces its notifications.
    ///
    /// # Errors
    /// As the change.
    pub async fn commit<E, N: IntoIterator<Item = Notification>>(
        &self,
        change: impl Future<Output = Result<(Changed<E>, N), ChangeError<Violations>>>,
    ) -> MutationResult<E> {
        let (written, notified) = change.await?;
        if written.is_written {
            self.announce(notified);
        }
        Ok(written)
    }

    /// Announces notifications that were committed.
    pub fn announce(&self, notified: impl IntoIterator<Item = Notification>) {
        for notification in notified {
            announce(self.session, || Event::Notified(notification));
        }
    }
}
