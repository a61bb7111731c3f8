//! Users in the API: profiles and registration.

use async_graphql::{
    ComplexObject, Context, ID, InputObject, MaybeUndefined, Object, SimpleObject,
};

use crate::api::{
    Answer, ApiError, Connection, Given, Node, Session, Stamp, Url, Version, Written, session,
};
use crate::domain::{Check, Email, Link, List, Rule, Text, Violations};
use crate::mutations;
use crate::services::collab_hub::journal::Journal;
use crate::services::collab_hub::member::{
    Profile, acting, acting_or_pending, admin, member, profile,
};
use crate::services::collab_hub::pages::admin_page;
use crate::services::collab_hub::signed;
use crate::table::{ChangeError, Condition, Unit};

use super::{
    EmailGuard, SubscriptionTier, User, UserRole, UserStatus, UserSubscriptionStatus, by_email,
    of_role, of_status,
};

impl Node for User {
    const TAG: u8 = b'U';

    /// Users see their own profile, active users see each other, and admins see everyone.
    async fn shown(self, session: &Session) -> Result<Option<Self>, ApiError> {
        if self.user_id == session.user() {
            return Ok(Some(self));
        }
        let is_active = self.status == UserStatus::Active;
        let member = member(session).await?;
        let sees = |role| is_active || role == UserRole::Admin;
        Ok(member.filter(|member| sees(member.role)).map(|_| self))
    }
}

/// Whether the viewer reads the private fields of a profile: the user and admins do.
async fn is_private_to(ctx: &Context<'_>, user: &User) -> Result<bool, ApiError> {
    let session = session(ctx)?;
    let is_own = user.user_id == session.user();
    Ok(is_own
        || member(session)
            .await?
            .is_some_and(|m| m.role == UserRole::Admin))
}

/// A private field: null unless the viewer is the user or an admin.
async fn private<T>(ctx: &Context<'_>, user: &User, value: T) -> Answer<T> {
    match is_private_to(ctx, user).await {
        Ok(true) => Some(Ok(value)),
        Ok(false) => None,
        Err(error) => Some(Err(error)),
    }
}

#[ComplexObject]
impl User {
    /// Opaque id, for `node`.
    pub async fn id(&self) -> ID {
        self.node_id()
    }

    /// Email address. Null for everyone but the user and admins.
    async fn email(&self, ctx: &Context<'_>) -> Answer<&Email> {
        private(ctx, self, &self.email).await
    }

    /// Status. Null for everyone but the user and admins.
    async fn status(&self, ctx: &Context<'_>) -> Answer<UserStatus> {
        private(ctx, self, self.status).await
    }

    /// Status of the subscription. Null for everyone but the user and admins.
    async fn subscription_status(&self, ctx: &Context<'_>) -> Answer<UserSubscriptionStatus> {
        private(ctx, self, self.subscription_status).await
    }

    /// Tier of the subscription. Null for everyone but the user and admins.
    async fn subscription_tier(&self, ctx: &Context<'_>) -> Answer<SubscriptionTier> {
        private(ctx, self, self.subscription_tier).await
    }

    /// Number of unread notifications. Null for everyone but the user and admins.
    async fn unread_notifications(&self, ctx: &Context<'_>) -> Answer<u32> {
        private(ctx, self, self.unread_notifications).await
    }

    /// Avatar, at a URL that expires in minutes.
    async fn avatar_url(&self, ctx: &Context<'_>) -> Answer<Url> {
        signed::url(ctx, self.avatar_url.as_ref()).await
    }
}

/// The viewer.
#[derive(SimpleObject)]
#[graphql(complex)]
pub struct Viewer {
    /// The subject of the viewer's credentials.
    subject: String,
    /// Whether the credentials allow mutations.
    can_write: bool,
}

#[ComplexObject]
impl Viewer {
    /// The viewer's profile. Null before `registerUser`.
    async fn user(&self, ctx: &Context<'_>) -> Answer<User> {
        let load = async { profile(session(ctx)?).await };
        match load.await {
            Ok(profile) => profile.0.clone().map(Ok),
            Err(error) => Some(Err(error)),
        }
    }
}

/// Queries for users.
#[derive(Default)]
pub struct UserQuery;

#[Object]
impl UserQuery {
    /// The viewer.
    async fn viewer(&self, ctx: &Context<'_>) -> Answer<Viewer> {
        Some(session(ctx).map(|session| Viewer {
            subject: session.viewer.subject().to_owned(),
            can_write: session.viewer.may_write(),
        }))
    }

    /// Users of a role. For admins.
    async fn users_by_role(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The role.")] role: UserRole,
    ) -> Answer<Connection<User>> {
        admin_page(ctx, |_| Ok(of_role(role))).await
    }

    /// Users of a status. For admins.
    async fn users_by_status(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The status.")] status: UserStatus,
    ) -> Answer<Connection<User>> {
        admin_page(ctx, |_| Ok(of_status(status))).await
    }

    /// The user of an email address. Null if there is none. For admins.
    async fn user_by_email(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The email address.")] email: String,
    ) -> Answer<User> {
        let find = async {
            let session = session(ctx)?;
            admin(session).await?;
            let email = Email::parse(&email)
                .map_err(|_| ApiError::bad_input("`email` must be an email address."))?;
            session
                .tables
                .first(&by_email(&email))
                .await
                .map_err(ApiError::from)
        };
        find.await.transpose()
    }
}

/// Input of `registerUser`.
#[derive(InputObject, Clone)]
pub struct RegisterUserInput {
    /// FOUNDER, TALENT or INVESTOR.
    role: UserRole,
    /// Email address. It belongs to one user.
    email: Given<Email>,
    /// First name, 1 to 80 characters.
    first_name: Given<Text<1, 80>>,
    /// Last name, 1 to 80 characters.
    last_name: Given<Text<1, 80>>,
    #[graphql(flatten)]
    more: ProfileDetails,
}

/// Input of `updateProfile`. An omitted field keeps its value, null clears it.
#[derive(InputObject, Clone)]
pub struct UpdateProfileInput {
    /// Change the profile only if it still has this version.
    expected_version: Option<Version>,
    /// Email address. It belongs to one user. Cannot be cleared.
    email: MaybeUndefined<Given<Email>>,
    /// First name, 1 to 80 characters. Cannot be cleared.
    first_name: MaybeUndefined<Given<Text<1, 80>>>,
    /// Last name, 1 to 80 characters. Cannot be cleared.
    last_name: MaybeUndefined<Given<Text<1, 80>>>,
    #[graphql(flatten)]
    more: ProfileDetails,
}

/// Optional attributes of a profile.
#[derive(InputObject, Clone)]
pub struct ProfileDetails {
    /// About the user, at most 2000 characters.
    bio: MaybeUndefined<Given<Text<1, 2000>>>,
    /// Skills, at most 30. For talent.
    skills: MaybeUndefined<Given<List<Text<1, 50>, 30>>>,
    /// LinkedIn profile.
    linkedin_url: MaybeUndefined<Given<Link>>,
}

/// Input of `verifyEmail`.
#[derive(InputObject, Clone)]
pub struct VerifyEmailInput {
    /// Change the profile only if it still has this version.
    expected_version: Option<Version>,
}

const EMAIL_TAKEN: Rule = Rule::Conflict("belongs to another user");
const SKILLS: Rule = Rule::Invalid("omitted unless the role is TALENT");

impl RegisterUserInput {
    fn make(self, session: &Session) -> Result<User, Violations> {
        let mut check = Check::default();
        let may_choose = self.role != UserRole::Admin;
        check.that(
            may_choose,
            "role",
            Rule::Invalid("FOUNDER, TALENT or INVESTOR"),
        );
        let email = check.need("email", self.email);
        let first_name = check.need("firstName", self.first_name);
        let last_name = check.need("lastName", self.last_name);
        let bio = check.may("bio", self.more.bio);
        let skills = check.may("skills", self.more.skills);
        let linkedin_url = check.may("linkedinUrl", self.more.linkedin_url);
        let may_have_skills = self.role == UserRole::Talent || skills.is_none();
        check.that(may_have_skills, "skills", SKILLS);
        check.finish(|| {
            let email = email?;
            let status = match session.viewer.has_verified(email.as_str()) {
                true => UserStatus::Active,
                false => UserStatus::PendingVerification,
            };
            Some(User {
                user_id: session.user(),
                email,
                role: self.role,
                first_name: first_name?,
                last_name: last_name?,
                bio,
                skills,
                linkedin_url,
                avatar_url: None,
                status,
                stripe_customer_id: None,
                subscription_status: UserSubscriptionStatus::None,
                subscription_tier: SubscriptionTier::Free,
                unread_notifications: 0,
                stamp: Stamp::new(session.now()),
            })
        })
    }
}

/// One TransactWriteItems: the user, the guard of the email address and the audit entry.
async fn register(session: &Session, input: RegisterUserInput) -> Written<User> {
    let user = input.make(session)?;
    let (guard, id) = (user.email_guard(user.stamp.clone()), user.user_id.clone());
    let journal = Journal::of(session);
    let with = |unit: &mut Unit<Violations>| {
        unit.put_new(&guard).or(EMAIL_TAKEN.at("email"));
        journal.record::<User>(unit, "USER_REGISTERED", &id);
    };
    let registered = journal.commit(session.tables.create(user, with)).await;
    session.forget::<Profile>();
    registered.map_err(|error| match error {
        ChangeError::Taken => Rule::Conflict("cannot be chosen again: you are registered")
            .at("role")
            .into(),
        error => error,
    })
}

impl UpdateProfileInput {
    /// Whether the email address is all that is given. A user corrects it before it is verified.
    fn corrects_email(&self) -> bool {
        let more = &self.more;
        !self.email.is_undefined()
            && self.first_name.is_undefined()
            && self.last_name.is_undefined()
            && more.bio.is_undefined()
            && more.skills.is_undefined()
            && more.linkedin_url.is_undefined()
    }
}

/// One GetItem of the viewer and one of the user, and one TransactWriteItems: the user, the guards of the email addresses
/// if they change, and the audit entry.
async fn update(session: &Session, input: UpdateProfileInput) -> Written<User> {
    let id = match input.corrects_email() {
        true => acting_or_pending(session).await?,
        false => acting(session).await?.id,
    };
    let journal = Journal::of(session);
    let plan = |now: &User, unit: &mut Unit<Violations>| {
        let (mut next, mut check, input) = (now.clone(), Check::default(), input.clone());
        check.set("email", &mut next.email, input.email);
        check.set("firstName", &mut next.first_name, input.first_name);
        check.set("lastName", &mut next.last_name, input.last_name);
        check.set_opt("bio", &mut next.bio, input.more.bio);
        check.set_opt("skills", &mut next.skills, input.more.skills);
        check.set_opt(
            "linkedinUrl",
            &mut next.linkedin_url,
            input.more.linkedin_url,
        );
        let may_have_skills = now.role == UserRole::Talent || next.skills == now.skills;
        check.that(may_have_skills, "skills", SKILLS);
        let next = check.finish(|| Some(next))?;
        if next.email != now.email {
            let guard = next.email_guard(Stamp::new(session.now()));
            unit.put_new(&guard).or(EMAIL_TAKEN.at("email"));
            unit.delete::<EmailGuard>(&now.email, Condition::All(Vec::new()));
        }
        if next != *now {
            journal.record::<User>(unit, "USER_UPDATED", &id);
        }
        Ok(next)
    };
    let changed = session
        .tables
        .change(&id, input.expected_version.map(u32::from), plan);
    let written = journal.commit(changed).await;
    session.forget::<Profile>();
    written
}

/// One GetItem and one TransactWriteItems: the user and the audit entry.
async fn verify(session: &Session, input: VerifyEmailInput) -> Written<User> {
    let (id, journal) = (session.user(), Journal::of(session));
    let plan = |now: &User, unit: &mut Unit<Violations>| {
        if now.status != UserStatus::PendingVerification {
            return Ok(now.clone());
        }
        if !session.viewer.has_verified(now.email.as_str()) {
            let reason =
                "Your credentials do not contain the verified email address of the profile";
            return Err(Rule::Forbidden(reason).at("input"));
        }
        journal.record::<User>(unit, "USER_VERIFIED", &id);
        Ok(User {
            status: UserStatus::Active,
            ..now.clone()
        })
    };
    let changed = session
        .tables
        .change(&id, input.expected_version.map(u32::from), plan);
    let written = journal.commit(changed).await;
    session.forget::<Profile>();
    written
}

mutations! {
    /// Mutations of users.
    UserMutation -> user: User {
        /// Registers the viewer on first sign-in. The user is active if the identity provider has verified the email
        /// address, and otherwise waits for `verifyEmail` or an admin.
        register_user(RegisterUserInput) -> RegisterUserPayload = register,
        /// Updates the viewer's profile. A user with the status PENDING_VERIFICATION can change the email address, and
        /// nothing else.
        update_profile(UpdateProfileInput) -> UpdateProfilePayload = update,
        /// Activates the viewer's profile, if their credentials contain its verified email address.
        verify_email(VerifyEmailInput) -> VerifyEmailPayload = verify,
    }
}
