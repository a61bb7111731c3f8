//! The command line, through the binary: each test in a folder of its own.

mod archives;
mod blocks;
mod bounds;
mod buckets;
mod damage;
mod documents;
mod duplicates;
mod export;
mod extra;
mod files;
mod import;
mod interrupted;
mod kills;
mod left_out;
mod lost_log;
mod moments;
mod others;
mod pages_build;
mod readable;
mod releases;
mod rows;
pub mod run;
mod settings_page;
mod store;
mod times;
mod trackers;
