//! The arguments of each type that decide a finding: they are kept, so that a comparison shows them before and after.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::{MEMBER, MEMBERS, Opener, Opens, ResourceType, all};
use crate::rules::facts;
use crate::rules::table::Test;

/// The arguments of a type that decide a finding.
#[derive(Debug, Default)]
pub struct Kept {
    /// Arguments, after the blocks around them: `network_acls.default_action`.
    paths: BTreeSet<String>,
    /// The blocks around these.
    blocks: BTreeSet<String>,
    /// Arguments with a document in JSON, or a list of these: a policy.
    documents: BTreeSet<String>,
}

/// Of a policy of AWS that is a data source.
const OF_DOCUMENT: [&str; 5] = [
    "statement.condition.test",
    "statement.condition.variable",
    "statement.not_principals.identifiers",
    "statement.principals.identifiers",
    "statement.sid",
];

/// Of a policy of Google in JSON.
const OF_BINDINGS: [&str; 2] = ["policy_data.bindings.members", "policy_data.bindings.role"];

static KEPT: LazyLock<BTreeMap<&'static str, Kept>> = LazyLock::new(|| {
    let mut kept: BTreeMap<&str, Kept> = BTreeMap::new();
    for row in all() {
        kept.entry(row.name).or_default().add(row);
        for opener in row.opened_by.iter().chain(row.narrowed_by) {
            kept.entry(opener.kind).or_default().add_opener(opener);
        }
    }
    let of_document = kept.entry("aws_iam_policy_document").or_default();
    OF_DOCUMENT.iter().for_each(|path| of_document.path(path));
    let of_google = kept.entry("google_iam_policy").or_default();
    ["binding.members", "binding.role"]
        .iter()
        .for_each(|path| of_google.path(path));
    kept
});
static MEMBERSHIP: LazyLock<Kept> = LazyLock::new(|| {
    let mut kept = Kept::default();
    kept.tests(MEMBER);
    kept.tests(MEMBERS);
    kept.path("role");
    kept.documents.insert("policy_data".to_owned());
    OF_BINDINGS.iter().for_each(|path| kept.path(path));
    kept
});
static NONE: LazyLock<Kept> = LazyLock::new(Kept::default);

/// The arguments of a type that decide a finding.
pub fn kept(name: &str) -> &'static Kept {
    if facts::is_membership(name) {
        return &MEMBERSHIP;
    }
    KEPT.get(name).unwrap_or(&NONE)
}

impl Kept {
    fn add(&mut self, row: &ResourceType) {
        self.tests(row.exposed);
        self.tests(row.confined);
        row.renamed.iter().for_each(|(before, _)| self.path(before));
        for fact in row.facts {
            self.tests(fact.tests);
        }
        if let Some(encryption) = row.encrypted {
            for path in encryption.paths() {
                self.path(&path);
            }
        }
        let named = [row.attaches, row.runs_as].into_iter().flatten();
        for path in named.chain(row.decides.iter().copied()) {
            self.path(path);
        }
        if let Some(behind) = row.behind {
            self.path(behind.groups);
        }
        if let Some(placed) = row.placed {
            self.path(placed.address);
            placed.groups.iter().for_each(|path| self.path(path));
        }
        for path in [row.policy, row.grants].into_iter().flatten() {
            self.path(path);
            self.documents.insert(path.to_owned());
        }
    }

    fn add_opener(&mut self, opener: &Opener) {
        match opener.opens {
            Opens::If(tests) => self.tests(tests),
            Opens::IfBinding(_) => drop(self.documents.insert("policy_data".to_owned())),
        }
    }

    fn tests(&mut self, tests: &[Test]) {
        for path in tests.iter().flat_map(|test| test.paths()) {
            self.path(&path);
        }
    }

    fn path(&mut self, path: &str) {
        self.paths.insert(path.to_owned());
        for (at, _) in path.match_indices('.') {
            self.blocks
                .insert(path.get(..at).unwrap_or_default().to_owned());
        }
    }

    /// Whether the value of an argument is kept. Everything in it is, if the argument is a map.
    pub fn has(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    /// Whether an argument decides a finding, or is in a document or a map that does, or around such an argument.
    pub fn decides(&self, path: &str) -> bool {
        let mut all = self.paths.iter().chain(&self.documents);
        self.blocks.contains(path)
            || all.any(|one| {
                let rest = path.strip_prefix(one.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
    }

    /// Whether an argument that is kept is in this block.
    pub fn has_block(&self, path: &str) -> bool {
        self.blocks.contains(path)
    }

    /// Whether an argument has a document.
    pub fn is_document(&self, path: &str) -> bool {
        self.documents.contains(path)
    }

    /// The names of the arguments and blocks of the type.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let paths = self.paths.iter().chain(&self.documents);
        paths.map(|path| path.split('.').next().unwrap_or(path))
    }
}
