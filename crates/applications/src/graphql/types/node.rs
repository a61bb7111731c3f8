//! Objects of all types by their ids.

use async_graphql::{Context, ID, Interface};

use super::application::{Application, InterviewStage};
use super::contact::Contact;
use super::fields::Nullable;
use super::file::ApplicationFile;
use super::history::HistoryEntry;
use super::store;
use crate::graphql::selection::Selected;
use crate::model::ApplicationId;
use crate::store::{Found, Part};
use trestle_api::ApiError;

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
