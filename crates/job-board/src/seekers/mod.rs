//! Seekers' profiles, and the places where the index finds seekers.

pub mod graphql;

use async_graphql::SimpleObject;
use serde::{Deserialize, Serialize};

use trestle_api::versioned;
use trestle_api::{ApiError, Node, Revision, Session};
use trestle_domain::{List, Text, UserId};
use trestle_table::{Entity, IndexKey, Key, KeyedAttributes, Listing, Pk, Sk, TableDefinition};

use super::access::Party;
use super::table::{self, GSI1, TABLE};
use super::values::{
    CityKey, Currency, Pay, Place, Radius, SUGGESTED_WITHIN, Skills, StoredMeaning, located,
    reached,
};

/// The most places of one seeker.
pub const MAX_PLACES: usize = 5;

/// The profile of a seeker. Employers see it with an interest in one of their jobs, and with a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct Seeker {
    #[graphql(skip)]
    pub seeker_id: UserId,
    /// Name: 1 to 120 characters.
    pub name: Text<1, 120>,
    /// The position that the seeker looks for, such as "Data engineer": at most 200 characters.
    pub headline: Option<Text<1, 200>>,
    /// What the headline says about occupations.
    #[serde(default, skip_serializing_if = "StoredMeaning::is_none")]
    #[graphql(skip)]
    pub headline_meaning: StoredMeaning,
    /// About the seeker: at most 2000 characters.
    pub about: Option<Text<1, 2000>>,
    /// Skills: at most 30. As they are written, each once: `js` and `javascript` are one skill.
    pub skills: Skills,
    #[graphql(skip)]
    pub places: List<Place, MAX_PLACES>,
    /// How far from the places jobs are suggested, if the seeker says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[graphql(skip)]
    pub within_km: Option<Radius>,
    /// Whether the seeker also wants jobs without an office.
    pub wants_remote: bool,
    #[graphql(skip)]
    pub min_pay: Option<Pay>,
    /// The currency of `min_pay`, if the seeker says it.
    #[graphql(skip)]
    pub min_pay_currency: Option<Currency>,
    #[serde(flatten, deserialize_with = "crate::stored_revision::read")]
    #[graphql(flatten)]
    pub stamp: Revision,
}

impl Entity for Seeker {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "seeker";
    const KEYED: KeyedAttributes = &[("pk", &["", "seekerId"])];
    type Id = UserId;

    fn key_of(id: &UserId) -> Key {
        Key::new(table::seeker(id), Sk::word("profile"))
    }

    fn identity(&self) -> UserId {
        self.seeker_id.clone()
    }
}

versioned!(Seeker);

impl Node for Seeker {
    const TAG: u8 = b'K';

    async fn visible_to(self, session: &Session) -> Result<Option<Self>, ApiError> {
        Ok(self.is_own(session).then_some(self))
    }
}

impl Seeker {
    /// Whether the profile is the viewer's own.
    pub fn is_own(&self, session: &Session) -> bool {
        Party::Seeker.is(session) && self.seeker_id == session.user()
    }

    /// The currency of the lowest acceptable pay: the one that the seeker says, or that of the places' countries.
    pub fn currency(&self) -> Option<Currency> {
        let countries = self.places.as_slice().iter().map(|place| &place.country);
        self.min_pay_currency
            .or_else(|| Currency::shared(countries))
    }

    /// The cities whose jobs are suggested to the seeker: those of the places, their parts or the cities of which they are parts, and
    /// the largest ones near them.
    pub fn searched_cities(&self) -> Vec<CityKey> {
        let places = located(self.places.as_slice());
        self.sorted(reached(&places, self.radius_km()))
    }

    /// How far from the places jobs are suggested, in kilometres.
    pub fn radius_km(&self) -> i32 {
        self.within_km.map_or(SUGGESTED_WITHIN, Radius::get)
    }

    /// The cities of the places.
    pub fn cities(&self) -> Vec<CityKey> {
        let places = self.places.as_slice().iter().map(Place::read_again);
        self.sorted(places.map(|place| place.key()).collect())
    }

    fn sorted(&self, mut cities: Vec<CityKey>) -> Vec<CityKey> {
        cities.extend(self.wants_remote.then(CityKey::remote));
        cities.sort_unstable();
        cities.dedup();
        cities
    }

    /// The items by which the index finds the seeker.
    pub fn whereabouts(&self) -> Vec<Whereabouts> {
        let cities = self.cities().into_iter().map(Some);
        let at = |city| Whereabouts {
            seeker_id: self.seeker_id.clone(),
            city,
        };
        cities.chain([None]).map(at).collect()
    }
}

/// That a seeker looks for jobs in a city; without a city, that there is the seeker at all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Whereabouts {
    pub seeker_id: UserId,
    pub city: Option<CityKey>,
}

impl Entity for Whereabouts {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "seekerPlace";
    const KEYED: KeyedAttributes = &[("pk", &["", "seekerId"]), ("sk", &["", "city"])];
    type Id = (UserId, Option<CityKey>);

    fn key_of((seeker, city): &Self::Id) -> Key {
        let sk = match city {
            Some(city) => Sk::of("c", city),
            None => Sk::word("c"),
        };
        Key::new(table::seeker(seeker), sk)
    }

    fn identity(&self) -> Self::Id {
        (self.seeker_id.clone(), self.city.clone())
    }

    fn index_keys(&self) -> Vec<IndexKey> {
        vec![GSI1.at(partition(self.city.as_ref()), Sk::of("s", &self.seeker_id))]
    }
}

/// `seekers#montreal#`, and `seekers#` for all seekers.
fn partition(city: Option<&CityKey>) -> Pk {
    let seekers = Pk::word("seekers");
    city.map_or_else(|| seekers.clone(), |city| seekers.clone().then(city))
        .closed()
}

/// The places by which the index finds a seeker. `seeker#<seekerId>` / `c#`, one Query.
pub fn whereabouts_of(seeker: &UserId) -> Listing<Whereabouts> {
    Listing::of("seekers/whereabouts", table::seeker(seeker)).begins_with(Sk::word("c").below())
}

/// The seekers who look for jobs in a city, or all of them, by their ids, from the one after `after` on.
/// GSI1 `seekers#<city>#` / `s#<seekerId>`, one Query.
pub fn in_city(city: Option<&CityKey>, after: Option<&UserId>) -> Listing<Whereabouts> {
    let listing = Listing::on("seekers/city", &GSI1, partition(city));
    match after {
        Some(after) => listing.between(Sk::of("s", after), Sk::word("s")),
        None => listing.begins_with(Sk::word("s").below()),
    }
}
