//! Values that the resolvers of one request share, one of each type.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;

type Cells = HashMap<TypeId, Arc<dyn Any + Send + Sync>>;

/// The shared values. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Shared(Arc<Mutex<Cells>>);

impl Shared {
    /// The place of a type's value.
    pub(super) fn cell<T: Send + Sync + 'static>(&self) -> Arc<OnceCell<Arc<T>>> {
        let mut cells = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let cell = cells.entry(TypeId::of::<T>());
        let cell = cell.or_insert_with(|| Arc::new(OnceCell::<Arc<T>>::new()));
        // A cell is found by its type, so this never makes a new one.
        Arc::clone(cell).downcast().unwrap_or_default()
    }

    /// Forgets the value of a type.
    pub(super) fn forget<T: 'static>(&self) {
        let mut cells = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        cells.remove(&TypeId::of::<T>());
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Shared")
    }
}
