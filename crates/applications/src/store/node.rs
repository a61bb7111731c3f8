//! Things by their ids, of all types at once.

use std::collections::HashMap;

use crate::error::StoreError;
use crate::items;
use crate::keys::{Scope, TABLE};
use crate::model::{Application, ApplicationId, AttachedFile, Contact, Stage, StageId};
use trestle_table::{Consistency, Item, Key, Projection};
use uuid::Uuid;

use super::annex::{Entry as _, attached};
use super::history::Line;
use super::{Applications, HistoryPage, Wanted};

/// What to look up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum NodeKey {
    /// An application.
    Application(ApplicationId),
    /// A stage of an application.
    Stage(ApplicationId, StageId),
    /// A history entry of an application, by its sequence.
    Entry(ApplicationId, u32),
    /// A contact of an application.
    Contact(ApplicationId, Uuid),
    /// A file of an application.
    File(ApplicationId, Uuid),
}

/// What was looked up.
#[derive(Clone, Debug)]
pub enum Found {
    /// An application; attributes that were not asked for are empty.
    Application(Box<Application>),
    /// A stage of an application.
    Stage(Box<Stage>),
    /// A history entry of an application.
    Entry(ApplicationId, Box<Line>),
    /// A contact of an application.
    Contact(ApplicationId, Box<Contact>),
    /// A file of an application.
    File(ApplicationId, Box<AttachedFile>),
}

impl NodeKey {
    fn application(&self) -> &ApplicationId {
        match self {
            NodeKey::Application(id)
            | NodeKey::Stage(id, _)
            | NodeKey::Entry(id, _)
            | NodeKey::Contact(id, _)
            | NodeKey::File(id, _) => id,
        }
    }

    /// The items to read: what belongs to an application is there only if that is.
    fn keys(&self, scope: &Scope) -> Vec<Key> {
        let application = scope.application(self.application());
        match self {
            NodeKey::Application(_) => vec![application],
            NodeKey::Stage(id, stage) => vec![application, scope.stage(id, stage)],
            NodeKey::Contact(id, _) => vec![application, scope.annex(id, Contact::ANNEX)],
            NodeKey::File(id, _) => vec![application, scope.annex(id, AttachedFile::ANNEX)],
            NodeKey::Entry(id, sequence) => {
                let earlier = sequence.saturating_sub(1);
                vec![
                    application,
                    scope.history_entry(id, *sequence),
                    scope.history_entry(id, earlier),
                ]
            }
        }
    }
}

impl Applications {
    /// Ids as they are stored: an id in another spelling of a UUID is the application that is stored in this
    /// spelling or else in ours. BatchGetItem APP#id / APP#id, only if there are such ids.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn all_spelled(
        &self,
        ids: impl IntoIterator<Item = &mut ApplicationId>,
    ) -> Result<(), StoreError> {
        let ids = ids.into_iter();
        let others: Vec<_> = ids.filter_map(|id| Some((id.respelled()?, id))).collect();
        if others.is_empty() {
            return Ok(());
        }
        let asked = others.iter().map(|(_, id)| &**id);
        let there = self.existing(asked, Consistency::Strong).await?;
        for (ours, id) in others {
            if !there.contains(id) {
                *id = ours;
            }
        }
        Ok(())
    }

    /// One id as it is stored. As [`Applications::all_spelled`].
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn spelled(&self, mut id: ApplicationId) -> Result<ApplicationId, StoreError> {
        self.all_spelled([&mut id]).await?;
        Ok(id)
    }

    /// Everything that `asked` names, in its order; `None` where it is not there. BatchGetItem, one call
    /// for each 100 items.
    ///
    /// # Errors
    /// [`StoreError`]; a malformed item is an error in its own place.
    pub async fn nodes(
        &self,
        asked: &[Option<NodeKey>],
        wanted: &Wanted,
    ) -> Result<Vec<Option<Result<Found, StoreError>>>, StoreError> {
        let only_applications = asked
            .iter()
            .flatten()
            .all(|key| matches!(key, NodeKey::Application(_)));
        let projection = if only_applications {
            Projection::Only(wanted.projection())
        } else {
            Projection::All
        };
        let keys = asked.iter().flatten().flat_map(|key| key.keys(&self.scope));
        let items = self
            .table
            .batch_get(keys, &projection, Consistency::Strong, &self.meter)
            .await?;
        let items = items
            .into_iter()
            .filter_map(|item| Some((TABLE.key_in(&item)?, item)))
            .collect();
        Ok(asked
            .iter()
            .map(|key| self.found(key.as_ref()?, &items).transpose())
            .collect())
    }

    fn found(&self, key: &NodeKey, read: &HashMap<Key, Item>) -> Result<Option<Found>, StoreError> {
        let scope = &self.scope;
        let item = |key: &Key| read.get(key).cloned();
        let Some(application) = item(&scope.application(key.application())) else {
            return Ok(None);
        };
        Ok(match key {
            NodeKey::Application(_) => Some(Found::Application(Box::new(
                self.read_application(application)?,
            ))),
            NodeKey::Stage(id, stage) => match item(&scope.stage(id, stage)) {
                Some(item) => items::stage(id, item).map(|stage| Found::Stage(Box::new(stage))),
                None => None,
            },
            NodeKey::Contact(id, contact) => {
                let contacts = attached::<Contact>(id, item(&scope.annex(id, Contact::ANNEX)))?;
                let mut contacts = contacts.into_iter();
                let found = contacts.find(|other| other.id == *contact);
                found.map(|contact| Found::Contact(id.clone(), Box::new(contact)))
            }
            NodeKey::File(id, file) => {
                let files =
                    attached::<AttachedFile>(id, item(&scope.annex(id, AttachedFile::ANNEX)))?;
                let found = files.into_iter().find(|other| other.id == *file);
                found.map(|file| Found::File(id.clone(), Box::new(file)))
            }
            NodeKey::Entry(id, sequence) => {
                let entries = [*sequence, sequence.saturating_sub(1)];
                let found = entries
                    .iter()
                    .filter_map(|at| item(&scope.history_entry(id, *at)));
                let lines: Vec<_> = found.filter_map(|item| Line::read(id, item)).collect();
                let first = HistoryPage::newest_first(lines, 1).lines.into_iter().next();
                first
                    .filter(|line| line.sequence == *sequence)
                    .map(|line| Found::Entry(id.clone(), Box::new(line)))
            }
        })
    }
}
