//! The inputs of the mutations. Omitted fields stay, null clears.

use crate::model::{
    Amount, ApplicationChange, ApplicationId, Change, Choice, CompanyCategory, CurrencyCode, Day,
    Details, DetailsChange, JobSource, Name, NewStage, Note, Pasted, PostingText, Rating,
    SalaryPeriod, Status, TagList, Violations, application_fields,
};
use async_graphql::{ID, InputObject, MaybeUndefined};
use trestle_api::{Date, Uuid, Version};

use super::given::{change, given, uuid};
use super::kinds::ApiKind;
use super::stage_input::{CompletedInterviewStageInput, NewInterviewStageInput};

macro_rules! inputs {
    (
        required { $($required:ident $required_name:literal: $required_kind:ty, $required_label:literal;)+ }
        dated { $($dated:ident $dated_name:literal: $dated_kind:ty, $dated_label:literal { doc: $dated_doc:tt })+ }
        nulls { $($null:ident $null_name:literal: $null_kind:ty, $null_label:literal { doc: $null_doc:tt, input: $null_input:tt })+ }
        only_if_set { $($set:ident $set_name:literal: $set_kind:ty, $set_label:literal { doc: $set_doc:tt, input: $set_input:tt })+ }
    ) => {
        /// A new application.
        #[derive(InputObject)]
        pub struct CreateApplicationInput {
            /// The id, a UUID. With an id of the client's own, the same input can be repeated without creating the
            /// application twice.
            pub id: Option<Uuid>,
            /// The company: 1 to 200 characters.
            company_name: String,
            /// The job: 1 to 200 characters.
            position_title: String,
            /// The status. Defaults to UNSUBMITTED.
            status: Option<Status>,
            /// The date of the application. Defaults to today (UTC) if the status is not UNSUBMITTED. Null: unknown.
            date_applied: MaybeUndefined<Date>,
            $(#[doc = $null_input]
            $null: Option<<$null_kind as ApiKind>::Input>,)+
            $(#[doc = $set_input]
            $set: Option<<$set_kind as ApiKind>::Input>,)+
        }

        /// Changes to an application. Omitted fields stay as they are, null clears a field.
        #[derive(InputObject)]
        pub struct UpdateApplicationInput {
            /// The application's id.
            pub id: ID,
            /// Change it only if this is still its version.
            pub expected_version: Option<Version>,
            /// The company: 1 to 200 characters. It cannot be null.
            company_name: MaybeUndefined<String>,
            /// The job: 1 to 200 characters. It cannot be null.
            position_title: MaybeUndefined<String>,
            /// The status. It cannot be null.
            status: MaybeUndefined<Status>,
            /// The date of the application. If omitted, setting a status other than UNSUBMITTED on an UNSUBMITTED
            /// application without a date sets today (UTC), and setting UNSUBMITTED clears the date.
            date_applied: MaybeUndefined<Date>,
            $(#[doc = $null_input]
            $null: MaybeUndefined<<$null_kind as ApiKind>::Input>,)+
            $(#[doc = $set_input]
            $set: MaybeUndefined<<$set_kind as ApiKind>::Input>,)+
            /// The interview stages to complete: at most 30.
            complete_interview_stages: Option<Vec<CompletedInterviewStageInput>>,
            /// The interview stages to add: at most 30.
            add_interview_stages: Option<Vec<NewInterviewStageInput>>,
        }

        impl From<CreateApplicationInput> for DetailsChange {
            fn from(input: CreateApplicationInput) -> Self {
                DetailsChange {
                    company_name: Change::Set(input.company_name),
                    position_title: Change::Set(input.position_title),
                    status: Change::set(input.status),
                    date_applied: change(input.date_applied, Day::raw),
                    $($null: given(input.$null, <$null_kind as ApiKind>::raw),)+
                    $($set: given(input.$set, <$set_kind as ApiKind>::raw),)+
                    default_currency: None,
                }
            }
        }

        impl From<UpdateApplicationInput> for ApplicationChange {
            fn from(input: UpdateApplicationInput) -> Self {
                let completed = input.complete_interview_stages.unwrap_or_default().into_iter();
                let added = input.add_interview_stages.unwrap_or_default().into_iter();
                ApplicationChange {
                    details: DetailsChange {
                        $($required: change(input.$required, <$required_kind as ApiKind>::raw),)+
                        $($dated: change(input.$dated, <$dated_kind as ApiKind>::raw),)+
                        $($null: change(input.$null, <$null_kind as ApiKind>::raw),)+
                        $($set: change(input.$set, <$set_kind as ApiKind>::raw),)+
                        default_currency: None,
                    },
                    completed: completed.map(|stage| stage.patch(&input.id)).collect(),
                    added: added.map(NewStage::try_from).collect(),
                }
            }
        }
    };
}

application_fields!(inputs);

macro_rules! id_and_version {
    ($($(#[$doc:meta])* $type:ident)+) => {$(
        $(#[$doc])*
        #[derive(InputObject)]
        pub struct $type {
            /// The application's id.
            pub id: ID,
            /// Change it only if this is still its version.
            pub expected_version: Option<Version>,
        }
    )+};
}

id_and_version!(
    /// An application to archive.
    ArchiveApplicationInput
    /// An application to unarchive.
    UnarchiveApplicationInput
    /// An application to delete, with its stages and its history.
    DeleteApplicationInput
);
macro_rules! batches {
    ($($(#[$doc:meta])* $type:ident { $(#[$field_doc:meta])* $field:ident: $item:ty })+) => {$(
        $(#[$doc])*
        #[derive(InputObject)]
        pub struct $type {
            $(#[$field_doc])*
            pub $field: Vec<$item>,
        }
    )+};
}

batches!(
    /// Applications to create.
    CreateApplicationsInput {
        /// The applications, at most 100.
        applications: CreateApplicationInput
    }
    /// Applications to change.
    UpdateApplicationsInput {
        /// The changes, at most 100.
        applications: UpdateApplicationInput
    }
    /// Applications to archive.
    ArchiveApplicationsInput {
        /// The ids of the applications, at most 100.
        ids: ID
    }
    /// Applications to unarchive.
    UnarchiveApplicationsInput {
        /// The ids of the applications, at most 100.
        ids: ID
    }
    /// Applications to delete, with their stages and their history.
    DeleteApplicationsInput {
        /// The ids of the applications, at most 100.
        ids: ID
    }
);

/// An application to restore to an earlier history entry.
#[derive(InputObject)]
pub struct RestoreApplicationInput {
    /// The application's id.
    pub id: ID,
    /// Change it only if this is still its version.
    pub expected_version: Option<Version>,
    /// The sequence of the history entry. Its snapshot supplies the fields, the stages and whether the application
    /// is archived.
    pub sequence: i32,
}

impl CreateApplicationInput {
    /// The given id, and what is set.
    ///
    /// # Errors
    /// The id is not a UUID: then every rule that the input breaks.
    pub fn read(self) -> Result<(Option<ApplicationId>, DetailsChange), Violations> {
        let id = uuid("id", self.id.as_ref());
        let change = DetailsChange::from(self);
        id.map(|id| (id.map(ApplicationId::new), change.clone()))
            .map_err(|mut broken| {
                let others = Details::create(change, chrono::NaiveDate::default());
                broken.extend(others.err().unwrap_or_default());
                broken
            })
    }
}
