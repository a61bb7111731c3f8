//! The mutations. Each answers the changed application, or the errors that the user can correct.

mod batches;
mod import;
mod payload;
mod stages;

use async_graphql::MergedObject;

use crate::error::ChangeError;
use crate::model::{ApplicationId, Restored};
use crate::store::Applications;
use trestle_api::mutations;

use super::calendar::CalendarMutation;
use super::contacts::ContactMutation;
use super::files::FileMutation;
use super::id::named;
use super::input::{
    ArchiveApplicationInput, CreateApplicationInput, DeleteApplicationInput,
    RestoreApplicationInput, UnarchiveApplicationInput, UpdateApplicationInput,
};
use payload::{
    ArchiveApplicationPayload, CreateApplicationPayload, DeleteApplicationPayload, Made,
    RestoreApplicationPayload, UnarchiveApplicationPayload, UpdateApplicationPayload,
};

/// The mutations.
#[derive(MergedObject, Default)]
pub struct Mutation(
    ApplicationMutation,
    stages::StageMutation,
    batches::BatchMutation,
    import::ImportMutation,
    CalendarMutation,
    ContactMutation,
    FileMutation,
);

mutations! {
    /// The mutations of one application.
    ApplicationMutation {
        /// Creates an application. Repeating the same input with the same `id` creates it once and answers it each
        /// time.
        create_application(CreateApplicationInput) -> CreateApplicationPayload = create,
        /// Changes the given fields of an application, completes and adds stages: all of it as one version, or nothing.
        /// Nothing is written if nothing changes.
        update_application(UpdateApplicationInput) -> UpdateApplicationPayload = update,
        /// Archives an application. It keeps its status, and lists omit it by default.
        archive_application(ArchiveApplicationInput) -> ArchiveApplicationPayload = archive,
        /// Unarchives an application.
        unarchive_application(UnarchiveApplicationInput) -> UnarchiveApplicationPayload = unarchive,
        /// Deletes an application permanently, with its stages, its history, and what other programs stored beside them.
        delete_application(DeleteApplicationInput) -> DeleteApplicationPayload = delete,
        /// Restores an application to what it was after an earlier change. This is a new change: the history keeps
        /// every entry.
        restore_application(RestoreApplicationInput)
            -> RestoreApplicationPayload = restore,
    }
}

async fn create(store: &Applications, input: CreateApplicationInput) -> Made {
    let (id, details) = input.read()?;
    Ok((store.create(id, &details).await?, None))
}

async fn update(store: &Applications, input: UpdateApplicationInput) -> Made {
    let (id, version) = (
        named(store, &input.id).await?,
        input.expected_version.map(u32::from),
    );
    Ok((store.update(&id, version, &input.into()).await?, None))
}

async fn archive(store: &Applications, input: ArchiveApplicationInput) -> Made {
    let (id, version) = (
        named(store, &input.id).await?,
        input.expected_version.map(u32::from),
    );
    Ok((store.set_archived(&id, version, true).await?, None))
}

async fn unarchive(store: &Applications, input: UnarchiveApplicationInput) -> Made {
    let (id, version) = (
        named(store, &input.id).await?,
        input.expected_version.map(u32::from),
    );
    Ok((store.set_archived(&id, version, false).await?, None))
}

async fn delete(
    store: &Applications,
    input: DeleteApplicationInput,
) -> Result<ApplicationId, ChangeError> {
    let (id, version) = (
        named(store, &input.id).await?,
        input.expected_version.map(u32::from),
    );
    store.delete(&id, version).await.map(|()| id)
}

async fn restore(
    store: &Applications,
    input: RestoreApplicationInput,
) -> Result<Restored, ChangeError> {
    let (id, version) = (
        named(store, &input.id).await?,
        input.expected_version.map(u32::from),
    );
    // No entry has the sequence 0.
    let sequence = u32::try_from(input.sequence).unwrap_or(0);
    store.restore(&id, version, sequence).await
}
