//! Which applications are to a job posting: for the answer of a create, which says that the posting is tracked already.

use std::collections::{BTreeSet, HashMap, HashSet};

use dataloader::BatchFn;
use dataloader::cached::Loader;

use crate::error::StoreError;
use crate::model::{Application, ApplicationId, spellings};

use super::{Applications, ArchivedFilter, ListFilter, MoreFilters, Wanted};

/// More postings than any request has: the loader never splits.
const NO_SPLIT: usize = 100_000;
/// How often the loader lets the rest of the request run before it reads, so that a batch of creates is one reading.
const YIELDS: usize = 2;

type Found = Result<Vec<Application>, StoreError>;

/// Loads the applications to job postings, all postings of a request together. Created for each request.
#[derive(Clone)]
pub struct Postings(Loader<Of, Found, Fetch>);

impl Postings {
    /// A loader of one viewer's applications.
    pub fn new(applications: Applications) -> Self {
        let loader = Loader::new(Fetch(applications))
            .with_max_batch_size(NO_SPLIT)
            .with_yield_count(YIELDS);
        Self(loader)
    }

    /// The other applications to the job posting of `made`, archived or not, in the order of their creation. Nothing is
    /// read if it has none. Otherwise every page of GSI2 and of GSI1's archived partitions, at most 10,000 applications,
    /// and BatchGetItem of those that are found.
    ///
    /// # Errors
    /// [`StoreError::TooMany`]; [`StoreError`].
    pub async fn others(&self, made: &Application) -> Found {
        let Some(posting) = made.details.job_posting_url.get() else {
            return Ok(Vec::new());
        };
        let of = Of {
            posting: posting.as_str().to_owned(),
            made: made.id.clone(),
        };
        let loaded = self.0.try_load(of).await;
        loaded.unwrap_or(Err(StoreError::LostKey))
    }
}

/// An application that was created, and its job posting.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Of {
    posting: String,
    made: ApplicationId,
}

/// Fetches what the loader gathered.
struct Fetch(Applications);

impl BatchFn<Of, Found> for Fetch {
    async fn load(&mut self, wanted: &[Of]) -> HashMap<Of, Found> {
        match self.0.to_postings(wanted).await {
            Ok(found) => found
                .into_iter()
                .map(|(of, found)| (of, Ok(found)))
                .collect(),
            Err(error) => {
                let wanted = wanted.iter();
                wanted.map(|of| (of.clone(), Err(error.clone()))).collect()
            }
        }
    }
}

impl Applications {
    /// The other applications to each of these job postings, in any spelling.
    async fn to_postings(
        &self,
        wanted: &[Of],
    ) -> Result<HashMap<Of, Vec<Application>>, StoreError> {
        let spelled = wanted.iter().flat_map(|of| spellings(&of.posting));
        let filter = ListFilter {
            archived: ArchivedFilter::Include,
            more: MoreFilters {
                job_posting_urls: spelled.collect(),
                ..MoreFilters::default()
            },
            ..ListFilter::default()
        };
        let listed = self
            .matching(&filter, Wanted::default().projection())
            .await?;
        let others = |of: &Of| {
            let spelled: HashSet<_> = spellings(&of.posting).into_iter().collect();
            let is_other = move |listed: &&Application| {
                let stored = listed.details.job_posting_url.stored().as_str();
                listed.id != of.made && stored.is_some_and(|stored| spelled.contains(stored))
            };
            let ids = listed.iter().filter(is_other).map(|other| other.id.clone());
            (of.clone(), ids.collect::<Vec<_>>())
        };
        let others: Vec<_> = wanted.iter().map(others).collect();
        let ids: BTreeSet<_> = others.iter().flat_map(|(_, ids)| ids).collect();
        let ids: Vec<_> = ids.into_iter().collect();
        let mut found = if ids.is_empty() {
            Vec::new()
        } else {
            self.applications_alone(&ids).await?
        };
        found.sort_by_cached_key(|found| (found.created_at.get(), found.id.clone()));
        let with = |(of, ids): (Of, Vec<ApplicationId>)| {
            let of_it = found.iter().filter(|found| ids.contains(&found.id));
            let of_it: Vec<_> = of_it.cloned().collect();
            (of, of_it)
        };
        Ok(others.into_iter().map(with).collect())
    }
}
