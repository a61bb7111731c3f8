//! Errors of the store, and how the API reports them.

use std::sync::Arc;

use trestle_api::{ApiError, Code, UserError, UserErrorCode, broken_rules};
use trestle_table::{self as table, TableError};

use super::graph::TooLarge;
use super::model::{Difference, Impossible, Violations};
use trestle_files::FilesError;
use trestle_terraform::stored::GraphProblem;

/// A read or write that failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The table's layer says why.
    #[error(transparent)]
    Table(Arc<TableError>),
    /// The object store, or an object in it.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// A process that analyzes files cannot be started.
    #[error("no worker process can be started: {0}")]
    Worker(String),
    /// What is kept of the graph of a complete run is not what it was.
    #[error("the graph of a complete run cannot be read: {0}")]
    LostGraph(String),
    /// A file of a complete run is missing, or is not one.
    #[error("{} {key}: {problem}", .file.attribute())]
    LostFile {
        /// The file.
        file: RunFile,
        /// Its key, which another program may have written.
        key: String,
        /// Why it cannot be read.
        problem: String,
    },
    /// A graph or a report takes more memory than lists of it may.
    #[error("the file is too large to be listed")]
    TooLargeToList,
    /// A graph has more nodes or edges than a picture can show.
    #[error(transparent)]
    TooLargeToDraw(#[from] TooLarge),
    /// The report of another program has no findings that can be read.
    #[error("the report cannot be read: {0}")]
    Report(String),
}

/// A file of a complete run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunFile {
    /// The graph.
    Graph,
    /// The risk report.
    Report,
}

impl RunFile {
    /// The stored attribute that names it.
    pub fn attribute(self) -> &'static str {
        match self {
            RunFile::Graph => "graphS3Key",
            RunFile::Report => "analysisS3Key",
        }
    }

    /// That the file with this key cannot be read.
    pub fn lost(self, key: &str, problem: &str) -> StoreError {
        StoreError::LostFile {
            file: self,
            key: key.to_owned(),
            problem: problem.to_owned(),
        }
    }

    fn api_error(self, error: StoreError) -> ApiError {
        let message = format!(
            "The file that `{}` of this run names is missing or cannot be read. Restore it from a backup of the object \
             store, or create a run with the same upload.",
            self.attribute()
        );
        ApiError::new(Code::Unreadable, message).because(error)
    }
}

impl From<TableError> for StoreError {
    fn from(error: TableError) -> Self {
        StoreError::Table(Arc::new(error))
    }
}

impl From<table::ChangeError<Impossible>> for ChangeError {
    fn from(error: table::ChangeError<Impossible>) -> Self {
        match error {
            table::ChangeError::Refused(impossible) => impossible.into(),
            table::ChangeError::NotFound => ChangeError::NotFound,
            table::ChangeError::Table(error) => error.into(),
            table::ChangeError::Conflict { .. }
            | table::ChangeError::LastVersion
            | table::ChangeError::Taken
            | table::ChangeError::Contended => ChangeError::Contended,
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
    /// The uploaded file is not the announced one.
    #[error("the uploaded file is not the announced one")]
    OtherUpload,
    /// The process that analyzed the file was killed.
    #[error("the worker process was killed")]
    WorkerKilled,
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

impl From<Violations> for ChangeError {
    fn from(violations: Violations) -> Self {
        ChangeError::Invalid(violations)
    }
}

impl From<TableError> for ChangeError {
    fn from(error: TableError) -> Self {
        ChangeError::Store(error.into())
    }
}

impl From<FilesError> for ChangeError {
    fn from(error: FilesError) -> Self {
        ChangeError::Store(error.into())
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match &error {
            StoreError::Table(cause) => ApiError::failed(cause.failing(), error),
            StoreError::Files(FilesError::Store(_)) => ApiError::unavailable(error),
            StoreError::TooLargeToList => {
                ApiError::bad_input("The file is too large to be listed. Download it instead.")
            }
            StoreError::TooLargeToDraw(too_large) => ApiError::bad_input(format!("{too_large}.")),
            StoreError::LostFile { file, .. } => file.api_error(error),
            StoreError::Report(_) => ApiError::unreadable(Some("findings"), error),
            StoreError::Files(
                FilesError::Malformed | FilesError::NoOrigin | FilesError::TooLarge(_),
            )
            | StoreError::Worker(_)
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
        ChangeError::Invalid(violations) => return broken_rules(&violations),
        ChangeError::NotFound => {
            let message = "The run does not exist.".to_owned();
            one(UserErrorCode::NotFound, message, "runId")
        }
        ChangeError::Impossible(Impossible::OtherGraph(differences))
        | ChangeError::Mismatch(differences) => differences.iter().map(of_difference).collect(),
        ChangeError::Impossible(Impossible::OldAttempt { current }) => vec![UserError {
            code: UserErrorCode::Conflict,
            message: format!("The run is at attempt {current}. This attempt has ended."),
            field: Some(vec!["attempt".to_owned()]),
            current_version: Some(current),
        }],
        ChangeError::Impossible(impossible) => {
            let mut message = impossible.to_string();
            message[..1].make_ascii_uppercase();
            one(UserErrorCode::Conflict, format!("{message}."), "runId")
        }
        ChangeError::NotUploaded => {
            let message = "No file is uploaded. PUT it to the run's upload URL first.".to_owned();
            one(UserErrorCode::Invalid, message, "runId")
        }
        ChangeError::OtherUpload => {
            let message = "The uploaded file does not have the announced size and SHA-256. Upload the right one."
                .to_owned();
            one(UserErrorCode::Invalid, message, "runId")
        }
        ChangeError::UploadTooLarge(max) => {
            let message = format!("The uploaded file has more than {max} bytes.");
            one(UserErrorCode::Invalid, message, "runId")
        }
        ChangeError::NoGraph => {
            let message = "No graph is uploaded. PUT it to this attempt's URL first.".to_owned();
            one(UserErrorCode::Invalid, message, "runId")
        }
        ChangeError::Graph(problem) => one(UserErrorCode::Invalid, problem.0, "runId"),
        ChangeError::WorkersOnly => return Err(workers_only()),
        ChangeError::Contended => {
            let message = "Too many others are changing this run. Try again.".to_owned();
            one(UserErrorCode::Conflict, message, "runId")
        }
        ChangeError::WorkerKilled => return Err(ApiError::internal(error)),
        ChangeError::Store(error) => return Err(error.into()),
    })
}

/// The error of what only workers may do.
pub fn workers_only() -> ApiError {
    let message =
        "Only the pipeline's workers may do this. The role graph-runs-worker is required.";
    ApiError::new(Code::Forbidden, message)
}

fn of_difference(difference: &Difference) -> UserError {
    let Difference {
        field,
        claimed,
        found,
    } = difference;
    UserError {
        code: UserErrorCode::Invalid,
        message: format!("`{field}` must match the stored graph: it is {found}, not {claimed}."),
        field: Some(vec![(*field).to_owned()]),
        current_version: None,
    }
}
