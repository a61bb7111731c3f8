//! The time of day, and how much time has passed, as an argument: what needs it is tested without waiting.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};

/// Where the time comes from.
#[derive(Clone)]
pub struct Clock {
    now: Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>,
    elapsed: Arc<dyn Fn() -> Duration + Send + Sync>,
    trusted: Arc<dyn Fn() -> bool + Send + Sync>,
}

impl Clock {
    /// The machine's clock.
    pub fn system() -> Self {
        let began = Instant::now();
        Self {
            now: Arc::new(Utc::now),
            elapsed: Arc::new(move || began.elapsed()),
            trusted: Arc::new(|| true),
        }
    }

    /// A clock that says what `now` says, and on which time passes as that does.
    pub fn new(now: impl Fn() -> DateTime<Utc> + Send + Sync + 'static) -> Self {
        let now = Arc::new(now);
        let elapsed = {
            let now = Arc::clone(&now);
            move || {
                let millis = u64::try_from(now().timestamp_millis());
                Duration::from_millis(millis.unwrap_or_default())
            }
        };
        Self {
            now,
            elapsed: Arc::new(elapsed),
            trusted: Arc::new(|| true),
        }
    }

    /// The same clock, trusted while `trusted` returns true.
    pub fn trusted_by(self, trusted: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self {
            trusted: Arc::new(trusted),
            ..self
        }
    }

    /// Whether what has expired by this clock may be deleted for good. Right after a jump, the clock may be wrong.
    pub fn is_trusted(&self) -> bool {
        (self.trusted)()
    }

    /// The time of day. It may be wrong, and jump.
    pub fn now(&self) -> DateTime<Utc> {
        (self.now)()
    }

    /// How much time has passed since a moment that stays the same for this clock, whatever happens to the time of day.
    pub fn elapsed(&self) -> Duration {
        (self.elapsed)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
