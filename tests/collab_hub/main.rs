//! The collab-hub service, through its API over HTTP.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

#[path = "../support/mod.rs"]
mod support;

mod conversations;
mod corrections;
mod costs;
mod files;
mod journaled;
mod leaks;
mod lifecycle;
mod other_costs;
mod races;
mod repeated;
mod stored;
mod stripe;
mod stripe_order;
mod thinned;
mod viewers;
mod world;
