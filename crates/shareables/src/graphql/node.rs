//! What `node` and `nodes` return.

use async_graphql::{ID, Interface};

use super::types::{AnyShareable, Checklist, Poll};
use crate::checklist::ChecklistItem;
use crate::poll::PollOption;

/// An object with an ID.
#[derive(Interface)]
#[graphql(field(name = "id", ty = "ID", desc = "ID of the object."))]
pub enum Node {
    /// A checklist.
    Checklist(Checklist),
    /// A poll.
    Poll(Poll),
    /// An item of a checklist.
    ChecklistItem(ChecklistItem),
    /// An option of a poll.
    PollOption(PollOption),
}

impl From<AnyShareable> for Node {
    fn from(shareable: AnyShareable) -> Self {
        match shareable {
            AnyShareable::Checklist(checklist) => Node::Checklist(checklist),
            AnyShareable::Poll(poll) => Node::Poll(poll),
        }
    }
}
