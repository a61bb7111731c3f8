//! Employers' profiles in the API.

use async_graphql::{ComplexObject, Context, ID, InputObject, Object};

use crate::access::Party;
use crate::runs::orphans::{NO_PROFILE, delete_left};
use crate::runs::{Run, Target};
use crate::service_state::Request;
use crate::values::check_link;
use trestle_api::{
    Input, MutationResult, Node as _, QueryResult, Revision, Session, Version, found, session,
};
use trestle_api::{mutations, payloads};
use trestle_domain::{Check, Link, Text, UserId, Violations};
use trestle_table::{ChangeError, TransactionBuilder};

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
    async fn my_employer_profile(&self, ctx: &Context<'_>) -> QueryResult<Employer> {
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
    company: Input<Text<1, 120>>,
    /// Description of the company: at most 2000 characters.
    about: Option<Input<Text<1, 2000>>>,
    /// Site of the company.
    website: Option<Input<Link>>,
}

impl SaveEmployerProfileInput {
    fn profile(self, employer_id: UserId, session: &Session) -> Result<Employer, Violations> {
        let mut check = Check::default();
        let company = check.need("company", self.company);
        let about = check.may("about", self.about);
        let website = check.may("website", self.website);
        check_link(&mut check, "website", website.as_ref());
        check.finish(|| {
            Some(Employer {
                employer_id,
                company: company?,
                about,
                website,
                stamp: Revision::new(session.now()),
            })
        })
    }
}

/// A profile to delete.
#[derive(InputObject, Clone)]
pub struct DeleteEmployerProfileInput {
    /// Reject the mutation if this is not the current version.
    expected_version: Option<Version>,
}

payloads! {
    /// The result of `deleteEmployerProfile`.
    DeleteEmployerProfilePayload {
        /// The profile that was deleted; null if there is none.
        employer: Employer
    }
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
        save_employer_profile(SaveEmployerProfileInput) -> SaveEmployerProfilePayload = save,
        /// Deletes the viewer's profile as an employer, and in the background what belongs to it: jobs with the answers to them,
        /// matches and their messages, on both sides. Without a profile, deletes what belongs to the viewer, and `employer` is
        /// null. Needs the role `employer`.
        delete_employer_profile(DeleteEmployerProfileInput) -> DeleteEmployerProfilePayload = delete,
    }
}

/// One GetItem and one TransactWriteItems: the profile, and the run that deletes the rest. Without a profile as
/// [`delete_left`].
async fn delete(
    Request { session, service }: Request<'_>,
    input: DeleteEmployerProfileInput,
) -> MutationResult<Employer> {
    let employer = Party::Employer.acting(session)?;
    let target = Target::Deletion(Party::Employer, employer.clone());
    let run = Run::new(target.clone(), session.tables.now());
    let with = |_: &Employer, unit: &mut TransactionBuilder<Violations>| {
        unit.put(&run);
        Ok(())
    };
    let expected = input.expected_version.map(u32::from);
    match session.tables.delete(&employer, expected, with).await {
        Err(ChangeError::NotFound) if expected.is_none() => {
            delete_left(session, service, Party::Employer, &employer).await
        }
        Err(error) => Err(error.if_missing(NO_PROFILE.at("input"))),
        Ok(deleted) => {
            service.run(target);
            Ok(deleted)
        }
    }
}

/// One GetItem, then one PutItem for a new profile or one UpdateItem.
async fn save(session: &Session, input: SaveEmployerProfileInput) -> MutationResult<Employer> {
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
