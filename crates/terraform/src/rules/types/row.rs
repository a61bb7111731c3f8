//! One row of the table of types: everything that is known of a type of resource.

use super::super::encryption::Encryption;
use super::super::facts::Fact;
use super::super::named::Subject;
use super::super::table::Test;
use super::links::Link;
use crate::versions::Version;

/// What is known of a type of resource. A type with a row counts as looked at, even if no rule can find anything in it.
#[derive(Clone, Copy, Debug)]
pub struct ResourceType {
    /// Its name, such as `aws_db_instance`.
    pub name: &'static str,
    /// The internet reaches it if all of these hold, and what the next ones need. Empty if it has no address.
    pub exposed: &'static [Test],
    /// The security groups that have to let the internet in as well.
    pub behind: Option<Behind>,
    /// Where its address and its groups are, if it is placed in a network.
    pub placed: Option<Placed>,
    /// What it is in a network, if others are drawn in the network by it.
    pub network: Option<Network>,
    /// Other resources, one of which has to let the internet in as well. Empty if none has to.
    pub opened_by: &'static [Opener],
    /// Other resources, each of which keeps the internet out, unless one of them lets it in.
    pub narrowed_by: &'static [Opener],
    pub stores: bool,
    /// How its data is encrypted.
    pub encrypted: Option<Encryption>,
    /// What its arguments decide by themselves.
    pub facts: &'static [Fact],
    /// The argument with its resource policy.
    pub policy: Option<&'static str>,
    /// No policy lets everyone in if one of these holds: its address is in a private network, or public policies are blocked.
    pub confined: &'static [Test],
    /// Arguments that its provider has renamed: the earlier name of each, and the present one, which the rules read.
    pub renamed: &'static [(&'static str, &'static str)],
    /// Flags with defaults that depend on the version of its provider.
    pub defaults: &'static [VersionedDefault],
    /// The argument with a policy of an identity.
    pub grants: Option<&'static str>,
    /// The argument that names policies of an identity.
    pub attaches: Option<&'static str>,
    /// The argument that names the role with which it runs.
    pub runs_as: Option<&'static str>,
    /// What its arguments make of the resources that they name.
    pub links: &'static [Link],
    /// Other arguments that decide a finding, of it or of another resource.
    pub decides: &'static [&'static str],
    /// The inside of a block in which something is found.
    pub bad: &'static str,
    /// The inside of one in which nothing is found, and everything is decided.
    pub good: &'static str,
}

/// The defaults of a flag, each from a version of its provider on: major, minor and patch. Before the first one it is not known.
#[derive(Clone, Copy, Debug)]
pub struct VersionedDefault {
    pub path: &'static str,
    pub since: &'static [(Version, bool)],
}

/// Before every version.
pub const EVERY: Version = (0, 0, 0);

pub const fn since(path: &'static str, since: &'static [(Version, bool)]) -> VersionedDefault {
    VersionedDefault { path, since }
}

/// Security groups of a service, or of its cluster.
#[derive(Clone, Copy, Debug)]
pub struct Behind {
    /// The argument with the groups.
    pub groups: &'static str,
    /// The argument that names its cluster, if that has the groups.
    pub cluster: Option<&'static str>,
    /// The port that has to be open.
    pub port: Port,
}

/// The port on which a service listens if it has no `port`.
#[derive(Clone, Copy, Debug)]
pub enum Port {
    /// Any port counts.
    Any,
    /// This one.
    Default(u16),
    /// The one of its engine.
    OfEngine,
}

/// Where the arguments of a service in a network are.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// Whether it has a public address.
    pub address: &'static str,
    /// Its security groups.
    pub groups: &'static [&'static str],
    /// Its subnet, which decides if the address is left out; without one it has none.
    pub subnet: Option<&'static str>,
}

/// What a type is in a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// A network.
    Whole,
    /// A part of one: what names it is in the network that it names.
    Part,
}

/// A type whose resources let someone in to another one.
#[derive(Clone, Copy, Debug)]
pub struct Opener {
    /// The type; the type of the row itself if its own arguments may let everyone in.
    pub kind: &'static str,
    /// The argument that names the other resource.
    pub path: &'static str,
    /// What the argument may name.
    pub subject: Subject,
    /// When everyone gets in.
    pub opens: Opens,
}

/// When a resource lets everyone in.
#[derive(Clone, Copy, Debug)]
pub enum Opens {
    /// If all of these hold of its arguments.
    If(&'static [Test]),
    /// If all of these hold of a binding of its policy of Google.
    IfBinding(&'static [Test]),
}

/// The row of a type about which nothing but its name is known.
pub const fn row(name: &'static str) -> ResourceType {
    ResourceType {
        name,
        exposed: &[],
        behind: None,
        placed: None,
        network: None,
        opened_by: &[],
        narrowed_by: &[],
        stores: false,
        encrypted: None,
        facts: &[],
        policy: None,
        confined: &[],
        renamed: &[],
        defaults: &[],
        grants: None,
        attaches: None,
        runs_as: None,
        links: &[],
        decides: &[],
        bad: "",
        good: "",
    }
}

impl ResourceType {
    pub const fn exposed(mut self, tests: &'static [Test]) -> Self {
        self.exposed = tests;
        self
    }

    pub const fn behind(mut self, behind: Behind) -> Self {
        self.behind = Some(behind);
        self
    }

    pub const fn placed(mut self, placed: Placed) -> Self {
        self.placed = Some(placed);
        self
    }

    pub const fn network(mut self, network: Network) -> Self {
        self.network = Some(network);
        self
    }

    pub const fn opened_by(mut self, openers: &'static [Opener]) -> Self {
        self.opened_by = openers;
        self
    }

    pub const fn narrowed_by(mut self, openers: &'static [Opener]) -> Self {
        self.narrowed_by = openers;
        self
    }

    pub const fn stores(mut self) -> Self {
        self.stores = true;
        self
    }

    pub const fn encrypted(mut self, encryption: Encryption) -> Self {
        self.encrypted = Some(encryption);
        self
    }

    pub const fn facts(mut self, facts: &'static [Fact]) -> Self {
        self.facts = facts;
        self
    }

    pub const fn policy(mut self, argument: &'static str) -> Self {
        self.policy = Some(argument);
        self
    }

    pub const fn confined(mut self, tests: &'static [Test]) -> Self {
        self.confined = tests;
        self
    }

    pub const fn renamed(mut self, names: &'static [(&'static str, &'static str)]) -> Self {
        self.renamed = names;
        self
    }

    pub const fn defaults(mut self, defaults: &'static [VersionedDefault]) -> Self {
        self.defaults = defaults;
        self
    }

    pub const fn grants(mut self, argument: &'static str) -> Self {
        self.grants = Some(argument);
        self
    }

    pub const fn attaches(mut self, argument: &'static str) -> Self {
        self.attaches = Some(argument);
        self
    }

    pub const fn runs_as(mut self, argument: &'static str) -> Self {
        self.runs_as = Some(argument);
        self
    }

    pub const fn links(mut self, links: &'static [Link]) -> Self {
        self.links = links;
        self
    }

    pub const fn decides(mut self, arguments: &'static [&'static str]) -> Self {
        self.decides = arguments;
        self
    }

    pub const fn examples(mut self, bad: &'static str, good: &'static str) -> Self {
        self.bad = bad;
        self.good = good;
        self
    }
}
