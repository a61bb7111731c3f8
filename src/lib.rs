pub mod api;
pub mod server;
pub mod table;
pub mod viewer;
