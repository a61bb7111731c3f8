//! What shareables consist of: keys, ids and order of items and options.

use async_graphql::ID;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use uuid::Uuid;

use super::short_id::ShortId;
use super::table::TABLE;
use super::token::ShareableKind;
use trestle_table::{
    Consistency, Entity, Key, MalformedItem, Pk, Projection, Sk, TableError, Tables, from_item,
};

/// An item of a checklist, or an option of a poll.
pub trait Part: Entity<Id = (ShortId, Uuid)> {
    /// What it is part of.
    const OF: ShareableKind;

    /// Its place: parts are in ascending order of it, and those of equal places in that of their ids.
    fn order(&self) -> f64;

    /// Its id for clients, which put the parts that they hear of in the same order.
    fn api_id(&self) -> ID {
        let (short_id, id) = self.identity();
        let named = match Self::OF {
            ShareableKind::Checklist => Named::Item(short_id, id),
            ShareableKind::Poll => Named::Option(short_id, id),
        };
        named.to_id()
    }
}

/// The key of a part: `checklist_item#abcdef12345` / `01#<uuid without dashes>#`.
pub fn key_of_part(kind: &'static str, short_id: &ShortId, id: &Uuid) -> Key {
    let id = id.simple().to_string();
    Key::new(Pk::of(kind, short_id), Sk::of("01", id).closed())
}

/// The items or options of a shareable in their order, and at the end what cannot be read. One partition, one Query,
/// strongly consistent.
pub async fn parts<P: Part>(
    tables: &Tables,
    short_id: &ShortId,
) -> Result<Vec<Result<P, MalformedItem>>, TableError> {
    let query = tables.of::<P>()?.query(Pk::of(P::KIND, short_id));
    let found = query.consistency(Consistency::Strong).all(tables.meter());
    let parts = found.await?.into_iter().filter_map(|item| {
        let key = TABLE.key_in(&item);
        let part: Result<P, _> = from_item(item);
        // A copy that another program keeps under a key of its own is no part: it would be written twice.
        let is_own = |part: &P| key.as_ref() == Some(&part.key());
        part.as_ref().map_or(true, is_own).then_some(part)
    });
    let mut parts: Vec<_> = parts.collect();
    parts.sort_by(|a: &Result<P, _>, b| match (a, b) {
        (Ok(a), Ok(b)) => {
            let by_id = || a.api_id().0.cmp(&b.api_id().0);
            a.order().total_cmp(&b.order()).then_with(by_id)
        }
        (a, b) => a.is_err().cmp(&b.is_err()),
    });
    Ok(parts)
}

/// The keys of everything of one kind that belongs to a shareable. One Query for each megabyte.
pub async fn keys(
    tables: &Tables,
    kind: &'static str,
    short_id: &ShortId,
) -> Result<Vec<Key>, TableError> {
    let names = vec![TABLE.partition_key.name, TABLE.sort_key.name];
    let query = tables.by(&TABLE)?.query(Pk::of(kind, short_id));
    let query = query.project(Projection::Only(names));
    let found = query.consistency(Consistency::Strong).all(tables.meter());
    let found = found.await?;
    Ok(found.iter().filter_map(|item| TABLE.key_in(item)).collect())
}

/// What an id of the API names. Each begins with a letter of its kind, which stays for good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// A shareable.
    Shareable(ShortId),
    /// An item of a checklist.
    Item(ShortId, Uuid),
    /// An option of a poll.
    Option(ShortId, Uuid),
    /// A vote, by the id of its voter that others may know.
    Vote(ShortId, Uuid),
    /// A device that is signed in.
    Device(ShortId, Uuid),
    /// An invitation of a voter.
    Invitation(ShortId, Uuid),
}

impl Named {
    /// The id for clients.
    pub fn to_id(&self) -> ID {
        let (tag, short_id, part) = match self {
            Named::Shareable(short_id) => ('s', short_id, None),
            Named::Item(short_id, part) => ('i', short_id, Some(part)),
            Named::Option(short_id, part) => ('o', short_id, Some(part)),
            Named::Vote(short_id, part) => ('v', short_id, Some(part)),
            Named::Device(short_id, part) => ('d', short_id, Some(part)),
            Named::Invitation(short_id, part) => ('n', short_id, Some(part)),
        };
        let part = part.map_or_else(String::new, |part| part.simple().to_string());
        ID(URL_SAFE_NO_PAD.encode(format!("{tag}{short_id}{part}")))
    }

    /// What an id of a client names, if it is one.
    pub fn of_id(id: &ID) -> Option<Self> {
        const SHORT_ID: usize = "ABC-DEF-12345".len();
        let text = String::from_utf8(URL_SAFE_NO_PAD.decode(id.as_str()).ok()?).ok()?;
        let (tag, rest) = text.split_at_checked(1)?;
        let (short_id, part) = rest.split_at_checked(SHORT_ID)?;
        let short_id = ShortId::parse(short_id).ok()?;
        let part = match part {
            "" => None,
            part => Some(Uuid::try_parse(part).ok()?),
        };
        match (tag, part) {
            ("s", None) => Some(Named::Shareable(short_id)),
            ("i", Some(part)) => Some(Named::Item(short_id, part)),
            ("o", Some(part)) => Some(Named::Option(short_id, part)),
            ("v", Some(part)) => Some(Named::Vote(short_id, part)),
            ("d", Some(part)) => Some(Named::Device(short_id, part)),
            ("n", Some(part)) => Some(Named::Invitation(short_id, part)),
            _ => None,
        }
    }

    /// The shareable that it is, or belongs to.
    pub fn short_id(&self) -> &ShortId {
        match self {
            Named::Shareable(id)
            | Named::Item(id, _)
            | Named::Option(id, _)
            | Named::Vote(id, _)
            | Named::Device(id, _)
            | Named::Invitation(id, _) => id,
        }
    }
}

/// Where something goes in a list.
#[derive(Clone, Debug, PartialEq)]
pub enum Placed {
    /// Here; nothing else moves.
    At(f64),
    /// Between neighbours that are too close: these entries of the list, by their index, get new places too.
    Respread(f64, Vec<(usize, f64)>),
}

/// The least distance of two places that something is put between.
const CLOSEST: f64 = 1e-6;

impl Placed {
    /// A place before the entry with this index of a list of places in ascending order; at its end if there is none.
    pub fn before(index: usize, places: &[f64]) -> Self {
        match many_before(index, places, 1).as_deref() {
            Some([place]) => Placed::At(*place),
            _ => Self::apart(index, places),
        }
    }

    /// As [`Placed::before`], after neighbours have moved apart: those on the side that has fewer of them.
    fn apart(index: usize, places: &[f64]) -> Self {
        let index = index.min(places.len());
        let (earlier, later) = places.split_at(index);
        match (earlier.last(), later.first()) {
            (_, Some(above)) if earlier.len() <= later.len() => {
                let moved = (1..=index).rev().zip(0..);
                let moved = moved.map(|(back, at)| (at, above - 1.0 - f64::from(steps(back))));
                Placed::Respread(above - 1.0, moved.collect())
            }
            (below, _) => {
                let below = below.copied().unwrap_or_default();
                let moved = (index..places.len()).zip(1..);
                let moved = moved.map(|(at, on)| (at, below + 1.0 + f64::from(steps(on))));
                Placed::Respread(below + 1.0, moved.collect())
            }
        }
    }

    /// The entries that have to move before `count` new ones are put before the entry with this index.
    pub fn moved_apart(index: usize, places: &[f64]) -> Vec<(usize, f64)> {
        match Self::apart(index, places) {
            Placed::At(_) => Vec::new(),
            Placed::Respread(_, moved) => moved,
        }
    }
}

/// Places for `count` entries before the entry with this index of a list of places in ascending order; at its end if there
/// is none. `None` if its neighbours are too close.
pub fn many_before(index: usize, places: &[f64], count: usize) -> Option<Vec<f64>> {
    let index = index.min(places.len());
    let (earlier, later) = places.split_at(index);
    let steps_to = |at: usize| f64::from(steps(at));
    let (first, step) = match (earlier.last(), later.first()) {
        (None, None) => (0.0, 1.0),
        (Some(last), None) => (last.floor() + 1.0, 1.0),
        (None, Some(next)) => (next.ceil() - steps_to(count), 1.0),
        (Some(below), Some(above)) => {
            let step = (above - below) / (steps_to(count) + 1.0);
            (below + step, step)
        }
    };
    let is_wide = step > CLOSEST;
    is_wide.then(|| (0..count).map(|at| first + step * steps_to(at)).collect())
}

fn steps(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_names_one_thing() {
        let short_id = ShortId::parse("ABC-DEF-12345").unwrap();
        let part = Uuid::new_v4();
        for named in [
            Named::Shareable(short_id.clone()),
            Named::Item(short_id.clone(), part),
            Named::Option(short_id.clone(), part),
            Named::Vote(short_id.clone(), part),
            Named::Device(short_id.clone(), part),
            Named::Invitation(short_id, part),
        ] {
            assert_eq!(Named::of_id(&named.to_id()).as_ref(), Some(&named));
        }
        for text in ["", "s", "é", "AAAA", "c0FCQy1ERUYtMTIzNDU0"] {
            assert_eq!(Named::of_id(&ID(text.to_owned())), None);
        }
    }

    #[test]
    fn a_place_between_neighbours_moves_nothing_else() {
        assert_eq!(Placed::before(0, &[]), Placed::At(0.0));
        assert_eq!(Placed::before(2, &[0.0, 1.5]), Placed::At(2.0));
        assert_eq!(Placed::before(9, &[0.0, 1.0]), Placed::At(2.0));
        assert_eq!(Placed::before(0, &[0.0, 1.0]), Placed::At(-1.0));
        assert_eq!(Placed::before(1, &[0.0, 1.0]), Placed::At(0.5));
    }

    #[test]
    fn several_entries_get_places_in_their_order() {
        assert_eq!(many_before(1, &[0.0, 1.0], 3), Some(vec![0.25, 0.5, 0.75]));
        assert_eq!(many_before(0, &[0.0], 2), Some(vec![-2.0, -1.0]));
        assert_eq!(many_before(2, &[0.0, 1.5], 2), Some(vec![2.0, 3.0]));
        assert_eq!(many_before(1, &[0.0, 1e-6], 9), None);
        let mut places = vec![0.0, 1e-6, 1.0];
        for (at, place) in Placed::moved_apart(1, &places) {
            places[at] = place;
        }
        assert!(many_before(1, &places, 99).is_some(), "{places:?}");
    }

    #[test]
    fn places_that_are_too_close_are_respread_on_the_shorter_side() {
        let crowded = [0.0, 1.0, 1.0, 2.0, 3.0];
        let Placed::Respread(own, moved) = Placed::before(2, &crowded) else {
            panic!("too close")
        };
        assert_eq!((own, moved), (0.0, vec![(0, -2.0), (1, -1.0)]));
        let crowded = [0.0, 1.0, 2.0, 3.0, 3.0];
        let Placed::Respread(own, moved) = Placed::before(4, &crowded) else {
            panic!("too close")
        };
        assert_eq!((own, moved), (4.0, vec![(4, 5.0)]));
        // 200 entries, all in one place: at most 100 of them are written.
        for index in 1..199 {
            let Placed::Respread(_, moved) = Placed::before(index, &[7.0; 199]) else {
                panic!("too close")
            };
            assert!(moved.len() < 100, "{index}");
        }
    }
}
