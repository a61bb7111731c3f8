//! What a change leaves behind, in its own transaction: an entry of the audit log, and notifications of other users,
//! which are announced to subscriptions after the commit.

use std::future::Future;
use std::sync::{Mutex, PoisonError};

use crate::api::{Session, Stamp, Written, with_id_at};
use crate::domain::{Id, Text, UserId, Violations};
use crate::table::{
    ChangeError, Condition, Entity, Exhausted, Retries, Segment, Unit, UnitError, Versioned,
};

use super::audit_log::AuditLog;
use super::events::{Event, announce};
use super::notifications::{Notification, NotificationType};
use super::users::User;

/// The journal of one change.
pub struct Journal<'s> {
    session: &'s Session,
    notifications: Mutex<Vec<Notification>>,
}

/// Number of users that one transaction notifies: two items for each.
const NOTIFIED_AT_ONCE: usize = 45;
/// How often a transaction of notifications is tried that meets other changes.
const RETRIES: usize = 24;

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
}

impl<'s> Journal<'s> {
    /// The journal of a change by the session's viewer.
    pub fn of(session: &'s Session) -> Self {
        Self {
            session,
            notifications: Mutex::default(),
        }
    }

    /// Adds the change to the audit log. A change that is tried again records again, so this starts the journal over.
    pub fn record<E: Entity>(
        &self,
        unit: &mut Unit<Violations>,
        action: &'static str,
        resource: impl Segment,
    ) {
        self.with_notifications(Vec::clear);
        let (now, viewer) = (self.session.tables.now(), &self.session.viewer);
        let entry = AuditLog::about::<E>(now, self.session.user(), action, &resource.text());
        if let Some(entry) = entry {
            unit.put_new(&AuditLog {
                ip_address: viewer.address().and_then(Text::cut),
                user_agent: viewer.agent().and_then(Text::cut),
                ..entry
            });
        }
    }

    /// Notifies a user about an entity, and counts the notification as unread.
    pub fn notify<E: Entity>(
        &self,
        unit: &mut Unit<Violations>,
        about: impl Segment,
        note: Note<'_>,
    ) {
        if let Some((title, body)) = Text::cut(note.title).zip(Text::cut(note.body)) {
            let notification = Notification {
                notification_id: Id::new(self.session.tables.now()),
                user_id: note.to.clone(),
                kind: note.kind,
                title,
                body,
                related_entity_type: Text::cut(E::KIND),
                related_entity_id: Text::cut(&about.text()),
                is_read: false,
                stamp: Stamp::new(self.session.now()),
            };
            unit.put_new(&notification);
            unit.add::<User>(note.to, "unreadNotifications", 1, Condition::Exists);
            self.with_notifications(|all| all.push(notification));
        }
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
            let mut retries = Retries::new(RETRIES, tables.meter());
            loop {
                self.with_notifications(Vec::clear);
                let mut unit = tables.unit();
                for to in users {
                    self.notify::<E>(&mut unit, about, Note { to, ..note });
                }
                let error = match unit.commit().await {
                    Ok(()) => break self.announce(),
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

    /// Changes an entity, then announces its notifications. `plan` must refuse a viewer who may not change it: `may` is
    /// asked only if a version is expected, as by [`Journal::guard`].
    ///
    /// # Errors
    /// As [`Journal::guard`] and [`Tables::change`](crate::table::Tables::change).
    pub async fn change<E: Versioned>(
        &self,
        (id, expected): (&E::Id, Option<u32>),
        may: impl Fn(&E) -> bool,
        plan: impl Fn(&E, &mut Unit<Violations>) -> Result<E, Violations>,
    ) -> Written<E> {
        self.guard(id, expected, may).await?;
        self.commit(self.session.tables.change(id, expected, plan))
            .await
    }

    /// Creates an entity with a given id, then announces its notifications. `field` is the input's field of the id.
    ///
    /// # Errors
    /// As [`Tables::create`](crate::table::Tables::create).
    pub async fn create<E: Versioned>(
        &self,
        entity: E,
        field: &'static str,
        with: impl Fn(&mut Unit<Violations>),
    ) -> Written<E> {
        let created = self.commit(self.session.tables.create(entity, with)).await;
        with_id_at(created, field)
    }

    /// Does the change, then announces its notifications.
    ///
    /// # Errors
    /// As the change.
    pub async fn commit<T>(&self, change: impl Future<Output = Written<T>>) -> Written<T> {
        let written = change.await?;
        if written.is_written {
            self.announce();
        }
        Ok(written)
    }

    fn announce(&self) {
        for notification in self.with_notifications(std::mem::take) {
            announce(self.session, || Event::Notified(notification));
        }
    }

    fn with_notifications<R>(&self, with: impl FnOnce(&mut Vec<Notification>) -> R) -> R {
        let notifications = self.notifications.lock();
        with(&mut notifications.unwrap_or_else(PoisonError::into_inner))
    }
}
