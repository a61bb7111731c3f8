//! Failures of the store, and the errors that the API returns for them.

use std::sync::Arc;

use trestle_api::{ApiError, UserError, UserErrorCode, broken_rules};
use trestle_files::FilesError;
use trestle_table::{MalformedItem, TableError, TransactionError};

use super::model::{Application, ApplicationId, Leftovers, State, Violations};
use super::objects::ObjectsError;

/// A failed read or write.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The table layer says why.
    #[error(transparent)]
    Table(Arc<TableError>),
    /// A transaction was refused for a reason that another attempt does not remove.
    #[error(transparent)]
    Transaction(Arc<TransactionError>),
    /// Every attempt of a transaction was throttled.
    #[error("DynamoDB throttles")]
    Throttled,
    /// A stored item is not what its type needs.
    #[error(transparent)]
    Malformed(#[from] MalformedItem),
    /// A stored attribute does not fit its type.
    #[error(
        "the attribute `{attribute}` of the {entity} of application {application} cannot be read"
    )]
    Unreadable {
        /// The application.
        application: ApplicationId,
        /// Which of its items.
        entity: &'static str,
        /// The attribute.
        attribute: &'static str,
    },
    /// A list is too long to be read whole. The API answers this text, which says what the caller can do.
    #[error("{0}")]
    TooMany(&'static str),
    /// An agenda has too many entries.
    #[error("more than 5,000 entries are on these days")]
    AgendaTooLong,
    /// Since the table was opened, it was given a part for each owner.
    #[error(
        "the table has a part for each owner now: restart with --tenancy owner, or use another table"
    )]
    HasOwners,
    /// Others changed the counters during every count.
    #[error(
        "others changed the counters each time they were counted, and nothing was corrected: stop the programs that write \
         the table, or repeat the command when fewer do"
    )]
    Recounted,
    /// An index names a partition that has no application: the sort key of each item differs from the partition key.
    #[error("no item at {0} is an application: none has a sort key that equals its partition key")]
    NoApplication(String),
    /// The files of an application cannot be reached.
    #[error("the files of an application: {0}")]
    Objects(ObjectsError),
    /// A batch was answered without one of its keys: a bug.
    #[error("the loader lost a key")]
    LostKey,
}

impl From<TableError> for StoreError {
    fn from(error: TableError) -> Self {
        StoreError::Table(Arc::new(error))
    }
}

/// Why a table cannot be used with the tenancy that was asked for.
#[derive(Debug, thiserror::Error)]
pub enum TenancyError {
    /// It has a part for each owner.
    #[error(
        "The table {0} has a list of applications for each owner. Serve it with --tenancy owner; import, export and \
         recount it with --owner NAME or --all-owners; or name another table."
    )]
    HasOwners(String),
    /// It has one list of applications.
    #[error(
        "The table {0} has one list of applications and no owners. Use it with --tenancy single, or without --owner and \
         --all-owners. To move its applications to an owner, write them to a file with `trestle export`, and read the file \
         into another table with `trestle import --owner NAME`."
    )]
    IsSingle(String),
    /// An owner has applications in it.
    #[error("The table {table} has applications of the owner \"{owner}\". Its mark stays.")]
    StillOwned {
        /// The table.
        table: String,
        /// The owner.
        owner: String,
    },
    /// It was not marked because something else is writing to it.
    #[error(
        "The table {0} is being written by another program. Stop that program, and start again."
    )]
    Unclaimed(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<TableError> for TenancyError {
    fn from(error: TableError) -> Self {
        TenancyError::Store(error.into())
    }
}

/// The application that a change found instead of the expected one.
#[derive(Clone, Debug)]
pub enum Present {
    /// With its stages.
    Whole(State),
    /// Its stages were not read.
    Alone(Application),
}

impl Present {
    /// Its version.
    pub fn version(&self) -> u32 {
        match self {
            Present::Whole(state) => state.application.version(),
            Present::Alone(application) => application.version(),
        }
    }
}

/// Why a change was not made. Nothing was written.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ChangeError {
    /// The input breaks rules.
    #[error("the input breaks {} rules", .0.len())]
    Invalid(Violations),
    /// There is no such application.
    #[error("no such application")]
    NotFound,
    /// There is no such history entry.
    #[error("no such history entry")]
    NoEntry,
    /// The application has another version than the caller expects.
    #[error("the application is at version {}", .0.version())]
    Conflict(Box<Present>),
    /// A different application has this id.
    #[error("the id is taken")]
    IdTaken,
    /// An application with this id is not completely deleted.
    #[error("an application with this id is being deleted")]
    BeingDeleted,
    /// Items that are not ours are in the partition of this id.
    #[error("the partition of this id has items without an application: {0}")]
    Leftovers(Leftovers),
    /// It has as many versions as an application can have.
    #[error("the application is at the last version")]
    LastVersion,
    /// Every attempt lost a race against other changes.
    #[error("too many concurrent changes of the application")]
    Contended,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<TableError> for ChangeError {
    fn from(error: TableError) -> Self {
        ChangeError::Store(error.into())
    }
}

impl From<Violations> for ChangeError {
    fn from(violations: Violations) -> Self {
        ChangeError::Invalid(violations)
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match &error {
            StoreError::Table(cause) => ApiError::failed(cause.failing(), error),
            StoreError::Throttled => ApiError::unavailable(error),
            StoreError::Unreadable { attribute, .. } => {
                let attribute = *attribute;
                ApiError::unreadable(Some(attribute), error)
            }
            StoreError::Malformed(_) => ApiError::unreadable(None, error),
            StoreError::TooMany(message) => ApiError::bad_input(*message),
            StoreError::AgendaTooLong => {
                ApiError::bad_input("More than 5,000 entries are on these days. Choose fewer days.")
            }
            StoreError::Objects(ObjectsError::Files(FilesError::Store(_))) => {
                ApiError::unavailable(error)
            }
            StoreError::Objects(_)
            | StoreError::Transaction(_)
            | StoreError::HasOwners
            | StoreError::Recounted
            | StoreError::NoApplication(_)
            | StoreError::LostKey => ApiError::internal(error),
        }
    }
}

/// The user errors of a change that was not made. `id_field` is the input field that names the application.
///
/// # Errors
/// The failure of the store, if the user cannot correct it.
pub fn user_errors(error: ChangeError, id_field: &str) -> Result<Vec<UserError>, ApiError> {
    let mut current_version = None;
    let (code, field, message) = match error {
        ChangeError::Invalid(violations) => return broken_rules(&violations),
        ChangeError::NotFound => (
            UserErrorCode::NotFound,
            id_field,
            "The application does not exist. Pass the `id` of an application.",
        ),
        ChangeError::NoEntry => (
            UserErrorCode::NotFound,
            "sequence",
            "The application has no history entry with this sequence that can be restored.",
        ),
        ChangeError::Conflict(current) => {
            current_version = Some(current.version());
            (
                UserErrorCode::Conflict,
                "expectedVersion",
                "The application has another version than expected. Compare it with your changes, then \
                 repeat the mutation with its current version.",
            )
        }
        ChangeError::IdTaken => (
            UserErrorCode::Conflict,
            "id",
            "Another application has this id. Read it by the id, or use a new id, or omit it.",
        ),
        ChangeError::BeingDeleted => (
            UserErrorCode::Conflict,
            "id",
            "Deleting or importing an application with this id was interrupted, or is in progress. \
             Delete it to finish, or use a new id.",
        ),
        ChangeError::Leftovers(_) => (
            UserErrorCode::Conflict,
            "id",
            "Other data is stored under this id. Use a new id, or omit it. `trestle table check` lists the \
             data, and `trestle table delete-leftovers` deletes it.",
        ),
        ChangeError::LastVersion => (
            UserErrorCode::LimitReached,
            id_field,
            "The application has been changed 99,999,998 times, the most that its history holds. Create \
             another application.",
        ),
        ChangeError::Contended => return Err(ApiError::contended()),
        ChangeError::Store(error) => return Err(error.into()),
    };
    Ok(vec![UserError {
        code,
        message: message.to_owned(),
        field: Some(vec![field.to_owned()]),
        current_version,
    }])
}
