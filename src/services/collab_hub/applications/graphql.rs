//! Applications in the API.

use async_graphql::{ComplexObject, Context, ID, InputObject, MaybeUndefined, Object};

use crate::api::{
    Answer, ApiError, Connection, Given, Node as _, Session, Stamp, Url, Version, Written, found,
    page, session,
};
use crate::domain::{Check, Id, Rule, Text, UserId, Violations};
use crate::services::collab_hub::journal::{Journal, Note};
use crate::services::collab_hub::member::{acting, acting_as, active};
use crate::services::collab_hub::notifications::NotificationType;
use crate::services::collab_hub::pages::own_page;
use crate::services::collab_hub::roles::Role;
use crate::services::collab_hub::signed;
use crate::services::collab_hub::startups::{Startup, StartupStatus, Visibility};
use crate::services::collab_hub::users::{User, UserRole};
use crate::table::{Condition, Entity as _, TableError, Unit};
use crate::{mutations, naming_inputs};

use super::{Application, ApplicationStatus, Entry, Mover, of_applicant, of_role};

#[ComplexObject]
impl Application {
    /// Opaque id, for `node`.
    pub async fn id(&self) -> ID {
        self.node_id()
    }

    /// The applicant. Null if the viewer may not see the user.
    async fn applicant(&self, ctx: &Context<'_>) -> Answer<User> {
        found(ctx, &self.applicant_id).await
    }

    /// The role. Null if the viewer may not see its startup any more.
    async fn role(&self, ctx: &Context<'_>) -> Answer<Role> {
        found(ctx, &(self.startup_id, self.role_id)).await
    }

    /// The startup. Null if the viewer may not see it any more.
    async fn startup(&self, ctx: &Context<'_>) -> Answer<Startup> {
        found(ctx, &self.startup_id).await
    }

    /// Resume, at a URL that expires in minutes.
    async fn resume_url(&self, ctx: &Context<'_>) -> Answer<Url> {
        signed::url(ctx, self.resume_url.as_ref()).await
    }

    /// Notes of the founder. Null for everyone else.
    async fn founder_notes(&self, ctx: &Context<'_>) -> Answer<&Text<1, 5000>> {
        let notes = self.founder_notes.as_ref()?;
        let is_founder = async { self.is_for_viewer(session(ctx)?).await };
        match is_founder.await {
            Ok(true) => Some(Ok(notes)),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

#[ComplexObject]
impl Entry {
    /// The application.
    async fn application(&self, ctx: &Context<'_>) -> Answer<Application> {
        // Only the founder gets entries, and the founder sees every application for the startup.
        let load = async {
            session(ctx)?
                .load::<Application>(&self.application_id)
                .await
        };
        load.await.transpose()
    }
}

/// Queries for applications.
#[derive(Default)]
pub struct ApplicationQuery;

#[Object]
impl ApplicationQuery {
    /// Applications of the viewer, newest first.
    async fn my_applications(&self, ctx: &Context<'_>) -> Answer<Connection<Application>> {
        own_page(ctx, |member| of_applicant(&member.id)).await
    }

    /// Applications for a role of a startup that the viewer founded, by status and then oldest first.
    async fn role_applications(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The role's id.")] role_id: ID,
        #[graphql(desc = "Only applications with this status.")] status: Option<ApplicationStatus>,
    ) -> Answer<Connection<Application>> {
        let page = async {
            let session = session(ctx)?;
            let member = active(session).await?;
            let missing = || ApiError::bad_input("`roleId` does not name a role of yours.");
            let id = Role::named(&role_id, session).map_err(|_| missing())?;
            let (role, startup) =
                tokio::try_join!(session.load::<Role>(&id), session.load::<Startup>(&id.0))?;
            let is_founder = startup.is_some_and(|startup| startup.founder_id == member.id);
            let role = role.filter(|_| is_founder).ok_or_else(missing)?;
            page(ctx, &of_role(&role, status), &()).await
        };
        Some(page.await)
    }
}

/// Input of `applyForRole`.
#[derive(InputObject, Clone)]
pub struct ApplyForRoleInput {
    /// The role's id.
    role_id: ID,
    /// A ULID for the application, so that the same input can be sent again. Defaults to a new one.
    application_id: Option<Given<Id<Application>>>,
    /// Cover letter, 1 to 5000 characters.
    cover_letter: Given<Text<1, 5000>>,
}

/// Input of `reviewApplication`. An omitted field keeps its value, null clears it.
#[derive(InputObject, Clone)]
pub struct ReviewApplicationInput {
    /// The application's id.
    id: ID,
    /// Change the application only if it still has this version.
    expected_version: Option<Version>,
    /// The new status: REVIEWING, SHORTLISTED, ACCEPTED or REJECTED.
    status: Option<ApplicationStatus>,
    /// Notes that only the founder sees, at most 5000 characters.
    founder_notes: MaybeUndefined<Given<Text<1, 5000>>>,
}

naming_inputs! {
    /// Input of `withdrawApplication`.
    WithdrawApplicationInput
}

impl ApplyForRoleInput {
    fn make(self, session: &Session, applicant: UserId) -> Result<Application, Violations> {
        let mut check = Check::default();
        let new = || Ok(Id::new(session.tables.now()));
        let id = check.need(
            "applicationId",
            self.application_id.map_or_else(new, Into::into),
        );
        let role = check.need("roleId", Role::named(&self.role_id, session));
        let cover_letter = check.need("coverLetter", self.cover_letter);
        check.finish(|| {
            let (startup_id, role_id) = role?;
            Some(Application {
                application_id: id?,
                startup_id,
                role_id,
                applicant_id: applicant,
                cover_letter: cover_letter?,
                resume_url: None,
                status: ApplicationStatus::Pending,
                founder_notes: None,
                stamp: Stamp::new(session.now()),
            })
        })
    }
}

const NO_ROLE: Rule = Rule::NotFound("does not name a role that you can apply for");

/// Two reads, the viewer's profile and the startup, and one TransactWriteItems: the application, its entry, the role's
/// count if the role is open, the founder's notification and the audit entry.
async fn apply(session: &Session, input: ApplyForRoleInput) -> Written<Application> {
    let member = acting_as(
        session,
        &[UserRole::Talent],
        "Only users with the role TALENT apply",
    );
    let member = member.await?;
    let application = input.make(session, member.id.clone())?;
    let startup = session
        .tables
        .get::<Startup>(&application.startup_id)
        .await?;
    let startup = startup.ok_or_else(|| NO_ROLE.at("roleId"))?;
    let journal = Journal::of(session);
    let made = application.clone();
    let with = |unit: &mut Unit<Violations>| {
        let published = Condition::is("status", &StartupStatus::Active);
        let published = published.and(Condition::is("visibility", &Visibility::Public));
        unit.check::<Startup>(&made.startup_id, published)
            .or(NO_ROLE.at("roleId"));
        let open = Condition::is("isOpen", &true);
        let closed = Rule::Conflict("names a role that is not open");
        unit.add::<Role>(&(made.startup_id, made.role_id), "applicantCount", 1, open)
            .or(closed.at("roleId"));
        let again = Rule::Conflict("names a role that you have applied for");
        unit.put_new(&made.entry()).or(again.at("roleId"));
        journal.record::<Application>(unit, "APPLICATION_CREATED", made.application_id);
        let body = format!("{} applied for a role of {}.", member.name, startup.name);
        let note = about(&startup.founder_id, "New application", &body);
        journal.notify::<Application>(unit, made.application_id, note);
    };
    journal.create(application, "applicationId", with).await
}

fn about<'n>(to: &'n UserId, title: &'n str, body: &'n str) -> Note<'n> {
    let kind = NotificationType::ApplicationUpdate;
    Note {
        to,
        kind,
        title,
        body,
    }
}

/// GetItems of the profile, the application (twice) and the startup, and one TransactWriteItems: the application, the
/// applicant's notification if the status changes, and the audit entry.
async fn review(session: &Session, input: ReviewApplicationInput) -> Written<Application> {
    let member = acting(session).await?;
    let id = Application::named(&input.id, session).map_err(|rule| rule.at("id"))?;
    let startup = startup_of(session, &id).await?;
    let journal = Journal::of(session);
    let plan = |now: &Application, unit: &mut Unit<Violations>| {
        if startup
            .as_ref()
            .is_none_or(|startup| startup.founder_id != member.id)
        {
            return Err(NO_APPLICATION.at("id"));
        }
        let (mut next, mut check) = (now.clone(), Check::default());
        check.set_opt(
            "founderNotes",
            &mut next.founder_notes,
            input.founder_notes.clone(),
        );
        next.status = input.status.unwrap_or(now.status);
        let is_declared =
            next.status == now.status || now.status.may_become(next.status, Mover::Founder);
        check.that(
            is_declared,
            "status",
            Rule::Conflict("cannot follow the current status"),
        );
        let next = check.finish(|| Some(next))?;
        if next != *now {
            journal.record::<Application>(unit, "APPLICATION_REVIEWED", now.application_id);
        }
        if next.status != now.status {
            let body = format!(
                "The status of your application is now {}.",
                next.status.word()
            );
            let note = about(&now.applicant_id, "Application updated", &body);
            journal.notify::<Application>(unit, now.application_id, note);
        }
        Ok(next)
    };
    let expected = input.expected_version.map(u32::from);
    let is_own = |_: &Application| startup.as_ref().is_some_and(|s| s.founder_id == member.id);
    let changed = journal.change((&id, expected), is_own, plan).await;
    changed.map_err(|error| error.if_missing(NO_APPLICATION.at("id")))
}

/// GetItems of the profile, the application and the startup, and one TransactWriteItems: the application, its entry, the
/// role's count, the founder's notification and the audit entry.
async fn withdraw(session: &Session, input: WithdrawApplicationInput) -> Written<Application> {
    let member = acting(session).await?;
    let id = Application::named(&input.id, session).map_err(|rule| rule.at("id"))?;
    let founder = startup_of(session, &id)
        .await?
        .map(|startup| startup.founder_id);
    let journal = Journal::of(session);
    let plan = |now: &Application, unit: &mut Unit<Violations>| {
        if now.applicant_id != member.id {
            return Err(NO_APPLICATION.at("id"));
        }
        if now.status == ApplicationStatus::Withdrawn {
            return Ok(now.clone());
        }
        if !now
            .status
            .may_become(ApplicationStatus::Withdrawn, Mover::Applicant)
        {
            return Err(Rule::Conflict("names an application that is decided").at("id"));
        }
        unit.delete::<Entry>(&now.entry().identity(), Condition::Exists);
        let role = (now.startup_id, now.role_id);
        unit.add::<Role>(&role, "applicantCount", -1, Condition::Exists);
        journal.record::<Application>(unit, "APPLICATION_WITHDRAWN", now.application_id);
        let body = format!("{} withdrew an application.", member.name);
        if let Some(founder) = &founder {
            let note = about(founder, "Application withdrawn", &body);
            journal.notify::<Application>(unit, now.application_id, note);
        }
        Ok(Application {
            status: ApplicationStatus::Withdrawn,
            ..now.clone()
        })
    };
    let expected = input.expected_version.map(u32::from);
    let is_own = |now: &Application| now.applicant_id == member.id;
    let changed = journal.change((&id, expected), is_own, plan).await;
    changed.map_err(|error| error.if_missing(NO_APPLICATION.at("id")))
}

const NO_APPLICATION: Rule = Rule::NotFound("does not name an application of yours");

/// The startup that an application is for. Two GetItems.
async fn startup_of(
    session: &Session,
    id: &Id<Application>,
) -> Result<Option<Startup>, TableError> {
    match session.tables.get::<Application>(id).await? {
        Some(application) => session.tables.get::<Startup>(&application.startup_id).await,
        None => Ok(None),
    }
}

mutations! {
    /// Mutations of applications.
    ApplicationMutation -> application: Application {
        /// Applies for an open role of a public startup, once. Sending the same input with the same `applicationId`
        /// again returns the same application.
        apply_for_role(ApplyForRoleInput) -> ApplyForRolePayload = apply,
        /// Changes the status or the notes of an application for a startup that the viewer founded.
        review_application(ReviewApplicationInput) -> ReviewApplicationPayload = review,
        /// Withdraws an application of the viewer. The viewer may then apply for the role again.
        withdraw_application(WithdrawApplicationInput) -> WithdrawApplicationPayload = withdraw,
    }
}
