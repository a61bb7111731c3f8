//! Whose applications: viewers, operations and owners, each with each; and tables with and without owners.

mod calendar;
mod cases;
mod generated;
mod kinds;
mod live;
mod matrix;
mod moving;
mod partitions;
mod who;
mod world;
