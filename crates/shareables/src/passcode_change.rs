//! Changing passcodes: new hashes of them, and that both stay different.

use super::confirming;
use super::devices;
use super::guesses;
use super::known::hashes_of;
use super::live::EventKind;
use super::opened::{Opened, voter_of};
use super::passcode::{Hashes, MadePasscodes, Passcode};
use super::request_context::{Refused, RequestContext, failed, refused};
use super::shareable::{NewHash, Shareable};
use super::short_id::ShortId;
use super::token::{Claims, Grant, ShareableRole};
use trestle_api::Failed;
use trestle_domain::Rule;

/// New passcodes, at least one.
pub struct NewPasscodes {
    pub view: Option<Passcode>,
    pub admin: Option<Passcode>,
    pub made: MadePasscodes,
}

/// Changes passcodes. What [`confirming::confirm`] costs, one GetItem and one UpdateItem.
pub async fn change_passcodes(
    context: RequestContext<'_>,
    short_id: &ShortId,
    passcode: Passcode,
    new: NewPasscodes,
) -> Result<Opened, Failed> {
    let claims = context.admin_claims()?;
    let current = confirming::confirm(context, short_id, passcode).await?;
    let current = hashes_of(&current);
    if let Some(field) = new.repeats(context, &current).await? {
        return refused(Rule::Invalid("different from the other passcode"), field);
    }
    let made = new.made.clone();
    let view = context.new_hash(new.view, made.view.as_ref()).await?;
    let admin = context.new_hash(new.admin, made.admin.as_ref()).await?;
    let changed = context
        .tables()
        .change(short_id, None, |shareable: &Shareable, _| {
            context.admit(&claims, shareable)?;
            // What was compared has to be what is replaced.
            if shareable.view_passcode != current.view {
                return Err(Refused::Stale);
            }
            let now = context.now();
            let mut changed = shareable.clone();
            for (role, new) in [(ShareableRole::View, &view), (ShareableRole::Admin, &admin)] {
                if let Some(new) = new {
                    changed.replace_passcode(role, new.clone(), now);
                }
            }
            Ok(changed)
        });
    let shareable = changed.await.map_err(failed)?.entity;
    context.announce(short_id, EventKind::AccessChanged);
    let opened = if admin.is_none() {
        let device = claims
            .grant
            .filter(|grant| matches!(grant, Grant::Device(_)));
        context.opened(shareable, ShareableRole::Admin, device, voter_of(claims))?
    } else {
        opened_again(context, shareable, claims).await?
    };
    Ok(Opened { made, ..opened })
}

/// What whoever has changed the admin passcode goes on with: they are known by the new one, and their device stays signed
/// in by a refresh token of its own. The passcode is changed whether or not that succeeds.
async fn opened_again(
    context: RequestContext<'_>,
    shareable: Shareable,
    claims: Claims,
) -> Result<Opened, Failed> {
    let role = ShareableRole::Admin;
    let seal = context.shared.secret.seal(shareable.hash_of(role));
    for id in context.sources(&shareable.short_id, Some(claims.voter_id)) {
        let known = guesses::remember(context.tables(), &id, None, role, &seal).await;
        if let Err(error) = known {
            tracing::warn!(%error, "who has changed a passcode is not remembered");
        }
    }
    let (grant, voter) = (claims.grant, voter_of(claims));
    if let Some(Grant::Device(_)) = grant {
        let signed_in = devices::sign_in(context, shareable.clone(), role, voter.clone()).await;
        if signed_in.is_ok() {
            return signed_in;
        }
        tracing::warn!("the device that has changed a passcode is signed out");
    }
    context.opened(shareable, role, None, voter)
}

impl NewPasscodes {
    /// The field of a new passcode that is the other one's, of which only the hash is known.
    async fn repeats(
        &self,
        context: RequestContext<'_>,
        current: &Hashes,
    ) -> Result<Option<&'static str>, Failed> {
        let (passcode, field) = match (&self.view, &self.admin) {
            (Some(view), None) => (view, "viewPasscode"),
            (None, Some(admin)) => (admin, "adminPasscode"),
            (Some(_), Some(_)) | (None, None) => return Ok(None),
        };
        let network = context.presented.network();
        let turn = context.shared.hasher.turn(network).await?;
        let (matches, _turn) = turn.check(passcode.clone(), current.clone()).await?;
        let repeats = match self.view {
            Some(_) => matches.admin,
            None => matches.view,
        };
        Ok(repeats.then_some(field))
    }
}

impl RequestContext<'_> {
    /// The hash of a new passcode, if there is one.
    async fn new_hash(
        &self,
        new: Option<Passcode>,
        made: Option<&Passcode>,
    ) -> Result<Option<NewHash>, Failed> {
        let Some(passcode) = new else {
            return Ok(None);
        };
        let is_made = made == Some(&passcode);
        let network = self.presented.network();
        let hash = self.shared.hasher.hash(passcode, network).await?;
        Ok(Some(NewHash { hash, is_made }))
    }
}
