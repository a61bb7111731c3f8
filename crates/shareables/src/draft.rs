//! Shareables to create, from checked input.

use chrono::{DateTime, Utc};

use super::checklist::{ChecklistItem, NewItem};
use super::invitation::{InvitationDraft, NewInvitation};
use super::passcode::{Hashes, MadePasscodes, Passcode};
use super::poll::{NewOption, PollOption};
use super::pool::NewParts;
use super::shareable::{
    ChecklistContent, Content, LONGEST_LIFE, Name, PollContent, RETENTION, Shareable,
};
use super::short_id::ShortId;
use super::token::Secret;
use trestle_api::Revision;
use trestle_domain::{Check, List, Moment, Rule, Seconds};

/// How long a shareable is open unless its creator says otherwise, in seconds.
const DEFAULT_LIFE: i64 = 30 * 24 * 3600;

/// A shareable to create.
pub struct Draft {
    pub name: Name,
    /// View and admin.
    pub passcodes: (Passcode, Passcode),
    /// Those of them that the server made.
    pub made: MadePasscodes,
    pub expires_at: Moment<Seconds>,
    /// Whether it is extended whenever its admin opens it.
    pub stays_open: bool,
    pub content: NewContent,
    /// Those who are invited to vote.
    pub invited: Vec<InvitationDraft>,
}

/// What a shareable has of its own, whatever it consists of.
#[derive(Clone, Copy)]
pub struct Own<'d> {
    pub name: &'d Name,
    pub expires_at: Moment<Seconds>,
    pub stays_open: bool,
}

/// What a new shareable consists of, with its items or options.
#[derive(Clone)]
pub enum NewContent {
    Checklist(ChecklistContent, List<NewItem, 200>),
    Poll(PollContent, List<NewOption, 20>),
}

impl Draft {
    /// The invitations to the poll that was made of it.
    pub fn invitations(
        &self,
        secret: &Secret,
        poll: &Shareable,
        now: Moment,
    ) -> Vec<NewInvitation> {
        let invited = self.invited.iter();
        invited
            .map(|draft| draft.under(secret, &poll.short_id, now, poll.ttl()))
            .collect()
    }

    /// What it has of its own, under whichever short id.
    pub fn own(&self) -> Own<'_> {
        Own {
            name: &self.name,
            expires_at: self.expires_at,
            stays_open: self.stays_open,
        }
    }

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
        const RANGE: Rule = Rule::Invalid(
            "in the future, and not after the poll expires: give an earlier one, or a later `expiresAt`",
        );
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
        Own {
            name,
            expires_at,
            stays_open,
        }: Own<'_>,
        hashes: &Hashes,
        now: Moment,
    ) -> (Shareable, NewParts) {
        let ttl = expires_at.seconds() + RETENTION;
        let (content, part_count, parts) = match self {
            NewContent::Checklist(checklist, items) => {
                let items = items.as_slice().iter().zip(0_u32..);
                let items: Vec<_> = items
                    .map(|(new, at)| ChecklistItem {
                        ticked_at: new.is_ticked.then_some(now),
                        ..new.under(short_id, at.into(), ttl)
                    })
                    .collect();
                let content = Content::Checklist(checklist.clone());
                (content, items.len(), NewParts::Items(items))
            }
            NewContent::Poll(poll, options) => {
                let options = options.as_slice().iter().zip(0_u32..);
                let option = |(new, at): (&NewOption, u32)| {
                    PollOption::new(short_id, poll, expires_at, at.into(), new.clone())
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
            earlier_view_passcode: None,
            earlier_admin_passcode: None,
            made_passcodes: Vec::new(),
            expires_at,
            part_count: Some(u32::try_from(part_count).unwrap_or(u32::MAX)),
            revocations: 0,
            stays_open,
            content,
            stamp: Revision::new(now),
        };
        (shareable, parts)
    }
}
