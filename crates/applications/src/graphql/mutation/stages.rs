//! The mutations of interview stages.

use async_graphql::ID;

use crate::error::ChangeError;
use crate::graphql::id::{self, named};
use crate::graphql::stage_input::{
    AddInterviewStageInput, CompleteInterviewStageInput, RemoveInterviewStageInput,
    ReorderInterviewStagesInput, UpdateInterviewStageInput,
};
use crate::model::{ApplicationId, NO_STAGE, NOT_ITS_STAGES, NewStage, StageChange, StageId};
use crate::store::Applications;
use trestle_api::mutations;

use super::payload::{
    AddInterviewStagePayload, CompleteInterviewStagePayload, Made, RemoveInterviewStagePayload,
    ReorderInterviewStagesPayload, UpdateInterviewStagePayload,
};

mutations! {
    /// The mutations of interview stages.
    StageMutation {
        /// Adds a stage. An application has at most 30. Repeating the same input with the same `stageId` adds it once
        /// and answers it each time.
        add_interview_stage(AddInterviewStageInput) -> AddInterviewStagePayload = add,
        /// Changes the given fields of a stage. Nothing is written if nothing changes.
        update_interview_stage(UpdateInterviewStageInput) -> UpdateInterviewStagePayload = update,
        /// Completes a stage.
        complete_interview_stage(CompleteInterviewStageInput)
            -> CompleteInterviewStagePayload = complete,
        /// Removes a stage.
        remove_interview_stage(RemoveInterviewStageInput) -> RemoveInterviewStagePayload = remove,
        /// Reorders the stages of an application.
        reorder_interview_stages(ReorderInterviewStagesInput)
            -> ReorderInterviewStagesPayload = reorder,
    }
}

async fn add(store: &Applications, input: AddInterviewStageInput) -> Made {
    let (id, version) = (
        named(store, &input.application_id).await?,
        input.expected_version.map(u32::from),
    );
    let stage = NewStage::try_from(input)?;
    let state = store.add_stage(&id, version, &stage).await?;
    Ok((state, Some((id, stage.id))))
}

async fn update(store: &Applications, input: UpdateInterviewStageInput) -> Made {
    let stage = stage(store, &input.id, input.application_id.as_ref()).await?;
    let version = input.expected_version.map(u32::from);
    patch(store, stage, version, &input.into()).await
}

async fn complete(store: &Applications, input: CompleteInterviewStageInput) -> Made {
    let stage = stage(store, &input.id, input.application_id.as_ref()).await?;
    let version = input.expected_version.map(u32::from);
    patch(store, stage, version, &input.into()).await
}

async fn patch(
    store: &Applications,
    stage: (ApplicationId, StageId),
    expected: Option<u32>,
    change: &StageChange,
) -> Made {
    let (application, id) = &stage;
    let changed = store.update_stage(application, id, expected, change).await;
    Ok((changed.map_err(of_stage)?, Some(stage)))
}

async fn remove(store: &Applications, input: RemoveInterviewStageInput) -> Made {
    let stage = stage(store, &input.id, input.application_id.as_ref()).await?;
    let version = input.expected_version.map(u32::from);
    let (application, id) = &stage;
    let removed = store.remove_stage(application, id, version).await;
    Ok((removed.map_err(of_stage)?, Some(stage)))
}

async fn reorder(store: &Applications, input: ReorderInterviewStagesInput) -> Made {
    let id = named(store, &input.application_id).await?;
    let stages = stages_of(&input.application_id, &input.stage_ids)
        .ok_or_else(|| NOT_ITS_STAGES.at("stageIds"))?;
    let version = input.expected_version.map(u32::from);
    Ok((store.reorder_stages(&id, version, &stages).await?, None))
}

/// The stage that an input names, and its application.
async fn stage(
    store: &Applications,
    id: &ID,
    application: Option<&ID>,
) -> Result<(ApplicationId, StageId), ChangeError> {
    let stage = id::stage(id, application);
    let (application, stage) = stage.ok_or_else(|| of_stage(ChangeError::NotFound))?;
    Ok((store.spelled(application).await?, stage))
}

/// The stages that `ids` identify, if all belong to this application.
fn stages_of(application: &ID, ids: &[ID]) -> Option<Vec<StageId>> {
    ids.iter()
        .map(|id| Some(id::stage(id, Some(application))?.1))
        .collect()
}

/// If a stage was named, a missing application means a missing stage.
fn of_stage(error: ChangeError) -> ChangeError {
    match error {
        ChangeError::NotFound => ChangeError::Invalid(NO_STAGE.at("id")),
        error => error,
    }
}
