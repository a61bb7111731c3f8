//! Who an email address belongs to: the user who has verified it. Anyone may name an address; a verified owner takes it
//! from those who have not verified it.

use trestle_api::{MutationResult, Revision, Session};
use trestle_domain::{Email, Rule, UserId, Violations};
use trestle_table::{ChangeError, Condition, TableError, TransactionBuilder, Versioned as _};

use super::{EmailGuard, User};

/// The refusal of an address that another user has verified.
pub const EMAIL_TAKEN: Rule = Rule::Conflict(
    "belongs to another user: give another address, or ask an admin for `releaseEmail`",
);

/// How a user gets the guard of an address.
#[derive(Clone, Debug)]
pub enum Claim {
    /// Nobody has it.
    Free,
    /// It names somebody who has not verified the address.
    Over(Box<EmailGuard>, Option<Box<User>>),
}

impl Claim {
    /// Makes the address the user's, in the transaction that makes it verified.
    pub fn add(&self, unit: &mut TransactionBuilder<Violations>, user: &User, stamp: Revision) {
        let guard = user.email_guard(stamp);
        match self {
            Claim::Free => unit.put_new(&guard).or(EMAIL_TAKEN.at("email")),
            Claim::Over(stale, holder) => {
                if stale.user_id != user.user_id {
                    let same = match holder {
                        Some(holder) => holder.unchanged(),
                        None => Condition::Missing,
                    };
                    unit.check::<User>(&stale.user_id, same)
                        .or(EMAIL_TAKEN.at("email"));
                }
                let same = Condition::is("userId", &stale.user_id);
                unit.update(&**stale, &guard, same)
                    .or(EMAIL_TAKEN.at("email"))
            }
        };
    }
}

/// Lets go of the address that a user has verified.
pub fn release(unit: &mut TransactionBuilder<Violations>, user: &User) {
    if user.has_verified_email() {
        let own = Condition::is("userId", &user.user_id);
        let gone = Condition::Any(vec![Condition::Missing, own]);
        unit.delete::<EmailGuard>(&user.email, gone);
    }
}

/// Runs `write`, which claims an address, the user's present one if none is given; again if the address is held by
/// somebody who has not verified it. Two or three GetItems more then.
pub async fn claiming<F>(
    session: &Session,
    user: &UserId,
    address: Option<&Email>,
    write: impl Fn(Claim) -> F,
) -> MutationResult<User>
where
    F: Future<Output = MutationResult<User>>,
{
    let refused = match write(Claim::Free).await {
        Err(ChangeError::Refused(violations)) if violations == EMAIL_TAKEN.at("email") => {
            violations
        }
        written => return written,
    };
    let address = match address {
        Some(address) => Some(address.clone()),
        None => session
            .tables
            .get::<User>(user)
            .await?
            .map(|user| user.email),
    };
    let Some(address) = address else {
        return Err(refused.into());
    };
    match over(session, user, &address).await? {
        Some(claim) => write(claim).await,
        None => Err(refused.into()),
    }
}

/// The claim to an address that is held by somebody who has not verified it.
async fn over(
    session: &Session,
    user: &UserId,
    address: &Email,
) -> Result<Option<Claim>, TableError> {
    let Some(guard) = session.tables.get::<EmailGuard>(address).await? else {
        return Ok(Some(Claim::Free));
    };
    let holder = session.tables.get::<User>(&guard.user_id).await?;
    let is_held = holder.as_ref().is_some_and(|holder| {
        holder.user_id != *user && holder.email == *address && holder.has_verified_email()
    });
    Ok((!is_held).then(|| Claim::Over(Box::new(guard), holder.map(Box::new))))
}
