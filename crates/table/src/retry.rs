//! Trying again, with a pause that grows and a bound.

use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};

use super::{ChangeError, Meter, TableError};

/// The tries that are left of one piece of work: a pause from 5 ms up to 100 ms before each, doubling,
/// with jitter so that those who met do not meet again.
#[derive(Debug)]
pub struct Retries {
    waits: ExponentialBackoff,
    meter: Meter,
}

/// No try is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted;

impl From<Exhausted> for TableError {
    fn from(Exhausted: Exhausted) -> Self {
        TableError::Throttled
    }
}

impl<R> From<Exhausted> for ChangeError<R> {
    fn from(Exhausted: Exhausted) -> Self {
        ChangeError::Contended
    }
}

impl Retries {
    /// So many tries beyond the first, each counted into `meter`.
    pub fn new(times: usize, meter: &Meter) -> Self {
        Self::up_to(Duration::from_millis(100), times, meter)
    }

    /// As [`Retries::new`], for what takes minutes: the pauses grow up to a second.
    pub(super) fn slow(times: usize, meter: &Meter) -> Self {
        Self::up_to(Duration::from_secs(1), times, meter)
    }

    fn up_to(longest: Duration, times: usize, meter: &Meter) -> Self {
        let waits = ExponentialBuilder::default()
            .with_min_delay(Duration::from_millis(5))
            .with_max_delay(longest)
            .with_max_times(times)
            .with_jitter()
            .build();
        Self {
            waits,
            meter: meter.clone(),
        }
    }

    /// Waits until the next try may start.
    ///
    /// # Errors
    /// [`Exhausted`] where none is left.
    pub async fn pause(&mut self) -> Result<(), Exhausted> {
        let wait = self.waits.next().ok_or(Exhausted)?;
        tokio::time::sleep(wait).await;
        self.meter.retry();
        Ok(())
    }
}
