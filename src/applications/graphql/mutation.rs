//! The mutations: each answers the changed application, or what its sender can mend.

use async_graphql::{Context, ID, Object, SimpleObject};

use crate::api::{ApiError, UserError, UserErrorCode};
use crate::applications::error::{ChangeError, user_errors};
use crate::applications::model::{
    ApplicationId, DetailsChange, EVERY_STAGE_ONCE, NewStage, Rule, StageChange, StageId, Violation,
};
use crate::applications::store::{Changed, NodeKey};

use super::id;
use super::input::{
    AddInterviewStageInput, ArchiveApplicationInput, CompleteInterviewStageInput,
    CreateApplicationInput, DeleteApplicationInput, RemoveInterviewStageInput,
    ReorderInterviewStagesInput, RestoreApplicationInput, UnarchiveApplicationInput,
    UpdateApplicationInput, UpdateInterviewStageInput,
};
use super::types::{Application, InterviewStage, store};

macro_rules! payloads {
    ($($(#[$doc:meta])* $type:ident { $($(#[$field_doc:meta])* $field:ident: $value:ty,)? })+) => {
        $(
            $(#[$doc])*
            #[derive(SimpleObject, Default)]
            pub struct $type {
                /// The application after the mutation; empty where it was refused.
                application: Option<Application>,
                $($(#[$field_doc])* $field: Option<$value>,)?
                /// What was wrong with the input; where this is not empty, nothing was written.
                user_errors: Vec<UserError>,
            }

            impl $type {
                fn changed(changed: Result<Changed, ChangeError>) -> Result<Self, ApiError> {
                    Ok(match changed {
                        Ok(changed) => Self {
                            application: Some(Application::written(changed.state)),
                            ..Self::default()
                        },
                        Err(error) => Self { user_errors: user_errors(error)?, ..Self::default() },
                    })
                }
            }
        )+
    };
}

payloads!(
    /// What became of `createApplication`.
    CreateApplicationPayload {}
    /// What became of `updateApplication`.
    UpdateApplicationPayload {}
    /// What became of `archiveApplication`.
    ArchiveApplicationPayload {}
    /// What became of `unarchiveApplication`.
    UnarchiveApplicationPayload {}
    /// What became of `restoreApplication`.
    RestoreApplicationPayload {}
    /// What became of `addInterviewStage`.
    AddInterviewStagePayload {
        /// The stage; empty where the mutation was refused.
        interview_stage: InterviewStage,
    }
    /// What became of `updateInterviewStage`.
    UpdateInterviewStagePayload {
        /// The stage; empty where the mutation was refused.
        interview_stage: InterviewStage,
    }
    /// What became of `completeInterviewStage`.
    CompleteInterviewStagePayload {
        /// The stage; empty where the mutation was refused.
        interview_stage: InterviewStage,
    }
    /// What became of `removeInterviewStage`.
    RemoveInterviewStagePayload {
        /// The id of the stage that is gone; empty where the mutation was refused.
        removed_interview_stage_id: ID,
    }
    /// What became of `reorderInterviewStages`.
    ReorderInterviewStagesPayload {}
);

/// What became of `deleteApplication`.
#[derive(SimpleObject, Default)]
pub struct DeleteApplicationPayload {
    /// The id of the application that is gone; empty where the mutation was refused.
    deleted_application_id: Option<ID>,
    /// What was wrong with the input; where this is not empty, nothing was deleted.
    user_errors: Vec<UserError>,
}

/// What can be changed.
pub struct Mutation;

type Answer<T> = Option<Result<T, ApiError>>;

/// What can be changed.
#[Object]
impl Mutation {
    /// Makes an application. The same input with the same id makes it once and answers it each time.
    async fn create_application(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The application.")] input: CreateApplicationInput,
    ) -> Answer<CreateApplicationPayload> {
        let payload = async {
            let id = input.id.map(ApplicationId);
            let change = DetailsChange::from(input);
            CreateApplicationPayload::changed(store(ctx)?.create(id, &change).await)
        };
        Some(payload.await)
    }

    /// Changes some fields of an application. What changes nothing writes nothing.
    async fn update_application(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The changes.")] input: UpdateApplicationInput,
    ) -> Answer<UpdateApplicationPayload> {
        let payload = async {
            let (id, expected) = (id::application(&input.id), input.expected_version);
            let change = DetailsChange::from(input);
            UpdateApplicationPayload::changed(match id {
                Some(id) => store(ctx)?.update(id, expected, &change).await,
                None => Err(ChangeError::NotFound),
            })
        };
        Some(payload.await)
    }

    /// Puts an application away. It keeps its status, and lists leave it out unless asked.
    async fn archive_application(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which application.")] input: ArchiveApplicationInput,
    ) -> Answer<ArchiveApplicationPayload> {
        let payload = async {
            ArchiveApplicationPayload::changed(match id::application(&input.id) {
                Some(id) => store(ctx)?.archive(id, input.expected_version).await,
                None => Err(ChangeError::NotFound),
            })
        };
        Some(payload.await)
    }

    /// Takes an application out again.
    async fn unarchive_application(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which application.")] input: UnarchiveApplicationInput,
    ) -> Answer<UnarchiveApplicationPayload> {
        let payload = async {
            UnarchiveApplicationPayload::changed(match id::application(&input.id) {
                Some(id) => store(ctx)?.unarchive(id, input.expected_version).await,
                None => Err(ChangeError::NotFound),
            })
        };
        Some(payload.await)
    }

    /// Deletes an application, with its stages and its history, for good.
    async fn delete_application(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which application.")] input: DeleteApplicationInput,
    ) -> Answer<DeleteApplicationPayload> {
        let payload = async {
            let deleted = match id::application(&input.id) {
                Some(id) => {
                    let deleted = store(ctx)?.delete(id, input.expected_version).await;
                    deleted.map(|()| id)
                }
                None => Err(ChangeError::NotFound),
            };
            Ok(match deleted {
                Ok(id) => DeleteApplicationPayload {
                    deleted_application_id: Some(id::encode(NodeKey::Application(id))),
                    ..Default::default()
                },
                Err(error) => DeleteApplicationPayload {
                    user_errors: user_errors(error)?,
                    ..Default::default()
                },
            })
        };
        Some(payload.await)
    }

    /// Takes an application back to what it was after an earlier change. That is a change like any other:
    /// nothing of the history is lost.
    async fn restore_application(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which application, and to which entry.")] input: RestoreApplicationInput,
    ) -> Answer<RestoreApplicationPayload> {
        let payload = async {
            RestoreApplicationPayload::changed(match id::application(&input.id) {
                Some(id) => {
                    store(ctx)?
                        .restore(id, input.expected_version, input.sequence)
                        .await
                }
                None => Err(ChangeError::NotFound),
            })
        };
        Some(payload.await)
    }

    /// Adds a stage, of which an application holds 30 at most. The same input with the same id adds it
    /// once and answers it each time.
    async fn add_interview_stage(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The stage.")] input: AddInterviewStageInput,
    ) -> Answer<AddInterviewStagePayload> {
        let payload = async {
            let (id, expected) = (
                id::application(&input.application_id),
                input.expected_version,
            );
            let stage = NewStage::from(input);
            let changed = match id {
                Some(id) => store(ctx)?.add_stage(id, expected, &stage).await,
                None => Err(ChangeError::NotFound),
            };
            if let Err(ChangeError::NotFound) = changed {
                let user_errors = vec![no_application()];
                return Ok(AddInterviewStagePayload {
                    user_errors,
                    ..Default::default()
                });
            }
            let added = id.and_then(|id| stage_of(&changed, (id, stage.id)));
            let payload = AddInterviewStagePayload::changed(changed)?;
            Ok(AddInterviewStagePayload {
                interview_stage: added,
                ..payload
            })
        };
        Some(payload.await)
    }

    /// Changes some fields of a stage. What changes nothing writes nothing.
    async fn update_interview_stage(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The changes.")] input: UpdateInterviewStageInput,
    ) -> Answer<UpdateInterviewStagePayload> {
        let payload = async {
            let (key, expected) = (id::stage(&input.id), input.expected_version);
            let change = StageChange::from(input);
            let changed = match key {
                Some(key) => store(ctx)?.update_stage(key, expected, &change).await,
                None => Err(no_stage()),
            };
            let stage = key.and_then(|key| stage_of(&changed, key));
            let payload = UpdateInterviewStagePayload::changed(changed)?;
            Ok(UpdateInterviewStagePayload {
                interview_stage: stage,
                ..payload
            })
        };
        Some(payload.await)
    }

    /// Notes that a stage is done.
    async fn complete_interview_stage(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which stage, and how it went.")] input: CompleteInterviewStageInput,
    ) -> Answer<CompleteInterviewStagePayload> {
        let payload = async {
            let (key, expected) = (id::stage(&input.id), input.expected_version);
            let change = StageChange::from(input);
            let changed = match key {
                Some(key) => store(ctx)?.update_stage(key, expected, &change).await,
                None => Err(no_stage()),
            };
            let stage = key.and_then(|key| stage_of(&changed, key));
            let payload = CompleteInterviewStagePayload::changed(changed)?;
            Ok(CompleteInterviewStagePayload {
                interview_stage: stage,
                ..payload
            })
        };
        Some(payload.await)
    }

    /// Removes a stage.
    async fn remove_interview_stage(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which stage.")] input: RemoveInterviewStageInput,
    ) -> Answer<RemoveInterviewStagePayload> {
        let payload = async {
            let changed = match id::stage(&input.id) {
                Some(key) => store(ctx)?.remove_stage(key, input.expected_version).await,
                None => Err(no_stage()),
            };
            let removed = changed.is_ok().then_some(input.id);
            let payload = RemoveInterviewStagePayload::changed(changed)?;
            Ok(RemoveInterviewStagePayload {
                removed_interview_stage_id: removed,
                ..payload
            })
        };
        Some(payload.await)
    }

    /// Puts the stages of an application in another order.
    async fn reorder_interview_stages(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which application, and the order.")] input: ReorderInterviewStagesInput,
    ) -> Answer<ReorderInterviewStagesPayload> {
        let payload = async {
            let id = id::application(&input.application_id);
            let of_this = |stage: &ID| id::stage(stage).filter(|(of, _)| Some(*of) == id);
            let stages: Option<Vec<_>> = input
                .stage_ids
                .iter()
                .map(|stage| Some(of_this(stage)?.1))
                .collect();
            let expected = input.expected_version;
            let changed = match (id, stages) {
                (Some(id), Some(stages)) => store(ctx)?.reorder_stages(id, expected, &stages).await,
                // An id of something else is on no list of this application's stages.
                (Some(_), None) => Err(ChangeError::Invalid(vec![Violation {
                    field: "stageIds",
                    rule: EVERY_STAGE_ONCE,
                }])),
                (None, _) => Err(ChangeError::NotFound),
            };
            if let Err(ChangeError::NotFound) = changed {
                let user_errors = vec![no_application()];
                return Ok(ReorderInterviewStagesPayload {
                    user_errors,
                    ..Default::default()
                });
            }
            ReorderInterviewStagesPayload::changed(changed)
        };
        Some(payload.await)
    }
}

fn stage_of(
    changed: &Result<Changed, ChangeError>,
    (application, stage): (ApplicationId, StageId),
) -> Option<InterviewStage> {
    let stage = changed.as_ref().ok()?.state.stage(stage)?;
    Some(InterviewStage::new(application, stage.clone()))
}

fn no_stage() -> ChangeError {
    ChangeError::Invalid(vec![Violation {
        field: "id",
        rule: Rule::NotFound("interview stage"),
    }])
}

/// For inputs that name the application beside something else.
fn no_application() -> UserError {
    UserError {
        code: UserErrorCode::NotFound,
        message: "There is no such application.".to_owned(),
        field: Some(vec!["applicationId".to_owned()]),
        current_version: None,
    }
}
