//! Checking passcodes: those that open, and the one that is asked for again.

use futures_util::try_join;
use tracing::Instrument as _;

use super::guesses::{self, Guesses, GuessesId};
use super::known::hashes_of;
use super::opened::{take_place, too_many};
use super::passcode::{HashError, Hashes, Matches, Passcode, Turn};
use super::request_context::{NOT_THERE, RequestContext, refused};
use super::shareable::Shareable;
use super::short_id::ShortId;
use super::token::{Claims, Grant, ShareableRole};
use trestle_api::{CountedUse, Failed};
use trestle_domain::Rule;
use trestle_table::Tables;

/// That the passcode that is asked for again is wrong.
const NOT_ADMIN: Rule = Rule::NotFound("is not the admin passcode");

pub const PAUSED: &str = "wrong passcodes were given for this short id";

/// A passcode to check.
pub struct Guess {
    pub passcode: Passcode,
    /// The roles that it is checked for.
    pub roles: Vec<ShareableRole>,
    pub present: Hashes,
    /// The passcodes before, if they are told apart from wrong ones.
    pub earlier: Option<Hashes>,
    /// The budgets in which it is counted if it is wrong, each with its roles.
    pub budgets: Vec<(GuessesId, Option<Guesses>, Vec<ShareableRole>)>,
    /// From where it came, if that is known.
    pub address: Option<String>,
}

/// What a passcode is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    Right(ShareableRole),
    /// The one before.
    Earlier,
    Wrong,
}

impl Matches {
    /// The roles whose hashes it has, the one that may more first.
    pub fn roles(self) -> impl Iterator<Item = ShareableRole> {
        let admin = self.admin.then_some(ShareableRole::Admin);
        let view = self.view.then_some(ShareableRole::View);
        admin.into_iter().chain(view)
    }
}

impl Guess {
    /// Checks it, and counts it if it is wrong. That goes on when nobody waits for the answer any more: who hangs up early
    /// guesses no more often, and a right one is not counted.
    pub async fn judge(
        self,
        tables: Tables,
        turn: Turn,
        taken: CountedUse,
    ) -> Result<Judgement, Failed> {
        let judged = self.judged(tables, turn, taken).in_current_span();
        tokio::spawn(judged).await.map_err(HashError::Task)?
    }

    async fn judged(
        self,
        tables: Tables,
        turn: Turn,
        taken: CountedUse,
    ) -> Result<Judgement, Failed> {
        let (matches, turn) = turn.check(self.passcode.clone(), self.present).await?;
        let is_role = |role: &ShareableRole| self.roles.contains(role);
        if let Some(role) = matches.roles().find(is_role) {
            return Ok(Judgement::Right(role));
        }
        // Held until a wrong passcode is counted: no more guesses than turns can overtake the count.
        let turn = match self.earlier {
            None => turn,
            Some(earlier) => {
                let (matches, turn) = turn.check(self.passcode, earlier).await?;
                if matches.roles().any(|role| is_role(&role)) {
                    return Ok(Judgement::Earlier);
                }
                turn
            }
        };
        taken.keep();
        for (id, guesses, roles) in self.budgets {
            let address = self.address.as_deref();
            guesses::count(&tables, &id, guesses, &roles, address).await?;
        }
        drop(turn);
        Ok(Judgement::Wrong)
    }
}

/// Asks the bearer of an admin token for the admin passcode again. Two GetItem, sent together; a wrong passcode is counted
/// by one UpdateItem, in a budget of the token's own: who opens the shareable by the passcode has another.
///
/// # Errors
/// It is wrong, or too many wrong ones were given.
pub async fn confirm(
    context: RequestContext<'_>,
    short_id: &ShortId,
    passcode: Passcode,
) -> Result<Shareable, Failed> {
    let claims = context.admin_claims_on(short_id, None)?;
    let (tables, role) = (context.tables(), ShareableRole::Admin);
    let taken = take_place(context)?;
    let turn = context.shared.hasher.turn(context.presented.network());
    let turn = turn.await?;
    let source = context.shared.secret.source(short_id, &bearer(&claims));
    let id = (short_id.clone(), Some(source));
    let guesses = async { Ok(tables.get::<Guesses>(&id).await?) };
    let (found, guesses) = try_join!(context.shareable(&claims), guesses)?;
    let Some(shareable) = found else {
        return refused(NOT_THERE, "shortId");
    };
    let pause = guesses.as_ref();
    if let Some(wait) = pause.and_then(|guesses| guesses.pause(role, context.session.now())) {
        return too_many(PAUSED, wait);
    }
    let guess = Guess {
        passcode,
        roles: vec![role],
        present: hashes_of(&shareable),
        earlier: None,
        budgets: vec![(id, guesses, vec![role])],
        address: None,
    };
    match guess.judge(tables.clone(), turn, taken).await? {
        Judgement::Right(_) => Ok(shareable),
        Judgement::Earlier | Judgement::Wrong => refused(NOT_ADMIN, "passcode"),
    }
}

/// Whose guesses those of a token are: its device's, or those of the opening that it comes from. Whoever has stolen it
/// uses up nothing of who has the passcode.
fn bearer(claims: &Claims) -> String {
    match (claims.grant, claims.opening) {
        (Some(Grant::Device(device)), _) => format!("device {device}"),
        (_, Some(opening)) => format!("opening {opening}"),
        // A token of an earlier version of the service.
        (_, None) => format!("bearer {}", claims.voter_id),
    }
}
