//! Folding: several nodes that are drawn as one, so that the picture stays readable.

use std::collections::{BTreeMap, BTreeSet};

use super::groups::{self, Sizes};
use super::model::{Arrow, Drawing, Look, Shape, Vertex};

impl Drawing {
    /// The drawing of a graph. If it has more nodes than `most`, nodes of a type and whole groups are drawn as one.
    pub fn of(vertices: &[Vertex<'_>], arrows: &[Arrow], most: usize) -> Self {
        let groups = groups::of(vertices, arrows);
        folded(vertices, arrows, &groups, most)
    }

    /// How many edges it has.
    pub fn edge_count(&self) -> usize {
        self.arrows.len()
    }
}

/// How much is folded.
#[derive(Clone, Copy)]
enum Level {
    /// Nothing.
    Nothing,
    /// The nodes of a type in a group about which there is nothing to say.
    PlainTypes,
    /// The nodes of a type in a group that look the same.
    Types,
    /// Groups below so many others that have at least so many nodes, and all that are deeper: the nodes in each that look the
    /// same.
    Groups { depth: usize, least: usize },
    /// Everything that looks the same.
    Everything,
}

/// What makes nodes one: the groups around them, what they are called together, and their look.
type Key<'k> = (&'k [String], &'k str, Look);

/// The drawing with at most so many nodes, if nodes can be drawn as one.
fn folded(
    vertices: &[Vertex<'_>],
    arrows: &[Arrow],
    groups: &[Vec<String>],
    most: usize,
) -> Drawing {
    let sizes = groups::sizes(groups);
    let mut levels = levels(&sizes).into_iter();
    let fitting = levels.find_map(|level| {
        let folding = Folding::of(vertices, groups, &sizes, level);
        (folding.shapes.len() <= most).then_some(folding)
    });
    let folding =
        fitting.unwrap_or_else(|| Folding::of(vertices, groups, &sizes, Level::Everything));
    let mut drawn = BTreeSet::new();
    for arrow in arrows {
        let ends = (
            folding.of_vertex.get(arrow.from),
            folding.of_vertex.get(arrow.to),
        );
        let (Some(from), Some(to)) = ends else {
            continue;
        };
        // One that only leads from one node to another inside shows nothing.
        if from == to && folding.merged.contains(from) {
            continue;
        }
        drawn.insert(Arrow {
            from: *from,
            to: *to,
            is_dashed: arrow.is_dashed,
        });
    }
    Drawing {
        shapes: folding.shapes,
        arrows: drawn.into_iter().collect(),
    }
}

/// The levels, from the one that folds least on.
fn levels(sizes: &Sizes<'_>) -> Vec<Level> {
    let mut levels = vec![Level::Nothing, Level::PlainTypes, Level::Types];
    let deepest = sizes
        .keys()
        .map(|path| path.len())
        .max()
        .unwrap_or_default();
    for depth in (0..deepest).rev() {
        let of_depth = sizes.iter().filter(|(path, _)| path.len() == depth + 1);
        let steps: BTreeSet<usize> = of_depth.map(|(_, size)| *size).collect();
        // The largest first, so that few groups are folded.
        let steps = steps.into_iter().rev();
        levels.extend(steps.map(|least| Level::Groups { depth, least }));
    }
    levels
}

/// Nodes, some of which are drawn as one.
#[derive(Default)]
struct Folding {
    shapes: Vec<Shape>,
    /// The shape of each node.
    of_vertex: Vec<usize>,
    /// The shapes of several nodes.
    merged: BTreeSet<usize>,
}

impl Folding {
    fn of(
        vertices: &[Vertex<'_>],
        groups: &[Vec<String>],
        sizes: &Sizes<'_>,
        level: Level,
    ) -> Self {
        let keys = vertices.iter().zip(groups);
        let keys: Vec<_> = keys
            .map(|(vertex, groups)| key(vertex, groups, sizes, level))
            .collect();
        let mut counts: BTreeMap<Key<'_>, usize> = BTreeMap::new();
        for key in keys.iter().flatten() {
            *counts.entry(*key).or_default() += 1;
        }
        let mut folding = Self::default();
        let mut of_key: BTreeMap<Key<'_>, usize> = BTreeMap::new();
        for ((vertex, groups), key) in vertices.iter().zip(groups).zip(keys) {
            // A single node stays what it is.
            let several = key.and_then(|key| Some((key, *counts.get(&key)?)));
            let Some((key, count)) = several.filter(|(_, count)| *count > 1) else {
                folding.add(vertex.id.to_owned(), vertex.look, groups);
                continue;
            };
            if let Some(place) = of_key.get(&key) {
                folding.of_vertex.push(*place);
                continue;
            }
            let place = folding.shapes.len();
            of_key.insert(key, place);
            folding.merged.insert(place);
            let (groups, label, look) = key;
            folding.add(format!("{label} ({count})"), look, groups);
        }
        folding
    }

    /// Adds a shape for the next node.
    fn add(&mut self, label: String, look: Look, groups: &[String]) {
        self.of_vertex.push(self.shapes.len());
        self.shapes.push(Shape {
            label,
            look,
            groups: groups.to_vec(),
        });
    }
}

/// What a node is drawn as one with; `None` if it is drawn alone.
fn key<'k>(
    vertex: &Vertex<'k>,
    groups: &'k [String],
    sizes: &Sizes<'_>,
    level: Level,
) -> Option<Key<'k>> {
    let of_type = (groups, vertex.type_name, vertex.look);
    match level {
        Level::Nothing => None,
        Level::PlainTypes => (vertex.look == Look::Plain).then_some(of_type),
        Level::Types => Some(of_type),
        Level::Groups { depth, least } => {
            let size = groups.get(..=depth).and_then(|path| sizes.get(path));
            let depth = if size.is_some_and(|size| *size >= least) {
                depth
            } else {
                depth + 1
            };
            match groups.get(depth) {
                Some(group) => Some((groups.get(..depth)?, group, vertex.look)),
                None => Some(of_type),
            }
        }
        Level::Everything => Some((&[], vertex.look.word(), vertex.look)),
    }
}
