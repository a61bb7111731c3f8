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
    async fn application_alone(
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

    async fn partition(
        &self,
        id: ApplicationId,
        wanted: &Wanted,
        range: &HistoryRange,
    ) -> Result<Option<Detail>, StoreError> {
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
        let application = match parts.application {
            Some(item) => Some(read_application(item)?),
            None if parts.history.is_empty() => None,
            None => self.application_alone(id, wanted).await?,
        };
        let Some(application) = application else {
            return Ok(None);
        };
        let newest = parts.history.first().map_or(0, |line| line.sequence);
        if application.version > newest {
            // Someone changed it between the reads, so that the stages are not those of this version: they
            // and its history follow as for a list.
            return Ok(Some(Detail {
                application,
                stages: None,
                history: None,
            }));
        }
        let stages = read_stages(&application, parts.stages);
        let history = HistoryPage::newest_first(parts.history, range.size);
        Ok(Some(Detail {
            application,
            stages: Some(stages),
            history: Some(history),
        }))
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
