//! Inputs of creating, opening, sharing and cloning, and how they are read.

use async_graphql::InputObject;

use super::content::{NewChecklistInput, NewPollInput};
use super::names::voter_name;
use super::passcodes::{made_passcode, new_passcode, passcodes};
use crate::cloning;
use crate::draft::Draft;
use crate::extending::Extension;
use crate::opening::{self, Attempt};
use crate::passcode::{MadePasscodes, Passcode};
use crate::passcode_change::NewPasscodes;
use crate::request_context::{RequestContext, Voter};
use crate::shareable::{LONGEST_LIFE, Name};
use crate::short_id::ShortId;
use crate::token::{ShareableRole, VoterName};
use trestle_api::{Input, Uuid, Version};
use trestle_domain::{Check, Moment, Rule, Seconds, Violations};

/// A shareable to create: with either `checklist` or `poll`.
#[derive(InputObject)]
pub struct CreateShareableInput {
    /// Name, 1 to 120 characters.
    name: Input<Name>,
    /// Passcode for reading, ticking and voting, 6 to 128 characters that are not easy to guess. It cannot be read again.
    /// If it is left out, the server makes one and shows it once, in `madePasscodes`.
    view_passcode: Option<Input<Passcode>>,
    /// Passcode for everything, 6 to 128 characters that are hard to guess, different from the view passcode. It cannot be
    /// read again. If it is left out, the server makes one and shows it once, in `madePasscodes`.
    admin_passcode: Option<Input<Passcode>>,
    /// When it expires: within 366 days. Defaults to 30 days from now. `extendShareable` makes it later.
    expires_at: Option<Input<Moment<Seconds>>>,
    /// Whether it is extended to 366 days whenever it is opened with the admin passcode. Then `expiresAt` defaults to 366
    /// days from now.
    #[graphql(default = false)]
    stays_open: bool,
    /// The checklist.
    checklist: Option<NewChecklistInput>,
    /// The poll.
    poll: Option<NewPollInput>,
    /// Name of the creator, shown with their ticks and votes, at most 80 characters in one line.
    voter_name: Option<Input<VoterName>>,
}

/// A short id and a passcode.
#[derive(InputObject)]
pub struct OpenShareableInput {
    /// Short id, in any case, with or without hyphens.
    short_id: Input<ShortId>,
    /// The view or the admin passcode. Blanks at its ends do not count.
    passcode: Input<Passcode>,
    /// Which passcode it is: it is compared with that one alone, and if it is wrong, counts for that one alone. Defaults to
    /// either, as long as the view passcode is not paused by too many wrong ones.
    role: Option<ShareableRole>,
    /// ID of the voter, made by the client. Whoever opens a poll with the same ID again changes the same vote. Keep it
    /// secret. Wrong passcodes of others do not keep out a voter who has opened the shareable before. Defaults to a new
    /// one.
    voter_id: Option<Uuid>,
    /// Name that is shown with ticks and votes, at most 80 characters in one line.
    voter_name: Option<Input<VoterName>>,
    /// Whether the device stays signed in: `refreshToken` of the result opens the shareable again, for 30 days.
    #[graphql(default = false)]
    stays_signed_in: bool,
}

/// New passcodes. One that is left out stays.
#[derive(InputObject)]
pub struct ChangePasscodesInput {
    /// Short id of the shareable.
    short_id: Input<ShortId>,
    /// The present admin passcode, besides the token.
    passcode: Input<Passcode>,
    /// New view passcode, 6 to 128 characters that are not easy to guess.
    view_passcode: Option<Input<Passcode>>,
    /// New admin passcode, 6 to 128 characters that are hard to guess.
    admin_passcode: Option<Input<Passcode>>,
    /// Roles for which the server makes a new passcode and shows it once, in `madePasscodes`.
    make_passcodes: Option<Vec<ShareableRole>>,
}

/// A shareable to clone.
#[derive(InputObject)]
pub struct CloneShareableInput {
    /// Short id of the shareable to clone.
    short_id: Input<ShortId>,
    /// Name of the clone. Defaults to the same name.
    name: Option<Input<Name>>,
    /// View passcode of the clone, 6 to 128 characters that are not easy to guess. If it is left out, the server makes one
    /// and shows it once, in `madePasscodes`.
    view_passcode: Option<Input<Passcode>>,
    /// Admin passcode of the clone, 6 to 128 characters that are hard to guess, different from the view passcode. If it is
    /// left out, the server makes one and shows it once, in `madePasscodes`.
    admin_passcode: Option<Input<Passcode>>,
    /// When the clone expires: within 366 days. Defaults to 30 days from now.
    expires_at: Option<Input<Moment<Seconds>>>,
    /// When the clone of a poll closes. Defaults to when it expires.
    closes_at: Option<Input<Moment<Seconds>>>,
}

/// A longer life of a shareable.
#[derive(InputObject)]
pub struct ExtendShareableInput {
    /// Short id of the shareable.
    short_id: Input<ShortId>,
    /// When it expires: later than now, and within 366 days.
    expires_at: Option<Input<Moment<Seconds>>>,
    /// Whether it is extended to 366 days now and whenever it is opened with the admin passcode. It stays as it is if left
    /// out.
    stays_open: Option<bool>,
}

/// A shareable to delete.
#[derive(InputObject)]
pub struct DeleteShareableInput {
    /// Short id of the shareable.
    pub short_id: Input<ShortId>,
    /// The present admin passcode, besides the token.
    pub passcode: Input<Passcode>,
    /// Reject the mutation if this is not the current version.
    pub expected_version: Option<Version>,
}

impl CreateShareableInput {
    pub fn draft(self, context: RequestContext<'_>) -> Result<(Draft, Voter), Violations> {
        let now = context.now();
        let mut check = Check::default();
        let name: Option<Name> = check.need("name", self.name);
        let words: Vec<_> = name.iter().map(ToString::to_string).collect();
        let passcodes = passcodes(&mut check, self.view_passcode, self.admin_passcode, &words);
        let given = self.expires_at.map(Into::into);
        let expires_at = match (given, self.stays_open) {
            (None, true) => Moment::from_seconds(now.timestamp() + LONGEST_LIFE),
            (given, _) => Draft::expiry(&mut check, given, now),
        };
        let voter_name = voter_name(&mut check, self.voter_name);
        const ONE: Rule = Rule::Invalid("given, unless `poll` is; not both");
        let content = match (self.checklist, self.poll) {
            (Some(checklist), None) => {
                let read = checklist.read().map_err(Rule::Within);
                check
                    .need("checklist", read)
                    .map(|content| (content, Vec::new()))
            }
            (None, Some(poll)) => {
                let read = poll.read(now, expires_at).map_err(Rule::Within);
                check.need("poll", read)
            }
            (None, None) | (Some(_), Some(_)) => check.need("checklist", Err(ONE)),
        };
        check.finish(|| {
            let (passcodes, made) = passcodes?;
            let (content, invited) = content?;
            let draft = Draft {
                name: name?,
                passcodes,
                made,
                expires_at: expires_at?,
                stays_open: self.stays_open,
                content,
                invited,
            };
            let voter = Voter {
                id: uuid::Uuid::new_v4(),
                name: voter_name,
            };
            Some((draft, voter))
        })
    }
}

/// The only value of an input.
pub fn one<T>(field: &'static str, given: Input<T>) -> Result<T, Violations> {
    Result::from(given).map_err(|rule: Rule| rule.at(field))
}

/// An id that the client has made, if it has.
pub fn made_id(
    check: &mut Check,
    field: &'static str,
    given: Option<Uuid>,
) -> Option<Option<uuid::Uuid>> {
    const FORM: Rule = Rule::Invalid("a UUID such as 0b0cf9b6-5a1c-4f0e-9d2f-6a3c8f0f5d11");
    let parse = |id: Uuid| uuid::Uuid::try_parse(&id.0).map_err(|_| FORM);
    check.need(field, given.map(parse).transpose())
}

impl OpenShareableInput {
    pub fn read(self) -> Result<Attempt, Violations> {
        let mut check = Check::default();
        let short_id = check.need("shortId", self.short_id);
        let passcode = check.need("passcode", self.passcode);
        let id = made_id(&mut check, "voterId", self.voter_id);
        let name = voter_name(&mut check, self.voter_name);
        check.finish(|| {
            let known_voter = id?;
            Some(Attempt {
                short_id: short_id?,
                passcode: passcode?,
                role: self.role,
                voter: Voter {
                    id: known_voter.unwrap_or_else(uuid::Uuid::new_v4),
                    name,
                },
                known_voter,
                stays_signed_in: self.stays_signed_in,
            })
        })
    }
}

impl ChangePasscodesInput {
    pub fn read(self) -> Result<(ShortId, Passcode, NewPasscodes), Violations> {
        let mut check = Check::default();
        let short_id = check.need("shortId", self.short_id);
        let passcode = check.need("passcode", self.passcode);
        let to_make = self.make_passcodes.unwrap_or_default();
        let is_empty =
            self.view_passcode.is_none() && self.admin_passcode.is_none() && to_make.is_empty();
        let mut change = |role, field, given: Option<Input<Passcode>>| {
            const BOTH: Rule = Rule::Invalid("left out, or not in `makePasscodes`");
            match (given, to_make.contains(&role)) {
                (Some(_), true) => (check.need(field, Err(BOTH)), false),
                (Some(given), false) => (new_passcode(&mut check, field, given, &[]), false),
                (None, true) => (made_passcode(&mut check, field), true),
                (None, false) => (None, false),
            }
        };
        let (view, made_view) = change(ShareableRole::View, "viewPasscode", self.view_passcode);
        let (admin, made_admin) =
            change(ShareableRole::Admin, "adminPasscode", self.admin_passcode);
        check.that(
            view.is_none() || view != admin,
            "adminPasscode",
            opening::SAME,
        );
        check.that(!is_empty, "viewPasscode", Rule::Required);
        let made = MadePasscodes {
            view: view.clone().filter(|_| made_view),
            admin: admin.clone().filter(|_| made_admin),
        };
        check.finish(|| Some((short_id?, passcode?, NewPasscodes { view, admin, made })))
    }
}

impl ExtendShareableInput {
    pub fn read(self, context: RequestContext<'_>) -> Result<(ShortId, Extension), Violations> {
        let mut check = Check::default();
        let short_id = check.need("shortId", self.short_id);
        let is_empty = self.expires_at.is_none() && self.stays_open.is_none();
        let given: Option<Result<_, _>> = self.expires_at.map(Into::into);
        let expires_at = given.and_then(|at| Draft::expiry(&mut check, Some(at), context.now()));
        check.that(!is_empty, "expiresAt", Rule::Required);
        check.finish(|| {
            let extension = Extension {
                expires_at,
                stays_open: self.stays_open,
            };
            Some((short_id?, extension))
        })
    }
}

impl CloneShareableInput {
    pub fn settings(
        self,
        context: RequestContext<'_>,
    ) -> Result<(ShortId, cloning::Copy), Violations> {
        let now = context.now();
        let mut check = Check::default();
        let short_id = check.need("shortId", self.short_id);
        let name: Option<Name> = check.if_given("name", self.name);
        let words: Vec<_> = name.iter().map(ToString::to_string).collect();
        let passcodes = passcodes(&mut check, self.view_passcode, self.admin_passcode, &words);
        let expires_at = Draft::expiry(&mut check, self.expires_at.map(Into::into), now);
        let closes_at = Draft::closing(&mut check, self.closes_at.map(Into::into), now, expires_at);
        check.finish(|| {
            let (passcodes, made) = passcodes?;
            let copy = cloning::Copy {
                name,
                passcodes,
                made,
                expires_at: expires_at?,
                closes_at,
            };
            Some((short_id?, copy))
        })
    }
}
