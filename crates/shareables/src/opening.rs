//! Creating and opening shareables: what passcodes are set at first, and whether given ones are right.

use std::time::Duration;

use futures_util::future::try_join_all;
use futures_util::try_join;
use uuid::Uuid;

use super::admission::Budgets;
use super::confirming::{Guess, Judgement, PAUSED};
use super::devices;
use super::draft::Draft;
use super::extending;
use super::guesses::{self, Guesses, GuessesId};
use super::known::Seals;
use super::opened::{Opened, take_place, too_many, voter_of};
use super::passcode::{HashError, Hashes, Passcode};
use super::pool::{self, Belongings, NotCreated};
use super::request_context::{EXPIRED, NOT_THERE, RequestContext, Voter, refused};
use super::shareable::Shareable;
use super::short_id::ShortId;
use super::token::{Claims, ShareableRole};
use trestle_api::{ApiError, Code, Failed};
use trestle_domain::Rule;

/// That both passcodes would be the same.
pub const SAME: Rule = Rule::Invalid("different from the view passcode");
/// The one error for an unknown short id and a wrong passcode.
const WRONG: Rule = Rule::NotFound("opens no shareable with this short id");
/// That a passcode was right until it was replaced.
const REPLACED: Rule = Rule::Conflict("has changed: ask for the new passcode");

impl From<HashError> for Failed {
    fn from(error: HashError) -> Self {
        match error {
            HashError::Busy => {
                let message = "Too many passcodes are being checked. Try again shortly.";
                ApiError::new(Code::ServiceUnavailable, message)
                    .retry_after(Duration::from_secs(1))
                    .into()
            }
            error => ApiError::internal(error).into(),
        }
    }
}

impl From<NotCreated> for Failed {
    fn from(error: NotCreated) -> Self {
        match error {
            NotCreated::Table(error) => error.into(),
            NotCreated::Contended => ApiError::contended().into(),
            error @ NotCreated::Random(_) => ApiError::internal(error).into(),
        }
    }
}

/// Creates a shareable. One Query of the pool and one TransactWriteItems, as of [`pool::create`].
pub async fn create(
    context: RequestContext<'_>,
    draft: Draft,
    voter: Voter,
) -> Result<Opened, Failed> {
    let (network, now) = (context.presented.network(), context.session.now());
    match context.shared.creates.take(network, now) {
        Ok(taken) => taken.keep(),
        Err(wait) => return too_many("shareables were created from your address", wait),
    }
    let (view, admin) = draft.passcodes.clone();
    let hasher = &context.shared.hasher;
    let (view, admin) = try_join!(hasher.hash(view, network), hasher.hash(admin, network))?;
    let hashes = Hashes { view, admin };
    let mut made_passcodes = Vec::new();
    if draft.made.view.is_some() {
        made_passcodes.push(hashes.view.clone());
    }
    if draft.made.admin.is_some() {
        made_passcodes.push(hashes.admin.clone());
    }
    let secret = &context.shared.secret;
    let seal = secret.seal(&hashes.admin);
    let make = |short_id: &ShortId| {
        let (shareable, parts) = draft.content.under(short_id, draft.own(), &hashes, now);
        let shareable = Shareable {
            made_passcodes: made_passcodes.clone(),
            ..shareable
        };
        let known = context.sources(short_id, Some(voter.id)).into_iter();
        let known = known.map(|id| Guesses::opened(id, ShareableRole::Admin, &seal, now));
        let new = draft.invitations(secret, &shareable, now);
        let belongings = Belongings {
            parts,
            known: known.collect(),
            invitations: new.into_iter().map(|new| new.invitation).collect(),
        };
        (shareable, belongings)
    };
    let shareable = pool::create(context.tables(), make, || context.shared.refill.is_low()).await?;
    Ok(Opened {
        invitations: draft.invitations(secret, &shareable, now),
        made: draft.made.clone(),
        ..context.opened(shareable, ShareableRole::Admin, None, voter)?
    })
}

/// Who wants to open what, by which passcode.
pub struct Attempt {
    pub short_id: ShortId,
    pub passcode: Passcode,
    /// Which passcode it is meant to be; either if not given.
    pub role: Option<ShareableRole>,
    pub voter: Voter,
    /// The voter's id, if the client gave it.
    pub known_voter: Option<Uuid>,
    /// Whether the device is to stay signed in.
    pub stays_signed_in: bool,
}

/// The result of an attempt.
enum Verdict {
    Opened(Box<Opened>),
    /// The view passcode of a shareable that has expired.
    Expired,
    /// The passcode before the present one.
    Replaced,
    Wrong,
    /// Not the one that was checked; the other one is not checked for a while.
    Unchecked(Duration),
}

/// Opens a shareable by a passcode. Three GetItem, sent together, four with a voter, and those of [`Budgets::admissions`]; a
/// source that opens it for the first time is remembered by one UpdateItem; a voter's id that the server gives out shows that
/// itself. A wrong passcode is counted by one UpdateItem,
/// two if the source is known for one role only. What is not there costs the same work: two hashes, and two more for those before.
pub async fn open(context: RequestContext<'_>, attempt: Attempt) -> Result<Opened, Failed> {
    match verdict(context, attempt).await? {
        Verdict::Opened(opened) => Ok(*opened),
        Verdict::Expired => refused(EXPIRED, "shortId"),
        Verdict::Replaced => refused(REPLACED, "passcode"),
        Verdict::Wrong => refused(WRONG, "passcode"),
        Verdict::Unchecked(wait) => too_many(PAUSED, wait),
    }
}

async fn verdict(context: RequestContext<'_>, attempt: Attempt) -> Result<Verdict, Failed> {
    let tables = context.tables();
    let short_id = &attempt.short_id;
    let taken = take_place(context)?;
    let hasher = &context.shared.hasher;
    let turn = hasher.turn(context.presented.network()).await?;
    let sources = context.sources(short_id, attempt.known_voter);
    let strangers = (short_id.clone(), None);
    let (found, strangers_guesses, known) = try_join!(
        tables.get::<Shareable>(short_id),
        tables.get::<Guesses>(&strangers),
        try_join_all(sources.iter().map(|id| tables.get::<Guesses>(id))),
    )?;
    let found = found.filter(|found| found.is_open_to(ShareableRole::Admin, tables.now()));
    let seals = Seals::of(context, found.as_ref());
    let mut sources: Vec<_> = sources.into_iter().zip(known).collect();
    if let (Some(voter), Some((id, known))) = (attempt.known_voter, sources.first_mut()) {
        *known = known.take().or_else(|| seals.given(context, id, voter));
    }
    let budgets = Budgets {
        sources,
        strangers: (strangers, strangers_guesses),
    };
    let admissions = budgets.admissions(context, &seals, attempt.role).await?;
    let wait = admissions.wait();
    // What the server made is not guessed, so it opens during a pause, too.
    if admissions.are_paused() && !attempt.passcode.may_be_made() {
        return too_many(PAUSED, wait.unwrap_or_default());
    }
    let dummy = hasher.dummy();
    let guess = Guess {
        passcode: attempt.passcode.clone(),
        roles: admissions.roles(),
        present: admissions.present(found.as_ref(), dummy),
        earlier: Some(admissions.earlier(found.as_ref(), dummy, context.now())),
        budgets: admissions.budgets(),
        address: context.address_hash(short_id),
    };
    let judged = guess.judge(tables.clone(), turn, taken).await?;
    Ok(match (found, judged) {
        (Some(found), Judgement::Right(role)) if found.is_open_to(role, tables.now()) => {
            let opened = opened_by(context, found, role, &seals, budgets.sources, attempt);
            Verdict::Opened(Box::new(opened.await?))
        }
        (Some(_), Judgement::Right(_)) => Verdict::Expired,
        (_, Judgement::Earlier) => Verdict::Replaced,
        (_, Judgement::Wrong) | (None, _) => wait.map_or(Verdict::Wrong, Verdict::Unchecked),
    })
}

/// What was opened, whose sources are known from now on.
async fn opened_by(
    context: RequestContext<'_>,
    shareable: Shareable,
    role: ShareableRole,
    seals: &Seals,
    known: Vec<(GuessesId, Option<Guesses>)>,
    attempt: Attempt,
) -> Result<Opened, Failed> {
    let (tables, now) = (context.tables(), context.session.now());
    for (id, guesses) in known {
        let knows = seals.are_known(guesses.as_ref(), role);
        if !knows || guesses.as_ref().is_none_or(|known| known.is_fading(now)) {
            guesses::remember(tables, &id, guesses, role, seals.of_role(role)).await?;
        }
    }
    let shareable = extending::keep_open(context, shareable, role).await?;
    let voter = match attempt.known_voter {
        Some(_) => attempt.voter,
        None => Voter {
            id: seals.give(context, &shareable.short_id, role, attempt.voter.id),
            ..attempt.voter
        },
    };
    if attempt.stays_signed_in {
        devices::sign_in(context, shareable, role, voter).await
    } else {
        context.opened(shareable, role, None, voter)
    }
}

/// Renews the request's token. One GetItem, two for a device's.
pub async fn renew(context: RequestContext<'_>, short_id: &ShortId) -> Result<Opened, Failed> {
    let claims = context.claims()?;
    if claims.short_id != *short_id {
        return refused(NOT_THERE, "shortId");
    }
    let Some(shareable) = devices::signed_in(context, &claims).await? else {
        return refused(NOT_THERE, "shortId");
    };
    let (role, grant, opening) = (claims.role, claims.grant, claims.opening);
    let renewed = Claims {
        opening,
        ..context.claims_on(&shareable, role, grant, voter_of(claims))
    };
    context.issued(shareable, renewed)
}
