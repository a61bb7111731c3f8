//! Startups: what is stored, in which order their statuses follow each other, and their lists.

pub mod deleting;
pub mod edit;
pub mod graphql;
pub mod review;
mod search;

pub use search::folded;

use async_graphql::SimpleObject;
use serde::{Deserialize, Serialize};

use trestle_api::versioned;
use trestle_api::{Listed, Revision};
use trestle_domain::string_enum;
use trestle_domain::{Amount, Bounded, Id, Link, List, Rule, Text, UserId, Violations};
use trestle_table::{
    Condition, Entity, ForeignItem, IndexKey, Key, KeyedAttributes, Listing, Pk, Sk,
    TableDefinition, TransactionBuilder,
};

use super::signed::FileKey;
use super::table::{GSI1, GSI2, TABLE};

string_enum! {
    /// The stage of a startup.
    StartupStage {
        /// Nothing is built yet.
        Idea = "IDEA",
        /// A first product exists.
        Mvp = "MVP",
        /// The number of customers grows.
        Growth = "GROWTH",
        /// The company grows by repeating what works.
        Scale = "SCALE",
    }

    /// Who sees an active startup.
    Visibility {
        /// Every active user.
        Public = "PUBLIC",
        /// The founder, admins, and investors with approved access.
        Private = "PRIVATE",
        /// The founder, admins and investors.
        InvestorsOnly = "INVESTORS_ONLY",
    }

    /// The status of a startup. Until it is active, only its founder and admins see it.
    StartupStatus {
        /// The founder is writing it.
        Draft = "DRAFT",
        /// Waits for an admin's review.
        PendingReview = "PENDING_REVIEW",
        /// Published, as far as its visibility allows.
        Active = "ACTIVE",
        /// An admin has taken it down.
        Suspended = "SUSPENDED",
    }
}

/// The refusal of an id that does not name a startup of the viewer.
const NO_STARTUP: Rule = Rule::NotFound("does not name a startup of yours");

/// Who changes the status of a startup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mover {
    /// Its founder.
    Founder,
    /// An admin.
    Admin,
}

impl StartupStatus {
    /// Whether `mover` may change this status to `next`.
    pub fn may_become(self, next: Self, mover: Mover) -> bool {
        use StartupStatus::{Active, Draft, PendingReview, Suspended};
        match (mover, self) {
            (Mover::Founder, Draft) => next == PendingReview,
            (Mover::Founder, PendingReview | Active) => next == Draft,
            (Mover::Founder, Suspended) => false,
            (Mover::Admin, Draft) => next == Suspended,
            (Mover::Admin, PendingReview) => matches!(next, Draft | Active | Suspended),
            (Mover::Admin, Active) => next == Suspended,
            (Mover::Admin, Suspended) => matches!(next, Draft | Active),
        }
    }
}

/// Whole US dollars.
pub type Dollars = Amount;
/// Number of people.
pub type TeamSize = Bounded<1, 100_000>;

/// A startup.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct Startup {
    #[graphql(skip)]
    pub startup_id: Id<Startup>,
    #[graphql(skip)]
    pub founder_id: UserId,
    /// Name, 1 to 120 characters.
    pub name: Text<1, 120>,
    /// One sentence about the startup, 1 to 200 characters.
    pub tagline: Text<1, 200>,
    /// Description, 1 to 5000 characters.
    pub description: Text<1, 5000>,
    /// Industry, 1 to 80 characters.
    pub industry: Text<1, 80>,
    /// Stage.
    pub stage: StartupStage,
    #[graphql(skip)]
    pub funding_goal: Option<Dollars>,
    #[graphql(skip)]
    pub funding_raised: Option<Dollars>,
    #[graphql(skip)]
    pub logo_url: Option<FileKey>,
    /// Website.
    pub website_url: Option<Link>,
    #[graphql(skip)]
    pub pitch_deck_url: Option<FileKey>,
    /// Who sees the startup.
    pub visibility: Visibility,
    /// Status.
    pub status: StartupStatus,
    /// Number of people in the team.
    pub team_size: TeamSize,
    /// Location, 1 to 120 characters.
    pub location: Text<1, 120>,
    /// Tags, at most 20.
    pub tags: List<Text<1, 40>, 20>,
    #[graphql(skip)]
    pub status_reason: Option<Text<1, 1000>>,
    #[graphql(skip)]
    pub changed_since_review: Option<bool>,
    /// Whether another program has created it.
    #[graphql(skip)]
    #[serde(default, skip_serializing)]
    pub is_foreign: bool,
    #[serde(flatten)]
    #[graphql(flatten)]
    pub stamp: Revision,
}

impl Entity for Startup {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "STARTUP";
    const KEYED: KeyedAttributes = &[
        ("PK", &["", "startupId"]),
        ("GSI1PK", &["", "founderId"]),
        ("GSI2PK", &["", "visibility", "", "status"]),
    ];
    type Id = Id<Startup>;

    fn complete(item: &mut ForeignItem<'_>) {
        // What this service creates, it can tell from something else of the same name.
        item.add("isForeign", &item.lacks("madeOf"));
    }

    fn key_of(id: &Self::Id) -> Key {
        Key::new(Pk::of("STARTUP", id), Sk::word("METADATA"))
    }

    fn identity(&self) -> Self::Id {
        self.startup_id
    }

    fn index_keys(&self) -> Vec<IndexKey> {
        let place = Sk::of("STARTUP", self.startup_id);
        vec![
            GSI1.at(Pk::of("FOUNDER", &self.founder_id), place.clone()),
            GSI2.at(shelf(self.visibility, self.status), place),
        ]
    }
}

versioned!(Startup);

impl Startup {
    /// The attributes in which `other` differs.
    pub fn fields_unlike(&self, other: &Self) -> Vec<String> {
        let fields = |startup: &Self| match serde_json::to_value(startup) {
            Ok(serde_json::Value::Object(fields)) => fields,
            _ => serde_json::Map::new(),
        };
        let (one, other) = (fields(self), fields(other));
        let names: std::collections::BTreeSet<_> = one.keys().chain(other.keys()).collect();
        let unlike = names
            .into_iter()
            .filter(|name| one.get(*name) != other.get(*name));
        unlike.cloned().collect()
    }

    /// Whether `other` says the same in the fields that admins review.
    pub fn is_reviewed_as(&self, other: &Self) -> bool {
        self.name == other.name
            && self.tagline == other.tagline
            && self.description == other.description
            && self.industry == other.industry
            && self.website_url == other.website_url
            && self.tags == other.tags
    }
}

impl Listed for Startup {
    const PAGE: &'static str = "A page of startups.";
    const EDGE: &'static str = "A startup in a list.";
}

fn shelf(visibility: Visibility, status: StartupStatus) -> Pk {
    Pk::of("VISIBILITY", visibility).then("STATUS").then(status)
}

/// Active startups of these visibilities, newest first. GSI2 `VISIBILITY#visibility#STATUS#ACTIVE`, one Query for each.
pub fn published(visibilities: &[Visibility]) -> Listing<Startup> {
    of_status(visibilities, StartupStatus::Active)
}

/// Startups of a status, newest first. GSI2 `VISIBILITY#visibility#STATUS#status`, one Query for each visibility.
pub fn of_status(visibilities: &[Visibility], status: StartupStatus) -> Listing<Startup> {
    let shelves: Vec<_> = visibilities.iter().map(|v| shelf(*v, status)).collect();
    Listing::on("startups/status", &GSI2, shelf(Visibility::Public, status))
        .merging(shelves)
        .newest_first()
}

/// Startups of a founder, newest first. GSI1 `FOUNDER#user`, one Query.
pub fn of_founder(user: &UserId) -> Listing<Startup> {
    Listing::on("startups/founder", &GSI1, Pk::of("FOUNDER", user))
        .begins_with(Sk::word("STARTUP").below())
        .newest_first()
}

/// Refuses a unit unless the user founded the startup. The refusal is the same if the startup does not exist.
pub fn must_own(
    unit: &mut TransactionBuilder<Violations>,
    user: &UserId,
    startup: Id<Startup>,
    field: &'static str,
) {
    let owned = Condition::is("founderId", user);
    unit.check::<Startup>(&startup, owned)
        .or(Rule::NotFound("names nothing that exists").at(field));
}
