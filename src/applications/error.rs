//! What can go wrong in the store, and what the API says of it.

use std::sync::Arc;

use crate::api::{ApiError, UserError, UserErrorCode};
use crate::table::{MalformedItem, TableError, TransactionError};

use super::model::{Rule, Violation, Violations};

/// A read or write that failed, for no fault of the one who asked.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The table's layer says why.
    #[error(transparent)]
    Table(Arc<TableError>),
    /// A transaction was refused for a reason that no other try mends.
    #[error(transparent)]
    Transaction(Arc<TransactionError>),
    /// Transactions were throttled each time they were tried.
    #[error("DynamoDB throttles")]
    Throttled,
    /// A stored item is not what its type needs.
    #[error(transparent)]
    Malformed(#[from] MalformedItem),
    /// A batch answered without one of its keys: a fault of ours.
    #[error("the loader lost a key")]
    LostKey,
}

impl From<TableError> for StoreError {
    fn from(error: TableError) -> Self {
        StoreError::Table(Arc::new(error))
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
    #[error("the application is at version {current}")]
    Conflict {
        /// The version that it has.
        current: u32,
    },
    /// A different application has this id.
    #[error("the id is taken")]
    IdTaken {
        /// The version that it has.
        current: u32,
    },
    /// What is left of a deleted application has this id.
    #[error("an application of this id is being deleted")]
    BeingDeleted,
    /// Others changed the application each time it was tried.
    #[error("too many others change the application")]
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
            StoreError::Table(cause) => match cause.as_ref() {
                TableError::Unavailable { .. } | TableError::Unprocessed { .. } => {
                    ApiError::unavailable(error)
                }
                TableError::Refused { .. }
                | TableError::NotActive
                | TableError::Malformed(_)
                | TableError::Built(_) => ApiError::internal(error),
            },
            StoreError::Throttled => ApiError::unavailable(error),
            StoreError::Transaction(_) | StoreError::Malformed(_) | StoreError::LostKey => {
                ApiError::internal(error)
            }
        }
    }
}

/// The user errors of a change that was not made, or the fault that kept it from being made. `id_field` is
/// the input's field that names the application.
///
/// # Errors
/// The store's failure.
pub fn user_errors(error: ChangeError, id_field: &str) -> Result<Vec<UserError>, ApiError> {
    let one = |code, message: &str, field: &str, current_version| {
        vec![UserError {
            code,
            message: message.to_owned(),
            field: Some(vec![field.to_owned()]),
            current_version,
        }]
    };
    Ok(match error {
        ChangeError::Invalid(violations) => violations.iter().map(user_error).collect(),
        ChangeError::NotFound => one(
            UserErrorCode::NotFound,
            "There is no such application.",
            id_field,
            None,
        ),
        ChangeError::NoEntry => {
            let message = "The application has no such history entry.";
            one(UserErrorCode::NotFound, message, "sequence", None)
        }
        ChangeError::Conflict { current } => {
            let message = "The application changed since you read it. Read it again, then decide.";
            one(
                UserErrorCode::Conflict,
                message,
                "expectedVersion",
                Some(current),
            )
        }
        ChangeError::IdTaken { current } => {
            let message = "Another application has this id. Make a new id, or leave it out.";
            one(UserErrorCode::Conflict, message, "id", Some(current))
        }
        ChangeError::BeingDeleted => {
            let message = "An application of this id was deleted, but not all of it. Delete it once \
                           more to finish, or make a new id.";
            one(UserErrorCode::Conflict, message, "id", None)
        }
        ChangeError::Contended => vec![UserError {
            code: UserErrorCode::Conflict,
            message: "Too many others change this application just now. Try again.".to_owned(),
            field: None,
            current_version: None,
        }],
        ChangeError::Store(error) => return Err(error.into()),
    })
}

fn user_error(violation: &Violation) -> UserError {
    let code = match violation.rule {
        Rule::Required => UserErrorCode::Required,
        Rule::TooLong(_) => UserErrorCode::TooLong,
        Rule::OutOfRange(..) => UserErrorCode::OutOfRange,
        Rule::Invalid(_) => UserErrorCode::Invalid,
        Rule::NotFound(_) => UserErrorCode::NotFound,
        Rule::LimitReached(_) => UserErrorCode::LimitReached,
        Rule::IdTaken => UserErrorCode::Conflict,
    };
    let field = Some(vec![violation.field.to_owned()]);
    UserError {
        code,
        message: describe_rule(violation),
        field,
        current_version: None,
    }
}

/// What is wrong and what to do, in a sentence that names the field.
pub fn describe_rule(violation: &Violation) -> String {
    let field = violation.field;
    match &violation.rule {
        Rule::Required => format!("`{field}` needs a value."),
        Rule::TooLong(max) => format!("`{field}` takes at most {max} characters."),
        Rule::OutOfRange(min, max) => format!("`{field}` takes an integer from {min} to {max}."),
        Rule::Invalid(form) => format!("`{field}` has to be {form}."),
        Rule::NotFound(thing) => format!("`{field}` names no {thing} of this application."),
        Rule::LimitReached(limit) => format!("`{field}` cannot take more: {limit}."),
        Rule::IdTaken => {
            format!("`{field}` is taken by something else. Make a new one, or leave it out.")
        }
    }
}
