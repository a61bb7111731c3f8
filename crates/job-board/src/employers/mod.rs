//! Employers' profiles.

pub mod graphql;

use async_graphql::SimpleObject;
use serde::{Deserialize, Serialize};

use trestle_api::versioned;
use trestle_api::{ApiError, Node, Revision, Session};
use trestle_domain::{Link, Text, UserId};
use trestle_table::{Entity, Key, KeyedAttributes, Sk, TableDefinition};

use super::access::Party;
use super::table::{self, TABLE};

/// The profile of an employer. Seekers see every profile, employers their own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct Employer {
    #[graphql(skip)]
    pub employer_id: UserId,
    /// Name of the company: 1 to 120 characters.
    pub company: Text<1, 120>,
    /// Description of the company: at most 2000 characters.
    pub about: Option<Text<1, 2000>>,
    /// Site of the company.
    pub website: Option<Link>,
    #[serde(flatten, deserialize_with = "crate::stored_revision::read")]
    #[graphql(flatten)]
    pub stamp: Revision,
}

impl Entity for Employer {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "employer";
    const KEYED: KeyedAttributes = &[("pk", &["", "employerId"])];
    type Id = UserId;

    fn key_of(id: &UserId) -> Key {
        Key::new(table::employer(id), Sk::word("profile"))
    }

    fn identity(&self) -> UserId {
        self.employer_id.clone()
    }
}

versioned!(Employer);

impl Node for Employer {
    const TAG: u8 = b'E';

    async fn visible_to(self, session: &Session) -> Result<Option<Self>, ApiError> {
        let own = Party::Employer.is(session) && self.employer_id == session.user();
        Ok((own || Party::Seeker.is(session)).then_some(self))
    }
}
