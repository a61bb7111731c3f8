//! The shareables service, as the binary serves it.

#[path = "../../crates/shareables/tests/shareables/site.rs"]
#[allow(dead_code, reason = "each test target uses a part of it")]
mod site;

mod overload;
mod transports;
