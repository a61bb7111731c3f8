//! Applications for roles, and the entries that keep one open application to each role and applicant.

pub mod graphql;
pub mod notes;
pub mod review;

use async_graphql::SimpleObject;
use chrono::TimeDelta;
use serde::{Deserialize, Serialize};

use trestle_api::versioned;
use trestle_api::{ApiError, Listed, Node, Revision, Session};
use trestle_domain::string_enum;
use trestle_domain::{Id, Rule, Text, UserId};
use trestle_table::{
    Condition, Entity, IndexKey, Key, KeyedAttributes, Listing, Pk, Sk, TableDefinition,
};

use super::member::member;
use super::roles::Role;
use super::signed::FileKey;
use super::startups::Startup;
use super::table::{GSI1, GSI2, TABLE};

string_enum! {
    /// The status of an application.
    ApplicationStatus {
        /// Sent, not reviewed yet.
        Pending = "PENDING",
        /// The founder is reviewing it.
        Reviewing = "REVIEWING",
        /// Among the best.
        Shortlisted = "SHORTLISTED",
        /// The founder has accepted the applicant.
        Accepted = "ACCEPTED",
        /// The founder has declined the applicant.
        Rejected = "REJECTED",
        /// The applicant has withdrawn.
        Withdrawn = "WITHDRAWN",
    }
}

/// Who changes the status of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mover {
    /// The founder of the startup.
    Founder,
    /// The applicant.
    Applicant,
    /// The applicant, who may also decline an offer.
    Decliner,
}

const NO_APPLICATION: Rule = Rule::NotFound("does not name an application of yours");

/// How long an applicant waits after a rejection before applying for the same role again.
pub const PAUSE: TimeDelta = TimeDelta::days(30);

impl ApplicationStatus {
    /// Whether the founder has decided.
    pub fn is_decided(self) -> bool {
        matches!(
            self,
            ApplicationStatus::Accepted | ApplicationStatus::Rejected
        )
    }

    /// Whether `mover` may change this status to `next`.
    pub fn may_become(self, next: Self, mover: Mover) -> bool {
        use ApplicationStatus::{Accepted, Pending, Rejected, Reviewing, Shortlisted, Withdrawn};
        match (mover, self) {
            (_, Withdrawn) | (Mover::Applicant, Accepted | Rejected) => false,
            (Mover::Decliner, Rejected) => false,
            (Mover::Decliner, Accepted)
            | (Mover::Applicant | Mover::Decliner, Pending | Reviewing | Shortlisted) => {
                next == Withdrawn
            }
            (Mover::Founder, Pending) => {
                matches!(next, Reviewing | Shortlisted | Accepted | Rejected)
            }
            (Mover::Founder, Reviewing) => matches!(next, Shortlisted | Accepted | Rejected),
            (Mover::Founder, Shortlisted) => matches!(next, Reviewing | Accepted | Rejected),
            // A decision can be taken back.
            (Mover::Founder, Accepted | Rejected) => matches!(next, Reviewing | Shortlisted),
        }
    }
}

/// An application for a role.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex, name = "RoleApplication")]
pub struct Application {
    #[graphql(skip)]
    pub application_id: Id<Application>,
    #[graphql(skip)]
    pub startup_id: Id<Startup>,
    #[graphql(skip)]
    pub role_id: Id<Role>,
    #[graphql(skip)]
    pub role_title: Option<Text<1, 120>>,
    #[graphql(skip)]
    pub startup_name: Option<Text<1, 120>>,
    #[graphql(skip)]
    pub applicant_id: UserId,
    /// Cover letter, 1 to 5000 characters.
    pub cover_letter: Text<1, 5000>,
    #[graphql(skip)]
    pub resume_url: Option<FileKey>,
    /// Status.
    pub status: ApplicationStatus,
    #[graphql(skip)]
    pub founder_notes: Option<Text<1, 5000>>,
    /// The founder's reason for the status.
    pub reason: Option<Text<1, 1000>>,
    #[serde(flatten)]
    #[graphql(flatten)]
    pub stamp: Revision,
}

impl Entity for Application {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "APPLICATION";
    const KEYED: KeyedAttributes = &[
        ("PK", &["", "applicationId"]),
        ("GSI1PK", &["", "applicantId"]),
        ("GSI2PK", &["", "startupId", "", "roleId"]),
        ("GSI2SK", &["", "status", "createdAt"]),
    ];
    type Id = Id<Application>;

    fn key_of(id: &Self::Id) -> Key {
        Key::new(Pk::of("APPLICATION", id), Sk::word("METADATA"))
    }

    fn identity(&self) -> Self::Id {
        self.application_id
    }

    fn index_keys(&self) -> Vec<IndexKey> {
        let status = Sk::of("STATUS", self.status).then(self.stamp.created_at);
        let applicant = Pk::of("APPLICANT", &self.applicant_id);
        let place = Sk::of("APPLICATION", self.application_id);
        vec![
            GSI1.at(applicant, place),
            GSI2.at(role_shelf(self.startup_id, self.role_id), status),
        ]
    }
}

versioned!(Application);

impl Listed for Application {
    const PAGE: &'static str = "A page of applications.";
    const EDGE: &'static str = "An application in a list.";
}

impl Node for Application {
    const TAG: u8 = b'A';

    async fn visible_to(self, session: &Session) -> Result<Option<Self>, ApiError> {
        let is_shown = self.is_of_viewer(session).await? || self.is_for_viewer(session).await?;
        Ok(is_shown.then_some(self))
    }
}

impl Application {
    /// Whether the founder has yet to decide.
    pub fn is_open(&self) -> bool {
        self.status != ApplicationStatus::Withdrawn && !self.status.is_decided()
    }

    /// Whether it has the names of its role and its startup. Other programs do not store them.
    pub fn has_names(&self) -> bool {
        self.role_title.is_some() && self.startup_name.is_some()
    }

    /// Whether the viewer is the applicant.
    pub async fn is_of_viewer(&self, session: &Session) -> Result<bool, ApiError> {
        let member = member(session).await?;
        Ok(member.is_some_and(|member| member.id == self.applicant_id))
    }

    /// Whether the viewer founded the startup. Reads the startup.
    pub async fn is_for_viewer(&self, session: &Session) -> Result<bool, ApiError> {
        let Some(member) = member(session).await? else {
            return Ok(false);
        };
        let startup = session.load::<Startup>(&self.startup_id).await?;
        Ok(startup.is_some_and(|startup| startup.founder_id == member.id))
    }

    /// What holds of the entry unless a newer application of the same user has taken its place.
    pub fn is_latest(&self) -> Condition {
        let same = Condition::is("applicationId", &self.application_id);
        Condition::Any(vec![Condition::Missing, same])
    }

    /// The entry that the application has until it is withdrawn.
    pub fn entry(&self) -> Entry {
        Entry {
            applicant_id: self.applicant_id.clone(),
            role_id: self.role_id,
            startup_id: self.startup_id,
            application_id: self.application_id,
            stamp: self.stamp.clone(),
        }
    }
}

/// An application that is not withdrawn, found by its applicant and role: `APPLICANT#user` / `ROLE#role`. It keeps the
/// applicant from applying twice, and lists the applications for a startup.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex, name = "ApplicationEntry")]
pub struct Entry {
    #[graphql(skip)]
    pub applicant_id: UserId,
    #[graphql(skip)]
    pub role_id: Id<Role>,
    #[graphql(skip)]
    pub startup_id: Id<Startup>,
    #[graphql(skip)]
    pub application_id: Id<Application>,
    #[serde(flatten)]
    #[graphql(flatten)]
    pub stamp: Revision,
}

impl Entity for Entry {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "APPLICATION_GUARD";
    type Id = (UserId, Id<Role>);

    fn key_of((user, role): &Self::Id) -> Key {
        Key::new(Pk::of("APPLICANT", user), Sk::of("ROLE", role))
    }

    fn identity(&self) -> Self::Id {
        (self.applicant_id.clone(), self.role_id)
    }

    fn index_keys(&self) -> Vec<IndexKey> {
        let place = Sk::of("APPLICATION", self.stamp.created_at).then(self.application_id);
        vec![GSI1.at(Pk::of("STARTUP", self.startup_id), place)]
    }
}

impl Listed for Entry {
    const PAGE: &'static str = "A page of the applications for a startup.";
    const EDGE: &'static str = "An application for a startup, in a list.";
}

fn role_shelf(startup: Id<Startup>, role: Id<Role>) -> Pk {
    Pk::of("STARTUP", startup).then("ROLE").then(role)
}

/// Applications of a user, newest first. GSI1 `APPLICANT#user`, one Query.
pub fn of_applicant(user: &UserId) -> Listing<Application> {
    Listing::on("applications/applicant", &GSI1, Pk::of("APPLICANT", user))
        .begins_with(Sk::word("APPLICATION").below())
        .newest_first()
}

/// Applications for a role, by status and then oldest first. GSI2 `STARTUP#startup#ROLE#role`, one Query.
pub fn of_role(
    startup: Id<Startup>,
    role: Id<Role>,
    status: Option<ApplicationStatus>,
) -> Listing<Application> {
    let shelf = role_shelf(startup, role);
    Listing::on("applications/role", &GSI2, shelf).begins_with(match status {
        Some(status) => Sk::of("STATUS", status).below(),
        None => Sk::word("STATUS").below(),
    })
}

/// Applications for all roles of a startup that are not withdrawn, newest first. GSI1 `STARTUP#startup`, one Query.
pub fn of_startup(startup: Id<Startup>) -> Listing<Entry> {
    Listing::on("applications/startup", &GSI1, Pk::of("STARTUP", startup))
        .begins_with(Sk::word("APPLICATION").below())
        .newest_first()
}
