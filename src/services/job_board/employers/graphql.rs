//! Employers' profiles in the API.

use async_graphql::{ComplexObject, Context, ID, InputObject, Object};

use crate::api::{Answer, Given, Node as _, Session, Stamp, Version, Written, found, session};
use crate::domain::{Check, Link, Text, UserId, Violations};
use crate::services::job_board::access::Party;
use crate::table::ChangeError;
use crate::{mutations, payloads};

use super::Employer;

#[ComplexObject]
impl Employer {
    /// Global id: opaque and stable.
    pub async fn id(&self) -> ID {
        self.node_id()
    }
}

/// Queries of employers.
#[derive(Default)]
pub struct EmployerQuery;

#[Object]
impl EmployerQuery {
    /// The viewer's own profile as an employer; null if there is none. Needs the role `employer`.
    async fn my_employer_profile(&self, ctx: &Context<'_>) -> Answer<Employer> {
        match session(ctx).and_then(|session| Party::Employer.must_be(session)) {
            Ok(employer) => found(ctx, &employer).await,
            Err(error) => Some(Err(error)),
        }
    }
}

/// The profile of an employer. Fields that are left out become empty.
#[derive(InputObject, Clone)]
pub struct SaveEmployerProfileInput {
    /// Change the profile only if this is still its version.
    expected_version: Option<Version>,
    /// Name of the company: 1 to 120 characters.
    company: Given<Text<1, 120>>,
    /// Description of the company: at most 2000 characters.
    about: Option<Given<Text<1, 2000>>>,
    /// Site of the company.
    website: Option<Given<Link>>,
}

impl SaveEmployerProfileInput {
    fn profile(self, employer_id: UserId, session: &Session) -> Result<Employer, Violations> {
        let mut check = Check::default();
        let company = check.need("company", self.company);
        let about = check.may("about", self.about);
        let website = check.may("website", self.website);
        check.finish(|| {
            Some(Employer {
                employer_id,
                company: company?,
                about,
                website,
                stamp: Stamp::new(session.now()),
            })
        })
    }
}

payloads! {
    /// The result of `saveEmployerProfile`.
    SaveEmployerProfilePayload {
        /// The profile; null if it was not saved.
        employer: Employer
    }
}

mutations! {
    /// Mutations of employers.
    EmployerMutation {
        /// Creates or replaces the viewer's profile as an employer. Needs the role `employer`.
        save_employer_profile("The profile.", SaveEmployerProfileInput) -> SaveEmployerProfilePayload = save,
    }
}

/// One GetItem, then one PutItem for a new profile or one UpdateItem.
async fn save(session: &Session, input: SaveEmployerProfileInput) -> Written<Employer> {
    let employer = Party::Employer.acting(session)?;
    let expected = input.expected_version.map(u32::from);
    let profile = input.profile(employer.clone(), session)?;
    let replace = |stored: &Employer, _: &mut _| {
        Ok(Employer {
            stamp: stored.stamp.clone(),
            ..profile.clone()
        })
    };
    match session.tables.change(&employer, expected, replace).await {
        Err(ChangeError::NotFound) if expected.is_none() => {}
        written => return written,
    }
    match session.tables.create(profile.clone(), |_| {}).await {
        Err(ChangeError::Taken) => session.tables.change(&employer, None, replace).await,
        written => written,
    }
}
