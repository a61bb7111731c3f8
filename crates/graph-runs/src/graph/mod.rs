//! Stored graphs: verifying and drawing them. `trestle_terraform::stored` reads and compares them, and says what a graph is.

mod layout;
mod picture;
mod verify;

pub use picture::{Picture, TooLarge};
pub use verify::{Verified, Verifier};
