//! Devices that stay signed in: each has a refresh token, which is good for one use and for 30 days. A token that is
//! used again later was copied, and signs the device out.

use std::future::ready;

use async_graphql::{ComplexObject, Context, ID, SimpleObject};
use futures_util::try_join;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::live::EventKind;
use super::opened::{Opened, RefreshToken};
use super::part::{Named, key_of_part};
use super::request_context::{
    Made, NOT_THERE, Refused, RequestContext, Voter, failed, needs_admin, refused,
};
use super::shareable::Shareable;
use super::short_id::ShortId;
use super::table::TABLE;
use super::token::{Claims, Grant, RefreshClaims, ShareableRole, VoterName};
use trestle_api::{ApiError, Code, Connection, Failed, Listed, page};
use trestle_domain::{Moment, Seconds};
use trestle_table::{
    ChangeError, Changed, Condition, Consistency, Entity, Key, Listing, Pk, TableDefinition,
    TableError, TransactionBuilder, UnitError, Update, VisibilityFilter, WriteError, from_item,
};

/// How long a device stays signed in after it was last used, in seconds: 30 days.
const LIFETIME: i64 = 30 * 24 * 3600;
/// How long an answer that was lost can be asked for again, in seconds.
const REPEATABLE: i64 = 60;

/// The most devices that stay signed in with one passcode of a shareable.
const MOST: usize = 100;
/// The most of them of one voter.
const MOST_OF_VOTER: usize = 5;
/// How long a device is not used before another can take its place, in seconds: a week.
const UNUSED: i64 = 7 * 24 * 3600;

/// A device that stays signed in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct Device {
    #[graphql(skip)]
    pub short_id: ShortId,
    #[graphql(skip)]
    pub device_id: Uuid,
    /// What it opens.
    pub role: ShareableRole,
    /// The seal of the passcode that it was signed in with.
    #[graphql(skip)]
    pub passcode_seal: String,
    #[graphql(skip)]
    pub voter_id: Uuid,
    /// Name of its owner, if they gave one.
    pub voter_name: Option<VoterName>,
    /// How often its refresh token was used.
    #[graphql(skip)]
    pub uses: u32,
    /// When it was signed in.
    pub created_at: Moment,
    /// When it last used its refresh token.
    pub used_at: Moment,
    #[graphql(skip)]
    pub ttl: i64,
}

#[ComplexObject]
impl Device {
    /// ID, for `signOut`.
    async fn id(&self) -> ID {
        Named::Device(self.short_id.clone(), self.device_id).to_id()
    }

    /// When it is signed out unless it is used before.
    async fn expires_at(&self) -> Option<Moment<Seconds>> {
        Moment::from_seconds(self.ttl)
    }
}

/// `device#abcdef12345` / `01#<uuid without dashes>#`.
impl Entity for Device {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "device";
    type Id = (ShortId, Uuid);

    fn key_of((short_id, id): &Self::Id) -> Key {
        key_of_part(Self::KIND, short_id, id)
    }

    fn identity(&self) -> Self::Id {
        (self.short_id.clone(), self.device_id)
    }

    fn expires(&self) -> Option<i64> {
        Some(self.ttl)
    }
}

impl Listed for Device {
    const PAGE: &'static str = "A page of devices.";
    const EDGE: &'static str = "A device in a list.";
}

/// The devices that are signed in to a shareable. `device#abcdef12345`, one Query.
fn devices_of(short_id: &ShortId) -> Listing<Device> {
    Listing::of("devices/shareable", Pk::of(Device::KIND, short_id))
}

/// A page of the devices that are signed in; `None` for those without the admin passcode.
pub async fn signed_in_devices(
    ctx: &Context<'_>,
    shareable: &Shareable,
) -> Result<Option<Connection<Device>>, ApiError> {
    let context = RequestContext::of(ctx)?;
    if context.seen_claims(&shareable.short_id)?.role != ShareableRole::Admin {
        return Ok(None);
    }
    let devices = devices_of(&shareable.short_id);
    page(ctx, &devices, &SignedIn { context, shareable })
        .await
        .map(Some)
}

/// Devices whose refresh tokens still work.
struct SignedIn<'c> {
    context: RequestContext<'c>,
    shareable: &'c Shareable,
}

impl VisibilityFilter<Device> for SignedIn<'_> {
    fn admit(
        &self,
        entities: &[&Device],
    ) -> impl Future<Output = Result<Vec<bool>, TableError>> + Send {
        let devices = entities.iter();
        let is_signed_in = |device: &&Device| device.is_signed_in(self.context, self.shareable);
        ready(Ok(devices.map(is_signed_in).collect()))
    }
}

impl Device {
    /// Whether a refresh token of an earlier use asks again for the answer to it.
    fn repeats(&self, uses: u32, now: Moment) -> bool {
        let since = now.millis() - self.used_at.millis();
        uses.checked_add(1) == Some(self.uses) && since <= REPEATABLE * 1000
    }

    /// Whether its refresh token still works: the passcode is the one that it was signed in with.
    fn is_signed_in(&self, context: RequestContext<'_>, shareable: &Shareable) -> bool {
        let seal = context.shared.secret.seal(shareable.hash_of(self.role));
        self.ttl > context.now().timestamp() && self.passcode_seal == seal
    }

    /// Its refresh token, for the next use.
    fn refresh_token(&self, context: RequestContext<'_>) -> Result<RefreshToken, ApiError> {
        let claims = RefreshClaims {
            short_id: self.short_id.clone(),
            device: self.device_id,
            uses: self.uses,
        };
        let token = context.shared.secret.sign_refresh(&claims);
        Ok(RefreshToken {
            token: token.map_err(ApiError::internal)?,
            expires_at: self.ttl,
        })
    }

    fn opened(&self, context: RequestContext<'_>, shareable: Shareable) -> Result<Opened, Failed> {
        let voter = Voter {
            id: self.voter_id,
            name: self.voter_name.clone(),
        };
        let grant = Some(Grant::Device(self.device_id));
        Ok(Opened {
            refresh: Some(self.refresh_token(context)?),
            ..context.opened(shareable, self.role, grant, voter)?
        })
    }
}

/// Signs a device in to a shareable that its passcode has opened. One Query, one PutItem, and one BatchWriteItem for each
/// 25 devices that are deleted: those that are signed out, the one that the request's token is of, and the oldest one of
/// a voter who has too many. If too many others stay signed in, the shareable is opened without.
pub async fn sign_in(
    context: RequestContext<'_>,
    shareable: Shareable,
    role: ShareableRole,
    voter: Voter,
) -> Result<Opened, Failed> {
    let (now, tables) = (context.session.now(), context.tables());
    let query = tables.of::<Device>()?;
    let query = query.query(Pk::of(Device::KIND, &shareable.short_id));
    let found = query.consistency(Consistency::Strong).all(tables.meter());
    let found = found
        .await?
        .into_iter()
        .filter_map(|item| from_item(item).ok());
    let again = context.claims().ok().and_then(|claims| claims.grant);
    let (live, mut gone): (Vec<Device>, Vec<Device>) = found.partition(|device: &Device| {
        device.is_signed_in(context, &shareable)
            && (device.role != role || again != Some(Grant::Device(device.device_id)))
    });
    let mut live: Vec<_> = live
        .into_iter()
        .filter(|other| other.role == role)
        .collect();
    live.sort_by_key(|device| device.used_at.millis());
    let of_voter = live.iter().filter(|other| other.voter_id == voter.id);
    if of_voter.count() >= MOST_OF_VOTER {
        let oldest = live.iter().position(|other| other.voter_id == voter.id);
        gone.extend(oldest.map(|at| live.remove(at)));
    }
    if live.len() >= MOST {
        let is_unused = |oldest: &Device| oldest.used_at.millis() < now.millis() - UNUSED * 1000;
        if live.first().is_some_and(is_unused) {
            gone.push(live.remove(0))
        } else {
            return context.opened(shareable, role, None, voter);
        }
    }
    let device = Device {
        short_id: shareable.short_id.clone(),
        device_id: Uuid::new_v4(),
        role,
        passcode_seal: context.shared.secret.seal(shareable.hash_of(role)),
        voter_id: voter.id,
        voter_name: voter.name,
        uses: 0,
        created_at: now,
        used_at: now,
        ttl: now.millis() / 1000 + LIFETIME,
    };
    let mut unit = tables.unit::<()>();
    unit.put_new(&device);
    match unit.commit().await {
        Ok(()) => {}
        Err(UnitError::Canceled(_)) => return Err(ApiError::contended().into()),
        Err(UnitError::Table(error)) => return Err(error.into()),
    }
    if !gone.is_empty() {
        let keys = gone.iter().map(|device| Device::key_of(&device.identity()));
        let table = tables.by(&TABLE)?;
        table.batch_delete(keys, tables.meter()).await?;
    }
    device.opened(context, shareable)
}

/// The shareable that claims open; `None` if it is gone. One GetItem; for a device's two, sent together.
///
/// # Errors
/// UNAUTHENTICATED if its passcode has changed, or the device that the token was issued for is signed out: then it is not
/// renewed, and ends within the hour.
pub async fn signed_in(
    context: RequestContext<'_>,
    claims: &Claims,
) -> Result<Option<Shareable>, ApiError> {
    let Some(Grant::Device(device)) = claims.grant else {
        return context.shareable(claims).await;
    };
    let id = (claims.short_id.clone(), device);
    let device = async { Ok(context.tables().get::<Device>(&id).await?) };
    let (shareable, device) = try_join!(context.shareable(claims), device)?;
    match (shareable, device) {
        (Some(shareable), Some(device)) if device.is_signed_in(context, &shareable) => {
            Ok(Some(shareable))
        }
        (Some(_), _) => Err(signed_out()),
        (None, _) => Ok(None),
    }
}

fn signed_out() -> ApiError {
    let message =
        "The device is signed out. Open the shareable with its passcode in `openShareable`.";
    ApiError::new(Code::Unauthenticated, message)
}

/// Opens a shareable by a refresh token, and issues the next one. Two GetItem, sent together, and one UpdateItem.
pub async fn refresh(context: RequestContext<'_>, token: &str) -> Result<Opened, Failed> {
    let claims = context.shared.secret.read_refresh(token);
    let claims = claims.ok_or_else(signed_out)?;
    let id = (claims.short_id.clone(), claims.device);
    let tables = context.tables();
    let found = try_join!(
        tables.get::<Shareable>(&claims.short_id),
        tables.get::<Device>(&id)
    )?;
    let (Some(shareable), Some(device)) = found else {
        return Err(signed_out().into());
    };
    let now = context.session.now();
    if !device.is_signed_in(context, &shareable)
        || !shareable.is_open_to(device.role, context.now())
    {
        return Err(signed_out().into());
    }
    let next = if device.uses == claims.uses {
        used(context, device).await?
    } else {
        Some(device).filter(|device| device.repeats(claims.uses, now))
    };
    let Some(device) = next else {
        // Somebody else has used it, or this one is a copy: nobody can tell, so both have to open it again.
        forget(context, &id).await?;
        return Err(signed_out().into());
    };
    device.opened(context, shareable)
}

/// A device that has used its refresh token; `None` if it was used by another request, and not just now.
async fn used(context: RequestContext<'_>, device: Device) -> Result<Option<Device>, ApiError> {
    let now = context.session.now();
    let condition = Condition::is("uses", &device.uses);
    let update = Update::new(Device::key_of(&device.identity()), condition)
        .set("uses", &device.uses.saturating_add(1))
        .set("usedAt", &now)
        .set("ttl", &(now.millis() / 1000 + LIFETIME));
    let tables = context.tables();
    let written = tables.of::<Device>()?.update(update, tables.meter()).await;
    Ok(match written {
        Ok(item) => Some(from_item(item)?),
        Err(WriteError::ConditionFailed(None)) => None,
        Err(WriteError::ConditionFailed(Some(item))) => {
            let other: Device = from_item(item)?;
            Some(other).filter(|other| other.repeats(device.uses, now))
        }
        Err(WriteError::Table(error)) => return Err(error.into()),
    })
}

/// Removes a device: its refresh token opens nothing any more, and its tokens for at most an hour. One
/// TransactWriteItems.
async fn forget(context: RequestContext<'_>, id: &(ShortId, Uuid)) -> Result<bool, ApiError> {
    let mut unit = context.tables().unit::<()>();
    unit.delete::<Device>(id, Condition::Exists);
    match unit.commit().await {
        Ok(()) => Ok(true),
        Err(UnitError::Canceled(_)) => Ok(false),
        Err(UnitError::Table(error)) => Err(error.into()),
    }
}

/// Signs out a device: with the admin passcode any, whose tokens open nothing any more, else one's own. One GetItem and
/// one TransactWriteItems.
pub async fn sign_out(context: RequestContext<'_>, id: &ID) -> Made<ID> {
    let claims = context.claims()?;
    let key = match Named::of_id(id) {
        Some(Named::Device(short_id, device)) if short_id == claims.short_id => (short_id, device),
        _ => return refused(NOT_THERE, "id"),
    };
    match claims.role {
        ShareableRole::Admin => take_back(context, &claims, &key).await.map_err(failed)?,
        // Were the tokens of all devices issued again, anybody could make everybody do that all the time.
        ShareableRole::View if claims.grant == Some(Grant::Device(key.1)) => {
            if context.shareable(&claims).await?.is_none() || !forget(context, &key).await? {
                return refused(NOT_THERE, "id");
            }
        }
        ShareableRole::View => return Err(needs_admin().into()),
    }
    Ok(Changed::now(id.clone()))
}

async fn take_back(
    context: RequestContext<'_>,
    claims: &Claims,
    id: &(ShortId, Uuid),
) -> Result<(), ChangeError<Refused>> {
    let plan = |shareable: &Shareable, unit: &mut TransactionBuilder<Refused>| {
        if !context.opens(claims, shareable) {
            return Err(Refused::Unopened);
        }
        let gone = Refused::Rules(NOT_THERE.at("id"));
        unit.delete::<Device>(id, Condition::Exists).or(gone);
        Ok(Shareable {
            revocations: shareable.revocations.saturating_add(1),
            ..shareable.clone()
        })
    };
    context.tables().change(&id.0, None, plan).await?;
    context.announce(&id.0, EventKind::AccessChanged);
    Ok(())
}
