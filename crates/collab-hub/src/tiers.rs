//! What each tier of a subscription allows. This is the one place that says it: the limits are enforced from here, and
//! the query `tiers` returns them.

use async_graphql::{Object, SimpleObject};

use trestle_api::list_size;
use trestle_domain::{Rule, string_enum};

use super::users::SubscriptionTier;

string_enum! {
    /// Something that is counted for each user.
    Quota {
        /// Startups that the user has.
        Startups = "STARTUPS",
        /// Applications for roles.
        Applications = "APPLICATIONS",
        /// Requests for access to startups.
        AccessRequests = "ACCESS_REQUESTS",
        /// Conversations that the user starts.
        Conversations = "CONVERSATIONS",
        /// Users without a tie who are asked to take part in a conversation.
        NewContacts = "NEW_CONTACTS",
        /// Invitations of investors and talent.
        Invitations = "INVITATIONS",
        /// Bytes of uploads.
        UploadedBytes = "UPLOADED_BYTES",
        /// Reports to the admins.
        Reports = "REPORTS",
    }
}

/// What a tier allows.
#[derive(SimpleObject, Clone, Copy, Debug)]
pub struct TierLimits {
    /// The tier.
    pub tier: SubscriptionTier,
    /// Number of startups that a founder has at the same time.
    pub startups: u32,
    /// Number of applications of a talent in a day.
    pub applications_per_day: u32,
    /// Number of requests of an investor for access, in a day.
    pub access_requests_per_day: u32,
    /// Number of conversations that a user starts in a day.
    pub conversations_per_day: u32,
    /// Number of users without a tie whom a user asks to take part in a conversation, in a day.
    pub new_contacts_per_day: u32,
    /// Number of invitations of investors and talent in a day.
    pub invitations_per_day: u32,
    /// Megabytes of uploads in a day.
    pub upload_megabytes_per_day: u32,
    /// Number of reports to the admins in a day.
    pub reports_per_day: u32,
}

/// What the tiers allow, the cheapest one first.
pub const TIERS: [TierLimits; 3] = [
    TierLimits {
        tier: SubscriptionTier::Free,
        startups: 10,
        applications_per_day: 20,
        access_requests_per_day: 20,
        conversations_per_day: 50,
        new_contacts_per_day: 10,
        invitations_per_day: 20,
        upload_megabytes_per_day: 200,
        reports_per_day: 20,
    },
    TierLimits {
        tier: SubscriptionTier::Pro,
        startups: 50,
        applications_per_day: 100,
        access_requests_per_day: 100,
        conversations_per_day: 200,
        new_contacts_per_day: 50,
        invitations_per_day: 100,
        upload_megabytes_per_day: 1000,
        reports_per_day: 20,
    },
    TierLimits {
        tier: SubscriptionTier::Enterprise,
        startups: 1000,
        applications_per_day: 100,
        access_requests_per_day: 500,
        conversations_per_day: 1000,
        new_contacts_per_day: 200,
        invitations_per_day: 500,
        upload_megabytes_per_day: 10_000,
        reports_per_day: 20,
    },
];

const MEGABYTE: u64 = 1024 * 1024;

impl SubscriptionTier {
    /// How much of something the tier allows.
    pub fn limit(self, quota: Quota) -> u64 {
        let limits = TIERS.iter().find(|limits| limits.tier == self);
        limits.map_or(0, |limits| match quota {
            Quota::Startups => limits.startups.into(),
            Quota::Applications => limits.applications_per_day.into(),
            Quota::AccessRequests => limits.access_requests_per_day.into(),
            Quota::Conversations => limits.conversations_per_day.into(),
            Quota::NewContacts => limits.new_contacts_per_day.into(),
            Quota::Invitations => limits.invitations_per_day.into(),
            Quota::UploadedBytes => MEGABYTE * u64::from(limits.upload_megabytes_per_day),
            Quota::Reports => limits.reports_per_day.into(),
        })
    }
}

/// What a quota of a day is, with when it is counted anew.
macro_rules! daily {
    ($what:literal) => {
        concat!(
            $what,
            " on this day, which ends at midnight UTC. The query `tiers` returns the limits of each subscription"
        )
    };
}

impl Quota {
    /// The refusal of more than a limit.
    pub fn exceeded(self, limit: u64) -> Rule {
        let of = match self {
            Quota::Startups => {
                "startups at the same time: delete one. The query `tiers` returns the limits of each subscription"
            }
            Quota::Applications => daily!("applications"),
            Quota::AccessRequests => daily!("requests for access"),
            Quota::Conversations => daily!("new conversations"),
            Quota::NewContacts => daily!("users without a tie who are asked"),
            Quota::Invitations => daily!("invitations"),
            Quota::UploadedBytes => daily!("megabytes of uploads"),
            Quota::Reports => daily!("reports"),
        };
        let limit = if self == Quota::UploadedBytes {
            limit / MEGABYTE
        } else {
            limit
        };
        Rule::WouldExceed { limit, of }
    }

    /// Whether it is counted for each day, rather than at all times.
    pub fn is_daily(self) -> bool {
        self != Quota::Startups
    }
}

/// Queries for what tiers allow.
#[derive(Default)]
pub struct TierQuery;

#[Object]
impl TierQuery {
    /// What each tier of a subscription allows. Days are in UTC.
    #[graphql(directive = list_size::apply(3))]
    async fn tiers(&self) -> &'static [TierLimits] {
        &TIERS
    }
}
