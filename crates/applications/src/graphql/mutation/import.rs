//! Importing rows of a list: which of them are applications already, and creating the others.

use async_graphql::{Enum, InputObject, Object, SimpleObject};
use trestle_api::{ApiError, Batch, Date, UserError, Uuid, broken_rules, entries, mutations};

use crate::error::{ChangeError, user_errors};
use crate::graphql::input::CreateApplicationInput;
use crate::graphql::types::{Application, Nullable};
use crate::model::{ApplicationId, Change, DetailsChange, Rule, Violations};
use crate::store::{Applications, Import, ListRow, Part, RowOutcome};
use crate::written;
use trestle_rows::cells;

/// Rows of a list to import.
#[derive(InputObject)]
pub struct ImportApplicationsInput {
    /// The rows, at most 100.
    rows: Vec<ImportRowInput>,
    /// Whether to report the outcomes without creating anything.
    #[graphql(default)]
    dry_run: bool,
    /// The date of new applications that were sent and have no `dateApplied`. Defaults to today (UTC).
    sent_on: Option<Date>,
}

/// A row of a list. It is the application with its id, with one of the ids that are derived from it, or with its job posting.
#[derive(InputObject)]
pub struct ImportRowInput {
    /// What the row says. Without an `id`, it is derived from the job posting or, without one, from `content`, as
    /// `trestle import` derives it.
    application: CreateApplicationInput,
    /// The row as the file has it: rows with the same content are the same application.
    content: Option<String>,
    /// Cells in the words of the list: each is used if `application` omits its field. They are read as `trestle import` reads
    /// them.
    as_written: Option<ImportTextsInput>,
    /// Other ids under which the row may be stored: at most 2.
    #[graphql(default)]
    other_ids: Vec<Uuid>,
}

/// Cells of a row in the words of the list, which another tracker may have written.
#[derive(InputObject)]
pub struct ImportTextsInput {
    /// The status, such as `Wishlist`, `Phone screen` or `I Withdrew`.
    status: Option<String>,
    /// The date of the application, such as `November 3, 2026`. A date such as `11/3/2026` has two readings and is rejected.
    date_applied: Option<String>,
    /// The date by which an offer must be answered.
    offer_due_date: Option<String>,
    /// The date of the next action.
    next_action_date: Option<String>,
}

impl ImportTextsInput {
    /// Sets the fields that `fields` does not set.
    ///
    /// # Errors
    /// Every cell that is not understood.
    fn fill(self, fields: &mut DetailsChange) -> Result<(), Violations> {
        const STATUS: Rule = Rule::Invalid("a status such as applied, wishlist or offer received");
        const DATE: Rule = Rule::Invalid("a date such as 2026-11-20 or November 20, 2026");
        let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let mut broken = Violations::new();
        if let (Some(text), Change::Unchanged) = (given(self.status), &fields.status) {
            match written::status(&text) {
                Some(status) => fields.status = Change::Set(status),
                None => broken.extend(STATUS.at("status")),
            }
        }
        for (name, text, date) in [
            ("dateApplied", self.date_applied, &mut fields.date_applied),
            (
                "offerDueDate",
                self.offer_due_date,
                &mut fields.offer_due_date,
            ),
            (
                "nextActionDate",
                self.next_action_date,
                &mut fields.next_action_date,
            ),
        ] {
            if let (Some(text), Change::Unchanged) = (given(text), &*date) {
                match cells::date(text.trim(), None) {
                    Some(day) => *date = Change::Set(day),
                    None => broken.extend(DATE.at(name)),
                }
            }
        }
        if broken.is_empty() {
            Ok(())
        } else {
            Err(broken)
        }
    }
}

/// What a row of a list is.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportOutcome {
    /// Not an application yet. It was created, unless `dryRun` is set.
    New,
    /// An application, of which the row says something else. It was not changed.
    Changed,
    /// An application that has everything that the row says.
    Unchanged,
}

/// The result of `importApplications`.
#[derive(SimpleObject)]
pub struct ImportApplicationsPayload {
    /// The result for each row, in the order of the input. A row is null with an error if the database failed. Null if the
    /// whole input was rejected.
    rows: Option<Vec<Option<Result<ImportedRow, ApiError>>>>,
    /// Errors of the whole input. If not empty, nothing was created.
    user_errors: Vec<UserError>,
}

impl ImportApplicationsPayload {
    /// The payload of an import.
    ///
    /// # Errors
    /// The viewer may not import.
    fn of(imported: Batch<Result<RowOutcome, ChangeError>>) -> Result<Self, ApiError> {
        Ok(match imported {
            Ok(rows) => Self {
                rows: Some(rows.into_iter().map(ImportedRow::of).map(Some).collect()),
                user_errors: Vec::new(),
            },
            Err(violations) => Self {
                rows: None,
                user_errors: broken_rules(&violations)?,
            },
        })
    }
}

/// The result of importing one row.
pub struct ImportedRow {
    outcome: Option<RowOutcome>,
    user_errors: Vec<UserError>,
}

impl ImportedRow {
    /// The result of a row.
    ///
    /// # Errors
    /// The failure of the store, if the user cannot correct it.
    fn of(imported: Result<RowOutcome, ChangeError>) -> Result<Self, ApiError> {
        Ok(match imported {
            Ok(outcome) => Self {
                outcome: Some(outcome),
                user_errors: Vec::new(),
            },
            Err(error) => Self {
                outcome: None,
                user_errors: user_errors(error, "id")?,
            },
        })
    }
}

/// The result of importing one row.
#[Object]
impl ImportedRow {
    /// What the row is. Null if it was rejected.
    async fn outcome(&self) -> Option<ImportOutcome> {
        Some(match self.outcome.as_ref()? {
            RowOutcome::New(_) => ImportOutcome::New,
            RowOutcome::Changed(..) => ImportOutcome::Changed,
            RowOutcome::Unchanged(_) => ImportOutcome::Unchanged,
        })
    }

    /// The application of the row. Null if there is none yet, or the row was rejected.
    async fn application(&self) -> Nullable<Application> {
        Some(match self.outcome.as_ref()? {
            RowOutcome::New(None) => return None,
            RowOutcome::New(Some(state)) => Application::written(state.as_ref().clone()),
            RowOutcome::Changed(there, _) | RowOutcome::Unchanged(there) => {
                Application::listed(there.as_ref().clone(), Part::Whole)
            }
        })
    }

    /// The fields of which the row says something else than the application.
    async fn changed_fields(&self) -> &[String] {
        match &self.outcome {
            Some(RowOutcome::Changed(_, fields)) => fields,
            Some(RowOutcome::New(_) | RowOutcome::Unchanged(_)) | None => &[],
        }
    }

    /// Errors that the user can correct. If not empty, nothing was created.
    async fn user_errors(&self) -> &[UserError] {
        &self.user_errors
    }
}

mutations! {
    /// The mutations of lists that a person imports.
    ImportMutation {
        /// Creates the applications of up to 100 rows that are none yet, and reports which rows are new, changed or there
        /// already. Existing applications are not changed. A row with user errors does not affect the others.
        import_applications(ImportApplicationsInput) -> ImportApplicationsPayload = import,
    }
}

async fn import(
    store: &Applications,
    input: ImportApplicationsInput,
) -> Batch<Result<RowOutcome, ChangeError>> {
    let rows = entries(input.rows, "rows")?.map(ImportRowInput::read);
    let import = if input.dry_run {
        Import::Try
    } else {
        Import::Write
    };
    let sent_on = input.sent_on.map(|day| day.0);
    Ok(store
        .import_list(rows.collect(), import, sent_on.as_deref())
        .await)
}

/// How many further ids a row may have.
const OTHER_IDS: usize = 2;

impl ImportRowInput {
    /// The row with the ids that it may have.
    ///
    /// # Errors
    /// Every rule that it breaks.
    fn read(self) -> Result<ListRow, Violations> {
        let (id, mut fields) = self.application.read()?;
        if let Some(texts) = self.as_written {
            texts.fill(&mut fields)?;
        }
        if self.other_ids.len() > OTHER_IDS {
            return Err(Rule::TooMany(OTHER_IDS).at("otherIds"));
        }
        let others = self.other_ids.iter().map(|id| {
            let id = uuid::Uuid::try_parse(&id.0);
            id.map_err(|_| Rule::Invalid("a UUID").at("otherIds"))
        });
        let others = others.collect::<Result<Vec<_>, _>>()?;
        let posting = match &fields.job_posting_url {
            Change::Set(url) => Some(uuid::Uuid::new_v5(
                &uuid::Uuid::NAMESPACE_URL,
                url.as_bytes(),
            )),
            Change::Clear | Change::Unchanged => None,
        };
        let content = self
            .content
            .map(|text| uuid::Uuid::new_v5(&uuid::Uuid::NAMESPACE_OID, text.as_bytes()));
        let derived = posting.into_iter().chain(content).chain(others);
        let mut ids = id.into_iter().chain(derived.map(ApplicationId::new));
        let id = ids
            .next()
            .unwrap_or_else(|| ApplicationId::new(uuid::Uuid::new_v4()));
        Ok(ListRow {
            id,
            other_ids: ids.collect(),
            fields,
        })
    }
}
