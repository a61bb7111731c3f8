//! Occupations that a text names, and how near two titles of jobs are.
#![doc = include_str!("../README.md")]

mod data;
mod hash;
mod heads;
mod index;
mod meaning;
mod occupations;
mod text;
mod title;

pub use data::DIMENSIONS;
pub use meaning::{Meaning, NEAREST};
pub use occupations::{Near, Occupations};
pub use text::stem;
pub use title::{Comparison, Title};
