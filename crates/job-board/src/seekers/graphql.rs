//! Seekers' profiles in the API.

use async_graphql::{ComplexObject, Context, ID, InputObject, Object};

use crate::access::Party;
use crate::runs::orphans::{NO_PROFILE, delete_left};
use crate::runs::renewal::{Look, Renewal};
use crate::runs::{Run, Target};
use crate::service_state::{Request, service_state};
use crate::suggestions::graphql::{RunState, look, run_state};
use crate::values::{
    Currency, Pay, Place, PlaceInput, Places, Radius, Skills, StoredMeaning, each_once, one_line,
    places,
};
use trestle_api::{
    ApiError, Input, MutationResult, Node as _, QueryResult, Revision, Session, Version, found,
    session,
};
use trestle_api::{mutations, payloads};
use trestle_domain::{Check, Rule, Text, UserId, Violations};
use trestle_table::{ChangeError, Condition, Entity as _, TransactionBuilder};

use super::{MAX_PLACES, Seeker, Whereabouts};

#[ComplexObject]
impl Seeker {
    /// Global id: opaque and stable.
    pub async fn id(&self) -> ID {
        self.node_id()
    }

    /// Where the seeker looks for jobs; empty for anyone but the seeker.
    async fn places(&self, ctx: &Context<'_>) -> QueryResult<&[Place]> {
        Some(session(ctx).map(|session| {
            if self.is_own(session) {
                self.places.as_slice()
            } else {
                &[]
            }
        }))
    }

    /// How far from the places jobs are suggested, in kilometres; null for anyone but the seeker.
    async fn within_km(&self, ctx: &Context<'_>) -> QueryResult<i32> {
        let radius = session(ctx).map(|session| self.is_own(session).then(|| self.radius_km()));
        radius.transpose()
    }

    /// Lowest acceptable yearly pay; null for anyone but the seeker.
    async fn min_pay(&self, ctx: &Context<'_>) -> QueryResult<Pay> {
        let session = session(ctx);
        let pay = session.map(|session| self.min_pay.filter(|_| self.is_own(session)));
        pay.transpose()
    }

    /// The currency of `minPay` in ISO 4217: the one that the seeker says, or that of the places' countries; null for anyone but
    /// the seeker.
    async fn min_pay_currency(&self, ctx: &Context<'_>) -> QueryResult<String> {
        let currency = session(ctx).map(|session| {
            let currency = self.currency().filter(|_| self.is_own(session));
            currency.map(|currency| currency.to_string())
        });
        currency.transpose()
    }

    /// Whether suggestions for the current profile are still being made; null for anyone but the seeker. If they are older than a
    /// day, this starts to make them anew, as `suggestions` does.
    async fn suggestions_pending(&self, ctx: &Context<'_>) -> QueryResult<bool> {
        let pending = async {
            let session = session(ctx)?;
            if !self.is_own(session) {
                return Ok(None);
            }
            if run_state(session, &self.seeker_id).await?.is_pending {
                return Ok(Some(true));
            }
            let looked = look(session, service_state(ctx)?, &self.seeker_id, None).await?;
            Ok::<_, ApiError>(Some(*looked != Look::Fresh))
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
    async fn my_seeker_profile(&self, ctx: &Context<'_>) -> QueryResult<Seeker> {
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
    name: Input<Text<1, 120>>,
    /// The position that you look for, such as "Data engineer": at most 200 characters.
    headline: Option<Input<Text<1, 200>>>,
    /// About you: at most 2000 characters.
    about: Option<Input<Text<1, 2000>>>,
    /// Skills: at most 30.
    skills: Option<Input<Skills>>,
    /// Where you look for jobs: 1 to 5 places.
    places: Vec<PlaceInput>,
    /// How far from the places jobs are suggested, 0 to 200 kilometres: 0 for their cities alone. Defaults to 50. Of the cities within
    /// the distance, the 20 largest count.
    within_km: Option<Input<Radius>>,
    /// Whether you also want jobs that can be done from home, in the countries of your places. Defaults to whether one of
    /// the places is "Remote".
    wants_remote: Option<bool>,
    /// Lowest acceptable yearly pay, in whole units of `minPayCurrency`.
    min_pay: Option<Input<Pay>>,
    /// The currency of `minPay` in ISO 4217. Defaults to that of the places' countries; required if these have several.
    min_pay_currency: Option<Input<Currency>>,
}

impl SaveSeekerProfileInput {
    fn profile(self, seeker_id: UserId, session: &Session) -> Result<Seeker, Violations> {
        let mut check = Check::default();
        let name = check.need("name", self.name);
        let headline = check.may("headline", self.headline);
        let about = check.may("about", self.about);
        let skills = check.may_or("skills", self.skills, Skills::default());
        let places: Option<Places<MAX_PLACES>> = check.need("places", places(&self.places));
        let within_km = check.may("withinKm", self.within_km);
        let min_pay = check.may("minPay", self.min_pay);
        let min_pay_currency = check.may("minPayCurrency", self.min_pay_currency);
        if let Some(read) = &places {
            let countries = read.list.as_slice().iter().map(|place| &place.country);
            let currency = min_pay_currency.or_else(|| Currency::shared(countries));
            let rule =
                Rule::Invalid("given, because the places have several currencies: such as EUR");
            check.that(
                min_pay.is_none() || currency.is_some(),
                "minPayCurrency",
                rule,
            );
        }
        let is_remote = places.as_ref().is_some_and(|places| places.is_remote);
        let headline = headline.as_ref().map(one_line);
        check.finish(|| {
            Some(Seeker {
                seeker_id,
                name: one_line(&name?),
                headline_meaning: headline
                    .as_ref()
                    .map(|headline| StoredMeaning::of(headline.as_str()))
                    .unwrap_or_default(),
                headline,
                about,
                skills: each_once(&skills),
                wants_remote: self.wants_remote.unwrap_or(false) || is_remote,
                places: places?.list,
                within_km,
                min_pay,
                min_pay_currency,
                stamp: Revision::new(session.now()),
            })
        })
    }
}

/// A profile to delete.
#[derive(InputObject, Clone)]
pub struct DeleteSeekerProfileInput {
    /// Reject the mutation if this is not the current version.
    expected_version: Option<Version>,
}

payloads! {
    /// The result of `deleteSeekerProfile`.
    DeleteSeekerProfilePayload {
        /// The profile that was deleted; null if there is none.
        seeker: Seeker
    }
    /// The result of `saveSeekerProfile`.
    SaveSeekerProfilePayload {
        /// The profile; null if it was not saved.
        seeker: Seeker
    }
}

mutations! {
    /// Mutations of seekers.
    SeekerMutation {
        /// Creates or replaces the viewer's profile as a seeker. If more than the name and `about` change, suggestions are made
        /// anew in the background. Needs the
        /// role `seeker`.
        save_seeker_profile(SaveSeekerProfileInput) -> SaveSeekerProfilePayload = save,
        /// Deletes the viewer's profile as a seeker, and in the background what belongs to it: suggestions, answers to jobs, matches
        /// and their messages, on both sides. Without a profile, deletes what belongs to the viewer, and `seeker` is null. Needs the
        /// role `seeker`.
        delete_seeker_profile(DeleteSeekerProfileInput) -> DeleteSeekerProfilePayload = delete,
    }
}

async fn save(request: Request<'_>, input: SaveSeekerProfileInput) -> MutationResult<Seeker> {
    let seeker = Party::Seeker.acting(request.session)?;
    let saved = store(request.session, &seeker, input).await?;
    request.session.forget::<RunState>();
    request.service.run(Target::Seeker(seeker));
    Ok(saved)
}

/// One GetItem and one TransactWriteItems: the profile, what finds it, and the run that deletes the rest. Without a profile as
/// [`delete_left`].
async fn delete(
    Request { session, service }: Request<'_>,
    input: DeleteSeekerProfileInput,
) -> MutationResult<Seeker> {
    let seeker = Party::Seeker.acting(session)?;
    let target = Target::Deletion(Party::Seeker, seeker.clone());
    let run = Run::new(target.clone(), session.tables.now());
    let with = |stored: &Seeker, unit: &mut TransactionBuilder<Violations>| {
        // Another program's attribute may name someone else.
        let own = Seeker {
            seeker_id: seeker.clone(),
            ..stored.clone()
        };
        for place in own.whereabouts() {
            unit.delete::<Whereabouts>(&place.identity(), Condition::ALWAYS);
        }
        unit.delete::<Renewal>(&seeker, Condition::ALWAYS);
        let own = Target::Seeker(seeker.clone());
        unit.delete::<Run>(&own, Condition::ALWAYS);
        unit.put(&run);
        Ok(())
    };
    let expected = input.expected_version.map(u32::from);
    match session.tables.delete(&seeker, expected, with).await {
        Err(ChangeError::NotFound) if expected.is_none() => {
            delete_left(session, service, Party::Seeker, &seeker).await
        }
        Err(error) => Err(error.if_missing(NO_PROFILE.at("input"))),
        Ok(deleted) => {
            service.run(target);
            Ok(deleted)
        }
    }
}

/// One GetItem and one TransactWriteItems: the profile, its places in the index and the run.
async fn store(
    session: &Session,
    seeker: &UserId,
    input: SaveSeekerProfileInput,
) -> MutationResult<Seeker> {
    let expected = input.expected_version.map(u32::from);
    let profile = input.profile(seeker.clone(), session)?;
    let run = Run::new(Target::Seeker(seeker.clone()), session.tables.now());
    let places = profile.whereabouts();
    let with = |unit: &mut TransactionBuilder<Violations>| {
        for place in &places {
            unit.put(place);
        }
        unit.put(&run);
    };
    let replace = |stored: &Seeker, unit: &mut TransactionBuilder<Violations>| {
        let next = Seeker {
            stamp: stored.stamp.clone(),
            ..profile.clone()
        };
        if next != *stored {
            if !looks_for_the_same(&next, stored) {
                with(unit);
            }
            let own = Seeker {
                seeker_id: seeker.clone(),
                ..stored.clone()
            };
            let left = own.whereabouts();
            for place in left.iter().filter(|place| !places.contains(place)) {
                unit.delete::<Whereabouts>(&place.identity(), Condition::ALWAYS);
            }
        }
        Ok(next)
    };
    // The places in the index and the run stay as they are where nothing changes for suggestions.
    match session.tables.change(seeker, expected, replace).await {
        Err(ChangeError::NotFound) if expected.is_none() => {}
        Err(ChangeError::NotFound) => {
            let none = Rule::NotFound("is given, and there is no profile yet: leave it out");
            return Err(none.at("expectedVersion").into());
        }
        written => return written,
    }
    match session.tables.create(profile.clone(), with).await {
        Err(ChangeError::Taken) => session.tables.change(seeker, None, replace).await,
        written => written,
    }
}

/// Whether the same jobs fit both profiles.
fn looks_for_the_same(one: &Seeker, other: &Seeker) -> bool {
    let other = Seeker {
        name: one.name.clone(),
        about: one.about.clone(),
        ..other.clone()
    };
    *one == other
}
