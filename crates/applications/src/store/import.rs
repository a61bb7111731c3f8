//! Rows of a list that a person imports: which of them are applications already, and creating the others.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;
use uuid::Uuid;

use crate::error::{ChangeError, StoreError};
use crate::importer::{as_new, is_undated};
use crate::items::HistoryItem;
use crate::keys::FIRST_ENTRY;
use crate::model::{
    Application, ApplicationId, Change, DetailsChange, IMPORTED, IMPORTED_AGAIN, Rule, State,
    Violations, canonical, changes,
};
use trestle_table::{Direction, TableError};

use super::change::ChangeOf;
use super::history::{Content, HistoryRange, Line};
use super::many::Origin;
use super::postings::TrackedJobs;
use super::{
    Applications, ArchivedFilter, Import, ListFilter, ListOrder, MoreFilters, Wanted, Window,
};

/// How many applications with the wanted postings are read at once.
const PAGE: usize = 100;

/// A row of a list.
#[derive(Clone, Debug)]
pub struct ListRow {
    /// The id that a new application gets.
    pub id: ApplicationId,
    /// Other ids that the application of the row may have.
    pub other_ids: Vec<ApplicationId>,
    /// An id that the application of the row has if it says the same as the row.
    pub id_if_equal: Option<ApplicationId>,
    /// What the row says.
    pub fields: DetailsChange,
    /// Whether it says when the application was sent, which may be unreadable or unknown.
    pub has_date: bool,
}

/// What a row is.
#[derive(Clone, Debug)]
pub enum RowOutcome {
    /// No application.
    New {
        /// The application that was created, unless the import only tries.
        made: Option<Box<State>>,
        /// The application as the row says it.
        wanted: Box<Application>,
        /// The date of the application that it got because the row has none.
        dated_on: Option<String>,
    },
    /// An application, of which the row says something else in these fields. It was not changed.
    Changed(Box<Application>, Vec<String>),
    /// An application, of which these fields were changed. The row says something else in further fields, which were changed
    /// by hand.
    Updated {
        /// The application after the change.
        made: Box<State>,
        /// The fields that were changed.
        fields: Vec<String>,
    },
    /// An application, which has everything that the row says.
    Unchanged(Box<Application>),
}

type Outcomes = Vec<Result<RowOutcome, ChangeError>>;

/// The applications that rows may be.
#[derive(Default)]
struct Known {
    by_id: HashMap<ApplicationId, Application>,
    by_posting: HashMap<String, ApplicationId>,
}

impl Known {
    fn of_ids(&self, row: &ListRow) -> Option<&Application> {
        let mut ids = std::iter::once(&row.id).chain(&row.other_ids);
        ids.find_map(|id| self.by_id.get(id))
    }

    fn application(&self, row: &ListRow) -> Option<&Application> {
        self.of_ids(row)
            .or_else(|| self.by_id.get(self.by_posting.get(&posting(row)?)?))
    }
}

/// The rows of a request that are no applications yet.
#[derive(Default)]
struct EarlierRows {
    fields: HashMap<ApplicationId, DetailsChange>,
    by_posting: HashMap<String, ApplicationId>,
}

impl EarlierRows {
    fn add(&mut self, row: &ListRow) {
        self.fields.insert(row.id.clone(), row.fields.clone());
        if let Some(posting) = posting(row) {
            self.by_posting.insert(posting, row.id.clone());
        }
    }

    /// The row with the id of an earlier one that is the same application, as [`Known`] says it, and with that one's spelling of
    /// their job posting.
    fn named_as_earlier(&self, mut row: ListRow) -> ListRow {
        let mut ids = std::iter::once(&row.id).chain(&row.other_ids);
        let known = ids.find(|id| self.fields.contains_key(id));
        let posting = posting(&row);
        let of_posting = posting
            .as_ref()
            .and_then(|posting| self.by_posting.get(posting));
        let Some(id) = known.or(of_posting).cloned() else {
            return row;
        };
        if let Some(earlier) = self.fields.get(&id) {
            let address = &earlier.job_posting_url;
            if posting.is_some() && posting == posting_of(address) {
                row.fields.job_posting_url = address.clone();
            }
        }
        ListRow { id, ..row }
    }
}

impl Applications {
    /// What each row is, and creates the applications of those that are none. A row is the application with one of its
    /// ids, or else with its job posting. Nothing that is there is changed, except by [`Import::Update`] what only an import has
    /// set, and by [`Import::Overwrite`] all that differs. A new application that was sent and has no date of that gets `sent_on`.
    ///
    /// BatchGetItem; if rows with a job posting are not found by their ids, every page of GSI2 and of GSI1's archived
    /// partitions; then as [`Applications::create_many`]. For each that is updated a Query of its history, and as
    /// [`Applications::update`].
    pub async fn import_list(
        &self,
        mut rows: Vec<Result<ListRow, Violations>>,
        import: Import,
        sent_on: Option<&str>,
    ) -> Outcomes {
        let known = match self.known(&mut rows).await {
            Ok(known) => known,
            Err(error) => return rows.iter().map(|_| Err(error.clone().into())).collect(),
        };
        let today = self.now().date().to_string();
        let sent_on = sent_on.unwrap_or(&today);
        let mut outcomes: Outcomes = Vec::new();
        let mut earlier = EarlierRows::default();
        let mut new = Vec::new();
        for (at, row) in rows.into_iter().enumerate() {
            let row = match row {
                Ok(row) => row,
                Err(violations) => {
                    outcomes.push(Err(violations.into()));
                    continue;
                }
            };
            if let Some(there) = known.application(&row) {
                outcomes.push(self.known_row(there, row.fields, import).await);
                continue;
            }
            let (row, dated_on) = row.into_new(sent_on);
            let row = earlier.named_as_earlier(row);
            let checked = self.is_new(&mut earlier, &row);
            if checked.is_ok() && import != Import::Try {
                new.push((at, Ok((Some(row.id), row.fields))));
            }
            outcomes.push(checked.map(|wanted| RowOutcome::New {
                made: None,
                wanted: Box::new(wanted),
                dated_on,
            }));
        }
        let (places, wanted): (Vec<_>, Vec<_>) = new.into_iter().unzip();
        let created = self.create_many(wanted, Origin::Import).await;
        for (at, created) in places.into_iter().zip(created) {
            let Some(outcome) = outcomes.get_mut(at) else {
                continue;
            };
            match (created, outcome) {
                (Ok(state), Ok(RowOutcome::New { made, .. })) => *made = Some(Box::new(state)),
                (Ok(_), _) => {}
                (Err(error), outcome) => *outcome = Err(error),
            }
        }
        outcomes
    }

    /// What the row of an application that is there is, and changes it if that is wanted.
    async fn known_row(
        &self,
        there: &Application,
        fields: DetailsChange,
        import: Import,
    ) -> Result<RowOutcome, ChangeError> {
        let compared = self.compared(there, fields.clone())?;
        let RowOutcome::Changed(there, differing) = compared else {
            return Ok(compared);
        };
        let wanted = match import {
            Import::Overwrite => differing.clone(),
            Import::Update => self.set_by_imports(&there, &differing).await?,
            Import::Try | Import::Write => Vec::new(),
        };
        if wanted.is_empty() {
            return Ok(RowOutcome::Changed(there, differing));
        }
        self.update_row(&there, fields, wanted).await
    }

    /// Changes these of a row's fields. As [`Applications::update`].
    async fn update_row(
        &self,
        there: &Application,
        fields: DetailsChange,
        wanted: Vec<String>,
    ) -> Result<RowOutcome, ChangeError> {
        let fields = fields.only(|name| wanted.iter().any(|known| known == name));
        let version = Some(there.version());
        let change = ChangeOf::new(self, &there.id, version, |state: &State, now| {
            Ok((state.update(fields.clone(), now)?, ()))
        });
        let (state, ()) = change.because(IMPORTED_AGAIN.to_owned()).run().await?;
        Ok(RowOutcome::Updated {
            made: Box::new(state),
            fields: wanted,
        })
    }

    /// Those of these fields that nobody but an import has changed. Query APP#id / HIST#, until it says so of every field.
    async fn set_by_imports(
        &self,
        there: &Application,
        fields: &[String],
    ) -> Result<Vec<String>, StoreError> {
        let now = serde_json::to_value(&there.details);
        let now = now.map_err(|error| TableError::Built(Box::new(error)))?;
        let mut undecided = fields.to_vec();
        let mut of_import = Vec::new();
        let mut range = HistoryRange {
            size: PAGE,
            direction: Direction::Forward,
            cursor: None,
            content: Content::Snapshots,
        };
        loop {
            let page = self.history(&there.id, &range).await?;
            if let (None, Some(newest)) = (range.cursor, page.lines.first()) {
                // Another program has changed the others without an entry.
                undecided.retain(|field| value_of(&now, field) == value_in(&newest.entry, field));
            }
            let oldest = page.lines.last().filter(|_| !page.more);
            let oldest = oldest.map(|line| line.sequence);
            for line in &page.lines {
                let is_import = is_of_import(line);
                let is_oldest = oldest == Some(line.sequence);
                let (changed, others): (Vec<_>, Vec<_>) =
                    undecided.into_iter().partition(|field| {
                        let value = value_in(&line.entry, field);
                        match &line.before {
                            Some(before) => value != value_in(before, field),
                            // Nobody knows what a missing entry has changed.
                            None => !is_oldest || !value.is_null(),
                        }
                    });
                undecided = others;
                if is_import {
                    of_import.extend(changed);
                }
            }
            range.cursor = page.lines.last().map(|line| line.sequence);
            if !page.more || undecided.is_empty() || range.cursor.is_none() {
                break;
            }
        }
        // The others have never had a value, so nobody has taken it away.
        undecided.retain(|field| value_of(&now, field).is_null());
        of_import.extend(undecided);
        Ok(of_import)
    }

    /// Gives each of these rows the id of its application, if that has another one. BatchGetItem, if one of `tracked` has another id
    /// of a row, or these are not known.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn settle_ids(
        &self,
        rows: &mut [ListRow],
        tracked: Option<&TrackedJobs>,
    ) -> Result<(), StoreError> {
        let mut several = Vec::new();
        for row in rows {
            let mut others = row.other_ids.iter().chain(&row.id_if_equal);
            if others.any(|id| tracked.is_none_or(|tracked| tracked.has(id))) {
                several.push(row);
            }
        }
        if several.is_empty() {
            return Ok(());
        }
        let known = self.known_by_id(&mut several).await?;
        for row in several {
            if let Some(there) = known.of_ids(row) {
                row.id = there.id.clone();
            }
        }
        Ok(())
    }

    /// The applications that have an id of the rows.
    async fn known_by_id(&self, rows: &mut [&mut ListRow]) -> Result<Known, StoreError> {
        let mut known = Known::default();
        let mut ids = BTreeSet::new();
        for row in rows.iter() {
            ids.insert(&row.id);
            ids.extend(row.other_ids.iter().chain(&row.id_if_equal));
        }
        self.learn(&mut known, ids).await?;
        for row in rows {
            let equal = row.id_if_equal.take().filter(|id| {
                let there = known.by_id.get(id);
                let compared = there.map(|there| self.compared(there, row.fields.clone()));
                matches!(compared, Some(Ok(RowOutcome::Unchanged(_))))
            });
            row.other_ids.extend(equal);
        }
        Ok(known)
    }

    /// The applications that the rows may be.
    async fn known(&self, rows: &mut [Result<ListRow, Violations>]) -> Result<Known, StoreError> {
        let mut ids = Vec::new();
        for row in rows.iter_mut().flatten() {
            ids.push(&mut row.id);
            ids.extend(&mut row.other_ids);
        }
        self.all_spelled(ids).await?;
        let mut rows: Vec<_> = rows.iter_mut().flatten().collect();
        let mut known = self.known_by_id(&mut rows).await?;
        let unknown = rows
            .iter()
            .filter(|row| known.application(row).is_none())
            .filter_map(|row| posting(row));
        let postings: BTreeSet<_> = unknown.collect();
        if !postings.is_empty() {
            known.by_posting = self.ids_by_posting(postings).await?;
            let ids: Vec<_> = known.by_posting.values().cloned().collect();
            self.learn(&mut known, ids.iter().collect()).await?;
        }
        Ok(known)
    }

    /// Reads the applications that are there of these.
    async fn learn(
        &self,
        known: &mut Known,
        ids: BTreeSet<&ApplicationId>,
    ) -> Result<(), StoreError> {
        let ids: Vec<_> = ids.into_iter().collect();
        let found = self.applications_alone(&ids).await?;
        let found = found.into_iter();
        let by_id = found.map(|application| (application.id.clone(), application));
        known.by_id.extend(by_id);
        Ok(())
    }

    /// The applications to these job postings, archived or not, in any spelling; of several to one posting, one.
    async fn ids_by_posting(
        &self,
        postings: BTreeSet<String>,
    ) -> Result<HashMap<String, ApplicationId>, StoreError> {
        let filter = ListFilter {
            archived: ArchivedFilter::Include,
            more: MoreFilters {
                job_posting_urls: postings,
                ..MoreFilters::default()
            },
            ..ListFilter::default()
        };
        let wanted = Wanted {
            attributes: vec!["jobPostingUrl"],
            ..Wanted::default()
        };
        let mut found = HashMap::new();
        let mut from = None;
        loop {
            let window = Window::new(PAGE, Direction::Forward, from.as_ref());
            let page = self
                .list(&filter, ListOrder::OLDEST_FIRST, window, &wanted)
                .await?;
            for application in page.items.iter().flat_map(|listed| &listed.application) {
                let posting = application.details.job_posting_url.stored();
                if let Some(posting) = posting.as_str() {
                    found
                        .entry(canonical(posting))
                        .or_insert_with(|| application.id.clone());
                }
            }
            match page.items.into_iter().next_back() {
                Some(last) if page.more => from = Some(last.place),
                _ => return Ok(found),
            }
        }
    }

    /// Whether the row says something else than its application has.
    fn compared(
        &self,
        there: &Application,
        fields: DetailsChange,
    ) -> Result<RowOutcome, ChangeError> {
        let before = State::new(there.clone(), Vec::new());
        let after = before.update(fields, self.now())?;
        let differing = changes(Some(&before), &after);
        let there = Box::new(there.clone());
        Ok(if differing.is_empty() {
            RowOutcome::Unchanged(there)
        } else {
            let names = differing.into_iter().map(|change| change.field);
            RowOutcome::Changed(there, names.collect())
        })
    }

    /// Checks a row that is no application yet. Two rows with one id have to say the same.
    fn is_new(&self, earlier: &mut EarlierRows, row: &ListRow) -> Result<Application, ChangeError> {
        let entry = State::create(row.id.clone(), row.fields.clone(), Uuid::nil(), self.now())?;
        let wanted = entry.snapshot.application;
        match earlier.fields.get(&row.id) {
            Some(earlier) if *earlier != row.fields => {
                let rule = Rule::Conflict("belongs to an earlier row, which says something else");
                let is_posting = matches!(row.fields.job_posting_url, Change::Set(_));
                let field = if is_posting { "jobPostingUrl" } else { "id" };
                Err(rule.at(field).into())
            }
            Some(_) => Ok(wanted),
            None => {
                earlier.add(row);
                Ok(wanted)
            }
        }
    }
}

/// The value of a stored field; null if it is missing.
fn value_of(fields: &Value, name: &str) -> Value {
    fields.get(name).cloned().unwrap_or_default()
}

fn value_in(entry: &HistoryItem, name: &str) -> Value {
    value_of(entry.snapshot(), name)
}

/// Whether a history entry is of an import, which has changed nothing else.
fn is_of_import(line: &Line) -> bool {
    let description = line.entry.description();
    let is_whole = line.before.is_some() || line.sequence == FIRST_ENTRY;
    is_whole && (description == IMPORTED || description.starts_with(IMPORTED_AGAIN))
}

/// The job posting of a row, in the spelling by which postings are compared.
fn posting(row: &ListRow) -> Option<String> {
    posting_of(&row.fields.job_posting_url)
}

fn posting_of(address: &Change<String>) -> Option<String> {
    match address {
        Change::Set(posting) => Some(canonical(posting.trim())),
        Change::Clear | Change::Unchanged => None,
    }
}

impl ListRow {
    /// The row as a new application, and the date that it got because it was sent and the row does not say when.
    fn into_new(mut self, sent_on: &str) -> (Self, Option<String>) {
        self.fields = as_new(self.fields, self.has_date);
        let dated_on = is_undated(&self.fields).then(|| sent_on.to_owned());
        if let Some(day) = &dated_on {
            self.fields.date_applied = Change::Set(day.clone());
        }
        (self, dated_on)
    }
}
