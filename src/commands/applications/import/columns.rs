//! Which column fills which field: as specified, or guessed from the header.

use uuid::Uuid;

use trestle_applications::{Change, Details, DetailsChange, Form, NewRow, Status};
use trestle_rows::columns::{Mapped, Mapping};
use trestle_rows::source::Cells;
use trestle_service::Failure;

use super::fields::{FIELDS, MORE, names};
use super::identity::{Identity, Posting};
use super::{pay, values};

/// Filled from a specified column, or from an `id` column with UUIDs: many lists have ids of another kind.
const ID: &str = "id";

/// `FIELD=COLUMN` of the command line.
///
/// # Errors
/// The text has no `=`, or there is no such field.
pub fn mapping(text: &str) -> Result<Mapping, String> {
    let fields = FIELDS.iter().chain(MORE).copied().collect::<Vec<_>>();
    Mapping::parse(&fields, ID, text)
}

/// The application of a row, and what is reported about it.
#[derive(Clone, Debug)]
pub struct ReadRow {
    /// The application to create.
    pub row: NewRow,
    /// Which one it is.
    pub identity: Identity,
    /// Its job posting, if it has one.
    pub posting: Option<Posting>,
    /// Whether it was sent without a date: it gets the current date.
    pub dated_today: bool,
    /// The cells that are not understood. The application is created without them.
    pub problems: Vec<String>,
}

/// Which column fills which field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    mapped: Mapped,
    /// What [`MORE`] adds.
    more: Mapped,
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
            mapped: Mapped::new(&FIELDS, mappings),
            more: Mapped::new(MORE, mappings),
        }
    }

    /// The column of `columns` that fills a field.
    fn column<'a>(
        &'a self,
        field: &str,
        columns: impl Iterator<Item = &'a str> + Clone,
    ) -> Option<&'a str> {
        let known = self.mapped.column(field, columns.clone());
        let is_mapped = || self.mapped.told(field).is_some();
        known.or_else(|| {
            if is_mapped() {
                None
            } else {
                self.more.column(field, columns)
            }
        })
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
        let there = |column: &&str| columns.clone().any(|name| name == *column);
        let field = |field: &'static str| {
            let column = self.column(field, columns.clone()).filter(there)?;
            Some((field, column))
        };
        id.into_iter().chain(names().filter_map(field)).collect()
    }

    /// An application of a row.
    ///
    /// # Errors
    /// The row has no valid id.
    pub fn read(&self, cells: &Cells, date_format: Option<&str>) -> Result<ReadRow, String> {
        let columns = cells.iter().map(|(column, _)| column.as_str());
        let cell = |field: &str| {
            let column = self.column(field, columns.clone())?;
            let text = cells
                .iter()
                .find(|(name, _)| name == column)
                .map(|(_, text)| text.as_str())?;
            Some(text).filter(|text| !text.is_empty())
        };
        let mut problems = Vec::new();
        macro_rules! read {
            ($field:literal, $parse:expr, $understood:expr) => {
                Change::set(cell($field).and_then(|text| match $parse(text) {
                    Some(value) => Some(value),
                    None => {
                        let (field, understood): (_, String) = ($field, $understood);
                        problems.push(format!(
                            "`{field}`: \"{text}\" is not understood: {understood}."
                        ));
                        None
                    }
                }))
            };
            ($field:literal) => {
                Change::set(cell($field).map(str::to_owned))
            };
        }
        let date = |text: &str| values::date(text, date_format);
        let salary = cell("salaryMin").and_then(|text| {
            let salary = values::money_range(text);
            if salary.is_none() {
                let understood = values::MONEY;
                problems.push(format!(
                    "`salaryMin`: \"{text}\" is not understood: {understood}."
                ));
            }
            salary
        });
        // A salary that is not understood says nothing of its currency.
        let paid = ["salaryMin", "salaryMax"].into_iter().filter_map(&cell);
        let paid = paid.filter(|text| values::money_range(text).is_some());
        let mut fields = DetailsChange {
            status: read!("status", values::status, values::statuses()),
            company_category: read!(
                "companyCategory",
                values::company_category,
                values::company_categories()
            ),
            job_source: read!("jobSource", values::job_source, values::job_sources()),
            skills_match: read!("skillsMatch", values::whole, "a whole number is".to_owned()),
            cover_letter_required: read!(
                "coverLetterRequired",
                values::yes,
                values::YES.to_owned()
            ),
            salary_min: Change::set(salary.map(|(min, _)| min)),
            salary_max: match salary.and_then(|(_, max)| max) {
                Some(max) if cell("salaryMax").is_none() => Change::Set(max),
                _ => read!("salaryMax", values::money, values::MONEY.to_owned()),
            },
            salary_currency: match cell("salaryCurrency") {
                Some(code) => Change::Set(code.to_owned()),
                None => Change::set(paid.clone().find_map(pay::currency)),
            },
            salary_period: match cell("salaryPeriod") {
                Some(_) => read!("salaryPeriod", pay::period, pay::PERIODS.to_owned()),
                None => Change::set(paid.clone().find_map(pay::period_of)),
            },
            tags: Change::set(cell("tags").map(values::tags)),
            is_remote: read!("isRemote", values::remote, values::REMOTE.to_owned()),
            ..DetailsChange::default()
        };
        for field in Details::FIELDS {
            let Some(text) = cell(field.name) else {
                continue;
            };
            match field.form {
                Form::Text | Form::LongText | Form::Link => fields.set_text(field.name, text),
                Form::Day => match date(text) {
                    Some(day) => fields.set_text(field.name, &day),
                    None => {
                        let (field, understood) = (field.name, values::DATES);
                        problems.push(format!(
                            "`{field}`: \"{text}\" is not understood: {understood}."
                        ));
                    }
                },
                // Read above, each in its own way.
                Form::Other => {}
            }
        }
        let archived = read!("isArchived", values::yes, values::YES.to_owned());
        // By the columns that the first releases knew, so that a file that was imported before has the same ids. They
        // did not import a file without a company or a position.
        let names_of_old = ["companyName", "positionTitle"];
        let is_old = names_of_old.map(|field| self.mapped.column(field, columns.clone()));
        let is_old = is_old.iter().all(Option::is_some);
        let known = |field: &str| {
            let column = if is_old {
                self.mapped.column(field, columns.clone())?
            } else {
                self.column(field, columns.clone())?
            };
            let (_, text) = cells.iter().find(|(name, _)| name == column)?;
            Some(text.as_str()).filter(|text| !text.is_empty())
        };
        let filled: Vec<_> = FIELDS
            .iter()
            .filter_map(|(field, _)| Some((*field, known(field)?)))
            .collect();
        let pairs = cells.iter().map(|(column, text)| (&**column, &**text));
        let told = self.id(pairs).map(|(_, text)| text);
        let identity = match Identity::of(told, &filled) {
            Ok(identity) => identity,
            Err(problem) => {
                problems.push(problem);
                return Err(problems.join(" "));
            }
        };
        // A row with a date of application was sent, also if the date cannot be read. It is not today then.
        let has_date = cell("dateApplied").is_some();
        if has_date && fields.status == Change::Unchanged {
            fields.status = Change::Set(Status::Applied);
        }
        if has_date && !fields.date_applied.is_set() {
            fields.date_applied = Change::Clear;
        }
        let is_sent = matches!(fields.status, Change::Set(status) if status != Status::Unsubmitted);
        Ok(ReadRow {
            posting: Posting::of(&filled),
            dated_today: is_sent && !has_date,
            row: NewRow {
                id: identity.id.clone(),
                fields,
                is_archived: archived == Change::Set(true),
            },
            identity,
            problems,
        })
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

    fn read(mappings: &[&str], row: &[(&str, &str)]) -> Result<NewRow, String> {
        let mappings: Vec<_> = mappings.iter().map(|m| mapping(m).unwrap()).collect();
        let read = Columns::by_name(&mappings).read(&cells(row), None)?;
        assert_eq!(read.row.id, read.identity.id);
        Ok(read.row)
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
        let id = |row: &[(&str, &str)]| read(&[], row).unwrap().id;
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
        let read = columns.read(&cells(&row), None).unwrap();
        assert_eq!(read.row.fields.company_name, Change::Set("A".into()));
        assert_eq!(read.row.fields.status, Change::Unchanged);
        let problems = read.problems.join(" ");
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
}
