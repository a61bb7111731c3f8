//! The payloads of the mutations: the changed application, or the errors that the user can correct.

use async_graphql::{Context, ID, Object};

use crate::error::{ChangeError, Present, user_errors};
use crate::graphql::id;
use crate::graphql::types::{Application, InterviewStage, Nullable, postings, store};
use crate::model::{self, ApplicationId, Restored, StageId, State};
use crate::store::{NodeKey, Part, dates_off_agenda};
use trestle_api::{ApiError, UserError};

/// The result of a mutation: the application after it, and the stage that the input named or added.
pub type Made = Result<(State, Option<(ApplicationId, StageId)>), ChangeError>;

/// The application that a mutation answers, and its user errors.
#[derive(Default)]
struct Outcome {
    application: Option<Present>,
    /// The stage that was changed.
    stage: Option<(ApplicationId, StageId)>,
    user_errors: Vec<UserError>,
}

impl Outcome {
    /// The outcome of a change. `id_field` is the input field that names the application.
    ///
    /// # Errors
    /// The failure of the store, if the user cannot correct it.
    fn of(made: Made, id_field: &str) -> Result<Self, ApiError> {
        Ok(match made {
            Ok((state, stage)) => Self {
                application: Some(Present::Whole(state)),
                stage,
                user_errors: Vec::new(),
            },
            Err(error) => Self {
                application: match &error {
                    ChangeError::Conflict(current) => Some(Present::clone(current)),
                    _ => None,
                },
                stage: None,
                user_errors: user_errors(error, id_field)?,
            },
        })
    }

    fn application(&self) -> Nullable<Application> {
        Some(match self.application.clone()? {
            Present::Whole(state) => Application::written(state),
            Present::Alone(application) => Application::listed(application, Part::Stages),
        })
    }

    /// The other applications for the job of the one that was created.
    async fn already_tracked(&self, ctx: &Context<'_>) -> Nullable<Vec<Nullable<Application>>> {
        let Some(Present::Whole(state)) = self.application.as_ref() else {
            return None;
        };
        if !self.user_errors.is_empty() {
            return None;
        }
        Some(already_tracked(ctx, &state.application).await)
    }

    /// How many dates the agenda does not show, if the mutation was not rejected.
    fn dates_off_agenda(&self, ctx: &Context<'_>) -> Nullable<i32> {
        let Some(Present::Whole(state)) = self
            .application
            .as_ref()
            .filter(|_| self.user_errors.is_empty())
        else {
            return None;
        };
        let dates = store(ctx).map(|store| dates_off_agenda(state, store.today()));
        Some(dates.map(|dates| i32::try_from(dates).unwrap_or(i32::MAX)))
    }

    /// The stage, if the mutation was not rejected.
    fn stage(&self) -> Nullable<InterviewStage> {
        let Some(Present::Whole(state)) = &self.application else {
            return None;
        };
        let stage = state.stage(&self.stage.as_ref()?.1)?;
        Some(InterviewStage::new(stage.clone()))
    }
}

/// The other applications for the job of `wanted`.
///
/// # Errors
/// The failure of the store.
pub(super) async fn already_tracked(
    ctx: &Context<'_>,
    wanted: &model::Application,
) -> Result<Vec<Nullable<Application>>, ApiError> {
    let mut listed = Vec::new();
    for other in postings(ctx)?.others(wanted).await? {
        listed.push(Some(Application::listed(other, Part::Whole)));
    }
    Ok(listed)
}

macro_rules! payloads {
    ($($(#[$doc:meta])* $type:ident at $id_field:literal { $($(#[$field_doc:meta])* $field:ident(&$self:ident $(, $ctx:ident)?) -> $value:ty $body:block)? })+) => {$(
        $(#[$doc])*
        pub struct $type {
            outcome: Outcome,
        }

        impl $type {
            /// The payload of a change that names the application, or its stage, in this input field.
            ///
            /// # Errors
            /// The failure of the store, if the user cannot correct it.
            pub(super) fn of(made: Made) -> Result<Self, ApiError> {
                let outcome = Outcome::of(made, $id_field)?;
                Ok(Self { outcome })
            }
        }

        $(#[$doc])*
        #[Object]
        impl $type {
            /// The application after the mutation; after a CONFLICT with `currentVersion`, the current application. Null
            /// after other errors.
            async fn application(&self) -> Nullable<Application> {
                self.outcome.application()
            }

            $($(#[$field_doc])*
            async fn $field(&$self $(, $ctx: &Context<'_>)?) -> $value $body)?

            /// Errors that the user can correct. If not empty, nothing was changed.
            async fn user_errors(&self) -> &[UserError] {
                &self.outcome.user_errors
            }
        }
    )+};
}

payloads!(
    /// The result of creating an application.
    CreateApplicationPayload at "id" {
        /// Other applications, archived or not, that are for the same job already: a warning. The application is created
        /// nevertheless. It is the same job if the job posting is the same, however its address is written. If one of the two has
        /// none, it is the same job if company and position are, ignoring case, accents, punctuation and legal forms such as GmbH.
        /// All applications are read if this is selected, at most 10,000. Applications that were created in the last seconds may
        /// be missing. Null if the mutation was rejected.
        already_tracked(&self, ctx) -> Nullable<Vec<Nullable<Application>>> {
            self.outcome.already_tracked(ctx).await
        }
    }
    /// The result of updating an application.
    UpdateApplicationPayload at "id" {
        /// How many dates of the application, from today (UTC) on, the agenda and calendars do not show because it is archived or
        /// has ended: of stages that are not completed, of the next action, and by which an offer is answered. They come back
        /// when it is unarchived or gets an open status. Null if the mutation was rejected.
        dates_off_agenda(&self, ctx) -> Nullable<i32> {
            self.outcome.dates_off_agenda(ctx)
        }
    }
    /// The result of archiving an application.
    ArchiveApplicationPayload at "id" {
        /// How many dates of the application, from today (UTC) on, the agenda and calendars do not show because it is archived or
        /// has ended: of stages that are not completed, of the next action, and by which an offer is answered. They come back
        /// when it is unarchived or gets an open status. Null if the mutation was rejected.
        dates_off_agenda(&self, ctx) -> Nullable<i32> {
            self.outcome.dates_off_agenda(ctx)
        }
    }
    /// The result of unarchiving an application.
    UnarchiveApplicationPayload at "id" {}
    /// The result of `addInterviewStage`.
    AddInterviewStagePayload at "applicationId" {
        /// The stage. Null if the mutation was rejected.
        interview_stage(&self) -> Nullable<InterviewStage> {
            self.outcome.stage()
        }
    }
    /// The result of `updateInterviewStage`.
    UpdateInterviewStagePayload at "id" {
        /// The stage. Null if the mutation was rejected.
        interview_stage(&self) -> Nullable<InterviewStage> {
            self.outcome.stage()
        }
    }
    /// The result of `completeInterviewStage`.
    CompleteInterviewStagePayload at "id" {
        /// The stage. Null if the mutation was rejected.
        interview_stage(&self) -> Nullable<InterviewStage> {
            self.outcome.stage()
        }
    }
    /// The result of `removeInterviewStage`.
    RemoveInterviewStagePayload at "id" {
        /// The id of the removed stage. Null if the mutation was rejected.
        removed_interview_stage_id(&self) -> Option<ID> {
            let (application, stage) = self.outcome.stage.clone()?;
            Some(id::encode(&NodeKey::Stage(application, stage)))
        }
    }
    /// The result of `reorderInterviewStages`.
    ReorderInterviewStagesPayload at "applicationId" {}
);

/// The result of `restoreApplication`.
pub struct RestoreApplicationPayload {
    outcome: Outcome,
    kept: Option<Vec<String>>,
}

impl RestoreApplicationPayload {
    /// The payload of a restored application.
    ///
    /// # Errors
    /// The failure of the store, if the user cannot correct it.
    pub(super) fn of(restored: Result<Restored, ChangeError>) -> Result<Self, ApiError> {
        let (made, kept) = match restored {
            Ok(restored) => (Ok((restored.state, None)), Some(restored.kept)),
            Err(error) => (Err(error), None),
        };
        let outcome = Outcome::of(made, "id")?;
        Ok(Self { outcome, kept })
    }
}

/// The result of `restoreApplication`.
#[Object]
impl RestoreApplicationPayload {
    /// The application after the mutation; after a CONFLICT with `currentVersion`, the current application. Null
    /// after other errors.
    async fn application(&self) -> Nullable<Application> {
        self.outcome.application()
    }

    /// The fields that the history entry does not have, or that cannot be read in it: they keep their values. Fields of
    /// interview stages are written as `interviewStages.notes`. Empty for entries that this server wrote. Null if
    /// nothing was restored.
    async fn kept_fields(&self) -> Option<&[String]> {
        self.kept.as_deref()
    }

    /// Errors that the user can correct. If not empty, nothing was changed.
    async fn user_errors(&self) -> &[UserError] {
        &self.outcome.user_errors
    }
}

/// The result of deleting an application.
#[derive(Default)]
pub struct DeleteApplicationPayload {
    outcome: Outcome,
    deleted: Option<ApplicationId>,
}

impl DeleteApplicationPayload {
    /// The payload of a delete.
    ///
    /// # Errors
    /// The failure of the store, if the user cannot correct it.
    pub(super) fn of(deleted: Result<ApplicationId, ChangeError>) -> Result<Self, ApiError> {
        Ok(match deleted {
            Ok(id) => Self {
                deleted: Some(id),
                ..Self::default()
            },
            Err(error) => Self {
                outcome: Outcome::of(Err(error), "id")?,
                deleted: None,
            },
        })
    }
}

/// The result of deleting an application.
#[Object]
impl DeleteApplicationPayload {
    /// The id of the deleted application. Null if the mutation was rejected.
    async fn deleted_application_id(&self) -> Option<ID> {
        let id = self.deleted.clone()?;
        Some(id::encode(&NodeKey::Application(id)))
    }

    /// The current application after a CONFLICT. Null otherwise.
    async fn application(&self) -> Nullable<Application> {
        self.outcome.application()
    }

    /// Errors that the user can correct. If not empty, nothing was deleted.
    async fn user_errors(&self) -> &[UserError] {
        &self.outcome.user_errors
    }
}
