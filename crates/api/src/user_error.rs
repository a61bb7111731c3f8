//! Errors that the user can correct, returned in a mutation's payload and never in `errors`.

use async_graphql::{Enum, SimpleObject};

use super::confirmed::Confirmed;

/// Kind of a user error.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserErrorCode {
    /// A required value is missing.
    Required,
    /// The text is too long.
    TooLong,
    /// The number is out of range.
    OutOfRange,
    /// The value has the wrong form, or contradicts another field.
    Invalid,
    /// The object does not exist.
    NotFound,
    /// The object was changed by someone else, or the change contradicts what is stored.
    Conflict,
    /// The object has as many entries as it can have.
    LimitReached,
}

/// An error that the user can correct. Nothing was changed.
#[derive(SimpleObject, Clone, Debug, PartialEq, Eq)]
pub struct UserError {
    /// Kind of the error, for programs.
    #[graphql(guard = "Confirmed")]
    pub code: UserErrorCode,
    /// What is wrong and how to correct it, for people.
    #[graphql(guard = "Confirmed")]
    pub message: String,
    /// Path of the invalid input field, starting at the input.
    #[graphql(guard = "Confirmed")]
    pub field: Option<Vec<String>>,
    /// With CONFLICT: the current version of the object.
    #[graphql(guard = "Confirmed")]
    pub current_version: Option<u32>,
}
