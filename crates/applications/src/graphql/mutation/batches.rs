//! The mutations of many applications. Each application is answered on its own, in the order of the input.

use async_graphql::ID;

use crate::error::ChangeError;
use crate::graphql::id;
use crate::graphql::input::{
    ArchiveApplicationsInput, CreateApplicationInput, CreateApplicationsInput,
    DeleteApplicationsInput, UnarchiveApplicationsInput, UpdateApplicationsInput,
};
use crate::model::{ApplicationId, State};
use crate::store::{Applications, Origin, Patch, Patched};
use trestle_api::{Batch, entries};

use super::payload::{
    ArchiveApplicationPayload, CreateApplicationPayload, DeleteApplicationPayload, Made,
    UnarchiveApplicationPayload, UpdateApplicationPayload,
};
use trestle_api::{batch_payloads, mutations};

batch_payloads! {
    /// The result of `createApplications`.
    CreateApplicationsPayload {
        /// The result for each application, in the order of the input. Null with an error if the database
        /// failed.
        CreateApplicationPayload of Made
    }
    /// The result of `updateApplications`.
    UpdateApplicationsPayload {
        /// The result for each application, in the order of the input. Null with an error if the database
        /// failed.
        UpdateApplicationPayload of Made
    }
    /// The result of `archiveApplications`.
    ArchiveApplicationsPayload {
        /// The result for each application, in the order of the input. Null with an error if the database
        /// failed.
        ArchiveApplicationPayload of Made
    }
    /// The result of `unarchiveApplications`.
    UnarchiveApplicationsPayload {
        /// The result for each application, in the order of the input. Null with an error if the database
        /// failed.
        UnarchiveApplicationPayload of Made
    }
    /// The result of `deleteApplications`.
    DeleteApplicationsPayload {
        /// The result for each application, in the order of the input. Null with an error if the database
        /// failed.
        DeleteApplicationPayload of Result<ApplicationId, ChangeError>
    }
}

mutations! {
    /// The mutations of many applications.
    BatchMutation {
        /// Creates up to 100 applications, each as `createApplication` does. An application with user errors does not
        /// affect the others.
        create_applications(CreateApplicationsInput) -> CreateApplicationsPayload = create,
        /// Changes the given fields of up to 100 applications, each as `updateApplication` does. An application with
        /// user errors does not affect the others.
        update_applications(UpdateApplicationsInput) -> UpdateApplicationsPayload = update,
        /// Archives up to 100 applications.
        archive_applications(ArchiveApplicationsInput) -> ArchiveApplicationsPayload = archive,
        /// Unarchives up to 100 applications.
        unarchive_applications(UnarchiveApplicationsInput) -> UnarchiveApplicationsPayload
            = unarchive,
        /// Deletes up to 100 applications permanently, with their stages and their history.
        delete_applications(DeleteApplicationsInput) -> DeleteApplicationsPayload = delete,
    }
}

async fn create(store: &Applications, input: CreateApplicationsInput) -> Batch<Made> {
    let wanted = entries(input.applications, "applications")?.map(CreateApplicationInput::read);
    each(store.create_many(wanted.collect(), Origin::Person).await)
}

async fn update(store: &Applications, input: UpdateApplicationsInput) -> Batch<Made> {
    let patches = entries(input.applications, "applications")?.map(|application| {
        Some(Patched {
            id: id::application(&application.id)?,
            expected: application.expected_version.map(u32::from),
            patch: Patch::Change(Box::new(application.into())),
        })
    });
    change(store, patches.collect()).await
}

/// Changes applications by their ids as they are stored.
async fn change(store: &Applications, mut patches: Vec<Option<Patched>>) -> Batch<Made> {
    let ids = patches.iter_mut().flatten().map(|patched| &mut patched.id);
    if let Err(error) = store.all_spelled(ids).await {
        let failed = patches.iter().map(|_| Err(error.clone().into()));
        return each(failed.collect());
    }
    each(store.change_many(patches).await)
}

async fn archive(store: &Applications, input: ArchiveApplicationsInput) -> Batch<Made> {
    set_archived(store, input.ids, true).await
}

async fn unarchive(store: &Applications, input: UnarchiveApplicationsInput) -> Batch<Made> {
    set_archived(store, input.ids, false).await
}

async fn set_archived(store: &Applications, ids: Vec<ID>, is_archived: bool) -> Batch<Made> {
    let patches = entries(ids, "ids")?.map(|id| {
        Some(Patched {
            id: id::application(&id)?,
            expected: None,
            patch: Patch::Archived(is_archived),
        })
    });
    change(store, patches.collect()).await
}

async fn delete(
    store: &Applications,
    input: DeleteApplicationsInput,
) -> Batch<Result<ApplicationId, ChangeError>> {
    let ids = entries(input.ids, "ids")?.map(|id| id::application(&id));
    let mut ids: Vec<_> = ids.collect();
    if let Err(error) = store.all_spelled(ids.iter_mut().flatten()).await {
        return Ok(ids.iter().map(|_| Err(error.clone().into())).collect());
    }
    Ok(store.delete_many(&ids).await)
}

fn each(results: Vec<Result<State, ChangeError>>) -> Batch<Made> {
    let results = results.into_iter();
    Ok(results.map(|made| Ok((made?, None))).collect())
}
