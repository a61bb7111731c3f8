//! Changing passcodes: new hashes of them, and that both stay different.

use super::live::EventKind;
use super::opened::{Opened, voter_of};
use super::opening::{self, hashes_of};
use super::passcode::{Hashes, MadePasscodes, Passcode, PasscodeHash};
use super::request_context::{Refused, RequestContext, failed, refused};
use super::shareable::Shareable;
use super::short_id::ShortId;
use super::token::ShareableRole;
use trestle_api::Failed;
use trestle_domain::Rule;
use trestle_table::TransactionBuilder;

/// New passcodes, at least one.
pub struct NewPasscodes {
    pub view: Option<Passcode>,
    pub admin: Option<Passcode>,
    pub made: MadePasscodes,
}

/// Changes passcodes. What [`opening::confirm`] costs, one GetItem and one UpdateItem.
pub async fn change_passcodes(
    context: RequestContext<'_>,
    short_id: &ShortId,
    passcode: Passcode,
    new: NewPasscodes,
) -> Result<Opened, Failed> {
    let claims = context.admin_claims()?;
    let current = opening::confirm(context, short_id, passcode).await?;
    let current = hashes_of(&current);
    if let Some(field) = new.repeats(context, &current).await? {
        return refused(Rule::Invalid("different from the other passcode"), field);
    }
    let made = new.made.clone();
    let next = Hashes {
        view: context.hash_or(new.view, &current.view).await?,
        admin: context.hash_or(new.admin, &current.admin).await?,
    };
    let plan = |shareable: &Shareable, _: &mut TransactionBuilder<Refused>| {
        context.admit(&claims, shareable)?;
        // What was compared has to be what is replaced.
        if shareable.view_passcode != current.view {
            return Err(Refused::Stale);
        }
        Ok(Shareable {
            view_passcode: next.view.clone(),
            admin_passcode: next.admin.clone(),
            ..shareable.clone()
        })
    };
    let shareable = context
        .tables()
        .change(short_id, None, plan)
        .await
        .map_err(failed)?
        .entity;
    context.announce(short_id, EventKind::AccessChanged);
    Ok(Opened {
        made,
        ..context.opened(shareable, (ShareableRole::Admin, None), voter_of(claims))?
    })
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
    /// The hash of a new passcode, or the current one.
    async fn hash_or(
        &self,
        new: Option<Passcode>,
        current: &PasscodeHash,
    ) -> Result<PasscodeHash, Failed> {
        match new {
            Some(passcode) => {
                let network = self.presented.network();
                Ok(self.shared.hasher.hash(passcode, network).await?)
            }
            None => Ok(current.clone()),
        }
    }
}
