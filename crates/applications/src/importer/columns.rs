//! Which column fills which field, as specified or guessed from the header, and what a row says.

use std::collections::BTreeMap;
use std::fmt;

use chrono::NaiveDate;
use uuid::Uuid;

use crate::model::{Change, Details, DetailsChange, Form, Status, Violations};
use trestle_domain::Currency;
use trestle_rows::columns::{Mapped, Mapping};
use trestle_rows::dates::{self, ColumnOrder, DateOrder};
use trestle_rows::source::Cells;
use trestle_service::Failure;

use super::identity::{Identity, Posting, SharedJobs};
use super::status::{is_lost, status, statuses};
use super::words::{first_fields, more_fields};
use super::{pay, values};

/// Filled from a specified column, or from an `id` column with UUIDs: many lists have ids of another kind.
pub const ID: &str = "id";

/// The name of a field that a column can fill.
pub type FieldName = &'static str;

/// What is understood as a date in any column.
const DATES: &str = "2026-11-20 and November 20, 2026 are";
/// The same for a date in a column whose dates of numbers fit no one order.
const MIXED: &str = "other dates of its column have the day and the month in the other order, and 2026-11-20 has one reading";

/// The names of all fields, in their order.
pub fn field_names() -> impl Iterator<Item = FieldName> {
    let first = first_fields();
    let more = more_fields()
        .iter()
        .filter(|(name, _)| !first.iter().any(|(known, _)| known == name));
    first.iter().chain(more).map(|(name, _)| *name)
}

/// `FIELD=COLUMN` of the command line.
///
/// # Errors
/// The text has no `=`, or there is no such field.
pub fn mapping(text: &str) -> Result<Mapping, String> {
    let fields: Vec<_> = field_names().map(|name| (name, "")).collect();
    Mapping::parse(&fields, ID, text)
}

/// The order of the numbers in the dates of each field that is a day.
pub type DateOrders = BTreeMap<FieldName, DateOrder>;

/// How cells are written, as far as their rows do not say it.
#[derive(Clone, Debug, Default)]
pub struct Forms {
    /// How dates are written beside the forms that are always understood.
    pub date_format: Option<String>,
    /// What comes first in dates of numbers.
    pub date_orders: DateOrders,
    /// The currency of amounts that name none.
    pub currency: Option<Currency>,
    /// The jobs that several rows have.
    pub shared_jobs: SharedJobs,
}

/// Why a cell is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellProblem {
    /// It is not understood.
    NotUnderstood,
    /// It is one of two days, and nothing says which.
    TwoReadings,
    /// It is an amount in another currency than the row's.
    OtherCurrency,
    /// It is understood, and breaks a rule of its field.
    BreaksRule,
}

/// A cell without which a row is imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The field that it would fill.
    pub field: FieldName,
    /// What it says.
    pub text: String,
    /// Why it is left out.
    pub problem: CellProblem,
    /// What is understood, or the rule.
    pub reason: String,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            field,
            text,
            reason,
            ..
        } = self;
        match self.problem {
            CellProblem::BreaksRule => f.write_str(reason),
            CellProblem::NotUnderstood | CellProblem::TwoReadings => {
                write!(f, "`{field}`: \"{text}\" is not understood: {reason}.")
            }
            CellProblem::OtherCurrency => write!(f, "`{field}`: \"{text}\" is left out: {reason}."),
        }
    }
}

/// The application of a row, and what is reported about it.
#[derive(Clone, Debug)]
pub struct ReadRow {
    /// Which one it is.
    pub identity: Identity,
    /// What its cells say.
    pub fields: DetailsChange,
    /// Whether it says when the application was sent, which may be unreadable or, in an export, unknown.
    pub has_date: bool,
    /// Whether it is archived.
    pub is_archived: bool,
    /// Its job posting, if it has one.
    pub posting: Option<Posting>,
    /// The cells that are left out.
    pub left_out: Vec<LeftOut>,
}

impl ReadRow {
    /// What an application gets that is made of the row.
    pub fn as_new(&self) -> DetailsChange {
        as_new(self.fields.clone(), self.has_date)
    }
}

/// What an application gets that is made of a row. A row with a date of the application was sent, also if the date cannot be
/// read: it is not today then.
pub fn as_new(mut fields: DetailsChange, has_date: bool) -> DetailsChange {
    if has_date && fields.status == Change::Unchanged {
        fields.status = Change::Set(Status::Applied);
    }
    if has_date && !fields.date_applied.is_set() {
        fields.date_applied = Change::Clear;
    }
    fields
}

/// Whether an application that is made of a row was sent, and nothing says when.
pub fn is_undated(fields: &DetailsChange) -> bool {
    let is_sent = matches!(fields.status, Change::Set(status) if status != Status::Unsubmitted);
    is_sent && fields.date_applied == Change::Unchanged
}

/// The cells of one row by their fields.
struct RowCells<'c> {
    columns: &'c Columns,
    cells: &'c Cells,
}

impl<'c> RowCells<'c> {
    fn names(&self) -> impl Iterator<Item = &'c str> + Clone {
        self.cells.iter().map(|(column, _)| column.as_str())
    }

    /// Whether the row is of a CSV export, in which an empty date of the application is an unknown one.
    fn is_of_export(&self) -> bool {
        let mut columns = ["dateApplied", "createdAt", "updatedAt"].into_iter();
        columns.all(|column| self.names().any(|name| name == column))
            && self.columns.column("dateApplied", self.names()) == Some("dateApplied")
    }

    /// What the row says as its id.
    fn id(&self) -> Option<&'c str> {
        let pairs = self.cells.iter();
        let pairs = pairs.map(|(column, text)| (column.as_str(), text.as_str()));
        self.columns.id(pairs).map(|(_, text)| text)
    }

    /// The cell of a field, if it is not empty.
    fn get(&self, field: &str) -> Option<&'c str> {
        self.text_of(self.columns.column(field, self.names())?)
    }

    fn text_of(&self, column: &str) -> Option<&'c str> {
        let (_, text) = self.cells.iter().find(|(name, _)| name == column)?;
        Some(text.trim()).filter(|text| !text.is_empty())
    }

    /// The cells that an id is made of, by the columns that the first releases knew, so that a file that was imported before
    /// has the same ids. They did not import a file without a company or a position.
    fn of_id(&self) -> Vec<(FieldName, &'c str)> {
        let first = &self.columns.mapped;
        let mut needed = ["companyName", "positionTitle"].into_iter();
        let is_old = needed.all(|field| first.column(field, self.names()).is_some());
        let mut filled = Vec::new();
        for (field, _) in first_fields() {
            let column = if is_old {
                first.column(field, self.names())
            } else {
                self.columns.column(field, self.names())
            };
            filled.extend(
                column
                    .and_then(|column| self.text_of(column))
                    .map(|text| (*field, text)),
            );
        }
        filled
    }
}

/// Reads cells, and notes those that are not understood.
struct Reader<'c> {
    cells: RowCells<'c>,
    left_out: Vec<LeftOut>,
}

impl Reader<'_> {
    /// The value of a field.
    fn read<T>(
        &mut self,
        field: FieldName,
        parse: impl Fn(&str) -> Option<T>,
        understood: impl Fn() -> String,
    ) -> Change<T> {
        let Some(text) = self.cells.get(field) else {
            return Change::Unchanged;
        };
        let value = parse(text);
        if value.is_none() {
            self.leave_out(field, text, CellProblem::NotUnderstood, understood());
        }
        Change::set(value)
    }

    /// The cell of a field that was left out, if it was.
    fn left_out_of(&self, field: FieldName) -> Option<&LeftOut> {
        self.left_out.iter().find(|cell| cell.field == field)
    }

    fn leave_out(&mut self, field: FieldName, text: &str, problem: CellProblem, reason: String) {
        self.left_out.push(LeftOut {
            field,
            text: text.to_owned(),
            problem,
            reason,
        });
    }
}

/// Which column fills which field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    mapped: Mapped,
    /// What was added to the columns of the first releases.
    more: Mapped,
}

/// The dates of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnDates<'t> {
    /// The order in which all of them can be read, if there is one and it matters.
    pub order: Option<DateOrder>,
    /// The first of them that means two days, if nothing says which.
    pub unclear: Option<&'t str>,
}

impl<'t> ColumnDates<'t> {
    /// Of all cells of a column.
    pub fn of(texts: impl Iterator<Item = &'t str> + Clone) -> Self {
        let (order, is_unclear) = match dates::order_of(texts.clone()) {
            ColumnOrder::Any => (None, false),
            ColumnOrder::Of(order) => (Some(order), false),
            ColumnOrder::Ambiguous | ColumnOrder::Mixed => (None, true),
        };
        let mut texts = texts.filter(|text| is_unclear && dates::readings(text) > 0);
        Self {
            order,
            unclear: texts.next(),
        }
    }
}

/// Whether a field is a day.
pub fn is_day(field: &str) -> bool {
    Details::FIELDS
        .iter()
        .any(|known| known.name == field && known.form == Form::Day)
}

impl Columns {
    /// For a file with a header.
    ///
    /// # Errors
    /// A mapping names a missing column, or no column has the company or the position.
    pub fn of(header: &[String], mappings: &[Mapping]) -> Result<Self, Failure> {
        let there = header.join(", ");
        for mapping in mappings.iter().filter(|mapping| !mapping.column.is_empty()) {
            if !header.contains(&mapping.column) {
                let column = &mapping.column;
                return Err(Failure::new(format!(
                    "The file has no column {column}; it has {there}."
                )));
            }
        }
        let columns = Self::by_name(mappings);
        for field in ["companyName", "positionTitle"] {
            if columns
                .column(field, header.iter().map(String::as_str))
                .is_none()
            {
                return Err(Failure::new(format!(
                    "No column looks like {field}: say --map {field}=COLUMN. The file has {there}."
                )));
            }
        }
        Ok(columns)
    }

    /// For a file in which each row names its columns.
    pub fn by_name(mappings: &[Mapping]) -> Self {
        Self {
            mapped: Mapped::new(first_fields(), mappings),
            more: Mapped::new(more_fields(), mappings),
        }
    }

    /// The column of `columns` that fills a field.
    fn column<'a>(
        &'a self,
        field: &str,
        columns: impl Iterator<Item = &'a str> + Clone,
    ) -> Option<&'a str> {
        let known = self.mapped.column(field, columns.clone());
        if known.is_some() || self.mapped.told(field).is_some() {
            return known;
        }
        self.more.column(field, columns)
    }

    /// The column and the text of a row's id.
    fn id<'a>(
        &self,
        mut cells: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Option<(&'a str, &'a str)> {
        match self.mapped.told(ID) {
            Some(mapping) if mapping.column.is_empty() => None,
            Some(mapping) => cells.find(|(column, _)| *column == mapping.column),
            None => cells.find(|(column, text)| {
                values::plain(column) == ID
                    && !self.mapped.is_claimed(column)
                    && Uuid::try_parse(text).is_ok()
            }),
        }
    }

    /// Each field that a row of these cells fills, with its column.
    pub fn used<'a>(
        &'a self,
        cells: impl Iterator<Item = (&'a str, &'a str)> + Clone,
    ) -> Vec<(&'static str, &'a str)> {
        let id = self.id(cells.clone()).map(|(column, _)| (ID, column));
        let columns = cells.map(|(column, _)| column);
        let mut used: Vec<_> = id.into_iter().collect();
        for field in field_names() {
            if let Some(column) = self.column(field, columns.clone())
                && columns.clone().any(|name| name == column)
            {
                used.push((field, column));
            }
        }
        used
    }

    /// What comes first in the dates of each column, from all rows of the list.
    pub fn date_orders<'c>(&self, rows: impl Iterator<Item = &'c Cells> + Clone) -> DateOrders {
        let mut orders = DateOrders::new();
        for field in Details::FIELDS {
            if field.form != Form::Day {
                continue;
            }
            let cells = rows.clone().filter_map(|cells| {
                RowCells {
                    columns: self,
                    cells,
                }
                .get(field.name)
            });
            if let Some(order) = ColumnDates::of(cells).order {
                orders.insert(field.name, order);
            }
        }
        orders
    }

    /// The jobs that several rows of the list have.
    pub fn shared_jobs<'c>(&self, rows: impl Iterator<Item = &'c Cells>) -> SharedJobs {
        let unnamed = rows.filter_map(|cells| {
            let row = RowCells {
                columns: self,
                cells,
            };
            let has_id = row.id().is_some_and(|id| !id.is_empty());
            let filled = row.of_id();
            (!has_id && Posting::of(&filled).is_none()).then_some(filled)
        });
        SharedJobs::of(unnamed)
    }

    /// An application of a row. A cell that is not understood is left out, and changes no other field. `today` is for rules alone.
    ///
    /// # Errors
    /// The row has no valid id.
    pub fn read(&self, cells: &Cells, forms: &Forms, today: NaiveDate) -> Result<ReadRow, String> {
        let cells = RowCells {
            columns: self,
            cells,
        };
        let filled = cells.of_id();
        let identity = Identity::of(cells.id(), &filled, &forms.shared_jobs)?;
        let mut reader = Reader {
            cells,
            left_out: Vec::new(),
        };
        let mut fields = reader.fields(forms);
        let is_archived = reader.read("isArchived", values::yes, || values::YES.to_owned());
        if let Err(violations) = Details::create(fields.clone(), today)
            && let Some(rest) = fields.without(&violations)
        {
            reader.leave_out_broken(&violations);
            fields = rest;
        }
        Ok(ReadRow {
            posting: Posting::of(&filled),
            has_date: reader.cells.get("dateApplied").is_some()
                || (fields.status.is_set() && reader.cells.is_of_export()),
            is_archived: is_archived == Change::Set(true),
            fields,
            identity,
            left_out: reader.left_out,
        })
    }
}

impl Reader<'_> {
    /// What the cells say.
    fn fields(&mut self, forms: &Forms) -> DetailsChange {
        let salary_min = self.read_amounts("salaryMin");
        let salary_max = self.read_amounts("salaryMax");
        let (min, max) = match (salary_min, salary_max) {
            (Change::Set((min, high)), Change::Unchanged) => (Some(min), high),
            (Change::Set((min, _)), Change::Set((low, high))) => (Some(min), high.or(Some(low))),
            (_, Change::Set((low, Some(high)))) => (Some(low), Some(high)),
            (_, Change::Set((max, None))) => (None, Some(max)),
            (Change::Set((min, _)), _) => (Some(min), None),
            _ => (None, None),
        };
        let mut paid = Vec::new();
        for field in ["salaryMin", "salaryMax"] {
            // A salary that is not understood says nothing of its currency.
            if self.left_out_of(field).is_none() {
                paid.extend(self.cells.get(field));
            }
        }
        let mut of_list = paid
            .iter()
            .find_map(|text| pay::currency_of(text, forms.currency.as_ref()));
        let mut period = paid.iter().find_map(|text| pay::period_of(text));
        if let Some(code) = self.cells.get("salaryCurrency") {
            of_list = Some(code.to_owned());
        }
        if self.cells.get("salaryPeriod").is_some() {
            period = None;
        }
        let mut fields = DetailsChange {
            status: self.read("status", status, statuses),
            company_category: self.read(
                "companyCategory",
                values::company_category,
                values::company_categories,
            ),
            job_source: self.read("jobSource", values::job_source, values::job_sources),
            skills_match: self.read("skillsMatch", values::rating, || values::RATING.to_owned()),
            cover_letter_required: self.read("coverLetterRequired", values::yes, || {
                values::YES.to_owned()
            }),
            salary_min: Change::set(min),
            salary_max: Change::set(max),
            salary_currency: Change::set(of_list),
            salary_period: match period {
                Some(period) => Change::Set(period),
                None => self.read("salaryPeriod", pay::period, || pay::PERIODS.to_owned()),
            },
            tags: Change::set(self.cells.get("tags").map(values::tags)),
            is_remote: self.read("isRemote", values::remote, || values::REMOTE.to_owned()),
            ..DetailsChange::default()
        };
        for field in Details::FIELDS {
            let Some(text) = self.cells.get(field.name) else {
                continue;
            };
            match field.form {
                Form::Text | Form::LongText | Form::Link => fields.set_text(field.name, text),
                Form::Day => self.read_day(&mut fields, field.name, text, forms),
                // Read above, each in its own way.
                Form::Other => {}
            }
        }
        self.keep_in_notes(&mut fields);
        fields
    }

    /// An amount or a range, unless it names another currency than the row.
    fn read_amounts(&mut self, field: FieldName) -> Change<(i64, Option<i64>)> {
        let amounts = self.read(field, pay::amounts, || values::MONEY.to_owned());
        let (Some(text), Some(code)) = (self.cells.get(field), self.cells.get("salaryCurrency"))
        else {
            return amounts;
        };
        let named = pay::currency(text).unwrap_or_else(|| code.to_owned());
        if amounts == Change::Unchanged || named.eq_ignore_ascii_case(code) {
            return amounts;
        }
        self.leave_out(
            field,
            text,
            CellProblem::OtherCurrency,
            format!("the row is in {code}"),
        );
        Change::Unchanged
    }

    fn read_day(
        &mut self,
        fields: &mut DetailsChange,
        field: FieldName,
        text: &str,
        forms: &Forms,
    ) {
        let order = forms.date_orders.get(field).copied();
        if let Some(day) = dates::date(text, order, forms.date_format.as_deref()) {
            fields.set_text(field, &day);
            return;
        }
        let (problem, reason) = match dates::readings(text) {
            2.. if order.is_none() => (CellProblem::TwoReadings, DATES),
            1 if order.is_none() => (CellProblem::NotUnderstood, MIXED),
            _ => (CellProblem::NotUnderstood, DATES),
        };
        self.leave_out(field, text, problem, reason.to_owned());
    }

    /// Keeps in the notes what no other field holds: amounts and statuses that are not understood, and words that say more than
    /// their status.
    fn keep_in_notes(&self, fields: &mut DetailsChange) {
        let mut kept = Vec::new();
        kept.extend(self.cells.get("notes").map(str::to_owned));
        if let Some(text) = self.cells.get("status").filter(|text| is_lost(text)) {
            kept.push(format!("Status: {text}"));
        }
        for (field, label) in [("salaryMin", "Salary from"), ("salaryMax", "Salary to")] {
            if let Some(cell) = self.left_out_of(field) {
                kept.push(format!("{label}: {}", cell.text));
            }
        }
        fields.notes = match kept.join("\n") {
            notes if notes.is_empty() => Change::Unchanged,
            notes => Change::Set(notes),
        };
    }

    fn leave_out_broken(&mut self, violations: &Violations) {
        for violation in violations {
            let text = self.cells.get(violation.field).unwrap_or_default();
            let (reason, problem) = (violation.to_string(), CellProblem::BreaksRule);
            self.leave_out(violation.field, text, problem, reason);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(cells: &[(&str, &str)]) -> Cells {
        cells
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect()
    }

    fn read(mappings: &[&str], row: &[(&str, &str)]) -> Result<ReadRow, String> {
        let mappings: Vec<_> = mappings.iter().map(|m| mapping(m).unwrap()).collect();
        read_by(&Columns::by_name(&mappings), row)
    }

    fn read_by(columns: &Columns, row: &[(&str, &str)]) -> Result<ReadRow, String> {
        let today = NaiveDate::from_ymd_opt(2026, 11, 20).unwrap();
        columns.read(&cells(row), &Forms::default(), today)
    }

    #[test]
    fn common_headers_are_understood() {
        let row = [
            ("Company", "Visa"),
            ("Job Title", "Engineer"),
            ("Link", "https://example.com/1"),
            ("Status", "Phone screen"),
            ("Min. Salary", "$90,000"),
        ];
        let fields = read(&[], &row).unwrap().fields;
        assert_eq!(fields.company_name, Change::Set("Visa".into()));
        assert_eq!(fields.position_title, Change::Set("Engineer".into()));
        assert_eq!(fields.status, Change::Set(Status::Interviewing));
        assert_eq!(
            fields.job_posting_url,
            Change::Set("https://example.com/1".into())
        );
        assert_eq!(fields.salary_min, Change::Set(90_000));
    }

    #[test]
    fn what_is_told_goes_before_what_is_guessed() {
        let row = [
            ("company", "A"),
            ("Employer", "B"),
            ("title", "C"),
            ("notes", "D"),
        ];
        let fields = read(&["companyName=Employer", "notes="], &row)
            .unwrap()
            .fields;
        assert_eq!(fields.company_name, Change::Set("B".into()));
        assert_eq!(fields.notes, Change::Unchanged);
    }

    #[test]
    fn ids_are_derived_from_the_posting_or_the_row() {
        let id = |row: &[(&str, &str)]| read(&[], row).unwrap().identity.id;
        let posting = [
            ("company", "A"),
            ("title", "B"),
            ("url", "https://example.com/1"),
        ];
        let renamed = [
            ("company", "X"),
            ("title", "Y"),
            ("url", "https://example.com/1"),
        ];
        assert_eq!(id(&posting), id(&renamed));
        assert_ne!(id(&posting[..2]), id(&renamed[..2]));
        assert_eq!(id(&posting[..2]), id(&posting[..2]));
    }

    #[test]
    fn a_cell_that_is_not_understood_is_reported_and_its_row_kept() {
        let row = [
            ("company", "A"),
            ("title", "B"),
            ("status", "??"),
            ("fit", "good"),
        ];
        let columns = Columns::by_name(&[]);
        let read = read_by(&columns, &row).unwrap();
        assert_eq!(read.fields.company_name, Change::Set("A".into()));
        assert_eq!(read.fields.status, Change::Unchanged);
        let problems = read.left_out.iter().map(ToString::to_string);
        let problems = problems.collect::<Vec<_>>().join(" ");
        assert!(
            problems.contains("`status`: \"??\"") && problems.contains("`skillsMatch`: \"good\"")
        );
    }

    #[test]
    fn a_header_without_a_company_is_refused_with_what_to_say() {
        let header = ["firma".to_owned(), "title".to_owned()];
        let failure = Columns::of(&header, &[]).unwrap_err();
        assert!(
            failure.to_string().contains("--map companyName=COLUMN"),
            "{failure}"
        );
    }

    /// What the fields are of a row with one more cell.
    fn with_cell(header: &str, text: &str) -> ReadRow {
        let row = [("company", "Visa"), ("title", "Engineer"), (header, text)];
        read(&[], &row).unwrap()
    }

    #[test]
    fn every_header_of_the_data_file_is_known() {
        for (field, headers) in first_fields().iter().chain(more_fields()) {
            for header in headers.split(' ') {
                let columns = Columns::by_name(&[]);
                let found = columns.column(field, std::iter::once(header));
                assert_eq!(found, Some(header), "{field}");
                let mut other = field_names().filter(|other| other != field);
                let is_other =
                    other.find(|other| columns.column(other, std::iter::once(header)).is_some());
                assert_eq!(is_other, None, "{header}");
            }
            let is_known = [ID, "isArchived"].contains(field)
                || Details::FIELDS.iter().any(|known| known.name == *field);
            assert!(is_known, "{field}");
        }
        for field in Details::FIELDS {
            assert!(
                field_names().any(|name| name == field.name),
                "{}",
                field.name
            );
        }
    }

    #[test]
    fn the_headers_of_the_boards_own_file_are_known() {
        let words = include_str!("../../../../examples/board/src/ui/words.ts");
        let words = words.split_once("export const FIELD_WORDS").unwrap().1;
        let words = words.split_once("};").unwrap().0;
        let mut found = 0;
        for line in words.lines() {
            let Some((field, header)) = line.trim().split_once(": '") else {
                continue;
            };
            let header = header.trim_end_matches("',");
            let columns = Columns::by_name(&[]);
            assert_eq!(
                columns.column(field, std::iter::once(header)),
                Some(header),
                "{field}"
            );
            found += 1;
        }
        assert_eq!(found, Details::FIELDS.len());
    }

    #[test]
    fn every_word_of_the_data_file_is_a_status() {
        for section in ["status", "status, kept"] {
            for (meaning, word) in super::super::words::all(section) {
                let expected = Status::ALL
                    .iter()
                    .find(|status| values::plain(status.word()) == meaning);
                let expected = expected.copied().unwrap_or_else(|| panic!("{meaning}"));
                for text in [word.to_owned(), word.to_uppercase(), format!(" {word}! ")] {
                    let fields = with_cell("Status", &text).fields;
                    assert_eq!(fields.status, Change::Set(expected), "{text}");
                    // What its status does not say is not lost.
                    let kept = (section != "status").then(|| format!("Status: {}", text.trim()));
                    assert_eq!(fields.notes, Change::set(kept), "{text}");
                }
            }
        }
    }

    /// Texts that no field but one of text takes.
    const BAD: [&str; 7] = [
        "??",
        "11/31/2026",
        "soon",
        "12 LPA",
        "99/9",
        "-",
        "maybe not",
    ];

    #[test]
    fn a_bad_cell_is_reported_and_changes_no_other_field() {
        let plain = with_cell("floor", "1");
        for field in field_names() {
            for text in BAD {
                if ["companyName", "positionTitle"].contains(&field) {
                    continue;
                }
                let read = with_cell(field, text);
                let known = Details::FIELDS.iter().find(|known| known.name == field);
                let is_text = known.is_some_and(|known| {
                    matches!(known.form, Form::Text | Form::LongText) || field == "tags"
                });
                assert_eq!(read.left_out.is_empty(), is_text, "{field}: {text}");
                for cell in &read.left_out {
                    assert_eq!((cell.field, cell.text.as_str()), (field, text));
                }
                // An amount or a status that is not understood is kept in the notes.
                let is_kept = ["status", "salaryMin", "salaryMax"].contains(&field);
                if is_kept {
                    let kept =
                        matches!(&read.fields.notes, Change::Set(notes) if notes.ends_with(text));
                    assert!(kept, "{field}: {text}");
                }
                let is_other = |name: &str| name != field && !(is_kept && name == "notes");
                assert_eq!(
                    read.fields.only(is_other),
                    plain.fields.only(is_other),
                    "{field}"
                );
                assert_eq!(read.is_archived, plain.is_archived);
                if field == "dateApplied" {
                    let new = read.as_new();
                    assert_eq!(new.status, Change::Set(Status::Applied));
                    assert_eq!(new.date_applied, Change::Clear);
                    assert!(!is_undated(&new));
                }
            }
        }
    }

    #[test]
    fn a_column_of_dates_decides_how_each_of_them_is_read() {
        let days = Details::FIELDS
            .iter()
            .filter(|field| field.form == Form::Day);
        for field in days {
            for (texts, expected) in [
                (
                    ["3/4/26, 8:15 AM", "10/20/26, 8:15 AM"],
                    [Some("2026-03-04"), Some("2026-10-20")],
                ),
                (
                    ["3/4/2026", "20/10/2026"],
                    [Some("2026-04-03"), Some("2026-10-20")],
                ),
                (["3/4/2026", "soon"], [None, None]),
                (["10/20/2026", "20/10/2026"], [None, None]),
                (
                    ["3.4.2026", "5.6.2026"],
                    [Some("2026-04-03"), Some("2026-06-05")],
                ),
            ] {
                let row = |text| cells(&[("company", "A"), ("title", "B"), (field.name, text)]);
                let rows = texts.map(row);
                let columns = Columns::by_name(&[]);
                let forms = Forms {
                    date_orders: columns.date_orders(rows.iter()),
                    ..Forms::default()
                };
                let today = NaiveDate::from_ymd_opt(2026, 11, 20).unwrap();
                for ((row, expected), text) in rows.iter().zip(expected).zip(texts) {
                    let read = columns.read(row, &forms, today).unwrap();
                    let mut set = DetailsChange::default();
                    if let Some(day) = expected {
                        set.set_text(field.name, day);
                    }
                    let is_it = |name: &str| name == field.name;
                    assert_eq!(read.fields.only(is_it), set, "{text}");
                    assert_eq!(
                        read.left_out.len(),
                        usize::from(expected.is_none()),
                        "{text}"
                    );
                }
            }
        }
    }
}
