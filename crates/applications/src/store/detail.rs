//! One application, with as much of its partition as is requested and no more.

use futures_util::future::join;

use crate::error::StoreError;
use crate::items;
use crate::keys;
use crate::model::{Application, ApplicationId, Field, MAX_STAGES, Stage, State};
use trestle_table::{Consistency, Item, Key, MalformedItem, Order, Projection, TableError};

use super::Applications;
use super::history::{Content, HistoryPage, HistoryRange, LINE, Line};

/// What is requested of an application.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The attributes that may be empty. Those that every application has are always read.
    pub attributes: Vec<&'static str>,
    /// Whether the stages of one application are read with it.
    pub stages: bool,
    /// The newest history entries, as a first page.
    pub history: Option<HistoryRange>,
}

/// The most readings of a detail while others change it.
const READINGS: usize = 4;

/// The attributes that every application has, and its key.
pub(super) const REQUIRED: [&str; 13] = [
    "PK",
    "SK",
    "GSI1PK",
    "GSI1SK",
    "GSI2SK",
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

/// An application as it was requested.
#[derive(Clone, Debug)]
pub struct Detail {
    /// The application. Attributes that were not requested are empty.
    pub application: Application,
    /// Its stages, if they were read.
    pub stages: Option<Result<Vec<Stage>, StoreError>>,
    /// Its newest history entries, if they were requested.
    pub history: Option<HistoryPage>,
}

impl Applications {
    /// One application. With history: one Query of APP#id from its end (stages, then the newest entries,
    /// then the application), and one GetItem more only if the history is longer than requested. Without: GetItem
    /// APP#id / APP#id, and for stages Query APP#id / STAGE# at the same time.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn application(
        &self,
        id: &ApplicationId,
        wanted: &Wanted,
    ) -> Result<Option<Detail>, StoreError> {
        let mut detail = match &wanted.history {
            Some(range) => self.partition(id, wanted, range).await?,
            None if wanted.stages => self.with_stages(id, wanted).await?,
            None => {
                let application = self.application_alone(id, wanted).await?;
                application.map(|application| Detail {
                    application,
                    stages: None,
                    history: None,
                })
            }
        };
        let application = detail.as_mut().map(|detail| &mut detail.application);
        self.settle_versions(application).await?;
        Ok(detail)
    }

    async fn with_stages(
        &self,
        id: &ApplicationId,
        wanted: &Wanted,
    ) -> Result<Option<Detail>, StoreError> {
        let application = self.application_alone(id, wanted);
        let (application, stages) = join(application, self.stage_items(id)).await;
        let stages = stages?;
        Ok(application?.map(|application| Detail {
            stages: Some(read_stages(&application, stages)),
            application,
            history: None,
        }))
    }

    /// The application without stages and history. GetItem APP#id / APP#id.
    ///
    /// # Errors
    /// [`StoreError`].
    pub(super) async fn application_alone(
        &self,
        id: &ApplicationId,
        wanted: &Wanted,
    ) -> Result<Option<Application>, StoreError> {
        let projection = Projection::Only(wanted.projection());
        self.stored(id, projection).await
    }

    /// The application as it is stored, or a projection of it.
    pub(super) async fn stored(
        &self,
        id: &ApplicationId,
        projection: Projection,
    ) -> Result<Option<Application>, StoreError> {
        let item = self.item(self.scope.application(id), projection).await?;
        item.map(|item| self.read_application(item)).transpose()
    }

    /// One item, read consistently.
    pub(super) async fn item(
        &self,
        key: Key,
        projection: Projection,
    ) -> Result<Option<Item>, TableError> {
        let get = self.table.get(key).consistency(Consistency::Strong);
        get.project(projection).send(&self.meter).await
    }

    /// An application's stages as they are stored. Query APP#id / STAGE#.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn stages(&self, application: &Application) -> Result<Vec<Stage>, StoreError> {
        let items = self.stage_items(&application.id).await?;
        read_stages(application, items)
    }

    /// The items of an application's stages. Query APP#id / STAGE#.
    pub(super) async fn stage_items(&self, id: &ApplicationId) -> Result<Vec<Item>, StoreError> {
        let query = self
            .table
            .query(self.scope.partition(id))
            .begins_with(keys::stages())
            .consistency(Consistency::Strong);
        Ok(query.all(&self.meter).await?)
    }

    /// The stages that `application` has at its version, if its newest snapshot does not hold them: as they are
    /// stored, if the application is unchanged. Otherwise its snapshot is read again. None if it was deleted since. Query
    /// APP#id / STAGE#, GetItem APP#id / APP#id.
    ///
    /// # Errors
    /// [`StoreError`].
    pub(super) async fn stages_at(
        &self,
        application: &Application,
    ) -> Result<Vec<Stage>, StoreError> {
        let stages = self.stages(application).await?;
        if application.version() == 0 {
            // Another program wrote it, without versions.
            return Ok(stages);
        }
        let id = &application.id;
        let now = self.application_alone(id, &Wanted::default()).await?;
        if now.as_ref().is_some_and(|now| same(now, application)) {
            return Ok(stages);
        }
        let entry = self.entry(id, application.version()).await?;
        let snapshot = entry.map(|entry| entry.snapshot);
        match snapshot.filter(|snapshot| same(&snapshot.application, application)) {
            Some(snapshot) => Ok(snapshot.stages().to_vec()),
            None if is_over(application, now.as_ref()) => Ok(Vec::new()),
            None => Ok(stages),
        }
    }

    /// The application with its stages and newest history entries, all of one version. If the versions differ, a
    /// change was made in between, and all is read again until they agree or stay as they are: another program
    /// left them so.
    async fn partition(
        &self,
        id: &ApplicationId,
        wanted: &Wanted,
        range: &HistoryRange,
    ) -> Result<Option<Detail>, StoreError> {
        let mut before = None;
        let mut readings = 0;
        loop {
            let mut parts = self.read_partition(id, wanted, range).await?;
            let application = match parts.application.take() {
                Some(item) => Some(self.read_application(item)?),
                None if parts.is_whole => None,
                None => self.application_alone(id, wanted).await?,
            };
            let Some(mut application) = application else {
                return Ok(None);
            };
            let newest = parts.history.first().map_or(0, |line| line.sequence);
            let version = application.version();
            let now = Some((version, application.updated_at.clone(), newest));
            readings += 1;
            let settled = version == newest || before == now;
            if !settled && readings < READINGS {
                before = now;
                continue;
            }
            if !settled {
                // The stages are not those of this version: they and its history are read as for a list.
                return Ok(Some(Detail {
                    application,
                    stages: None,
                    history: None,
                }));
            }
            let stages = read_stages(&application, std::mem::take(&mut parts.stages));
            let history = parts.page(range.size);
            // Another program may have left it behind its history.
            application.history_sequence = if newest > version {
                Field::of(&newest)
            } else {
                application.history_sequence
            };
            return Ok(Some(Detail {
                application,
                stages: Some(stages),
                history: Some(history),
            }));
        }
    }

    /// The end of a partition: its stages, so many history entries, and the application if these are all. If items of
    /// other programs stand between them so that one Query does not reach these, Query APP#id / STAGE# and APP#id /
    /// HIST# instead.
    async fn read_partition(
        &self,
        id: &ApplicationId,
        wanted: &Wanted,
        range: &HistoryRange,
    ) -> Result<Parts, StoreError> {
        let mut attributes = wanted.projection();
        attributes.push("applicationId");
        attributes.extend([
            "name",
            "order",
            "isCompleted",
            "completedDate",
            "performanceRating",
            "scheduledAt",
            "durationMinutes",
        ]);
        attributes.extend(LINE.iter().chain(&["notes"]));
        if range.content == Content::Snapshots {
            attributes.push("snapshot");
        }
        attributes.sort_unstable();
        attributes.dedup();
        let entries = range.size + 1;
        let (first, last) = keys::application_to_stages(id);
        let query = self
            .table
            .query(self.scope.partition(id))
            .between(first, last)
            .order(Order::Descending)
            .consistency(Consistency::Strong)
            .project(Projection::Only(attributes));
        let mut parts = Parts::new(id);
        let mut page = query
            .clone()
            .limit(MAX_STAGES + entries + 1)
            .page(&self.meter)
            .await?;
        loop {
            page.items.into_iter().for_each(|item| parts.sort(item));
            let is_enough = parts.history.len() >= entries || parts.application.is_some();
            match page.last_evaluated_key {
                None => {
                    parts.is_whole = true;
                    return Ok(parts);
                }
                Some(_) if is_enough || parts.is_past_history => return Ok(parts),
                // Others' items use up the page.
                Some(_) if parts.others > 0 || parts.stages.len() > MAX_STAGES => break,
                // Snapshots can be so large that 1 MB ends the page before the limit does.
                Some(rest) => {
                    let left = entries + 1 - parts.history.len();
                    let query = query.clone().continue_from(rest).limit(left);
                    page = query.page(&self.meter).await?;
                }
            }
        }
        let (stages, history) = join(self.stage_items(id), self.history(id, range)).await;
        let (stages, history) = (stages?, history?);
        let mut parts = Parts::new(id);
        parts.stages = stages;
        parts.history = history.lines;
        parts.cut = history.more;
        Ok(parts)
    }
}

/// A partition's items, by their sort key's prefix.
struct Parts {
    id: ApplicationId,
    stages: Vec<Item>,
    history: Vec<Line>,
    application: Option<Item>,
    /// How many items of other programs there are.
    others: usize,
    /// Whether an item stands before all history entries.
    is_past_history: bool,
    /// Whether nothing else is stored there.
    is_whole: bool,
    /// Whether the history goes on, if it is a page of it.
    cut: bool,
}

impl Parts {
    fn new(id: &ApplicationId) -> Self {
        Self {
            id: id.clone(),
            stages: Vec::new(),
            history: Vec::new(),
            application: None,
            others: 0,
            is_past_history: false,
            is_whole: false,
            cut: false,
        }
    }

    /// The first page of the history.
    fn page(self, size: usize) -> HistoryPage {
        let mut page = HistoryPage::newest_first(self.history, size);
        page.more |= self.cut;
        page
    }

    fn sort(&mut self, item: Item) {
        let Some(Key { sk, .. }) = keys::TABLE.key_in(&item) else {
            return;
        };
        if keys::stage_id(sk.as_str()).is_some() {
            self.stages.push(item);
        } else if let Some(sequence) = keys::sequence(sk.as_str()) {
            let key = (self.id.clone(), sequence);
            self.history.push(Line::at(key, item));
        } else {
            self.is_past_history |= sk.as_str() < keys::history().as_str();
            if sk == keys::application_to_stages(&self.id).0 {
                self.application = Some(item)
            } else {
                self.others += 1
            }
        }
    }
}

/// Whether both are the same version.
pub(super) fn same(application: &Application, as_this: &Application) -> bool {
    (&application.history_sequence, &application.updated_at)
        == (&as_this.history_sequence, &as_this.updated_at)
}

/// Whether what was read was deleted since: it is not there now, or was made anew.
fn is_over(application: &Application, now: Option<&Application>) -> bool {
    now.is_none_or(|now| now.created_at != application.created_at)
}

impl Applications {
    /// The application in an item.
    pub(super) fn read_application(&self, item: Item) -> Result<Application, StoreError> {
        items::application(&self.scope, item).ok_or_else(|| malformed("application"))
    }
}

/// The stages of an application in items, sorted.
pub(super) fn read_stages(
    application: &Application,
    items: Vec<Item>,
) -> Result<Vec<Stage>, StoreError> {
    // An item that is at no stage's key belongs to another program.
    let stages = items.into_iter();
    let stages = stages.filter_map(|item| items::stage(&application.id, item));
    let stages = stages.collect();
    Ok(State::new(application.clone(), stages).stages().to_vec())
}

fn malformed(entity: &'static str) -> StoreError {
    let reason = "its key is not one of this service".to_owned();
    MalformedItem { entity, reason }.into()
}
