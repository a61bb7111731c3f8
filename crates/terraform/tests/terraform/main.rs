//! Analyses of configurations and plans, each with what is found in it and what is not decided.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod analyze;

mod analyzed;
mod beside;
mod broken_roots;
mod companions;
mod companions_there;
mod compared;
mod confined;
mod decided;
mod drawings;
mod exposure;
mod forms;
mod functions;
mod golden;
mod google;
mod imports;
mod instances;
mod inventory;
mod judged;
mod lines_of_parts;
mod merged_documents;
mod not_looked_at;
mod open_cases;
mod outside;
mod plans;
mod protected;
mod secrets;
mod setups;
mod spellings;
mod suppressions;
mod unclear;
mod unclear_clouds;
mod unclear_computed;
mod unclear_denials;
mod unclear_instances;
mod unclear_plans;
mod unclear_values;
mod versions;
