//! The language of Mermaid. Source: "Flowcharts" and "Entity codes to escape characters", the Mermaid documentation.

use std::fmt::Write as _;

use super::groups::Tree;
use super::model::{Drawing, Look, plain};

/// The most edges that Mermaid draws if it is not configured.
pub const MAX_EDGES: usize = 500;

impl Drawing {
    /// The drawing for Mermaid.
    pub fn mermaid(&self) -> String {
        let mut text = String::from("flowchart LR\n");
        for look in Look::ALL {
            let (name, border, inside) = (look.word(), look.border(), look.inside());
            // Writing to a String cannot fail.
            let _ = writeln!(text, "  classDef {name} stroke:{border},fill:{inside}");
        }
        let mut groups = 0;
        let tree = Tree::of(self.shapes.iter().map(|shape| shape.groups.as_slice()));
        self.subgraph(&tree, 1, &mut groups, &mut text);
        for arrow in &self.arrows {
            let line = if arrow.is_dashed { "-.->" } else { "-->" };
            let _ = writeln!(text, "  n{} {line} n{}", arrow.from, arrow.to);
        }
        text
    }

    fn subgraph(&self, tree: &Tree<'_>, depth: usize, groups: &mut usize, text: &mut String) {
        let indent = "  ".repeat(depth);
        for (label, inner) in &tree.groups {
            let _ = writeln!(text, "{indent}subgraph g{groups}[\"{}\"]", escaped(label));
            *groups += 1;
            self.subgraph(inner, depth + 1, groups, text);
            let _ = writeln!(text, "{indent}end");
        }
        for at in &tree.own {
            if let Some(shape) = self.shapes.get(*at) {
                let (label, look) = (escaped(&shape.label), shape.look.word());
                let _ = writeln!(text, "{indent}n{at}[\"{label}\"]:::{look}");
            }
        }
    }
}

/// The text of a label, in which nothing is a quote, a directive (`%%{`), HTML, a formula (`$$`), Markdown, an icon
/// (`fa:fa-user`) or the end of a line (`\n`).
fn escaped(text: &str) -> String {
    let mut shown = String::new();
    for c in plain(text).chars() {
        match c {
            '"' => shown.push_str("#quot;"),
            '&' => shown.push_str("#amp;"),
            '<' => shown.push_str("#lt;"),
            '#' | '%' | '$' | '\\' | '`' | '*' | ':' | ';' => {
                let _ = write!(shown, "#{};", u32::from(c));
            }
            c => shown.push(c),
        }
    }
    shown
}
