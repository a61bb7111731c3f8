//! Places that nobody has more of than a share while others want one: WebSocket connections and subscriptions. Services
//! share them, and whoever is connected to a service shares those of the service. If all are taken, the newest place of
//! whoever has the most is given to someone who has fewer. Knows no protocol.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, watch};

use super::overload::RateLimitKey;
use super::shares::Shares;

/// Whose place it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Holder {
    /// Whoever connects from a network, before they authenticate.
    Network(String),
    /// Whoever authenticated.
    RateLimitKey(RateLimitKey),
}

/// All places of one kind.
pub(super) struct FairLimiter {
    most: usize,
    all: Mutex<All>,
    taken: watch::Sender<usize>,
}

#[derive(Default)]
struct All {
    next: u64,
    places: BTreeMap<u64, Taken>,
}

struct Taken {
    service: usize,
    holder: Holder,
    withdrawn: Arc<Notify>,
}

/// One place, free again when dropped.
pub(super) struct FairPermit {
    number: u64,
    withdrawn: Arc<Notify>,
    places: Arc<FairLimiter>,
}

impl FairLimiter {
    pub(super) fn new(most: u32) -> Self {
        Self {
            most: most as usize,
            all: Mutex::default(),
            taken: watch::Sender::new(0),
        }
    }

    /// How many are taken.
    pub(super) fn taken(&self) -> usize {
        *self.taken.borrow()
    }

    /// Ends when none is taken.
    pub(super) async fn free(&self) {
        let mut taken = self.taken.subscribe();
        // The sender is here.
        let _ = taken.wait_for(|taken| *taken == 0).await;
    }

    /// A place in a service, if one is left or someone else has more than a share.
    pub(super) fn take(self: &Arc<Self>, service: usize, holder: Holder) -> Option<FairPermit> {
        let mut all = self.all();
        if all.places.len() >= self.most {
            let number = all.dispensable(service, &holder)?;
            all.places.remove(&number)?.withdrawn.notify_one();
        }
        all.next += 1;
        let number = all.next;
        let withdrawn = Arc::<Notify>::default();
        let taken = Taken {
            service,
            holder,
            withdrawn: Arc::clone(&withdrawn),
        };
        all.places.insert(number, taken);
        self.count(&all);
        Some(FairPermit {
            number,
            withdrawn,
            places: Arc::clone(self),
        })
    }

    fn count(&self, all: &All) {
        self.taken.send_replace(all.places.len());
    }

    fn all(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl All {
    /// The place that is given to someone else, if they have fewer than its holder.
    fn dispensable(&self, service: usize, holder: &Holder) -> Option<u64> {
        let places = self.places.values();
        let services = Shares::of(places.clone().map(|place| place.service));
        // Among services first, then within the service itself.
        let other = services.gives_way_to(&service);
        let within = other.unwrap_or(service);
        let places = places.filter(|place| place.service == within);
        let holders = Shares::of(places.map(|place| place.holder.clone()));
        let who = match other {
            Some(_) => holders.largest()?.0,
            None => holders.gives_way_to(holder)?,
        };
        let mut newest = self.places.iter().rev();
        let newest = newest.find(|(_, place)| place.service == within && place.holder == who);
        newest.map(|(number, _)| *number)
    }
}

impl FairPermit {
    /// Ends when the place is given to someone else.
    pub(super) async fn withdrawn(&self) {
        self.withdrawn.notified().await;
    }

    /// Notes who has the place, once that is known.
    pub(super) fn is_of(&self, holder: Holder) {
        if let Some(taken) = self.places.all().places.get_mut(&self.number) {
            taken.holder = holder;
        }
    }
}

impl Drop for FairPermit {
    fn drop(&mut self) {
        let mut all = self.places.all();
        all.places.remove(&self.number);
        self.places.count(&all);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    fn from(network: &str) -> Holder {
        Holder::Network(network.to_owned())
    }

    fn is_withdrawn(place: &FairPermit) -> bool {
        place.withdrawn().now_or_never().is_some()
    }

    #[test]
    fn whoever_has_the_most_gives_way_to_someone_who_has_fewer() {
        let places = Arc::new(FairLimiter::new(4));
        let held: Vec<_> = (0..4).map(|_| places.take(0, from("a")).unwrap()).collect();
        assert!(places.take(0, from("a")).is_none());
        let b = places.take(0, from("b")).unwrap();
        assert!(is_withdrawn(&held[3]) && !is_withdrawn(&held[2]));
        let second = places.take(0, from("b")).unwrap();
        assert!(is_withdrawn(&held[2]));
        assert!(places.take(0, from("b")).is_none(), "each has half");
        assert!(!is_withdrawn(&b) && !is_withdrawn(&second));
        assert_eq!(places.taken(), 4);
    }

    #[test]
    fn a_service_has_its_share_whatever_happens_in_others() {
        let places = Arc::new(FairLimiter::new(4));
        let held: Vec<_> = ["a", "b", "c", "d"]
            .into_iter()
            .map(|network| places.take(0, from(network)).unwrap())
            .collect();
        assert!(places.take(0, from("e")).is_none(), "each has one");
        assert!(places.take(1, from("a")).is_some());
        assert_eq!(held.iter().filter(|place| is_withdrawn(place)).count(), 1);
    }

    #[test]
    fn who_authenticates_has_a_share_beside_those_who_have_not() {
        let places = Arc::new(FairLimiter::new(2));
        let one = places.take(0, from("a")).unwrap();
        one.is_of(Holder::RateLimitKey(RateLimitKey::Subject(
            "ann".to_owned(),
        )));
        let other = places.take(0, from("a")).unwrap();
        assert!(places.take(0, from("a")).is_none());
        assert!(!is_withdrawn(&one));
        drop((one, other));
        assert_eq!(places.taken(), 0);
    }
}
