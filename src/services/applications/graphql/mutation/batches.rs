//! The mutations of many applications. Each application is answered on its own, in the order of the input.

use async_graphql::{Context, ID, Object, SimpleObject};

use crate::api::{Answer, ApiError, UserError, UserErrorCode};
use crate::services::applications::error::ChangeError;
use crate::services::applications::graphql::id;
use crate::services::applications::graphql::input::{
    ArchiveApplicationsInput, CreateApplicationInput, CreateApplicationsInput,
    DeleteApplicationsInput, UnarchiveApplicationsInput, UpdateApplicationsInput,
};
use crate::services::applications::graphql::types::{Nullable, store};
use crate::services::applications::model::ApplicationId;
use crate::services::applications::store::{Changed, Patch, Patched};

use super::payload::{
    ArchiveApplicationPayload, CreateApplicationPayload, DeleteApplicationPayload,
    UnarchiveApplicationPayload, UpdateApplicationPayload, payload,
};

/// The most applications of one batch.
const MAX_BATCH: usize = 100;

macro_rules! batch_payloads {
    ($($(#[$doc:meta])* $type:ident of $single:ident)+) => {$(
        $(#[$doc])*
        #[derive(SimpleObject)]
        pub struct $type {
            /// The result for each application, in the order of the input. Null with an error if the database
            /// failed.
            results: Vec<Nullable<$single>>,
            /// Errors of the whole input. If not empty, nothing was changed.
            user_errors: Vec<UserError>,
        }

        impl $type {
            fn of(results: impl Iterator<Item = Result<$single, ApiError>>) -> Self {
                Self {
                    results: results.map(Some).collect(),
                    user_errors: Vec::new(),
                }
            }

            fn too_many(field: &str) -> Self {
                Self {
                    results: Vec::new(),
                    user_errors: vec![too_many(field)],
                }
            }
        }
    )+};
}

batch_payloads!(
    /// The result of `createApplications`.
    CreateApplicationsPayload of CreateApplicationPayload
    /// The result of `updateApplications`.
    UpdateApplicationsPayload of UpdateApplicationPayload
    /// The result of `archiveApplications`.
    ArchiveApplicationsPayload of ArchiveApplicationPayload
    /// The result of `unarchiveApplications`.
    UnarchiveApplicationsPayload of UnarchiveApplicationPayload
    /// The result of `deleteApplications`.
    DeleteApplicationsPayload of DeleteApplicationPayload
);

fn too_many(field: &str) -> UserError {
    UserError {
        code: UserErrorCode::LimitReached,
        message: format!("`{field}` must have at most {MAX_BATCH} entries."),
        field: Some(vec![field.to_owned()]),
        current_version: None,
    }
}

/// The mutations of many applications.
#[derive(Default)]
pub struct BatchMutation;

/// The mutations of many applications.
#[Object]
impl BatchMutation {
    /// Creates up to 100 applications, each as `createApplication` does. An application with user errors does not
    /// affect the others.
    async fn create_applications(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The applications.")] input: CreateApplicationsInput,
    ) -> Answer<CreateApplicationsPayload> {
        if input.applications.len() > MAX_BATCH {
            return Some(Ok(CreateApplicationsPayload::too_many("applications")));
        }
        let answer = async {
            let wanted = input.applications.into_iter();
            let wanted = wanted.map(CreateApplicationInput::read).collect();
            let results = store(ctx)?.create_many(wanted).await.into_iter();
            let results = results.map(|created| payload(created, "id"));
            Ok(CreateApplicationsPayload::of(results))
        };
        Some(answer.await)
    }

    /// Changes the given fields of up to 100 applications, each as `updateApplication` does. An application with
    /// user errors does not affect the others.
    async fn update_applications(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The changes.")] input: UpdateApplicationsInput,
    ) -> Answer<UpdateApplicationsPayload> {
        if input.applications.len() > MAX_BATCH {
            return Some(Ok(UpdateApplicationsPayload::too_many("applications")));
        }
        let answer = async {
            let mut patches = Vec::new();
            for application in input.applications {
                patches.push(id::application(&application.id).map(|id| Patched {
                    id,
                    expected: application.expected_version.map(u32::from),
                    patch: Patch::Fields(Box::new(application.into())),
                }));
            }
            let results = store(ctx)?.change_many(patches).await.into_iter();
            let results = results.map(|changed| payload(changed, "id"));
            Ok(UpdateApplicationsPayload::of(results))
        };
        Some(answer.await)
    }

    /// Archives up to 100 applications.
    async fn archive_applications(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The applications.")] input: ArchiveApplicationsInput,
    ) -> Answer<ArchiveApplicationsPayload> {
        if input.ids.len() > MAX_BATCH {
            return Some(Ok(ArchiveApplicationsPayload::too_many("ids")));
        }
        let results = set_archived(ctx, &input.ids, true).await.map(|changed| {
            let changed = changed.into_iter();
            let results = changed.map(|changed| payload(changed, "id"));
            ArchiveApplicationsPayload::of(results)
        });
        Some(results)
    }

    /// Unarchives up to 100 applications.
    async fn unarchive_applications(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The applications.")] input: UnarchiveApplicationsInput,
    ) -> Answer<UnarchiveApplicationsPayload> {
        if input.ids.len() > MAX_BATCH {
            return Some(Ok(UnarchiveApplicationsPayload::too_many("ids")));
        }
        let results = set_archived(ctx, &input.ids, false).await.map(|changed| {
            let changed = changed.into_iter();
            let results = changed.map(|changed| payload(changed, "id"));
            UnarchiveApplicationsPayload::of(results)
        });
        Some(results)
    }

    /// Deletes up to 100 applications permanently, with their stages and their history.
    async fn delete_applications(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The applications.")] input: DeleteApplicationsInput,
    ) -> Answer<DeleteApplicationsPayload> {
        if input.ids.len() > MAX_BATCH {
            return Some(Ok(DeleteApplicationsPayload::too_many("ids")));
        }
        let answer = async {
            let ids: Vec<_> = input.ids.iter().map(id::application).collect();
            let deleted = store(ctx)?.delete_many(&ids).await.into_iter();
            let results = deleted.map(DeleteApplicationPayload::of);
            Ok(DeleteApplicationsPayload::of(results))
        };
        Some(answer.await)
    }
}

async fn set_archived(
    ctx: &Context<'_>,
    ids: &[ID],
    is_archived: bool,
) -> Result<Vec<Result<Changed, ChangeError>>, ApiError> {
    let patched = |id: ApplicationId| Patched {
        id,
        expected: None,
        patch: Patch::Archived(is_archived),
    };
    let patches = ids.iter().map(|id| id::application(id).map(patched));
    Ok(store(ctx)?.change_many(patches.collect()).await)
}
