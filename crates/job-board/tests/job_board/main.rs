//! The job-board service, through its API over HTTP.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod access;
mod answering;
mod board;
mod boroughs;
mod corners;
mod costs;
mod day;
mod deleting;
mod designed;
mod gazetteer;
mod keys;
mod lists;
mod live;
mod load;
mod loading;
mod making;
mod messages;
mod occupations;
mod odd;
mod orphans;
mod places;
mod races;
mod relevance;
mod schema;
mod searches;
mod sizes;
mod spelled;
mod swiping;
mod weeks;
