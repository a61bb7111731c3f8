//! A layered layout: each node right of those that refer to it, as far as they do not refer to each other in a circle.
//! Source of the method: Sugiyama, Tagawa and Toda, "Methods for Visual Understanding of Hierarchical System Structures".

/// How high a node is, and the distances between nodes and layers.
const HEIGHT: usize = 26;
const GAP: usize = 14;
const BETWEEN: usize = 90;
const MARGIN: usize = 20;
/// How often the order of the layers is improved.
const SWEEPS: usize = 6;

/// Where a node is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Box {
    /// Its left side.
    pub x: usize,
    /// Its upper side.
    pub y: usize,
    /// How wide it is.
    pub width: usize,
    /// How high it is.
    pub height: usize,
}

/// Where all nodes are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// How wide the picture is.
    pub width: usize,
    /// How high the picture is.
    pub height: usize,
    /// The nodes' places.
    pub boxes: Vec<Box>,
}

/// Places nodes of these widths, so that edges go to the right and cross little.
pub fn layout(widths: &[usize], edges: &[(usize, usize)]) -> Layout {
    let ranks = ranks(widths.len(), edges);
    let count = ranks.iter().max().map_or(0, |last| last + 1);
    let mut layers = vec![Vec::new(); count];
    for (node, rank) in ranks.iter().enumerate() {
        if let Some(layer) = layers.get_mut(*rank) {
            layer.push(node);
        }
    }
    uncross(&mut layers, widths.len(), edges);
    let highest = layers.iter().map(Vec::len).max().unwrap_or_default();
    let tall = |nodes: usize| nodes * (HEIGHT + GAP);
    let mut boxes = vec![Box::default(); widths.len()];
    let mut x = MARGIN;
    for layer in &layers {
        let of = |node: &usize| widths.get(*node).copied().unwrap_or_default();
        let width = layer.iter().map(of).max().unwrap_or_default();
        let top = MARGIN + (tall(highest) - tall(layer.len())) / 2;
        for (place, node) in layer.iter().enumerate() {
            if let Some(found) = boxes.get_mut(*node) {
                *found = Box {
                    x,
                    y: top + tall(place),
                    width,
                    height: HEIGHT,
                };
            }
        }
        x += width + BETWEEN;
    }
    Layout {
        width: x.saturating_sub(BETWEEN) + MARGIN,
        height: tall(highest) + 2 * MARGIN,
        boxes,
    }
}

/// The nodes that each one has edges to.
fn targets(count: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut targets = vec![Vec::new(); count];
    for (from, to) in edges {
        if let Some(list) = targets.get_mut(*from).filter(|_| from != to) {
            list.push(*to);
        }
    }
    targets
}

/// The layer of each node: one more than the last of those with edges to it. Edges that close a circle are passed over.
fn ranks(count: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let targets = targets(count, edges);
    let order = order(&targets);
    let mut place = vec![0; count];
    for (at, node) in order.iter().enumerate() {
        place[*node] = at;
    }
    let mut ranks = vec![0; count];
    for node in order {
        for to in &targets[node] {
            if place[*to] > place[node] {
                ranks[*to] = ranks[*to].max(ranks[node] + 1);
            }
        }
    }
    ranks
}

/// The nodes so that edges lead to later ones, but for those that close a circle.
fn order(targets: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; targets.len()];
    let mut order = Vec::with_capacity(targets.len());
    for root in 0..targets.len() {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        // Depth first, without recursion: a node comes after everything that it leads to.
        let mut path = vec![(root, 0)];
        while let Some((node, next)) = path.last_mut() {
            match targets[*node].get(*next) {
                Some(to) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[*to], true) {
                        path.push((*to, 0));
                    }
                }
                None => {
                    order.push(*node);
                    path.pop();
                }
            }
        }
    }
    order.reverse();
    order
}

/// Orders each layer by the middle of its nodes' neighbors, to and fro.
fn uncross(layers: &mut [Vec<usize>], count: usize, edges: &[(usize, usize)]) {
    let to = targets(count, edges);
    let reversed: Vec<_> = edges.iter().map(|(from, to)| (*to, *from)).collect();
    let from = targets(count, &reversed);
    let mut place = vec![0.0; count];
    let settle = |layer: &[usize], place: &mut Vec<f64>| {
        for (at, node) in layer.iter().enumerate() {
            place[*node] = (at as f64 + 0.5) / layer.len() as f64;
        }
    };
    for layer in layers.iter() {
        settle(layer, &mut place);
    }
    for sweep in 0..SWEEPS {
        let forward = sweep % 2 == 0;
        let neighbors = if forward { &from } else { &to };
        let mut improve = |layer: &mut Vec<usize>| {
            let middle = |node: &usize| {
                let list = &neighbors[*node];
                let sum: f64 = list.iter().map(|other| place[*other]).sum();
                match list.len() {
                    0 => place[*node],
                    several => sum / several as f64,
                }
            };
            layer.sort_by(|a, b| middle(a).total_cmp(&middle(b)));
            settle(layer, &mut place);
        };
        if forward {
            layers.iter_mut().for_each(&mut improve)
        } else {
            layers.iter_mut().rev().for_each(&mut improve)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn edges_lead_to_the_right_unless_they_close_a_circle() {
        let edges = [(0, 1), (1, 2), (0, 2), (2, 1), (3, 3)];
        let boxes = layout(&[10, 20, 30, 40], &edges).boxes;
        assert!(boxes[0].x < boxes[1].x && boxes[1].x < boxes[2].x);
        assert_eq!(boxes[3].x, boxes[0].x);
    }

    #[test]
    fn nodes_change_places_so_that_edges_do_not_cross() {
        let boxes = layout(&[10; 4], &[(0, 3), (1, 2)]).boxes;
        assert_eq!(boxes[0].y < boxes[1].y, boxes[3].y < boxes[2].y);
    }

    proptest! {
        #[test]
        fn boxes_do_not_overlap_and_are_in_the_picture(
            edges in prop::collection::vec((0_usize..12, 0_usize..12), 0..40)
        ) {
            let found = layout(&[30; 12], &edges);
            for (at, a) in found.boxes.iter().enumerate() {
                prop_assert!(a.x + a.width <= found.width && a.y + a.height <= found.height);
                for b in &found.boxes[at + 1..] {
                    let apart = a.x + a.width <= b.x || b.x + b.width <= a.x
                        || a.y + a.height <= b.y || b.y + b.height <= a.y;
                    prop_assert!(apart, "{a:?} {b:?}");
                }
            }
        }
    }
}
