//! The columns of lists that are imported: which field each of them fills, and how its dates are read.

use std::collections::HashSet;

use async_graphql::{Enum, InputObject, Object, SimpleObject};
use chrono::NaiveDate;
use trestle_api::{ApiError, Code, semantic_non_null};
use trestle_rows::dates;
use trestle_rows::source::Cells;

use crate::importer::{self, ColumnDates, Columns, Forms, LeftOut, ReadRow};
use crate::model::{Rule, Violations};

/// The most columns of a list.
const MAX_COLUMNS: usize = 200;
/// The most cells whose columns are read at once.
const MAX_TEXTS: usize = 10_000;

/// What comes first in dates of numbers.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(name = "ImportDateOrder", remote = "dates::DateOrder")]
pub enum ImportDateOrder {
    /// The month, as in 11/20/2026.
    MonthFirst,
    /// The day, as in 20/11/2026.
    DayFirst,
}

/// A column of a list. Of columns with the same header, the first fills the field, and the others only what their `field` says.
#[derive(InputObject)]
pub struct ImportColumnInput {
    /// Its header.
    header: String,
    /// The field of `CreateApplicationInput` that it fills. By default, the header says it; an empty text is none.
    field: Option<String>,
    /// What comes first in its dates of numbers. By default, the rows of the request say it, if they can be read in one order
    /// alone.
    date_order: Option<ImportDateOrder>,
}

/// A column of a list, with its cells.
#[derive(InputObject)]
pub struct ImportColumnTextsInput {
    /// Its header.
    header: String,
    /// The field that it fills. By default, the header says it; an empty text is none.
    field: Option<String>,
    /// The cells of the column, at most 10,000 of all columns. Those of a column without dates and ids can be omitted.
    #[graphql(default)]
    texts: Vec<String>,
}

/// How a column of a list is read.
#[derive(SimpleObject)]
pub struct ImportColumn {
    /// Its header.
    header: String,
    /// The field that it fills. Null if none is known by its header.
    field: Option<String>,
    /// What comes first in its dates. Null if that does not matter, or cannot be decided.
    date_order: Option<ImportDateOrder>,
    /// A date that means two days, or is written in another order than others, if the cells do not decide what comes first. Pass `dateOrder` to import it.
    unclear_date: Option<String>,
}

/// Why a cell is left out.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "importer::CellProblem")]
pub enum ImportCellProblem {
    /// It is not understood.
    NotUnderstood,
    /// It is one of two days, and `dateOrder` is not given.
    TwoReadings,
    /// It is an amount in another currency than the row's.
    OtherCurrency,
    /// It breaks a rule of its field.
    BreaksRule,
}

/// A cell without which a row is imported. An amount or a status is kept in the notes.
#[derive(SimpleObject)]
pub struct ImportCell {
    /// The field that it would fill.
    field: String,
    /// What the cell says.
    text: String,
    /// Why it is left out.
    problem: ImportCellProblem,
    /// The reason in words.
    message: String,
}

impl From<&LeftOut> for ImportCell {
    fn from(cell: &LeftOut) -> Self {
        Self {
            field: cell.field.to_owned(),
            text: cell.text.clone(),
            problem: cell.problem.into(),
            message: cell.to_string(),
        }
    }
}

/// The columns of a list, by names of their own: headers may be equal or empty.
pub struct ListColumns {
    columns: Columns,
    /// The name of each column; `None` if it fills nothing.
    names: Vec<Option<String>>,
    orders: Vec<Option<dates::DateOrder>>,
}

impl ListColumns {
    /// Of a list.
    ///
    /// # Errors
    /// There are too many, or one fills a field that is not known.
    pub fn of(columns: &[ImportColumnInput]) -> Result<Self, Violations> {
        let headers = columns
            .iter()
            .map(|column| (&*column.header, column.field.as_deref()));
        let mut list = Self::named(&headers.collect::<Vec<_>>())?;
        let orders = columns
            .iter()
            .map(|column| column.date_order.map(Into::into));
        list.orders = orders.collect();
        Ok(list)
    }

    fn named(columns: &[(&str, Option<&str>)]) -> Result<Self, Violations> {
        if columns.len() > MAX_COLUMNS {
            return Err(Rule::TooMany(MAX_COLUMNS).at("columns"));
        }
        let (mut names, mut mappings) = (Vec::new(), Vec::new());
        let mut seen = HashSet::new();
        for (at, (header, field)) in columns.iter().enumerate() {
            let name = if seen.insert(header.to_lowercase()) {
                (*header).to_owned()
            } else {
                format!("{header} {at}")
            };
            if let Some(field) = field.filter(|field| !field.is_empty()) {
                let mapping = importer::mapping(&format!("{field}={name}"));
                mappings.push(mapping.map_err(|_| FIELD.at("columns"))?);
            }
            names.push(Some(name).filter(|_| *field != Some("")));
        }
        Ok(Self {
            columns: Columns::by_name(&mappings),
            orders: vec![None; names.len()],
            names,
        })
    }

    /// A row by its columns.
    pub fn cells(&self, texts: &[String]) -> Cells {
        let cells = self.names.iter().zip(texts);
        let named = cells.filter_map(|(name, text)| Some((name.clone()?, text.clone())));
        named.collect()
    }

    /// How the cells of these rows are read.
    pub fn forms(&self, rows: &[Cells]) -> Forms {
        let mut date_orders = self.columns.date_orders(rows.iter());
        for (at, field) in self.fields(&[]).into_iter().enumerate() {
            if let (Some(field), Some(order)) = (field, self.orders.get(at).copied().flatten()) {
                date_orders.insert(field, order);
            }
        }
        Forms {
            date_orders,
            shared_jobs: self.columns.shared_jobs(rows.iter()),
            ..Forms::default()
        }
    }

    /// The field that each column fills. `ids` are the columns whose cells are ids.
    fn fields(&self, ids: &[bool]) -> Vec<Option<importer::FieldName>> {
        const SOME_ID: &str = "00000000-0000-4000-8000-000000000000";
        let mut cells = Vec::new();
        for (at, name) in self.names.iter().enumerate() {
            let is_id = ids.get(at) == Some(&true);
            cells.extend(
                name.as_deref()
                    .map(|name| (name, if is_id { SOME_ID } else { "" })),
            );
        }
        let used = self.columns.used(cells.into_iter());
        let mut fields = Vec::new();
        for name in &self.names {
            let of_it = used
                .iter()
                .find(|(_, column)| Some(*column) == name.as_deref());
            fields.push(of_it.map(|(field, _)| *field));
        }
        fields
    }

    /// An application of a row.
    ///
    /// # Errors
    /// It has more cells than there are columns, or its id is none.
    pub fn read(
        &self,
        texts: &[String],
        forms: &Forms,
        today: NaiveDate,
    ) -> Result<ReadRow, Violations> {
        if texts.len() > self.names.len() {
            return Err(Rule::TooMany(self.names.len()).at("cells"));
        }
        let read = self.columns.read(&self.cells(texts), forms, today);
        read.map_err(|_| Rule::Invalid("a UUID").at("id"))
    }
}

/// The rule for the field of a column.
const FIELD: Rule = Rule::Invalid("columns with the names of fields of `CreateApplicationInput`");

/// The queries for imports.
#[derive(Default)]
pub struct ImportQuery;

/// The queries for imports.
#[Object]
impl ImportQuery {
    /// How the columns of a list are read by `importApplications`, which sees 100 rows at once: pass the whole columns here, and
    /// then their fields and their orders of dates. Reads nothing of the database.
    #[graphql(directive = semantic_non_null::apply(None))]
    async fn import_columns(
        &self,
        #[graphql(desc = "The columns, at most 200.")] columns: Vec<ImportColumnTextsInput>,
    ) -> Option<Result<Vec<ImportColumn>, ApiError>> {
        Some(read_columns(&columns))
    }
}

fn read_columns(columns: &[ImportColumnTextsInput]) -> Result<Vec<ImportColumn>, ApiError> {
    let texts: usize = columns.iter().map(|column| column.texts.len()).sum();
    if texts > MAX_TEXTS {
        return Err(ApiError::new(
            Code::BadUserInput,
            format!("`columns` must have at most {MAX_TEXTS} texts in all."),
        ));
    }
    let headers = columns
        .iter()
        .map(|column| (&*column.header, column.field.as_deref()));
    let list = ListColumns::named(&headers.collect::<Vec<_>>()).map_err(|_| {
        ApiError::new(
            Code::BadUserInput,
            format!(
                "`columns` must be at most {MAX_COLUMNS}, with the names of fields of `CreateApplicationInput`."
            ),
        )
    })?;
    let ids: Vec<_> = columns.iter().map(has_ids).collect();
    let fields = list.fields(&ids).into_iter();
    let read = columns.iter().zip(fields).map(|(column, field)| {
        let is_day = field.is_some_and(importer::is_day);
        let texts = column.texts.iter().filter(|_| is_day);
        let dates = ColumnDates::of(texts.map(String::as_str));
        ImportColumn {
            header: column.header.clone(),
            field: field.map(str::to_owned),
            date_order: dates.order.map(Into::into),
            unclear_date: dates.unclear.map(str::to_owned),
        }
    });
    Ok(read.collect())
}

/// Whether the cells of a column are ids.
fn has_ids(column: &ImportColumnTextsInput) -> bool {
    let mut texts = column.texts.iter().map(|text| text.trim());
    let mut given = texts.by_ref().filter(|text| !text.is_empty()).peekable();
    given.peek().is_some() && given.all(|text| uuid::Uuid::try_parse(text).is_ok())
}
