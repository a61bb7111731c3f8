//! The mutations. Each answers the changed application, or the errors that the user can correct.

mod batches;
mod payload;
mod stages;

use async_graphql::{Context, MergedObject, Object};

use crate::api::Answer;
use crate::services::applications::error::ChangeError;
use crate::services::applications::model::DetailsChange;

use super::id;
use super::input::{
    ArchiveApplicationInput, CreateApplicationInput, DeleteApplicationInput,
    RestoreApplicationInput, UnarchiveApplicationInput, UpdateApplicationInput,
};
use super::types::store;

use payload::{
    ArchiveApplicationPayload, CreateApplicationPayload, DeleteApplicationPayload,
    RestoreApplicationPayload, UnarchiveApplicationPayload, UpdateApplicationPayload, payload,
};

/// The mutations.
#[derive(MergedObject, Default)]
pub struct Mutation(
    ApplicationMutation,
    stages::StageMutation,
    batches::BatchMutation,
);

/// The mutations of one application.
#[derive(Default)]
pub struct ApplicationMutation;

/// The mutations of one application.
#[Object]
impl ApplicationMutation {
    /// Creates an application. Repeating the same input with the same `id` creates it once and answers it each
    /// time.
    async fn create_application(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The application.")] input: CreateApplicationInput,
    ) -> Answer<CreateApplicationPayload> {
        let answer = async {
            let created = match input.read() {
                Ok((id, details)) => store(ctx)?.create(id, &details).await,
                Err(violations) => Err(violations.into()),
            };
            payload(created, "id")
        };
        Some(answer.await)
    }

    /// Changes the given fields of an application. Nothing is written if nothing changes.
    async fn update_application(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The changes.")] input: UpdateApplicationInput,
    ) -> Answer<UpdateApplicationPayload> {
        let answer = async {
            let (id, version) = (
                id::application(&input.id),
                input.expected_version.map(u32::from),
            );
            let change = DetailsChange::from(input);
            let changed = match id {
                Some(id) => store(ctx)?.update(id, version, &change).await,
                None => Err(ChangeError::NotFound),
            };
            payload(changed, "id")
        };
        Some(answer.await)
    }

    /// Archives an application. It keeps its status, and lists omit it by default.
    async fn archive_application(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The application.")] input: ArchiveApplicationInput,
    ) -> Answer<ArchiveApplicationPayload> {
        let answer = async {
            let changed = match id::application(&input.id) {
                Some(id) => {
                    let version = input.expected_version.map(u32::from);
                    store(ctx)?.set_archived(id, version, true).await
                }
                None => Err(ChangeError::NotFound),
            };
            payload(changed, "id")
        };
        Some(answer.await)
    }

    /// Unarchives an application.
    async fn unarchive_application(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The application.")] input: UnarchiveApplicationInput,
    ) -> Answer<UnarchiveApplicationPayload> {
        let answer = async {
            let changed = match id::application(&input.id) {
                Some(id) => {
                    let version = input.expected_version.map(u32::from);
                    store(ctx)?.set_archived(id, version, false).await
                }
                None => Err(ChangeError::NotFound),
            };
            payload(changed, "id")
        };
        Some(answer.await)
    }

    /// Deletes an application permanently, with its stages, its history, and what other programs stored beside them.
    async fn delete_application(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The application.")] input: DeleteApplicationInput,
    ) -> Answer<DeleteApplicationPayload> {
        let answer = async {
            let deleted = match id::application(&input.id) {
                Some(id) => {
                    let version = input.expected_version.map(u32::from);
                    store(ctx)?.delete(id, version).await.map(|()| id)
                }
                None => Err(ChangeError::NotFound),
            };
            DeleteApplicationPayload::of(deleted)
        };
        Some(answer.await)
    }

    /// Restores an application to what it was after an earlier change. This is a new change: the history keeps
    /// every entry.
    async fn restore_application(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The application and the history entry.")] input: RestoreApplicationInput,
    ) -> Answer<RestoreApplicationPayload> {
        let answer = async {
            let changed = match id::application(&input.id) {
                Some(id) => {
                    store(ctx)?
                        .restore(
                            id,
                            input.expected_version.map(u32::from),
                            // No entry has the sequence 0.
                            u32::try_from(input.sequence).unwrap_or(0),
                        )
                        .await
                }
                None => Err(ChangeError::NotFound),
            };
            payload(changed, "id")
        };
        Some(answer.await)
    }
}
