//! What changes, for those who watch.

use tokio::sync::OnceCell;
use uuid::Uuid;

use super::checklist::ChecklistItem;
use super::poll::{PollOption, PollVote};
use super::shareable::Shareable;
use super::short_id::ShortId;
use trestle_domain::Moment;

/// One change of a shareable.
#[derive(Clone, Debug)]
pub struct Event {
    pub short_id: ShortId,
    pub at: Moment,
    pub what: EventKind,
    /// The shareable after the change, as the first who watches has read it for all.
    pub current: OnceCell<Option<Shareable>>,
    /// The options of a poll after the change, as the first who asks for them has read them for all.
    pub options: OnceCell<Vec<PollOption>>,
}

/// What an event reports.
#[derive(Clone, Debug)]
pub enum EventKind {
    /// The shareable itself changed.
    Changed,
    /// An item was added, changed, moved or ticked.
    Item(Box<ChecklistItem>),
    /// Several items were added, moved or unticked.
    Items(Vec<ChecklistItem>),
    /// An item was deleted.
    ItemDeleted(Uuid),
    /// Several items were deleted.
    ItemsDeleted(Vec<Uuid>),
    /// An option was added, changed or moved.
    Option(Box<PollOption>),
    /// Several options moved.
    Options,
    /// An option was deleted.
    OptionDeleted(Uuid),
    /// Somebody voted, or changed their vote.
    Voted(Box<PollVote>),
    /// The vote of this voter was removed.
    VoteRemoved(Uuid),
    /// Passcodes changed, or a device or an invitation was taken back: whoever watches with another seal has to open it
    /// again.
    AccessChanged,
    /// The shareable was deleted.
    Deleted,
}
