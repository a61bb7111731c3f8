//! Pictures of a graph, as text for Graphviz and Mermaid, and as an SVG image.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::layout::{Box as Place, Layout, layout};
use trestle_terraform::drawing::{Arrow, Drawing, Look, MAX_MERMAID_EDGES, Vertex, plain};
use trestle_terraform::stored::{NodeRow, Rows};

/// The kind of edges that are drawn with dashes.
const DEPENDS_ON: &str = "depends_on";

trestle_domain::string_enum! {
    /// The format of a picture.
    #[graphql(name = "GraphFormat")]
    Picture {
        /// The language of Graphviz, for at most 10,000 nodes and 50,000 edges.
        Dot = "dot",
        /// The language of Mermaid, for at most 500 nodes and 500 edges.
        Mermaid = "mmd",
        /// An image, for at most 1,000 nodes and 4,000 edges.
        Svg = "svg",
    }
}

/// A graph has more nodes or edges than a picture can show.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "The graph has {nodes} nodes and {edges} edges. A picture in this format shows at most {max_nodes} nodes and {max_edges} edges. List them instead, or draw a part of the graph"
)]
pub struct TooLarge {
    nodes: usize,
    edges: usize,
    max_nodes: usize,
    max_edges: usize,
}

/// A graph by numbers: the ends and the kind of each edge.
struct Numbered<'r> {
    nodes: &'r [NodeRow],
    edges: Vec<(usize, usize, &'r str)>,
}

impl Picture {
    /// The most nodes and edges. Mermaid refuses more edges itself; an image of more is not readable.
    fn limits(self) -> (usize, usize) {
        match self {
            Picture::Dot => (10_000, 50_000),
            Picture::Mermaid => (500, MAX_MERMAID_EDGES),
            Picture::Svg => (1_000, 4_000),
        }
    }

    /// The media type of a file.
    pub fn media_type(self) -> &'static str {
        match self {
            Picture::Dot => "text/vnd.graphviz",
            Picture::Mermaid => "text/plain; charset=utf-8",
            Picture::Svg => "image/svg+xml",
        }
    }

    /// The picture of a graph.
    ///
    /// # Errors
    /// The graph has more than a picture in this format can show.
    pub fn of(self, rows: &Rows) -> Result<String, TooLarge> {
        let (max_nodes, max_edges) = self.limits();
        let (nodes, edges) = (rows.nodes.len(), rows.edge_count());
        if nodes > max_nodes || edges > max_edges {
            return Err(TooLarge {
                nodes,
                edges,
                max_nodes,
                max_edges,
            });
        }
        let graph = Numbered::of(rows);
        Ok(match self {
            Picture::Dot => graph.drawing().dot(),
            Picture::Mermaid => graph.drawing().mermaid(),
            Picture::Svg => svg(&graph),
        })
    }
}

impl<'r> Numbered<'r> {
    fn of(rows: &'r Rows) -> Self {
        let ids = rows.nodes.iter().enumerate();
        let places: HashMap<&str, usize> = ids.map(|(at, node)| (&*node.id, at)).collect();
        let edges = (0..rows.edge_count()).filter_map(|at| {
            let edge = rows.edge(at)?;
            Some((*places.get(edge.from)?, *places.get(edge.to)?, edge.kind))
        });
        Self {
            nodes: &rows.nodes,
            edges: edges.collect(),
        }
    }
}

/// How a node looks: the most urgent of what is known about it.
fn look(node: &NodeRow) -> Look {
    match node {
        node if node.internet_exposed => Look::Exposed,
        node if node.unresolved => Look::Unresolved,
        node if node.datastore => Look::Datastore,
        _ => Look::Plain,
    }
}

impl Numbered<'_> {
    /// The graph as text, in which every node is drawn.
    fn drawing(&self) -> Drawing {
        let vertices = self.nodes.iter().map(|node| Vertex {
            id: &node.id,
            root: "",
            type_name: &node.type_name,
            look: look(node),
        });
        let arrows = self.edges.iter().map(|(from, to, kind)| Arrow {
            from: *from,
            to: *to,
            is_dashed: *kind == DEPENDS_ON,
        });
        let (vertices, arrows): (Vec<_>, Vec<_>) = (vertices.collect(), arrows.collect());
        Drawing::of(&vertices, &arrows, vertices.len())
    }
}

/// The most characters of a label in an image.
const LABEL: usize = 48;
/// About how wide a character is.
const CHARACTER: usize = 7;

fn svg(graph: &Numbered<'_>) -> String {
    let label = |node: &NodeRow| {
        let text = plain(&node.id);
        if text.chars().count() > LABEL {
            // The end of an address tells more than its modules.
            let skipped = text.chars().count() - LABEL + 1;
            format!("…{}", text.chars().skip(skipped).collect::<String>())
        } else {
            text
        }
    };
    let labels: Vec<_> = graph.nodes.iter().map(label).collect();
    let widths = labels
        .iter()
        .map(|label| label.chars().count() * CHARACTER + 16);
    let edges: Vec<_> = graph
        .edges
        .iter()
        .map(|(from, to, _)| (*from, *to))
        .collect();
    let Layout {
        width,
        height,
        boxes,
    } = layout(&widths.collect::<Vec<_>>(), &edges);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" font-family=\"monospace\" font-size=\"11\">\n\
         <defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#5f6368\"/></marker></defs>\n"
    );
    for (from, to, kind) in &graph.edges {
        let (Some(from), Some(to)) = (boxes.get(*from), boxes.get(*to)) else {
            continue;
        };
        let dashes = match *kind {
            DEPENDS_ON => " stroke-dasharray=\"4 3\"",
            _ => "",
        };
        let path = curve(from, to);
        let _ = writeln!(
            text,
            "<path d=\"{path}\" fill=\"none\" stroke=\"#5f6368\"{dashes} marker-end=\"url(#a)\"/>"
        );
    }
    for ((node, place), label) in graph.nodes.iter().zip(&boxes).zip(&labels) {
        let (border, inside) = (look(node).border(), look(node).inside());
        let Place {
            x,
            y,
            width,
            height,
        } = place;
        let (title, label) = (escaped(&plain(&node.id)), escaped(label));
        let (left, middle) = (x + 8, y + height / 2 + 4);
        let _ = writeln!(
            text,
            "<g><title>{title}</title><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"4\" stroke=\"{border}\" fill=\"{inside}\"/><text x=\"{left}\" y=\"{middle}\">{label}</text></g>"
        );
    }
    text.push_str("</svg>\n");
    text
}

/// From the right side of one box to the left side of another.
fn curve(from: &Place, to: &Place) -> String {
    let (x1, y1) = (from.x + from.width, from.y + from.height / 2);
    let (x2, y2) = (to.x, to.y + to.height / 2);
    let bend = x2.abs_diff(x1) / 2 + 20;
    format!(
        "M{x1} {y1}C{} {y1} {} {y2} {x2} {y2}",
        x1 + bend,
        x2.saturating_sub(bend)
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
