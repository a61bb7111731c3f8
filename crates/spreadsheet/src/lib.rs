//! CSV files that spreadsheets read.
#![doc = include_str!("../README.md")]

mod file;
mod formulas;

pub use file::CsvFile;
pub use formulas::{shielded, unshielded};
