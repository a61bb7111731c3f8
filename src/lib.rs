pub mod api;
pub mod table;
pub mod viewer;
