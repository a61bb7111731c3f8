//! Postings of files, read as jobs.

use std::collections::BTreeSet;

use clap::ArgMatches;
use sha2::{Digest, Sha256};

use crate::values::{
    Country, Currency, LIST_MARKS, Pay, PlaceInput, Places, StoredMeaning, WrittenPlace, each_once,
    named_together, parse_line, places, public_link,
};
use trestle_api::Revision;
use trestle_domain::{Day, List, Moment, Rule, Text, Ulid, UserId};
use trestle_rows::cells;
use trestle_rows::columns::{Field, Mapped, Mapping};
use trestle_rows::source::Row;
use trestle_service::Failure;

use super::{Job, MAX_PLACES, NEVER};

/// The fields that a column can fill.
pub const FIELDS: [Field; 14] = [
    (
        "company",
        "company companyname employer organization organisation",
    ),
    ("title", "title jobtitle position positiontitle role"),
    ("description", "description jobdescription summary"),
    ("locations", "locations location places place cities city"),
    ("country", "country countrycode"),
    ("zip", "zip zipcode postalcode postcode"),
    ("skills", "skills requiredskills tags"),
    ("url", "url link joburl postingurl applyurl"),
    ("postedOn", "postedon dateposted posted postedat date"),
    ("expiresOn", "expireson expires validthrough deadline"),
    ("payMin", "paymin salarymin minsalary"),
    ("payMax", "paymax salarymax maxsalary"),
    ("payCurrency", "paycurrency salarycurrency currency"),
    ("isOpen", ""),
];
/// The field of a row's id; it is not guessed from other headers.
pub const ID: &str = "id";

/// Reads rows as jobs.
pub struct Reader {
    columns: Mapped,
    date_format: Option<String>,
    employer: UserId,
    employer_column: Option<String>,
    country: Country,
    now: Moment,
}

/// The job of a row.
#[derive(Debug)]
pub struct Posting {
    /// The job.
    pub job: Job,
    /// What of the row is not in the job, for a person.
    pub left_out: Vec<String>,
}

/// A row of a file with its columns mapped.
struct Cells<'r> {
    row: &'r Row,
    cells: &'r [(String, String)],
    columns: &'r Mapped,
}

impl<'r> Cells<'r> {
    fn column(&self, field: &str) -> Option<&'r (String, String)> {
        let names = self.cells.iter().map(|(name, _)| name.as_str());
        let column = self.columns.column(field, names)?;
        self.cells
            .iter()
            .find(|(name, text)| name == column && !text.is_empty())
    }

    fn text(&self, field: &str) -> Option<&'r str> {
        self.column(field).map(|(_, text)| text.as_str())
    }

    /// The entries of a JSON list, or of text between the separators.
    fn list(&self, field: &str, separators: &[char]) -> Vec<String> {
        let Some((name, text)) = self.column(field) else {
            return Vec::new();
        };
        let json = self.row.json().and_then(|json| json.get(name)?.as_array());
        let entries: Vec<String> = match json {
            Some(list) => list
                .iter()
                .filter_map(|e| e.as_str().map(str::to_owned))
                .collect(),
            None => text.split(separators).map(str::to_owned).collect(),
        };
        let trimmed = entries.iter().map(|entry| entry.trim().to_owned());
        trimmed.filter(|entry| !entry.is_empty()).collect()
    }

    /// The value of a field, if it is given.
    fn value<T>(
        &self,
        field: &str,
        parse: impl FnOnce(&str) -> Result<T, Rule>,
    ) -> Result<Option<T>, String> {
        let value = self.text(field).map(parse).transpose();
        value.map_err(|rule| format!("`{field}` {rule}."))
    }
}

impl Reader {
    /// As the command line says.
    ///
    /// # Errors
    /// An option is missing.
    pub fn of(given: &ArgMatches, now: Moment) -> Result<Self, Failure> {
        let country = given
            .get_one::<Country>("country")
            .ok_or_else(|| Failure::new("Give --country."))?
            .clone();
        let mappings: Vec<Mapping> = given
            .get_many("map")
            .into_iter()
            .flatten()
            .cloned()
            .collect();
        let text = |name| given.get_one::<String>(name).cloned();
        Ok(Self {
            columns: Mapped::new(&FIELDS, &mappings),
            date_format: text("date-format"),
            employer: UserId::new(text("employer").unwrap_or_default()),
            employer_column: text("employer-column"),
            country,
            now,
        })
    }

    /// Which of a file's columns fill which fields, for a person.
    ///
    /// # Errors
    /// A column that the command line names is not there.
    pub fn columns_of<'n>(&self, names: impl Iterator<Item = &'n str>) -> Result<String, Failure> {
        let names: BTreeSet<_> = names.collect();
        let (mut used, mut told) = (Vec::new(), Vec::new());
        for field in FIELDS.iter().map(|(field, _)| *field).chain([ID]) {
            let guessed = || (field == ID && names.contains(ID)).then_some(ID);
            let column = self.columns.column(field, names.iter().copied());
            if let Some(column) = column.or_else(guessed) {
                if !names.contains(column) {
                    return Err(Failure::new(format!(
                        "The file has no column {column:?}, which --map gives to {field}."
                    )));
                }
                used.push(column);
                told.push(format!("{field} from {column:?}"));
            }
        }
        if let Some(column) = &self.employer_column {
            if !names.contains(column.as_str()) {
                return Err(Failure::new(format!(
                    "The file has no column {column:?}, which --employer-column names."
                )));
            }
            used.push(column);
            told.push(format!("employer from {column:?}"));
        }
        let ignored: Vec<_> = names.iter().filter(|name| !used.contains(name)).collect();
        Ok(format!(
            "Columns: {}. Ignored: {ignored:?}.",
            told.join(", ")
        ))
    }

    /// The job of a row.
    ///
    /// # Errors
    /// What is wrong with the row.
    pub fn job(&self, row: &Row) -> Result<Posting, String> {
        let cells = row.cells.as_ref().map_err(Clone::clone)?;
        let cells = Cells {
            row,
            cells,
            columns: &self.columns,
        };
        let needs = |field: &str| format!("`{field}` needs a value.");
        let posted = cells.value("postedOn", |text| self.moment(text))?;
        let posted = posted.ok_or_else(|| needs("postedOn"))?;
        if Moment::new(posted) > self.now {
            return Err("`postedOn` must not be in the future.".to_owned());
        }
        let expires_on = cells.value("expiresOn", |text| Ok(Day::of(self.moment(text)?)))?;
        let (read, mut left_out) = self.places(&cells)?;
        let (places, is_remote) = (read.list, read.is_remote);
        let employer = self.employer_of(&cells)?;
        let first = places
            .as_slice()
            .first()
            .ok_or_else(|| needs("locations"))?
            .clone();
        let skills = cells.list("skills", &[',', ';', '|']);
        let skills = List::parse(skills.iter().map(|skill| Text::parse(skill)));
        let job_id = Job::id_for(self.request(&cells, posted), &employer, places.as_slice());
        let is_open = cells.text("isOpen").and_then(cells::yes).unwrap_or(true);
        let pay = |text: &str| match cells::money(text) {
            Some(amount) => Pay::parse(amount),
            None => Err(Rule::Invalid(
                "an amount in whole units such as 120000 or 120k",
            )),
        };
        let never = Day::parse(NEVER).map_err(|rule| rule.to_string())?;
        let title = cells.value("title", parse_line)?;
        let title: Text<1, 200> = title.ok_or_else(|| needs("title"))?;
        let mut job = Job {
            job_id: job_id.ok_or_else(|| needs("postedOn"))?,
            foreign_id: None,
            employer_id: employer,
            city: first.key(),
            zip: first.zip,
            company: cells
                .value("company", parse_line)?
                .ok_or_else(|| needs("company"))?,
            title_meaning: StoredMeaning::of(title.as_str()),
            title,
            description: cells.text("description").and_then(Text::cut),
            skills: each_once(&skills.map_err(|rule| format!("`skills` {rule}."))?),
            places,
            is_remote,
            employment_type: None,
            pay_period: None,
            pay_min: cells.value("payMin", pay)?,
            pay_max: cells.value("payMax", pay)?,
            pay_currency: cells.value("payCurrency", Currency::parse)?,
            url: cells.value("url", public_link)?,
            last_day: expires_on.unwrap_or(never),
            // The same whenever the file is loaded.
            closed_at: (!is_open).then(|| Moment::new(posted)),
            stamp: Revision::new(self.now),
        };
        if job.pay_min.or(job.pay_max).is_some() && job.currency().is_none() {
            (job.pay_min, job.pay_max) = (None, None);
            left_out.push("The pay has no `payCurrency`, and the places have several.".to_owned());
        }
        Ok(Posting { job, left_out })
    }

    /// The employer of a row.
    fn employer_of(&self, cells: &Cells) -> Result<UserId, String> {
        let Some(column) = &self.employer_column else {
            return Ok(self.employer.clone());
        };
        let cell = cells.cells.iter().find(|(name, _)| name == column);
        let text = cell.map_or("", |(_, text)| text.trim());
        if text.is_empty() {
            Err(format!(
                "{column:?}, the column of the employer, needs a value."
            ))
        } else {
            UserId::parse(text).map_err(|rule| format!("{column:?} {rule}."))
        }
    }

    /// A moment as a date, or in seconds after 1970.
    fn moment(&self, text: &str) -> Result<chrono::DateTime<chrono::Utc>, Rule> {
        const FORM: Rule = Rule::Invalid("a date such as 2026-11-20, or as --date-format says");
        let is_number = text.len() >= 9 && text.bytes().all(|b| b.is_ascii_digit());
        if let (true, Ok(seconds)) = (is_number, text.parse()) {
            return chrono::DateTime::from_timestamp(seconds, 0).ok_or(FORM);
        }
        let day = cells::date(text, self.date_format.as_deref()).ok_or(FORM)?;
        Ok(Day::parse(&day)?.start())
    }

    /// The same for the same row.
    fn request(&self, cells: &Cells, posted: chrono::DateTime<chrono::Utc>) -> Ulid {
        let told = self
            .columns
            .told(ID)
            .map_or(ID, |mapping| mapping.column.as_str());
        let id = cells
            .cells
            .iter()
            .find(|(name, text)| name == told && !text.is_empty());
        let identity = match (id, cells.text("url")) {
            (Some((_, id)), _) => id.clone(),
            (None, Some(url)) => url.to_owned(),
            (None, None) => format!("{:?}", cells.cells),
        };
        let digest = Sha256::digest(identity.as_bytes());
        let chance = digest
            .first_chunk::<16>()
            .map_or(0, |bytes| u128::from_be_bytes(*bytes));
        Ulid::of(posted, chance)
    }

    /// The places of a row, and what of them is left out.
    fn places(&self, cells: &Cells) -> Result<(Places<MAX_PLACES>, Vec<String>), String> {
        let zip = cells.text("zip").map(str::to_owned);
        let country = cells.value("country", |text| {
            Country::named(text).ok_or(Rule::Invalid("the name or the code of a country"))
        })?;
        let country = country.unwrap_or_else(|| self.country.clone());
        let (mut read, mut left_out) = (Vec::new(), Vec::new());
        let several = cells.list("locations", &[';', '|', '\n']);
        let several = several.iter().flat_map(|text| text.split(';'));
        let texts = several.flat_map(|text| text.split(" or "));
        let texts = texts.flat_map(|text| named_together(text, &LIST_MARKS));
        for text in texts.map(str::trim).filter(|text| !text.is_empty()) {
            match location(text, &country, zip.clone()) {
                Err(rule) => left_out.push(format!("{text:?} is not read as a place: it {rule}.")),
                Ok(_) if read.len() == MAX_PLACES => {
                    left_out.push(format!("{text:?} is beyond the first {MAX_PLACES} places."));
                }
                Ok(place) => read.push(place),
            }
        }
        match places(&read) {
            Ok(places) => Ok((places, left_out)),
            Err(Rule::Required) if !left_out.is_empty() => Err(left_out.join(" ")),
            Err(rule) => Err(format!("`locations` {rule}.")),
        }
    }
}

/// A place as people write it: `Toronto, ON, Canada`, `San Jose, CA`, `Remote in UK`.
fn location(text: &str, country: &Country, zip: Option<String>) -> Result<PlaceInput, Rule> {
    let written = WrittenPlace::read(text, country.is_assumed())?;
    let country = written.country.as_ref().unwrap_or(country);
    let input = PlaceInput {
        // The city alone no longer says that it is remote.
        city: match (written.is_remote, written.is_worldwide) {
            (true, true) => "Remote worldwide".to_owned(),
            (true, false) if written.city != "Remote" => format!("{} (Remote)", written.city),
            _ => written.city,
        },
        region: written.region,
        country: country.to_string(),
        zip: written.zip.or(zip),
    };
    input.places().map(|_| input)
}
