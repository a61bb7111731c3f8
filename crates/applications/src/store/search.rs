//! Search over all texts of applications and of their stages: a bounded number of applications for each request.

use std::collections::HashMap;

use futures_util::future::try_join_all;

use crate::error::StoreError;
use crate::items::SnapshotStages;
use crate::keys::Place;
use crate::model::{Application, ApplicationId, Stage};
use trestle_table::Direction;

use super::history::Part;
use super::list::{TEXTS, fold, texts};
use super::{ArchivedFilter, Entries, ListFilter, ListOrder, Listed, Wanted, Window};

/// The most applications that a request searches.
const SEARCHED: usize = 500;
/// How many of them are read at once.
const CHUNK: usize = 100;
/// The most applications of a request whose stages are not in their newest history entry: a Query and a GetItem for each.
const STAGES_APART: usize = 100;
/// How many of these are read at the same time.
const READERS: usize = 10;

/// What is searched for, and where.
#[derive(Clone, Debug)]
pub struct Search {
    words: Vec<String>,
    filter: ListFilter,
}

/// A page of what was found, in the order of the list.
#[derive(Clone, Debug, Default)]
pub struct SearchPage {
    /// What was found.
    pub found: Vec<Found>,
    /// How many applications were searched for it.
    pub searched: usize,
    /// Where the search stopped: the next page begins after it.
    pub stopped: Option<Place>,
    /// Whether there is more to search.
    pub more: bool,
}

/// An application that was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its place in the list.
    pub place: Place,
    /// The application.
    pub application: Application,
    /// The fields that have one of the words; those of stages as `interviewStages.name`.
    pub matched_in: Vec<&'static str>,
}

impl Search {
    /// A search for every word of a text; `None` if it has no word.
    pub fn new(text: &str, archived: ArchivedFilter) -> Option<Self> {
        let words: Vec<_> = text.split_whitespace().map(fold).collect();
        let filter = ListFilter {
            archived,
            ..ListFilter::default()
        };
        (!words.is_empty()).then_some(Self { words, filter })
    }

    /// An application of a list, if it can be read, and what its own texts have.
    fn look(&self, listed: Listed<Place>) -> (Place, Option<(Application, Matches)>) {
        let application = listed.application.ok();
        let looked = application.map(|application| {
            let matches = Matches::of(&self.words, &application);
            (application, matches)
        });
        (listed.place, looked)
    }

    /// The name of its list, for cursors.
    pub fn name(&self) -> String {
        format!("search {:?} {:?}", self.filter.archived, self.words)
    }
}

/// Which words were found, and where.
struct Matches {
    words: Vec<bool>,
    fields: Vec<&'static str>,
}

impl Matches {
    fn look(&mut self, words: &[String], field: &'static str, text: &str) {
        let text = fold(text);
        for (word, found) in words.iter().zip(&mut self.words) {
            if text.contains(word.as_str()) {
                *found = true;
                if !self.fields.contains(&field) {
                    self.fields.push(field);
                }
            }
        }
    }

    fn are_all(&self) -> bool {
        self.words.iter().all(|found| *found)
    }

    fn of(words: &[String], application: &Application) -> Self {
        let mut matches = Self {
            words: vec![false; words.len()],
            fields: Vec::new(),
        };
        for (field, text) in texts(application) {
            matches.look(words, field, &text);
        }
        matches
    }

    fn and_of(mut self, words: &[String], stages: &[Stage]) -> Self {
        for stage in stages {
            for (field, text) in [
                ("interviewStages.name", &stage.name),
                ("interviewStages.notes", &stage.notes),
            ] {
                self.look(words, field, &text.text());
            }
        }
        self
    }
}

impl Entries {
    /// A page of what a search finds, newest change first: at most `size`, from at most [`SEARCHED`] applications.
    /// For each [`CHUNK`] applications, one Query for each partition as a list, and one BatchGetItem of the newest history
    /// entries of those whose own texts do not have every word, for their stages. Where an entry does not have the stages,
    /// one Query and one GetItem, for at most [`STAGES_APART`] applications.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn search(
        &self,
        search: &Search,
        window: Window<'_, Place>,
        wanted: &Wanted,
    ) -> Result<SearchPage, StoreError> {
        let (size, direction) = (window.size, window.direction);
        let mut attributes = wanted.attributes.clone();
        attributes.extend(
            TEXTS
                .iter()
                .filter(|name| !wanted.attributes.contains(name)),
        );
        let wanted = Wanted {
            attributes,
            ..Wanted::default()
        };
        let mut page = SearchPage {
            stopped: window.from.cloned(),
            ..SearchPage::default()
        };
        let mut apart = STAGES_APART;
        while page.found.len() < size && page.searched < SEARCHED {
            let window = Window::new(CHUNK, direction, page.stopped.as_ref());
            let list = self
                .applications
                .list(&search.filter, ListOrder::NEWEST_FIRST, window, &wanted)
                .await?;
            let mut rest: Vec<_> = list
                .items
                .into_iter()
                .map(|listed| search.look(listed))
                .collect();
            if direction == Direction::Backward {
                rest.reverse();
            }
            let undecided = rest.iter().filter_map(|(_, looked)| looked.as_ref());
            let undecided = undecided.filter(|(_, matches)| !matches.are_all());
            let undecided: Vec<_> = undecided.map(|(application, _)| application).collect();
            let stages = self.stages_of(undecided, &mut apart).await?;
            let (count, mut taken) = (rest.len(), 0);
            for (place, looked) in rest {
                if let Some((application, matches)) = looked {
                    let matches = match stages.get(&application.id) {
                        _ if matches.are_all() => matches,
                        Some(stages) => matches.and_of(&search.words, stages),
                        // The next page begins with it.
                        None => break,
                    };
                    if matches.are_all() {
                        page.found.push(Found {
                            place: place.clone(),
                            application,
                            matched_in: matches.fields,
                        });
                    }
                }
                page.stopped = Some(place);
                page.searched += 1;
                taken += 1;
                if page.found.len() == size {
                    break;
                }
            }
            page.more = list.more || taken < count;
            if !page.more || taken < count {
                break;
            }
        }
        if direction == Direction::Backward {
            page.found.reverse();
        }
        Ok(page)
    }

    /// The stages of these applications, as far as they are read: `apart` is how many may be read on their own.
    async fn stages_of(
        &self,
        undecided: Vec<&Application>,
        apart: &mut usize,
    ) -> Result<HashMap<ApplicationId, Vec<Stage>>, StoreError> {
        let loads = undecided.into_iter().map(|application| async move {
            let entry = match application.version() {
                0 => None,
                sequence => self.load(&application.id, sequence, Part::Stages).await?,
            };
            let stages = entry.and_then(|item| SnapshotStages(item).of(application));
            Ok::<_, StoreError>((application, stages))
        });
        let loaded = try_join_all(loads).await?;
        let unknown = loaded.iter().filter(|(_, stages)| stages.is_none());
        let unknown: Vec<_> = unknown
            .map(|(application, _)| *application)
            .take(*apart)
            .collect();
        *apart -= unknown.len();
        let mut found: HashMap<_, _> = loaded
            .into_iter()
            .filter_map(|(application, stages)| Some((application.id.clone(), stages?)))
            .collect();
        for part in unknown.chunks(READERS) {
            let reads = part.iter().map(|application| async move {
                let stages = self.applications.stages_at(application).await?;
                Ok::<_, StoreError>((application.id.clone(), stages))
            });
            found.extend(try_join_all(reads).await?);
        }
        Ok(found)
    }
}
