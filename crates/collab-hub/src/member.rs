//! The viewer as a user of collab-hub: whether they are registered and active, and in which role.

use std::sync::Arc;

use trestle_api::{ApiError, Code, Session};
use trestle_domain::{Rule, UserId, Violations};
use trestle_table::{ChangeError, TableError};

use super::refusals::of_inactive;
use super::users::{SubscriptionTier, User, UserRole, UserStatus};

/// The viewer's own profile, if they have registered. Read once for each request.
#[derive(Debug)]
pub struct Profile(pub Option<User>);

/// A viewer with an active profile.
#[derive(Clone, Debug)]
pub struct Member {
    /// The user's id.
    pub id: UserId,
    /// The user's role.
    pub role: UserRole,
    /// Whether the user is an investor who sees startups for investors only.
    pub is_admitted_investor: bool,
    /// What the user's subscription gives.
    pub tier: SubscriptionTier,
    /// The user's full name.
    pub name: String,
    /// Number of notifications that the user has not read, if somebody has counted them.
    pub unread_notifications: Option<u32>,
}

/// Whose notifications are marked, of which `known` were counted as unread.
pub struct Reader<'u> {
    pub user: &'u UserId,
    pub known: Option<u32>,
}

impl Member {
    /// The member as the reader of notifications.
    pub fn reader(&self) -> Reader<'_> {
        Reader {
            user: &self.id,
            known: self.unread_notifications,
        }
    }
}

/// How the operator has set up the service.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Whether investors are approved by an admin before they see startups for investors only.
    pub must_approve_investors: bool,
}

const NOT_ADMIN: &str = "This needs a user with the role ADMIN";

fn forbidden(reason: &'static str) -> ChangeError<Violations> {
    Rule::Forbidden(reason).at("input").into()
}

fn of(session: &Session, profile: &Profile) -> Option<Member> {
    let user = profile.0.as_ref()?;
    (user.status == UserStatus::Active).then(|| as_member(session, user))
}

fn as_member(session: &Session, user: &User) -> Member {
    // Without settings nobody is approved unasked.
    let settings = session.given::<Settings>();
    let must_approve = settings.is_none_or(|settings| settings.must_approve_investors);
    let is_approved = user.investor_approved == Some(true) || !must_approve;
    Member {
        id: user.user_id.clone(),
        role: user.role,
        is_admitted_investor: user.role == UserRole::Investor && is_approved,
        tier: user.subscription_tier,
        name: user.name(),
        unread_notifications: user.known_unread(),
    }
}

/// The viewer's profile, for queries. Shares a BatchGetItem with other loads of the same time.
pub async fn profile(session: &Session) -> Result<Arc<Profile>, ApiError> {
    let load = async { session.load::<User>(&session.user()).await.map(Profile) };
    session.once(load).await
}

/// The viewer, if active.
pub async fn member(session: &Session) -> Result<Option<Member>, ApiError> {
    Ok(of(session, &*profile(session).await?))
}

/// The viewer, who must be active.
///
/// # Errors
/// FORBIDDEN if they are not.
pub async fn active(session: &Session) -> Result<Member, ApiError> {
    let profile = profile(session).await?;
    of(session, &profile).ok_or_else(|| {
        let reason = of_inactive(profile.0.as_ref());
        ApiError::new(Code::Forbidden, format!("{reason}."))
    })
}

/// The viewer, who must be an active admin.
///
/// # Errors
/// FORBIDDEN if they are not.
pub async fn admin(session: &Session) -> Result<Member, ApiError> {
    let member = active(session).await?;
    if member.role == UserRole::Admin {
        Ok(member)
    } else {
        Err(ApiError::new(Code::Forbidden, format!("{NOT_ADMIN}.")))
    }
}

async fn own(session: &Session) -> Result<Arc<Profile>, TableError> {
    let get = async {
        session
            .tables
            .get::<User>(&session.user())
            .await
            .map(Profile)
    };
    session.once(get).await
}

/// The viewer of a mutation, who must be active. One GetItem for each request.
///
/// # Errors
/// [`Rule::Forbidden`] if they are not.
pub async fn acting(session: &Session) -> Result<Member, ChangeError<Violations>> {
    let profile = own(session).await?;
    of(session, &profile).ok_or_else(|| forbidden(of_inactive(profile.0.as_ref())))
}

/// The viewer of a mutation, who may also have an email address that is not verified yet.
///
/// # Errors
/// [`Rule::Forbidden`] if they are not registered, or banned.
pub async fn acting_or_pending(session: &Session) -> Result<UserId, ChangeError<Violations>> {
    let profile = own(session).await?;
    let user = profile.0.as_ref();
    match user.filter(|user| UserStatus::LISTED.contains(&user.status)) {
        Some(user) => Ok(user.user_id.clone()),
        None => Err(forbidden(of_inactive(user))),
    }
}

/// The viewer of a mutation that only reads what is stored of them, whatever their status is.
///
/// # Errors
/// [`Rule::Forbidden`] if they are not registered.
pub async fn acting_registered(session: &Session) -> Result<Member, ChangeError<Violations>> {
    let profile = own(session).await?;
    let user = profile.0.as_ref();
    user.map(|user| as_member(session, user))
        .ok_or_else(|| forbidden(of_inactive(None)))
}

/// As [`acting`], for one of these roles; `otherwise` says which.
///
/// # Errors
/// [`Rule::Forbidden`] if they are not active or have another role.
pub async fn acting_as(
    session: &Session,
    roles: &[UserRole],
    otherwise: &'static str,
) -> Result<Member, ChangeError<Violations>> {
    let member = acting(session).await?;
    if roles.contains(&member.role) {
        Ok(member)
    } else {
        Err(forbidden(otherwise))
    }
}

/// As [`acting`], for admins.
///
/// # Errors
/// [`Rule::Forbidden`] if they are not an active admin.
pub async fn acting_admin(session: &Session) -> Result<Member, ChangeError<Violations>> {
    acting_as(session, &[UserRole::Admin], NOT_ADMIN).await
}
