//! Creating and opening shareables: what passcodes are set at first, and whether given ones are right.

use std::time::Duration;

use futures_util::future::try_join_all;
use futures_util::try_join;
use uuid::Uuid;

use super::devices;
use super::draft::Draft;
use super::extending;
use super::guesses::{self, Guesses, GuessesId, voter_text};
use super::invitation::NewInvitation;
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

/// That the passcode that is asked for again is wrong.
const NOT_ADMIN: Rule = Rule::NotFound("is not the admin passcode");

const PAUSED: &str = "wrong passcodes were given for this short id";

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
    if let Err(wait) = context.shared.creates.take(network, now) {
        return too_many("shareables were created from your address", wait);
    }
    let (view, admin) = draft.passcodes.clone();
    let hasher = &context.shared.hasher;
    let (view, admin) = try_join!(hasher.hash(view, network), hasher.hash(admin, network))?;
    let hashes = Hashes { view, admin };
    let secret = &context.shared.secret;
    let seal = secret.seal(&hashes.admin);
    let invitations = |short_id: &ShortId, keep| {
        let invited = draft.invited.iter();
        invited
            .map(|draft| draft.under(secret, short_id, keep))
            .collect()
    };
    let make = |short_id: &ShortId| {
        let (shareable, parts) = draft.content.under(short_id, draft.own(), &hashes, now);
        let known = context.sources(short_id, Some(voter.id)).into_iter();
        let known = known.map(|id| Guesses::opened(id, ShareableRole::Admin, &seal, now));
        let new: Vec<NewInvitation> = invitations(short_id, (now, shareable.ttl()));
        let belongings = Belongings {
            parts,
            known: known.collect(),
            invitations: new.into_iter().map(|new| new.invitation).collect(),
        };
        (shareable, belongings)
    };
    let low = || context.shared.refill.is_low();
    let shareable = pool::create(context.tables(), make, low).await?;
    Ok(Opened {
        invitations: invitations(&shareable.short_id, (now, shareable.ttl())),
        made: draft.made.clone(),
        ..context.opened(shareable, (ShareableRole::Admin, None), voter)?
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
    Wrong,
    /// Not the one that was checked; the other one is not checked for a while.
    Unchecked(Duration),
}

/// Opens a shareable by a passcode. Three GetItem, sent together, four with a voter; a source that opens it for the first
/// time is remembered by one UpdateItem. A wrong passcode is counted by one UpdateItem, two if the source is known for
/// one role only. What is not there costs the same work: two hashes.
pub async fn open(context: RequestContext<'_>, attempt: Attempt) -> Result<Opened, Failed> {
    let taken = take_place(context)?;
    match verdict(context, attempt).await {
        Ok(Verdict::Wrong) => refused(WRONG, "passcode"),
        Ok(Verdict::Unchecked(wait)) => too_many(PAUSED, wait),
        Ok(Verdict::Opened(opened)) => {
            taken.give_back();
            Ok(*opened)
        }
        Ok(Verdict::Expired) => {
            taken.give_back();
            refused(EXPIRED, "shortId")
        }
        Err(error) => {
            taken.give_back();
            Err(error)
        }
    }
}

async fn verdict(context: RequestContext<'_>, attempt: Attempt) -> Result<Verdict, Failed> {
    let (tables, now) = (context.tables(), context.session.now());
    let short_id = &attempt.short_id;
    // Held until a wrong passcode is counted: no more guesses than turns can overtake the count.
    let turn = context
        .shared
        .hasher
        .turn(context.presented.network())
        .await?;
    let sources = context.sources(short_id, attempt.known_voter);
    let strangers = (short_id.clone(), None);
    let (found, strangers_guesses, known) = try_join!(
        tables.get::<Shareable>(short_id),
        tables.get::<Guesses>(&strangers),
        try_join_all(sources.iter().map(|id| tables.get::<Guesses>(id))),
    )?;
    let hashes = found
        .as_ref()
        .map_or_else(|| context.shared.hasher.dummy().clone(), hashes_of);
    let seals = Seals::of(context, &hashes);
    let budget = |role| {
        let mut known = sources.iter().zip(&known);
        let own = known.find(|(_, guesses)| seals.are_known(guesses.as_ref(), role));
        own.unwrap_or((&strangers, &strangers_guesses))
    };
    let pause = |role: &ShareableRole| {
        let guesses = budget(*role).1.as_ref();
        guesses.and_then(|guesses| guesses.pause(*role, now))
    };
    let roles = match attempt.role {
        Some(role) => vec![role],
        None => vec![ShareableRole::View, ShareableRole::Admin],
    };
    let wait = roles.iter().filter_map(pause).min();
    let roles: Vec<_> = roles.into_iter().filter(|r| pause(r).is_none()).collect();
    if roles.is_empty() {
        return too_many(PAUSED, wait.unwrap_or_default());
    }
    let (matches, turn) = turn.check(attempt.passcode, hashes.clone()).await?;
    let role = [
        (ShareableRole::Admin, matches.admin),
        (ShareableRole::View, matches.view),
    ];
    let role = role
        .into_iter()
        .find(|(role, is)| *is && roles.contains(role));
    match (found, role) {
        (Some(shareable), Some((role, _))) if shareable.is_open_to(role, tables.now()) => {
            let seal = seals.of_role(role);
            for (id, guesses) in sources.iter().zip(known.iter().cloned()) {
                let knows = seals.are_known(guesses.as_ref(), role);
                if !knows || guesses.as_ref().is_none_or(|known| known.is_fading(now)) {
                    guesses::remember(tables, id, guesses, (role, seal)).await?;
                }
            }
            let shareable = extending::keep_open(context, shareable, role).await?;
            let opened = match attempt.stays_signed_in {
                true => devices::sign_in(context, shareable, role, attempt.voter).await?,
                false => context.opened(shareable, (role, None), attempt.voter)?,
            };
            return Ok(Verdict::Opened(Box::new(opened)));
        }
        (Some(shareable), Some(_)) if shareable.is_open_to(ShareableRole::Admin, tables.now()) => {
            return Ok(Verdict::Expired);
        }
        _ => {}
    }
    let mut ids: Vec<_> = roles.iter().map(|role| budget(*role)).collect();
    ids.dedup_by_key(|(id, _)| *id);
    for (id, guesses) in ids {
        let own = roles.iter().filter(|role| budget(**role).0 == id);
        let own: Vec<_> = own.copied().collect();
        guesses::count(tables, id, guesses.clone(), &own).await?;
    }
    drop(turn);
    Ok(wait.map_or(Verdict::Wrong, Verdict::Unchecked))
}

/// The seals of a shareable's passcodes.
struct Seals {
    view: String,
    admin: String,
}

impl Seals {
    fn of(context: RequestContext<'_>, hashes: &Hashes) -> Self {
        let secret = &context.shared.secret;
        Self {
            view: secret.seal(&hashes.view),
            admin: secret.seal(&hashes.admin),
        }
    }

    fn of_role(&self, role: ShareableRole) -> &str {
        match role {
            ShareableRole::View => &self.view,
            ShareableRole::Admin => &self.admin,
        }
    }

    /// Whether a source has opened the shareable by the present passcode of a role, or of one that may more.
    fn are_known(&self, guesses: Option<&Guesses>, role: ShareableRole) -> bool {
        guesses.is_some_and(|guesses| {
            guesses.knows(role, self.of_role(role))
                || guesses.knows(ShareableRole::Admin, &self.admin)
        })
    }
}

pub fn hashes_of(shareable: &Shareable) -> Hashes {
    Hashes {
        view: shareable.view_passcode.clone(),
        admin: shareable.admin_passcode.clone(),
    }
}

/// Asks the bearer of an admin token for the admin passcode again. Two GetItem, sent together; a wrong passcode is counted
/// by one UpdateItem, in a budget of the bearer's own: nobody else can use it up.
///
/// # Errors
/// It is wrong, or too many wrong ones were given.
pub async fn confirm(
    context: RequestContext<'_>,
    short_id: &ShortId,
    passcode: Passcode,
) -> Result<Shareable, Failed> {
    let claims = context.admin_claims()?;
    if claims.short_id != *short_id {
        return refused(NOT_THERE, "shortId");
    }
    let taken = take_place(context)?;
    match confirmed(context, &claims, passcode).await {
        Ok(None) => refused(NOT_ADMIN, "passcode"),
        Ok(Some(shareable)) => {
            taken.give_back();
            Ok(shareable)
        }
        Err(error) => {
            taken.give_back();
            Err(error)
        }
    }
}

async fn confirmed(
    context: RequestContext<'_>,
    claims: &Claims,
    passcode: Passcode,
) -> Result<Option<Shareable>, Failed> {
    let (tables, role) = (context.tables(), ShareableRole::Admin);
    let turn = context
        .shared
        .hasher
        .turn(context.presented.network())
        .await?;
    let who = format!("bearer {}", claims.voter_id);
    let source = context.shared.secret.source(&claims.short_id, &who);
    let id = (claims.short_id.clone(), Some(source));
    let guesses = async { Ok(tables.get::<Guesses>(&id).await?) };
    let (found, guesses) = try_join!(context.shareable(claims), guesses)?;
    let Some(shareable) = found else {
        return refused(NOT_THERE, "shortId");
    };
    let pause = guesses.as_ref();
    if let Some(wait) = pause.and_then(|guesses| guesses.pause(role, context.session.now())) {
        return too_many(PAUSED, wait);
    }
    let (matches, turn) = turn.check(passcode, hashes_of(&shareable)).await?;
    if !matches.admin {
        guesses::count(tables, &id, guesses, &[role]).await?;
    }
    drop(turn);
    Ok(matches.admin.then_some(shareable))
}

/// Renews the request's token. One GetItem.
pub async fn renew(context: RequestContext<'_>, short_id: &ShortId) -> Result<Opened, Failed> {
    let claims = context.claims()?;
    if claims.short_id != *short_id {
        return refused(NOT_THERE, "shortId");
    }
    let Some(shareable) = context.shareable(&claims).await? else {
        return refused(NOT_THERE, "shortId");
    };
    let access = (claims.role, claims.grant);
    context.opened(shareable, access, voter_of(claims))
}

impl RequestContext<'_> {
    /// Those who are remembered as having opened a shareable: the voter, and the address of the request.
    fn sources(&self, short_id: &ShortId, voter: Option<Uuid>) -> Vec<GuessesId> {
        let network = self.presented.network().map(|network| network.to_string());
        let who = voter.map(voter_text).into_iter().chain(network);
        let secret = &self.shared.secret;
        who.map(|who| (short_id.clone(), Some(secret.source(short_id, &who))))
            .collect()
    }
}
