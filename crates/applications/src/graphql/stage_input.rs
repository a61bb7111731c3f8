//! The inputs of the mutations of interview stages. Omitted fields stay, null clears.

use async_graphql::{ID, InputObject, MaybeUndefined};

use crate::model::{Change, NOT_ITS_STAGE, NewStage, StageChange, StageId, StagePatch, Violations};
use trestle_api::{Date, OffsetDateTime, Uuid, Version};

use super::given::{change, given, uuid};
use super::id;

macro_rules! new_stages {
    ($($(#[$doc:meta])* $type:ident { $($(#[$own_doc:meta])* $own:ident: $own_type:ty,)* })+) => {$(
        $(#[$doc])*
        #[derive(InputObject)]
        pub struct $type {
            $($(#[$own_doc])* pub $own: $own_type,)*
            /// The stage's UUID. With a UUID of the client's own, the same input can be repeated without adding the stage
            /// twice.
            stage_id: Option<Uuid>,
            /// The name: 1 to 100 characters.
            name: String,
            /// The position among the stages, lowest first: 0 to 2000000000. A stage that is there moves on by one. Defaults to the last position.
            order: Option<i32>,
            /// Whether the stage is completed. Defaults to false.
            is_completed: Option<bool>,
            /// When the stage was completed. Defaults to today (UTC) if it is completed.
            completed_date: Option<Date>,
            /// The person's notes: at most 2000 characters.
            notes: Option<String>,
            /// How it went: 1 to 5.
            performance_rating: Option<i32>,
            /// When the stage takes place.
            scheduled_at: Option<OffsetDateTime>,
            /// How many minutes it takes: 1 to 10080. Calendars show an hour without it.
            duration_minutes: Option<i32>,
        }

        impl TryFrom<$type> for NewStage {
            type Error = Violations;

            fn try_from(input: $type) -> Result<Self, Violations> {
                let id = uuid("stageId", input.stage_id.as_ref())?;
                let fields = StageChange {
                    name: Change::Set(input.name),
                    order: given(input.order, i64::from),
                    is_completed: Change::set(input.is_completed),
                    completed_date: given(input.completed_date, |date| date.0),
                    notes: Change::set(input.notes),
                    performance_rating: given(input.performance_rating, i64::from),
                    scheduled_at: given(input.scheduled_at, |moment| moment.0),
                    duration_minutes: given(input.duration_minutes, i64::from),
                };
                Ok(NewStage {
                    id: StageId::new(id.unwrap_or_else(uuid::Uuid::new_v4)),
                    fields,
                })
            }
        }
    )+};
}

new_stages!(
    /// A stage to add to an application.
    AddInterviewStageInput {
        /// The application's id.
        application_id: ID,
        /// Change it only if this is still its version.
        expected_version: Option<Version>,
    }
    /// A stage to add to an application that is updated.
    NewInterviewStageInput {}
);

/// Changes to a stage. Omitted fields stay as they are, null clears a field.
#[derive(InputObject)]
pub struct UpdateInterviewStageInput {
    /// The stage's id; or its UUID, together with `applicationId`.
    pub id: ID,
    /// The application's id, if `id` is a UUID.
    pub application_id: Option<ID>,
    /// Change it only if this is still the version of its application.
    pub expected_version: Option<Version>,
    /// The name: 1 to 100 characters. It cannot be null.
    name: MaybeUndefined<String>,
    /// The position among the stages, lowest first: 0 to 2000000000. It cannot be null.
    order: MaybeUndefined<i32>,
    /// Whether the stage is completed. It cannot be null.
    is_completed: MaybeUndefined<bool>,
    /// When the stage was completed. Defaults to today (UTC) if it is completed.
    completed_date: MaybeUndefined<Date>,
    /// The person's notes: at most 2000 characters.
    notes: MaybeUndefined<String>,
    /// How it went: 1 to 5.
    performance_rating: MaybeUndefined<i32>,
    /// When the stage takes place.
    scheduled_at: MaybeUndefined<OffsetDateTime>,
    /// How many minutes it takes: 1 to 10080. Calendars show an hour without it.
    duration_minutes: MaybeUndefined<i32>,
}

macro_rules! completed_stages {
    ($($(#[$doc:meta])* $type:ident { $($(#[$own_doc:meta])* $own:ident: $own_type:ty,)* })+) => {$(
        $(#[$doc])*
        #[derive(InputObject)]
        pub struct $type {
            $($(#[$own_doc])* pub $own: $own_type,)*
            /// When the stage was completed. Defaults to its present date or, without one, today (UTC).
            completed_date: Option<Date>,
            /// How it went: 1 to 5.
            performance_rating: Option<i32>,
        }

        impl From<$type> for StageChange {
            fn from(input: $type) -> Self {
                StageChange {
                    is_completed: Change::Set(true),
                    completed_date: given(input.completed_date, |date| date.0),
                    performance_rating: given(input.performance_rating, i64::from),
                    ..StageChange::default()
                }
            }
        }
    )+};
}

completed_stages!(
    /// A stage to complete.
    CompleteInterviewStageInput {
        /// The stage's id; or its UUID, together with `applicationId`.
        id: ID,
        /// The application's id, if `id` is a UUID.
        application_id: Option<ID>,
        /// Change it only if this is still the version of its application.
        expected_version: Option<Version>,
    }
    /// A stage to complete of an application that is updated.
    CompletedInterviewStageInput {
        /// The stage's id or its UUID.
        id: ID,
    }
);

/// A stage to remove.
#[derive(InputObject)]
pub struct RemoveInterviewStageInput {
    /// The stage's id; or its UUID, together with `applicationId`.
    pub id: ID,
    /// The application's id, if `id` is a UUID.
    pub application_id: Option<ID>,
    /// Remove it only if this is still the version of its application.
    pub expected_version: Option<Version>,
}

/// A new order of an application's stages.
#[derive(InputObject)]
pub struct ReorderInterviewStagesInput {
    /// The application's id.
    pub application_id: ID,
    /// Change it only if this is still its version.
    pub expected_version: Option<Version>,
    /// The ids or UUIDs of all stages of the application, each once, in their new order.
    pub stage_ids: Vec<ID>,
}

impl From<UpdateInterviewStageInput> for StageChange {
    fn from(input: UpdateInterviewStageInput) -> Self {
        StageChange {
            name: change(input.name, |text| text),
            order: change(input.order, i64::from),
            is_completed: change(input.is_completed, |completed| completed),
            completed_date: change(input.completed_date, |date| date.0),
            notes: change(input.notes, |text| text),
            performance_rating: change(input.performance_rating, i64::from),
            scheduled_at: change(input.scheduled_at, |moment| moment.0),
            duration_minutes: change(input.duration_minutes, i64::from),
        }
    }
}

impl CompletedInterviewStageInput {
    /// The patch of a stage of this application.
    ///
    /// # Errors
    /// The id is not of one of its stages.
    pub(super) fn patch(self, application: &ID) -> Result<StagePatch, Violations> {
        let (_, id) =
            id::stage(&self.id, Some(application)).ok_or_else(|| NOT_ITS_STAGE.at("id"))?;
        Ok(StagePatch {
            id,
            change: self.into(),
        })
    }
}
