//! Pictures of a graph as text for Graphviz and Mermaid: grouped by root module, module and network, and folded if the graph has
//! many nodes.

mod built;
mod dot;
mod fold;
mod groups;
mod mermaid;
mod model;

pub use built::Part;
pub use mermaid::MAX_EDGES as MAX_MERMAID_EDGES;
pub use model::{Arrow, Drawing, Look, Vertex, plain};
