//! Cities of the world, their regions and countries, and places as people write them.
#![doc = include_str!("../README.md")]

mod city;
mod country;
mod data;
mod plain;
mod postcode;
mod reading;

pub use city::City;
pub use country::{Country, Region};
pub use reading::{Home, Written, read};
