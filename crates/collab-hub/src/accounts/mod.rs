//! A user's own data as a whole: exported, or deleted.

pub mod deleting;
pub mod exporting;
mod left;
