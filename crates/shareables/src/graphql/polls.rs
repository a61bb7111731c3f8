//! Mutations of polls, their options and votes.

use async_graphql::{ID, InputObject, MaybeUndefined};

use super::checklists::{optional, patched};
use super::content::{PollTimeInput, time_zone};
use super::inputs::{made_id, one};
use super::names::in_one_line;
use super::types::{AnyShareable, Poll};
use crate::options::{self, VotesFor};
use crate::poll::{Comment, Correction, NewOption, OptionText, PollOption, PollVote};
use crate::request_context::{Made, NOT_THERE, RequestContext};
use crate::settings::{self, PollPatch};
use crate::shareable::{Name, Question, Shareable, TimeZone};
use crate::short_id::ShortId;
use crate::voting::{self, Choice};
use crate::zone::Zone;
use trestle_api::mutations;
use trestle_api::{Input, Uuid, Version};
use trestle_domain::{Change, Check, Moment, Rule, Seconds};
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
    /// Name of the time zone in which the times are meant: one of the IANA time zone database, in any case. Clocks show the
    /// same times as before: 18:00 stays 18:00. `null` is UTC. A zone is refused if its clocks skip the time of an option, or if
    /// two options would become the same time.
    time_zone: MaybeUndefined<Input<TimeZone>>,
    /// Whether a vote can be for several options. Votes stay as they are.
    allows_several: Option<bool>,
    /// Whether a vote can have options that suit if need be. Votes stay as they are.
    allows_maybe: Option<bool>,
    /// Whether votes are shown only when the poll is closed. `true` only before the first vote: what was shown stays shown.
    hides_results: Option<bool>,
    /// Whether names of voters are shown only to themselves and to those with the admin passcode. `false` only before the
    /// first vote: whoever has voted unnamed stays so.
    hides_names: Option<bool>,
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

/// A correction of an option: `text`, `time` or both. What is left out stays.
#[derive(InputObject)]
pub struct UpdatePollOptionInput {
    /// ID of the option.
    id: ID,
    /// Text, 1 to 200 characters, different from that of the other options. Of a day or a time, a text that is another one in
    /// ISO 8601 changes it, too. A text with numbers that the day or time does not have, or with another month beside a number or
    /// another day of the week in English, is refused without `time`, because it may say another one.
    text: Option<Input<OptionText>>,
    /// A day or a time. The text follows it, unless somebody gave the option another one.
    time: Option<PollTimeInput>,
}

/// An option to delete.
#[derive(InputObject)]
pub struct DeletePollOptionInput {
    /// ID of the option.
    id: ID,
    /// Whether it is deleted although it has votes, which are taken back: ask before. A vote for nothing else is taken back
    /// as a whole.
    #[graphql(default = false)]
    with_votes: bool,
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
    /// Whether none of the options suits. Such a vote names no option, and counts as an answer.
    #[graphql(default = false)]
    none_suits: bool,
    /// Comment, at most 500 characters. One that is left out is removed.
    comment: Option<Input<Comment>>,
}

mutations! {
    /// Mutations of polls, their options and votes.
    PollMutation {
        /// Changes a poll. `correctedAt` shows changes of its question, zone and settings. Needs the admin passcode.
        update_poll(UpdatePollInput) -> UpdatePollPayload { poll: Poll } = update,
        /// Closes a poll now. Needs the admin passcode.
        close_poll(ClosePollInput) -> ClosePollPayload { poll: Poll } = close,
        /// Adds an option to a poll that is not closed. Repeating the same input with the same `optionId` adds it once and
        /// returns it each time. Needs the admin passcode.
        add_poll_option(AddPollOptionInput) -> AddPollOptionPayload { option: PollOption } = add,
        /// Corrects the text, the day or the time of an option of a poll that is not closed. Its votes stay, and `editedAt`
        /// shows the change. Needs the admin passcode.
        update_poll_option(UpdatePollOptionInput) -> UpdatePollOptionPayload { option: PollOption } = update_option,
        /// Moves an option of a poll that is not closed. Needs the admin passcode.
        move_poll_option(MovePollOptionInput) -> MovePollOptionPayload { option: PollOption } = move_option,
        /// Deletes an option from a poll that is not closed, one that has votes only with `withVotes`. Needs the admin passcode.
        delete_poll_option(DeletePollOptionInput) -> DeletePollOptionPayload { deleted_id: ID } = delete,
        /// Votes in a poll, in place of the voter's earlier vote. The voter is the one of the token.
        vote(VoteInput) -> VotePayload { vote: PollVote } = vote,
    }
}

async fn update(context: RequestContext<'_>, input: UpdatePollInput) -> Made<Poll> {
    const FUTURE: Rule = Rule::Invalid("in the future");
    let mut check = Check::default();
    let short_id = check.need("shortId", input.short_id);
    let name = patched(&mut check, "name", input.name);
    let question = patched(&mut check, "question", input.question);
    let closes_at = optional(&mut check, "closesAt", input.closes_at);
    let time_zone = match input.time_zone {
        MaybeUndefined::Undefined => Change::Unchanged,
        MaybeUndefined::Null => Change::Clear,
        MaybeUndefined::Value(name) => Change::set(time_zone(&mut check, Some(name))),
    };
    if let Change::Set(at) = &closes_at {
        check.that(at.seconds() > context.now().timestamp(), "closesAt", FUTURE);
    }
    let (short_id, patch) = check.finish(|| {
        let patch = PollPatch {
            name,
            question,
            closes_at,
            time_zone,
            allows_several: input.allows_several,
            allows_maybe: input.allows_maybe,
            hides_results: input.hides_results,
            hides_names: input.hides_names,
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
    let zone = match &input.time {
        Some(_) => options::zone_of_poll(context).await?,
        None => Zone::of(None),
    };
    let mut check = Check::default();
    let short_id = check.need("shortId", input.short_id);
    let new = match (input.text, input.time) {
        (Some(text), None) => {
            let text = check.need("text", Result::from(text).and_then(in_one_line));
            text.map(|text| NewOption { text, time: None })
        }
        (None, Some(time)) => check.need("time", time.read(&zone).map_err(Rule::Within)),
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
    let mut check = Check::default();
    let is_empty = input.text.is_none() && input.time.is_none();
    check.that(!is_empty, "text", Rule::Required);
    let text = input
        .text
        .map(|text| Result::from(text).and_then(in_one_line));
    let text = text.and_then(|text| check.need("text", text));
    let time = input.time.map(|time| time.parts().map_err(Rule::Within));
    let (label, time) = time.and_then(|time| check.need("time", time)).unzip();
    let new = Correction {
        text: text.or(label.flatten()),
        time,
    };
    let new = check.finish(|| Some(new))?;
    options::edit_option(context, &key, &claims, new).await
}

async fn delete(context: RequestContext<'_>, input: DeletePollOptionInput) -> Made<ID> {
    let claims = context.admin_claims()?;
    let key = options::named(&claims, &input.id, "id")?;
    let votes = if input.with_votes {
        VotesFor::TakenBack
    } else {
        VotesFor::Kept
    };
    let deleted = options::delete_option(context, &key, &claims, votes).await?;
    Ok(deleted.map(|()| input.id))
}

async fn vote(context: RequestContext<'_>, input: VoteInput) -> Made<PollVote> {
    let mut check = Check::default();
    let short_id = check.need("shortId", input.short_id);
    let comment: Option<Comment> = check.may("comment", input.comment);
    let is_empty = input.option_ids.is_empty() && input.maybe_option_ids.is_empty();
    const ALONE: Rule = Rule::Invalid("left out: a vote for no option is not kept");
    const NONE: Rule = Rule::Invalid("false, or the vote is for no option");
    check.that(!input.none_suits || is_empty, "noneSuits", NONE);
    let is_kept = input.none_suits || !is_empty;
    check.that(comment.is_none() || is_kept, "comment", ALONE);
    let short_id = check.finish(|| short_id)?;
    let choice = Choice {
        options: &input.option_ids,
        maybes: &input.maybe_option_ids,
        none_suits: input.none_suits,
        comment,
    };
    voting::vote(context, &short_id, choice).await
}

/// A poll that was changed.
fn poll(changed: Changed<Shareable>) -> Made<Poll> {
    let poll = AnyShareable::from(changed.entity).poll();
    Ok(Changed {
        entity: poll.ok_or_else(|| NOT_THERE.at("shortId"))?,
        is_written: changed.is_written,
    })
}
