//! Mutations of polls, their options and votes.

use async_graphql::{ID, InputObject, MaybeUndefined};

use super::checklists::{optional, patched};
use super::content::PollTimeInput;
use super::inputs::{made_id, one};
use super::names::in_one_line;
use super::types::{AnyShareable, Poll};
use crate::options;
use crate::poll::{Comment, NewOption, OptionText, PollOption, PollVote};
use crate::request_context::{Made, NOT_THERE, RequestContext};
use crate::settings::{self, PollPatch};
use crate::shareable::{Name, Question, Shareable};
use crate::short_id::ShortId;
use crate::voting::{self, Choice};
use trestle_api::mutations;
use trestle_api::{Input, Uuid, Version};
use trestle_domain::{Check, Moment, Rule, Seconds};
use trestle_table::Changed;

/// Changes to a poll. A field that is left out stays.
#[derive(InputObject)]
pub struct UpdatePollInput {
    /// Short id of the poll.
    short_id: Input<ShortId>,
    /// Reject the mutation if this is not the current version.
    expected_version: Option<Version>,
    /// Name, 1 to 120 characters. It cannot be cleared.
    name: MaybeUndefined<Input<Name>>,
    /// What the poll asks, 1 to 300 characters. It cannot be cleared.
    question: MaybeUndefined<Input<Question>>,
    /// When the poll closes, in the future. `null` closes it when it expires. A later time opens a closed poll again.
    closes_at: MaybeUndefined<Input<Moment<Seconds>>>,
}

/// A poll to close.
#[derive(InputObject)]
pub struct ClosePollInput {
    /// Short id of the poll.
    short_id: Input<ShortId>,
    /// Reject the mutation if this is not the current version.
    expected_version: Option<Version>,
}

/// An option to add: with either `text` or `time`.
#[derive(InputObject)]
pub struct AddPollOptionInput {
    /// Short id of the poll.
    short_id: Input<ShortId>,
    /// The option's UUID. With a UUID of the client's own, the same input can be repeated without adding the option twice.
    option_id: Option<Uuid>,
    /// Text, 1 to 200 characters.
    text: Option<Input<OptionText>>,
    /// A day or a time.
    time: Option<PollTimeInput>,
}

/// Where an option goes.
#[derive(InputObject)]
pub struct MovePollOptionInput {
    /// ID of the option.
    id: ID,
    /// ID of the option that it comes after. `null` makes it the first one.
    after_id: Option<ID>,
}

/// A new text of an option.
#[derive(InputObject)]
pub struct UpdatePollOptionInput {
    /// ID of the option.
    id: ID,
    /// Text, 1 to 200 characters, different from that of the other options.
    text: Input<OptionText>,
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
    short_id: Input<ShortId>,
    /// IDs of the options to vote for: one, several if the poll allows it, or none to take the vote back.
    option_ids: Vec<ID>,
    /// IDs of the options that suit if need be, if the poll has that answer.
    #[graphql(default)]
    maybe_option_ids: Vec<ID>,
    /// Comment, at most 500 characters. One that is left out is removed.
    comment: Option<Input<Comment>>,
}

/// A vote to remove.
#[derive(InputObject)]
pub struct RemoveVoteInput {
    /// ID of the vote.
    id: ID,
}

mutations! {
    /// Mutations of polls, their options and votes.
    PollMutation {
        /// Changes a poll. Needs the admin passcode.
        update_poll(UpdatePollInput) -> UpdatePollPayload { poll: Poll } = update,
        /// Closes a poll now. Needs the admin passcode.
        close_poll(ClosePollInput) -> ClosePollPayload { poll: Poll } = close,
        /// Adds an option to a poll that is not closed. Repeating the same input with the same `optionId` adds it once and
        /// returns it each time. Needs the admin passcode.
        add_poll_option(AddPollOptionInput) -> AddPollOptionPayload { option: PollOption } = add,
        /// Changes the text of an option of a poll that is not closed. Its votes stay, and `editedAt` shows the change. Needs
        /// the admin passcode.
        update_poll_option(UpdatePollOptionInput) -> UpdatePollOptionPayload { option: PollOption } = update_option,
        /// Moves an option of a poll that is not closed. Needs the admin passcode.
        move_poll_option(MovePollOptionInput) -> MovePollOptionPayload { option: PollOption } = move_option,
        /// Deletes an option without votes from a poll that is not closed. Needs the admin passcode.
        delete_poll_option(DeletePollOptionInput) -> DeletePollOptionPayload { deleted_id: ID } = delete,
        /// Votes in a poll, in place of the voter's earlier vote. The voter is the one of the token.
        vote(VoteInput) -> VotePayload { vote: PollVote } = vote,
        /// Removes the vote of someone else, also from a closed poll. The voter can vote again as long as they can open the
        /// poll. Needs the admin passcode.
        remove_vote(RemoveVoteInput) -> RemoveVotePayload { removed_id: ID } = remove_vote,
    }
}

async fn update(context: RequestContext<'_>, input: UpdatePollInput) -> Made<Poll> {
    const FUTURE: Rule = Rule::Invalid("in the future");
    let mut check = Check::default();
    let short_id = check.need("shortId", input.short_id);
    let name = patched(&mut check, "name", input.name);
    let question = patched(&mut check, "question", input.question);
    let closes_at = optional(&mut check, "closesAt", input.closes_at);
    if let trestle_domain::Change::Set(at) = &closes_at {
        check.that(at.seconds() > context.now().timestamp(), "closesAt", FUTURE);
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
    poll(settings::update_poll(context, &short_id, expected, &patch).await?)
}

async fn close(context: RequestContext<'_>, input: ClosePollInput) -> Made<Poll> {
    let short_id = one("shortId", input.short_id)?;
    poll(settings::close(context, &short_id, input.expected_version.map(u32::from)).await?)
}

async fn add(context: RequestContext<'_>, input: AddPollOptionInput) -> Made<PollOption> {
    const ONE: Rule = Rule::Invalid("given, unless `time` is; not both");
    let mut check = Check::default();
    let short_id = check.need("shortId", input.short_id);
    let new = match (input.text, input.time) {
        (Some(text), None) => {
            let text = check.need("text", Result::from(text).and_then(in_one_line));
            text.map(|text| NewOption { text, time: None })
        }
        (None, Some(time)) => check.need("time", time.read().map_err(Rule::Within)),
        (Some(_), Some(_)) | (None, None) => check.need("text", Err(ONE)),
    };
    let id = made_id(&mut check, "optionId", input.option_id);
    let (short_id, id, new) = check.finish(|| Some((short_id?, id?, new?)))?;
    options::add_option(context, &short_id, id, new).await
}

async fn move_option(context: RequestContext<'_>, input: MovePollOptionInput) -> Made<PollOption> {
    options::move_option(context, &input.id, input.after_id.as_ref()).await
}

async fn update_option(
    context: RequestContext<'_>,
    input: UpdatePollOptionInput,
) -> Made<PollOption> {
    let claims = context.admin_claims()?;
    let key = options::named(&claims, &input.id, "id")?;
    let text = in_one_line(one("text", input.text)?).map_err(|rule| rule.at("text"))?;
    options::edit_option(context, &key, &claims, text).await
}

async fn delete(context: RequestContext<'_>, input: DeletePollOptionInput) -> Made<ID> {
    let claims = context.admin_claims()?;
    let key = options::named(&claims, &input.id, "id")?;
    let deleted = options::delete_option(context, &key, &claims).await?;
    Ok(deleted.map(|()| input.id))
}

async fn vote(context: RequestContext<'_>, input: VoteInput) -> Made<PollVote> {
    let mut check = Check::default();
    let short_id = check.need("shortId", input.short_id);
    let comment: Option<Comment> = check.may("comment", input.comment);
    let is_empty = input.option_ids.is_empty() && input.maybe_option_ids.is_empty();
    const ALONE: Rule = Rule::Invalid("left out: a vote for no option is not kept");
    check.that(comment.is_none() || !is_empty, "comment", ALONE);
    let short_id = check.finish(|| short_id)?;
    let choice = Choice {
        options: &input.option_ids,
        maybes: &input.maybe_option_ids,
        comment,
    };
    voting::vote(context, &short_id, choice).await
}

async fn remove_vote(context: RequestContext<'_>, input: RemoveVoteInput) -> Made<ID> {
    voting::remove(context, &input.id).await
}

/// A poll that was changed.
fn poll(changed: Changed<Shareable>) -> Made<Poll> {
    let poll = AnyShareable::from(changed.entity).poll();
    Ok(Changed {
        entity: poll.ok_or_else(|| NOT_THERE.at("shortId"))?,
        is_written: changed.is_written,
    })
}
