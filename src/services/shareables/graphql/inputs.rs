//! Inputs of creating, opening, sharing and cloning, and how they are read.

use async_graphql::InputObject;
use chrono::{DateTime, Utc};

use crate::api::{Given, Uuid, Version};
use crate::domain::{Check, List, Moment, Rule, Seconds, Violations};
use crate::services::shareables::checklist::ItemName;
use crate::services::shareables::desk::{Desk, Voter};
use crate::services::shareables::draft::{Draft, NewContent};
use crate::services::shareables::opening::{self, NewPasscodes};
use crate::services::shareables::passcode::Passcode;
use crate::services::shareables::poll::OptionText;
use crate::services::shareables::shareable::{ChecklistContent, Name, Note, PollContent, Question};
use crate::services::shareables::short_id::ShortId;
use crate::services::shareables::token::VoterName;

/// A shareable to create: with either `checklist` or `poll`.
#[derive(InputObject)]
pub struct CreateShareableInput {
    /// Name, 1 to 120 characters.
    name: Given<Name>,
    /// Passcode for reading, ticking and voting, 6 to 128 characters. It cannot be read again.
    view_passcode: Given<Passcode>,
    /// Passcode for everything, 6 to 128 characters, different from the view passcode. It cannot be read again.
    admin_passcode: Given<Passcode>,
    /// When it expires: within 366 days. Defaults to 30 days from now. It cannot be changed later.
    expires_at: Option<Given<Moment<Seconds>>>,
    /// The checklist.
    checklist: Option<NewChecklistInput>,
    /// The poll.
    poll: Option<NewPollInput>,
    /// Name of the creator, shown with their ticks and votes, at most 80 characters.
    voter_name: Option<Given<VoterName>>,
}

/// A checklist to create.
#[derive(InputObject)]
pub struct NewChecklistInput {
    /// Plain text, at most 2000 characters.
    note: Option<Given<Note>>,
    /// The first items, in their order: at most 200.
    items: Option<Vec<NewItemInput>>,
}

/// An item to create.
#[derive(InputObject)]
pub struct NewItemInput {
    /// Name, 1 to 300 characters.
    name: Given<ItemName>,
    /// Plain text, at most 2000 characters.
    note: Option<Given<Note>>,
}

/// A poll to create.
#[derive(InputObject)]
pub struct NewPollInput {
    /// What the poll asks, 1 to 300 characters.
    question: Given<Question>,
    /// The first options, in their order: at most 20, each of 1 to 200 characters.
    options: Vec<Given<OptionText>>,
    /// Whether a vote can be for several options. It cannot be changed later.
    #[graphql(default = false)]
    allows_several: bool,
    /// Whether votes are shown only when the poll is closed. It cannot be changed later.
    #[graphql(default = false)]
    hides_results: bool,
    /// When the poll closes. Defaults to when it expires.
    closes_at: Option<Given<Moment<Seconds>>>,
}

/// A short id and a passcode.
#[derive(InputObject)]
pub struct OpenShareableInput {
    /// Short id, in any case, with or without hyphens.
    short_id: Given<ShortId>,
    /// The view or the admin passcode.
    passcode: Given<Passcode>,
    /// ID of the voter, made by the client. Whoever opens a poll with the same ID again changes the same vote. Keep it
    /// secret. Defaults to a new one.
    voter_id: Option<Uuid>,
    /// Name that is shown with ticks and votes, at most 80 characters.
    voter_name: Option<Given<VoterName>>,
}

/// A shareable whose token is to be renewed.
#[derive(InputObject)]
pub struct RenewTokenInput {
    /// Short id of the shareable that the token opens.
    pub short_id: Given<ShortId>,
}

/// New passcodes. One that is left out stays.
#[derive(InputObject)]
pub struct ChangePasscodesInput {
    /// Short id of the shareable.
    short_id: Given<ShortId>,
    /// New view passcode, 6 to 128 characters.
    view_passcode: Option<Given<Passcode>>,
    /// New admin passcode, 6 to 128 characters.
    admin_passcode: Option<Given<Passcode>>,
}

/// A shareable to clone.
#[derive(InputObject)]
pub struct CloneShareableInput {
    /// Short id of the shareable to clone.
    short_id: Given<ShortId>,
    /// Name of the clone. Defaults to the same name.
    name: Option<Given<Name>>,
    /// View passcode of the clone, 6 to 128 characters.
    view_passcode: Given<Passcode>,
    /// Admin passcode of the clone, 6 to 128 characters, different from the view passcode.
    admin_passcode: Given<Passcode>,
    /// When the clone expires: within 366 days. Defaults to 30 days from now.
    expires_at: Option<Given<Moment<Seconds>>>,
    /// When the clone of a poll closes. Defaults to when it expires.
    closes_at: Option<Given<Moment<Seconds>>>,
}

/// A shareable to delete.
#[derive(InputObject)]
pub struct DeleteShareableInput {
    /// Short id of the shareable.
    pub short_id: Given<ShortId>,
    /// Reject the mutation if this is not the current version.
    pub expected_version: Option<Version>,
}

impl CreateShareableInput {
    pub fn draft(self, desk: Desk<'_>) -> Result<(Draft, Voter), Violations> {
        let now = desk.now();
        let mut check = Check::default();
        let name = check.need("name", self.name);
        let passcodes = passcodes(&mut check, self.view_passcode, self.admin_passcode);
        let expires_at = Draft::expiry(&mut check, self.expires_at.map(Into::into), now);
        let voter_name = check.may("voterName", self.voter_name);
        const ONE: Rule = Rule::Invalid("given, unless `poll` is; not both");
        let content = match (self.checklist, self.poll) {
            (Some(checklist), None) => {
                check.need("checklist", checklist.read().map_err(Rule::Within))
            }
            (None, Some(poll)) => {
                let read = poll.read(now, expires_at).map_err(Rule::Within);
                check.need("poll", read)
            }
            (None, None) | (Some(_), Some(_)) => check.need("checklist", Err(ONE)),
        };
        check.finish(|| {
            let draft = Draft {
                name: name?,
                passcodes: passcodes?,
                expires_at: expires_at?,
                content: content?,
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
pub fn one<T>(field: &'static str, given: Given<T>) -> Result<T, Violations> {
    Result::from(given).map_err(|rule: Rule| rule.at(field))
}

/// A view and an admin passcode, which differ.
fn passcodes(
    check: &mut Check,
    view: Given<Passcode>,
    admin: Given<Passcode>,
) -> Option<(Passcode, Passcode)> {
    let view = check.need("viewPasscode", view);
    let admin = check.need("adminPasscode", admin);
    check.that(
        view.is_none() || view != admin,
        "adminPasscode",
        opening::SAME,
    );
    view.zip(admin)
}

impl NewChecklistInput {
    fn read(self) -> Result<NewContent, Violations> {
        let mut check = Check::default();
        let note = check.may("note", self.note);
        let items = self.items.unwrap_or_default().into_iter().map(|item| {
            let mut check = Check::default();
            let name = check.need("name", item.name);
            let note = check.may("note", item.note);
            check.finish(|| Some((name?, note))).map_err(Rule::Within)
        });
        let items = check.need("items", List::parse(items));
        check.finish(|| Some(NewContent::Checklist(ChecklistContent { note }, items?)))
    }
}

impl NewPollInput {
    fn read(
        self,
        now: DateTime<Utc>,
        expires_at: Option<Moment<Seconds>>,
    ) -> Result<NewContent, Violations> {
        let mut check = Check::default();
        let question = check.need("question", self.question);
        let options = self.options.into_iter().map(Into::into);
        let options = check.need("options", List::parse(options));
        let closes_at = Draft::closing(&mut check, self.closes_at.map(Into::into), now, expires_at);
        check.finish(|| {
            let content = PollContent {
                question: question?,
                allows_several: self.allows_several,
                hides_results: self.hides_results,
                closes_at,
            };
            Some(NewContent::Poll(content, options?))
        })
    }
}

impl OpenShareableInput {
    pub fn read(self) -> Result<(ShortId, Passcode, Voter), Violations> {
        const FORM: Rule = Rule::Invalid("a UUID such as 0b0cf9b6-5a1c-4f0e-9d2f-6a3c8f0f5d11");
        let mut check = Check::default();
        let short_id = check.need("shortId", self.short_id);
        let passcode = check.need("passcode", self.passcode);
        let id = self.voter_id.map_or_else(
            || Ok(uuid::Uuid::new_v4()),
            |id| uuid::Uuid::try_parse(&id.0).map_err(|_| FORM),
        );
        let id = check.need("voterId", id);
        let name = check.may("voterName", self.voter_name);
        check.finish(|| Some((short_id?, passcode?, Voter { id: id?, name })))
    }
}

impl ChangePasscodesInput {
    pub fn read(self) -> Result<(ShortId, NewPasscodes), Violations> {
        let mut check = Check::default();
        let short_id = check.need("shortId", self.short_id);
        let is_empty = self.view_passcode.is_none() && self.admin_passcode.is_none();
        let view = check.if_given("viewPasscode", self.view_passcode);
        let admin = check.if_given("adminPasscode", self.admin_passcode);
        check.that(
            view.is_none() || view != admin,
            "adminPasscode",
            opening::SAME,
        );
        check.that(!is_empty, "viewPasscode", Rule::Required);
        check.finish(|| Some((short_id?, NewPasscodes { view, admin })))
    }
}

impl CloneShareableInput {
    pub fn settings(self, desk: Desk<'_>) -> Result<(ShortId, opening::Copy), Violations> {
        let now = desk.now();
        let mut check = Check::default();
        let short_id = check.need("shortId", self.short_id);
        let name = check.if_given("name", self.name);
        let passcodes = passcodes(&mut check, self.view_passcode, self.admin_passcode);
        let expires_at = Draft::expiry(&mut check, self.expires_at.map(Into::into), now);
        let closes_at = Draft::closing(&mut check, self.closes_at.map(Into::into), now, expires_at);
        check.finish(|| {
            let copy = opening::Copy {
                name,
                passcodes: passcodes?,
                expires_at: expires_at?,
                closes_at,
            };
            Some((short_id?, copy))
        })
    }
}
