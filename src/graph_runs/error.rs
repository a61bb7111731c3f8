//! What can go wrong in the store, and what the API says of it.

use std::sync::Arc;

use crate::api::{ApiError, Code, UserError, UserErrorCode};
use crate::table::{MalformedItem, TableError, WriteError};

use super::artifacts::ArtifactError;
use super::graph::GraphProblem;
use super::model::{Difference, Impossible, Rule, Violation, Violations};

/// A read or write that failed, for no fault of the one who asked.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The table's layer says why.
    #[error(transparent)]
    Table(Arc<TableError>),
    /// A write was refused for a reason that it cannot have.
    #[error(transparent)]
    Write(Arc<WriteError>),
    /// A stored item is not what its type needs.
    #[error(transparent)]
    Malformed(#[from] MalformedItem),
    /// The object store, or an object in it.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    /// The graph of a complete run is not there, or not what it was.
    #[error("the graph of a complete run cannot be read: {0}")]
    LostGraph(String),
}

impl From<TableError> for StoreError {
    fn from(error: TableError) -> Self {
        StoreError::Table(Arc::new(error))
    }
}

impl From<WriteError> for StoreError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Table(error) => error.into(),
            error @ WriteError::ConditionFailed(_) => StoreError::Write(Arc::new(error)),
        }
    }
}

/// Why a change was not made. Nothing was written to the table.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ChangeError {
    /// The input breaks rules.
    #[error("the input breaks {} rules", .0.len())]
    Invalid(Violations),
    /// There is no such run, or it is not the viewer's.
    #[error("no such run")]
    NotFound,
    /// The run cannot move so.
    #[error(transparent)]
    Impossible(#[from] Impossible),
    /// Nothing is uploaded yet.
    #[error("nothing is uploaded yet")]
    NotUploaded,
    /// What is uploaded is larger than it may be.
    #[error("the upload has more than {0} bytes")]
    UploadTooLarge(u64),
    /// The worker has not stored a graph.
    #[error("no graph is stored")]
    NoGraph,
    /// What is stored is no graph.
    #[error(transparent)]
    Graph(#[from] GraphProblem),
    /// The stored graph is not what the worker says.
    #[error("{} figures differ", .0.len())]
    Mismatch(Vec<Difference>),
    /// Only a worker may do this.
    #[error("only a worker may do this")]
    WorkersOnly,
    /// Others changed the run each time it was tried.
    #[error("too many others change the run")]
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

impl From<ArtifactError> for ChangeError {
    fn from(error: ArtifactError) -> Self {
        ChangeError::Store(error.into())
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
            StoreError::Write(_)
            | StoreError::Malformed(_)
            | StoreError::Artifact(_)
            | StoreError::LostGraph(_) => ApiError::internal(error),
        }
    }
}

/// The user errors of a change that was not made, or the fault that kept it from being made.
///
/// # Errors
/// The store's failure, or that the viewer may not do this at all.
pub fn user_errors(error: ChangeError) -> Result<Vec<UserError>, ApiError> {
    let one = |code, message: String, field: &str| {
        vec![UserError {
            code,
            message,
            field: Some(vec![field.to_owned()]),
            current_version: None,
        }]
    };
    Ok(match error {
        ChangeError::Invalid(violations) => violations.iter().map(of_violation).collect(),
        ChangeError::NotFound => {
            let message = "There is no such run.".to_owned();
            one(UserErrorCode::NotFound, message, "runId")
        }
        ChangeError::Impossible(Impossible::OtherGraph(differences))
        | ChangeError::Mismatch(differences) => differences.iter().map(of_difference).collect(),
        ChangeError::Impossible(Impossible::OldAttempt { current }) => vec![UserError {
            code: UserErrorCode::Conflict,
            message: format!("The run is at attempt {current}: this attempt is over."),
            field: Some(vec!["attempt".to_owned()]),
            current_version: Some(current),
        }],
        ChangeError::Impossible(impossible) => {
            let mut message = impossible.to_string();
            message[..1].make_ascii_uppercase();
            one(UserErrorCode::Conflict, format!("{message}."), "runId")
        }
        ChangeError::NotUploaded => {
            let message = "The file is not there yet: upload it to the run's URL first.".to_owned();
            one(UserErrorCode::Invalid, message, "runId")
        }
        ChangeError::UploadTooLarge(max) => {
            let message = format!("The uploaded file has more than {max} bytes.");
            one(UserErrorCode::Invalid, message, "runId")
        }
        ChangeError::NoGraph => {
            let message =
                "There is no graph yet: upload it to this attempt's URL first.".to_owned();
            one(UserErrorCode::Invalid, message, "runId")
        }
        ChangeError::Graph(problem) => one(UserErrorCode::Invalid, problem.0, "runId"),
        ChangeError::WorkersOnly => {
            let message =
                "Only the pipeline's workers may do this: it takes the role graph-runs-worker.";
            return Err(ApiError::new(Code::Forbidden, message));
        }
        ChangeError::Contended => {
            let message = "Too many others change this run just now. Try again.".to_owned();
            one(UserErrorCode::Conflict, message, "runId")
        }
        ChangeError::Store(error) => return Err(error.into()),
    })
}

fn of_difference(difference: &Difference) -> UserError {
    let Difference {
        field,
        claimed,
        found,
    } = difference;
    UserError {
        code: UserErrorCode::Invalid,
        message: format!("`{field}` is {claimed} by your count; the stored graph has {found}."),
        field: Some(vec![(*field).to_owned()]),
        current_version: None,
    }
}

fn of_violation(violation: &Violation) -> UserError {
    let field = violation.field;
    let (code, message) = match &violation.rule {
        Rule::Required => (UserErrorCode::Required, format!("`{field}` needs a value.")),
        Rule::TooLong(max) => (
            UserErrorCode::TooLong,
            format!("`{field}` takes at most {max} characters."),
        ),
        Rule::OutOfRange(min, max) => (
            UserErrorCode::OutOfRange,
            format!("`{field}` takes an integer from {min} to {max}."),
        ),
        Rule::Invalid(form) => (
            UserErrorCode::Invalid,
            format!("`{field}` has to be {form}."),
        ),
    };
    UserError {
        code,
        message,
        field: Some(vec![field.to_owned()]),
        current_version: None,
    }
}
