//! Seekers' profiles in the API.

use async_graphql::{ComplexObject, Context, ID, InputObject, Object};

use crate::api::{
    Answer, ApiError, Given, Node as _, Session, Stamp, Version, Written, found, session,
};
use crate::domain::{Check, Rule, Text, UserId, Violations};
use crate::services::job_board::access::Party;
use crate::services::job_board::desk::Request;
use crate::services::job_board::runs::{Run, Target};
use crate::services::job_board::values::{Pay, Place, PlaceInput, Skills, canonical, places};
use crate::table::{ChangeError, Condition, Entity as _, Unit};
use crate::{mutations, payloads};

use super::{Seeker, Whereabouts};

#[ComplexObject]
impl Seeker {
    /// Global id: opaque and stable.
    pub async fn id(&self) -> ID {
        self.node_id()
    }

    /// Where the seeker looks for jobs; empty for anyone but the seeker.
    async fn places(&self, ctx: &Context<'_>) -> Answer<&[Place]> {
        Some(session(ctx).map(|session| match self.is_own(session) {
            true => self.places.as_slice(),
            false => &[],
        }))
    }

    /// Lowest acceptable yearly pay; null for anyone but the seeker.
    async fn min_pay(&self, ctx: &Context<'_>) -> Answer<Pay> {
        match session(ctx) {
            Ok(session) => self.min_pay.filter(|_| self.is_own(session)).map(Ok),
            Err(error) => Some(Err(error)),
        }
    }

    /// Whether suggestions for the current profile are still being made; null for anyone but the seeker.
    async fn suggestions_pending(&self, ctx: &Context<'_>) -> Answer<bool> {
        let pending = async {
            let session = session(ctx)?;
            if !self.is_own(session) {
                return Ok(None);
            }
            let target = Target::Seeker(self.seeker_id.clone());
            let run = session.load::<Run>(&target).await?;
            Ok::<_, ApiError>(Some(run.is_some()))
        };
        pending.await.transpose()
    }
}

/// Queries of seekers.
#[derive(Default)]
pub struct SeekerQuery;

#[Object]
impl SeekerQuery {
    /// The viewer's own profile as a seeker; null if there is none. Needs the role `seeker`.
    async fn my_seeker_profile(&self, ctx: &Context<'_>) -> Answer<Seeker> {
        match session(ctx).and_then(|session| Party::Seeker.must_be(session)) {
            Ok(seeker) => found(ctx, &seeker).await,
            Err(error) => Some(Err(error)),
        }
    }
}

/// The profile of a seeker. Fields that are left out become empty.
#[derive(InputObject, Clone)]
pub struct SaveSeekerProfileInput {
    /// Change the profile only if this is still its version.
    expected_version: Option<Version>,
    /// Name: 1 to 120 characters.
    name: Given<Text<1, 120>>,
    /// The position that you look for, such as "Data engineer": at most 200 characters.
    headline: Option<Given<Text<1, 200>>>,
    /// About you: at most 2000 characters.
    about: Option<Given<Text<1, 2000>>>,
    /// Skills: at most 30.
    skills: Option<Given<Skills>>,
    /// Where you look for jobs: 1 to 5 places.
    places: Vec<PlaceInput>,
    /// Whether you also want jobs without an office, in the countries of your places. Defaults to false.
    wants_remote: Option<bool>,
    /// Lowest acceptable yearly pay, in whole units of the country's currency.
    min_pay: Option<Given<Pay>>,
}

impl SaveSeekerProfileInput {
    fn profile(self, seeker_id: UserId, session: &Session) -> Result<Seeker, Violations> {
        let mut check = Check::default();
        let name = check.need("name", self.name);
        let headline = check.may("headline", self.headline);
        let about = check.may("about", self.about);
        let skills = check.may_or("skills", self.skills, Skills::default());
        let places = check.need("places", places(&self.places));
        let min_pay = check.may("minPay", self.min_pay);
        check.finish(|| {
            Some(Seeker {
                seeker_id,
                name: name?,
                headline,
                about,
                skills: canonical(&skills),
                places: places?,
                wants_remote: self.wants_remote.unwrap_or(false),
                min_pay,
                stamp: Stamp::new(session.now()),
            })
        })
    }
}

payloads! {
    /// The result of `saveSeekerProfile`.
    SaveSeekerProfilePayload {
        /// The profile; null if it was not saved.
        seeker: Seeker
    }
}

mutations! {
    /// Mutations of seekers.
    SeekerMutation {
        /// Creates or replaces the viewer's profile as a seeker. Suggestions are made anew in the background. Needs the
        /// role `seeker`.
        save_seeker_profile("The profile.", SaveSeekerProfileInput) -> SaveSeekerProfilePayload = save,
    }
}

async fn save(request: Request<'_>, input: SaveSeekerProfileInput) -> Written<Seeker> {
    let seeker = Party::Seeker.acting(request.session)?;
    let saved = store(request.session, &seeker, input).await?;
    request.desk.run(Target::Seeker(seeker));
    Ok(saved)
}

/// One GetItem and one TransactWriteItems: the profile, its places in the index and the run.
async fn store(
    session: &Session,
    seeker: &UserId,
    input: SaveSeekerProfileInput,
) -> Written<Seeker> {
    let expected = input.expected_version.map(u32::from);
    let profile = input.profile(seeker.clone(), session)?;
    let run = Run::new(Target::Seeker(seeker.clone()), session.tables.now());
    let places = profile.whereabouts();
    let with = |unit: &mut Unit<Violations>| {
        for place in &places {
            unit.put(place).step();
        }
        unit.put(&run).step();
    };
    let replace = |stored: &Seeker, unit: &mut Unit<Violations>| {
        let next = Seeker {
            stamp: stored.stamp.clone(),
            ..profile.clone()
        };
        if next != *stored {
            with(unit);
            let left = stored.whereabouts();
            for place in left.iter().filter(|place| !places.contains(place)) {
                let any = Condition::All(Vec::new());
                unit.delete::<Whereabouts>(&place.identity(), any).step();
            }
        }
        Ok(next)
    };
    match session.tables.change(seeker, expected, replace).await {
        Err(ChangeError::NotFound) if expected.is_none() => {}
        Err(ChangeError::NotFound) => {
            let none = Rule::NotFound("is given, and there is no profile yet");
            return Err(none.at("expectedVersion").into());
        }
        written => return written,
    }
    match session.tables.create(profile.clone(), with).await {
        Err(ChangeError::Taken) => session.tables.change(seeker, None, replace).await,
        written => written,
    }
}
