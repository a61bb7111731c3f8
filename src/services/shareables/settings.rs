//! Changing checklists and polls themselves.

use super::desk::{Desk, Made, NOT_THERE, Refused, refused};
use super::live::Happened;
use super::poll::PollOption;
use super::shareable::{Content, Name, Note, PollContent, Question, Shareable};
use super::short_id::ShortId;
use super::token::{Claims, ShareableKind};
use crate::api::ApiError;
use crate::domain::{Change, Moment, Rule, Seconds};
use crate::table::{ChangeError, Changed, Condition, Unit};

/// How often a change that met others is tried.
const TRIES: usize = 8;

/// Changes to a checklist.
pub struct ChecklistPatch {
    pub name: Option<Name>,
    pub note: Change<Note>,
}

/// Changes to a poll.
pub struct PollPatch {
    pub name: Option<Name>,
    pub question: Option<Question>,
    pub closes_at: Change<Moment<Seconds>>,
}

/// Changes a checklist. One GetItem and one UpdateItem.
pub async fn update_checklist(
    desk: Desk<'_>,
    short_id: &ShortId,
    expected: Option<u32>,
    patch: ChecklistPatch,
) -> Made<Shareable> {
    let claims = desk.admin_claims()?;
    if !claims.are_on(short_id, ShareableKind::Checklist) {
        return refused(NOT_THERE, "shortId");
    }
    let plan = |checklist: &Shareable, _: &mut Unit<Refused>| {
        desk.admit(&claims, checklist)?;
        let mut next = checklist.clone();
        next.name = patch.name.clone().unwrap_or(next.name);
        if let Content::Checklist(content) = &mut next.content {
            match &patch.note {
                Change::Keep => {}
                Change::Clear => content.note = None,
                Change::Set(note) => content.note = Some(note.clone()),
            }
        }
        Ok(next)
    };
    let changed = desk.tables().change(short_id, expected, plan).await?;
    if changed.is_written {
        desk.announce(short_id, Happened::Changed);
    }
    Ok(changed)
}

/// Changes a poll. One GetItem and one UpdateItem; if it is to close at another time, one Query and one
/// TransactWriteItems of the poll and its options.
pub async fn update_poll(
    desk: Desk<'_>,
    short_id: &ShortId,
    expected: Option<u32>,
    patch: &PollPatch,
) -> Made<Shareable> {
    let claims = desk.admin_claims()?;
    if !claims.are_on(short_id, ShareableKind::Poll) {
        return refused(NOT_THERE, "shortId");
    }
    for _ in 0..TRIES {
        let options = match patch.closes_at {
            Change::Keep => None,
            Change::Clear | Change::Set(_) => Some(desk.parts::<PollOption>(short_id).await?),
        };
        let plan = |poll: &Shareable, unit: &mut Unit<Refused>| {
            desk.admit(&claims, poll)?;
            let next = patched(poll, patch)?;
            if let Some(options) = &options {
                reschedule(&next, options, unit)?;
            }
            Ok(next)
        };
        let changed = desk.tables().change(short_id, expected, plan).await;
        if matches!(changed, Err(ChangeError::Refused(Refused::Stale))) {
            continue;
        }
        let changed = changed?;
        if changed.is_written {
            desk.announce(short_id, Happened::Changed);
        }
        return Ok(changed);
    }
    Err(ApiError::contended().into())
}

/// Closes a poll now. As [`update_poll`].
pub async fn close(desk: Desk<'_>, short_id: &ShortId, expected: Option<u32>) -> Made<Shareable> {
    let patch = PollPatch {
        name: None,
        question: None,
        closes_at: Change::Set(Moment::new(desk.now())),
    };
    update_poll(desk, short_id, expected, &patch).await
}

fn patched(poll: &Shareable, patch: &PollPatch) -> Result<Shareable, Refused> {
    const RANGE: Rule = Rule::Invalid("not after the poll expires");
    let mut next = poll.clone();
    next.name = patch.name.clone().unwrap_or(next.name);
    if let Content::Poll(content) = &mut next.content {
        if let Some(question) = &patch.question {
            content.question = question.clone();
        }
        match patch.closes_at {
            Change::Keep => {}
            Change::Clear => content.closes_at = None,
            Change::Set(at) if at > next.expires_at => return Err(RANGE.at("closesAt").into()),
            Change::Set(at) => content.closes_at = Some(at),
        }
    }
    Ok(next)
}

/// Writes on each option until when it takes votes.
fn reschedule(
    poll: &Shareable,
    options: &[PollOption],
    unit: &mut Unit<Refused>,
) -> Result<(), Refused> {
    let (Content::Poll(content), true) = (&poll.content, options.len() == poll.part_count as usize)
    else {
        return Err(Refused::Stale);
    };
    let votable_until = content.votable_until(poll.expires_at);
    for option in options {
        let next = PollOption {
            votable_until,
            ..option.clone()
        };
        if next != *option {
            unit.update(option, &next, Condition::Exists)
                .or(Refused::Stale);
        }
    }
    Ok(())
}

/// Adds an option. One Query, one GetItem and one TransactWriteItems of the option and its poll.
pub async fn add_option(
    desk: Desk<'_>,
    short_id: &ShortId,
    text: super::poll::OptionText,
) -> Made<PollOption> {
    let claims = desk.admin_claims()?;
    if !claims.are_on(short_id, ShareableKind::Poll) {
        return refused(NOT_THERE, "shortId");
    }
    let options = desk.parts::<PollOption>(short_id).await?;
    let order = options.last().map_or(0.0, |last| last.order.floor() + 1.0);
    let id = uuid::Uuid::new_v4();
    let new = |poll: &Shareable, content: &PollContent| PollOption {
        poll_option_id: id,
        ..PollOption::new(short_id, content, poll.expires_at, order, text.clone())
    };
    let plan = |poll: &Shareable, unit: &mut Unit<Refused>| {
        let content = open_poll(desk, &claims, poll)?;
        let most = super::poll::MAX_OPTIONS;
        if poll.part_count >= most {
            return Err(Rule::TooMany(most as usize).at("shortId").into());
        }
        unit.put_new(&new(poll, content)).step();
        Ok(Shareable {
            part_count: poll.part_count + 1,
            ..poll.clone()
        })
    };
    let poll = desk.tables().change(short_id, None, plan).await?.entity;
    desk.announce(short_id, Happened::Changed);
    match &poll.content {
        Content::Poll(content) => Ok(Changed::now(new(&poll, content))),
        Content::Checklist(_) => refused(NOT_THERE, "shortId"),
    }
}

/// Deletes an option that nobody has voted for. One GetItem and one TransactWriteItems of the option and its poll.
pub async fn delete_option(
    desk: Desk<'_>,
    key: &(ShortId, uuid::Uuid),
    claims: &Claims,
) -> Made<()> {
    const VOTED: Rule = Rule::Conflict("is not an option of this poll, or has votes");
    let plan = |poll: &Shareable, unit: &mut Unit<Refused>| {
        open_poll(desk, claims, poll)?;
        let unvoted = Condition::is("votes", &0);
        unit.delete::<PollOption>(key, unvoted)
            .or(VOTED.at("id").into());
        Ok(Shareable {
            part_count: poll.part_count.saturating_sub(1),
            ..poll.clone()
        })
    };
    let changed = desk.tables().change(&key.0, None, plan).await?;
    desk.announce(&key.0, Happened::Changed);
    Ok(changed.map(drop))
}

/// A poll that can still be voted in.
fn open_poll<'p>(
    desk: Desk<'_>,
    claims: &Claims,
    poll: &'p Shareable,
) -> Result<&'p PollContent, Refused> {
    const CLOSED: Rule = Rule::Conflict("names a poll that is closed");
    desk.admit(claims, poll)?;
    match &poll.content {
        Content::Poll(content)
            if desk.now().timestamp() < content.votable_until(poll.expires_at).seconds() =>
        {
            Ok(content)
        }
        Content::Poll(_) | Content::Checklist(_) => Err(CLOSED.at("shortId").into()),
    }
}
