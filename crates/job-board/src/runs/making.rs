//! Making suggestions of jobs to seekers, a few at a time. Made again, they stay as they are: only what differs is
//! written.

use std::collections::{HashMap, HashSet};

use crate::interests::Interest;
use crate::jobs::{Job, JobRef};
use crate::seekers::Seeker;
use crate::suggestions::content::{Offered, Wanted};
use crate::suggestions::reason::Relevance;
use crate::suggestions::relevance::assess;
use crate::suggestions::{Suggestion, SuggestionId};
use crate::table::TABLE;
use trestle_domain::{Day, Moment, UserId};
use trestle_table::{
    Condition, Entity, Item, Key, TableError, Tables, TransactionBuilder, UnitError,
    Versioned as _, from_item,
};

/// Pairs of one transaction: each takes up to six of its 100 steps.
const AT_ONCE: usize = 16;

/// A seeker, and a job that may fit.
#[derive(Clone, Debug)]
pub struct Pair {
    seeker: UserId,
    job: JobRef,
    /// Whether the job is to be suggested if it fits.
    is_wanted: bool,
}

impl Pair {
    /// A job that is to be suggested if it fits.
    pub fn wanted(seeker: UserId, job: JobRef) -> Self {
        Self {
            seeker,
            job,
            is_wanted: true,
        }
    }

    /// A job that is not to be suggested.
    pub fn unwanted(seeker: UserId, job: JobRef) -> Self {
        Self {
            is_wanted: false,
            ..Self::wanted(seeker, job)
        }
    }
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Made {
    /// Pairs that were looked at.
    pub seen: usize,
    /// Suggestions that were written, new ones and changed ones.
    pub written: usize,
    /// Suggestions of jobs that no longer fit, deleted.
    pub deleted: usize,
}

impl std::ops::AddAssign for Made {
    fn add_assign(&mut self, other: Self) {
        self.seen += other.seen;
        self.written += other.written;
        self.deleted += other.deleted;
    }
}

/// Makes the suggestions of these pairs what they should be. For every 16 pairs one BatchGetItem, and one
/// TransactWriteItems if anything differs: it checks that the job and the profile are still those that were read, and
/// that the seeker has not answered.
pub async fn make(tables: &Tables, pairs: &[Pair]) -> Result<Made, TableError> {
    let mut made = Made::default();
    for pairs in pairs.chunks(AT_ONCE) {
        made += make_together(tables, pairs).await?;
    }
    Ok(made)
}

async fn make_together(tables: &Tables, pairs: &[Pair]) -> Result<Made, TableError> {
    let mut retries = tables.retries();
    loop {
        let read = Read::of(tables, pairs).await?;
        let mut plan = Plan::new(tables);
        for pair in pairs {
            plan.add(&read, pair);
        }
        match plan.unit.commit().await {
            Ok(()) => return Ok(plan.made),
            Err(UnitError::Table(error)) => return Err(error),
            Err(UnitError::Canceled(canceled)) => {
                if let Some(lasting) = canceled.lasting() {
                    return Err(lasting);
                }
                // Something changed since it was read: it is read again.
            }
        }
        retries.pause().await?;
    }
}

/// What is stored of some pairs.
struct Read(HashMap<(&'static str, Key), Item>);

impl Read {
    async fn of(tables: &Tables, pairs: &[Pair]) -> Result<Self, TableError> {
        let keys = pairs.iter().flat_map(|pair| {
            let Pair { seeker, job, .. } = pair;
            let levels = suggestion(pair).at_each_level();
            let levels = levels.iter().map(Suggestion::key_of).collect::<Vec<_>>();
            let answer = Interest::key_of(&(job.job_id, seeker.clone()));
            let others = [Seeker::key_of(seeker), Job::key_of(job), answer];
            levels.into_iter().chain(others)
        });
        let keys = keys.map(|key| (TABLE.default_name, key));
        tables.items(keys).await.map(Self)
    }

    /// An entity; `None` if it does not exist or cannot be read.
    fn get<E: Entity>(&self, id: &E::Id) -> Option<E> {
        let item = self.0.get(&(TABLE.default_name, E::key_of(id)))?;
        let read = from_item::<E>(item.clone());
        read.inspect_err(|error| tracing::warn!(%error, "passed over for suggestions"))
            .ok()
    }
}

/// The id of the suggestion of a pair, at some level; its employer is not part of the key.
fn suggestion(pair: &Pair) -> SuggestionId {
    SuggestionId {
        relevance: Relevance::R1,
        job: pair.job.clone(),
        employer_id: UserId::new(""),
        seeker_id: pair.seeker.clone(),
        at: None,
    }
}

/// The writes for some pairs.
struct Plan {
    unit: TransactionBuilder<()>,
    checked: HashSet<Key>,
    made: Made,
    now: Moment,
    today: Day,
}

impl Plan {
    fn new(tables: &Tables) -> Self {
        Self {
            unit: tables.unit(),
            checked: HashSet::new(),
            made: Made::default(),
            now: Moment::new(tables.now()),
            today: Day::of(tables.now()),
        }
    }

    fn add(&mut self, read: &Read, pair: &Pair) {
        let (Some(seeker), Some(job)) =
            (read.get::<Seeker>(&pair.seeker), read.get::<Job>(&pair.job))
        else {
            return;
        };
        let levels = suggestion(pair).at_each_level();
        let stored: Vec<Suggestion> = levels.iter().filter_map(|id| read.get(id)).collect();
        let answer = (job.job_id, seeker.seeker_id.clone());
        let answered = read.get::<Interest>(&answer).is_some();
        let (wanted, offered) = (Wanted::of(&seeker), Offered::of(&job));
        let fit = (pair.is_wanted && !answered)
            .then(|| assess(&seeker, &wanted, &job, &offered, self.today))
            .flatten();
        let Some(fit) = fit else {
            for suggestion in &stored {
                self.unit
                    .delete::<Suggestion>(&suggestion.identity(), Condition::ALWAYS);
            }
            if !stored.is_empty() {
                self.made.deleted += 1;
                self.check(&seeker, &job);
            }
            return;
        };
        let now = self.now.seconds();
        let is_same = |stored: &Suggestion| stored.is_fresh(now) && stored.says(&fit);
        if matches!(stored.as_slice(), [stored] if is_same(stored)) {
            return;
        }
        let next = Suggestion::new(seeker.seeker_id.clone(), &job, fit, self.now);
        self.made.written += 1;
        for other in next.identity().at_each_level().iter().skip(1) {
            self.unit.delete::<Suggestion>(other, Condition::ALWAYS);
        }
        self.unit.put(&next);
        self.unit.check::<Interest>(&answer, Condition::Missing);
        self.check(&seeker, &job);
    }

    /// Checks that a seeker and a job are still those that were read; each once, as DynamoDB demands.
    fn check(&mut self, seeker: &Seeker, job: &Job) {
        if self.checked.insert(seeker.key()) {
            let id = &seeker.seeker_id;
            self.unit.check::<Seeker>(id, seeker.unchanged());
        }
        if self.checked.insert(job.key()) {
            let id = &job.identity();
            self.unit.check::<Job>(id, job.unchanged());
        }
    }
}
