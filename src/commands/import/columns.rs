//! Which column fills which field: as it is told, or guessed from the header.

use std::str::FromStr;

use uuid::Uuid;

use crate::applications::{ApplicationId, Change, DetailsChange, NewRow, Status};
use crate::commands::Failure;

use super::fields::FIELDS;
use super::source::Cells;
use super::values;

/// A field that is filled only when told to: many lists have an id column of their own kind.
const ID: &str = "id";

/// `FIELD=COLUMN` of the command line; no column keeps the field empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    field: &'static str,
    column: String,
}

impl FromStr for Mapping {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (field, column) = text.split_once('=').ok_or("say FIELD=COLUMN")?;
        let known = FIELDS
            .iter()
            .map(|(field, _)| *field)
            .chain([ID])
            .find(|f| *f == field);
        let names = || {
            FIELDS
                .iter()
                .map(|(field, _)| *field)
                .collect::<Vec<_>>()
                .join(", ")
        };
        let field =
            known.ok_or_else(|| format!("no field {field}; there are {} and {ID}", names()))?;
        Ok(Self {
            field,
            column: column.to_owned(),
        })
    }
}

/// Which column fills which field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    mappings: Vec<Mapping>,
}

impl Columns {
    /// For a file whose header is known.
    ///
    /// # Errors
    /// A mapping names a column that is not there; or the company or the position has no column.
    pub fn of(header: &[String], mappings: &[Mapping]) -> Result<Self, Failure> {
        let there = header.join(", ");
        for mapping in mappings.iter().filter(|mapping| !mapping.column.is_empty()) {
            if !header.contains(&mapping.column) {
                let column = &mapping.column;
                return Err(Failure(format!(
                    "The file has no column {column}; it has {there}."
                )));
            }
        }
        let columns = Self {
            mappings: mappings.to_vec(),
        };
        for field in ["companyName", "positionTitle"] {
            if columns
                .column(field, header.iter().map(String::as_str))
                .is_none()
            {
                return Err(Failure(format!(
                    "No column looks like {field}: say --map {field}=COLUMN. The file has {there}."
                )));
            }
        }
        Ok(columns)
    }

    /// For a file whose rows name their columns themselves.
    pub fn by_name(mappings: &[Mapping]) -> Self {
        Self {
            mappings: mappings.to_vec(),
        }
    }

    /// The column of `columns` that fills a field.
    fn column<'a>(
        &'a self,
        field: &str,
        columns: impl Iterator<Item = &'a str> + Clone,
    ) -> Option<&'a str> {
        if let Some(mapping) = self
            .mappings
            .iter()
            .rev()
            .find(|mapping| mapping.field == field)
        {
            return Some(mapping.column.as_str()).filter(|column| !column.is_empty());
        }
        let claimed = |column: &&str| self.mappings.iter().any(|m| m.column == **column);
        let (_, names) = FIELDS.iter().find(|(known, _)| *known == field)?;
        let fits = |name: &&str| {
            columns
                .clone()
                .filter(|column| !claimed(column))
                .find(|column| values::plain(column) == **name)
        };
        names.iter().find_map(fits)
    }

    /// An application of a row.
    ///
    /// # Errors
    /// Every cell that cannot be understood.
    pub fn read(&self, cells: &Cells, date_format: Option<&str>) -> Result<NewRow, String> {
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
            ($field:literal, $parse:expr) => {
                Change::set(cell($field).and_then(|text| match $parse(text) {
                    Some(value) => Some(value),
                    None => {
                        problems.push(format!("`{}`: \"{text}\" is not understood.", $field));
                        None
                    }
                }))
            };
        }
        let own = |text: &str| Some(text.to_owned());
        let date = |text: &str| values::date(text, date_format);
        let mut fields = DetailsChange {
            company_name: read!("companyName", own),
            position_title: read!("positionTitle", own),
            status: read!("status", values::status),
            date_applied: read!("dateApplied", date),
            offer_due_date: read!("offerDueDate", date),
            company_url: read!("companyUrl", own),
            job_posting_url: read!("jobPostingUrl", own),
            company_career_url: read!("companyCareerUrl", own),
            company_category: read!("companyCategory", values::company_category),
            job_source: read!("jobSource", values::job_source),
            skills_match: read!("skillsMatch", values::whole),
            cover_letter_required: read!("coverLetterRequired", values::yes),
            special_requirements: read!("specialRequirements", own),
            notes: read!("notes", own),
            salary_min: read!("salaryMin", values::money),
            salary_max: read!("salaryMax", values::money),
        };
        let archived = read!("isArchived", values::yes);
        let filled: Vec<_> = FIELDS
            .iter()
            .filter_map(|(field, _)| Some((*field, cell(field)?)))
            .collect();
        let id = match cell(ID) {
            Some(text) => read_id(text, &mut problems),
            None => derived_id(&filled),
        };
        if !problems.is_empty() {
            return Err(problems.join(" "));
        }
        // A row that says when it was sent says that it was.
        if fields.status == Change::Keep && fields.date_applied.is_set() {
            fields.status = Change::Set(Status::Applied);
        }
        Ok(NewRow {
            id: ApplicationId(id),
            fields,
            is_archived: archived == Change::Set(true),
        })
    }
}

fn read_id(text: &str, problems: &mut Vec<String>) -> Uuid {
    Uuid::try_parse(text).unwrap_or_else(|_| {
        problems.push(format!("`id`: \"{text}\" is not a UUID."));
        Uuid::nil()
    })
}

/// The same posting, or without one the same row, always has the same id: the cells that fill fields, by the
/// fields' names, whatever their columns are called and in whatever order they stand.
fn derived_id(cells: &[(&str, &str)]) -> Uuid {
    let posting = cells.iter().find(|(field, _)| *field == "jobPostingUrl");
    match posting {
        Some((_, url)) => Uuid::new_v5(&Uuid::NAMESPACE_URL, url.as_bytes()),
        None => {
            let row: Vec<_> = cells
                .iter()
                .map(|(field, text)| format!("{field}={text}"))
                .collect();
            Uuid::new_v5(&Uuid::NAMESPACE_OID, row.join("\n").as_bytes())
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

    fn read(mappings: &[&str], row: &[(&str, &str)]) -> Result<NewRow, String> {
        let mappings: Vec<_> = mappings.iter().map(|m| m.parse().unwrap()).collect();
        Columns::by_name(&mappings).read(&cells(row), None)
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
        assert_eq!(fields.notes, Change::Keep);
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
    fn every_cell_that_is_not_understood_is_told() {
        let row = [
            ("company", "A"),
            ("title", "B"),
            ("status", "??"),
            ("fit", "good"),
        ];
        let problems = read(&[], &row).unwrap_err();
        assert!(
            problems.contains("`status`: \"??\"") && problems.contains("`skillsMatch`: \"good\"")
        );
    }

    #[test]
    fn a_header_without_a_company_is_refused_with_what_to_say() {
        let header = ["firma".to_owned(), "title".to_owned()];
        let failure = Columns::of(&header, &[]).unwrap_err();
        assert!(failure.0.contains("--map companyName=COLUMN"), "{failure}");
    }
}
