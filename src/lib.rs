//! Trestle.
pub mod api;
pub mod applications;
pub mod clock;
pub mod dynamodb;
pub mod table;
pub mod viewer;
