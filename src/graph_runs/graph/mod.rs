//! Stored graphs: reading one as a stream, verifying it, comparing two. Knows JSON and the graph's shape, and
//! neither where graphs are stored nor what they are of.
//!
//! A graph is an object with `nodes` and `edges`, and whatever else its writer has to say of it. A node has an
//! `id` of its own, and may be `internetExposed` and a `datastore`. An edge goes `from` a node `to` a node, and
//! may have a `kind`; two edges of one kind between the same nodes are one too many.

mod difference;
mod read;
mod verify;

pub use difference::{ChangeKind, Fingerprints, GraphChange, Part, compare};
pub use read::{Edge, GraphProblem, Node, Visitor, read};
pub use verify::{Verified, Verifier};
