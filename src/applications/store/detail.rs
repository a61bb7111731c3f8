//! One application, with as much of its partition as is asked for and no more.

use crate::applications::error::StoreError;
use crate::applications::items::{ApplicationItem, StageItem};
use crate::applications::keys;
use crate::applications::model::{Application, ApplicationId, MAX_STAGES, Stage, State};
use crate::table::{Consistency, Item, Order, Projection, from_item};

use super::Applications;
use super::history::{Content, HistoryPage, HistoryRange, LINE, Line};

/// What of an application is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The attributes that may be empty; those that never are always come.
    pub attributes: Vec<&'static str>,
    /// The newest history entries, as a first page.
    pub history: Option<HistoryRange>,
}

/// How often a detail is read at the most while others change it.
const READINGS: usize = 4;

/// The attributes that every application has.
pub(super) const REQUIRED: [&str; 8] = [
    "id",
    "companyName",
    "positionTitle",
    "status",
    "isArchived",
    "historySequence",
    "createdAt",
    "updatedAt",
];

impl Wanted {
    /// The attributes of an application to read.
    pub(super) fn projection(&self) -> Vec<&'static str> {
        REQUIRED.iter().chain(&self.attributes).copied().collect()
    }
}

/// An application as it was asked for.
#[derive(Clone, Debug)]
pub struct Detail {
    /// The application; attributes that were not asked for are empty.
    pub application: Application,
    /// Its stages, where they came along, or what is wrong with one of them.
    pub stages: Option<Result<Vec<Stage>, StoreError>>,
    /// Its newest history entries, where they were asked for.
    pub history: Option<HistoryPage>,
}

impl Applications {
    /// One application. With history: one Query of APP#id from its end (stages, then the newest entries,
    /// then the application), and one GetItem more only where the history is longer than what was asked
    /// for. Without: one GetItem, whatever the history's length.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn application(
        &self,
        id: ApplicationId,
        wanted: &Wanted,
    ) -> Result<Option<Detail>, StoreError> {
        match &wanted.history {
            Some(range) => self.partition(id, wanted, range).await,
            None => {
                let application = self.application_alone(id, wanted).await?;
                Ok(application.map(|application| Detail {
                    application,
                    stages: None,
                    history: None,
                }))
            }
        }
    }

    /// The application without stages and history. GetItem APP#id / APP#id.
    ///
    /// # Errors
    /// [`StoreError`].
    pub(super) async fn application_alone(
        &self,
        id: ApplicationId,
        wanted: &Wanted,
    ) -> Result<Option<Application>, StoreError> {
        let item = self
            .table
            .get(keys::application(id))
            .consistency(Consistency::Strong)
            .project(Projection::Only(wanted.projection()))
            .send(&self.meter)
            .await?;
        item.map(read_application).transpose()
    }

    /// An application's stages as they are stored. Query APP#id / STAGE#.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn stages(&self, application: &Application) -> Result<Vec<Stage>, StoreError> {
        let items = self
            .table
            .query(keys::partition(application.id))
            .begins_with(keys::stages())
            .consistency(Consistency::Strong)
            .all(&self.meter)
            .await?;
        read_stages(application, items)
    }

    /// The stages that `application` has at its version, where its newest snapshot does not tell: as they are
    /// stored, if the application still is what it was. Else someone was faster, and its snapshot is looked
    /// for once more. Query APP#id / STAGE#, GetItem APP#id / APP#id.
    ///
    /// # Errors
    /// [`StoreError`].
    pub(super) async fn stages_at(
        &self,
        application: &Application,
    ) -> Result<Vec<Stage>, StoreError> {
        let stages = self.stages(application).await?;
        if application.version == 0 {
            // Of another program, which counts no versions.
            return Ok(stages);
        }
        let id = application.id;
        let now = self.application_alone(id, &Wanted::default()).await?;
        if now.as_ref().is_some_and(|now| same(now, application)) {
            return Ok(stages);
        }
        let entry = self.entry(id, application.version).await?;
        let snapshot = entry.map(|entry| entry.snapshot);
        match snapshot.filter(|snapshot| same(&snapshot.application, application)) {
            Some(snapshot) => Ok(snapshot.stages().to_vec()),
            None if now.is_none() => Ok(Vec::new()),
            None => Ok(stages),
        }
    }

    /// The application with its stages and newest history entries, all of one version. Where the versions
    /// differ someone was at work in between, and all is read again until they agree, or stay as they are:
    /// another program left them so.
    async fn partition(
        &self,
        id: ApplicationId,
        wanted: &Wanted,
        range: &HistoryRange,
    ) -> Result<Option<Detail>, StoreError> {
        let mut before = None;
        let mut readings = 0;
        loop {
            let parts = self.read_partition(id, wanted, range).await?;
            let application = match parts.application {
                Some(item) => Some(read_application(item)?),
                None if parts.history.is_empty() => None,
                None => self.application_alone(id, wanted).await?,
            };
            let Some(application) = application else {
                return Ok(None);
            };
            let newest = parts.history.first().map_or(0, |line| line.sequence);
            let now = Some((application.version, application.updated_at, newest));
            readings += 1;
            let settled = application.version == newest || before == now;
            if !settled && readings < READINGS {
                before = now;
                continue;
            }
            if !settled || application.version > newest {
                // The stages are not those of this version: they and its history follow as for a list.
                return Ok(Some(Detail {
                    application,
                    stages: None,
                    history: None,
                }));
            }
            let stages = read_stages(&application, parts.stages);
            let history = HistoryPage::newest_first(parts.history, range.size);
            return Ok(Some(Detail {
                application,
                stages: Some(stages),
                history: Some(history),
            }));
        }
    }

    /// The end of a partition: its stages, so many history entries, and the application where these are all.
    async fn read_partition(
        &self,
        id: ApplicationId,
        wanted: &Wanted,
        range: &HistoryRange,
    ) -> Result<Parts, StoreError> {
        let mut attributes = wanted.projection();
        attributes.extend(["SK", "applicationId"]);
        attributes.extend([
            "name",
            "order",
            "isCompleted",
            "completedDate",
            "performanceRating",
        ]);
        attributes.extend(LINE.iter().chain(&["notes"]));
        if range.content == Content::Snapshots {
            attributes.push("snapshot");
        }
        attributes.sort_unstable();
        attributes.dedup();
        let entries = range.size + 1;
        let query = self
            .table
            .query(keys::partition(id))
            .order(Order::Descending)
            .consistency(Consistency::Strong)
            .project(Projection::Only(attributes));
        let mut parts = Parts::default();
        let mut page = query
            .clone()
            .limit(MAX_STAGES + entries + 1)
            .page(&self.meter)
            .await?;
        loop {
            page.items.into_iter().for_each(|item| parts.sort(item));
            match page.last_evaluated_key {
                // Snapshots can be so large that 1 MB ends the page before the limit does.
                Some(rest) if parts.history.len() < entries && parts.application.is_none() => {
                    let left = entries + 1 - parts.history.len();
                    let query = query.clone().continue_from(rest).limit(left);
                    page = query.page(&self.meter).await?;
                }
                _ => break,
            }
        }
        Ok(parts)
    }
}

/// A partition's items, by their sort key's prefix.
#[derive(Default)]
struct Parts {
    stages: Vec<Item>,
    history: Vec<Line>,
    application: Option<Item>,
}

impl Parts {
    fn sort(&mut self, item: Item) {
        let sort_key = item
            .get("SK")
            .and_then(|sk| sk.as_s().ok())
            .map(String::as_str);
        match sort_key.unwrap_or_default() {
            sk if sk.starts_with(keys::stages().as_str()) => self.stages.push(item),
            sk if sk.starts_with(keys::history().as_str()) => self.history.push(Line::read(item)),
            _ => self.application = Some(item),
        }
    }
}

/// Whether this is the application at the same version. Not every program that writes one counts it.
fn same(application: &Application, as_this: &Application) -> bool {
    (application.version, application.updated_at) == (as_this.version, as_this.updated_at)
}

/// The application in an item.
pub(super) fn read_application(item: Item) -> Result<Application, StoreError> {
    Ok(from_item::<ApplicationItem>(item)?.try_into()?)
}

/// The stages in items, in their order.
pub(super) fn read_stages(
    application: &Application,
    items: Vec<Item>,
) -> Result<Vec<Stage>, StoreError> {
    let stages = items
        .into_iter()
        .map(|item| Ok(from_item::<StageItem>(item)?.try_into()?))
        .collect::<Result<_, StoreError>>()?;
    Ok(State::new(application.clone(), stages).stages().to_vec())
}
