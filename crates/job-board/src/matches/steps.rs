//! Steps: what an employer does with a match, with notes. Only the employer sees them.

use async_graphql::{ComplexObject, ID, SimpleObject};
use serde::{Deserialize, Serialize};

use trestle_api::{ApiError, Listed, Node, Revision, Session, versioned};
use trestle_domain::{Id, Moment, Text, UserId};
use trestle_table::{Entity, Key, KeyedAttributes, Listing, Sk, TableDefinition};

use super::{Match, MatchRef, MatchStage};
use crate::access::Party;
use crate::runs::belonging::{Belonging, is_kept};
use crate::table::{self, TABLE};

/// A step of an employer with a match: a stage, a note, or both. Only the employer sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct MatchStep {
    /// A ULID of the server.
    #[graphql(skip)]
    pub step_id: Id<MatchStep>,
    #[serde(rename = "match")]
    #[graphql(skip)]
    pub of: MatchRef,
    /// The stage from then on; null for a note alone.
    pub stage: Option<MatchStage>,
    /// Note: at most 2000 characters.
    pub note: Option<Text<1, 2000>>,
    #[serde(flatten, deserialize_with = "crate::stored_revision::read")]
    #[graphql(skip)]
    pub stamp: Revision,
}

impl Entity for MatchStep {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "matchStep";
    const KEYED: KeyedAttributes = &[("sk", &["", "stepId"])];
    type Id = (MatchRef, Id<MatchStep>);

    fn key_of((of, step): &Self::Id) -> Key {
        Key::new(table::conversation(of.match_id), Sk::of("s", step))
    }

    fn identity(&self) -> Self::Id {
        (self.of.clone(), self.step_id)
    }
}

versioned!(MatchStep);

impl Listed for MatchStep {
    const PAGE: &'static str = "A page of steps.";
    const EDGE: &'static str = "A step in a list.";
}

impl Node for MatchStep {
    const TAG: u8 = b'T';

    async fn visible_to(self, session: &Session) -> Result<Option<Self>, ApiError> {
        let own = self.of.chosen(Some(Party::Employer), session);
        let is_there = own.is_some() && is_kept(session, &self).await?;
        Ok(is_there.then_some(self))
    }
}

impl Belonging for MatchStep {
    fn sides(&self) -> [(Party, Option<&UserId>); 2] {
        self.of.sides()
    }

    fn made_at(&self) -> Moment {
        self.stamp.created_at
    }
}

#[ComplexObject]
impl MatchStep {
    /// Global id: opaque and stable.
    pub async fn id(&self) -> ID {
        self.node_id()
    }

    /// When the step was made.
    async fn made_at(&self) -> Moment {
        self.stamp.created_at
    }
}

/// Steps with a match, the newest first. `match#<matchId>` / `s#`, one Query.
pub fn of_match(of: Id<Match>) -> Listing<MatchStep> {
    Listing::of("matches/steps", table::conversation(of))
        .begins_with(Sk::word("s").below())
        .newest_first()
}
