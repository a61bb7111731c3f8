//! What changes, for those who watch.

use uuid::Uuid;

use super::checklist::ChecklistItem;
use super::short_id::ShortId;

/// One change of a shareable.
#[derive(Clone, Debug)]
pub struct Event {
    pub short_id: ShortId,
    pub what: Happened,
}

/// What happened.
#[derive(Clone, Debug)]
pub enum Happened {
    /// The shareable itself changed, or one of its options.
    Changed,
    /// An item was added, changed, moved or ticked.
    Item(Box<ChecklistItem>),
    /// Several items moved.
    ItemsMoved,
    /// An item was deleted.
    ItemDeleted(Uuid),
    /// Somebody voted.
    Voted,
    /// Passcodes changed: whoever watches with another seal has to open it again.
    PasscodesChanged { seals: [String; 2] },
    /// The shareable was deleted.
    Deleted,
}
