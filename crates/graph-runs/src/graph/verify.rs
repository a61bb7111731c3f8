//! Verifying a graph: its edges' ends are there, its figures, and the hash of its canonical JSON (RFC 8785).

use std::collections::{BTreeMap, HashMap, HashSet};

use sha2::{Digest, Sha256};

use crate::model::{GraphHash, Summary};

use trestle_terraform::stored::{Edge, GraphProblem, Node, Visitor};

/// Bytes that are kept until their turn in the hash comes: in pieces, because one that grows is copied, and
/// twice there while it is.
const PIECE: usize = 1024 * 1024;

/// Verifies a graph while it is read. It keeps the elements' canonical JSON, each id once, and 12 bytes for
/// each edge.
#[derive(Default)]
pub struct Verifier {
    /// A number for each id that a node or an edge names.
    numbers: HashMap<Box<str>, u32>,
    /// By number, whether there is such a node.
    declared: Vec<bool>,
    kinds: HashMap<String, u32>,
    edges: HashSet<(u32, u32, u32)>,
    summary: Summary,
    texts: BTreeMap<Name, Pieces>,
}

/// What a graph was found to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Its figures.
    pub summary: Summary,
    /// The hash of its canonical JSON.
    pub hash: GraphHash,
}

/// A member's name in the order of RFC 8785, 3.2.3: by UTF-16 code units.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Name(Vec<u16>, String);

impl Name {
    fn new(name: &str) -> Self {
        Self(name.encode_utf16().collect(), name.to_owned())
    }
}

#[derive(Default)]
struct Pieces(Vec<Vec<u8>>);

impl Pieces {
    fn push(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = self.0.last().map_or(0, |piece| PIECE - piece.len());
            if room == 0 {
                self.0.push(Vec::with_capacity(PIECE));
                continue;
            }
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            if let Some(piece) = self.0.last_mut() {
                piece.extend_from_slice(now);
            }
            bytes = later;
        }
    }

    fn element(&mut self, canonical: &[u8]) {
        if !self.0.is_empty() {
            self.push(b",");
        }
        self.push(canonical);
    }
}

impl Verifier {
    fn number(&mut self, id: &str) -> Result<u32, GraphProblem> {
        if let Some(number) = self.numbers.get(id) {
            return Ok(*number);
        }
        let number = u32::try_from(self.declared.len())
            .map_err(|_| GraphProblem("The graph has too many nodes.".to_owned()))?;
        self.numbers.insert(id.into(), number);
        self.declared.push(false);
        Ok(number)
    }

    /// What the graph is, now that it was read to its end.
    ///
    /// # Errors
    /// An edge names a node that is not there.
    pub fn finish(mut self) -> Result<Verified, GraphProblem> {
        if self.declared.contains(&false) {
            let missing = self
                .numbers
                .iter()
                .filter(|(_, number)| !self.declared[**number as usize])
                .map(|(id, _)| id)
                .min();
            let missing = missing.map(AsRef::as_ref).unwrap_or_default();
            let message = format!("An edge names the node `{missing}`, which is not there.");
            return Err(GraphProblem(message));
        }
        for name in ["nodes", "edges"] {
            self.texts.entry(Name::new(name)).or_default();
        }
        let mut digest = Sha256::new();
        let mut before = "{";
        for (name, text) in &self.texts {
            digest.update(before);
            before = ",";
            let name = &name.1;
            digest.update(canonical_text(name)?);
            digest.update(":");
            let is_list = matches!(name.as_str(), "nodes" | "edges");
            digest.update(if is_list { "[" } else { "" });
            text.0.iter().for_each(|piece| digest.update(piece));
            digest.update(if is_list { "]" } else { "" });
        }
        digest.update("}");
        Ok(Verified {
            summary: self.summary,
            hash: GraphHash::new(&digest.finalize()),
        })
    }
}

fn canonical_text(text: &str) -> Result<Vec<u8>, GraphProblem> {
    serde_json_canonicalizer::to_vec(&text)
        .map_err(|error| GraphProblem(format!("The graph has no canonical JSON: {error}.")))
}

impl Visitor for Verifier {
    fn node(&mut self, node: Node) -> Result<(), GraphProblem> {
        let number = self.number(&node.id)? as usize;
        if std::mem::replace(&mut self.declared[number], true) {
            let message = format!("The graph has the node `{}` twice.", node.id);
            return Err(GraphProblem(message));
        }
        self.summary.nodes += 1;
        self.summary.internet_exposed += u64::from(node.internet_exposed);
        self.summary.datastores += u64::from(node.datastore);
        self.summary.unresolved += u64::from(node.unresolved);
        let texts = self.texts.entry(Name::new("nodes")).or_default();
        texts.element(&node.canonical);
        Ok(())
    }

    fn edge(&mut self, edge: Edge) -> Result<(), GraphProblem> {
        let ends = (self.number(&edge.from)?, self.number(&edge.to)?);
        let next = u32::try_from(self.kinds.len()).unwrap_or(u32::MAX);
        let kind = match self.kinds.get(&edge.kind) {
            Some(kind) => *kind,
            None => *self.kinds.entry(edge.kind.clone()).or_insert(next),
        };
        if !self.edges.insert((ends.0, ends.1, kind)) {
            let (from, to, kind) = (&edge.from, &edge.to, &edge.kind);
            let message = format!("The graph has the edge `{from}` to `{to}` ({kind}) twice.");
            return Err(GraphProblem(message));
        }
        self.summary.edges += 1;
        let texts = self.texts.entry(Name::new("edges")).or_default();
        texts.element(&edge.canonical);
        Ok(())
    }

    fn other(&mut self, name: &str, canonical: Vec<u8>) {
        self.texts
            .entry(Name::new(name))
            .or_default()
            .push(&canonical);
    }
}

#[cfg(test)]
mod tests {
    use trestle_terraform::stored::read;

    use super::*;

    fn verify(text: &str) -> Result<Verified, GraphProblem> {
        let mut verifier = Verifier::default();
        read(text.as_bytes(), &mut verifier)?;
        verifier.finish()
    }

    #[test]
    fn the_hash_is_that_of_the_whole_canonical_document() {
        for text in [
            r#"{"nodes":[],"edges":[]}"#,
            r#"{"nodes":[{"id":"b","z":1.0,"a":[1e3]},{"id":"a","internetExposed":true}],"edges":[{"to":"a","from":"b"}]}"#,
            r#"{ "zeta": {"b": 1, "a": "\u00e9"}, "edges":[{"from":"a","to":"a","kind":"x"},{"from":"a","to":"a"}], "nodes":[{"id":"a","datastore":true}], "\ue000": 1, "\ud800\udc00": 2, "alpha": null}"#,
        ] {
            let value: serde_json::Value = serde_json::from_str(text).unwrap();
            let whole = serde_json_canonicalizer::to_vec(&value).unwrap();
            assert_eq!(
                verify(text).unwrap().hash,
                GraphHash::new(&Sha256::digest(whole))
            );
        }
    }

    #[test]
    fn the_figures_are_counted() {
        let text = r#"{"edges":[{"from":"a","to":"b"}],"nodes":[{"id":"a","internetExposed":true},{"id":"b","datastore":true,"internetExposed":true},{"id":"c"}]}"#;
        let summary = Summary {
            nodes: 3,
            edges: 1,
            internet_exposed: 2,
            datastores: 1,
            unresolved: 0,
        };
        assert_eq!(verify(text).unwrap().summary, summary);
    }

    #[test]
    fn what_is_no_graph_is_refused_with_a_reason() {
        for (text, reason) in [
            ("", "EOF"),
            ("[]", "an object with `nodes`"),
            ("{}", "`nodes` once"),
            (r#"{"nodes":[]}"#, "`edges` once"),
            (r#"{"nodes":[],"edges":[],"nodes":[]}"#, "`nodes` once"),
            (r#"{"nodes":{},"edges":[]}"#, "a list of nodes"),
            (r#"{"nodes":[{}],"edges":[]}"#, "nodes[0] needs `id`"),
            (r#"{"nodes":[{"id":""}],"edges":[]}"#, "nodes[0] needs `id`"),
            (
                r#"{"nodes":[{"id":"a"},{"id":"a"}],"edges":[]}"#,
                "`a` twice",
            ),
            (
                r#"{"nodes":[{"id":"a","datastore":"yes"}],"edges":[]}"#,
                "`datastore` is true or false",
            ),
            (
                r#"{"nodes":[{"id":"a"}],"edges":[{"from":"a","to":"b"}]}"#,
                "the node `b`, which is not there",
            ),
            (
                r#"{"nodes":[{"id":"a"}],"edges":[{"from":"a"}]}"#,
                "edges[0] needs `to`",
            ),
            (
                r#"{"nodes":[{"id":"a"}],"edges":[{"from":"a","to":"a"},{"to":"a","from":"a"}]}"#,
                "twice",
            ),
            (r#"{"nodes":[],"edges":[]} x"#, "trailing"),
        ] {
            let problem = verify(text).unwrap_err().0;
            assert!(problem.contains(reason), "{text}: {problem}");
        }
    }
}
