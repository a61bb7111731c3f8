//! Graphs and reports as they are stored: reading one as a stream, listing its elements, comparing two. Knows JSON and the
//! graph's shape, and neither where graphs are stored nor what they are of.
//!
//! A graph is an object with `nodes` and `edges`, and other members of up to 64 KiB. A node has an
//! `id` of its own, and may be `internetExposed`, a `datastore` and `unresolved`. An edge goes `from` a node `to` a node, and
//! may have a `kind`, and `carries` traffic `forward` or `backward`; two edges of one kind between the same nodes are one too many.

mod difference;
mod findings;
mod reach;
mod read;
mod rows;

pub use difference::{ChangeKind, Counts, Fingerprints, GraphChange, Part, PartCounts, compare};
pub use findings::{FindingChange, FindingRow, ReportRows, WarningRow, compare_findings};
pub use reach::Reach;
pub use read::{Carries, Edge, GraphProblem, Node, Visitor, read};
pub use rows::{Details, EdgeRow, NodeRow, Rows};
