//! Roles that startups want to fill.

mod filter;
pub mod graphql;

use async_graphql::SimpleObject;
use serde::{Deserialize, Serialize};

use trestle_api::versioned;
use trestle_api::{ApiError, Listed, Node, Revision, Session};
use trestle_domain::string_enum;
use trestle_domain::{Amount, Id, List, Text};
use trestle_table::{Entity, IndexKey, Key, KeyedAttributes, Listing, Pk, Sk, TableDefinition};

use super::startups::Startup;
use super::table::{GSI1, TABLE};
use super::visibility::{OfStartup, sees};

string_enum! {
    /// The kind of work that a role offers.
    RoleType {
        /// Full-time employment.
        FullTime = "FULL_TIME",
        /// Part-time employment.
        PartTime = "PART_TIME",
        /// A contract for a limited time.
        Contract = "CONTRACT",
        /// Work for equity, without a salary.
        EquityOnly = "EQUITY_ONLY",
    }
}

/// A role that a startup wants to fill.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct Role {
    #[graphql(skip)]
    pub role_id: Id<Role>,
    #[graphql(skip)]
    pub startup_id: Id<Startup>,
    /// Title, 1 to 120 characters.
    pub title: Text<1, 120>,
    /// Description, 1 to 5000 characters.
    pub description: Text<1, 5000>,
    /// Kind of work.
    #[serde(rename = "type")]
    #[graphql(name = "type")]
    pub kind: RoleType,
    /// Compensation, at most 200 characters.
    pub compensation: Option<Text<1, 200>>,
    /// Range of equity, at most 100 characters.
    pub equity_range: Option<Text<1, 100>>,
    /// Required skills, at most 30.
    pub skills: List<Text<1, 50>, 30>,
    /// Place of work, at most 120 characters.
    pub location: Option<Text<1, 120>>,
    /// Whether the work can be done from anywhere.
    pub is_remote: Option<bool>,
    /// Lowest pay for a year, in whole US dollars.
    pub pay_min: Option<Amount>,
    /// Highest pay for a year, in whole US dollars.
    pub pay_max: Option<Amount>,
    /// Whether the role accepts applications.
    pub is_open: bool,
    /// Number of applications that are not withdrawn.
    #[serde(default, deserialize_with = "trestle_domain::read_counter")]
    pub applicant_count: u32,
    #[serde(flatten)]
    #[graphql(flatten)]
    pub stamp: Revision,
}

impl Entity for Role {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "STARTUP_ROLE";
    const KEYED: KeyedAttributes = &[
        ("PK", &["", "startupId"]),
        ("SK", &["", "roleId"]),
        ("GSI1SK", &["createdAt"]),
    ];
    type Id = (Id<Startup>, Id<Role>);

    fn key_of((startup, role): &Self::Id) -> Key {
        Key::new(Pk::of("STARTUP", startup), Sk::of("ROLE", role))
    }

    fn identity(&self) -> Self::Id {
        (self.startup_id, self.role_id)
    }

    fn index_keys(&self) -> Vec<IndexKey> {
        let place = Sk::value(self.stamp.created_at).then(self.role_id);
        vec![GSI1.at(Pk::word("OPEN_ROLES"), place).only_if(self.is_open)]
    }
}

versioned!(Role);

impl OfStartup for Role {
    fn startup(&self) -> Id<Startup> {
        self.startup_id
    }
}

impl Listed for Role {
    const PAGE: &'static str = "A page of roles.";
    const EDGE: &'static str = "A role in a list.";
}

impl Node for Role {
    const TAG: u8 = b'R';

    async fn visible_to(self, session: &Session) -> Result<Option<Self>, ApiError> {
        let is_seen = match session.load::<Startup>(&self.startup_id).await? {
            Some(startup) => sees(session, &startup).await?,
            None => false,
        };
        Ok(is_seen.then_some(self))
    }
}

/// Open roles, newest first. GSI1 `OPEN_ROLES`, one Query, and further ones while a gate lets too few of them through.
pub fn open() -> Listing<Role> {
    Listing::on("roles/open", &GSI1, Pk::word("OPEN_ROLES"))
        .newest_first()
        .reading_at_most(2000)
        .veiled(Pk::word("STARTUP"))
}

/// Roles of a startup, newest first. `STARTUP#startup` / `ROLE#`, one Query.
pub fn of_startup(startup: Id<Startup>) -> Listing<Role> {
    Listing::of("roles/startup", Pk::of("STARTUP", startup))
        .begins_with(Sk::word("ROLE").below())
        .newest_first()
}
