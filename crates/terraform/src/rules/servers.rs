//! Services that only other resources open: database servers with firewall rules, services of Cloud Run with invokers.

use std::collections::BTreeMap;

use super::answers::Answers;
use super::bindings::any_binding;
use super::look::{Answer, holds};
use super::named::Names;
use super::protects::{for_named, unless, which};
use super::types::{self, Opener, Opens};
use crate::graph::{Built, Values};

/// Which services other resources open.
#[derive(Debug, Default)]
pub struct Servers {
    /// By service.
    open: Answers,
    /// By root module and type of service, the same of resources that may be about any of them.
    stray: Answers,
    /// By service, whether something narrows who gets in.
    narrowed: Answers,
}

impl Servers {
    /// All services that others open.
    pub fn of(built: &Built, names: &Names, resources: &[(String, String)]) -> Self {
        // The types that open others, with the types of these.
        let mut openers: BTreeMap<&str, Vec<(&str, &Opener, bool)>> = BTreeMap::new();
        for row in types::all() {
            for opener in row.opened_by {
                openers
                    .entry(opener.kind)
                    .or_default()
                    .push((row.name, opener, false));
            }
            for opener in row.narrowed_by {
                openers
                    .entry(opener.kind)
                    .or_default()
                    .push((row.name, opener, true));
            }
        }
        let mut servers = Self::default();
        for (id, kind) in resources {
            for (server, opener, narrows) in openers.get(kind.as_str()).into_iter().flatten() {
                for values in built.instances(id).iter() {
                    let open = opens(built, opener, values);
                    // A service may be opened by its own arguments.
                    if server == kind {
                        servers.open.add(id, open);
                        continue;
                    }
                    let named = names.at(built, id, values, opener.path, opener.subject);
                    for to in &named.nodes {
                        let open = for_named(built, id, "server", &named, to, open.clone());
                        servers.open.add(to, open);
                        if *narrows {
                            let there = for_named(built, id, "server", &named, to, Answer::Yes);
                            servers.narrowed.add(to, there);
                        }
                    }
                    if named.nodes.is_empty() && !named.is_absent {
                        let doubt = which("server", id);
                        let any = any_of(built, id, server);
                        servers.stray.add(&any, unless(open, Some(doubt)));
                    }
                }
            }
        }
        servers
    }

    /// Whether other resources open a service; `None` if its type needs none.
    pub fn open(&self, built: &Built, id: &str, kind: &str) -> Option<Answer> {
        let row = types::of(kind)?;
        if !row.opened_by.is_empty() {
            return Some(self.open.of(id).or(self.stray.of(&any_of(built, id, kind))));
        }
        if row.narrowed_by.is_empty() {
            return None;
        }
        Some(super::look::not(self.narrowed.of(id)).or(self.open.of(id)))
    }
}

/// What stands for every service of a type in the root module of a node.
fn any_of(built: &Built, id: &str, kind: &str) -> String {
    format!("{}/{kind}", built.place_of(id).0)
}

/// Whether a resource lets everyone in.
fn opens(built: &Built, opener: &Opener, values: &Values) -> Answer {
    match opener.opens {
        Opens::If(tests) => holds(values, tests),
        Opens::IfBinding(tests) => any_binding(built, values, |binding| holds(binding, tests)),
    }
}
