//! A seeker's run: the best of all open jobs in the seeker's places.

use std::collections::{HashMap, HashSet};

use crate::interests::{self, Interest};
use crate::jobs::JobRef;
use crate::seekers::Seeker;
use crate::suggestions::content::Wanted;
use crate::suggestions::relevance::{Assessment, assess, rank};
use crate::suggestions::{self, Suggestion};
use trestle_domain::{Day, Id, Moment, UserId};
use trestle_table::{TableError, Tables, UnitError};

use super::making::{Made, Pair, make};
use super::pool::Pools;
use super::reading::all_of;
use super::renewal::Renewal;

/// Jobs that are compared before other tasks have their turn.
const SHARE: usize = 256;

/// Makes the suggestions of a seeker: the best 200 of all open jobs of the seeker's places that the seeker has not answered.
/// Three GetItem, one Query for each city of the places that no other run has read, one for the answers and one for the stored
/// suggestions, and what [`make`] takes for those that differ.
pub async fn run(
    tables: &Tables,
    pools: &mut Pools,
    id: &UserId,
    requested_at: Option<Moment>,
) -> Result<Made, TableError> {
    let before: Option<Renewal> = tables.get(id).await?;
    let Some(seeker) = tables.get::<Seeker>(id).await? else {
        let nothing = Renewal::without_profile(id.clone(), tables.now());
        return save(tables, &nothing).await.map(|()| Made::default());
    };
    let today = Day::of(tables.now());
    let answers: Vec<Interest> = all_of(tables, &interests::of_seeker(id, None)).await?;
    let answered: HashSet<Id<_>> = answers.iter().map(|answer| answer.job.job_id).collect();
    let wanted = Wanted::of(&seeker);
    let mut found: HashMap<JobRef, Assessment> = HashMap::new();
    let mut seen = 0;
    for city in seeker.searched_cities() {
        let pool = pools.of(tables, &city, requested_at).await?;
        seen += pool.postings.len();
        for (at, posting) in pool.postings.iter().enumerate() {
            if at % SHARE == 0 {
                tokio::task::yield_now().await;
            }
            if answered.contains(&posting.job.job_id) {
                continue;
            }
            if let Some(fit) = assess(&seeker, &wanted, &posting.job, &posting.offered, today) {
                found.entry(posting.job.reference()).or_insert(fit);
            }
        }
    }
    let mut best: Vec<(JobRef, Assessment)> = found.into_iter().collect();
    rank(&mut best);
    let stored: Vec<Suggestion> = all_of(tables, &suggestions::of_seeker(id, i64::MIN)).await?;
    let mut made = differing(tables, id, &best, &stored).await?;
    made.seen += seen;
    let renewal = Renewal::done(id.clone(), before.as_ref(), tables.now());
    save(tables, &renewal).await?;
    Ok(made)
}

async fn save(tables: &Tables, renewal: &Renewal) -> Result<(), TableError> {
    let mut unit = tables.unit::<()>();
    unit.put(renewal);
    match unit.commit().await {
        Ok(()) | Err(UnitError::Canceled(_)) => Ok(()),
        Err(UnitError::Table(error)) => Err(error),
    }
}

/// Writes the suggestions that are missing or differ, and deletes those that are not among the best.
async fn differing(
    tables: &Tables,
    id: &UserId,
    best: &[(JobRef, Assessment)],
    stored: &[Suggestion],
) -> Result<Made, TableError> {
    let now = tables.now().timestamp();
    let mut pairs: Vec<Pair> = Vec::new();
    for (job, fit) in best {
        let mut same = stored.iter().filter(|stored| stored.job == *job);
        let is_as_stored = match (same.next(), same.next()) {
            (Some(stored), None) => stored.is_fresh(now) && stored.says(fit),
            _ => false,
        };
        if !is_as_stored {
            pairs.push(Pair::wanted(id.clone(), job.clone()));
        }
    }
    let mut made = make(tables, &pairs).await?;
    let kept: HashSet<&JobRef> = best.iter().map(|(job, _)| job).collect();
    // Those of other programs expire.
    let left = stored.iter().filter(|stored| stored.at.is_none());
    let left = left.filter(|stored| !kept.contains(&stored.job));
    let left: HashSet<JobRef> = left.map(|stored| stored.job.clone()).collect();
    let left: Vec<_> = left
        .into_iter()
        .map(|job| Pair::unwanted(id.clone(), job))
        .collect();
    made += make(tables, &left).await?;
    Ok(made)
}
