//! Votes: each voter has one in a poll, and the options' counts are what their votes add up to.

use crate::request_context::failed;
use async_graphql::ID;
use uuid::Uuid;

use super::live::EventKind;
use super::part::Named;
use super::poll::{Comment, Count, MAX_OPTIONS, PollOption, PollVote};
use super::request_context::{EXPIRED, Made, NOT_THERE, Refused, RequestContext, refused};
use super::shareable::{Content, Shareable};
use super::short_id::ShortId;
use super::token::{Claims, Grant, ShareableKind};
use super::votes;
use trestle_api::{ApiError, Failed, Revision};
use trestle_domain::{List, Moment, Rule};
use trestle_table::{
    ChangeError, Changed, Condition, Consistency, Entity as _, Pk, TransactionBuilder, from_item,
};

/// How often a vote that met a change of its poll is tried.
const TRIES: usize = 8;

/// The most votes from which a deleted option is taken.
const MOST_VOTES: usize = 100_000;

/// That a poll takes no votes.
const CLOSED: Rule =
    Rule::Conflict("cannot be changed: the poll is closed, until its admin opens it again");
/// That an option suits, and suits if need be.
const BOTH: Rule = Rule::Invalid("other options than those of `optionIds`");

/// What a voter chooses.
pub struct Choice<'i> {
    pub options: &'i [ID],
    /// What suits if need be.
    pub maybes: &'i [ID],
    /// Whether none of the options suits.
    pub none_suits: bool,
    pub comment: Option<Comment>,
}

/// Votes in a poll. One GetItem of the poll, and for the first vote of a voter one TransactWriteItems of the vote, the
/// options' counts and the poll's count of voters; a change of it takes a GetItem and a TransactWriteItems more. Each
/// transaction checks that the poll still is what was read: its passcode, when it closes, and who may vote.
pub async fn vote(
    context: RequestContext<'_>,
    short_id: &ShortId,
    choice: Choice<'_>,
) -> Made<PollVote> {
    let claims = context.claims()?;
    if !claims.are_on(short_id, ShareableKind::Poll) {
        return refused(NOT_THERE, "shortId");
    }
    let options = chosen(&claims, choice.options).map_err(|rule| rule.at("optionIds"))?;
    let maybes = chosen(&claims, choice.maybes).map_err(|rule| rule.at("maybeOptionIds"))?;
    let is_both = |id: &Uuid| options.as_slice().contains(id);
    if maybes.as_slice().iter().any(is_both) {
        return refused(BOTH, "maybeOptionIds");
    }
    for _ in 0..TRIES {
        let poll = context.shareable(&claims).await?;
        let poll = poll.ok_or_else(|| NOT_THERE.at("shortId"))?;
        let vote = PollVote {
            short_id: short_id.clone(),
            voter_id: claims.public_voter_id(),
            voter_name: claims.voter_name.clone(),
            options: options.clone(),
            maybes: maybes.clone(),
            none_suits: choice.none_suits,
            comment: choice.comment.clone(),
            last_cast_at: None,
            ttl: poll.ttl(),
            stamp: Revision::new(context.session.now()),
        };
        admit(context, &claims, &poll, &vote)?;
        match cast(context, &SamePoll::of(&poll, &claims), vote).await {
            Err(ChangeError::Refused(Refused::Stale)) => {}
            Err(ChangeError::Refused(_)) => {
                let wanted = options.as_slice();
                return refused(reason(context, short_id, wanted).await?, "optionIds");
            }
            cast => {
                let cast = cast.map_err(failed)?;
                if cast.is_written {
                    let vote = Box::new(cast.entity.clone());
                    context.announce(short_id, EventKind::Voted(vote));
                }
                return Ok(cast);
            }
        }
    }
    Err(ApiError::contended().into())
}

/// Refuses a vote that the poll does not take.
fn admit(
    context: RequestContext<'_>,
    claims: &Claims,
    poll: &Shareable,
    vote: &PollVote,
) -> Result<(), Failed> {
    const UNINVITED: Rule =
        Rule::Forbidden("Only those who are invited can vote: open the poll by the personal link");
    const SURE: Rule = Rule::Invalid("empty: the poll does not have the answer \"if need be\"");
    let Content::Poll(content) = &poll.content else {
        return refused(NOT_THERE, "shortId");
    };
    if context.now().timestamp() >= content.votable_until(poll.expires_at).seconds() {
        return refused(CLOSED, "optionIds");
    }
    if content.invited_only && !matches!(claims.grant, Some(Grant::Invitation(_))) {
        return refused(UNINVITED, "shortId");
    }
    if content.allows_maybe || vote.maybes.as_slice().is_empty() {
        Ok(())
    } else {
        refused(SURE, "maybeOptionIds")
    }
}

/// A poll that a vote needs to find as it was read.
struct SamePoll {
    condition: Condition,
    /// Whether its voters are counted.
    is_counted: bool,
    /// Options that it has no more, and that votes may still name.
    deleted_options: Vec<Uuid>,
}

impl SamePoll {
    fn of(poll: &Shareable, claims: &Claims) -> Self {
        let (is_counted, deleted_options) = match &poll.content {
            Content::Poll(content) => (
                content.voter_count.is_some(),
                content.deleted_options.clone(),
            ),
            Content::Checklist(_) => (false, Vec::new()),
        };
        Self {
            condition: poll.is_same_for(claims),
            is_counted,
            deleted_options,
        }
    }

    /// Checks it, and counts how many voters more there are, and voters whom no option suits.
    fn recount(
        &self,
        unit: &mut TransactionBuilder<Refused>,
        short_id: &ShortId,
        before: Option<&PollVote>,
        after: Option<&PollVote>,
    ) {
        let cast = difference(before, after, PollVote::is_cast);
        let none = difference(before, after, |vote| vote.none_suits);
        let mut counts = Vec::new();
        if self.is_counted && cast != 0 {
            counts.push(("voterCount", cast));
        }
        if none != 0 {
            counts.push(("noneCount", none));
        }
        let same = self.condition.clone();
        let step = if counts.is_empty() {
            unit.check::<Shareable>(short_id, same)
        } else {
            unit.add_each::<Shareable>(short_id, &counts, same)
        };
        step.or(Refused::Stale);
    }
}

/// How many more votes there are of a kind after a vote.
fn difference(
    before: Option<&PollVote>,
    after: Option<&PollVote>,
    is_counted: impl Fn(&PollVote) -> bool,
) -> i64 {
    i64::from(after.is_some_and(&is_counted)) - i64::from(before.is_some_and(&is_counted))
}

/// Writes a vote, if its poll still is the `same`.
async fn cast(
    context: RequestContext<'_>,
    poll: &SamePoll,
    vote: PollVote,
) -> Result<Changed<PollVote>, ChangeError<Refused>> {
    let short_id = &vote.short_id;
    let takes = PollOption::takes_votes(Moment::new(context.now()), vote.options.as_slice().len());
    // Who has not voted has nothing to take back, and becomes no voter.
    if vote.is_cast() {
        let created = context.tables().create(vote.clone(), |unit| {
            poll.recount(unit, short_id, None, Some(&vote));
            recount(unit, poll, None, Some(&vote), &takes);
        });
        match created.await {
            Ok(created) if created.is_written || created.entity.says_as(&vote) => {
                return Ok(created);
            }
            Ok(_) | Err(ChangeError::Taken) => {}
            Err(error) => return Err(error),
        }
    }
    let plan = |before: &PollVote, unit: &mut TransactionBuilder<Refused>| {
        poll.recount(unit, short_id, Some(before), Some(&vote));
        recount(unit, poll, Some(before), Some(&vote), &takes);
        let next = PollVote {
            options: vote.options.clone(),
            maybes: vote.maybes.clone(),
            none_suits: vote.none_suits,
            comment: vote.comment.clone(),
            voter_name: vote.voter_name.clone(),
            ..before.clone()
        };
        Ok(PollVote {
            last_cast_at: before.last_cast_at.filter(|_| next == *before),
            ..next
        })
    };
    let id = (short_id.clone(), vote.voter_id);
    match context.tables().change(&id, None, plan).await {
        Err(ChangeError::NotFound) if !vote.is_cast() => Ok(Changed::before(vote)),
        changed => changed,
    }
}

/// Changes the counts of options from those of one vote to those of another, if the options allow it.
fn recount(
    unit: &mut TransactionBuilder<Refused>,
    poll: &SamePoll,
    before: Option<&PollVote>,
    after: Option<&PollVote>,
    allowed: &Condition,
) {
    let choices = |vote: Option<&PollVote>| vote.map(PollVote::choices).unwrap_or_default();
    let (mut earlier, later) = (choices(before), choices(after));
    earlier.retain(|(option, _)| !poll.deleted_options.contains(option));
    let Some(vote) = before.or(after) else {
        return;
    };
    // Each option once, with both of its counts.
    let mut changes: Vec<(Uuid, [(&'static str, i64); 2])> = Vec::new();
    let signed = earlier.iter().map(|choice| (choice, -1));
    for ((option, count), by) in signed.chain(later.iter().map(|choice| (choice, 1))) {
        let at = changes.iter().position(|(other, _)| other == option);
        let at = at.unwrap_or_else(|| {
            let none = [Count::Votes, Count::Maybes].map(|count| (count.attribute(), 0));
            changes.push((*option, none));
            changes.len() - 1
        });
        let counts = changes.get_mut(at).into_iter();
        let counts = counts.flat_map(|(_, counts)| counts.iter_mut());
        counts
            .filter(|(name, _)| *name == count.attribute())
            .for_each(|(_, number)| *number += by);
    }
    for (option, counts) in changes {
        let counts: Vec<_> = counts.into_iter().filter(|(_, by)| *by != 0).collect();
        if counts.is_empty() {
            continue;
        }
        // Taking a vote back needs an option that takes votes, too.
        let refusal = Refused::Rules(Rule::Required.at("optionIds"));
        let id = (vote.short_id.clone(), option);
        unit.add_each::<PollOption>(&id, &counts, allowed.clone())
            .or(refusal);
    }
}

/// How many have voted in a poll. One Query for each megabyte of votes if they were not counted from the beginning.
pub async fn voters(context: RequestContext<'_>, poll: &Shareable) -> Result<u32, ApiError> {
    if let Content::Poll(content) = &poll.content
        && let Some(count) = content.voter_count
    {
        return Ok(count);
    }
    let tables = context.tables();
    let votes = tables.of::<PollVote>()?;
    let votes = votes.query(Pk::of(PollVote::KIND, &poll.short_id));
    let votes = votes.consistency(Consistency::Strong).all(tables.meter());
    let votes = votes.await?.into_iter().map(from_item::<PollVote>);
    let cast = votes.flatten().filter(PollVote::is_cast).count();
    Ok(u32::try_from(cast).unwrap_or(u32::MAX))
}

/// Removes a vote, also of a poll that is closed. Two GetItem and one TransactWriteItems of the vote, the counts and
/// a check of the poll.
pub async fn remove(context: RequestContext<'_>, id: &ID) -> Made<ID> {
    let claims = context.admin_claims()?;
    let voter = match Named::of_id(id) {
        Some(Named::Vote(short_id, voter)) if short_id == claims.short_id => voter,
        _ => return refused(NOT_THERE, "id"),
    };
    for _ in 0..TRIES {
        let poll = context.shareable(&claims).await?;
        let poll = poll.ok_or_else(|| NOT_THERE.at("id"))?;
        if poll.is_expired(context.now()) {
            return refused(EXPIRED, "id");
        }
        let poll = SamePoll::of(&poll, &claims);
        let key = (claims.short_id.clone(), voter);
        let tables = context.tables();
        let deleted = tables.delete(&key, None, |vote: &PollVote, unit| {
            poll.recount(unit, &claims.short_id, Some(vote), None);
            recount(unit, &poll, Some(vote), None, &Condition::Exists);
            Ok(())
        });
        match deleted.await {
            Err(ChangeError::Refused(Refused::Stale)) => {}
            Err(ChangeError::NotFound) => return refused(NOT_THERE, "id"),
            removed => {
                let removed = removed.map_err(failed)?;
                context.announce(&claims.short_id, EventKind::VoteRemoved(voter));
                return Ok(removed.map(|_| id.clone()));
            }
        }
    }
    Err(ApiError::contended().into())
}

/// Takes back what votes say of an option that was deleted. A vote that was for nothing else is taken back as a whole. Until
/// it has come to a vote, that vote names an option that nobody sees.
pub async fn take_back(
    context: RequestContext<'_>,
    claims: &Claims,
    option: Uuid,
) -> Result<(), Failed> {
    let short_id = &claims.short_id;
    let votes = votes::first_of(context, short_id, MOST_VOTES).await?;
    for vote in votes {
        if vote.choices().iter().all(|(id, _)| *id != option) {
            continue;
        }
        let id = (short_id.clone(), vote.voter_id);
        for _ in 0..TRIES {
            let poll = context.shareable(claims).await?;
            let poll = poll.ok_or_else(|| NOT_THERE.at("id"))?;
            let poll = SamePoll::of(&poll, claims);
            let plan = |before: &PollVote, unit: &mut TransactionBuilder<Refused>| {
                let next = before.without(option);
                poll.recount(unit, short_id, Some(before), Some(&next));
                Ok(next)
            };
            match context.tables().change(&id, None, plan).await {
                Err(ChangeError::Refused(Refused::Stale)) => {}
                // The admin removes the vote at the same moment.
                Ok(_) | Err(ChangeError::NotFound) => break,
                Err(error) => return Err(failed(error)),
            }
        }
    }
    Ok(())
}

/// The options that ids name, each once.
fn chosen(claims: &Claims, ids: &[ID]) -> Result<List<Uuid, 20>, Rule> {
    if ids.len() > MAX_OPTIONS as usize {
        return Err(Rule::TooMany(MAX_OPTIONS as usize));
    }
    let mut seen = Vec::new();
    let option = |id: &ID| match Named::of_id(id) {
        Some(Named::Option(short_id, option)) if short_id == claims.short_id => Ok(option),
        _ => Err(NOT_THERE),
    };
    let mut options: Vec<_> = ids.iter().map(option).collect();
    options.retain(|option| match option {
        Ok(option) if seen.contains(option) => false,
        Ok(option) => {
            seen.push(*option);
            true
        }
        Err(_) => true,
    });
    List::parse(options)
}

/// Why options do not take a vote. One Query.
async fn reason(
    context: RequestContext<'_>,
    short_id: &ShortId,
    wanted: &[Uuid],
) -> Result<Rule, ApiError> {
    const ONE: Rule = Rule::Invalid("at most one option: the poll does not allow several");
    let options = context.parts::<PollOption>(short_id).await?;
    let of = |id: &Uuid| options.iter().find(|option| option.poll_option_id == *id);
    let is_closed =
        |option: &PollOption| context.now().timestamp() >= option.votable_until.seconds();
    Ok(match options.first() {
        Some(option) if is_closed(option) => CLOSED,
        Some(option) if wanted.len() > 1 && !option.allows_several => ONE,
        _ if wanted.iter().any(|id| of(id).is_none()) => NOT_THERE,
        _ => CLOSED,
    })
}
