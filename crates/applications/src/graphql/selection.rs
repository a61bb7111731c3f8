//! What a query selects, so that no more is read than is answered.

use std::collections::BTreeSet;

use async_graphql::{Context, InputType, Name, SelectionField, Value};

use crate::model::{Application, Details, IfEmpty};
use crate::store::{Content, HistoryRange, InsightWanted, Part, Wanted};
use trestle_api::{ApiError, page_args};
use trestle_table::Direction;

/// What a query selects of `Application`.
#[derive(Clone, Debug, Default)]
pub struct Selected {
    attributes: BTreeSet<&'static str>,
    stages: bool,
    /// The size of the largest first page of history that is selected.
    newest: Option<usize>,
    history: Option<Content>,
}

impl Selected {
    /// What is selected below the field that is being resolved, `path` leading to `Application`.
    pub fn below(ctx: &Context<'_>, path: &[&str]) -> Self {
        let mut selected = Self::default();
        collect(ctx.field(), path, &mut |field| selected.add(field));
        selected
    }

    fn add(&mut self, field: SelectionField<'_>) {
        match field.name() {
            "interviewStages" => self.stages = true,
            "history" => {
                let content = content(field);
                self.history = self.history.max(Some(content));
                if let Ok(args) = page_args(field)
                    && args.direction == Direction::Forward
                    && args.cursor.is_none()
                {
                    self.newest = self.newest.max(Some(args.size));
                }
            }
            name => {
                let mut fields = Details::FIELDS.iter();
                let field = fields.find(|field| field.name == name);
                // Those that are never empty are always read.
                let field = field.filter(|field| field.if_empty != IfEmpty::Never);
                self.attributes.extend(field.map(|field| field.name));
                if name == "statusSince" {
                    self.attributes.extend(Application::STATUS_SINCE);
                }
            }
        }
    }

    /// For one application: its newest history is read with it.
    pub fn with_history(&self) -> Wanted {
        let history = self.newest.map(|size| HistoryRange {
            size,
            direction: Direction::Forward,
            cursor: None,
            content: self.history.unwrap_or(Content::Lines),
        });
        Wanted {
            attributes: self.attributes.iter().copied().collect(),
            stages: self.stages,
            history,
        }
    }

    /// For many applications: a loader reads history and stages.
    pub fn alone(&self) -> Wanted {
        Wanted {
            attributes: self.attributes.iter().copied().collect(),
            stages: false,
            history: None,
        }
    }

    /// How many of an application's newest history entries the loader reads; `None` if it reads none.
    pub fn entries(&self) -> Option<usize> {
        let before = usize::from(self.history == Some(Content::Snapshots));
        let newest = self.newest.map(|size| size + before);
        newest.or(self.stages.then_some(1))
    }

    /// What the loader reads of each history entry.
    pub fn part(&self) -> Part {
        match (self.stages, self.history) {
            (_, Some(Content::Snapshots)) => Part::Whole,
            (true, Some(Content::Lines)) => Part::LineAndStages,
            (false, Some(Content::Lines)) => Part::Line,
            (_, None) => Part::Stages,
        }
    }
}

/// Whether a `history` field selects fields that need the entries' snapshots.
pub fn content(history: SelectionField<'_>) -> Content {
    let mut content = Content::Lines;
    collect(history, &["edges", "node"], &mut |field| {
        if matches!(field.name(), "snapshot" | "changes") {
            content = Content::Snapshots;
        }
    });
    content
}

/// The default number of `weeks`.
pub const DEFAULT_WEEKS: i32 = 26;
/// The maximum number of `weeks`: two years.
const MAX_WEEKS: i32 = 104;

/// The argument of `weeks`.
///
/// # Errors
/// BAD_USER_INPUT unless it is 1 to 104.
pub fn weeks(last: Option<i32>) -> Result<u32, ApiError> {
    let last = last.unwrap_or(DEFAULT_WEEKS);
    match last {
        1..=MAX_WEEKS => Ok(last.unsigned_abs()),
        _ => Err(ApiError::bad_input(format!(
            "`last` must be from 1 to {MAX_WEEKS}."
        ))),
    }
}

/// What is selected of the insight that is being resolved: of several `weeks`, the longest. A field with an
/// invalid argument reports that itself.
pub fn insight(ctx: &Context<'_>) -> InsightWanted {
    let mut wanted = InsightWanted::default();
    collect(ctx.field(), &[], &mut |field| match field.name() {
        "weeks" => {
            let last = field
                .arguments()
                .ok()
                .and_then(|arguments| number(&arguments, "last"));
            wanted.weeks = wanted.weeks.max(weeks(last).ok());
        }
        "stays" => wanted.stays = true,
        _ => {}
    });
    wanted
}

/// Calls `visit` for each field selected at the end of `path`.
fn collect(field: SelectionField<'_>, path: &[&str], visit: &mut impl FnMut(SelectionField<'_>)) {
    for below in field.selection_set() {
        match path.split_first() {
            None => visit(below),
            Some((name, rest)) if *name == below.name() => collect(below, rest, visit),
            Some(_) => {}
        }
    }
}

fn number(arguments: &[(Name, Value)], name: &str) -> Option<i32> {
    let (_, value) = arguments.iter().find(|(other, _)| other == name)?;
    i32::parse(Some(value.clone())).ok()
}
