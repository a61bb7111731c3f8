//! Suggestions: jobs that fit a seeker, for about a week.

pub mod content;
#[cfg(test)]
mod evaluation;
pub mod graphql;
pub mod reason;
pub mod relevance;

use std::collections::{HashMap, HashSet};

use async_graphql::SimpleObject;
use serde::{Deserialize, Serialize};

use trestle_api::viewer::Viewer;
use trestle_api::{ApiError, IdBytes, Listed, Node, Session};
use trestle_domain::{Day, Moment, RawId as _, Seconds, UserId};
use trestle_table::{
    Entity, ForeignItem, IndexKey, Key, KeyedAttributes, Listing, Pk, Sk, TableDefinition,
    TableError, VisibilityFilter,
};

use super::access::Party;
use super::foreign::{StoredKey, complete_suggestion, is_nobody, nobody};
use super::interests::Interest;
use super::jobs::{Job, JobRef, read_text, write_text};
use super::seekers::Seeker;
use super::table::{self, GSI1, TABLE};

use reason::{Reason, Relevance};
use relevance::Assessment;

/// How long a suggestion lasts, in seconds.
const LASTS: i64 = 7 * 24 * 60 * 60;

/// A job suggested to a seeker. Only the seeker sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct Suggestion {
    #[graphql(skip)]
    pub seeker_id: UserId,
    /// Nobody if another program does not say it.
    #[serde(default = "nobody", skip_serializing_if = "is_nobody")]
    #[graphql(skip)]
    pub employer_id: UserId,
    #[graphql(skip)]
    pub job: JobRef,
    /// Where another program has stored it that does not name its job.
    #[serde(default, skip_serializing)]
    #[graphql(skip)]
    pub at: Option<StoredKey>,
    /// How relevant the job is.
    pub relevance: Relevance,
    /// Points of 100: those of all reasons together.
    pub score: u32,
    /// Why the job is suggested.
    pub reasons: Vec<Reason>,
    /// When the suggestion expires, in seconds after 1970.
    #[graphql(skip)]
    pub ttl: i64,
}

/// What the key of a suggestion is made of, and the employer, who is verified with the job.
#[derive(Clone, Debug, PartialEq)]
pub struct SuggestionId {
    pub relevance: Relevance,
    pub job: JobRef,
    pub employer_id: UserId,
    pub seeker_id: UserId,
    /// Where another program has stored it.
    pub at: Option<StoredKey>,
}

impl SuggestionId {
    /// The same suggestion at each level of relevance, this one's first. At most one of them is stored.
    pub fn at_each_level(&self) -> Vec<Self> {
        if self.at.is_some() {
            return vec![self.clone()];
        }
        let mut levels = Relevance::ALL.to_vec();
        levels.sort_by_key(|level| *level != self.relevance);
        let at = |relevance| Self {
            relevance,
            ..self.clone()
        };
        levels.into_iter().map(at).collect()
    }
}

impl Entity for Suggestion {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "suggestion";
    const KEYED: KeyedAttributes = &[
        ("GSI1PK", &["", "seekerId"]),
        ("GSI1SK", &["", "relevance"]),
    ];
    type Id = SuggestionId;

    fn complete(item: &mut ForeignItem<'_>) {
        complete_suggestion(item);
    }

    fn key_of(id: &SuggestionId) -> Key {
        if let Some(StoredKey { pk, sk }) = &id.at {
            return Key::new(Pk::stored(pk), Sk::stored(sk));
        }
        let sk = id.job.place(Sk::of("s", id.relevance));
        Key::new(table::suggested_in(&id.job.city), sk.then(&id.seeker_id))
    }

    fn identity(&self) -> SuggestionId {
        SuggestionId {
            relevance: self.relevance,
            job: self.job.clone(),
            employer_id: self.employer_id.clone(),
            seeker_id: self.seeker_id.clone(),
            at: self.at.clone(),
        }
    }

    fn index_keys(&self) -> Vec<IndexKey> {
        let sk = self.job.place(Sk::of("j", self.relevance));
        vec![GSI1.at(table::seeker(&self.seeker_id), sk)]
    }

    fn expires(&self) -> Option<i64> {
        Some(self.ttl)
    }
}

impl Listed for Suggestion {
    const PAGE: &'static str = "A page of suggestions.";
    const EDGE: &'static str = "A suggestion in a list.";
}

/// Added to the level in the id of a suggestion that is known by its key alone.
const STORED: u8 = 0x80;

impl IdBytes for SuggestionId {
    fn write(&self, to: &mut Vec<u8>) {
        let level = Relevance::ALL
            .iter()
            .position(|level| *level == self.relevance);
        let level = level.and_then(|level| u8::try_from(level).ok());
        let level = level.unwrap_or_default();
        match &self.at {
            Some(StoredKey { pk, sk }) => {
                to.push(level | STORED);
                write_text(pk, to);
                write_text(sk, to);
            }
            None => to.push(level),
        }
        self.job.write(to);
        self.employer_id.write(to);
    }

    /// Without the seeker, who is the viewer.
    fn read(_: &mut &[u8]) -> Option<Self> {
        None
    }
}

impl Node for Suggestion {
    const TAG: u8 = b'S';

    fn read_id(from: &mut &[u8], viewer: &Viewer) -> Option<SuggestionId> {
        let (level, rest) = from.split_first()?;
        *from = rest;
        let is_stored = level & STORED != 0;
        let at = if is_stored {
            let (pk, sk) = (read_text(from)?.to_owned(), read_text(from)?.to_owned());
            Some(StoredKey { pk, sk })
        } else {
            None
        };
        Some(SuggestionId {
            at,
            relevance: *Relevance::ALL.get(usize::from(level & !STORED))?,
            job: JobRef::read(from)?,
            employer_id: UserId::read(from)?,
            seeker_id: UserId::new(viewer.subject()),
        })
    }

    async fn visible_to(self, session: &Session) -> Result<Option<Self>, ApiError> {
        let own = Party::Seeker.is(session) && self.seeker_id == session.user();
        let live = self.is_live(session.tables.now().timestamp());
        if !own || !live {
            return Ok(None);
        }
        let mut found = vec![self];
        locate(session, &mut found).await?;
        let Some(found) = found.pop() else {
            return Ok(None);
        };
        let open = OfOpenJobs(session).admit(&[&found]).await?;
        Ok((open == [true]).then_some(found))
    }
}

impl Suggestion {
    /// The suggestion of a job to a seeker, made at a moment.
    pub fn new(seeker: UserId, job: &Job, fit: Assessment, now: Moment) -> Self {
        Self {
            seeker_id: seeker,
            employer_id: job.employer_id.clone(),
            job: job.reference(),
            at: None,
            relevance: fit.relevance,
            score: fit.score,
            reasons: fit.reasons,
            ttl: now.seconds() + LASTS,
        }
    }

    /// Whether it names the city and the employer of its job: those of other programs may not.
    fn names_its_job(&self) -> bool {
        !self.job.city.is_unknown() && !is_nobody(&self.employer_id)
    }

    /// Whether it has not expired at a moment in seconds after 1970, be it deleted or not.
    pub fn is_live(&self, now: i64) -> bool {
        self.ttl > now
    }

    /// Its position in a list: by level, then by score, then the newest job first. Compared as bytes.
    pub fn position(&self) -> Vec<u8> {
        let level = Relevance::ALL
            .iter()
            .position(|level| *level == self.relevance);
        let level = level
            .and_then(|level| u8::try_from(level).ok())
            .unwrap_or(u8::MAX);
        let score = u8::try_from(self.score).unwrap_or(u8::MAX);
        let newest_first = self.job.job_id.raw().to_bytes().map(|byte| !byte);
        [&[level, !score][..], &newest_first].concat()
    }

    /// Whether it lasts so long that it need not be written again at a moment in seconds after 1970.
    pub fn is_fresh(&self, now: i64) -> bool {
        self.ttl > now + LASTS / 2
    }

    /// Whether it says what an assessment says.
    pub fn says(&self, fit: &Assessment) -> bool {
        (self.relevance, self.score) == (fit.relevance, fit.score) && self.reasons == fit.reasons
    }

    /// When it expires.
    pub fn expires_at(&self) -> Option<Moment<Seconds>> {
        Moment::from_seconds(self.ttl)
    }
}

/// Suggestions of a seeker that have not expired at `now`, by their keys. GSI1 `seeker#<seekerId>` / `j#`, one Query.
pub fn of_seeker(seeker: &UserId, now: i64) -> Listing<Suggestion> {
    Listing::<Suggestion>::on("suggestions/seeker", &GSI1, table::seeker(seeker))
        .begins_with(Sk::word("j").below())
        .keeping("live", move |suggestion| suggestion.is_live(now))
}

/// Suggestions of a job, a list for each level. `suggestion#<city>#` / `s#<level>#<date>#<zip>#<jobId>#`, one Query each.
pub fn of_job(job: &JobRef) -> Vec<Listing<Suggestion>> {
    let levels = Relevance::ALL.iter();
    let lists = levels.map(|level| {
        Listing::of("suggestions/job", table::suggested_in(&job.city))
            .begins_with(job.place(Sk::of("s", *level)).below())
    });
    lists.collect()
}

/// Finds the jobs of the viewer's suggestions that do not name them in the cities where the viewer looks for jobs, and leaves
/// out suggestions whose job is not there or is answered. None if all name theirs; else one GetItem and two BatchGetItem.
pub async fn locate(session: &Session, found: &mut Vec<Suggestion>) -> Result<(), ApiError> {
    if found.iter().all(Suggestion::names_its_job) {
        return Ok(());
    }
    let user = session.user();
    let seeker = session.load::<Seeker>(&user).await?;
    let cities = seeker.map(|seeker| seeker.searched_cities());
    let cities = cities.unwrap_or_default();
    let mut asked = HashSet::new();
    for suggestion in found.iter().filter(|one| !one.names_its_job()) {
        if !suggestion.job.city.is_unknown() {
            asked.insert(suggestion.job.clone());
            continue;
        }
        for city in &cities {
            let job = suggestion.job.clone();
            let city = city.clone();
            asked.insert(JobRef { city, ..job });
        }
    }
    let mut jobs: HashMap<_, Job> = HashMap::new();
    let asked: Vec<_> = asked.into_iter().collect();
    for job in session.tables.batch::<Job>(&asked).await? {
        if let Some(Ok(job)) = job {
            jobs.insert(job.job_id, job);
        }
    }
    let answers: Vec<_> = jobs.keys().map(|job| (*job, user.clone())).collect();
    let stored = session.tables.batch::<Interest>(&answers).await?;
    for ((job, _), answer) in answers.iter().zip(stored) {
        if answer.is_some() {
            jobs.remove(job);
        }
    }
    for suggestion in found.iter_mut() {
        let job = jobs.get(&suggestion.job.job_id);
        if let Some(job) = job.filter(|_| !suggestion.names_its_job()) {
            suggestion.job = job.reference();
            suggestion.employer_id = job.employer_id.clone();
        }
    }
    found.retain(Suggestion::names_its_job);
    // A suggestion of this service for the same job is the same one.
    let mut seen = HashSet::new();
    found.sort_by_key(|one| one.at.is_none());
    found.retain(|one| seen.insert(one.job.clone()));
    Ok(())
}

/// Admits suggestions whose job is open. One BatchGetItem of the jobs of a page.
pub struct OfOpenJobs<'s>(pub &'s Session);

impl VisibilityFilter<Suggestion> for OfOpenJobs<'_> {
    async fn admit(&self, suggestions: &[&Suggestion]) -> Result<Vec<bool>, TableError> {
        let today = Day::of(self.0.tables.now());
        let ids: Vec<_> = suggestions.iter().map(|s| s.job.clone()).collect();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let jobs = self.0.tables.batch::<Job>(&ids).await?;
        let open = |job: Option<Result<Job, _>>| {
            job.is_some_and(|job| job.is_ok_and(|job: Job| job.is_open(today)))
        };
        Ok(jobs.into_iter().map(open).collect())
    }
}
