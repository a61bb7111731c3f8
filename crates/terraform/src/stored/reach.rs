//! What can reach what, over the edges that carry traffic or access.

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::Rows;

/// What stands for every node that the internet reaches.
const INTERNET: &str = "INTERNET";

/// What a node reaches: by place, the place from which it is reached first.
#[derive(Debug, Default)]
pub struct Reach {
    before: BTreeMap<usize, Option<usize>>,
}

impl Reach {
    /// What a node reaches, or the internet; `None` if there is no such node.
    pub fn from(rows: &Rows, from: &str) -> Option<Self> {
        let ids = rows.nodes.iter().enumerate();
        let places: HashMap<&str, usize> = ids.map(|(at, node)| (&*node.id, at)).collect();
        let starts: Vec<usize> = match from {
            INTERNET => {
                let all = rows.nodes.iter().enumerate();
                all.filter(|(_, node)| node.internet_exposed)
                    .map(|(at, _)| at)
                    .collect()
            }
            id => vec![*places.get(id)?],
        };
        let mut next: HashMap<usize, Vec<usize>> = HashMap::new();
        for at in 0..rows.edge_count() {
            let Some((from, to)) = rows.edge(at).and_then(|edge| edge.traffic()) else {
                continue;
            };
            if let (Some(from), Some(to)) = (places.get(from), places.get(to)) {
                next.entry(*from).or_default().push(*to);
            }
        }
        let mut reach = Self::default();
        let mut left = VecDeque::new();
        for start in starts {
            reach.before.insert(start, None);
            left.push_back(start);
        }
        while let Some(at) = left.pop_front() {
            // Nothing goes on behind a datastore.
            if rows.nodes.get(at).is_some_and(|node| node.datastore) {
                continue;
            }
            for to in next.get(&at).into_iter().flatten() {
                if !reach.before.contains_key(to) {
                    reach.before.insert(*to, Some(at));
                    left.push_back(*to);
                }
            }
        }
        Some(reach)
    }

    /// Whether a node is reached.
    pub fn has(&self, place: usize) -> bool {
        self.before.contains_key(&place)
    }

    /// The places on the shortest way to a node; `None` if it is not reached.
    pub fn path(&self, to: usize) -> Option<Vec<usize>> {
        let mut path = vec![to];
        let mut at = to;
        while let Some(before) = self.before.get(&at)? {
            path.push(*before);
            at = *before;
        }
        path.reverse();
        Some(path)
    }
}
