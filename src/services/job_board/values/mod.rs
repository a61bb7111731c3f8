//! Values of the job board: places, skills, pay. Their synonyms are data, in the text files of this folder.

mod city;
mod place;
mod skill;
mod synonyms;

pub use city::CityKey;
pub use place::{Country, Place, PlaceInput, Zip, places};
pub use skill::{Skills, canonical, mentioned, words};

use crate::domain::Bounded;

/// Yearly pay in whole units of the country's currency.
pub type Pay = Bounded<0, 100_000_000>;
