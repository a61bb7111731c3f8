//! The server around the services. Knows the services only as [`crate::api::Service`].

pub mod authentication;
pub mod lambda;
pub mod telemetry;
