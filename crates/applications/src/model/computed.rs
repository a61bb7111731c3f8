//! What is known of an application whose times another program wrote so that they cannot be read: one time stands for the
//! other.

use chrono::{DateTime, NaiveDateTime, Utc};
use serde_json::Value;

use super::{Application, Field, Timestamp};

impl Application {
    /// Whether its attributes say where it is listed.
    pub fn is_placed(&self) -> bool {
        self.details.status.get().is_some()
            && self.is_archived.get().is_some()
            && self.updated_at.get().is_some()
    }

    /// When it was last changed. If that cannot be read as we write it, it is computed: from the stored value read in
    /// other forms, the place in the lists, or the creation.
    pub fn last_update(&self) -> Timestamp {
        time(&self.updated_at)
            .or_else(|| foreign_moment(&Value::from(self.listed.updated_at.as_deref()?)))
            .or_else(|| time(&self.created_at))
            .unwrap_or_else(unknown)
    }

    /// When it was created, computed from the last update if that cannot be read.
    pub fn creation(&self) -> Timestamp {
        time(&self.created_at).unwrap_or_else(|| self.last_update())
    }

    /// The attributes that are computed because what is stored cannot be read.
    pub fn computed(&self) -> Vec<&'static str> {
        let times = [
            ("createdAt", &self.created_at),
            ("updatedAt", &self.updated_at),
        ];
        let computed = times.into_iter().filter(|(_, time)| time.get().is_none());
        computed.map(|(name, _)| name).collect()
    }
}

fn time(stored: &Field<Timestamp>) -> Option<Timestamp> {
    stored.get().or_else(|| foreign_moment(stored.stored()))
}

/// A time as other programs write it: without a zone, which is taken for UTC, or in seconds or milliseconds since 1970.
fn foreign_moment(stored: &Value) -> Option<Timestamp> {
    /// Seconds of the year 5138, milliseconds of 1973.
    const MILLIS: f64 = 1e11;
    if let Some(number) = stored.as_f64() {
        let millis = if number.abs() < MILLIS {
            number * 1000.0
        } else {
            number
        };
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a time outside of the range is refused"
        )]
        return Timestamp::from_millis(millis as i64);
    }
    let text = stored.as_str()?.trim();
    if let Ok(moment) = text.parse::<DateTime<Utc>>() {
        return Timestamp::from_millis(moment.timestamp_millis());
    }
    if let Ok(number) = text.parse::<f64>() {
        return foreign_moment(&Value::from(number));
    }
    let moment = text
        .parse::<NaiveDateTime>()
        .or_else(|_| NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S%.f"))
        .or_else(|_| NaiveDateTime::parse_from_str(&format!("{text}:00"), "%Y-%m-%d %H:%M:%S"))
        .or_else(|_| {
            NaiveDateTime::parse_from_str(&format!("{text} 00:00:00"), "%Y-%m-%d %H:%M:%S")
        });
    Timestamp::from_millis(moment.ok()?.and_utc().timestamp_millis())
}

/// What stands for a time of which nothing is known: the beginning of 1970.
fn unknown() -> Timestamp {
    Timestamp::new(DateTime::UNIX_EPOCH)
}
