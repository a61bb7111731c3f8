//! The objects of the schema.

mod agenda;
mod application;
mod fields;
mod history;
mod insight;
mod stage;
mod viewer;

use async_graphql::{Context, ID, Interface};

use super::contacts::Contact;
use super::files::ApplicationFile;
use super::selection::Selected;
use crate::error::StoreError;
use crate::model::ApplicationId;
use crate::store::{Applications, AttachedLists, Entries, Found, Part, Postings};
use trestle_api::{ApiError, FromRequest};

pub use agenda::AgendaEntry;
pub use application::{Application, InterviewStage};
pub use fields::Nullable;
pub use history::HistoryEntry;
pub use insight::ApplicationInsight;
pub use viewer::Viewer;

/// An object with an id, by which it can be fetched again.
#[derive(Interface)]
#[graphql(field(name = "id", ty = "ID", desc = "The id: opaque and stable."))]
pub enum Node {
    /// A job application.
    Application(Box<Application>),
    /// An interview stage.
    InterviewStage(Box<InterviewStage>),
    /// A history entry.
    HistoryEntry(Box<HistoryEntry>),
    /// A contact.
    Contact(Box<Contact>),
    /// A file.
    ApplicationFile(Box<ApplicationFile>),
}

impl Node {
    /// What a look-up found.
    ///
    /// # Errors
    /// UNREADABLE if an attribute that it always has cannot be read.
    pub fn found(found: Found, part: Part) -> Result<Self, ApiError> {
        Ok(match found {
            Found::Application(application) => {
                Node::Application(Box::new(Application::listed(*application, part)?))
            }
            Found::Stage(stage) => Node::InterviewStage(Box::new(InterviewStage::new(*stage)?)),
            Found::Entry(id, line) => Node::HistoryEntry(Box::new(HistoryEntry::new(&id, *line)?)),
            Found::Contact(id, contact) => Node::Contact(Box::new(Contact::new(&id, *contact))),
            Found::File(id, file) => {
                Node::ApplicationFile(Box::new(ApplicationFile::new(&id, *file)))
            }
        })
    }
}

/// An application after a mutation of what is beside it. Null if there was none.
pub async fn read_again(ctx: &Context<'_>, id: Option<&ApplicationId>) -> Nullable<Application> {
    let id = id?;
    let read = async {
        let selected = Selected::below(ctx, &[]);
        let wanted = selected.with_history();
        let content = wanted.history.as_ref().map(|range| range.content);
        let detail = store(ctx)?.application(id, &wanted).await?;
        detail
            .map(|detail| Application::detail(detail, content))
            .transpose()
    };
    read.await.transpose()
}

/// The request's store.
pub fn store<'a>(ctx: &Context<'a>) -> Result<&'a Applications, ApiError> {
    ctx.data_opt()
        .ok_or_else(|| ApiError::internal(StoreError::LostKey))
}

impl<'c> FromRequest<'c> for &'c Applications {
    fn from_request(ctx: &Context<'c>) -> Result<Self, ApiError> {
        store(ctx)
    }
}

/// The request's loader of the lists beside applications.
pub fn attached_lists<'a>(ctx: &Context<'a>) -> Result<&'a AttachedLists, ApiError> {
    ctx.data_opt()
        .ok_or_else(|| ApiError::internal(StoreError::LostKey))
}

/// The request's loader.
pub fn entries<'a>(ctx: &Context<'a>) -> Result<&'a Entries, ApiError> {
    ctx.data_opt()
        .ok_or_else(|| ApiError::internal(StoreError::LostKey))
}

/// The request's loader of the applications to job postings.
pub fn postings<'a>(ctx: &Context<'a>) -> Result<&'a Postings, ApiError> {
    ctx.data_opt()
        .ok_or_else(|| ApiError::internal(StoreError::LostKey))
}
