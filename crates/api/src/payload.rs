//! Payloads of mutations: the changed entity, or the errors that the user can correct.

use super::{ApiError, Code, Session, UserError, UserErrorCode, session};
use trestle_domain::{Rule, Violation, Violations};
use trestle_table::{ChangeError, Changed, MalformedItem, TableError};

/// The result of a root field. It is nullable, so that one that fails leaves the others in the response.
pub type QueryResult<T> = Option<Result<T, ApiError>>;

/// The result of a write.
pub type MutationResult<T> = Result<Changed<T>, ChangeError<Violations>>;

/// Why a mutation failed.
pub enum Failed {
    /// Its write was refused or failed.
    Write(ChangeError<Violations>),
    /// Another error, which the field answers instead of user errors.
    Field(ApiError),
}

impl<E: Into<ChangeError<Violations>>> From<E> for Failed {
    fn from(error: E) -> Self {
        Failed::Write(error.into())
    }
}

impl From<ApiError> for Failed {
    fn from(error: ApiError) -> Self {
        Failed::Field(error)
    }
}

impl From<TableError> for ApiError {
    fn from(error: TableError) -> Self {
        ApiError::failed(error.failing(), error)
    }
}

impl From<MalformedItem> for ApiError {
    fn from(error: MalformedItem) -> Self {
        ApiError::unreadable(None, error)
    }
}

/// The user errors of a mutation that failed.
///
/// # Errors
/// The error of the field, if the user cannot correct it: the store failed, or the viewer may not do it.
pub fn user_errors(error: impl Into<Failed>) -> Result<Vec<UserError>, ApiError> {
    let error = match error.into() {
        Failed::Write(error) => error,
        Failed::Field(error) => return Err(error),
    };
    let (code, message) = match error {
        ChangeError::Refused(violations) => return broken_rules(&violations),
        ChangeError::NotFound => (UserErrorCode::NotFound, "`id` names nothing that exists."),
        ChangeError::Conflict { current } => {
            return Ok(vec![UserError {
                code: UserErrorCode::Conflict,
                message: format!(
                    "The current version is {current}. Read it again, then repeat the change if it still applies."
                ),
                field: Some(vec!["expectedVersion".to_owned()]),
                current_version: Some(current),
            }]);
        }
        ChangeError::LastVersion => (
            UserErrorCode::LimitReached,
            "`id` names an object that has been changed 2,147,483,646 times, the most that are counted.",
        ),
        ChangeError::Taken => (
            UserErrorCode::Conflict,
            "`id` is already used by something else.",
        ),
        ChangeError::Contended => return Err(ApiError::contended()),
        ChangeError::Table(error) => return Err(error.into()),
    };
    Ok(vec![UserError {
        code,
        message: message.to_owned(),
        field: Some(vec!["id".to_owned()]),
        current_version: None,
    }])
}

/// Says that the id is taken at the input's field of the id.
///
/// # Errors
/// Those of `written`.
pub fn with_id_at<T>(written: MutationResult<T>, field: &'static str) -> MutationResult<T> {
    written.map_err(|error| match error {
        ChangeError::Taken => {
            ChangeError::Refused(Rule::Conflict("is already used by something else").at(field))
        }
        error => error,
    })
}

/// The user errors of broken rules.
///
/// # Errors
/// FORBIDDEN if one of them is that the viewer may not do it.
pub fn broken_rules(violations: &[Violation]) -> Result<Vec<UserError>, ApiError> {
    let rules = violations.iter().flat_map(Violation::flat);
    rules.map(|(path, rule)| user_error(path, rule)).collect()
}

fn user_error(path: Vec<String>, rule: &Rule) -> Result<UserError, ApiError> {
    let code = match rule {
        Rule::Required => UserErrorCode::Required,
        Rule::TooLong(_) => UserErrorCode::TooLong,
        Rule::OutOfRange(..) => UserErrorCode::OutOfRange,
        Rule::TooMany(_) | Rule::LimitReached(_) | Rule::WouldExceed { .. } => {
            UserErrorCode::LimitReached
        }
        Rule::NotFound(_) => UserErrorCode::NotFound,
        Rule::Conflict(_) | Rule::ConflictWith { .. } | Rule::CannotFollow { .. } => {
            UserErrorCode::Conflict
        }
        Rule::Forbidden(_) => return Err(ApiError::new(Code::Forbidden, format!("{rule}."))),
        Rule::TooShort(_) | Rule::Invalid(_) | Rule::Entries(_) | Rule::Within(_) => {
            UserErrorCode::Invalid
        }
    };
    Ok(UserError {
        code,
        message: format!("`{}` {rule}.", path.join(".")),
        field: Some(path),
        current_version: None,
    })
}

/// Declares payload types, each with the entity that it returns.
#[macro_export]
macro_rules! payloads {
    ($($(#[$doc:meta])* $type:ident { $(#[$field_doc:meta])* $field:ident: $node:ty })+) => {$(
        #[derive(async_graphql::SimpleObject)]
        $(#[$doc])*
        pub struct $type {
            $(#[$field_doc])*
            $field: Option<$node>,
            /// Validation errors. If not empty, nothing was changed.
            user_errors: Vec<$crate::UserError>,
        }

        impl $type {
            /// The payload of a write.
            ///
            /// # Errors
            /// The store failed, or the viewer may not do it.
            pub fn of<T: Into<$node>>(
                written: Result<$crate::table::Changed<T>, impl Into<$crate::Failed>>,
            ) -> Result<Self, $crate::ApiError> {
                Ok(match written {
                    Ok(written) => Self { $field: Some(written.entity.into()), user_errors: Vec::new() },
                    Err(error) => Self { $field: None, user_errors: $crate::user_errors(error)? },
                })
            }
        }
    )+};
}

/// Gives payloads with fields of their own the function `of`. If the mutation has failed, they have their default values.
#[macro_export]
macro_rules! own_payloads {
    ($($type:ident)+) => {$(
        impl $type {
            fn of(done: Result<Self, impl Into<$crate::Failed>>) -> Result<Self, $crate::ApiError> {
                done.or_else(|error| {
                    Ok(Self { user_errors: $crate::user_errors(error)?, ..Self::default() })
                })
            }
        }
    )+};
}

/// The most entries of a batch.
const MAX_BATCH: usize = 100;

/// The results of a batch mutation: one for each entry of the input, in the same order.
pub type Batch<T> = Result<Vec<T>, Violations>;

/// The entries of a batch, which are in the input field `field`.
///
/// # Errors
/// There are more than 100.
pub fn entries<T>(
    given: Vec<T>,
    field: &'static str,
) -> Result<impl Iterator<Item = T>, Violations> {
    if given.len() <= MAX_BATCH {
        Ok(given.into_iter())
    } else {
        Err(Rule::TooMany(MAX_BATCH).at(field))
    }
}

/// Declares the payloads of batch mutations. Each has one payload for every entry of the input, made of that entry's
/// result.
#[macro_export]
macro_rules! batch_payloads {
    ($($(#[$doc:meta])* $type:ident { $(#[$results_doc:meta])* $single:ident of $made:ty })+) => {$(
        $(#[$doc])*
        #[derive(async_graphql::SimpleObject)]
        pub struct $type {
            $(#[$results_doc])*
            results: Vec<Option<Result<$single, $crate::ApiError>>>,
            /// Errors of the whole input. If not empty, nothing was changed.
            user_errors: Vec<$crate::UserError>,
        }

        impl $type {
            fn of(batch: $crate::Batch<$made>) -> Result<Self, $crate::ApiError> {
                Ok(match batch {
                    Ok(made) => Self {
                        results: made.into_iter().map($single::of).map(Some).collect(),
                        user_errors: Vec::new(),
                    },
                    Err(violations) => Self {
                        results: Vec::new(),
                        user_errors: $crate::broken_rules(&violations)?,
                    },
                })
            }
        }
    )+};
}

/// What the function of a mutation takes from its request: the session, or what a service makes of it.
pub trait FromRequest<'c>: Sized {
    /// It, of this request.
    ///
    /// # Errors
    /// The request may not do anything.
    fn from_request(ctx: &async_graphql::Context<'c>) -> Result<Self, ApiError>;
}

impl<'c> FromRequest<'c> for &'c Session {
    fn from_request(ctx: &async_graphql::Context<'c>) -> Result<Self, ApiError> {
        session(ctx)
    }
}

/// Declares mutations: the input of each, its payload, and the function that runs it. The payload's field is named for
/// all of them or for each, or [`payloads`](crate::payloads) declares the payloads.
#[macro_export]
macro_rules! mutations {
    ($(#[$doc:meta])* $object:ident -> $field:ident: $node:ty {
        $($(#[$name_doc:meta])* $name:ident($input:ty) -> $payload:ident = $run:path,)+
    }) => {
        $crate::mutations! {
            $(#[$doc])* $object {
                $($(#[$name_doc])* $name($input) -> $payload { $field: $node } = $run,)+
            }
        }
    };
    ($(#[$doc:meta])* $object:ident {
        $($(#[$name_doc:meta])* $name:ident($input:ty) -> $payload:ident { $field:ident: $node:ty } = $run:path,)+
    }) => {
        $($crate::payloads! {
            /// The result of the mutation.
            $payload {
                /// The changed object. `null` if there are errors.
                $field: $node
            }
        })+

        $crate::mutations! {
            $(#[$doc])* $object {
                $($(#[$name_doc])* $name($input) -> $payload = $run,)+
            }
        }
    };
    ($(#[$doc:meta])* $object:ident {
        $($(#[$name_doc:meta])* $name:ident($input:ty) -> $payload:ident = $run:path,)+
    }) => {
        $(#[$doc])*
        #[derive(Default)]
        pub struct $object;

        #[async_graphql::Object]
        impl $object {
            $($(#[$name_doc])*
            #[graphql(directive = $crate::semantic_non_null::apply(None))]
            async fn $name(
                &self,
                ctx: &async_graphql::Context<'_>,
                input: $input,
            ) -> $crate::QueryResult<$payload> {
                // Boxed, because each level of the merged root object holds the largest of its futures on the stack.
                let written = Box::pin(async {
                    let request = $crate::FromRequest::from_request(ctx)?;
                    $payload::of($run(request, input).await)
                });
                Some(written.await)
            })+
        }
    };
}

/// Declares inputs that name an object and, optionally, its expected version.
#[macro_export]
macro_rules! naming_inputs {
    ($($(#[$doc:meta])* $type:ident)+) => {$(
        $(#[$doc])*
        #[derive(async_graphql::InputObject, Clone)]
        pub struct $type {
            /// ID of the object.
            id: async_graphql::ID,
            /// Reject the mutation if this is not the current version.
            expected_version: Option<$crate::Version>,
        }
    )+};
}
