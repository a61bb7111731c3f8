//! What happens on certain days.

use async_graphql::{Enum, SimpleObject};

use crate::store::{self, Event, Part};
use trestle_api::{ApiError, Date, OffsetDateTime};

use super::{Application, InterviewStage};

/// A kind of agenda entry.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgendaEntryKind {
    /// An interview stage takes place.
    InterviewStage,
    /// The next action of the person.
    NextAction,
    /// An offer must be answered.
    OfferDue,
}

/// Something that happens on a day.
#[derive(SimpleObject)]
pub struct AgendaEntry {
    /// The kind of entry.
    kind: AgendaEntryKind,
    /// The day. Of an interview stage, the day in its own offset.
    date: Date,
    /// When the interview stage takes place. Null for entries of a whole day.
    scheduled_at: Option<OffsetDateTime>,
    /// The interview stage. Null for other kinds.
    interview_stage: Option<InterviewStage>,
    /// The application.
    application: Application,
}

impl AgendaEntry {
    /// An entry; `part` is what the application's history entries are requested for.
    ///
    /// # Errors
    /// UNREADABLE if an attribute that it always has cannot be read.
    pub fn new(entry: store::AgendaEntry, part: Part) -> Result<Self, ApiError> {
        let (kind, stage) = match entry.event {
            Event::Stage(stage, moment) => (AgendaEntryKind::InterviewStage, Some((stage, moment))),
            Event::NextAction => (AgendaEntryKind::NextAction, None),
            Event::OfferDue => (AgendaEntryKind::OfferDue, None),
        };
        let scheduled_at = stage
            .as_ref()
            .map(|(_, moment)| OffsetDateTime(moment.to_string()));
        let stage = stage.map(|(stage, _)| InterviewStage::new(*stage));
        Ok(Self {
            kind,
            date: Date(entry.date.to_string()),
            scheduled_at,
            interview_stage: stage.transpose()?,
            application: Application::listed(entry.application, part)?,
        })
    }
}
