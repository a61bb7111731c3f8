//! Values of the job board: places, skills, pay. Their synonyms are data, in the text files of this folder.

mod city;
mod city_name;
mod country;
mod link;
mod no_city;
mod one_line;
mod place;
mod place_input;
mod reach;
mod remote;
mod seniority;
mod skill;
mod skill_lists;
mod synonyms;
mod title;
mod written;

pub use city::{CityKey, unaccented};
pub use country::Country;
pub use link::{check_link, public_link};
pub use one_line::{one_line, parse_line};
pub use place::{Place, Zip};
pub use place_input::{PlaceInput, Places, places};
pub use reach::{Located, SUGGESTED_WITHIN, Sought, located, reached};

pub use seniority::Seniority;
pub use skill::{
    mentioned, mentioned_as, named_in as skills_named_in, searched as searched_skill,
    searched_phrases, words,
};
pub use skill_lists::{
    Skills, compared as compared_skills, compared_with_names, each_once, general as general_skills,
};
pub use title::StoredMeaning;
pub use trestle_occupations::stem;
pub use written::{LIST_MARKS, WrittenPlace, named_together};

use trestle_domain::Bounded;
pub use trestle_domain::Currency;

/// Pay in whole units of a currency.
pub type Pay = Bounded<0, 100_000_000>;

/// A distance in kilometres.
pub type Radius = Bounded<0, 200>;
