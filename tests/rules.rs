//! The rules of the tree, the committed schemas, and what is relied on in pinned dependencies: what `just quick` asks after each edit.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod architecture;
mod guides;
mod pinned;
mod schema;
