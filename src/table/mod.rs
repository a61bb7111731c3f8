//! The single-table layer.
mod capacity;
pub use capacity::{CallKind, Meter, Spent};
