//! Trestle.
pub mod api;
<<<<<<< HEAD
<<<<<<< HEAD
pub mod applications;
pub mod clock;
pub mod dynamodb;
=======
pub mod server;
>>>>>>> server
=======
pub mod server;
>>>>>>> ops
pub mod table;
pub mod viewer;
