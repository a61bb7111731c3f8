//! What an argument makes of the resource that it names.

/// What goes along an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Requests come from what the argument names.
    ComesFrom,
    /// Requests go on to it.
    RoutesTo,
    /// The resource reads it, and may write it.
    Reads,
    /// The resource writes to it.
    Writes,
    /// It is a setting, and nothing goes there.
    ConfiguredBy,
}

/// An argument or block, and what it makes of what is named in it.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The argument; blocks around it come first: `template.service_account`.
    pub path: &'static str,
    pub flow: Flow,
}

const fn link(path: &'static str, flow: Flow) -> Link {
    Link { path, flow }
}

pub const fn comes_from(path: &'static str) -> Link {
    link(path, Flow::ComesFrom)
}

pub const fn routes_to(path: &'static str) -> Link {
    link(path, Flow::RoutesTo)
}

pub const fn reads(path: &'static str) -> Link {
    link(path, Flow::Reads)
}

pub const fn writes(path: &'static str) -> Link {
    link(path, Flow::Writes)
}

pub const fn configured_by(path: &'static str) -> Link {
    link(path, Flow::ConfiguredBy)
}

/// What an argument at a path makes of what it names: the longest link that has it decides, and without one it is a setting.
pub fn flow(links: &[Link], path: &str) -> Flow {
    let links = links.iter().filter(|link| {
        let rest = path.strip_prefix(link.path);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    });
    let link = links.max_by_key(|link| link.path.len());
    link.map_or(Flow::ConfiguredBy, |link| link.flow)
}
