//! The open jobs of cities, read once for all seekers of a round of runs.

use std::collections::HashMap;
use std::sync::Arc;

use crate::jobs::{self, Job};
use crate::suggestions::content::Offered;
use crate::values::CityKey;
use trestle_domain::{Day, Moment};
use trestle_table::{TableError, Tables};

/// The newest open jobs of a city that runs look at.
const JOBS: usize = 10_000;
/// Cities that are kept.
const CITIES: usize = 64;

/// An open job, prepared for comparison.
#[derive(Debug)]
pub struct Posting {
    /// The job: its item in the city.
    pub job: Job,
    /// What it offers.
    pub offered: Offered,
}

/// The open jobs of a city at a moment.
#[derive(Debug)]
pub struct Pool {
    /// The jobs, the newest first.
    pub postings: Vec<Posting>,
    read_at: Moment,
}

/// The pools of this process.
#[derive(Debug, Default)]
pub struct Pools(HashMap<CityKey, Arc<Pool>>);

impl Pools {
    /// The open jobs of a city. A pool that was read after a run became necessary has every job that the run must see: jobs
    /// that are posted later have runs of their own. One Query for every 1,000 jobs, or none if the pool is kept.
    pub async fn of(
        &mut self,
        tables: &Tables,
        city: &CityKey,
        requested_at: Option<Moment>,
    ) -> Result<Arc<Pool>, TableError> {
        let kept = self
            .0
            .get(city)
            .filter(|pool| requested_at.is_some_and(|requested| pool.read_at > requested));
        if let Some(pool) = kept {
            return Ok(Arc::clone(pool));
        }
        let pool = Arc::new(Pool::read(tables, city).await?);
        if self.0.len() >= CITIES {
            self.0.clear();
        }
        self.0.insert(city.clone(), Arc::clone(&pool));
        Ok(pool)
    }
}

impl Pool {
    async fn read(tables: &Tables, city: &CityKey) -> Result<Self, TableError> {
        let read_at = Moment::new(tables.now());
        let today = Day::of(tables.now());
        let open = jobs::in_cities(&[city]).keeping("open", move |job| job.is_open(today));
        let found = super::reading::some_of(tables, &open, JOBS).await?;
        let postings: Vec<_> = found
            .into_iter()
            .map(|job| Posting {
                offered: Offered::of(&job),
                job,
            })
            .collect();
        Ok(Self { postings, read_at })
    }
}
