//! The objects of the schema.

mod application;
mod fields;
mod history;
mod insight;
mod stage;

use async_graphql::{Context, ID, Interface};

use crate::api::ApiError;
use crate::applications::error::StoreError;
use crate::applications::store::{Applications, Entries, Found, Part};

pub use application::Application;
pub use history::HistoryEntry;
pub use insight::ApplicationInsight;
pub use stage::InterviewStage;

/// Anything that can be fetched again by its id.
#[derive(Interface)]
#[graphql(field(name = "id", ty = "ID", desc = "The thing's id: opaque, and stable."))]
pub enum Node {
    /// A job application.
    Application(Box<Application>),
    /// An interview stage.
    InterviewStage(InterviewStage),
    /// A history entry.
    HistoryEntry(Box<HistoryEntry>),
}

impl Node {
    /// Something that was looked up.
    ///
    /// # Errors
    /// A fault where its item is malformed.
    pub fn found(found: Found, part: Part) -> Result<Self, ApiError> {
        Ok(match found {
            Found::Application(application) => {
                Node::Application(Box::new(Application::listed(*application, part)))
            }
            Found::Stage(id, stage) => Node::InterviewStage(InterviewStage::new(id, stage)),
            Found::Entry(id, line) => Node::HistoryEntry(Box::new(HistoryEntry::new(id, *line)?)),
        })
    }
}

/// The request's store.
pub fn store<'a>(ctx: &Context<'a>) -> Result<&'a Applications, ApiError> {
    ctx.data_opt()
        .ok_or_else(|| ApiError::internal(StoreError::LostKey))
}

/// The request's loader.
fn entries<'a>(ctx: &Context<'a>) -> Result<&'a Entries, ApiError> {
    ctx.data_opt()
        .ok_or_else(|| ApiError::internal(StoreError::LostKey))
}
