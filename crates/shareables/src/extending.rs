//! Longer lives of shareables: to a later moment, or as long as their admin opens them once a year.

use futures_util::stream::{StreamExt as _, TryStreamExt as _, iter};
use futures_util::try_join;

use super::checklist::ChecklistItem;
use super::invitation::Invitation;
use super::live::EventKind;
use super::opened::Opened;
use super::poll::{PollOption, PollVote};
use super::request_context::{Made, NOT_THERE, Refused, RequestContext, failed, refused};
use super::settings::{note_reopening, reschedule};
use super::shareable::{LONGEST_LIFE, Shareable};
use super::short_id::ShortId;
use super::table::TABLE;
use super::token::{ShareableKind, ShareableRole};
use trestle_api::ApiError;
use trestle_domain::{Moment, Rule, Seconds};
use trestle_table::{
    ChangeError, Changed, Condition, Consistency, Entity, Pk, Projection, TableError,
    TransactionBuilder, Update, WriteError,
};

/// A shareable that stays open is extended if that gives it so many seconds more.
const WORTH: i64 = 30 * 24 * 3600;
/// How often a change that met others is tried.
const TRIES: usize = 8;
/// Parts that are written at the same time.
const TOGETHER: usize = 8;

/// A longer life.
#[derive(Clone, Copy, Debug)]
pub struct Extension {
    /// The same moment, if not given.
    pub expires_at: Option<Moment<Seconds>>,
    /// As it was, if not given.
    pub stays_open: Option<bool>,
}

/// Extends a shareable, also one that has expired. One GetItem; one Query of each kind of part and one UpdateItem of each
/// item, vote and invitation, so that none is deleted before it; and one TransactWriteItems with the options.
pub async fn extend(
    context: RequestContext<'_>,
    short_id: &ShortId,
    extension: Extension,
) -> Made<Shareable> {
    const EARLIER: Rule = Rule::Invalid(
        "not earlier than it is now: a shareable is only extended, and `deleteShareable` ends it",
    );
    let claims = context.admin_claims_on(short_id, None)?;
    for _ in 0..TRIES {
        let found = context.shareable(&claims).await?;
        let found = found.ok_or_else(|| NOT_THERE.at("shortId"))?;
        let stays_open = extension.stays_open.unwrap_or(found.stays_open);
        let longest = match extension.stays_open {
            Some(true) => longest(context),
            Some(false) | None => None,
        };
        let expires_at = extension.expires_at.unwrap_or(found.expires_at);
        if expires_at < found.expires_at {
            return refused(EARLIER, "expiresAt");
        }
        let next = Shareable {
            expires_at: longest.map_or(expires_at, |longest| longest.max(expires_at)),
            stays_open,
            ..found.clone()
        };
        if let Some(changed) = lengthen(context, found, next).await? {
            return Ok(changed);
        }
    }
    Err(ApiError::contended().into())
}

/// The latest moment to which a shareable can be extended now.
fn longest(context: RequestContext<'_>) -> Option<Moment<Seconds>> {
    Moment::from_seconds(context.now().timestamp() + LONGEST_LIFE)
}

/// A shareable that its admin opens: extended if it is one that stays open. If others change it just now, it is extended
/// the next time.
pub async fn keep_open(
    context: RequestContext<'_>,
    shareable: Shareable,
    role: ShareableRole,
) -> Result<Shareable, trestle_api::Failed> {
    let is_kept = shareable.stays_open && role == ShareableRole::Admin;
    let Some(expires_at) = longest(context).filter(|_| is_kept) else {
        return Ok(shareable);
    };
    if expires_at.seconds() - shareable.expires_at.seconds() < WORTH {
        return Ok(shareable);
    }
    let next = Shareable {
        expires_at,
        ..shareable.clone()
    };
    let lengthened = lengthen(context, shareable.clone(), next).await?;
    Ok(lengthened.map_or(shareable, |lengthened| lengthened.entity))
}

/// As [`keep_open`], of what was opened.
pub async fn kept_open(
    context: RequestContext<'_>,
    opened: Opened,
) -> Result<Opened, trestle_api::Failed> {
    let shareable = keep_open(context, opened.shareable, opened.claims.role).await?;
    Ok(Opened {
        shareable,
        ..opened
    })
}

/// Writes a later moment; `None` if others have changed the shareable meanwhile. Its parts come first, so that an
/// interruption leaves some that are kept too long, and none that is deleted too early.
async fn lengthen(
    context: RequestContext<'_>,
    before: Shareable,
    mut next: Shareable,
) -> Result<Option<Changed<Shareable>>, trestle_api::Failed> {
    if next == before {
        return Ok(Some(Changed::before(before)));
    }
    let short_id = &before.short_id;
    note_reopening(&before, &mut next, context.now());
    keep_parts(context, &before, next.ttl()).await?;
    let options = match before.kind() {
        ShareableKind::Checklist => Vec::new(),
        ShareableKind::Poll => context.parts::<PollOption>(short_id).await?,
    };
    let plan = |stored: &Shareable, unit: &mut TransactionBuilder<Refused>| {
        if stored.hashes_differ(&before) {
            return Err(Refused::Unopened);
        }
        if next.kind() == ShareableKind::Poll {
            reschedule(&next, &options, unit)?;
        }
        Ok(Shareable {
            stamp: stored.stamp.clone(),
            ..next.clone()
        })
    };
    let version = Some(before.stamp.version);
    match context.tables().change(short_id, version, plan).await {
        Ok(changed) => {
            // Votes that were cast meanwhile.
            keep_parts(context, &before, changed.entity.ttl()).await?;
            context.announce(short_id, EventKind::Changed);
            Ok(Some(changed))
        }
        Err(ChangeError::Conflict { .. } | ChangeError::Refused(Refused::Stale)) => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

/// Keeps the parts of a shareable until `ttl`.
async fn keep_parts(
    context: RequestContext<'_>,
    of: &Shareable,
    ttl: i64,
) -> Result<(), TableError> {
    match of.kind() {
        ShareableKind::Checklist => keep::<ChecklistItem>(context, &of.short_id, ttl).await,
        ShareableKind::Poll => {
            let votes = keep::<PollVote>(context, &of.short_id, ttl);
            let invitations = keep::<Invitation>(context, &of.short_id, ttl);
            try_join!(votes, invitations).map(drop)
        }
    }
}

/// Keeps the parts of one kind until `ttl`. One Query, and one UpdateItem of each that would be deleted before.
async fn keep<E: Entity>(
    context: RequestContext<'_>,
    short_id: &ShortId,
    ttl: i64,
) -> Result<(), TableError> {
    let tables = context.tables();
    let table = tables.of::<E>()?;
    let earlier = Condition::at_most("ttl", &(ttl - 1));
    let names = vec![TABLE.partition_key.name, TABLE.sort_key.name];
    let query = table
        .query(Pk::of(E::KIND, short_id))
        .consistency(Consistency::Strong)
        .project(Projection::Only(names))
        .filter(earlier.clone());
    let found = query.all(tables.meter()).await?;
    let keys: Vec<_> = found.iter().filter_map(|item| TABLE.key_in(item)).collect();
    let writes = keys.into_iter().map(|key| {
        let update = Update::new(key, earlier.clone()).set("ttl", &ttl);
        async move {
            match table.update(update, tables.meter()).await {
                // Deleted meanwhile, or kept as long already.
                Ok(_) | Err(WriteError::ConditionFailed(_)) => Ok(()),
                Err(WriteError::Table(error)) => Err(error),
            }
        }
    });
    let mut writes = iter(writes).buffer_unordered(TOGETHER);
    while writes.try_next().await?.is_some() {}
    Ok(())
}
