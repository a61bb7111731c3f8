//! Who may do what: the roles of viewers.

use async_graphql::Enum;
use serde::{Deserialize, Serialize};

use trestle_api::{ApiError, Code, Session};
use trestle_domain::{Rule, UserId, Violations};

/// One of the two sides of a match.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Party {
    /// Looks for a job: viewers with the role `seeker`.
    Seeker,
    /// Offers jobs: viewers with the role `employer`.
    Employer,
}

impl Party {
    /// The role that a viewer needs to act on this side.
    pub fn role(self) -> &'static str {
        match self {
            Party::Seeker => "seeker",
            Party::Employer => "employer",
        }
    }

    /// Whether the viewer may act on this side.
    pub fn is(self, session: &Session) -> bool {
        session.viewer.has_role(self.role())
    }

    /// The viewer as this side.
    ///
    /// # Errors
    /// FORBIDDEN if the viewer lacks the role.
    pub fn must_be(self, session: &Session) -> Result<UserId, ApiError> {
        if self.is(session) {
            Ok(session.user())
        } else {
            Err(ApiError::new(
                Code::Forbidden,
                format!("{}.", self.missing()),
            ))
        }
    }

    /// The same for a mutation.
    ///
    /// # Errors
    /// [`Rule::Forbidden`] if the viewer lacks the role.
    pub fn acting(self, session: &Session) -> Result<UserId, Violations> {
        if self.is(session) {
            Ok(session.user())
        } else {
            Err(Rule::Forbidden(self.missing()).at("input"))
        }
    }

    fn missing(self) -> &'static str {
        match self {
            Party::Seeker => "This operation needs the role `seeker`",
            Party::Employer => "This operation needs the role `employer`",
        }
    }

    /// The side on which the viewer takes part in something between these two.
    pub fn of(session: &Session, seeker: &UserId, employer: &UserId) -> Option<Self> {
        let user = session.user();
        let sides = [(Party::Seeker, seeker), (Party::Employer, employer)];
        let mut own = sides
            .into_iter()
            .filter(|(side, id)| **id == user && side.is(session));
        own.next().map(|(side, _)| side)
    }

    /// The side on which the viewer wants to act in something between these two; as [`Party::of`] if they do not say.
    pub fn chosen(
        chosen: Option<Self>,
        session: &Session,
        seeker: &UserId,
        employer: &UserId,
    ) -> Option<Self> {
        let Some(side) = chosen else {
            return Self::of(session, seeker, employer);
        };
        let id = match side {
            Party::Seeker => seeker,
            Party::Employer => employer,
        };
        (*id == session.user() && side.is(session)).then_some(side)
    }

    /// The other side.
    pub fn other(self) -> Self {
        match self {
            Party::Seeker => Party::Employer,
            Party::Employer => Party::Seeker,
        }
    }
}
