//! The language of Graphviz. Source: "DOT Language" and "escString", the Graphviz documentation.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::groups::Tree;
use super::model::{Drawing, plain};

const START: &str =
    "digraph {\n  rankdir=LR;\n  node [shape=box, style=filled, fontname=\"sans-serif\"];\n";

impl Drawing {
    /// The drawing for Graphviz.
    pub fn dot(&self) -> String {
        let names = self.names();
        let mut text = START.to_owned();
        let mut groups = 0;
        let tree = Tree::of(self.shapes.iter().map(|shape| shape.groups.as_slice()));
        self.group(&tree, &names, 1, &mut groups, &mut text);
        for arrow in &self.arrows {
            let ends = (names.get(arrow.from), names.get(arrow.to));
            let (Some(from), Some(to)) = ends else {
                continue;
            };
            let style = if arrow.is_dashed {
                " [style=dashed]"
            } else {
                ""
            };
            let (from, to) = (quoted(from), quoted(to));
            // Writing to a String cannot fail.
            let _ = writeln!(text, "  {from} -> {to}{style};");
        }
        text.push_str("}\n");
        text
    }

    /// The names of the nodes, each of which is another one: Graphviz takes those with the same name for one.
    fn names(&self) -> Vec<String> {
        let mut taken = BTreeSet::new();
        let mut names = Vec::with_capacity(self.shapes.len());
        for (at, shape) in self.shapes.iter().enumerate() {
            let mut name = plain(&shape.label);
            while !taken.insert(name.clone()) {
                name.push_str(&format!(" #{at}"));
            }
            names.push(name);
        }
        names
    }

    fn group(
        &self,
        tree: &Tree<'_>,
        names: &[String],
        depth: usize,
        groups: &mut usize,
        text: &mut String,
    ) {
        let indent = "  ".repeat(depth);
        for (label, inner) in &tree.groups {
            let _ = writeln!(text, "{indent}subgraph \"cluster_{groups}\" {{");
            let _ = writeln!(text, "{indent}  label={};", label_of(label));
            *groups += 1;
            self.group(inner, names, depth + 1, groups, text);
            let _ = writeln!(text, "{indent}}}");
        }
        for at in &tree.own {
            let (Some(shape), Some(name)) = (self.shapes.get(*at), names.get(*at)) else {
                continue;
            };
            let label = label_of(&shape.label);
            let name = quoted(name);
            // The label of a node is its name, unless something in it has a meaning there.
            let label = if label == name {
                String::new()
            } else {
                format!("label={label}, ")
            };
            let (border, inside) = (shape.look.border(), shape.look.inside());
            let _ = writeln!(
                text,
                "{indent}{name} [{label}color=\"{border}\", fillcolor=\"{inside}\"];"
            );
        }
    }
}

/// A quoted name. In labels, a backslash begins an escape, and two of them are one.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A label: in contrast to a name, it has entities of HTML.
fn label_of(text: &str) -> String {
    quoted(&plain(text).replace('&', "&amp;"))
}
