//! Invitations of voters: each person has a personal link, and one vote, from however many devices.

use async_graphql::ID;
use futures_util::try_join;
use uuid::Uuid;

use super::invitation::{Invitation, InvitationDraft, LinkSecret, NewInvitation, is_same_name};
use super::live::EventKind;
use super::opened::{Opened, too_many};
use super::part::Named;
use super::request_context::{
    EXPIRED, Made, NOT_THERE, Refused, RequestContext, Voter, failed, refused,
};
use super::shareable::{Content, PollContent, Shareable};
use super::short_id::ShortId;
use super::token::{Claims, Grant, ShareableKind, ShareableRole, VoterName};
use trestle_api::{ApiError, Failed};
use trestle_domain::Rule;
use trestle_table::{
    ChangeError, Changed, Condition, Consistency, Entity, Pk, TransactionBuilder, Update,
    WriteError, from_item,
};

/// The most people who are invited to one poll.
pub const MAX_INVITED: usize = 60;
/// How often a change that met others is tried.
const TRIES: usize = 8;

/// That somebody of this name is invited already.
pub const INVITED_TWICE: Rule =
    Rule::Conflict("names somebody who is already invited: `renewInvitation` makes a new link");
const FULL: Rule = Rule::LimitReached(
    "names more than 60 people, the most that can be invited: remove one by `removeInvitation`",
);
/// The one error for a link of an unknown shareable, one that was taken back, and one that never was.
const WRONG: Rule = Rule::NotFound("opens no poll with this short id");

/// Those who are invited to a poll, by their names. One Query.
pub async fn invited(
    context: RequestContext<'_>,
    short_id: &ShortId,
) -> Result<Vec<Invitation>, ApiError> {
    let tables = context.tables();
    let query = tables.of::<Invitation>()?;
    let query = query.query(Pk::of(Invitation::KIND, short_id));
    let found = query.consistency(Consistency::Strong).all(tables.meter());
    let found: Result<Vec<Invitation>, _> = found.await?.into_iter().map(from_item).collect();
    let mut found = found?;
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// Opens a poll by a personal link: one vote for each person. Two GetItem, sent together; the first time one UpdateItem
/// more. Wrong ones are counted by address, apart from passcodes; a right one is never refused for them.
pub async fn open(
    context: RequestContext<'_>,
    short_id: &ShortId,
    link: &str,
) -> Result<Opened, Failed> {
    if let Some(opened) = opened_by(context, short_id, link).await? {
        return Ok(opened);
    }
    let (network, now) = (context.presented.network(), context.session.now());
    match context.shared.links.take(network, now) {
        Ok(taken) => taken.keep(),
        Err(wait) => return too_many("wrong links came from your address", wait),
    }
    refused(WRONG, "secret")
}

async fn opened_by(
    context: RequestContext<'_>,
    short_id: &ShortId,
    link: &str,
) -> Result<Option<Opened>, Failed> {
    let Some(link) = LinkSecret::parse(link) else {
        return Ok(None);
    };
    let (tables, secret) = (context.tables(), &context.shared.secret);
    let id = (short_id.clone(), link.invitation());
    let found = try_join!(
        tables.get::<Shareable>(short_id),
        tables.get::<Invitation>(&id)
    )?;
    let (Some(shareable), Some(invitation)) = found else {
        return Ok(None);
    };
    if !secret.is_hash_of_link(&invitation.link_hash, link.as_bytes()) {
        return Ok(None);
    }
    if shareable.is_expired(context.now()) {
        return refused(EXPIRED, "shortId");
    }
    if invitation.opened_at.is_none() {
        let condition = Condition::Exists.and(Condition::Lacks("openedAt".into()));
        let update = Update::new(Invitation::key_of(&id), condition);
        let update = update.set("openedAt", &context.session.now());
        let table = tables.of::<Invitation>()?;
        match table.update(update, tables.meter()).await {
            Ok(_) | Err(WriteError::ConditionFailed(_)) => {}
            Err(WriteError::Table(error)) => return Err(error.into()),
        }
    }
    let voter = Voter {
        id: secret.invited_voter(id.1),
        name: Some(invitation.name),
    };
    let grant = Grant::Invitation(id.1);
    let opened = context.opened(shareable, ShareableRole::View, Some(grant), voter);
    opened.map(Some)
}

fn poll_content(poll: &Shareable) -> Result<&PollContent, Refused> {
    match &poll.content {
        Content::Poll(content) => Ok(content),
        Content::Checklist(_) => Err(Refused::Rules(NOT_THERE.at("shortId"))),
    }
}

/// Invites people, from then on the only ones who vote. Two GetItem, one Query, and one TransactWriteItems of the
/// invitations and the poll.
pub async fn invite(
    context: RequestContext<'_>,
    short_id: &ShortId,
    names: &[VoterName],
) -> Made<Vec<NewInvitation>> {
    let claims = context.admin_claims_on(short_id, Some(ShareableKind::Poll))?;
    for _ in 0..TRIES {
        let poll = context.shareable(&claims).await?;
        let poll = poll.ok_or_else(|| NOT_THERE.at("shortId"))?;
        // Read after the poll, whose version guards the list of those who are invited.
        let before = invited(context, short_id).await?;
        let is_there = |name: &VoterName| before.iter().any(|b| is_same_name(&b.name, name));
        let twice = names.iter().enumerate().filter(|(_, name)| is_there(name));
        let twice: Vec<_> = twice.map(|(at, _)| (at, INVITED_TWICE)).collect();
        if !twice.is_empty() {
            return refused(Rule::Entries(twice), "names");
        }
        if before.len() + names.len() > MAX_INVITED {
            return refused(FULL, "names");
        }
        let (secret, now) = (&context.shared.secret, context.session.now());
        let mut made = Vec::new();
        for name in names {
            let draft = InvitationDraft::new(name.clone())?;
            made.push(draft.under(secret, short_id, now, poll.ttl()));
        }
        let plan = |poll: &Shareable, unit: &mut TransactionBuilder<Refused>| {
            context.admit(&claims, poll)?;
            let content = PollContent {
                invited_only: true,
                ..poll_content(poll)?.clone()
            };
            for new in &made {
                unit.put_new(&new.invitation).or(Refused::Stale);
            }
            Ok(Shareable {
                content: Content::Poll(content),
                ..poll.clone()
            })
        };
        let version = Some(poll.stamp.version);
        match context.tables().change(short_id, version, plan).await {
            Ok(changed) => {
                context.announce(short_id, EventKind::Changed);
                return Ok(changed.map(|_| made));
            }
            Err(ChangeError::Conflict { .. } | ChangeError::Refused(Refused::Stale)) => {}
            Err(error) => return Err(failed(error)),
        }
    }
    Err(ApiError::contended().into())
}

/// The invitation that an id names, if it is of the poll that the token opens.
fn named(claims: &Claims, id: &ID) -> Result<(ShortId, Uuid), Failed> {
    match Named::of_id(id) {
        Some(Named::Invitation(short_id, invitation)) if short_id == claims.short_id => {
            Ok((short_id, invitation))
        }
        _ => refused(NOT_THERE, "id"),
    }
}

/// Gives an invited person another link, and voids the earlier one. Their vote stays theirs. Two GetItem and one
/// TransactWriteItems.
pub async fn renew(context: RequestContext<'_>, id: &ID) -> Made<NewInvitation> {
    let claims = context.admin_claims()?;
    let key = named(&claims, id)?;
    let before = context.tables().get::<Invitation>(&key).await?;
    let before = before.ok_or_else(|| NOT_THERE.at("id"))?;
    let link = LinkSecret::new(key.1)?;
    let invitation = Invitation {
        link_hash: context.shared.secret.hash_of_link(link.as_bytes()),
        opened_at: None,
        ..before.clone()
    };
    let taken_back = take_back(context, &claims, |unit| {
        unit.update(&before, &invitation, Condition::Exists)
            .or(Refused::Rules(NOT_THERE.at("id")));
    });
    let changed = taken_back.await?;
    Ok(changed.map(|_| NewInvitation { invitation, link }))
}

/// Takes an invitation back. A vote that was cast stays. One GetItem and one TransactWriteItems.
pub async fn remove(context: RequestContext<'_>, id: &ID) -> Made<ID> {
    let claims = context.admin_claims()?;
    let key = named(&claims, id)?;
    let taken_back = take_back(context, &claims, |unit| {
        unit.delete::<Invitation>(&key, Condition::Exists)
            .or(Refused::Rules(NOT_THERE.at("id")));
    });
    let changed = taken_back.await?;
    Ok(changed.map(|_| id.clone()))
}

/// Changes an invitation, and voids the tokens of all of them: those whose links are good open the poll again.
async fn take_back(
    context: RequestContext<'_>,
    claims: &Claims,
    step: impl Fn(&mut TransactionBuilder<Refused>),
) -> Made<Shareable> {
    let plan = |poll: &Shareable, unit: &mut TransactionBuilder<Refused>| {
        context.admit(claims, poll)?;
        step(unit);
        Ok(Shareable {
            revocations: poll.revocations.saturating_add(1),
            ..poll.clone()
        })
    };
    let changed = context.tables().change(&claims.short_id, None, plan).await;
    let changed: Changed<Shareable> = changed.map_err(failed)?;
    context.announce(&claims.short_id, EventKind::AccessChanged);
    Ok(changed)
}
