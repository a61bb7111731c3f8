//! What a person can mend: answered in a mutation's payload, never in `errors`.

use async_graphql::{Enum, SimpleObject};

/// Why an input was refused.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserErrorCode {
    /// The field needs a value and has none.
    Required,
    /// The text is longer than the field takes.
    TooLong,
    /// The number lies outside the field's range.
    OutOfRange,
    /// The value does not have the form that the field takes, or does not go with another field.
    Invalid,
    /// The thing does not exist.
    NotFound,
    /// Someone else changed the thing first: read it again, then decide. Nothing was written.
    Conflict,
    /// The thing holds as many as it can.
    LimitReached,
}

/// Something in the input that its sender can mend. Nothing was written.
#[derive(SimpleObject, Clone, Debug, PartialEq, Eq)]
pub struct UserError {
    /// What kind of error this is, for programs.
    pub code: UserErrorCode,
    /// What is wrong and what to do, for people.
    pub message: String,
    /// The path of the input field that is wrong, from the input's own fields on.
    pub field: Option<Vec<String>>,
    /// With CONFLICT: the version that the thing has now.
    pub current_version: Option<u32>,
}
