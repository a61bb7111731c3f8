//! The collab-hub service, through its API over HTTP.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod accepting;
mod accounts;
mod addresses;
mod attached;
mod badges;
mod consent;
mod conversations;
mod conversing;
mod corrections;
mod costs;
mod counters;
mod days;
mod departures;
mod design;
mod directs;
mod ended;
mod erased;
mod files;
mod finding;
mod hidden;
mod inbox;
mod invited;
mod journaled;
mod leaks;
mod lifecycle;
mod meanwhile;
mod names;
mod odd;
mod other_costs;
mod pauses;
mod people;
mod quotas;
mod races;
mod refusals;
mod repeated;
mod reports;
mod statuses;
mod stored;
mod stripe;
mod stripe_model;
mod stripe_order;
mod thinned;
mod unrevealing;
mod upgrades;
mod viewers;
mod whole;
mod world;
