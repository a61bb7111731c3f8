//! Shareables to create, from checked input.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::checklist::{ChecklistItem, ItemName};
use super::passcode::{Hashes, Passcode};
use super::poll::{OptionText, PollOption};
use super::pool::NewParts;
use super::shareable::{ChecklistContent, Content, Name, Note, PollContent, RETENTION, Shareable};
use super::short_id::ShortId;
use crate::api::Stamp;
use crate::domain::{Check, List, Moment, Rule, Seconds};

/// How long a shareable is open unless its creator says otherwise, in seconds.
const DEFAULT_LIFE: i64 = 30 * 24 * 3600;
/// How long a shareable is open at most, in seconds.
const LONGEST_LIFE: i64 = 366 * 24 * 3600;

/// A shareable to create.
pub struct Draft {
    pub name: Name,
    /// View and admin.
    pub passcodes: (Passcode, Passcode),
    pub expires_at: Moment<Seconds>,
    pub content: NewContent,
}

/// What a new shareable consists of, with its items or options.
#[derive(Clone)]
pub enum NewContent {
    Checklist(ChecklistContent, List<(ItemName, Option<Note>), 200>),
    Poll(PollContent, List<OptionText, 20>),
}

impl Draft {
    /// When a new shareable expires.
    pub fn expiry(
        check: &mut Check,
        given: Option<Result<Moment<Seconds>, Rule>>,
        now: DateTime<Utc>,
    ) -> Option<Moment<Seconds>> {
        const RANGE: Rule = Rule::Invalid("in the future, and within 366 days");
        let at = |seconds| Moment::from_seconds(now.timestamp() + seconds).ok_or(RANGE);
        let given = given.unwrap_or_else(|| at(DEFAULT_LIFE));
        let allowed = |at: &Moment<Seconds>| {
            let life = at.seconds() - now.timestamp();
            (1..=LONGEST_LIFE).contains(&life)
        };
        let given = given.and_then(|at| allowed(&at).then_some(at).ok_or(RANGE));
        check.need("expiresAt", given)
    }

    /// When a poll closes.
    pub fn closing(
        check: &mut Check,
        given: Option<Result<Moment<Seconds>, Rule>>,
        now: DateTime<Utc>,
        expires_at: Option<Moment<Seconds>>,
    ) -> Option<Moment<Seconds>> {
        const RANGE: Rule = Rule::Invalid("in the future, and not after the poll expires");
        let allowed = |at: &Moment<Seconds>| {
            at.seconds() > now.timestamp() && expires_at.is_none_or(|expires_at| *at <= expires_at)
        };
        let given = given.map(|given| given.and_then(|at| allowed(&at).then_some(at).ok_or(RANGE)));
        given.and_then(|given| check.need("closesAt", given))
    }
}

impl NewContent {
    /// The shareable under a short id, with its parts.
    pub fn under(
        &self,
        short_id: &ShortId,
        (name, expires_at): (&Name, Moment<Seconds>),
        hashes: &Hashes,
        now: Moment,
    ) -> (Shareable, NewParts) {
        let ttl = expires_at.seconds() + RETENTION;
        let (content, part_count, parts) = match self {
            NewContent::Checklist(checklist, items) => {
                let items = items.as_slice().iter().zip(0_u32..);
                let item = |((name, note), at): (&(ItemName, Option<Note>), u32)| ChecklistItem {
                    short_id: short_id.clone(),
                    checklist_item_id: Uuid::new_v4(),
                    order: at.into(),
                    name: name.clone(),
                    note: note.clone(),
                    ticked_at: None,
                    ticked_by: None,
                    ttl,
                };
                let items: Vec<_> = items.map(item).collect();
                let content = Content::Checklist(checklist.clone());
                (content, items.len(), NewParts::Items(items))
            }
            NewContent::Poll(poll, options) => {
                let options = options.as_slice().iter().zip(0_u32..);
                let option = |(text, at): (&OptionText, u32)| {
                    PollOption::new(short_id, poll, expires_at, at.into(), text.clone())
                };
                let options: Vec<_> = options.map(option).collect();
                let count = options.len();
                (
                    Content::Poll(poll.clone()),
                    count,
                    NewParts::Options(options),
                )
            }
        };
        let shareable = Shareable {
            short_id: short_id.clone(),
            name: name.clone(),
            view_passcode: hashes.view.clone(),
            admin_passcode: hashes.admin.clone(),
            expires_at,
            part_count: u32::try_from(part_count).unwrap_or(u32::MAX),
            content,
            stamp: Stamp::new(now),
        };
        (shareable, parts)
    }
}

impl PollOption {
    /// A new option of a poll.
    pub fn new(
        short_id: &ShortId,
        poll: &PollContent,
        expires_at: Moment<Seconds>,
        order: f64,
        text: OptionText,
    ) -> Self {
        Self {
            short_id: short_id.clone(),
            poll_option_id: Uuid::new_v4(),
            order,
            text,
            votes: 0,
            votable_until: poll.votable_until(expires_at),
            allows_several: poll.allows_several,
            hides_results: poll.hides_results,
            ttl: expires_at.seconds() + RETENTION,
        }
    }
}
