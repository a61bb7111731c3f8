//! What users report to the admins.

pub mod content;
pub mod graphql;
pub mod telling;

use async_graphql::SimpleObject;
use serde::{Deserialize, Serialize};

use trestle_api::versioned;
use trestle_api::{Listed, Revision};
use trestle_domain::string_enum;
use trestle_domain::{Id, Text, UserId};
use trestle_table::{Condition, Entity, IndexKey, Key, Listing, Pk, Sk, TableDefinition};

use super::table::{GSI1, GSI2, TABLE};

string_enum! {
    /// Why something is reported.
    ReportReason {
        /// Unwanted advertising, or the same again and again.
        Spam = "SPAM",
        /// Insults, threats or hate.
        Abuse = "ABUSE",
        /// Somebody pretends to be somebody or something else, or wants to get at money or data.
        Fraud = "FRAUD",
        /// Something else, as the details say.
        Other = "OTHER",
    }

    /// The status of a report.
    ReportStatus {
        /// Waits for an admin.
        Open = "OPEN",
        /// An admin has acted on it.
        Resolved = "RESOLVED",
        /// An admin has found nothing wrong.
        Dismissed = "DISMISSED",
    }

    /// The order of a list of reports.
    ReportOrder {
        /// The report that waits longest is first.
        OldestFirst = "OLDEST_FIRST",
        /// The newest report is first.
        NewestFirst = "NEWEST_FIRST",
    }

    /// The type of what is reported.
    ReportedType {
        /// A user.
        User = "USER",
        /// A startup.
        Startup = "STARTUP",
        /// A role.
        Role = "STARTUP_ROLE",
        /// A message.
        Message = "MESSAGE",
        /// A conversation that the reporter was asked to.
        Conversation = "CONVERSATION",
    }
}

/// A report of something that the reporter sees. Admins read what was reported by `openReport`, which the audit log
/// records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct Report {
    #[graphql(skip)]
    pub report_id: Id<Report>,
    #[graphql(skip)]
    pub reporter_id: UserId,
    /// The type of what was reported.
    pub reported_type: ReportedType,
    #[graphql(skip)]
    pub reported_id: Text<1, 1000>,
    #[graphql(skip)]
    pub reported_user_id: Option<UserId>,
    #[graphql(skip)]
    pub content: Option<Text<1, 6000>>,
    /// Why it was reported.
    pub reason: ReportReason,
    /// What the reporter says about it, at most 2000 characters.
    pub details: Option<Text<1, 2000>>,
    /// Status.
    pub status: ReportStatus,
    /// What the admin says about the decision, at most 1000 characters.
    pub resolution: Option<Text<1, 1000>>,
    #[serde(flatten)]
    #[graphql(flatten)]
    pub stamp: Revision,
}

impl Entity for Report {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "REPORT";
    type Id = Id<Report>;

    fn key_of(id: &Self::Id) -> Key {
        Key::new(Pk::of("REPORT", id), Sk::word("METADATA"))
    }

    fn identity(&self) -> Self::Id {
        self.report_id
    }

    fn index_keys(&self) -> Vec<IndexKey> {
        let reporter = Pk::of("REPORTER", &self.reporter_id);
        let place = Sk::of("REPORT", self.stamp.created_at).then(self.report_id);
        vec![
            GSI1.at(reporter, place.clone()),
            GSI2.at(Pk::of("REPORT_STATUS", self.status), place),
        ]
    }
}

versioned!(Report);

impl Listed for Report {
    const PAGE: &'static str = "A page of reports.";
    const EDGE: &'static str = "A report in a list.";
}

/// Reports of a user, newest first. GSI1 `REPORTER#user`, one Query.
pub fn of_reporter(user: &UserId) -> Listing<Report> {
    Listing::on("reports/reporter", &GSI1, Pk::of("REPORTER", user))
        .begins_with(Sk::word("REPORT").below())
        .newest_first()
}

/// Reports of a status, of all types or some. GSI2 `REPORT_STATUS#status`, one Query; further ones while too few are of
/// these types.
pub fn of_status(
    status: ReportStatus,
    types: Option<&[ReportedType]>,
    order: ReportOrder,
) -> Listing<Report> {
    let list = Listing::on("reports/status", &GSI2, Pk::of("REPORT_STATUS", status))
        .begins_with(Sk::word("REPORT").below());
    let list = match order {
        ReportOrder::OldestFirst => list,
        ReportOrder::NewestFirst => list.newest_first(),
    };
    match types {
        Some(types) => list.filtered(Condition::is_one_of("reportedType", types)),
        None => list,
    }
}
