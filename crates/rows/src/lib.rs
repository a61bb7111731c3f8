//! Rows of files: CSV, JSON and NDJSON, their columns mapped to fields. Knows no service.

pub mod cells;
pub mod columns;
pub mod dates;
mod shape;
pub mod source;

// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
