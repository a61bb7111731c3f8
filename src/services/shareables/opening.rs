//! Creating, cloning and opening shareables: everything that checks or sets passcodes.

use std::time::Duration;

use futures_util::try_join;

use super::checklist::ChecklistItem;
use super::desk::{Desk, NOT_THERE, Refused, Voter, refused};
use super::draft::{Draft, NewContent};
use super::guesses::{self, Guesses};
use super::live::Happened;
use super::passcode::{HashError, Hashes, Passcode, PasscodeHash};
use super::poll::PollOption;
use super::pool::{self, NotCreated};
use super::shareable::{ChecklistContent, Content, Name, PollContent, Shareable};
use super::short_id::ShortId;
use super::token::{Claims, ShareableRole};
use crate::api::{ApiError, Code, Failed};
use crate::domain::{List, Moment, Rule, Seconds};
use crate::table::Unit;

/// That both passcodes would be the same.
pub const SAME: Rule = Rule::Invalid("different from the view passcode");
/// The one error for an unknown short id, a wrong passcode and an expired shareable.
const WRONG: Rule = Rule::NotFound("opens no shareable with this short id");

/// A shareable, and a token that opens it.
pub struct Opened {
    pub shareable: Shareable,
    pub claims: Claims,
    pub token: String,
}

/// What a clone has of its own.
pub struct Copy {
    pub name: Option<Name>,
    /// View and admin.
    pub passcodes: (Passcode, Passcode),
    pub expires_at: Moment<Seconds>,
    pub closes_at: Option<Moment<Seconds>>,
}

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

fn too_many<T>(what: &str, wait: Duration) -> Result<T, Failed> {
    let message = format!("Too many {what}. Try again later.");
    Err(ApiError::new(Code::RateLimited, message)
        .retry_after(wait)
        .into())
}

/// Creates a shareable. One Query of the pool and one TransactWriteItems, as of [`pool::create`].
pub async fn create(desk: Desk<'_>, draft: Draft, voter: Voter) -> Result<Opened, Failed> {
    let network = desk.presented.network();
    if let Some(wait) = desk.shared.creates.reached(network) {
        return too_many("shareables were created from your address", wait);
    }
    desk.shared.creates.count(network);
    let (view, admin) = draft.passcodes;
    let hasher = &desk.shared.hasher;
    let (view, admin) = try_join!(hasher.hash(view), hasher.hash(admin))?;
    let hashes = Hashes { view, admin };
    let now = desk.session.now();
    let own = (&draft.name, draft.expires_at);
    let make = |short_id: &ShortId| draft.content.under(short_id, own, &hashes, now);
    let low = || desk.shared.refill.is_low();
    let shareable = pool::create(desk.tables(), make, low).await?;
    desk.opened(shareable, ShareableRole::Admin, voter)
}

/// Opens a shareable by a passcode. Two GetItem, sent together; a wrong passcode is counted by one UpdateItem. What is
/// not there costs the same work: two hashes.
pub async fn open(
    desk: Desk<'_>,
    short_id: &ShortId,
    passcode: Passcode,
    voter: Voter,
) -> Result<Opened, Failed> {
    let (tables, now) = (desk.tables(), desk.session.now());
    let network = desk.presented.network();
    if let Some(wait) = desk.shared.guesses.reached(network) {
        return too_many("wrong passcodes came from your address", wait);
    }
    // Held until a wrong passcode is counted: no more guesses than turns can overtake the count.
    let turn = desk.shared.hasher.turn().await?;
    let (found, guesses) = try_join!(
        tables.get::<Shareable>(short_id),
        tables.get::<Guesses>(short_id)
    )?;
    if let Some(wait) = guesses.as_ref().and_then(|guesses| guesses.pause(now)) {
        return too_many("wrong passcodes were given for this short id", wait);
    }
    let dummy = desk.shared.hasher.dummy();
    let hashes = found.as_ref().map_or_else(|| dummy.clone(), hashes_of);
    let (matches, turn) = turn.check(passcode, hashes).await?;
    let opens = |shareable: &Shareable, role| shareable.is_open_to(role, tables.now());
    let opened = found.and_then(|shareable| {
        let role = match matches.admin {
            true => Some(ShareableRole::Admin),
            false => matches.view.then_some(ShareableRole::View),
        };
        let role = role.filter(|role| opens(&shareable, *role))?;
        Some((shareable, role))
    });
    let Some((shareable, role)) = opened else {
        desk.shared.guesses.count(network);
        guesses::count(tables, short_id, guesses.as_ref()).await?;
        drop(turn);
        return refused(WRONG, "passcode");
    };
    desk.opened(shareable, role, voter)
}

fn hashes_of(shareable: &Shareable) -> Hashes {
    Hashes {
        view: shareable.view_passcode.clone(),
        admin: shareable.admin_passcode.clone(),
    }
}

fn voter_of(claims: Claims) -> Voter {
    Voter {
        id: claims.voter_id,
        name: claims.voter_name,
    }
}

/// Renews the request's token. One GetItem.
pub async fn renew(desk: Desk<'_>, short_id: &ShortId) -> Result<Opened, Failed> {
    let claims = desk.claims()?;
    if claims.short_id != *short_id {
        return refused(NOT_THERE, "shortId");
    }
    let Some(shareable) = desk.shareable(&claims).await? else {
        return refused(NOT_THERE, "shortId");
    };
    desk.opened(shareable, claims.role, voter_of(claims))
}

/// New passcodes, at least one.
pub struct NewPasscodes {
    pub view: Option<Passcode>,
    pub admin: Option<Passcode>,
}

/// Changes passcodes. Two GetItem and one UpdateItem.
pub async fn change_passcodes(
    desk: Desk<'_>,
    short_id: &ShortId,
    new: NewPasscodes,
) -> Result<Opened, Failed> {
    let claims = desk.admin_claims()?;
    if claims.short_id != *short_id {
        return refused(NOT_THERE, "shortId");
    }
    let Some(current) = desk.shareable(&claims).await? else {
        return refused(NOT_THERE, "shortId");
    };
    let current = hashes_of(&current);
    if let Some(field) = new.repeats(desk, &current).await? {
        return refused(Rule::Invalid("different from the other passcode"), field);
    }
    let next = Hashes {
        view: desk.hash_or(new.view, &current.view).await?,
        admin: desk.hash_or(new.admin, &current.admin).await?,
    };
    let plan = |shareable: &Shareable, _: &mut Unit<Refused>| {
        desk.admit(&claims, shareable)?;
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
    let shareable = desk.tables().change(short_id, None, plan).await?.entity;
    let seals = [ShareableRole::View, ShareableRole::Admin]
        .map(|role| desk.shared.secret.seal(shareable.hash_of(role)));
    desk.announce(short_id, Happened::PasscodesChanged { seals });
    desk.opened(shareable, ShareableRole::Admin, voter_of(claims))
}

impl NewPasscodes {
    /// The field of a new passcode that is the other one's, of which only the hash is known.
    async fn repeats(
        &self,
        desk: Desk<'_>,
        current: &Hashes,
    ) -> Result<Option<&'static str>, Failed> {
        let (passcode, field) = match (&self.view, &self.admin) {
            (Some(view), None) => (view, "viewPasscode"),
            (None, Some(admin)) => (admin, "adminPasscode"),
            (Some(_), Some(_)) | (None, None) => return Ok(None),
        };
        let turn = desk.shared.hasher.turn().await?;
        let (matches, _turn) = turn.check(passcode.clone(), current.clone()).await?;
        let repeats = match self.view {
            Some(_) => matches.admin,
            None => matches.view,
        };
        Ok(repeats.then_some(field))
    }
}

impl Desk<'_> {
    /// A shareable with a token that opens it, from now on.
    fn opened(
        &self,
        shareable: Shareable,
        role: ShareableRole,
        voter: Voter,
    ) -> Result<Opened, Failed> {
        let claims = self.claims_on(&shareable, role, voter);
        Ok(Opened {
            token: self
                .shared
                .secret
                .sign(&claims)
                .map_err(ApiError::internal)?,
            shareable,
            claims,
        })
    }

    /// The hash of a new passcode, or the current one.
    async fn hash_or(
        &self,
        new: Option<Passcode>,
        current: &PasscodeHash,
    ) -> Result<PasscodeHash, Failed> {
        match new {
            Some(passcode) => Ok(self.shared.hasher.hash(passcode).await?),
            None => Ok(current.clone()),
        }
    }
}

/// Clones a shareable that may have expired. One GetItem and one Query, sent together, and what [`create`] costs.
pub async fn clone(desk: Desk<'_>, short_id: &ShortId, copy: Copy) -> Result<Opened, Failed> {
    let claims = desk.admin_claims()?;
    if claims.short_id != *short_id {
        return refused(NOT_THERE, "shortId");
    }
    let (Some(original), content) = original(desk, &claims, copy.closes_at).await? else {
        return refused(NOT_THERE, "shortId");
    };
    let draft = Draft {
        name: copy.name.unwrap_or(original.name),
        passcodes: copy.passcodes,
        expires_at: copy.expires_at,
        content,
    };
    create(desk, draft, voter_of(claims)).await
}

/// The shareable to clone, and what its clone consists of.
async fn original(
    desk: Desk<'_>,
    claims: &Claims,
    closes_at: Option<Moment<Seconds>>,
) -> Result<(Option<Shareable>, NewContent), ApiError> {
    let (found, items, options) = try_join!(
        desk.shareable(claims),
        desk.parts_if::<ChecklistItem>(claims),
        desk.parts_if::<PollOption>(claims),
    )?;
    let full =
        |_: Rule| ApiError::internal(std::io::Error::other("a shareable has too many parts"));
    let content = match found.as_ref().map(|found| found.content.clone()) {
        Some(Content::Poll(poll)) => NewContent::Poll(
            PollContent { closes_at, ..poll },
            List::parse(options.into_iter().map(|option| Ok(option.text))).map_err(full)?,
        ),
        content => NewContent::Checklist(
            match content {
                Some(Content::Checklist(checklist)) => checklist,
                Some(Content::Poll(_)) | None => ChecklistContent { note: None },
            },
            List::parse(items.into_iter().map(|item| Ok((item.name, item.note)))).map_err(full)?,
        ),
    };
    Ok((found, content))
}
