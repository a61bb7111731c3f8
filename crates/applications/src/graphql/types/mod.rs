//! The objects of the schema.

mod agenda;
mod application;
mod contact;
mod fields;
mod file;
mod history;
mod insight;
mod node;
mod stage;
mod viewer;

use async_graphql::Context;

use crate::error::StoreError;
use crate::store::{Applications, AttachedLists, Entries, Postings};
use trestle_api::{ApiError, FromRequest};

pub use agenda::AgendaEntry;
pub use application::{Application, InterviewStage};
pub use contact::{Contact, contacts_of};
pub use fields::Nullable;
pub use file::{ApplicationFile, files_of};
pub use insight::ApplicationInsight;
pub use node::{Node, read_again};
pub use viewer::Viewer;

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
