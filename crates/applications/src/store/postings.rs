//! Which applications are for the same job: for the answer of a create, which says that the job is tracked already, and for imports.

use std::collections::{BTreeSet, HashMap, HashSet};

use dataloader::BatchFn;
use dataloader::cached::Loader;

use crate::error::StoreError;
use crate::model::{Application, ApplicationId, canonical};
use trestle_table::{Item, Projection};

use super::jobs::Job;
use super::list::WholeList;
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
        Self::of_texts(application.id.clone(), [posting, company, position])
    }

    /// Of an item with the attributes [`JobKey::ATTRIBUTES`].
    fn of_item(id: ApplicationId, item: &Item) -> Self {
        let texts = Self::ATTRIBUTES.map(|name| Some(item.get(name)?.as_s().ok()?.as_str()));
        Self::of_texts(id, texts)
    }

    const ATTRIBUTES: [&str; 3] = ["jobPostingUrl", "companyName", "positionTitle"];

    /// Of the texts of these attributes.
    fn of_texts(id: ApplicationId, texts: [Option<&str>; 3]) -> Self {
        let [posting, company, position] = texts;
        let job = company.zip(position);
        Self {
            application: id,
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

/// The jobs of the applications that an import finds and creates.
#[derive(Default)]
pub struct TrackedJobs {
    ids: HashSet<ApplicationId>,
    postings: HashSet<String>,
    by_job: HashMap<Job, Vec<JobKey>>,
    /// The applications for the jobs of those that were added.
    others: HashMap<ApplicationId, Vec<ApplicationId>>,
}

impl TrackedJobs {
    /// Whether an application to the posting of `made` is known, in any spelling.
    pub(super) fn has_posting(&self, made: &Application) -> bool {
        let posting = made.details.job_posting_url.stored().as_str();
        posting.is_some_and(|posting| self.postings.contains(&canonical(posting)))
    }

    /// Adds an application, and notes which others are for its job.
    pub(super) fn add(&mut self, made: &Application) {
        self.add_key(JobKey::of(made));
    }

    /// Whether there is an application with this id.
    pub(super) fn has(&self, id: &ApplicationId) -> bool {
        self.ids.contains(id)
    }

    fn add_key(&mut self, key: JobKey) {
        self.ids.insert(key.application.clone());
        self.postings.extend(key.posting.clone());
        let Some(job) = key.job.clone() else {
            return;
        };
        let same = self.by_job.entry(job).or_default();
        let mut others = Vec::new();
        for other in same.iter().filter(|other| key.is_same_job(other)) {
            others.push(other.application.clone());
        }
        if !others.is_empty() {
            self.others.insert(key.application.clone(), others);
        }
        same.push(key);
    }

    /// The other applications for the job of one that was added, as [`Postings::others`] finds them.
    pub fn others(&self, made: &ApplicationId) -> &[ApplicationId] {
        self.others.get(made).map_or(&[], Vec::as_slice)
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
    /// The jobs of all applications, archived or not. Every page of GSI2 and of GSI1's archived partitions.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn tracked_jobs(&self) -> Result<TrackedJobs, StoreError> {
        let filter = ListFilter {
            archived: ArchivedFilter::Include,
            ..ListFilter::default()
        };
        let mut attributes = JobKey::ATTRIBUTES.to_vec();
        attributes.extend(["PK", "SK"]);
        let mut tracked = TrackedJobs::default();
        for partition in filter.partitions() {
            let query = self
                .table
                .query_index(partition.index(), self.scope.listed(partition))
                .project(Projection::Only(attributes.clone()));
            for item in query.all(&self.meter).await? {
                if let Some(id) = self.id_in(&item) {
                    tracked.add_key(JobKey::of_item(id, &item));
                }
            }
        }
        Ok(tracked)
    }

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
        let list = WholeList {
            filter: &filter,
            only: None,
            too_many: "Too many applications to find those for the same job: more than 10,000 must be read. Ask for \
                       `applications` with the filter `jobPostingUrls`.",
        };
        let listed = self.matching(list, attributes.projection()).await?;
        let listed: Vec<_> = listed.iter().map(JobKey::of).collect();
        let mut others: Vec<(&JobKey, Vec<ApplicationId>)> = Vec::new();
        for job in wanted {
            let same = listed.iter().filter(|other| job.is_same_job(other));
            let ids = same.map(|other| other.application.clone());
            others.push((job, ids.collect()));
        }
        let ids: BTreeSet<_> = others.iter().flat_map(|(_, ids)| ids).collect();
        let ids: Vec<_> = ids.into_iter().collect();
        let mut found = if ids.is_empty() {
            Vec::new()
        } else {
            self.applications_alone(&ids).await?
        };
        found.sort_by_cached_key(|found| (found.created_at.get(), found.id.clone()));
        let others = others.iter().map(|(job, ids)| {
            let others = found.iter().filter(|found| ids.contains(&found.id));
            ((*job).clone(), others.cloned().collect())
        });
        Ok(others.collect())
    }
}
