//! What is known of each type of resource: one row, with an example in which something is found and one that is clear.
//! Rules, the attributes that are kept, the edges that carry traffic, and the list of types that are looked at follow from it.

mod aws;
mod azure;
mod completed;
#[cfg(test)]
mod examples;
mod google;
mod kept;
mod links;
mod row;

pub use azure::{GROUPS, NESTED, PUBLIC_NETWORK};
pub use completed::Completed;
pub use google::{GRANTED, MEMBER, MEMBERS};
pub use kept::{Kept, kept};
pub use links::{Flow, flow};
pub use row::{Behind, Network, Opener, Opens, Placed, Port, ResourceType};

use super::facts;

/// Providers whose resources are nothing in a network.
pub const HARMLESS: [&str; 8] = [
    "archive",
    "local",
    "null",
    "random",
    "template",
    "terraform",
    "time",
    "tls",
];

/// The rows of each provider, sorted by name.
const ALL: [&[ResourceType]; 3] = [aws::TYPES, azure::TYPES, google::TYPES];

/// The row of a type.
pub fn of(name: &str) -> Option<&'static ResourceType> {
    ALL.iter().find_map(|rows| {
        let place = rows.binary_search_by(|row| row.name.cmp(name)).ok()?;
        rows.get(place)
    })
}

/// Every row.
pub fn all() -> impl Iterator<Item = &'static ResourceType> {
    ALL.iter().copied().flatten()
}

/// A group of machines, whose template has what others have in arguments of their own.
pub const MACHINES: &str = "aws_autoscaling_group";

/// Whether something goes along the arguments of a type.
pub fn has_links(name: &str) -> bool {
    of(name).is_some_and(|row| !row.links.is_empty())
}

/// Whether a rule looks at a type.
pub fn is_looked_at(name: &str) -> bool {
    let provider = name.split('_').next().unwrap_or_default();
    HARMLESS.contains(&provider) || of(name).is_some() || facts::is_membership(name)
}
