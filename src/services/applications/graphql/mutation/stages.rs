//! The mutations of interview stages.

use async_graphql::{Context, ID, Object};

use crate::api::{Answer, ApiError};
use crate::services::applications::error::ChangeError;
use crate::services::applications::graphql::id;
use crate::services::applications::graphql::input::{
    AddInterviewStageInput, CompleteInterviewStageInput, RemoveInterviewStageInput,
    ReorderInterviewStagesInput, UpdateInterviewStageInput,
};
use crate::services::applications::graphql::types::store;
use crate::services::applications::model::{
    ApplicationId, NO_STAGE, NewStage, Rule, StageChange, StageId,
};
use crate::services::applications::store::Changed;

use super::payload::{
    AddInterviewStagePayload, CompleteInterviewStagePayload, RemoveInterviewStagePayload,
    ReorderInterviewStagesPayload, UpdateInterviewStagePayload, payload, stage_payload,
};

/// The mutations of interview stages.
#[derive(Default)]
pub struct StageMutation;

/// The mutations of interview stages.
#[Object]
impl StageMutation {
    /// Adds a stage. An application has at most 30. Repeating the same input with the same `stageId` adds it once
    /// and answers it each time.
    async fn add_interview_stage(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The stage.")] input: AddInterviewStageInput,
    ) -> Answer<AddInterviewStagePayload> {
        let answer = async {
            let id = id::application(&input.application_id);
            let version = input.expected_version.map(u32::from);
            let stage = NewStage::try_from(input);
            let added = id.zip(stage.as_ref().ok().map(|stage| stage.id));
            let changed = match (id, stage) {
                (Some(id), Ok(stage)) => store(ctx)?.add_stage(id, version, &stage).await,
                (Some(_), Err(violations)) => Err(violations.into()),
                (None, _) => Err(ChangeError::NotFound),
            };
            stage_payload(changed, "applicationId", added)
        };
        Some(answer.await)
    }

    /// Changes the given fields of a stage. Nothing is written if nothing changes.
    async fn update_interview_stage(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The changes.")] input: UpdateInterviewStageInput,
    ) -> Answer<UpdateInterviewStagePayload> {
        let answer = async {
            let stage = id::stage(&input.id, input.application_id.as_ref());
            let version = input.expected_version.map(u32::from);
            let changed = patch(ctx, stage, version, &input.into()).await?;
            stage_payload(changed, "id", stage)
        };
        Some(answer.await)
    }

    /// Completes a stage.
    async fn complete_interview_stage(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The stage, and how it went.")] input: CompleteInterviewStageInput,
    ) -> Answer<CompleteInterviewStagePayload> {
        let answer = async {
            let stage = id::stage(&input.id, input.application_id.as_ref());
            let version = input.expected_version.map(u32::from);
            let changed = patch(ctx, stage, version, &input.into()).await?;
            stage_payload(changed, "id", stage)
        };
        Some(answer.await)
    }

    /// Removes a stage.
    async fn remove_interview_stage(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The stage.")] input: RemoveInterviewStageInput,
    ) -> Answer<RemoveInterviewStagePayload> {
        let answer = async {
            let stage = id::stage(&input.id, input.application_id.as_ref());
            let version = input.expected_version.map(u32::from);
            let changed = match stage {
                Some(key) => store(ctx)?.remove_stage(key, version).await,
                None => Err(ChangeError::NotFound),
            };
            stage_payload(changed.map_err(of_stage), "id", stage)
        };
        Some(answer.await)
    }

    /// Reorders the stages of an application.
    async fn reorder_interview_stages(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The application, and the order.")] input: ReorderInterviewStagesInput,
    ) -> Answer<ReorderInterviewStagesPayload> {
        let answer = async {
            let version = input.expected_version.map(u32::from);
            let changed = match id::application(&input.application_id) {
                Some(id) => match stages_of(&input.application_id, &input.stage_ids) {
                    Some(stages) => store(ctx)?.reorder_stages(id, version, &stages).await,
                    None => Err(ChangeError::Invalid(NOT_ITS_STAGES.at("stageIds"))),
                },
                None => Err(ChangeError::NotFound),
            };
            payload(changed, "applicationId")
        };
        Some(answer.await)
    }
}

async fn patch(
    ctx: &Context<'_>,
    stage: Option<(ApplicationId, StageId)>,
    expected: Option<u32>,
    change: &StageChange,
) -> Result<Result<Changed, ChangeError>, ApiError> {
    let changed = match stage {
        Some(stage) => store(ctx)?.update_stage(stage, expected, change).await,
        None => Err(ChangeError::NotFound),
    };
    Ok(changed.map_err(of_stage))
}

/// The stages that `ids` identify, if all belong to this application.
fn stages_of(application: &ID, ids: &[ID]) -> Option<Vec<StageId>> {
    ids.iter()
        .map(|id| Some(id::stage(id, Some(application))?.1))
        .collect()
}

/// The rule for a list of stages, some of which are not the application's.
const NOT_ITS_STAGES: Rule =
    Rule::NotFound("has an id that is not of an interview stage of the application");

/// If a stage was named, a missing application means a missing stage.
fn of_stage(error: ChangeError) -> ChangeError {
    match error {
        ChangeError::NotFound => ChangeError::Invalid(NO_STAGE.at("id")),
        error => error,
    }
}
