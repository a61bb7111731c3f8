//! The fields that an application and a snapshot of one have in common.

use async_graphql::Object;

use crate::error::StoreError;
use crate::graphql::kinds::ApiKind;
use crate::model::{
    Amount, Application, ApplicationId, Choice, CompanyCategory, CurrencyCode, Day, Details, Field,
    JobSource, Name, Note, Pasted, PostingText, Rating, SalaryPeriod, Status, Stored, TagList,
    Timestamp, application_fields,
};
use trestle_api::{ApiError, semantic_non_null};

/// A field that fails alone if its stored value cannot be read.
pub type Nullable<T> = Option<Result<T, ApiError>>;

/// The attributes of one item, read for an answer.
#[derive(Clone, Copy, Debug)]
pub struct Attributes<'a> {
    /// The application that the item belongs to.
    pub application: &'a ApplicationId,
    /// Which of its items.
    pub entity: &'static str,
}

impl Attributes<'_> {
    /// The error of an attribute that cannot be read.
    pub fn unreadable(self, attribute: &'static str) -> ApiError {
        StoreError::Unreadable {
            application: self.application.clone(),
            entity: self.entity,
            attribute,
        }
        .into()
    }

    /// The value of an attribute that may be empty.
    pub fn nullable<T: Stored>(self, attribute: &'static str, field: &Field<T>) -> Nullable<T> {
        let read = field.read().map_err(|_| self.unreadable(attribute));
        read.transpose()
    }

    /// The value of an attribute that must have one.
    ///
    /// # Errors
    /// UNREADABLE.
    pub fn required<T: Stored>(
        self,
        attribute: &'static str,
        field: &Field<T>,
    ) -> Result<T, ApiError> {
        field.get().ok_or_else(|| self.unreadable(attribute))
    }
}

/// The fields of an application, of which those that it always has can be read.
pub struct ApplicationFields {
    application: Application,
    company_name: String,
    position_title: String,
    status: Status,
    is_archived: bool,
    updated_at: Timestamp,
}

impl ApplicationFields {
    /// The fields of an application.
    ///
    /// # Errors
    /// UNREADABLE if an attribute that it always has cannot be read.
    pub fn new(application: Application) -> Result<Self, ApiError> {
        let item = Self::item(&application);
        let details = &application.details;
        Ok(Self {
            company_name: item.required("companyName", &details.company_name)?,
            position_title: item.required("positionTitle", &details.position_title)?,
            status: item.required("status", &details.status)?,
            is_archived: application.is_archived(),
            updated_at: application.last_update(),
            application,
        })
    }

    /// The fields of a snapshot, which has no keys that say whether it is archived.
    ///
    /// # Errors
    /// As [`ApplicationFields::new`].
    pub fn of_snapshot(application: Application) -> Result<Self, ApiError> {
        Self::item(&application).required("isArchived", &application.is_archived)?;
        Self::new(application)
    }

    /// The application.
    pub fn application(&self) -> &Application {
        &self.application
    }

    fn item(application: &Application) -> Attributes<'_> {
        Attributes {
            application: &application.id,
            entity: "application",
        }
    }

    /// The value of one of the details that may be empty.
    fn detail<K: ApiKind>(
        &self,
        attribute: &'static str,
        field: fn(&Details) -> &Field<K::Stored>,
    ) -> Nullable<K::Output> {
        let item = Self::item(&self.application);
        let value = item.nullable(attribute, field(&self.application.details))?;
        Some(value.map(K::output))
    }
}

macro_rules! resolvers {
    (
        required { $($required:ident $required_name:literal: $required_kind:ty, $required_label:literal;)+ }
        dated { $($dated:ident $dated_name:literal: $dated_kind:ty, $dated_label:literal { doc: $dated_doc:tt })+ }
        nulls { $($null:ident $null_name:literal: $null_kind:ty, $null_label:literal { doc: $null_doc:tt, input: $null_input:tt })+ }
        only_if_set { $($set:ident $set_name:literal: $set_kind:ty, $set_label:literal { doc: $set_doc:tt, input: $set_input:tt })+ }
    ) => {
        /// The fields that an application and a snapshot of one have in common.
        #[Object]
        impl ApplicationFields {
            /// The company: 1 to 200 characters.
            async fn company_name(&self) -> &str {
                &self.company_name
            }

            /// The job: 1 to 200 characters.
            async fn position_title(&self) -> &str {
                &self.position_title
            }

            /// The status of the application.
            async fn status(&self) -> Status {
                self.status
            }

            $(#[doc = $dated_doc]
            async fn $dated(&self) -> Nullable<<$dated_kind as ApiKind>::Output> {
                self.detail::<$dated_kind>($dated_name, |details| &details.$dated)
            })+

            $(#[doc = $null_doc]
            async fn $null(&self) -> Nullable<<$null_kind as ApiKind>::Output> {
                self.detail::<$null_kind>($null_name, |details| &details.$null)
            })+

            $(#[doc = $set_doc]
            async fn $set(&self) -> Nullable<<$set_kind as ApiKind>::Output> {
                self.detail::<$set_kind>($set_name, |details| &details.$set)
            })+

            /// Whether the application is archived.
            async fn is_archived(&self) -> bool {
                self.is_archived
            }

            /// The number of changes: the sequence of the newest history entry. Pass it as `expectedVersion` to change
            /// only what you have seen.
            async fn version(&self) -> u32 {
                self.application.version()
            }

            /// When the application was created. If the stored time cannot be read, it is computed (`computedFields`).
            #[graphql(directive = semantic_non_null::apply(None))]
            async fn created_at(&self) -> Option<Timestamp> {
                Some(self.application.creation())
            }

            /// The names of the fields whose stored values cannot be read, so that they are computed: `createdAt`, `updatedAt`. Each is
            /// computed from the stored value read in other forms, the application's place in the lists, or the other one. If
            /// nothing is known, it is the beginning of 1970. Empty for values that were written through this API.
            async fn computed_fields(&self) -> Vec<&'static str> {
                self.application.computed()
            }

            /// When the application was last changed. It never decreases. If the stored time cannot be read, it is computed
            /// (`computedFields`).
            async fn updated_at(&self) -> Timestamp {
                self.updated_at
            }

            /// When the application got its status. For `APPLIED` it is the date of the application, if that is earlier, for
            /// `INTERVIEWING` the date of a completed stage. Null if that is unknown.
            async fn status_since(&self) -> Option<Timestamp> {
                self.application.status_since()
            }
        }
    };
}

application_fields!(resolvers);
