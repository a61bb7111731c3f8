//! Which applications are for the same job: for the answer of a create, which says that the job is tracked already.

use std::collections::{BTreeSet, HashMap};

use dataloader::BatchFn;
use dataloader::cached::Loader;

use crate::error::StoreError;
use crate::model::{Application, ApplicationId, canonical};

use super::jobs::Job;
use super::{Applications, ArchivedFilter, ListFilter, Wanted};

/// More postings than any request has: the loader never splits.
const NO_SPLIT: usize = 100_000;
/// How often the loader lets the rest of the request run before it reads, so that a batch of creates is one reading.
const YIELDS: usize = 2;

type Found = Result<Vec<Application>, StoreError>;

/// Loads the applications to job postings, all postings of a request together. Created for each request.
#[derive(Clone)]
pub struct Postings(Loader<JobKey, Found, Fetch>);

impl Postings {
    /// A loader of one viewer's applications.
    pub fn new(applications: Applications) -> Self {
        let loader = Loader::new(Fetch(applications))
            .with_max_batch_size(NO_SPLIT)
            .with_yield_count(YIELDS);
        Self(loader)
    }

    /// The other applications for the job of `made`, archived or not, in the order of their creation: those with the same
    /// posting and, if one of the two has none, those with the same company and position. Every page of GSI2 and of GSI1's
    /// archived partitions, at most 10,000 applications, and BatchGetItem of those that are found.
    ///
    /// # Errors
    /// [`StoreError::TooMany`]; [`StoreError`].
    pub async fn others(&self, made: &Application) -> Found {
        let loaded = self.0.try_load(JobKey::of(made)).await;
        loaded.unwrap_or(Err(StoreError::LostKey))
    }
}

/// An application and its job.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct JobKey {
    application: ApplicationId,
    posting: Option<String>,
    job: Option<Job>,
}

impl JobKey {
    fn of(application: &Application) -> Self {
        let details = &application.details;
        let posting = details.job_posting_url.stored().as_str();
        let company = details.company_name.stored().as_str();
        let position = details.position_title.stored().as_str();
        let job = company.zip(position);
        Self {
            application: application.id.clone(),
            posting: posting.map(canonical),
            job: job.and_then(|(company, position)| Job::of(company, position)),
        }
    }

    fn is_same_job(&self, other: &Self) -> bool {
        if self.application == other.application {
            return false;
        }
        match (&self.posting, &other.posting) {
            (Some(posting), Some(other)) => posting == other,
            (None, _) | (_, None) => self.job.is_some() && self.job == other.job,
        }
    }
}

/// Fetches what the loader gathered.
struct Fetch(Applications);

impl BatchFn<JobKey, Found> for Fetch {
    async fn load(&mut self, wanted: &[JobKey]) -> HashMap<JobKey, Found> {
        match self.0.for_jobs(wanted).await {
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
    /// The other applications for each of these jobs.
    async fn for_jobs(
        &self,
        wanted: &[JobKey],
    ) -> Result<HashMap<JobKey, Vec<Application>>, StoreError> {
        let filter = ListFilter {
            archived: ArchivedFilter::Include,
            ..ListFilter::default()
        };
        let attributes = Wanted {
            attributes: vec!["jobPostingUrl"],
            ..Wanted::default()
        };
        let listed = self.matching(&filter, attributes.projection()).await?;
        let listed: Vec<_> = listed.iter().map(JobKey::of).collect();
        let others = |of: &JobKey| {
            let others = listed.iter().filter(|other| of.is_same_job(other));
            let ids = others.map(|other| other.application.clone());
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
        let with = |(of, ids): (JobKey, Vec<ApplicationId>)| {
            let of_it = found.iter().filter(|found| ids.contains(&found.id));
            let of_it: Vec<_> = of_it.cloned().collect();
            (of, of_it)
        };
        Ok(others.into_iter().map(with).collect())
    }
}
