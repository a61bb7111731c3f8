//! Mutations of polls, their options and votes.

use async_graphql::{ID, InputObject, MaybeUndefined};

use super::checklists::{optional, patched};
use super::inputs::one;
use super::types::{AnyShareable, Poll};
use crate::api::{Given, Version};
use crate::domain::{Check, Moment, Rule, Seconds};
use crate::mutations;
use crate::services::shareables::desk::{Desk, Made, NOT_THERE, refused};
use crate::services::shareables::part::Named;
use crate::services::shareables::poll::{OptionText, PollOption, PollVote};
use crate::services::shareables::settings::{self, PollPatch};
use crate::services::shareables::shareable::{Name, Question, Shareable};
use crate::services::shareables::short_id::ShortId;
use crate::services::shareables::voting;
use crate::table::Changed;

/// Changes to a poll. A field that is left out stays.
#[derive(InputObject)]
pub struct UpdatePollInput {
    /// Short id of the poll.
    short_id: Given<ShortId>,
    /// Reject the mutation if this is not the current version.
    expected_version: Option<Version>,
    /// Name, 1 to 120 characters. It cannot be cleared.
    name: MaybeUndefined<Given<Name>>,
    /// What the poll asks, 1 to 300 characters. It cannot be cleared.
    question: MaybeUndefined<Given<Question>>,
    /// When the poll closes, in the future. `null` closes it when it expires. A later time opens a closed poll again.
    closes_at: MaybeUndefined<Given<Moment<Seconds>>>,
}

/// A poll to close.
#[derive(InputObject)]
pub struct ClosePollInput {
    /// Short id of the poll.
    short_id: Given<ShortId>,
    /// Reject the mutation if this is not the current version.
    expected_version: Option<Version>,
}

/// An option to add.
#[derive(InputObject)]
pub struct AddPollOptionInput {
    /// Short id of the poll.
    short_id: Given<ShortId>,
    /// Text, 1 to 200 characters.
    text: Given<OptionText>,
}

/// An option to delete.
#[derive(InputObject)]
pub struct DeletePollOptionInput {
    /// ID of the option.
    id: ID,
}

/// A vote.
#[derive(InputObject)]
pub struct VoteInput {
    /// Short id of the poll.
    short_id: Given<ShortId>,
    /// IDs of the options to vote for: one, several if the poll allows it, or none to take the vote back.
    option_ids: Vec<ID>,
}

mutations! {
    /// Mutations of polls, their options and votes.
    PollMutation {
        /// Changes a poll. Needs the admin passcode.
        update_poll(UpdatePollInput) -> UpdatePollPayload { poll: Poll } = update,
        /// Closes a poll now. Needs the admin passcode.
        close_poll(ClosePollInput) -> ClosePollPayload { poll: Poll } = close,
        /// Adds an option to a poll that is not closed. Needs the admin passcode.
        add_poll_option(AddPollOptionInput) -> AddPollOptionPayload { option: PollOption } = add,
        /// Deletes an option without votes from a poll that is not closed. Needs the admin passcode.
        delete_poll_option(DeletePollOptionInput) -> DeletePollOptionPayload { deleted_id: ID } = delete,
        /// Votes in a poll, in place of the voter's earlier vote. The voter is the one of the token.
        vote(VoteInput) -> VotePayload { vote: PollVote } = vote,
    }
}

async fn update(desk: Desk<'_>, input: UpdatePollInput) -> Made<Poll> {
    const FUTURE: Rule = Rule::Invalid("in the future");
    let mut check = Check::default();
    let short_id = check.need("shortId", input.short_id);
    let name = patched(&mut check, "name", input.name);
    let question = patched(&mut check, "question", input.question);
    let closes_at = optional(&mut check, "closesAt", input.closes_at);
    if let crate::domain::Change::Set(at) = &closes_at {
        check.that(at.seconds() > desk.now().timestamp(), "closesAt", FUTURE);
    }
    let (short_id, patch) = check.finish(|| {
        let patch = PollPatch {
            name,
            question,
            closes_at,
        };
        Some((short_id?, patch))
    })?;
    let expected = input.expected_version.map(u32::from);
    poll(settings::update_poll(desk, &short_id, expected, &patch).await?)
}

async fn close(desk: Desk<'_>, input: ClosePollInput) -> Made<Poll> {
    let short_id = one("shortId", input.short_id)?;
    poll(settings::close(desk, &short_id, input.expected_version.map(u32::from)).await?)
}

async fn add(desk: Desk<'_>, input: AddPollOptionInput) -> Made<PollOption> {
    let mut check = Check::default();
    let short_id = check.need("shortId", input.short_id);
    let text = check.need("text", input.text);
    let (short_id, text) = check.finish(|| short_id.zip(text))?;
    settings::add_option(desk, &short_id, text).await
}

async fn delete(desk: Desk<'_>, input: DeletePollOptionInput) -> Made<ID> {
    let claims = desk.admin_claims()?;
    let key = match Named::of_id(&input.id) {
        Some(Named::Option(short_id, option)) if short_id == claims.short_id => (short_id, option),
        _ => return refused(NOT_THERE, "id"),
    };
    let deleted = settings::delete_option(desk, &key, &claims).await?;
    Ok(deleted.map(|()| input.id))
}

async fn vote(desk: Desk<'_>, input: VoteInput) -> Made<PollVote> {
    let short_id = one("shortId", input.short_id)?;
    voting::vote(desk, &short_id, &input.option_ids).await
}

/// A poll that was changed.
fn poll(changed: Changed<Shareable>) -> Made<Poll> {
    let poll = AnyShareable::from(changed.entity).poll();
    Ok(Changed {
        entity: poll.ok_or_else(|| NOT_THERE.at("shortId"))?,
        is_written: changed.is_written,
    })
}
