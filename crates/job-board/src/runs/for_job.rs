//! A job's run: the seekers whom it fits best.

use crate::jobs::{Job, JobRef};
use crate::seekers::{self, Seeker, Whereabouts};
use crate::suggestions::content::{Offered, Wanted};
use crate::suggestions::relevance::assess;
use crate::suggestions::{self, Suggestion};
use crate::values::{CityKey, SUGGESTED_WITHIN, reached};
use trestle_domain::{Day, UserId};
use trestle_table::{TableError, Tables};

use super::making::{Made, Pair, make};
use super::reading::{all_of, page};
use super::{Candidate, Run};

/// The most seekers to whom a job is suggested when it is posted or changed. Others see it when their suggestions are
/// renewed.
const BEST: usize = 200;
/// The seekers that are read together.
const PAGE: usize = 100;
/// The most seekers that one run looks at before others have their turn.
const PER_TURN: usize = 500;

/// Looks at the next 500 seekers in the cities of a job. `Some` is the rest of the run. When all are done, makes the
/// suggestions for the best 200. For every 100 seekers one Query and one BatchGetItem; at the end three Queries for each
/// city, and what [`make`] takes for those that differ.
pub async fn run(
    tables: &Tables,
    mut run: Run,
    id: &JobRef,
    made: &mut Made,
) -> Result<Option<Run>, TableError> {
    let Some(job) = tables.get::<Job>(id).await? else {
        return Ok(None);
    };
    let offered = Offered::of(&job);
    let mut cities = reached(&offered.places, SUGGESTED_WITHIN);
    if job.is_remote && !cities.contains(&CityKey::remote()) {
        cities.push(CityKey::remote());
    }
    let today = Day::of(tables.now());
    let mut best = run.best.take().unwrap_or_default();
    let mut seen = 0;
    while let Some(city) = usize::try_from(run.place)
        .ok()
        .and_then(|at| cities.get(at))
    {
        if seen >= PER_TURN {
            made.seen += seen;
            run.best = Some(best);
            return Ok(Some(run));
        }
        let list = seekers::in_city(Some(city), run.after.as_ref());
        let (found, more) = page::<Whereabouts>(tables, &list, PAGE, None).await?;
        let found = found.into_iter().map(|found| found.seeker_id);
        let found: Vec<UserId> = found.filter(|id| run.after.as_ref() != Some(id)).collect();
        seen += found.len();
        for seeker in tables.batch::<Seeker>(&found).await?.into_iter().flatten() {
            let Ok(seeker) = seeker else { continue };
            let wanted = Wanted::of(&seeker);
            let fit = assess(&seeker, &wanted, &job, &offered, today);
            let is_new = || !best.iter().any(|other| other.seeker_id == seeker.seeker_id);
            if let Some(fit) = fit.filter(|fit| !fit.is_weak() && is_new()) {
                let (seeker_id, score) = (seeker.seeker_id, fit.score);
                best.push(Candidate { seeker_id, score });
            }
        }
        best.sort_by(|a, b| {
            b.score
                .cmp(&a.score)
                .then_with(|| a.seeker_id.cmp(&b.seeker_id))
        });
        best.truncate(BEST);
        match found.last() {
            Some(last) if more.is_some() => run.after = Some(last.clone()),
            _ => (run.place, run.after) = (run.place + 1, None),
        }
    }
    made.seen += seen;
    *made += suggest(tables, &job, best).await?;
    Ok(None)
}

/// Suggests the job to these seekers. Seekers to whom it is suggested already keep it while it fits.
async fn suggest(tables: &Tables, job: &Job, best: Vec<Candidate>) -> Result<Made, TableError> {
    let mut seekers: Vec<UserId> = best.into_iter().map(|best| best.seeker_id).collect();
    for list in suggestions::of_job(&job.reference()) {
        let stored: Vec<Suggestion> = all_of(tables, &list).await?;
        for suggestion in stored {
            if !seekers.contains(&suggestion.seeker_id) {
                seekers.push(suggestion.seeker_id);
            }
        }
    }
    let pairs = seekers
        .into_iter()
        .map(|seeker| Pair::wanted(seeker, job.reference()));
    make(tables, &pairs.collect::<Vec<_>>()).await
}
