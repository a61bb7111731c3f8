//! Importing rows of a list: which of them are applications already, and creating the others.

use async_graphql::{Context, Enum, InputObject, Object, SimpleObject};
use trestle_api::{ApiError, Batch, Date, UserError, Uuid, broken_rules, entries, mutations};
use trestle_domain::Currency;

use crate::error::{ChangeError, user_errors};
use crate::graphql::importing::{ImportCell, ImportColumnInput, ListColumns};
use crate::graphql::input::CreateApplicationInput;
use crate::graphql::types::{Application, Nullable};
use crate::importer::{self, Forms, LeftOut};
use crate::model::{ApplicationId, Change, DetailsChange, Rule, Violations};
use crate::store::{Applications, Import, ListRow, Part, RowOutcome};
use trestle_rows::dates;

use super::payload::already_tracked;

/// Rows of a list to import.
#[derive(InputObject)]
pub struct ImportApplicationsInput {
    /// The rows, at most 100.
    rows: Vec<ImportRowInput>,
    /// The columns of the `cells` of the rows.
    columns: Option<Vec<ImportColumnInput>>,
    /// The currency of amounts in `cells` that name none: a code of ISO 4217.
    currency: Option<String>,
    /// Whether to change existing applications as the rows say. A field that somebody has changed since the last import
    /// stays.
    #[graphql(default)]
    update: bool,
    /// Whether to change existing applications in all that the rows say, also where somebody has changed it since the last
    /// import: for a person who has seen what differs.
    #[graphql(default)]
    overwrite: bool,
    /// Whether to report the outcomes without creating or changing anything.
    #[graphql(default)]
    dry_run: bool,
    /// The date of new applications that were sent and have no `dateApplied`. Defaults to today (UTC).
    sent_on: Option<Date>,
}

/// A row of a list. It is the application with its id, with one of the ids that are derived from it, or with its job posting.
/// The id of `cells` without an id and a job posting is derived from the company and the position, unless rows of the request
/// share them and differ: send such rows in one request.
#[derive(InputObject)]
pub struct ImportRowInput {
    /// What the row says, if it has no `cells`. Without an `id`, it is derived from the job posting or, without one, from
    /// `content`. A row with a date of the application and without a status was sent.
    application: Option<CreateApplicationInput>,
    /// The cells of the row as the list has them, one for each column. They are read as `trestle import` reads them: a cell that
    /// is not understood is left out, and changes no other field.
    cells: Option<Vec<String>>,
    /// The row as the file has it: rows with the same content are the same application.
    content: Option<String>,
    /// Cells in the words of the list: each is used if `application` omits its field. A row is rejected if one of them is not
    /// understood.
    #[graphql(deprecation = "Use `cells` and `columns`. Removed after 2027-06-30.")]
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

fn not_blank(cell: Option<String>) -> Option<String> {
    cell.filter(|text| !text.trim().is_empty())
}

impl ImportTextsInput {
    /// Sets the fields that `fields` does not set.
    ///
    /// # Errors
    /// Every cell that is not understood.
    fn fill(self, fields: &mut DetailsChange) -> Result<(), Violations> {
        const STATUS: Rule = Rule::Invalid("a status such as applied, wishlist or offer received");
        const DATE: Rule = Rule::Invalid("a date such as 2026-11-20 or November 20, 2026");
        let mut broken = Violations::new();
        if let (Some(text), Change::Unchanged) = (not_blank(self.status), &fields.status) {
            match importer::status(&text) {
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
            if let (Some(text), Change::Unchanged) = (not_blank(text), &*date) {
                match dates::date(&text, None, None) {
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
    /// An application that was changed as the row says.
    Updated,
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

/// The outcome of a row, and the cells without which it was imported.
type Outcome = (Result<RowOutcome, ChangeError>, Vec<LeftOut>);

impl ImportApplicationsPayload {
    /// The payload of an import.
    ///
    /// # Errors
    /// The viewer may not import.
    fn of(imported: Batch<Outcome>) -> Result<Self, ApiError> {
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
    left_out: Vec<LeftOut>,
    user_errors: Vec<UserError>,
}

impl ImportedRow {
    /// The result of a row.
    ///
    /// # Errors
    /// The failure of the store, if the user cannot correct it.
    fn of((imported, left_out): Outcome) -> Result<Self, ApiError> {
        let (outcome, user_errors) = match imported {
            Ok(outcome) => (Some(outcome), Vec::new()),
            Err(error) => (None, user_errors(error, "id")?),
        };
        Ok(Self {
            outcome,
            left_out,
            user_errors,
        })
    }
}

/// The result of importing one row.
#[Object]
impl ImportedRow {
    /// What the row is. Null if it was rejected.
    async fn outcome(&self) -> Option<ImportOutcome> {
        Some(match self.outcome.as_ref()? {
            RowOutcome::New { .. } => ImportOutcome::New,
            RowOutcome::Changed(..) => ImportOutcome::Changed,
            RowOutcome::Updated { .. } => ImportOutcome::Updated,
            RowOutcome::Unchanged(_) => ImportOutcome::Unchanged,
        })
    }

    /// The application of the row. Null if there is none yet, or the row was rejected.
    async fn application(&self) -> Nullable<Application> {
        Some(match self.outcome.as_ref()? {
            RowOutcome::New { made: None, .. } => return None,
            RowOutcome::New {
                made: Some(state), ..
            }
            | RowOutcome::Updated { made: state, .. } => {
                Application::written(state.as_ref().clone())
            }
            RowOutcome::Changed(there, _) | RowOutcome::Unchanged(there) => {
                Application::listed(there.as_ref().clone(), Part::Whole)
            }
        })
    }

    /// The fields of which the row says something else than the application or, if the outcome is `UPDATED`, those that were
    /// changed.
    async fn changed_fields(&self) -> &[String] {
        match &self.outcome {
            Some(RowOutcome::Changed(_, fields) | RowOutcome::Updated { fields, .. }) => fields,
            Some(RowOutcome::New { .. } | RowOutcome::Unchanged(_)) | None => &[],
        }
    }

    /// If the outcome is `NEW`, other applications that are for the same job already, as `alreadyTracked` of
    /// `CreateApplicationPayload`: a warning. Null if the outcome is another one.
    async fn already_tracked(&self, ctx: &Context<'_>) -> Nullable<Vec<Nullable<Application>>> {
        let Some(RowOutcome::New { wanted, .. }) = &self.outcome else {
            return None;
        };
        Some(already_tracked(ctx, wanted).await)
    }

    /// The cells without which the row is imported.
    async fn left_out(&self) -> Vec<ImportCell> {
        self.left_out.iter().map(ImportCell::from).collect()
    }

    /// The date of the application that a new one gets because the row has none: `sentOn`. Null if the row has one, or was not
    /// sent.
    async fn dated_on(&self) -> Option<Date> {
        match &self.outcome {
            Some(RowOutcome::New { dated_on, .. }) => dated_on.clone().map(Date),
            _ => None,
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
        /// already. Existing applications are not changed unless `update` or `overwrite` is set. A row with user errors does not affect the
        /// others.
        import_applications(ImportApplicationsInput) -> ImportApplicationsPayload = import,
    }
}

async fn import(store: &Applications, input: ImportApplicationsInput) -> Batch<Outcome> {
    let import = if input.dry_run {
        Import::Try
    } else if input.overwrite {
        Import::Overwrite
    } else if input.update {
        Import::Update
    } else {
        Import::Write
    };
    let sent_on = input.sent_on.map(|day| day.0);
    let columns = ListColumns::of(&input.columns.unwrap_or_default())?;
    let rows: Vec<_> = entries(input.rows, "rows")?.collect();
    let cells: Vec<_> = rows
        .iter()
        .flat_map(|row| &row.cells)
        .map(|cells| columns.cells(cells))
        .collect();
    let mut forms = columns.forms(&cells);
    if let Some(code) = input.currency {
        let currency = Currency::parse(&code);
        forms.currency = Some(currency.map_err(|_| CURRENCY.at("currency"))?);
    }
    let list = List {
        columns,
        forms,
        today: store.today(),
    };
    let (mut read, mut left_out) = (Vec::new(), Vec::new());
    for row in rows {
        let (row, left) = match row.read(&list) {
            Ok((row, left)) => (Ok(row), left),
            Err(violations) => (Err(violations), Vec::new()),
        };
        read.push(row);
        left_out.push(left);
    }
    let outcomes = store.import_list(read, import, sent_on.as_deref()).await;
    Ok(outcomes.into_iter().zip(left_out).collect())
}

/// The rule for the currency of a list.
const CURRENCY: Rule = Rule::Invalid("a code of ISO 4217 such as EUR");

/// How the cells of a list are read.
struct List {
    columns: ListColumns,
    forms: Forms,
    today: chrono::NaiveDate,
}

/// How many further ids a row may have.
const OTHER_IDS: usize = 2;
/// The rule for what a row says.
const ONE_OF: Rule = Rule::Invalid("given, or `cells`, and not both");

impl ImportRowInput {
    /// The row with the ids that it may have, and the cells that it is read without.
    ///
    /// # Errors
    /// Every rule that it breaks.
    fn read(self, list: &List) -> Result<(ListRow, Vec<LeftOut>), Violations> {
        if let (None, Some(cells)) = (&self.application, &self.cells) {
            let read = list.columns.read(cells, &list.forms, list.today)?;
            let mut other_ids = self.other_ids()?;
            other_ids.extend(read.identity.earlier_id());
            let row = ListRow {
                other_ids,
                id_if_equal: read.identity.unshared_id(),
                id: read.identity.id,
                fields: read.fields,
                has_date: read.has_date,
            };
            return Ok((row, read.left_out));
        }
        Ok((self.read_application()?, Vec::new()))
    }

    fn other_ids(&self) -> Result<Vec<ApplicationId>, Violations> {
        if self.other_ids.len() > OTHER_IDS {
            return Err(Rule::TooMany(OTHER_IDS).at("otherIds"));
        }
        let others = self.other_ids.iter().map(|id| {
            let id = uuid::Uuid::try_parse(&id.0).map(ApplicationId::new);
            id.map_err(|_| Rule::Invalid("a UUID").at("otherIds"))
        });
        others.collect()
    }

    fn read_application(self) -> Result<ListRow, Violations> {
        let others = self.other_ids()?;
        let application = self.application.ok_or_else(|| ONE_OF.at("application"))?;
        if self.cells.is_some() {
            return Err(ONE_OF.at("cells"));
        }
        let (id, mut fields) = application.read()?;
        if let Some(texts) = self.as_written {
            texts.fill(&mut fields)?;
        }
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
        let derived = posting.into_iter().chain(content).map(ApplicationId::new);
        let mut ids = id.into_iter().chain(derived).chain(others);
        let id = ids
            .next()
            .unwrap_or_else(|| ApplicationId::new(uuid::Uuid::new_v4()));
        Ok(ListRow {
            id,
            other_ids: ids.collect(),
            id_if_equal: None,
            has_date: fields.date_applied.is_set(),
            fields,
        })
    }
}
