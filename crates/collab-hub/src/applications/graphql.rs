//! Applications in the API.

use std::collections::HashSet;

use async_graphql::{ComplexObject, Context, ID, InputObject, Object};

use crate::blocks::Block;
use crate::contacts::Contact;
use crate::invitations;
use crate::journal::{Journal, Note};
use crate::member::{acting_as, active};
use crate::named::given_name;
use crate::notices::NoticeMark;
use crate::notifications::NotificationType;
use crate::pages::own_page;
use crate::roles::{self, Role};
use crate::signed;
use crate::startups::{Startup, StartupStatus, Visibility};
use crate::tiers::Quota;
use crate::uploads::UploadName;
use crate::uploads::finished::take_resume;
use crate::usage::Usage;
use crate::users::{User, UserRole};
use trestle_api::{
    ApiError, Connection, Failed, IdBytes as _, Input, Node as _, QueryResult, Revision, Session,
    Url, following, found, page, page_args, session,
};
use trestle_api::{mutations, payloads};
use trestle_domain::{Check, Id, Rule, Text, UserId, Violations};
use trestle_table::{ChangeError, Changed, Condition, Entity as _, PageAsk, TableError};

use super::{Application, ApplicationStatus, Entry, PAUSE, of_applicant, of_role, of_startup};

#[ComplexObject]
impl Application {
    /// Opaque id, for `node`.
    pub async fn id(&self) -> ID {
        self.node_id()
    }

    /// The title of the role when the application was made; of one that another program has made, as it is now.
    #[graphql(name = "roleTitle")]
    async fn title_of_role(&self, ctx: &Context<'_>) -> QueryResult<Text<1, 120>> {
        if let Some(title) = &self.role_title {
            return Some(Ok(title.clone()));
        }
        let load = async {
            let place = (self.startup_id, self.role_id);
            let role = session(ctx)?.load::<Role>(&place).await?;
            Ok(role.map(|role| role.title))
        };
        load.await.transpose()
    }

    /// The name of the startup when the application was made; of one that another program has made, as it is now.
    #[graphql(name = "startupName")]
    async fn name_of_startup(&self, ctx: &Context<'_>) -> QueryResult<Text<1, 120>> {
        Startup::name_of(ctx, self.startup_id, self.startup_name.as_ref()).await
    }

    /// The applicant. Null if the viewer may not see the user.
    async fn applicant(&self, ctx: &Context<'_>) -> QueryResult<User> {
        found(ctx, &self.applicant_id).await
    }

    /// The role. Null if the viewer may not see its startup any more: `roleTitle` is its title.
    async fn role(&self, ctx: &Context<'_>) -> QueryResult<Role> {
        found(ctx, &(self.startup_id, self.role_id)).await
    }

    /// The startup. Null if the viewer may not see it any more: `startupName` is its name.
    async fn startup(&self, ctx: &Context<'_>) -> QueryResult<Startup> {
        found(ctx, &self.startup_id).await
    }

    /// Resume, at a URL that expires in minutes.
    async fn resume_url(&self, ctx: &Context<'_>) -> QueryResult<Url> {
        signed::url(ctx, self.resume_url.as_ref()).await
    }

    /// Notes of the founder. Null for everyone else.
    async fn founder_notes(&self, ctx: &Context<'_>) -> QueryResult<&Text<1, 5000>> {
        let notes = self.founder_notes.as_ref()?;
        let is_founder = async { self.is_for_viewer(session(ctx)?).await };
        let is_founder = is_founder.await;
        let notes = is_founder.map(|is_founder| is_founder.then_some(notes));
        notes.transpose()
    }
}

#[ComplexObject]
impl Entry {
    /// The application.
    async fn application(&self, ctx: &Context<'_>) -> QueryResult<Application> {
        // Only the founder gets entries, and the founder sees every application for the startup.
        let load = async {
            session(ctx)?
                .load::<Application>(&self.application_id)
                .await
        };
        load.await.transpose()
    }
}

/// Applications for all roles of a startup that are not withdrawn, newest first. One Query; for a startup of another program,
/// which writes no entries of applications, one for its roles and one for each of them more.
pub async fn for_startup(
    ctx: &Context<'_>,
    startup: &Startup,
) -> Result<Connection<Entry>, ApiError> {
    const LIST: &str = "applications/startup of another program";
    let entries = of_startup(startup.startup_id);
    if !startup.is_foreign {
        return page(ctx, &entries, &()).await;
    }
    let tables = &session(ctx)?.tables;
    let args = page_args(ctx.field())?;
    let after = args.place(LIST, |bytes| Some(bytes.to_vec()))?;
    let entries = tables.all(&entries).await?;
    let mut entries: Vec<_> = entries.into_iter().flatten().collect();
    let known: HashSet<_> = entries.iter().map(|entry| entry.application_id).collect();
    let roles = tables.all(&roles::of_startup(startup.startup_id)).await?;
    for role in roles.into_iter().flatten() {
        let list = of_role(role.startup_id, role.role_id, None);
        let found = tables.all(&list).await?.into_iter().flatten();
        let found = found.filter(|one| one.status != ApplicationStatus::Withdrawn);
        let found = found.filter(|one| !known.contains(&one.application_id));
        entries.extend(found.map(|application| application.entry()));
    }
    let rows = entries.into_iter();
    let rows = rows.map(|entry| (newest_first(&entry), entry)).collect();
    let rows = following(&args, after, rows);
    Ok(Connection::of_following(&args, LIST, rows))
}

/// The place of an entry in a list that begins with the newest one. Compared as bytes.
fn newest_first(entry: &Entry) -> Vec<u8> {
    let mut place = Vec::new();
    entry.stamp.created_at.write(&mut place);
    entry.application_id.write(&mut place);
    place.into_iter().map(|byte| !byte).collect()
}

/// Queries for applications.
#[derive(Default)]
pub struct ApplicationQuery;

#[Object]
impl ApplicationQuery {
    /// Applications of the viewer, newest first.
    async fn my_applications(&self, ctx: &Context<'_>) -> QueryResult<Connection<Application>> {
        own_page(ctx, |member| of_applicant(&member.id)).await
    }

    /// Applications for a role of a startup that the viewer founded, by status and then oldest first.
    async fn role_applications(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The role's id.")] role_id: ID,
        #[graphql(desc = "Only applications with this status.")] status: Option<ApplicationStatus>,
    ) -> QueryResult<Connection<Application>> {
        let page = async {
            let session = session(ctx)?;
            let member = active(session).await?;
            let missing = || ApiError::bad_input("`roleId` does not name a role of yours.");
            let id = Role::named(&role_id, session).map_err(|_| missing())?;
            let (role, startup) =
                tokio::try_join!(session.load::<Role>(&id), session.load::<Startup>(&id.0))?;
            let is_founder = startup.is_some_and(|startup| startup.founder_id == member.id);
            let role = role.filter(|_| is_founder).ok_or_else(missing)?;
            page(ctx, &of_role(role.startup_id, role.role_id, status), &()).await
        };
        Some(page.await)
    }
}

#[derive(InputObject, Clone)]
pub struct ApplyForRoleInput {
    /// The role's id.
    role_id: ID,
    /// A ULID of the client's, so that the same input can be sent again. The application gets an id of its own.
    application_id: Option<Input<Id<Application>>>,
    /// Cover letter, 1 to 5000 characters.
    cover_letter: Input<Text<1, 5000>>,
    /// The `uploadId` of a resume that was uploaded by `createUpload` for RESUME with the viewer's own id.
    resume_upload_id: Option<Input<UploadName>>,
    /// The id of an invitation to the role, as `inviteToRole` creates it: for a role of a startup that the viewer does not see.
    /// It is used up: the viewer alone can apply with it again.
    invitation_id: Option<ID>,
}

impl ApplyForRoleInput {
    fn make(self, session: &Session, applicant: UserId) -> Result<Application, Violations> {
        let mut check = Check::default();
        let role = check.need("roleId", Role::named(&self.role_id, session));
        let cover_letter = check.need("coverLetter", self.cover_letter);
        check.finish(|| {
            let (startup_id, role_id) = role?;
            Some(Application {
                application_id: Id::new(session.tables.now()),
                startup_id,
                role_id,
                role_title: None,
                startup_name: None,
                applicant_id: applicant,
                cover_letter: cover_letter?,
                resume_url: None,
                status: ApplicationStatus::Pending,
                founder_notes: None,
                reason: None,
                stamp: Revision::new(session.now()),
            })
        })
    }
}

const NO_ROLE: Rule = Rule::NotFound("does not name a role that you can apply for");

/// Three reads, the viewer's profile, the startup, the role and the marks of earlier notifications together, and a Query of
/// the viewer's applications, which another program may have written without an entry; and one
/// TransactWriteItems: the application, its entry, the role's count if the role is open, the founder's notification, once
/// a day for each role, and the audit entry. If the applicant has applied before, two GetItems more. With a resume, what
/// taking the upload needs; with an invitation, a GetItem.
async fn apply(
    session: &Session,
    input: ApplyForRoleInput,
) -> Result<Changed<Application>, Failed> {
    let otherwise = "Only users with the role TALENT apply";
    let member = acting_as(session, &[UserRole::Talent], otherwise).await?;
    let name = given_name(input.application_id.clone(), "applicationId")?;
    let upload = input.resume_upload_id.clone();
    let invitation = input.invitation_id.clone();
    let mut application = input.make(session, member.id.clone())?;
    let place = (application.startup_id, application.role_id);
    let mark = NoticeMark::of_application(&member.id, place.1);
    let foreign = async {
        let found = foreign(session, &member.id, place.1).await;
        found.map_err(ApiError::from)
    };
    let (startup, role, notified, foreign) = tokio::try_join!(
        session.load::<Startup>(&place.0),
        session.load::<Role>(&place),
        session.load::<NoticeMark>(&mark),
        foreign,
    )?;
    let (startup, role) = startup.zip(role).ok_or_else(|| NO_ROLE.at("roleId"))?;
    application.role_title = Some(role.title.clone());
    application.startup_name = Some(startup.name.clone());
    let invitation = match invitation {
        Some(id) => Some(invitations::to_role(session, &id, place.1).await?),
        None => None,
    };
    if let Some(upload) = upload {
        application.resume_url = Some(take_resume(session, &application, upload).await?);
    }
    let is_quiet = notified.is_some_and(|mark| mark.is_of(session.now()));
    let journal = Journal::of(session);
    let apply = async |earlier: Option<&Entry>| {
        let made = application.clone();

        let created = journal.create_named(name, "applicationId", application.clone(), |unit| {
            let mut published = Condition::is("status", &StartupStatus::Active);
            if invitation.is_none() {
                published = published.and(Condition::is("visibility", &Visibility::Public));
            }
            unit.check::<Startup>(&made.startup_id, published)
                .or(NO_ROLE.at("roleId"));
            let founder = &startup.founder_id;
            for (earlier, refusal) in &foreign {
                // It is there, so that this is refused.
                unit.check::<Application>(&earlier.application_id, Condition::Missing)
                    .or(refusal.clone().at("roleId"));
            }
            Block::refuse(unit, founder, &member.id, NO_ROLE.at("roleId"));
            let open = Condition::is("isOpen", &true);
            let closed =
                Rule::Conflict("names a role that is closed, until its founder reopens it");
            unit.add::<Role>(&place, "applicantCount", 1, open)
                .or(closed.at("roleId"));
            match earlier {
                None => unit.put_new(&made.entry()),
                Some(earlier) => {
                    let same = Condition::is("applicationId", &earlier.application_id);
                    unit.update(earlier, &made.entry(), same)
                }
            }
            .or(AGAIN.at("roleId"));
            if let Some(invitation) = &invitation {
                invitation.use_up(unit, session);
            }
            Usage::spend(unit, session, &member, Quota::Applications, 1, "input");
            Contact::tie(unit, founder, &member.id, session.now());
            journal.record::<Application>(unit, "APPLICATION_CREATED", made.application_id);
            if is_quiet {
                unit.check::<User>(founder, User::is_listed())
                    .or(NO_ROLE.at("roleId"));
                return None;
            }
            unit.put(&NoticeMark::new(mark.clone(), session.now()));
            let body = format!(
                "{} applied for {} at {}.",
                member.name, role.title, startup.name
            );
            let note = about(founder, "New application", &body, &made);
            let refusal = NO_ROLE.at("roleId");
            journal.notify_listed::<Application>(unit, made.application_id, note, refusal)
        });
        created.await
    };
    let applied = match apply(None).await {
        Err(ChangeError::Refused(refused)) if refused == AGAIN.at("roleId") => {
            match rejected_before(session, &application).await? {
                Some(entry) => apply(Some(&entry)).await,
                None => Err(refused.into()),
            }
        }
        applied => applied,
    };
    Ok(applied?)
}

const AGAIN: Rule = Rule::Conflict("names a role that you have applied for: see `myApplications`");
const TOO_SOON: Rule =
    Rule::Conflict("names a role that rejected you in the last 30 days: apply again after them");

/// Applications of the applicant for the role that another program has written, without an entry, and what each refuses another
/// one with. One Query.
async fn foreign(
    session: &Session,
    applicant: &UserId,
    role: Id<Role>,
) -> Result<Vec<(Application, Rule)>, TableError> {
    let ask = PageAsk::first(FOREIGN_AT_MOST);
    let page = session
        .tables
        .page(&of_applicant(applicant), &ask, &())
        .await?;
    let found = page.rows.into_iter().filter_map(|row| row.entity.ok());
    let found = found.filter(|found| found.role_id == role && !found.has_names());
    let refusing = found.filter_map(|found| {
        let is_recent = found.stamp.updated_at.is_within(PAUSE, session.now());
        let refusal = match found.status {
            ApplicationStatus::Withdrawn => None,
            ApplicationStatus::Rejected => is_recent.then_some(TOO_SOON),
            ApplicationStatus::Pending
            | ApplicationStatus::Reviewing
            | ApplicationStatus::Shortlisted
            | ApplicationStatus::Accepted => Some(AGAIN),
        };
        refusal.map(|refusal| (found, refusal))
    });
    Ok(refusing.take(1).collect())
}

/// Number of applications of a talent that are looked at, at most: the newest ones.
const FOREIGN_AT_MOST: usize = 500;

/// The entry of the applicant's earlier application for the role, if that was rejected long enough ago. Two GetItems.
///
/// # Errors
/// It was rejected a short time ago.
async fn rejected_before(
    session: &Session,
    application: &Application,
) -> Result<Option<Entry>, ChangeError<Violations>> {
    let tables = &session.tables;
    let Some(entry) = tables.get::<Entry>(&application.entry().identity()).await? else {
        return Ok(None);
    };
    let earlier = tables.get::<Application>(&entry.application_id).await?;
    let Some(earlier) = earlier.filter(|now| now.status == ApplicationStatus::Rejected) else {
        return Ok(None);
    };
    if earlier.stamp.updated_at.is_within(PAUSE, session.now()) {
        Err(TOO_SOON.at("roleId").into())
    } else {
        Ok(Some(entry))
    }
}

/// A notification about an application.
pub(super) fn about<'n>(
    to: &'n UserId,
    title: &'n str,
    body: &'n str,
    application: &Application,
) -> Note<'n> {
    let kind = NotificationType::ApplicationUpdate;
    Note::new(to, kind, title, body)
        .of_startup(application.startup_id)
        .of_role(application.role_id)
}

payloads! {
    /// The result of `applyForRole`.
    ApplyForRolePayload {
        /// The application. `null` if there are errors.
        application: Application
    }
}

mutations! {
    /// Mutations that apply.
    ApplyMutation {
        /// Applies for an open role of a public startup, or with an invitation to the role, once. Sending the same input with the same `applicationId`
        /// again returns the same application. After a rejection the viewer can apply for the role again after 30 days.
        apply_for_role(ApplyForRoleInput) -> ApplyForRolePayload = apply,
    }
}
