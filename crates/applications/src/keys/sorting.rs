//! Sort keys, which are the same in every scope, and the names of counters.

use crate::model::{ApplicationId, MAX_VERSION, StageId, Status, Stay, Week};
use trestle_table::{Segment, Sk, SkPrefix, segments, split_first};

const STAGE: &str = "STAGE";

/// An application: `APP#<id>`.
pub fn of_application(id: &ApplicationId) -> Sk {
    Sk::word("APP").ending(id.as_str())
}

/// A stage: `STAGE#<stage id>`.
pub fn of_stage(stage: &StageId) -> Sk {
    Sk::word(STAGE).ending(stage.as_str())
}

/// The stage that is at a sort key.
pub fn stage_id(sort_key: &str) -> Option<StageId> {
    StageId::stored(Sk::word(STAGE).ending_of(sort_key)?)
}

/// Every stage of a partition: `STAGE#`.
pub fn stages() -> SkPrefix {
    SkPrefix::of(STAGE)
}

/// The sort keys of a partition from the application to the last stage: first the application, then the history, then
/// the stages. Items of other programs may stand between them and after them.
pub fn application_to_stages(id: &ApplicationId) -> (Sk, Sk) {
    (of_application(id), Sk::word(STAGE).to_the_last())
}

/// A history entry: `HIST#00000001`, in 8 digits so that entries sort.
pub fn of_entry(sequence: u32) -> Sk {
    Sk::of("HIST", format!("{sequence:08}"))
}

/// The sequence of an application's first history entry. Until that is deleted, the id cannot be used again.
pub const FIRST_ENTRY: u32 = 1;

/// The sequence in a history entry's sort key; `None` for any other key.
pub fn sequence(sort_key: &str) -> Option<u32> {
    let sequence = segments(sort_key).pop()?.parse().ok()?;
    (sequence <= MAX_VERSION && of_entry(sequence).as_str() == sort_key).then_some(sequence)
}

/// Whether a stage or a history entry has this sort key.
pub fn is_of_an_application(sort_key: &str) -> bool {
    stage_id(sort_key).is_some() || sequence(sort_key).is_some()
}

/// A list that an application has beside its own item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Annex {
    /// The people to talk to.
    Contacts,
    /// The files.
    Files,
}

/// A list beside an application: `TRESTLE#CONTACTS`. It sorts after the stages, so that no read of the application with
/// its stages and its history meets it.
pub fn of_annex(annex: Annex) -> Sk {
    Sk::of(
        "TRESTLE",
        match annex {
            Annex::Contacts => "CONTACTS",
            Annex::Files => "FILES",
        },
    )
}

/// Every history entry of a partition: `HIST#`.
pub fn history() -> SkPrefix {
    SkPrefix::of("HIST")
}

const APPLIED: &str = "APPLIED";

/// The applications sent in each week of a year: `APPLIED#2026`.
pub fn of_year(year: i32) -> Sk {
    Sk::of(APPLIED, format!("{year:04}"))
}

/// Every year of a partition: `APPLIED#`.
pub fn years() -> SkPrefix {
    SkPrefix::of(APPLIED)
}

/// The year in a sort key of [`of_year`].
pub fn year(sort_key: &Sk) -> Option<i32> {
    let year = segments(sort_key.as_str()).pop()?.parse().ok()?;
    (of_year(year) == *sort_key).then_some(year)
}

/// The name of a week's counter in its year: `W01`.
pub fn week(week: Week) -> String {
    format!("W{:02}", week.number)
}

/// The stays in a status that ended: `STAYS`.
pub fn of_stays() -> Sk {
    Sk::word("STAYS")
}

/// The name of the counter of such stays: `given offer#7`, or `given offer#more`.
pub fn stay(stay: Stay) -> String {
    let days = stay.length.less_than_days().map(|days| days.to_string());
    Sk::of(stay.status.word(), days.as_deref().unwrap_or("more"))
        .as_str()
        .to_owned()
}

/// The name of the counter of applications that had a status and left it: `PAST#interviewing`.
pub fn past(status: Status) -> String {
    Sk::of("PAST", status.word()).as_str().to_owned()
}

const UPDATED: &str = "UPDATED";

/// The sort key of both indexes: `UPDATED#<updatedAt>#<id>`.
pub fn updated(at: impl Segment, id: &ApplicationId) -> Sk {
    Sk::of(UPDATED, at).ending(id.as_str())
}

/// The moment and the id in an index's sort key, as they are written there.
pub fn updated_parts(sort_key: &str) -> Option<(&str, &str)> {
    split_first(Sk::word(UPDATED).ending_of(sort_key)?)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::model::{Status, StayLength, Timestamp};

    #[test]
    fn sort_keys_are_those_of_the_contract() {
        let id = ApplicationId::new(Uuid::nil());
        const NIL: &str = "00000000-0000-0000-0000-000000000000";
        assert_eq!(of_application(&id).as_str(), format!("APP#{NIL}"));
        assert_eq!(of_entry(1).as_str(), "HIST#00000001");
        assert_eq!(
            of_stage(&StageId::new(Uuid::nil())).as_str(),
            format!("STAGE#{NIL}")
        );
        for (annex, key) in [
            (Annex::Contacts, "TRESTLE#CONTACTS"),
            (Annex::Files, "TRESTLE#FILES"),
        ] {
            assert_eq!(of_annex(annex).as_str(), key);
            assert!(of_annex(annex) > application_to_stages(&id).1);
        }
        let first = Week::new(2026, 1);
        assert_eq!(of_year(first.year).as_str(), "APPLIED#2026");
        assert_eq!(year(&of_year(first.year)), Some(2026));
        assert_eq!(year(&Sk::stored("APPLIED#26")), None);
        assert_eq!(week(first), "W01");
        let names = [StayLength::ALL[2], StayLength::ALL[7]].map(|length| {
            stay(Stay {
                status: Status::GivenOffer,
                length,
            })
        });
        assert_eq!(names, ["given offer#7", "given offer#more"]);
        let at = Timestamp::parse("2026-11-20T09:30:00.000Z").unwrap();
        assert_eq!(
            updated(at, &id).as_str(),
            format!("UPDATED#2026-11-20T09:30:00.000Z#{NIL}")
        );
    }
}
