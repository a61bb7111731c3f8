//! Which uploads were not attached within a day.

use chrono::{DateTime, TimeDelta, Utc};

use trestle_api::Scalar as _;
use trestle_domain::Id;
use trestle_files::Sweep;

use super::{Object, UploadName};

/// Deletes uploads that were not attached within a day, and exports.
pub const SWEEP: Sweep = Sweep {
    prefix: "uploads",
    wait: TimeDelta::days(1),
    made: |key, _| made(key),
};

/// When the upload with a key was made: its last part begins with a ULID of its time. Nothing else is an upload.
fn made(key: &str) -> Option<DateTime<Utc>> {
    let name = key.rsplit('/').next().unwrap_or_default().to_owned();
    let id: Id<Object> = UploadName::read(name).ok()?.id;
    id.raw().moment()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uploads_and_exports_have_a_time_and_nothing_else_has() {
        let at = DateTime::from_timestamp(1_771_787_531, 0).unwrap();
        let upload = UploadName::new(Id::new(at), "image/png");
        assert_eq!(made(&format!("uploads/logos/x/{upload}")), Some(at));
        let export = format!("uploads/exports/x/{}.json", upload.id);
        assert_eq!(made(&export), Some(at));
        assert_eq!(made("uploads/logos/x/notes.txt"), None);
    }
}
