//! The applications service, through its API over HTTP.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

#[path = "../support/mod.rs"]
mod support;

mod agenda;
mod ask;
mod batches;
mod beside;
mod calendar;
mod calendar_limits;
mod contacts;
mod contention;
mod costs;
mod counters;
mod create;
mod cursors;
mod exact;
mod extremes;
mod fields;
mod files;
mod foreign;
mod foreign_ids;
mod foreign_items;
mod foreign_rows;
mod golden;
mod history;
mod import;
mod insight;
mod job_search;
mod lifecycle;
mod lists;
mod malformed;
mod malformed_parts;
mod nodes;
mod odd;
mod odd_rows;
mod orders;
mod patches;
mod promises;
mod reached;
mod restore;
mod round_trip;
mod salary;
mod search;
mod second_opinion;
mod selections;
mod since;
mod stages;
mod stale;
mod stored;
mod tags;
mod together;
mod tracked;
mod update;
mod whole_lists;
mod wrong_values;
