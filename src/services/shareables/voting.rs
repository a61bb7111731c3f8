//! Votes: each voter has one in a poll, and the options' counts are what their votes add up to.

use async_graphql::ID;
use uuid::Uuid;

use super::desk::{Desk, Made, NOT_THERE, Refused, refused};
use super::live::Happened;
use super::part::Named;
use super::poll::{MAX_OPTIONS, PollOption, PollVote};
use super::shareable::RETENTION;
use super::short_id::ShortId;
use super::token::{Claims, ShareableKind};
use crate::api::{ApiError, Stamp};
use crate::domain::{List, Moment, Rule};
use crate::table::{ChangeError, Unit};

/// Votes in a poll. The first vote of a voter is one TransactWriteItems of the vote and the options' counts; a change
/// of it takes a GetItem and a TransactWriteItems more.
pub async fn vote(desk: Desk<'_>, short_id: &ShortId, ids: &[ID]) -> Made<PollVote> {
    let claims = desk.claims()?;
    if !claims.are_on(short_id, ShareableKind::Poll) {
        return refused(NOT_THERE, "shortId");
    }
    let options = chosen(&claims, ids).map_err(|rule| rule.at("optionIds"))?;
    let vote = PollVote {
        short_id: short_id.clone(),
        voter_id: claims.public_voter_id(),
        voter_name: claims.voter_name.clone(),
        options,
        ttl: claims.shareable_expires + RETENTION,
        stamp: Stamp::new(desk.session.now()),
    };
    let wanted = vote.options.as_slice().to_vec();
    let takes = |count| PollOption::takes_votes(Moment::new(desk.now()), count);
    let count = |unit: &mut Unit<Refused>, option: Uuid, by| {
        let id = (short_id.clone(), option);
        // Taking a vote back needs an option that takes votes, too.
        let refusal = Refused::Rules(Rule::Required.at("optionIds"));
        unit.add::<PollOption>(&id, "votes", by, takes(wanted.len()))
            .or(refusal);
    };
    let with = |unit: &mut Unit<Refused>| wanted.iter().for_each(|option| count(unit, *option, 1));
    let created = desk.tables().create(vote.clone(), with).await;
    let changed = match created {
        Ok(created) if created.is_written || created.entity.options == vote.options => Ok(created),
        Ok(_) | Err(ChangeError::Taken) => {
            let plan = |before: &PollVote, unit: &mut Unit<Refused>| {
                let earlier = before.options.as_slice();
                for option in earlier.iter().filter(|option| !wanted.contains(option)) {
                    count(unit, *option, -1);
                }
                for option in wanted.iter().filter(|option| !earlier.contains(option)) {
                    count(unit, *option, 1);
                }
                Ok(PollVote {
                    options: vote.options.clone(),
                    voter_name: vote.voter_name.clone(),
                    ..before.clone()
                })
            };
            desk.tables()
                .change(&(short_id.clone(), vote.voter_id), None, plan)
                .await
        }
        Err(error) => Err(error),
    };
    if let Err(ChangeError::Refused(_)) = changed {
        return refused(reason(desk, short_id, &wanted).await?, "optionIds");
    }
    let changed = changed?;
    if changed.is_written {
        desk.announce(short_id, Happened::Voted);
    }
    Ok(changed)
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
async fn reason(desk: Desk<'_>, short_id: &ShortId, wanted: &[Uuid]) -> Result<Rule, ApiError> {
    const CLOSED: Rule = Rule::Conflict("cannot be changed: the poll is closed");
    const ONE: Rule = Rule::Invalid("at most one option: the poll does not allow several");
    let options = desk.parts::<PollOption>(short_id).await?;
    let of = |id: &Uuid| options.iter().find(|option| option.poll_option_id == *id);
    let is_closed = |option: &PollOption| desk.now().timestamp() >= option.votable_until.seconds();
    Ok(match options.first() {
        Some(option) if is_closed(option) => CLOSED,
        Some(option) if wanted.len() > 1 && !option.allows_several => ONE,
        _ if wanted.iter().any(|id| of(id).is_none()) => NOT_THERE,
        _ => CLOSED,
    })
}
