//! Changing the options of a poll.

use async_graphql::ID;
use futures_util::try_join;
use uuid::Uuid;

use super::live::EventKind;
use super::part::{Named, Placed};
use super::poll::{Correction, MAX_OPTIONS, NewOption, PollOption, is_same};
use super::request_context::{EXPIRED, Made, NOT_THERE, Refused, RequestContext, failed, refused};
use super::shareable::{Content, PollContent, Shareable};
use super::short_id::ShortId;
use super::token::{Claims, ShareableKind};
use super::voting;
use super::zone::Zone;
use trestle_api::ApiError;
use trestle_domain::{Rule, Violations};
use trestle_table::{ChangeError, Changed, Condition, TransactionBuilder, UnitError};

/// How often a change that met others is tried.
const TRIES: usize = 8;

/// That a poll takes no more options.
const FULL: Rule =
    Rule::LimitReached("names a poll that has 20 options, the most it can have: delete one first");
/// That an option says the same as another one.
pub const TWICE: Rule = Rule::Conflict("is already an option of the poll: give another one");

/// The option that an input field names, if it is of the shareable that the token opens.
pub fn named(claims: &Claims, id: &ID, field: &'static str) -> Result<(ShortId, Uuid), Violations> {
    match Named::of_id(id) {
        Some(Named::Option(short_id, option)) if short_id == claims.short_id => {
            Ok((short_id, option))
        }
        _ => Err(NOT_THERE.at(field)),
    }
}

/// Adds an option at the end. One Query, one GetItem and one TransactWriteItems of the option and its poll.
pub async fn add_option(
    context: RequestContext<'_>,
    short_id: &ShortId,
    id: Option<Uuid>,
    new: NewOption,
) -> Made<PollOption> {
    let claims = context.admin_claims_on(short_id, Some(ShareableKind::Poll))?;
    for _ in 0..TRIES {
        let options = context.parts::<PollOption>(short_id).await?;
        if let Some(option) = added_before(&options, id, &new)? {
            return match context.current(&claims).await? {
                Some(_) => Ok(Changed::before(option)),
                None => refused(EXPIRED, "shortId"),
            };
        }
        let repeated = options.iter().find(|option| option.to_new().repeats(&new));
        if let Some(option) = repeated {
            let is_text = is_same(&option.text, &new.text);
            return refused(TWICE, if is_text { "text" } else { "time" });
        }
        match write_new(context, &claims, &options, id, &new).await {
            // Another request has added it since: it is the same one, or the id is taken.
            Err(ChangeError::Refused(Refused::Stale)) => {}
            written => {
                let option = written.map_err(failed)?;
                context.announce(short_id, EventKind::Option(Box::new(option.clone())));
                return Ok(Changed::now(option));
            }
        }
    }
    Err(ApiError::contended().into())
}

/// The option that the same request has added before.
fn added_before(
    options: &[PollOption],
    id: Option<Uuid>,
    new: &NewOption,
) -> Result<Option<PollOption>, Violations> {
    const TAKEN: Rule = Rule::Conflict("is already used by another option: make another one up");
    let mut options = options.iter();
    match options.find(|option| id == Some(option.poll_option_id)) {
        Some(option) if option.to_new() == *new => Ok(Some(option.clone())),
        Some(_) => Err(TAKEN.at("optionId")),
        None => Ok(None),
    }
}

/// Writes an option with its poll, behind those that it has.
async fn write_new(
    context: RequestContext<'_>,
    claims: &Claims,
    options: &[PollOption],
    id: Option<Uuid>,
    new: &NewOption,
) -> Result<PollOption, ChangeError<Refused>> {
    let found = u32::try_from(options.len()).unwrap_or(u32::MAX);
    let order = options.last().map_or(0.0, |last| last.order.floor() + 1.0);
    let id = id.unwrap_or_else(Uuid::new_v4);
    let made = |poll: &Shareable, content: &PollContent| PollOption {
        poll_option_id: id,
        ..PollOption::new(
            &claims.short_id,
            content,
            poll.expires_at,
            order,
            new.clone(),
        )
    };
    let plan = |poll: &Shareable, unit: &mut TransactionBuilder<Refused>| {
        let content = open_poll(context, claims, poll)?;
        let count = poll.part_count.unwrap_or(found);
        if count >= MAX_OPTIONS {
            return Err(FULL.at("shortId").into());
        }
        unit.put_new(&made(poll, content)).or(Refused::Stale);
        Ok(Shareable {
            part_count: Some(count + 1),
            ..poll.clone()
        })
    };
    let changed = context.tables().change(&claims.short_id, None, plan);
    let poll = changed.await?.entity;
    match &poll.content {
        Content::Poll(content) => Ok(made(&poll, content)),
        Content::Checklist(_) => Err(ChangeError::NotFound),
    }
}

/// Moves an option: one GetItem and one Query, sent together, and one UpdateItem. If its new neighbours are too close, the
/// options of the shorter side move with it, in one TransactWriteItems.
pub async fn move_option(
    context: RequestContext<'_>,
    id: &ID,
    after: Option<&ID>,
) -> Made<PollOption> {
    let claims = context.admin_claims()?;
    let key = named(&claims, id, "id")?;
    let after = after.map(|after| named(&claims, after, "afterId"));
    let after = after.transpose()?;
    for _ in 0..TRIES {
        let (poll, mut options) = try_join!(
            context.shareable(&claims),
            context.parts::<PollOption>(&key.0)
        )?;
        let poll = poll.ok_or_else(|| NOT_THERE.at("id"))?;
        open_poll(context, &claims, &poll)
            .map_err(|refused| failed(ChangeError::Refused(refused)))?;
        let at_of = |options: &[PollOption], id| {
            let mut options = options.iter();
            options.position(|option| option.poll_option_id == id)
        };
        let at = at_of(&options, key.1).ok_or_else(|| NOT_THERE.at("id"))?;
        let moved = options.remove(at);
        let index = match &after {
            None => 0,
            Some((_, after)) => at_of(&options, *after).ok_or_else(|| NOT_THERE.at("afterId"))? + 1,
        };
        if index == at {
            return Ok(Changed::before(moved));
        }
        let orders: Vec<_> = options.iter().map(|option| option.order).collect();
        let (order, others) = match Placed::before(index, &orders) {
            Placed::At(order) => (order, Vec::new()),
            Placed::Respread(order, others) => (order, others),
        };
        let next = PollOption {
            order,
            ..moved.clone()
        };
        let mut unit = context.tables().unit::<Refused>();
        move_to(&mut unit, &moved, order);
        for (at, order) in &others {
            if let Some(option) = options.get(*at) {
                move_to(&mut unit, option, *order);
            }
        }
        match unit.commit().await {
            Ok(()) => {
                context.announce(
                    &key.0,
                    if others.is_empty() {
                        EventKind::Option(Box::new(next.clone()))
                    } else {
                        EventKind::Options
                    },
                );
                return Ok(Changed::now(next));
            }
            Err(UnitError::Canceled(_)) => {}
            Err(UnitError::Table(error)) => return Err(error.into()),
        }
    }
    Err(ApiError::contended().into())
}

/// Moves an option, if it is still where it was seen.
fn move_to(unit: &mut TransactionBuilder<Refused>, option: &PollOption, order: f64) {
    let next = PollOption {
        order,
        ..option.clone()
    };
    let same = Condition::is("order", &option.order);
    unit.update(option, &next, same);
}

/// Corrects an option, whose votes stay. One GetItem and one Query, sent together, and one UpdateItem.
pub async fn edit_option(
    context: RequestContext<'_>,
    (short_id, id): &(ShortId, Uuid),
    claims: &Claims,
    new: Correction,
) -> Made<PollOption> {
    for _ in 0..TRIES {
        let (poll, options) = futures_util::try_join!(
            context.shareable(claims),
            context.parts::<PollOption>(short_id)
        )?;
        let poll = poll.ok_or_else(|| NOT_THERE.at("id"))?;
        let content = open_poll(context, claims, &poll)
            .map_err(|refused| failed(ChangeError::Refused(refused)))?;
        let zone = Zone::of(content.time_zone.as_ref());
        let (own, others): (Vec<_>, Vec<_>) = options
            .into_iter()
            .partition(|option| option.poll_option_id == *id);
        let option = own.into_iter().next().ok_or_else(|| NOT_THERE.at("id"))?;
        let next = option.corrected(new.clone(), &zone);
        let next = next.map_err(|rule| rule.at("text"))?;
        if next == option {
            return Ok(Changed::before(option));
        }
        let repeated = next.to_new();
        let repeated = others
            .iter()
            .find(|other| other.to_new().repeats(&repeated));
        if let Some(other) = repeated {
            let is_text = is_same(&other.text, &next.text);
            return refused(TWICE, if is_text { "text" } else { "time" });
        }
        let next = PollOption {
            edited_at: Some(context.session.now()),
            ..next
        };
        let mut unit = context.tables().unit::<Refused>();
        unit.update(&option, &next, Condition::is("text", &option.text))
            .or(Refused::Stale);
        match unit.commit().await {
            Ok(()) => {
                context.announce(short_id, EventKind::Option(Box::new(next.clone())));
                return Ok(Changed::now(next));
            }
            Err(UnitError::Canceled(_)) => {}
            Err(UnitError::Table(error)) => return Err(error.into()),
        }
    }
    Err(ApiError::contended().into())
}

/// What becomes of the votes for an option that is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VotesFor {
    /// If it has any, it is not deleted.
    Kept,
    /// They are taken back.
    TakenBack,
}

/// The most options with votes that are deleted from one poll.
const MOST_DELETED: usize = 100;

/// Deletes an option. One GetItem and one TransactWriteItems of the option and its poll; if its votes are taken back, one
/// Query for each megabyte of votes, and two GetItem and one TransactWriteItems for each of them.
pub async fn delete_option(
    context: RequestContext<'_>,
    key: &(ShortId, Uuid),
    claims: &Claims,
    votes: VotesFor,
) -> Made<()> {
    const VOTED: Rule = Rule::Conflict(
        "is not an option of this poll, or has votes, which `withVotes` deletes together with it",
    );
    const MANY: Rule = Rule::LimitReached(
        "is of a poll from which 100 options with votes were deleted: make a new poll",
    );
    let plan = |poll: &Shareable, unit: &mut TransactionBuilder<Refused>| {
        open_poll(context, claims, poll)?;
        let (condition, refusal) = match votes {
            VotesFor::Kept => (PollOption::unvoted(), VOTED),
            VotesFor::TakenBack => (Condition::Exists, NOT_THERE),
        };
        unit.delete::<PollOption>(key, condition)
            .or(refusal.at("id").into());
        let mut next = Shareable {
            part_count: poll.part_count.map(|count| count.saturating_sub(1)),
            ..poll.clone()
        };
        // Votes name it until they are changed one after the other.
        if let (Content::Poll(content), VotesFor::TakenBack) = (&mut next.content, votes) {
            if content.deleted_options.len() >= MOST_DELETED {
                return Err(MANY.at("id").into());
            }
            content.deleted_options.push(key.1);
        }
        Ok(next)
    };
    let changed = context.tables().change(&key.0, None, plan).await;
    let changed = changed.map_err(failed)?;
    if votes == VotesFor::TakenBack {
        voting::take_back(context, claims, key.1).await?;
    }
    context.announce(&key.0, EventKind::OptionDeleted(key.1));
    Ok(changed.map(drop))
}

/// The zone of the poll that the request's token opens. One GetItem.
pub async fn zone_of_poll(context: RequestContext<'_>) -> Result<Zone, ApiError> {
    let poll = context.shareable(&context.admin_claims()?).await?;
    let zone = match poll.map(|poll| poll.content) {
        Some(Content::Poll(content)) => content.time_zone,
        Some(Content::Checklist(_)) | None => None,
    };
    Ok(Zone::of(zone.as_ref()))
}

/// A poll that can still be voted in.
fn open_poll<'p>(
    context: RequestContext<'_>,
    claims: &Claims,
    poll: &'p Shareable,
) -> Result<&'p PollContent, Refused> {
    const CLOSED: Rule = Rule::Conflict(
        "names a poll that is closed: its admin can give it a later `closesAt` by `updatePoll`",
    );
    context.admit(claims, poll)?;
    match &poll.content {
        Content::Poll(content)
            if context.now().timestamp() < content.votable_until(poll.expires_at).seconds() =>
        {
            Ok(content)
        }
        Content::Poll(_) | Content::Checklist(_) => Err(CLOSED.at("shortId").into()),
    }
}
