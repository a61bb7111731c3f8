//! A user's own profile: registered, updated and verified by the user.

use async_graphql::{InputObject, MaybeUndefined};

use crate::journal::Journal;
use crate::member::{Profile, acting, acting_or_pending};
use crate::subscriptions::Subscription;
use trestle_api::mutations;
use trestle_api::{Input, MutationResult, Revision, Session, Version};
use trestle_domain::{Bounded, Check, Email, Link, List, Rule, Text, Violations};
use trestle_table::{ChangeError, Condition, TransactionBuilder, Versioned as _};

use super::address::{Claim, claiming, release};
use super::{SubscriptionTier, User, UserRole, UserStatus, UserSubscriptionStatus};

#[derive(InputObject, Clone)]
pub struct RegisterUserInput {
    /// FOUNDER, TALENT or INVESTOR.
    role: UserRole,
    /// Email address. Once verified, it belongs to one user.
    email: Input<Email>,
    /// First name, 1 to 80 characters.
    first_name: Input<Text<1, 80>>,
    /// Last name, 1 to 80 characters.
    last_name: Input<Text<1, 80>>,
    #[graphql(flatten)]
    more: ProfileDetails,
}

/// An omitted field keeps its value, null clears it.
#[derive(InputObject, Clone)]
pub struct UpdateProfileInput {
    /// Change the profile only if it still has this version.
    expected_version: Option<Version>,
    /// Email address. Unless the viewer's credentials contain it as verified, the status becomes PENDING_VERIFICATION
    /// until `verifyEmail`. Cannot be cleared.
    email: MaybeUndefined<Input<Email>>,
    /// First name, 1 to 80 characters. Cannot be cleared.
    first_name: MaybeUndefined<Input<Text<1, 80>>>,
    /// Last name, 1 to 80 characters. Cannot be cleared.
    last_name: MaybeUndefined<Input<Text<1, 80>>>,
    #[graphql(flatten)]
    more: ProfileDetails,
}

/// Optional attributes of a profile.
#[derive(InputObject, Clone)]
pub struct ProfileDetails {
    /// About the user, at most 2000 characters.
    bio: MaybeUndefined<Input<Text<1, 2000>>>,
    /// Skills, at most 30. For talent.
    skills: MaybeUndefined<Input<List<Text<1, 50>, 30>>>,
    /// LinkedIn profile.
    linkedin_url: MaybeUndefined<Input<Link>>,
    /// Place, at most 120 characters.
    location: MaybeUndefined<Input<Text<1, 120>>>,
    /// Years of experience, 0 to 80.
    experience_years: MaybeUndefined<Input<Bounded<0, 80>>>,
    /// Whether other users find the user by `people`. They do not unless this is true.
    is_discoverable: MaybeUndefined<bool>,
}

impl ProfileDetails {
    fn set(self, user: &mut User, check: &mut Check) {
        check.set_opt("bio", &mut user.bio, self.bio);
        check.set_opt("skills", &mut user.skills, self.skills);
        check.set_opt("linkedinUrl", &mut user.linkedin_url, self.linkedin_url);
        check.set_opt("location", &mut user.location, self.location);
        let years = &mut user.experience_years;
        check.set_opt("experienceYears", years, self.experience_years);
        check.set_opt(
            "isDiscoverable",
            &mut user.is_discoverable,
            self.is_discoverable,
        );
    }
}

#[derive(InputObject, Clone)]
pub struct VerifyEmailInput {
    /// Change the profile only if it still has this version.
    expected_version: Option<Version>,
}

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
        let location = check.may("location", self.more.location);
        let experience_years = check.may("experienceYears", self.more.experience_years);
        let is_discoverable = check.may("isDiscoverable", self.more.is_discoverable);
        let may_have_skills = self.role == UserRole::Talent || skills.is_none();
        check.that(may_have_skills, "skills", SKILLS);
        check.finish(|| {
            let email = email?;
            let status = if session.viewer.has_verified(email.as_str()) {
                UserStatus::Active
            } else {
                UserStatus::PendingVerification
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
                location,
                experience_years,
                is_discoverable,
                deleting_since: None,
                cleared_until: None,
                avatar_url: None,
                status,
                email_verified: None,
                stripe_customer_id: None,
                subscription_status: UserSubscriptionStatus::None,
                subscription_tier: SubscriptionTier::Free,
                status_reason: None,
                investor_approved: None,
                unread_notifications: Some(0),
                stamp: Revision::new(session.now()),
            })
        })
    }
}

/// The refusal of a user for whom Stripe has reported a subscription before.
const SUBSCRIBED: Rule = Rule::Conflict("changes at the moment. Repeat the mutation");

/// One TransactWriteItems: the user, the guard of the email address if it is verified, the audit entry, and a check that
/// no subscription of the user is known. If one is, a GetItem and another TransactWriteItems.
async fn register(session: &Session, input: RegisterUserInput) -> MutationResult<User> {
    let user = input.make(session)?;
    let mut registered = register_with(session, &user, &Kept::Nothing).await;
    if matches!(&registered, Err(ChangeError::Refused(refusal)) if *refusal == SUBSCRIBED.at("input"))
    {
        let kept = session.tables.get::<Subscription>(&user.user_id).await?;
        let kept = match kept {
            Some(kept) if kept.is_pending.is_some() => Kept::Pending(Box::new(kept)),
            Some(_) => Kept::OfAUser,
            None => Kept::Nothing,
        };
        registered = register_with(session, &user, &kept).await;
    }
    session.forget::<Profile>();
    registered.map_err(|error| match error {
        ChangeError::Taken => Rule::Conflict(
            "cannot be chosen again: you are registered. An admin can change it by `setUserRole`",
        )
        .at("role")
        .into(),
        error => error,
    })
}

/// What Stripe has reported of a user who registers.
enum Kept {
    Nothing,
    Pending(Box<Subscription>),
    /// The user is registered already.
    OfAUser,
}

async fn register_with(session: &Session, user: &User, kept: &Kept) -> MutationResult<User> {
    let journal = Journal::of(session);
    let now = session.now();
    let subscribed = match kept {
        Kept::Pending(subscription) => user.subscribed(Some(&subscription.registered(now))),
        Kept::Nothing | Kept::OfAUser => user.clone(),
    };
    let write = async |claim: Claim| {
        let created = session.tables.create(subscribed.clone(), |unit| {
            if user.has_verified_email() {
                claim.add(unit, user, user.stamp.clone());
            }
            match kept {
                Kept::Nothing => {
                    unit.check::<Subscription>(&user.user_id, Condition::Missing)
                        .or(SUBSCRIBED.at("input"));
                }
                Kept::Pending(pending) => {
                    unit.update(&**pending, &pending.registered(now), pending.unchanged())
                        .or(SUBSCRIBED.at("input"));
                }
                Kept::OfAUser => {}
            }
            journal.record::<User>(unit, "USER_REGISTERED", &user.user_id);
        });
        created.await
    };
    claiming(session, &user.user_id, Some(&user.email), &write).await
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
            && more.location.is_undefined()
            && more.experience_years.is_undefined()
            && more.is_discoverable.is_undefined()
    }
}

/// One GetItem of the viewer and one of the user, and one TransactWriteItems: the user, the guards of the email addresses
/// if they change, and the audit entry. An address that the credentials do not verify makes the user unverified.
async fn update(session: &Session, input: UpdateProfileInput) -> MutationResult<User> {
    let id = if input.corrects_email() {
        acting_or_pending(session).await?
    } else {
        acting(session).await?.id
    };
    let journal = Journal::of(session);
    let address: Result<Email, Rule> = match &input.email {
        MaybeUndefined::Value(email) => email.clone().into(),
        MaybeUndefined::Undefined | MaybeUndefined::Null => Err(Rule::Required),
    };
    let plan = |claim: &Claim, now: &User, unit: &mut TransactionBuilder<Violations>| {
        let (mut next, mut check, input) = (now.clone(), Check::default(), input.clone());
        check.set("email", &mut next.email, input.email);
        check.set("firstName", &mut next.first_name, input.first_name);
        check.set("lastName", &mut next.last_name, input.last_name);
        input.more.set(&mut next, &mut check);
        let may_have_skills = now.role == UserRole::Talent || next.skills == now.skills;
        check.that(may_have_skills, "skills", SKILLS);
        let mut next = check.finish(|| Some(next))?;
        if next.email != now.email {
            release(unit, now);
            next.status = if session.viewer.has_verified(next.email.as_str()) {
                claim.add(unit, &next, Revision::new(session.now()));
                UserStatus::Active
            } else {
                UserStatus::PendingVerification
            };
            next.email_verified = None;
        }
        if next != *now {
            journal.record::<User>(unit, "USER_UPDATED", &id);
        }
        Ok(next)
    };
    let expected = input.expected_version.map(u32::from);
    let write = async |claim: Claim| {
        let plan = |now: &User, unit: &mut TransactionBuilder<Violations>| plan(&claim, now, unit);
        session.tables.change(&id, expected, plan).await
    };
    let written = claiming(session, &id, address.ok().as_ref(), &write).await;
    session.forget::<Profile>();
    written
}

/// One GetItem and one TransactWriteItems: the user, the guard of the address and the audit entry.
async fn verify(session: &Session, input: VerifyEmailInput) -> MutationResult<User> {
    let (id, journal) = (session.user(), Journal::of(session));
    let plan = |claim: &Claim, now: &User, unit: &mut TransactionBuilder<Violations>| {
        if now.status == UserStatus::Banned || now.has_verified_email() {
            return Ok(now.clone());
        }
        if !session.viewer.has_verified(now.email.as_str()) {
            let reason =
                "Your credentials do not contain the verified email address of the profile";
            return Err(Rule::Forbidden(reason).at("input"));
        }
        claim.add(unit, now, Revision::new(session.now()));
        journal.record::<User>(unit, "USER_VERIFIED", &id);
        Ok(User {
            status: UserStatus::Active,
            email_verified: None,
            ..now.clone()
        })
    };
    let expected = input.expected_version.map(u32::from);
    let write = async |claim: Claim| {
        let plan = |now: &User, unit: &mut TransactionBuilder<Violations>| plan(&claim, now, unit);
        session.tables.change(&id, expected, plan).await
    };
    let written = claiming(session, &id, None, &write).await;
    session.forget::<Profile>();
    written
}

mutations! {
    /// Mutations of users.
    UserMutation -> user: User {
        /// Registers the viewer on first sign-in. The user is active if the identity provider has verified the email
        /// address, and otherwise waits for `verifyEmail` or an admin. A verified address belongs to one user: its owner
        /// gets it even if others have named it before.
        register_user(RegisterUserInput) -> RegisterUserPayload = register,
        /// Updates the viewer's profile. A user with the status PENDING_VERIFICATION can change the email address, and
        /// nothing else.
        update_profile(UpdateProfileInput) -> UpdateProfilePayload = update,
        /// Activates the viewer's profile, if their credentials contain its verified email address.
        verify_email(VerifyEmailInput) -> VerifyEmailPayload = verify,
    }
}
