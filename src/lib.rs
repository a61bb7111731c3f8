//! Trestle.
pub mod api;
pub mod dynamodb;
pub mod table;
pub mod viewer;
