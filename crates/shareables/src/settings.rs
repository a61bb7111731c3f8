//! Changing checklists and polls themselves.

use super::live::EventKind;
use super::poll::PollOption;
use super::request_context::{Made, NOT_THERE, Refused, RequestContext, refused};
use super::shareable::{Content, Name, Note, PollContent, Question, Shareable};
use super::short_id::ShortId;
use super::token::{ShareableKind, ViewerPermission};
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
pub struct PollPatch {
    pub name: Option<Name>,
    pub question: Option<Question>,
    pub closes_at: Change<Moment<Seconds>>,
}

/// Changes a checklist. One GetItem and one UpdateItem.
pub async fn update_checklist(
    context: RequestContext<'_>,
    short_id: &ShortId,
    expected: Option<u32>,
    patch: ChecklistPatch,
) -> Made<Shareable> {
    let claims = context.admin_claims()?;
    if !claims.are_on(short_id, ShareableKind::Checklist) {
        return refused(NOT_THERE, "shortId");
    }
    let plan = |checklist: &Shareable, _: &mut TransactionBuilder<Refused>| {
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
    };
    let changed = context
        .tables()
        .change(short_id, expected, plan)
        .await
        .map_err(failed)?;
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
    let claims = context.admin_claims()?;
    if !claims.are_on(short_id, ShareableKind::Poll) {
        return refused(NOT_THERE, "shortId");
    }
    for _ in 0..TRIES {
        let options = match patch.closes_at {
            Change::Unchanged => None,
            Change::Clear | Change::Set(_) => Some(context.parts::<PollOption>(short_id).await?),
        };
        let plan = |poll: &Shareable, unit: &mut TransactionBuilder<Refused>| {
            context.admit(&claims, poll)?;
            let next = patched(poll, patch, context.now())?;
            if let Some(options) = &options {
                reschedule(&next, options, unit)?;
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
        name: None,
        question: None,
        closes_at: Change::Set(Moment::new(context.now())),
    };
    update_poll(context, short_id, expected, &patch).await
}

fn patched(poll: &Shareable, patch: &PollPatch, now: DateTime<Utc>) -> Result<Shareable, Refused> {
    const RANGE: Rule = Rule::Invalid("not after the poll expires");
    let mut next = poll.clone();
    next.name = patch.name.clone().unwrap_or(next.name);
    if let Content::Poll(content) = &mut next.content {
        if let Some(question) = &patch.question {
            content.question = question.clone();
        }
        match patch.closes_at {
            Change::Unchanged => {}
            Change::Clear => content.closes_at = None,
            Change::Set(at) if at > next.expires_at => return Err(RANGE.at("closesAt").into()),
            Change::Set(at) => content.closes_at = Some(at),
        }
    }
    note_reopening(poll, &mut next, now);
    Ok(next)
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
    let is_all = |count| options.len() == count as usize;
    let (Content::Poll(content), true) = (&poll.content, poll.part_count.is_none_or(is_all)) else {
        return Err(Refused::Stale);
    };
    let votable_until = content.votable_until(poll.expires_at);
    for option in options {
        let next = PollOption {
            votable_until,
            hides_results: content.hides_results,
            ttl: poll.ttl(),
            ..option.clone()
        };
        if next != *option {
            unit.update(option, &next, Condition::Exists)
                .or(Refused::Stale);
        }
    }
    Ok(())
}
