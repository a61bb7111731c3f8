//! Trestle.
pub mod api;
<<<<<<< HEAD
pub mod applications;
pub mod clock;
pub mod dynamodb;
=======
pub mod server;
>>>>>>> server
pub mod table;
pub mod viewer;
