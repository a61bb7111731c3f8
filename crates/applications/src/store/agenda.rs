//! What happens on certain days: scheduled stages, next actions, offers that must be answered.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use chrono::NaiveDate;

use crate::error::StoreError;
use crate::items;
use crate::keys::TABLE;
use crate::model::{Application, Moment, Stage, StageId, State, Status};
use trestle_table::{Condition, Consistency, Projection};

use super::list::WholeList;
use super::{Applications, ListFilter, Range, Wanted};

/// Something that happens on a day.
#[derive(Clone, Debug)]
pub struct AgendaEntry {
    /// The day; of a scheduled stage, by its own offset.
    pub date: NaiveDate,
    /// What happens.
    pub event: Event,
    /// The application. Attributes that were not requested are empty.
    pub application: Application,
}

/// What happens on a day.
#[derive(Clone, Debug)]
pub enum Event {
    /// A stage takes place.
    Stage(Box<Stage>, Moment),
    /// The person acts next.
    NextAction,
    /// An offer must be answered.
    OfferDue,
}

/// The most days of an agenda.
pub const MAX_DAYS: i64 = 366;
/// The most entries of an agenda.
const MAX_ENTRIES: usize = 5_000;

/// The attributes that put an application into an agenda.
const DATES: [&str; 3] = ["offerDueDate", "nextActionDate", "scheduledStages"];

/// That an application has something with a date. A date that is not there may be stored as NULL, and is no text.
fn has_date() -> Condition {
    let digit = AttributeValue::S("0".to_owned());
    Condition::Any(vec![
        Condition::AtLeast("offerDueDate", digit.clone()),
        Condition::AtLeast("nextActionDate", digit),
        Condition::Has("scheduledStages"),
    ])
}

/// Whether nothing more is to be done.
fn is_closed(status: Status) -> bool {
    match status {
        Status::Rejected | Status::AcceptedOffer | Status::DeclinedOffer | Status::NoOffer => true,
        Status::Unsubmitted | Status::Applied | Status::Interviewing | Status::GivenOffer => false,
    }
}

/// How many dates of an application, from a day on, no agenda shows because it is archived or nothing more is to be done: of
/// stages that are not completed, of the next action, and by which an offer is answered.
pub fn dates_off_agenda(state: &State, from: NaiveDate) -> usize {
    let details = &state.application.details;
    let status = details.status.get();
    let is_closed = status.is_some_and(is_closed);
    if !state.application.is_archived() && !is_closed {
        return 0;
    }
    let had_offer = is_closed || status == Some(Status::GivenOffer);
    let open = state.stages().iter();
    let open = open.filter(|stage| stage.is_completed.get() != Some(true));
    let scheduled = open.filter_map(|stage| stage.scheduled_at.get());
    let days = scheduled
        .map(|moment| moment.0.date_naive())
        .chain(details.next_action_date.get())
        .chain(details.offer_due_date.get().filter(|_| had_offer));
    days.filter(|day| *day >= from).count()
}

impl Applications {
    /// What happens on these days to applications that are not archived, sorted by time: all day first. At most
    /// [`MAX_ENTRIES`]. GSI2 ACTIVE, every page, at most 10,000 applications with a date; then BatchGetItem of the stages
    /// that take place, one call for each 100.
    ///
    /// # Errors
    /// [`StoreError::TooMany`]; [`StoreError::AgendaTooLong`]; [`StoreError`].
    pub async fn agenda(
        &self,
        days: Range<NaiveDate>,
        wanted: &Wanted,
    ) -> Result<Vec<AgendaEntry>, StoreError> {
        let mut attributes = wanted.projection();
        attributes.extend(DATES);
        attributes.push("nextAction");
        let list = WholeList {
            filter: &ListFilter::default(),
            only: Some(&has_date()),
            too_many: "Too many applications that are not archived: an agenda has at most 10,000 with a date, of at most \
                       100,000. Archive applications with `archiveApplications`.",
        };
        let applications = self.matching(list, attributes).await?;
        let mut entries = Vec::new();
        let mut scheduled = Vec::new();
        for application in applications {
            let details = &application.details;
            let status = details.status.get();
            let dated = [
                (
                    details.next_action_date.get(),
                    Event::NextAction,
                    !status.is_some_and(is_closed),
                ),
                (
                    details.offer_due_date.get(),
                    Event::OfferDue,
                    status == Some(Status::GivenOffer),
                ),
            ];
            for (date, event, is_open) in dated {
                if !is_open {
                    continue;
                }
                if let Some(date) = date.filter(|date| days.has(Some(date))) {
                    let application = application.clone();
                    entries.push(AgendaEntry {
                        date,
                        event,
                        application,
                    });
                }
            }
            if status.is_some_and(is_closed) {
                continue;
            }
            let schedule = application.scheduled_stages.get().unwrap_or_default();
            for (stage, moment) in schedule.stages() {
                if days.has(Some(&moment.0.date_naive())) {
                    scheduled.push((application.clone(), stage.clone()));
                }
            }
            if entries.len() + scheduled.len() > MAX_ENTRIES {
                return Err(StoreError::AgendaTooLong);
            }
        }
        entries.extend(self.scheduled(scheduled, days).await?);
        entries.sort_by_cached_key(|entry| {
            let time = match &entry.event {
                Event::Stage(_, moment) => Some(moment.timestamp()),
                Event::NextAction | Event::OfferDue => None,
            };
            (entry.date, time, entry.application.id.clone())
        });
        Ok(entries)
    }

    /// The stages among these that take place on these days, as they are stored.
    async fn scheduled(
        &self,
        stages: Vec<(Application, StageId)>,
        days: Range<NaiveDate>,
    ) -> Result<Vec<AgendaEntry>, StoreError> {
        let keys = stages
            .iter()
            .map(|(application, stage)| self.scope.stage(&application.id, stage));
        let items = self
            .table
            .batch_get(keys, &Projection::All, Consistency::Strong, &self.meter)
            .await?;
        let items = items.into_iter();
        let mut items: HashMap<_, _> = items
            .filter_map(|item| Some((TABLE.key_in(&item)?, item)))
            .collect();
        let entries = stages.into_iter().filter_map(|(application, stage)| {
            let item = items.remove(&self.scope.stage(&application.id, &stage))?;
            let stage = items::stage(&application.id, item)?;
            if stage.is_completed.get() == Some(true) {
                return None;
            }
            let moment = stage.scheduled_at.get()?;
            let date = moment.0.date_naive();
            days.has(Some(&date)).then(|| AgendaEntry {
                date,
                event: Event::Stage(Box::new(stage), moment),
                application,
            })
        });
        Ok(entries.collect())
    }
}
