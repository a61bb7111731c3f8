//! Values of the job board: places, skills, pay. Their synonyms are data, in the text files of this folder.

mod city;
mod city_name;
mod forms;
mod headline;
mod link;
mod named;
mod negation;
mod no_city;
mod occupation;
mod one_line;
mod place;
mod platforms;
mod position;
mod readings;
mod region;
mod remote;
mod seniority;
mod skill;
mod skill_lists;
mod sought_occupation;
mod street;
mod synonyms;
mod terms;
mod tokens;
mod written;
mod zip_code;

pub use city::{CityKey, unaccented};
pub use headline::sought as sought_position;
pub use link::{check_link, public_link};
pub use named::Named;
pub use negation::affirmed;
pub use occupation::Kinship;
pub use one_line::{one_line, parse_line};
pub use place::{Place, PlaceInput, Places, Sought, Zip, places};
pub use platforms::{
    PlatformNames, of_skills as platforms_of_skills, of_text as platforms_of_text,
};
pub use position::{alternatives, listed_occupations, positions};
pub use region::Country;
pub use seniority::Seniority;
pub use skill::{
    mentioned, mentioned_as, named_in as skills_named_in, searched as searched_skill,
    searched_phrases, words,
};
pub use skill_lists::{
    Skills, compared as compared_skills, compared_with_names, each_once, general as general_skills,
};
pub use sought_occupation::{
    closest as closest_occupation, of_headline as occupations_of_headline,
    of_title as occupations_of_title,
};
pub use terms::{Position, Term, phrases, quoted, stem, terms};
pub use written::{Home, WrittenPlace};

use trestle_domain::Bounded;
pub use trestle_domain::Currency;

/// Pay in whole units of a currency.
pub type Pay = Bounded<0, 100_000_000>;
