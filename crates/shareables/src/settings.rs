//! Changing checklists and polls themselves.

use super::live::EventKind;
use super::poll::PollOption;
use super::request_context::{Made, NOT_THERE, Refused, RequestContext};
use super::shareable::{Content, Name, Note, PollContent, Question, Shareable, TimeZone};
use super::short_id::ShortId;
use super::token::{ShareableKind, ViewerPermission};
use super::zone::Zone;
use crate::request_context::failed;
use chrono::{DateTime, Utc};
use trestle_api::ApiError;
use trestle_domain::{Change, Moment, Rule, Seconds};
use trestle_table::{ChangeError, Condition, TransactionBuilder};

/// How often a change that met others is tried.
const TRIES: usize = 8;

/// Changes to a checklist.
pub struct ChecklistPatch {
    pub name: Option<Name>,
    pub note: Change<Note>,
    pub viewers_may: Option<Vec<ViewerPermission>>,
}

/// Changes to a poll.
#[derive(Default)]
pub struct PollPatch {
    pub name: Option<Name>,
    pub question: Option<Question>,
    pub closes_at: Change<Moment<Seconds>>,
    pub time_zone: Change<TimeZone>,
    pub allows_several: Option<bool>,
    pub allows_maybe: Option<bool>,
    pub hides_results: Option<bool>,
    pub hides_names: Option<bool>,
}

impl PollPatch {
    /// Whether it changes what the options of the poll have of it, or depends on their votes.
    fn concerns_options(&self) -> bool {
        let settings = [self.allows_several, self.hides_results, self.hides_names];
        self.closes_at != Change::Unchanged
            || self.time_zone != Change::Unchanged
            || settings.iter().any(Option::is_some)
    }
}

/// Changes a checklist. One GetItem and one UpdateItem.
pub async fn update_checklist(
    context: RequestContext<'_>,
    short_id: &ShortId,
    expected: Option<u32>,
    patch: ChecklistPatch,
) -> Made<Shareable> {
    let claims = context.admin_claims_on(short_id, Some(ShareableKind::Checklist))?;
    let changed = context
        .tables()
        .change(short_id, expected, |checklist: &Shareable, _| {
            context.admit(&claims, checklist)?;
            let mut next = checklist.clone();
            next.name = patch.name.clone().unwrap_or(next.name);
            if let Content::Checklist(content) = &mut next.content {
                match &patch.note {
                    Change::Unchanged => {}
                    Change::Clear => content.note = None,
                    Change::Set(note) => content.note = Some(note.clone()),
                }
                if let Some(permissions) = &patch.viewers_may {
                    content.viewers_may.clone_from(permissions);
                }
            }
            Ok(next)
        });
    let changed = changed.await.map_err(failed)?;
    if changed.is_written {
        context.announce(short_id, EventKind::Changed);
    }
    Ok(changed)
}

/// Changes a poll. One GetItem and one UpdateItem; if it is to close at another time, one Query and one
/// TransactWriteItems of the poll and its options.
pub async fn update_poll(
    context: RequestContext<'_>,
    short_id: &ShortId,
    expected: Option<u32>,
    patch: &PollPatch,
) -> Made<Shareable> {
    let claims = context.admin_claims_on(short_id, Some(ShareableKind::Poll))?;
    for _ in 0..TRIES {
        let options = if patch.concerns_options() {
            Some(context.parts::<PollOption>(short_id).await?)
        } else {
            None
        };
        let plan = |poll: &Shareable, unit: &mut TransactionBuilder<Refused>| {
            context.admit(&claims, poll)?;
            let next = patched(poll, patch, context.now())?;
            if let Some(options) = &options {
                write_options(poll, &next, options, context.session.now(), unit)?;
            }
            Ok(next)
        };
        let changed = context.tables().change(short_id, expected, plan).await;
        if matches!(changed, Err(ChangeError::Refused(Refused::Stale))) {
            continue;
        }
        let changed = changed.map_err(failed)?;
        if changed.is_written {
            context.announce(short_id, EventKind::Changed);
        }
        return Ok(changed);
    }
    Err(ApiError::contended().into())
}

/// Closes a poll now. As [`update_poll`].
pub async fn close(
    context: RequestContext<'_>,
    short_id: &ShortId,
    expected: Option<u32>,
) -> Made<Shareable> {
    let patch = PollPatch {
        closes_at: Change::Set(Moment::new(context.now())),
        ..PollPatch::default()
    };
    update_poll(context, short_id, expected, &patch).await
}

fn patched(poll: &Shareable, patch: &PollPatch, now: DateTime<Utc>) -> Result<Shareable, Refused> {
    const RANGE: Rule = Rule::Invalid(
        "not after the poll expires: give an earlier one, or extend the poll by `extendShareable` first",
    );
    let mut next = poll.clone();
    next.name = patch.name.clone().unwrap_or(next.name);
    if let Content::Poll(content) = &mut next.content {
        match patch.closes_at {
            Change::Unchanged => {}
            Change::Clear => content.closes_at = None,
            Change::Set(at) if at > next.expires_at => return Err(RANGE.at("closesAt").into()),
            Change::Set(at) => content.closes_at = Some(at),
        }
        correct(content, patch, now);
    }
    note_reopening(poll, &mut next, now);
    Ok(next)
}

/// Corrects what people see when they vote, which is marked.
fn correct(content: &mut PollContent, patch: &PollPatch, now: DateTime<Utc>) {
    let before = content.clone();
    if let Some(question) = &patch.question {
        content.question = question.clone();
    }
    match &patch.time_zone {
        Change::Unchanged => {}
        Change::Clear => content.time_zone = None,
        Change::Set(zone) => content.time_zone = Some(zone.clone()),
    }
    content.allows_several = patch.allows_several.unwrap_or(content.allows_several);
    content.allows_maybe = patch.allows_maybe.unwrap_or(content.allows_maybe);
    content.hides_results = patch.hides_results.unwrap_or(content.hides_results);
    content.hides_names = patch.hides_names.unwrap_or(content.hides_names);
    if *content != before {
        content.corrected_at = Some(Moment::new(now));
    }
}

/// The field of a setting that holds for votes that were cast before: what was shown stays shown, and who voted without a
/// name in sight stays unnamed. It can be changed only before the first vote.
fn settled(before: &PollContent, next: &PollContent) -> Option<&'static str> {
    if next.hides_results && !before.hides_results {
        return Some("hidesResults");
    }
    (before.hides_names && !next.hides_names).then_some("hidesNames")
}

/// Writes on each option what it has of its poll.
fn write_options(
    before: &Shareable,
    next: &Shareable,
    options: &[PollOption],
    now: Moment,
    unit: &mut TransactionBuilder<Refused>,
) -> Result<(), Refused> {
    const VOTED: Rule = Rule::Conflict(
        "cannot be changed: people have voted already. Make a new poll, by `cloneShareable`",
    );
    let (Content::Poll(old), Content::Poll(new)) = (&before.content, &next.content) else {
        return Err(NOT_THERE.at("shortId").into());
    };
    let settled = settled(old, new);
    let is_voted = options
        .iter()
        .any(|option| option.votes + option.maybes > 0);
    if let Some(field) = settled.filter(|_| is_voted || old.none_count > 0) {
        return Err(VOTED.at(field).into());
    }
    let same = if settled.is_some() {
        PollOption::unvoted()
    } else {
        Condition::Exists
    };
    let (old_zone, zone) = (
        Zone::of(old.time_zone.as_ref()),
        Zone::of(new.time_zone.as_ref()),
    );
    let is_moved = old.time_zone != new.time_zone;
    let pairs: Vec<_> = options
        .iter()
        .map(|option| {
            if !is_moved {
                return (option, option.clone());
            }
            let moved = option.in_zone(&old_zone, &zone);
            let is_changed = moved != *option;
            let edited_at = Some(now).filter(|_| is_changed).or(option.edited_at);
            (option, PollOption { edited_at, ..moved })
        })
        .collect();
    if is_moved {
        let text = |option: &PollOption| option.shown_text(&old_zone).as_str().to_owned();
        let lost = options.iter();
        let mut lost = lost.filter(|option| !option.exists_in(&old_zone, &zone));
        if let Some(option) = lost.next() {
            return Err(no_such_time(text(option)).at("timeZone").into());
        }
        if let Some(option) = merged(&pairs) {
            return Err(one_time(text(option)).at("timeZone").into());
        }
    }
    write_each(next, pairs.into_iter(), &same, unit)
}

fn no_such_time(stored: String) -> Rule {
    Rule::ConflictWith {
        text: "cannot be a zone whose clocks skip the time of an option, or turn it around: change that option first",
        stored,
    }
}

fn one_time(stored: String) -> Rule {
    Rule::ConflictWith {
        text: "cannot be a zone in which two options are the same time: change one of them first",
        stored,
    }
}

/// An option that another zone makes the same as an earlier one from which it differs.
fn merged<'o>(pairs: &[(&'o PollOption, PollOption)]) -> Option<&'o PollOption> {
    for (at, (option, moved)) in pairs.iter().enumerate() {
        let (own, own_moved) = (option.to_new(), moved.to_new());
        let mut earlier = pairs.iter().take(at);
        let is_merged = earlier.any(|(other, other_moved)| {
            other_moved.to_new().repeats(&own_moved) && !other.to_new().repeats(&own)
        });
        if is_merged {
            return Some(*option);
        }
    }
    None
}

/// Notes that a closed poll is opened again. Results that were shown stay shown.
pub fn note_reopening(before: &Shareable, next: &mut Shareable, now: DateTime<Utc>) {
    let expires_at = next.expires_at;
    let is_closed = |poll: &PollContent, expires_at| {
        now.timestamp() >= poll.votable_until(expires_at).seconds()
    };
    if let (Content::Poll(old), Content::Poll(new)) = (&before.content, &mut next.content)
        && is_closed(old, before.expires_at)
        && !is_closed(new, expires_at)
    {
        new.hides_results = false;
        new.reopened_at = Some(Moment::new(now));
    }
}

/// Writes on each option until when it takes votes, and is kept.
pub fn reschedule(
    poll: &Shareable,
    options: &[PollOption],
    unit: &mut TransactionBuilder<Refused>,
) -> Result<(), Refused> {
    let pairs = options.iter().map(|option| (option, option.clone()));
    write_each(poll, pairs, &Condition::Exists, unit)
}

/// Writes options, each as it was read and as it is to be, with what they have of their poll, if all of them are the `same`.
fn write_each<'o>(
    poll: &Shareable,
    options: impl ExactSizeIterator<Item = (&'o PollOption, PollOption)>,
    same: &Condition,
    unit: &mut TransactionBuilder<Refused>,
) -> Result<(), Refused> {
    let is_all = |count| options.len() == count as usize;
    let (Content::Poll(content), true) = (&poll.content, poll.part_count.is_none_or(is_all)) else {
        return Err(Refused::Stale);
    };
    let votable_until = content.votable_until(poll.expires_at);
    for (option, next) in options {
        let next = PollOption {
            votable_until,
            allows_several: content.allows_several,
            hides_results: content.hides_results,
            ttl: poll.ttl(),
            ..next
        };
        let is_checked = *same != Condition::Exists;
        if next != *option {
            unit.update(option, &next, same.clone()).or(Refused::Stale);
        } else if is_checked {
            let id = (option.short_id.clone(), option.poll_option_id);
            unit.check::<PollOption>(&id, same.clone())
                .or(Refused::Stale);
        }
    }
    Ok(())
}
