//! Which versions of its providers a configuration may run with: what its lock file has selected, or else what its modules
//! require. Source: "Version Constraints" and "Dependency Lock File", the Terraform language documentation.

use std::collections::{BTreeMap, BTreeSet};

use hcl::expr::Expression;

/// Major, minor and patch.
pub type Version = (u64, u64, u64);

/// Registries of the providers whose versions are known, and who publishes these.
const REGISTRIES: [&str; 2] = ["registry.terraform.io/", "registry.opentofu.org/"];
const PUBLISHER: &str = "hashicorp/";
/// The operators of a constraint, each before those that it begins with.
const OPERATORS: [&str; 7] = ["~>", ">=", "<=", "!=", "=", ">", "<"];

/// What a module requires of a provider, by its name there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requirement {
    pub provider: String,
    /// Where the provider is from, if it says so.
    pub source: Option<String>,
    pub constraint: String,
}

/// The versions that are possible: from one on, and up to another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Range {
    from: Version,
    to: Option<End>,
}

/// The order is that of what is left: before a version there is less than with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct End {
    version: Version,
    is_included: bool,
}

/// The possible versions of each provider, by its name.
#[derive(Clone, Debug, Default)]
pub struct Versions {
    ranges: BTreeMap<String, Range>,
    /// Providers of these names are not those that we know.
    others: BTreeSet<String>,
}

impl Versions {
    /// Narrows them by what a module requires.
    pub fn require(&mut self, requirement: &Requirement) {
        let name = &requirement.provider;
        let source = requirement.source.as_deref();
        if source.is_some_and(|source| published(source) != Some(name)) {
            self.others.insert(name.clone());
        }
        let range = self.ranges.entry(name.clone()).or_default();
        for part in requirement.constraint.split(',') {
            range.narrow(part.trim());
        }
    }

    /// Takes those that a lock file has selected. What cannot be read selects nothing.
    pub fn select(&mut self, lock: &str) {
        let Ok(lock) = hcl::parse(lock) else {
            return;
        };
        for block in lock
            .blocks()
            .filter(|block| block.identifier() == "provider")
        {
            let source = block.labels.first().map(|label| label.as_str());
            let mut attributes = block.body.attributes();
            let version = attributes.find(|attribute| attribute.key.as_str() == "version");
            let version = version.map(|attribute| &attribute.expr);
            if let (Some(name), Some(Expression::String(version))) =
                (source.and_then(published), version)
            {
                let mut range = Range::default();
                range.narrow(version);
                self.ranges.insert(name.to_owned(), range);
            }
        }
    }

    /// The value that a flag has by default, if it is the same in each version that is possible. Each value is given with the
    /// version from which on it is the default.
    pub fn default_of(&self, provider: &str, since: &[(Version, bool)]) -> Option<bool> {
        let range = self.ranges.get(provider).copied().unwrap_or_default();
        let (first, _) = since.first()?;
        if range.from < *first || !range.reaches(range.from) || self.others.contains(provider) {
            return None;
        }
        let mut found = None;
        let ends = since.iter().skip(1).map(|(version, _)| Some(*version));
        for ((start, value), end) in since.iter().zip(ends.chain([None])) {
            let is_possible = range.reaches(*start) && end.is_none_or(|end| range.from < end);
            if is_possible && found.is_some_and(|found| found != *value) {
                return None;
            }
            if is_possible {
                found = Some(*value);
            }
        }
        found
    }
}

impl Range {
    /// Leaves the versions that a constraint allows, or more if it cannot be read.
    fn narrow(&mut self, constraint: &str) {
        let operator = OPERATORS
            .into_iter()
            .find(|one| constraint.starts_with(one));
        let version = constraint.strip_prefix(operator.unwrap_or_default());
        let Some((version, parts)) = version.and_then(|text| read(text.trim())) else {
            return;
        };
        let (major, minor, _) = version;
        let (from, to) = match (operator, parts) {
            (None | Some("="), _) => (Some(version), Some(with(version))),
            (Some(">=" | ">"), _) => (Some(version), None),
            (Some("<="), _) => (None, Some(with(version))),
            (Some("<"), _) => (None, Some(before(version))),
            (Some("~>"), 3) => (Some(version), Some(before((major, minor + 1, 0)))),
            (Some("~>"), 2) => (Some(version), Some(before((major + 1, 0, 0)))),
            (Some("~>"), _) => (Some(version), None),
            (Some(_), _) => (None, None),
        };
        self.from = self.from.max(from.unwrap_or_default());
        self.to = self.to.into_iter().chain(to).min();
    }

    /// Whether it has a version from this one on.
    fn reaches(self, version: Version) -> bool {
        self.to
            .is_none_or(|to| version < to.version || to.is_included && version == to.version)
    }
}

fn with(version: Version) -> End {
    End {
        version,
        is_included: true,
    }
}

fn before(version: Version) -> End {
    End {
        version,
        is_included: false,
    }
}

/// A version, and how many of its parts are given. A prerelease is not one: its defaults are those of either version.
fn read(text: &str) -> Option<(Version, usize)> {
    let parts: Result<Vec<u64>, _> = text.split('.').map(str::parse).collect();
    match parts.ok()?.as_slice() {
        [major] => Some(((*major, 0, 0), 1)),
        [major, minor] => Some(((*major, *minor, 0), 2)),
        [major, minor, patch] => Some(((*major, *minor, *patch), 3)),
        _ => None,
    }
}

/// The name of a provider by its source: `azurerm` of `registry.opentofu.org/hashicorp/azurerm`.
fn published(source: &str) -> Option<&str> {
    let mut registries = REGISTRIES.iter();
    let short = registries.find_map(|registry| source.strip_prefix(registry));
    short.unwrap_or(source).strip_prefix(PUBLISHER)
}
