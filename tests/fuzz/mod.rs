//! Whatever comes in, the answer is clear: random bodies, documents, ids, cursors and files, and items that
//! another program wrote wrongly. Nothing panics, and what is the sender's to mend has a code that says so.
//!
//! `PROPTEST_CASES` says how many cases each test tries.

mod bodies;
mod documents;
mod files;
mod harness;
mod items;
mod values;
mod words;
