//! The mutations: each answers the changed application, or what its sender can mend.

use async_graphql::{Context, ID, Object, SimpleObject};

use crate::api::{ApiError, UserError};
use crate::applications::error::{ChangeError, user_errors};
use crate::applications::model::{
    ApplicationId, DetailsChange, NewStage, Rule, StageChange, StageId, Violation,
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
                /// `id_field` is the input's field that names the application.
                fn of(
                    changed: Result<Changed, ChangeError>,
                    id_field: &str,
                ) -> Result<Self, ApiError> {
                    Ok(match changed {
                        Ok(changed) => Self {
                            application: Some(Application::written(changed.state)),
                            ..Self::default()
                        },
                        Err(error) => Self {
                            user_errors: user_errors(error, id_field)?,
                            ..Self::default()
                        },
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
            let created = match input.id() {
                Ok(id) => store(ctx)?.create(id, &input.into()).await,
                Err(violations) => Err(violations.into()),
            };
            CreateApplicationPayload::of(created, "id")
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
            let (id, version) = (id::application(&input.id), expected(input.expected_version));
            let change = DetailsChange::from(input);
            let changed = match id {
                Some(id) => store(ctx)?.update(id, version, &change).await,
                None => Err(ChangeError::NotFound),
            };
            UpdateApplicationPayload::of(changed, "id")
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
            let changed = match id::application(&input.id) {
                Some(id) => {
                    store(ctx)?
                        .archive(id, expected(input.expected_version))
                        .await
                }
                None => Err(ChangeError::NotFound),
            };
            ArchiveApplicationPayload::of(changed, "id")
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
            let changed = match id::application(&input.id) {
                Some(id) => {
                    store(ctx)?
                        .unarchive(id, expected(input.expected_version))
                        .await
                }
                None => Err(ChangeError::NotFound),
            };
            UnarchiveApplicationPayload::of(changed, "id")
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
            let id = id::application(&input.id);
            let deleted = match id {
                Some(id) => {
                    store(ctx)?
                        .delete(id, expected(input.expected_version))
                        .await
                }
                None => Err(ChangeError::NotFound),
            };
            Ok(match deleted {
                Ok(()) => DeleteApplicationPayload {
                    deleted_application_id: id.map(|id| id::encode(NodeKey::Application(id))),
                    ..Default::default()
                },
                Err(error) => DeleteApplicationPayload {
                    user_errors: user_errors(error, "id")?,
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
            let changed = match id::application(&input.id) {
                Some(id) => {
                    store(ctx)?
                        .restore(
                            id,
                            expected(input.expected_version),
                            // There is no entry 0.
                            u32::try_from(input.sequence).unwrap_or(0),
                        )
                        .await
                }
                None => Err(ChangeError::NotFound),
            };
            RestoreApplicationPayload::of(changed, "id")
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
            let id = id::application(&input.application_id);
            let version = expected(input.expected_version);
            let stage = NewStage::try_from(input);
            let added = id.zip(stage.as_ref().ok().map(|stage| stage.id));
            let changed = match (id, stage) {
                (Some(id), Ok(stage)) => store(ctx)?.add_stage(id, version, &stage).await,
                (Some(_), Err(violations)) => Err(violations.into()),
                (None, _) => Err(ChangeError::NotFound),
            };
            let added = added.and_then(|key| stage_of(&changed, key));
            let payload = AddInterviewStagePayload::of(changed, "applicationId")?;
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
            let (id, version) = (input.id.clone(), expected(input.expected_version));
            let (changed, stage) = patch_stage(ctx, &id, version, &input.into()).await?;
            let payload = UpdateInterviewStagePayload::of(changed, "id")?;
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
            let (id, version) = (input.id.clone(), expected(input.expected_version));
            let (changed, stage) = patch_stage(ctx, &id, version, &input.into()).await?;
            let payload = CompleteInterviewStagePayload::of(changed, "id")?;
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
                Some(key) => {
                    store(ctx)?
                        .remove_stage(key, expected(input.expected_version))
                        .await
                }
                None => Err(ChangeError::NotFound),
            };
            let removed = changed.is_ok().then_some(input.id);
            let payload = RemoveInterviewStagePayload::of(changed.map_err(of_stage), "id")?;
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
            let version = expected(input.expected_version);
            let changed = match id::application(&input.application_id) {
                Some(id) => match stages_of(id, &input.stage_ids) {
                    Some(stages) => store(ctx)?.reorder_stages(id, version, &stages).await,
                    None => Err(no_stage("stageIds")),
                },
                None => Err(ChangeError::NotFound),
            };
            ReorderInterviewStagesPayload::of(changed, "applicationId")
        };
        Some(payload.await)
    }
}

/// The version that a caller expects. One that no application can have is one that this one has not.
fn expected(version: Option<i32>) -> Option<u32> {
    version.map(|version| u32::try_from(version).unwrap_or(u32::MAX))
}

/// Patches a stage; answers it beside its application.
async fn patch_stage(
    ctx: &Context<'_>,
    id: &ID,
    expected: Option<u32>,
    change: &StageChange,
) -> Result<(Result<Changed, ChangeError>, Option<InterviewStage>), ApiError> {
    let key = id::stage(id);
    let changed = match key {
        Some(key) => store(ctx)?.update_stage(key, expected, change).await,
        None => Err(ChangeError::NotFound),
    };
    let stage = key.and_then(|key| stage_of(&changed, key));
    Ok((changed.map_err(of_stage), stage))
}

fn stage_of(
    changed: &Result<Changed, ChangeError>,
    (application, stage): (ApplicationId, StageId),
) -> Option<InterviewStage> {
    let stage = changed.as_ref().ok()?.state.stage(stage)?;
    Some(InterviewStage::new(application, stage.clone()))
}

/// The stages that `ids` name, if they are all of this application.
fn stages_of(application: ApplicationId, ids: &[ID]) -> Option<Vec<StageId>> {
    let stage = |id: &ID| id::stage(id).filter(|(of, _)| *of == application);
    ids.iter().map(|id| Some(stage(id)?.1)).collect()
}

fn no_stage(field: &'static str) -> ChangeError {
    let rule = Rule::NotFound("interview stage");
    ChangeError::Invalid(vec![Violation { field, rule }])
}

/// Where a stage was named, its application's not being there is the stage's.
fn of_stage(error: ChangeError) -> ChangeError {
    match error {
        ChangeError::NotFound => no_stage("id"),
        error => error,
    }
}
