//! The mutations of interview stages.

use async_graphql::ID;

use crate::mutations;
use crate::services::applications::error::ChangeError;
use crate::services::applications::graphql::id::{self, named};
use crate::services::applications::graphql::input::{
    AddInterviewStageInput, CompleteInterviewStageInput, RemoveInterviewStageInput,
    ReorderInterviewStagesInput, UpdateInterviewStageInput,
};
use crate::services::applications::model::{
    ApplicationId, NO_STAGE, NewStage, Rule, StageChange, StageId,
};
use crate::services::applications::store::Applications;

use super::payload::{
    AddInterviewStagePayload, CompleteInterviewStagePayload, Made, RemoveInterviewStagePayload,
    ReorderInterviewStagesPayload, UpdateInterviewStagePayload,
};

mutations! {
    /// The mutations of interview stages.
    StageMutation {
        /// Adds a stage. An application has at most 30. Repeating the same input with the same `stageId` adds it once
        /// and answers it each time.
        add_interview_stage("The stage.", AddInterviewStageInput) -> AddInterviewStagePayload = add,
        /// Changes the given fields of a stage. Nothing is written if nothing changes.
        update_interview_stage("The changes.", UpdateInterviewStageInput) -> UpdateInterviewStagePayload = update,
        /// Completes a stage.
        complete_interview_stage("The stage, and how it went.", CompleteInterviewStageInput)
            -> CompleteInterviewStagePayload = complete,
        /// Removes a stage.
        remove_interview_stage("The stage.", RemoveInterviewStageInput) -> RemoveInterviewStagePayload = remove,
        /// Reorders the stages of an application.
        reorder_interview_stages("The application, and the order.", ReorderInterviewStagesInput)
            -> ReorderInterviewStagesPayload = reorder,
    }
}

async fn add(store: &Applications, input: AddInterviewStageInput) -> Made {
    let (id, version) = (
        named(&input.application_id)?,
        input.expected_version.map(u32::from),
    );
    let stage = NewStage::try_from(input)?;
    let state = store.add_stage(id, version, &stage).await?;
    Ok((state, Some((id, stage.id))))
}

async fn update(store: &Applications, input: UpdateInterviewStageInput) -> Made {
    let stage = stage(&input.id, input.application_id.as_ref())?;
    let version = input.expected_version.map(u32::from);
    patch(store, stage, version, &input.into()).await
}

async fn complete(store: &Applications, input: CompleteInterviewStageInput) -> Made {
    let stage = stage(&input.id, input.application_id.as_ref())?;
    let version = input.expected_version.map(u32::from);
    patch(store, stage, version, &input.into()).await
}

async fn patch(
    store: &Applications,
    stage: (ApplicationId, StageId),
    expected: Option<u32>,
    change: &StageChange,
) -> Made {
    let changed = store.update_stage(stage, expected, change).await;
    Ok((changed.map_err(of_stage)?, Some(stage)))
}

async fn remove(store: &Applications, input: RemoveInterviewStageInput) -> Made {
    let stage = stage(&input.id, input.application_id.as_ref())?;
    let removed = store
        .remove_stage(stage, input.expected_version.map(u32::from))
        .await;
    Ok((removed.map_err(of_stage)?, Some(stage)))
}

async fn reorder(store: &Applications, input: ReorderInterviewStagesInput) -> Made {
    let id = named(&input.application_id)?;
    let stages = stages_of(&input.application_id, &input.stage_ids)
        .ok_or_else(|| NOT_ITS_STAGES.at("stageIds"))?;
    let version = input.expected_version.map(u32::from);
    Ok((store.reorder_stages(id, version, &stages).await?, None))
}

/// The stage that an input names, and its application.
fn stage(id: &ID, application: Option<&ID>) -> Result<(ApplicationId, StageId), ChangeError> {
    id::stage(id, application).ok_or_else(|| of_stage(ChangeError::NotFound))
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
