//! Names out of what clients send, so few and so short that a stranger cannot fill the memory of whoever
//! collects them.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock};

/// The most operation names of a service that have a label of their own.
const MAX_NAMES: usize = 200;
/// The most characters of one.
const MAX_LENGTH: usize = 64;

/// What later and longer names count as.
pub(super) const OTHER: &str = "other";
/// What operations without a name count as.
pub(super) const ANONYMOUS: &str = "anonymous";
/// What requests count as that reached no operation or service.
pub(super) const NONE: &str = "none";

/// The first names seen of each service.
#[derive(Debug, Default)]
pub(super) struct BoundedNames(RwLock<HashMap<&'static str, HashSet<Arc<str>>>>);

impl BoundedNames {
    /// The label for `name`: the name itself for the first ones of the service, `other` for the rest.
    pub(super) fn label(&self, service: &'static str, name: &str) -> Arc<str> {
        if name.len() > MAX_LENGTH {
            return OTHER.into();
        }
        if let Some(known) = self
            .0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(service)
            .and_then(|names| names.get(name))
        {
            return Arc::clone(known);
        }
        let mut services = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let names = services.entry(service).or_default();
        if let Some(known) = names.get(name) {
            return Arc::clone(known);
        }
        if names.len() >= MAX_NAMES {
            return OTHER.into();
        }
        let label: Arc<str> = name.into();
        names.insert(Arc::clone(&label));
        label
    }
}
