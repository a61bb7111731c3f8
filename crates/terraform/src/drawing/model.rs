//! What is drawn.

use crate::summary::is_odd;

/// How a node looks: the most urgent of what is known about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Look {
    /// The internet reaches it.
    Exposed,
    /// It is not known whether the internet reaches it.
    Unresolved,
    /// It stores data.
    Datastore,
    /// Nothing of these.
    Plain,
}

impl Look {
    /// Every look.
    pub const ALL: [Self; 4] = [
        Look::Datastore,
        Look::Exposed,
        Look::Plain,
        Look::Unresolved,
    ];

    /// Its name in a picture.
    pub fn word(self) -> &'static str {
        match self {
            Look::Exposed => "exposed",
            Look::Unresolved => "unresolved",
            Look::Datastore => "datastore",
            Look::Plain => "plain",
        }
    }

    /// The color of its border.
    pub fn border(self) -> &'static str {
        match self {
            Look::Exposed => "#b3261e",
            Look::Unresolved => "#9a6700",
            Look::Datastore => "#1f5fa8",
            Look::Plain => "#5f6368",
        }
    }

    /// The color inside.
    pub fn inside(self) -> &'static str {
        match self {
            Look::Exposed => "#fdecea",
            Look::Unresolved => "#fff8e1",
            Look::Datastore => "#e8f1fb",
            Look::Plain => "#ffffff",
        }
    }
}

/// A node of a graph.
#[derive(Clone, Copy, Debug)]
pub struct Vertex<'a> {
    /// Its id.
    pub id: &'a str,
    /// The folder of its root module, if there are several.
    pub root: &'a str,
    /// Its type.
    pub type_name: &'a str,
    /// How it looks.
    pub look: Look,
}

/// An edge of a graph, between the places of two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrow {
    /// Where it comes from.
    pub from: usize,
    /// Where it goes to.
    pub to: usize,
    /// Whether it is a weaker one, such as `depends_on`.
    pub is_dashed: bool,
}

/// What is drawn.
#[derive(Debug)]
pub struct Drawing {
    pub(super) shapes: Vec<Shape>,
    pub(super) arrows: Vec<Arrow>,
}

/// A node, or several that are drawn as one.
#[derive(Debug)]
pub struct Shape {
    pub label: String,
    pub look: Look,
    /// The groups that it is in, from the outermost on.
    pub groups: Vec<String>,
}

/// Text without what no format quotes, and what would turn its direction.
pub fn plain(text: &str) -> String {
    let shown = text.chars().map(|c| if is_odd(c) { ' ' } else { c });
    shown.collect()
}
